//! Facts from the names of files alone: encrypted credentials, commands of one file each, settings, targets, templates.

use super::directories::Listing;
use super::lines::{at_root, code, name};
use super::{Fact, Facts, Kind, Risk, purpose};

/// Endings of files with settings.
const SETTINGS: &[&str] = &["yml", "yaml", "json", "toml", "ini", "cfg"];

/// Names of settings that say only where they apply.
const PLACES: &[&str] = &[
    "development", "dev", "test", "testing", "production", "prod", "staging", "stage", "local", "default", "base",
    "common", "config", "settings", "main", "index", "app", "application", "environment",
];

/// Names of documents with a table of targets.
const TARGETS: &[&str] =
    &["slo", "slos", "sla", "slas", "sli", "targets", "budgets", "error-budget", "objetivos", "metas"];

/// Directories whose files are made from a template in them.
const WRITTEN: &[&str] = &[
    "postmortems", "post-mortems", "incidents", "retrospectives", "rfcs", "rfc", "adr", "adrs", "decisions",
    "proposals",
];

/// The most settings of one directory.
const MOST: usize = 40;

/// Whether the names in this directory say something.
pub(super) fn is_known(path: &str) -> bool {
    let last = name(path).to_ascii_lowercase();
    matches!(last.as_str(), "config" | "docs" | "doc" | "tool")
        || ["playbook", "playbooks", "inventory", "inventories", "inventario", "inventarios"].contains(&last.as_str())
        || ends(path, "config/credentials")
        || ends(path, "management/commands")
        || WRITTEN.contains(&last.as_str())
}

pub(super) fn read(listing: &Listing<'_>, out: &mut Facts) {
    let last = name(listing.path).to_ascii_lowercase();
    credentials(listing, out);
    match last.as_str() {
        "config" => settings(listing, out),
        "docs" | "doc" => targets(listing, out),
        "playbooks" | "playbook" => playbooks(listing, out),
        "inventory" | "inventories" | "inventario" | "inventarios" => inventories(listing, out),
        "tool" => scripts(listing, ".dart", |stem| format!("dart run tool/{stem}.dart"), 1, out),
        _ if ends(listing.path, "management/commands") => {
            scripts(listing, ".py", |stem| format!("python manage.py {stem}"), 3, out);
        }
        _ if WRITTEN.contains(&last.as_str()) => template(listing, out),
        _ => {}
    }
}

pub(super) fn ends(path: &str, end: &str) -> bool {
    path == end || path.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'))
}

/// The path of a file in the directory.
fn below(listing: &Listing<'_>, file: &str) -> String {
    format!("{}/{file}", listing.path)
}

/// The encrypted credentials of Rails.
fn credentials(listing: &Listing<'_>, out: &mut Facts) {
    let own = ends(listing.path, "config/credentials");
    let files = listing.names.iter().filter(|file| match own {
        true => file.ends_with(".yml.enc"),
        false => name(listing.path) == "config" && *file == "credentials.yml.enc",
    });
    let files: Vec<String> = files.map(|file| code(&below(listing, file))).collect();
    if !files.is_empty() {
        let fact = Fact::new(Kind::Variable, format!("encrypted credentials lie in {}", files.join(", ")));
        let fact = fact.id("rails-credentials").at(listing.path, 0);
        out.all.push(fact.about("credential credentials encrypted master key secret rotate").about(&files.join(" ")));
    }
}

/// Files that are run by a command of their own name, as seen from the directory so many steps above.
fn scripts(listing: &Listing<'_>, ending: &str, command: impl Fn(&str) -> String, up: usize, out: &mut Facts) {
    // `manage.py` is beside a directory of apps.
    let package = listing.path.rsplitn(up + 1, '/').nth(up).filter(|package| *package != "apps").unwrap_or_default();
    for file in listing.names.iter().take(MOST) {
        let Some(stem) = file.strip_suffix(ending).filter(|stem| !stem.starts_with(['_', '.'])) else { continue };
        let Some(command) = at_root(&format!("{package}/x"), &command(stem)) else { continue };
        let fact = Fact::new(purpose::of(stem, ""), code(&command)).about(stem).risk(Risk::of_name(stem));
        out.all.push(fact.command(command).at(below(listing, file), 0));
    }
}

/// The playbooks of Ansible, each with the command that runs it.
fn playbooks(listing: &Listing<'_>, out: &mut Facts) {
    for file in listing.names.iter().take(MOST) {
        let Some(stem) = file.strip_suffix(".yml").or_else(|| file.strip_suffix(".yaml")) else { continue };
        let path = below(listing, file);
        let command = format!("ansible-playbook {path}");
        let fact = Fact::new(Kind::DeployCommand, code(&command))
            .about("ansible playbook")
            .about(&stem.replace(['_', '-'], " "));
        out.all.push(fact.risk(Some(Risk::Deploys)).command(command).at(path, 0));
    }
}

/// The inventories of Ansible.
fn inventories(listing: &Listing<'_>, out: &mut Facts) {
    // Lists of goods lie in directories of this name as well.
    let files = listing.names.iter().filter(|file| file.starts_with("hosts") || file.ends_with(".ini"));
    let files: Vec<String> = files.take(MOST).map(|file| code(&below(listing, file))).collect();
    if !files.is_empty() {
        let fact = Fact::new(Kind::File, format!("inventories {}", files.join(", "))).id("ansible-inventory");
        out.all.push(fact.about("ansible playbook inventory hosts").at(listing.path, 0));
    }
}

/// Files of settings about one subject.
fn settings(listing: &Listing<'_>, out: &mut Facts) {
    let known = listing.names.iter().filter_map(|file| {
        let (stem, ending) = file.rsplit_once('.')?;
        let own = SETTINGS.contains(&ending) && !stem.starts_with('.') && !stem.contains("credentials");
        (own && !PLACES.contains(&stem.to_ascii_lowercase().as_str())).then_some((stem, file))
    });
    for (stem, file) in known.take(MOST) {
        let path = below(listing, file);
        out.all.push(Fact::new(Kind::File, format!("settings in {}", code(&path))).about(stem).at(path, 0));
    }
}

/// Documents with targets: `docs/slo.md`.
fn targets(listing: &Listing<'_>, out: &mut Facts) {
    for file in listing.names.iter().filter(|file| file.to_ascii_lowercase().ends_with(".md")) {
        let lower = file.to_ascii_lowercase();
        let stem = lower.trim_end_matches(".md");
        if TARGETS.contains(&stem) || stem.ends_with("-budget") || stem.ends_with("-budgets") {
            let path = below(listing, file);
            let fact = Fact::new(Kind::File, format!("targets in {}", code(&path))).about(stem);
            out.all.push(fact.about("slo target targets objective").at(path, 0));
        }
    }
}

/// The template of a directory's documents.
fn template(listing: &Listing<'_>, out: &mut Facts) {
    let of = |file: &&String| {
        let lower = file.to_ascii_lowercase();
        lower.ends_with(".md") && lower.contains("template")
    };
    if let Some(file) = listing.names.iter().find(of) {
        let path = below(listing, file);
        let fact = Fact::new(Kind::Template, format!("template {}", code(&path))).about(name(listing.path));
        out.all.push(fact.about(name(listing.path).trim_end_matches('s')).at(path, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::super::directories::read;
    use super::*;

    fn said(path: &str, names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let facts = read(&Listing { path, names: &names });
        facts.all.into_iter().map(|fact| format!("{} ({})", fact.text, fact.place())).collect()
    }

    #[test]
    fn names_of_files_tell_credentials_commands_settings_targets_and_templates() {
        for (path, names, wanted) in [
            (
                "config",
                &["columnas.yml", "credentials.yml.enc", "master.key", "production.yml", "routes.rb"][..],
                &[
                    "encrypted credentials lie in `config/credentials.yml.enc` (config)",
                    "settings in `config/columnas.yml` (config/columnas.yml)",
                ][..],
            ),
            (
                "config/credentials",
                &["production.key", "production.yml.enc"],
                &["encrypted credentials lie in `config/credentials/production.yml.enc` (config/credentials)"],
            ),
            (
                "orders/management/commands",
                &["__init__.py", "backfill_channel.py"],
                &["`python manage.py backfill_channel` (orders/management/commands/backfill_channel.py)"],
            ),
            (
                "backend/orders/management/commands",
                &["purge.py"],
                &["`(cd backend && python manage.py purge)` (backend/orders/management/commands/purge.py)"],
            ),
            ("tool", &["notas.dart", "README.md"], &["`dart run tool/notas.dart` (tool/notas.dart)"]),
            ("docs", &["slo.md", "setup.md"], &["targets in `docs/slo.md` (docs/slo.md)"]),
            (
                "ops/playbooks",
                &["rotate_db.yml", "README.md"],
                &["`ansible-playbook ops/playbooks/rotate_db.yml` (ops/playbooks/rotate_db.yml)"],
            ),
            (
                "inventory",
                &["group_vars", "goods.yml", "staging.ini"],
                &["inventories `inventory/staging.ini` (inventory)"],
            ),
            (
                "postmortems",
                &["2026-01-02-db.md", "TEMPLATE.md"],
                &["template `postmortems/TEMPLATE.md` (postmortems/TEMPLATE.md)"],
            ),
        ] {
            assert_eq!(said(path, names), wanted, "{path}");
        }
    }
}

//! Facts from names in directories: tests, translations, migrations; encrypted credentials, commands of one file each,
//! settings, targets, templates.

use super::effect::{Risk, purpose};
use super::formats::{at_root, behind, code, codes, name};
use super::{Fact, Facts, Kind};

/// A directory by its path and the names in it.
#[derive(Debug, Clone, Copy)]
pub struct Listing<'a> {
    /// Relative to the root of the repository, with `/`.
    pub path: &'a str,
    pub names: &'a [String],
}

/// Names of test directories.
const TESTS: &[&str] = &["test", "tests", "spec", "specs", "__tests__", "e2e", "cypress", "integration-tests"];
/// Names of directories of translations.
const TRANSLATIONS: &[&str] = &["locales", "locale", "i18n", "lang", "langs", "translations", "l10n", "messages"];
/// The endings of their files.
const CATALOGUES: &[&str] = &["json", "yml", "yaml", "po", "arb", "ftl", "xlf", "properties", "php", "ts", "js"];

/// Name patterns of test files, and their tools.
const PATTERNS: &[(&str, &str)] = &[
    ("test_*.py", "pytest"),
    ("*_test.py", "pytest"),
    ("*_spec.rb", "RSpec"),
    ("*_test.rb", "Minitest"),
    ("*.test.ts", ""),
    ("*.test.tsx", ""),
    ("*.test.js", ""),
    ("*.test.jsx", ""),
    ("*.spec.ts", ""),
    ("*.spec.js", ""),
    ("*.cy.ts", "Cypress"),
    ("*.cy.js", "Cypress"),
    ("*_test.go", "go test"),
    ("*Test.java", "JUnit"),
    ("*Test.kt", "JUnit"),
    ("*.feature", "Gherkin"),
    ("*.rs", "cargo test"),
];

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
const INVENTORIES: &[&str] = &["inventory", "inventories", "inventario", "inventarios"];
/// The most names that are said of one directory.
const SHOWN: usize = 8;

/// Whether this path is a test directory.
pub fn is_tests(path: &str) -> bool {
    TESTS.contains(&name(path).to_ascii_lowercase().as_str())
}

/// Whether the names in this directory are needed.
pub fn is_known(path: &str) -> bool {
    const OTHERS: &[&str] = &[
        "features", "migrations", "migrate", "migration", "versions", "changelog", "config", "docs", "doc", "tool",
        "playbook", "playbooks",
    ];
    let last = name(path).to_ascii_lowercase();
    [TESTS, TRANSLATIONS, OTHERS, INVENTORIES, WRITTEN].iter().any(|names| names.contains(&last.as_str()))
        || ends(path, "config/credentials")
        || ends(path, "management/commands")
}

fn ends(path: &str, end: &str) -> bool {
    path == end || path.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'))
}

/// The facts from the names.
pub fn read(listing: &Listing<'_>) -> Facts {
    let mut out = Facts::default();
    tests(listing, &mut out);
    translations(listing, &mut out);
    migrations(listing, &mut out);
    credentials(listing, &mut out);
    let last = name(listing.path).to_ascii_lowercase();
    match last.as_str() {
        "config" => settings(listing, &mut out),
        "docs" | "doc" => targets(listing, &mut out),
        "playbooks" | "playbook" => playbooks(listing, &mut out),
        "tool" => scripts(listing, ".dart", |stem| format!("dart run tool/{stem}.dart"), 1, &mut out),
        last if INVENTORIES.contains(&last) => inventories(listing, &mut out),
        _ if ends(listing.path, "management/commands") => {
            scripts(listing, ".py", |stem| format!("python manage.py {stem}"), 3, &mut out);
        }
        last if WRITTEN.contains(&last) => template(listing, &mut out),
        _ => {}
    }
    out
}

impl Listing<'_> {
    /// The directory as it is said.
    fn said(&self) -> String {
        code(&format!("{}/", self.path))
    }

    /// The path of a file in it.
    fn below(&self, file: &str) -> String {
        format!("{}/{file}", self.path)
    }
}

fn fits(pattern: &str, file: &str) -> bool {
    pattern.split_once('*').is_some_and(|(begin, end)| {
        file.len() > begin.len() + end.len() && file.starts_with(begin) && file.ends_with(end)
    })
}

fn tests(listing: &Listing<'_>, out: &mut Facts) {
    let count = |pattern: &str| listing.names.iter().filter(|file| fits(pattern, file)).count();
    // A directory of features may also hold product code.
    let described = name(listing.path).eq_ignore_ascii_case("features") && count("*.feature") > 0;
    if !is_tests(listing.path) && !described {
        return;
    }
    let most = PATTERNS.iter().map(|(pattern, tool)| (count(pattern), *pattern, *tool));
    let most = most.filter(|(count, ..)| *count > 0).max_by_key(|(count, ..)| *count);
    let parts = listing.names.iter().filter(|one| one.ends_with('/') && !one.starts_with(['.', '_']));
    let parts: Vec<&String> = parts.take(SHOWN).collect();
    let mut text = format!("tests lie in {}", listing.said());
    if let Some((_, pattern, tool)) = most {
        text.push_str(&format!(", files {}", code(pattern)));
        if !tool.is_empty() {
            text.push_str(&format!(" ({tool})"));
        }
    }
    text.push_str(&behind(", with ", &codes(&parts)));
    if most.is_some() || !parts.is_empty() {
        let fact = Fact::new(Kind::TestDirectory, text).at(listing.path, 0).about("test tests");
        out.all.push(fact.about(listing.path).about(&codes(&parts)));
    }
}

/// The catalogues of a directory of translations: two files or directories named after languages.
fn translations(listing: &Listing<'_>, out: &mut Facts) {
    if !TRANSLATIONS.contains(&name(listing.path).to_ascii_lowercase().as_str()) {
        return;
    }
    let of_language = |one: &&String| {
        let (stem, ending) = one.trim_end_matches('/').rsplit_once('.').unwrap_or((one.trim_end_matches('/'), ""));
        let code = stem.split(['-', '_']).next().unwrap_or_default();
        let known = one.ends_with('/') || CATALOGUES.contains(&ending);
        known && stem.len() <= 7 && code.len() == 2 && code.bytes().all(|b| b.is_ascii_lowercase())
    };
    let all: Vec<&String> = listing.names.iter().filter(of_language).take(SHOWN).collect();
    if all.len() > 1 {
        let text = format!("translations lie in {}: {}", listing.said(), codes(&all));
        let fact = Fact::new(Kind::Translations, text).at(listing.path, 0);
        out.all.push(fact.about("translate translation translations locale language i18n").about(listing.path));
    }
}

/// A tool's migrations: how they are recognised, the fact's id, the tool's name, the command that applies them.
fn tool(listing: &Listing<'_>) -> Option<(&'static str, &'static str, &'static str)> {
    let ends = |end: &str| ends(listing.path, end);
    let any = |test: fn(&str) -> bool| listing.names.iter().any(|name| test(name));
    let stamped = |least: usize, ending: &str| {
        let digits = |name: &String| name.bytes().take_while(u8::is_ascii_digit).count();
        listing.names.iter().any(|name| digits(name) >= least && name.ends_with(ending))
    };
    Some(match () {
        () if ends("db/migrate") && any(|name| name.ends_with(".rb")) => {
            ("migrations-rails", "Rails", "bin/rails db:migrate")
        }
        () if ends("prisma/migrations") => ("migrations-prisma", "Prisma", "npx prisma migrate deploy"),
        () if (ends("alembic/versions") || ends("migrations/versions")) && any(|name| name.ends_with(".py")) => {
            ("migrations-alembic", "Alembic", "alembic upgrade head")
        }
        () if ends("migrations") && stamped(4, ".py") => ("migrations-django", "Django", "python manage.py migrate"),
        () if any(|name| name.starts_with('V') && name.contains("__") && name.ends_with(".sql")) => {
            // An application that has them among its resources applies them when it starts.
            let applied = listing.path.contains("src/main/resources");
            ("migrations-flyway", "Flyway", if applied { "" } else { "flyway migrate" })
        }
        () if any(|name| name.ends_with(".up.sql")) => ("migrations-sql", "pairs of `.up.sql` and `.down.sql`", ""),
        () if (ends("migrations") || ends("migrate")) && stamped(3, ".sql") => ("migrations-sql", "plain SQL", ""),
        () if ends("migrations") && any(|name| name.ends_with(".ts") || name.ends_with(".js")) => {
            ("migrations-js", "JavaScript", "")
        }
        () => return None,
    })
}

fn migrations(listing: &Listing<'_>, out: &mut Facts) {
    let Some((id, tool, command)) = tool(listing) else { return };
    // The names of Alembic's files are digests and have no order.
    let files = listing.names.iter().filter(|name| name.starts_with(|c: char| c.is_ascii_digit() || c == 'V'));
    let newest = files.max().filter(|_| id != "migrations-alembic").map(|name| code(name.trim_end_matches('/')));
    let newest = newest.map_or(String::new(), |newest| format!(", the newest is {newest}"));
    let fact = Fact::new(Kind::Migrations, format!("migrations lie in {} ({tool}){newest}", listing.said())).id(id);
    out.all.push(fact.at(listing.path, 0).about("migration migrations migrate database schema").about(tool));
    // `db/migrate`, `shop/migrations` and their like are two steps below where the tool is called; Flyway has a configured place.
    let package = listing.path.rsplitn(3, '/').nth(2).filter(|_| id != "migrations-flyway").unwrap_or_default();
    let command = if command.is_empty() { None } else { at_root(&format!("{package}/x"), command) };
    if let Some(command) = command {
        let fact = Fact::new(Kind::DbCommand, format!("`{command}` applies the migrations")).id("migrate");
        let fact = fact.at(listing.path, 0).command(command).risk(Some(Risk::Writes));
        out.all.push(fact.about("migration migrations migrate apply database schema"));
    }
}

/// The encrypted credentials of Rails.
fn credentials(listing: &Listing<'_>, out: &mut Facts) {
    let own = ends(listing.path, "config/credentials");
    let files = listing.names.iter().filter(|file| match own {
        true => file.ends_with(".yml.enc"),
        false => name(listing.path) == "config" && *file == "credentials.yml.enc",
    });
    let files: Vec<String> = files.map(|file| listing.below(file)).collect();
    if !files.is_empty() {
        let fact = Fact::new(Kind::Variable, format!("encrypted credentials lie in {}", codes(&files)));
        let fact = fact.id("rails-credentials").at(listing.path, 0);
        out.all.push(fact.about("credential credentials encrypted master key secret rotate").about(&files.join(" ")));
    }
}

/// Files that are run by a command of their own name, as seen from the directory so many steps above.
fn scripts(listing: &Listing<'_>, ending: &str, command: fn(&str) -> String, up: usize, out: &mut Facts) {
    // `manage.py` is beside a directory of apps.
    let package = listing.path.rsplitn(up + 1, '/').nth(up).filter(|package| *package != "apps").unwrap_or_default();
    for file in listing.names.iter().take(MOST) {
        let Some(stem) = file.strip_suffix(ending).filter(|stem| !stem.starts_with(['_', '.'])) else { continue };
        let Some(command) = at_root(&format!("{package}/x"), &command(stem)) else { continue };
        let fact = Fact::new(purpose(stem, ""), code(&command)).about(stem).risk(Risk::of_name(stem));
        out.all.push(fact.command(command).at(listing.below(file), 0));
    }
}

/// The playbooks of Ansible, each with the command that runs it.
fn playbooks(listing: &Listing<'_>, out: &mut Facts) {
    for file in listing.names.iter().take(MOST) {
        let Some(stem) = file.strip_suffix(".yml").or_else(|| file.strip_suffix(".yaml")) else { continue };
        let path = listing.below(file);
        let command = format!("ansible-playbook {path}");
        let fact = Fact::new(Kind::DeployCommand, code(&command)).about("ansible playbook").about(stem);
        out.all.push(fact.risk(Some(Risk::Deploys)).command(command).at(path, 0));
    }
}

/// The inventories of Ansible.
fn inventories(listing: &Listing<'_>, out: &mut Facts) {
    // Lists of goods lie in directories of this name as well.
    let files = listing.names.iter().filter(|file| file.starts_with("hosts") || file.ends_with(".ini"));
    let files: Vec<String> = files.take(MOST).map(|file| listing.below(file)).collect();
    if !files.is_empty() {
        let fact = Fact::new(Kind::File, format!("inventories {}", codes(&files))).id("ansible-inventory");
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
        let path = listing.below(file);
        out.all.push(Fact::new(Kind::File, format!("settings in {}", code(&path))).about(stem).at(path, 0));
    }
}

/// Documents with targets: `docs/slo.md`.
fn targets(listing: &Listing<'_>, out: &mut Facts) {
    for file in listing.names {
        let lower = file.to_ascii_lowercase();
        let Some(stem) = lower.strip_suffix(".md") else { continue };
        if TARGETS.contains(&stem) || stem.ends_with("-budget") || stem.ends_with("-budgets") {
            let path = listing.below(file);
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
        let (path, kind) = (listing.below(file), name(listing.path));
        let fact = Fact::new(Kind::Template, format!("template {}", code(&path))).about(kind);
        out.all.push(fact.about(kind.trim_end_matches('s')).at(path, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The facts from names in a directory, each with its place.
    fn said(path: &str, names: &str) -> Vec<String> {
        let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
        let facts = read(&Listing { path, names: &names });
        facts.all.into_iter().map(|fact| format!("{} ({})", fact.text, fact.place())).collect()
    }

    #[test]
    fn the_names_of_migrations_tell_their_tool() {
        for (path, names, tool) in [
            ("db/migrate", "20240611120000_add_state.rb", "(Rails), the newest is `20240611120000_add_state.rb`"),
            ("shop/migrations", "__init__.py 0001_initial.py 0002_a.py", "(Django), the newest is `0002_a.py`"),
            ("prisma/migrations", "20240101_init/", "(Prisma), the newest is `20240101_init`"),
            ("alembic/versions", "3f2a_x.py", "(Alembic)"),
            ("src/main/resources/db/migration", "V1__init.sql V2__x.sql", "(Flyway), the newest is `V2__x.sql`"),
            ("migrations", "001_a.sql", "(plain SQL), the newest is `001_a.sql`"),
        ] {
            assert_eq!(said(path, names)[0], format!("migrations lie in `{path}/` {tool} ({path})"));
        }
        assert!(said("migrations", "README.md").is_empty());
        let flyway = |path| said(path, "V1__init.sql").len();
        assert_eq!((flyway("src/main/resources/db/migration"), flyway("sql")), (1, 2));
    }

    #[test]
    fn names_of_files_tell_tests_translations_credentials_commands_settings_targets_and_templates() {
        for (path, names, wanted) in [
            ("src/Api/Features", "Orders/", ""), // product code
            ("features", "pay.feature", "tests lie in `features/`, files `*.feature` (Gherkin) (features)"),
            (
                "tests",
                "unit/ conftest.py test_a.py",
                "tests lie in `tests/`, files `test_*.py` (pytest), with `unit/` (tests)",
            ),
            ("tests", "README.md", ""),
            (
                "web/locales",
                "de.json en.json pt-BR.json index.ts",
                "translations lie in `web/locales/`: `de.json`, `en.json`, `pt-BR.json` (web/locales)",
            ),
            ("locale", "de/ fr/", "translations lie in `locale/`: `de/`, `fr/` (locale)"),
            ("lang", "parser.ts en.json", ""),
            (
                "config",
                "columnas.yml credentials.yml.enc master.key production.yml routes.rb",
                "encrypted credentials lie in `config/credentials.yml.enc` (config)\n\
                 settings in `config/columnas.yml` (config/columnas.yml)",
            ),
            (
                "config/credentials",
                "production.key production.yml.enc",
                "encrypted credentials lie in `config/credentials/production.yml.enc` (config/credentials)",
            ),
            (
                "orders/management/commands",
                "__init__.py purge.py",
                "`python manage.py purge` (orders/management/commands/purge.py)",
            ),
            (
                "backend/orders/management/commands",
                "purge.py",
                "`(cd backend && python manage.py purge)` (backend/orders/management/commands/purge.py)",
            ),
            ("tool", "notas.dart README.md", "`dart run tool/notas.dart` (tool/notas.dart)"),
            ("docs", "slo.md setup.md", "targets in `docs/slo.md` (docs/slo.md)"),
            ("ops/playbooks", "db.yml README.md", "`ansible-playbook ops/playbooks/db.yml` (ops/playbooks/db.yml)"),
            ("inventory", "group_vars goods.yml s.ini", "inventories `inventory/s.ini` (inventory)"),
            ("rfcs", "2026-01-02-db.md TEMPLATE.md", "template `rfcs/TEMPLATE.md` (rfcs/TEMPLATE.md)"),
        ] {
            assert_eq!(said(path, names).join("\n"), wanted, "{path}");
        }
    }
}

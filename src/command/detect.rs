//! `detect`: which AI CLIs are on this machine, how they were found, their versions, and where skills go.

use serde::Serialize;
use serde_json::{Value, json};

use crate::client::detect::{self, Found};
use crate::client::target::{self, READERS, SHARED, TABLE, Target, drafters};
use crate::error::{Code, Result};
use crate::project::{Project, open};
use crate::registry::{CliRow, Op, Registry, Status};
use crate::report::{Report, Slashed};
use crate::system::env::Env;
use crate::terminal::ui;
use crate::transaction::{self, Change};

/// In a project that is initialised, new CLIs are registered and get their directory; with `--force` the known ones are
/// updated too. Elsewhere nothing is created. Errors: E-CONFIG-001, or when the registry cannot be written.
pub(super) fn detect(env: &mut Env, project: &Project, args: &crate::cli::Detect) -> Result<Report> {
    let settings = crate::config::load(env, project)?;
    let mut found = detect::here(&settings.targets, &detect::places(env, project));
    detect::versions(env, &mut found);
    let governed = if project.is_there() && !project.is_detached() { Some(open::enter(env, project)?) } else { None };
    let registry = governed.as_ref().and_then(|governed| governed.registry());
    for one in found.iter().filter(|one| one.lacks_binary() && !one.only_in_project) {
        env.note(detect::no_binary(one));
    }
    let new: Vec<&Found> =
        found.iter().filter(|one| registry.is_some_and(|registry| registry.cli(&one.target.id).is_none())).collect();
    let changed = registry.map(|registry| changed(registry, &found)).unwrap_or_default();
    if registry.is_some() {
        let recorded = record(env, project, &new, if args.force { &changed } else { &[] }, &found);
        if let Err(error) = recorded {
            // A project that cannot be written keeps its registry; the answer is given all the same.
            if !matches!(error.code(), Code::CreateUnwritable | Code::WriteFailed | Code::Io) {
                return Err(error);
            }
            env.warn(Code::CliDirDenied, format!("nothing is recorded: {}.", error.message()));
        }
        if !args.force {
            for (row, now) in &changed {
                env.warn(Code::VersionChanged, difference(row, now));
            }
        }
        if new.is_empty() && changed.is_empty() {
            env.warn(Code::NothingNew, "nothing new was found.");
        }
    }
    let is_new = |id: &str| new.iter().any(|one| one.target.id == id);
    let clis: Vec<_> = found.iter().map(|one| data(project, one, is_new(&one.target.id))).collect();
    let is_missing = |target: &&Target| counted(target) && !found.iter().any(|one| one.target.id == target.id);
    let missing: Vec<&str> = settings.targets.iter().filter(is_missing).map(|target| target.id.as_str()).collect();
    let supported = settings.targets.iter().filter(|target| counted(target)).count().max(drafters().count());
    let known = if args.all { known(&found) } else { Vec::new() };
    let data = json!({ "clis": clis, "not_found": missing, "supported": supported, "known": known });
    if args.all {
        return Ok(Report::done(data, known_table(env.style, &known)));
    }
    let updates = if args.force { changed.as_slice() } else { &[] };
    let seen = Seen { found: &found, new: &new, updated: updates, missing: &missing, supported };
    Ok(Report::done(data, render(env.style, project, &seen)))
}

fn data(project: &Project, one: &Found, new: bool) -> Value {
    json!({
        "id": one.target.id, "title": one.target.title, "method": one.method.word(), "status": one.status().word(),
        "binary": one.binary.as_deref().map(Slashed::slashed),
        "config_dir": one.config_dir.as_deref().map(Slashed::slashed), "version": one.version,
        "skills_dir": project.display(&one.target.skills_dir), "new": new, "serves": one.serves,
    })
}

/// Whether the report counts a target: a CLI hefesto was tested with, or one from the settings.
fn counted(target: &Target) -> bool {
    !target.binaries.is_empty() && target::record(&target.id).is_none_or(|record| record.headless.is_some())
}

#[derive(Serialize)]
struct KnownClient {
    id: &'static str,
    title: &'static str,
    target: &'static str,
    project_dir: &'static str,
    /// Its own directory for the user's skills; `None` if it reads only the project's.
    user_dir: Option<&'static str>,
    drafts: bool,
    here: bool,
}

/// The clients of the target table, then those that read the shared directory.
fn known(found: &[Found]) -> Vec<KnownClient> {
    let of_table = TABLE.iter().filter(|record| record.id != SHARED).map(|record| KnownClient {
        id: record.id,
        title: record.title,
        target: record.id,
        project_dir: record.skills_dir,
        user_dir: record.reads.own_user_dir().map(|dir| dir.home),
        drafts: record.headless.is_some(),
        here: found.iter().any(|one| one.target.id == record.id),
    });
    let shared = TABLE.iter().find(|record| record.id == SHARED).map_or("", |record| record.skills_dir);
    let readers = READERS.iter().map(|reader| KnownClient {
        id: reader.id,
        title: reader.title,
        target: SHARED,
        project_dir: shared,
        user_dir: reader.reads_home.then_some(shared),
        drafts: false,
        here: found.iter().any(|one| one.serves.contains(&reader.title)),
    });
    of_table.chain(readers).collect()
}

fn known_table(style: ui::Style, known: &[KnownClient]) -> String {
    let rows = known.iter().map(|one| {
        let user_dir = one.user_dir.map_or("-".to_owned(), |dir| format!("~/{dir}/"));
        let here = if one.here { "yes" } else { "-" };
        [one.id.into(), one.title.into(), format!("{}/", one.project_dir), user_dir, here.into()]
    });
    ui::table(style, &["CLIENT", "NAME", "PROJECT", "USER", "HERE"], rows)
}

/// Known CLIs whose version or detection changed: the registered row and the new one.
fn changed(registry: &Registry, found: &[Found]) -> Vec<(CliRow, CliRow)> {
    let rows = registry.clis().iter().filter_map(|row| {
        let one = found.iter().find(|one| one.target.id == row.id && !one.only_in_project)?;
        let now = detect::row(&one.target, found);
        let differs = (now.version.is_some() && now.version != row.version) || now.method != row.method;
        differs.then(|| (row.clone(), now))
    });
    rows.collect()
}

fn shown(row: &CliRow) -> String {
    format!("{} ({})", row.version.as_deref().unwrap_or("no version"), row.method.said())
}

fn difference(row: &CliRow, now: &CliRow) -> String {
    let found = match (&now.version, &row.version) {
        (Some(version), Some(known)) if version != known => format!("{version} found; {known} is recorded"),
        (Some(version), None) => format!("{version} found; no version recorded yet"),
        _ => format!("found by {}; recorded as found by {}", now.method.said(), row.method.said()),
    };
    format!("{} {found}. `hefesto detect --force` records it.", row.id)
}

fn record(
    env: &mut Env,
    project: &Project,
    new: &[&Found],
    updated: &[(CliRow, CliRow)],
    found: &[Found],
) -> Result<()> {
    let mut changes = Vec::new();
    let mut rows: Vec<CliRow> = updated.iter().map(|(_, now)| now.clone()).collect();
    rows.extend(new.iter().map(|one| entered(env, project, &one.target, found, &mut changes, "")));
    if rows.is_empty() {
        return Ok(());
    }
    open::commit_with(env, project, "detect", changes, &[Op::UpsertClis { clis: rows }]).map(|_| ())
}

/// The row of a target in the registry; its directory joins the changes, if it can be made.
pub(super) fn entered(
    env: &mut Env,
    project: &Project,
    target: &Target,
    found: &[Found],
    changes: &mut Vec<Change>,
    advice: &str,
) -> CliRow {
    let (dir, mut row) = (&target.skills_dir, detect::row(target, found));
    match transaction::writable(project.roots(), dir) {
        Ok(()) => changes.push(Change::MakeDir { at: dir.clone() }),
        Err(unwritable) => {
            row.status = Status::ErrorPermission;
            let (dir, path, why) = (project.display(dir), unwritable.path, unwritable.why);
            env.warn(Code::CliDirDenied, format!("{dir} cannot be used: {path}: {why}.{advice}"));
        }
    }
    row
}

/// The headings of a table of CLIs.
pub(super) const HEADINGS: &[&str] = &["CLI", "FOUND BY", "VERSION", "STATE", "SKILLS DIRECTORY"];

struct Seen<'s> {
    found: &'s [Found],
    new: &'s [&'s Found],
    /// The registered rows that are replaced, and the new ones.
    updated: &'s [(CliRow, CliRow)],
    missing: &'s [&'s str],
    supported: usize,
}

fn render(style: ui::Style, project: &Project, seen: &Seen<'_>) -> String {
    let Seen { found, new, updated, missing, supported } = seen;
    let core = found.iter().filter(|one| counted(&one.target)).count();
    let mut text = format!("{core} out of {supported} supported CLIs detected\n\n");
    if !found.is_empty() {
        let rows = found.iter().map(|one| {
            let (version, dir) = (one.version.as_deref().unwrap_or("-"), project.shown(&one.target.skills_dir));
            [one.target.id.as_str(), one.method.said(), version, one.status().said(), &format!("{dir}/")]
                .map(str::to_owned)
        });
        text.push_str(&ui::table(style, HEADINGS, rows));
        text.push('\n');
    }
    for one in found.iter().filter(|one| !one.serves.is_empty()) {
        text.push_str(&format!("{}/ serves {}.\n\n", project.shown(&one.target.skills_dir), one.serves.join(", ")));
    }
    let ids = |list: Vec<String>| if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    let by_dir = found.iter().filter(|one| one.lacks_binary()).map(|one| one.target.id.clone()).collect();
    text.push_str(&format!("New:         {}\n", ids(new.iter().map(|one| one.target.id.clone()).collect())));
    let updates = updated.iter().map(|(row, now)| format!("{} {} → {}", row.id, shown(row), shown(now))).collect();
    text.push_str(&format!("Updated:     {}\n", ids(updates)));
    text.push_str(&format!("No program:  {}\n", ids(by_dir)));
    text.push_str(&format!("Not found:   {}\n", ids(missing.iter().map(ToString::to_string).collect())));
    if !style.unicode {
        text = text.replace('→', "->");
    }
    text
}

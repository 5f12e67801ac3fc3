//! `repair`: rebuilds MEMORY.md and lost archives from the skills on disk and the memory, after a backup.

use serde_json::json;

use crate::client::detect;
use crate::config::{self, Settings};
use crate::error::{Code, Coded, Error, Result};
use crate::project::copies::{self, Known};
use crate::project::{Project, inventory, open};
use crate::registry::{self, Kept, Parsed, Registry};
use crate::report::{Report, Slashed};
use crate::skill::Tree;
use crate::system::env::Env;
use crate::system::rooted::{HOME, Kind};
use crate::terminal::ui;
use crate::transaction::{self, Change, Was, consent, objects};

/// Errors: ERR-002 if the file is newer than this hefesto or no regular file; ERR-004 while the constitution is
/// invalid; E-PROJECT-001 if nothing shows that this is a hefesto project; E-CREATE-011 without an approval.
pub(super) fn repair(env: &mut Env, project: &Project, yes: bool) -> Result<Report> {
    open::recover(env, project)?;
    open::require_constitution(env, project)?;
    let settings = config::load(env, project)?;
    let path = project.memory_md();
    let before = registry_bytes(project)?;
    let archives = rebuilt_archives(env, project, &settings)?;
    let said = if archives == 0 {
        String::new()
    } else {
        format!("{} of what was installed rebuilt from the copies.\n", ui::count(archives, "archive"))
    };
    let found = detect::here(&settings.targets, &detect::places(env, project));
    let on_disk = inventory::found(project, &settings.targets, &found);
    let parsed = before.as_deref().map(Registry::parse);
    let now = env.stamp();
    let mut rebuilt = match &parsed {
        Some(Parsed::Good(registry)) => (**registry).clone(),
        Some(Parsed::Damaged { kept, .. } | Parsed::Foreign(kept)) => {
            Registry::rebuild((**kept).clone(), &on_disk, registry::OURS, &now)
        }
        Some(newer @ Parsed::Newer { .. }) => {
            let refusal = newer.refusal(&path.slashed());
            return Err(refusal.unwrap_or_else(|| Error::new(Code::MemoryCorrupt, "MEMORY.md is newer")));
        }
        None if on_disk.skills.is_empty() && !project.is_dir(HOME) && !project.exists("CONSTITUTION.md") => {
            let message = format!("{} is not initialised (WARN-002): run init first", project.root().slashed());
            return Err(Error::new(Code::NotInitialised, message));
        }
        Some(Parsed::Refused { .. }) | None => Registry::rebuild(Kept::default(), &on_disk, registry::OURS, &now),
    };
    rebuilt.follow(&on_disk, &now);
    if matches!(&parsed, Some(Parsed::Good(registry)) if **registry == rebuilt) {
        let data = json!({ "repaired": false, "archives": archives, "backup": null, "approved_by": null });
        return Ok(Report::done(data, format!("{said}MEMORY.md is in order.\n")));
    }
    let rebuilt = rebuilt.render();
    let old = before.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let preview =
        format!("{}\n{}", env.err_style().rule("repair MEMORY.md"), ui::diff(env.err_style(), &old, &rebuilt, 60));
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let (backup, kept) = replaced(env, project, "repair", "MEMORY.md", (before.as_deref(), rebuilt.into_bytes()))?;
    let data = json!({ "repaired": true, "archives": archives, "backup": backup, "approved_by": consent.by().word() });
    Ok(Report::done(data, format!("{said}MEMORY.md is rebuilt from the skills on disk.{kept}\n")))
}

/// Writes a governance file, after a copy of what was there. Returns the path of the copy, and a sentence about it.
pub(super) fn replaced(
    env: &mut Env,
    project: &Project,
    command: &str,
    name: &str,
    (before, bytes): (Option<&[u8]>, Vec<u8>),
) -> Result<(Option<String>, String)> {
    let (backup, copy) = before.map(|before| open::copied(env, project, name, before)).unzip();
    let was = before.map_or(Was::Absent, |bytes| Was::Bytes(transaction::bytes_digest(bytes)));
    let written = Change::Write { at: name.into(), bytes, was };
    open::commit(env, project, command, copy.flatten().into_iter().chain([written]).collect())?;
    let kept = backup.as_deref().map(|at| format!(" The old one is {at}.")).unwrap_or_default();
    Ok((backup, kept))
}

/// The bytes of MEMORY.md; none: there is no such file.
fn registry_bytes(project: &Project) -> Result<Option<Vec<u8>>> {
    let path = project.memory_md();
    let cannot = || format!("{} cannot be read", path.slashed());
    let file = project.rooted("MEMORY.md").coded(Code::Io, cannot())?;
    match file.entry_kind().coded(Code::Io, cannot())? {
        None => Ok(None),
        Some(Kind::File) => file.read(1 << 26).map(Some).coded(Code::Io, cannot()),
        Some(_) => Err(Error::new(Code::MemoryCorrupt, format!("{} is no regular file", path.slashed()))
            .suggest("Move it away, then run the command again.")),
    }
}

/// Writes the lost archives of what was installed again, as far as a copy still has it. Returns how many.
fn rebuilt_archives(env: &mut Env, project: &Project, settings: &Settings) -> Result<usize> {
    let known = Known::glance(project, None);
    let skills = copies::whole(project, &settings.targets, &known);
    let copies = skills.iter().flat_map(|skill| &skill.all);
    let lost: Vec<Tree> = copies.filter_map(|copy| copy.unarchived(project.roots())).cloned().collect();
    if lost.is_empty() {
        return Ok(0);
    }
    let lock = open::lock(env, project, "repair")?;
    let changes = objects::keeping(&lock, &lost)?;
    drop(lock);
    let archives = changes.len();
    open::commit(env, project, "repair", changes)?;
    Ok(archives)
}

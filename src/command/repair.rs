//! `memory repair`: rebuilds MEMORY.md from the skills on disk and the project's memory, after a backup.

use std::time::Duration;

use serde_json::json;

use crate::change::{self, Change, Was};
use crate::env::Env;
use crate::error::{Code, Coded, Error, Result};
use crate::project::Project;
use crate::registry::{self, Kept, Parsed, Registry};
use crate::report::Report;
use crate::{config, consent, detect, disk, governance, ui};

/// Runs `hefesto memory repair`.
///
/// # Errors
/// ERR-002 where the file is newer than this hefesto or no file at all; E-CREATE-011 without an approval.
pub(super) fn repair(env: &mut Env, project: &Project, yes: bool) -> Result<Report> {
    governance::recover(env, project)?;
    let settings = config::load(env, project)?;
    let path = project.memory_md();
    let before = match std::fs::symlink_metadata(&path) {
        Err(_) => None,
        Ok(meta) if meta.is_file() => {
            Some(disk::read_at_most(&path, 1 << 26).coded(Code::Io, format!("{} cannot be read", path.display()))?)
        }
        Ok(_) => {
            return Err(Error::new(Code::MemoryCorrupt, format!("{} is no regular file", path.display()))
                .suggest("Move it away, then run the command again."));
        }
    };
    let found = detect::here(&settings.targets, &detect::places(env, project));
    let on_disk = disk::found(project, &settings.targets, &found);
    let kept = match before.as_deref().map(Registry::parse) {
        Some(Parsed::Good(registry)) if registry::drift(&registry, &on_disk).is_empty() => {
            return Ok(Report::done(json!({ "repaired": false, "backup": null }), "MEMORY.md is in order.\n"));
        }
        Some(Parsed::Damaged { kept, .. } | Parsed::Foreign(kept)) => *kept,
        Some(newer @ Parsed::Newer { .. }) => {
            let refusal = newer.refusal(&path.display().to_string());
            return Err(refusal.unwrap_or_else(|| Error::new(Code::MemoryCorrupt, "MEMORY.md is newer")));
        }
        _ => Kept::default(),
    };
    let rebuilt = Registry::rebuild(kept, &on_disk, registry::OURS, &env.stamp()).render();
    let old = before.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
    let preview = format!("{}\n{}", env.style.rule("memory repair MEMORY.md"), ui::diff(env.style, &old, &rebuilt, 60));
    let limit = Duration::from_secs(settings.gate_timeout.value.into());
    let consent = consent::ask(env, &preview, yes, limit)?;
    let mut changes = Vec::new();
    let mut backup = None;
    if let Some(bytes) = &before {
        let name = format!("MEMORY.md.backup.{}", env.now().strftime("%Y-%m-%dT%H-%M-%S"));
        let at = disk::free_name(project.root(), &name);
        changes.push(Change::Write { at: at.clone(), bytes: bytes.clone(), was: Was::Absent });
        backup = Some(at);
    }
    changes.push(Change::Write {
        at: "MEMORY.md".into(),
        bytes: rebuilt.into_bytes(),
        was: before.as_deref().map_or(Was::Absent, |bytes| Was::Bytes(change::bytes_digest(bytes))),
    });
    governance::commit(env, project, "memory repair", changes)?;
    let kept = backup.as_deref().map(|at| format!(" The old one is {at}.")).unwrap_or_default();
    let data = json!({ "repaired": true, "backup": backup, "approved_by": consent.by().word() });
    Ok(Report::done(data, format!("MEMORY.md is rebuilt from the skills on disk.{kept}\n")))
}

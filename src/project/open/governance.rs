//! The governance files of a project: the constitution and the standards are checked, restored and backed up.

use std::io::ErrorKind;

use super::{commit, read};
use crate::error::{Code, Coded, Error, Result, Warning};
use crate::project::{Project, inventory};
use crate::registry::constitution;
use crate::registry::standards::{self, Standards};
use crate::report::Slashed;
use crate::system::env::Env;
use crate::system::rooted;
use crate::transaction::{Change, Was};

/// Checks the constitution for a command that does not [`enter`](super::enter).
/// Errors: ERR-004 when the constitution exists and is invalid.
pub fn require_constitution(env: &mut Env, project: &Project) -> Result<()> {
    check_constitution(env, project, false)
}

pub(super) fn check_constitution(env: &mut Env, project: &Project, ours: bool) -> Result<()> {
    let Some(bytes) = read(project, "CONSTITUTION.md", 1 << 20)? else {
        if ours {
            let write =
                Change::Write { at: "CONSTITUTION.md".into(), bytes: constitution::EMBEDDED.into(), was: Was::Absent };
            commit(env, project, "restore", vec![write])?;
            env.note(Warning::new(
                Code::ConstitutionMissing,
                "CONSTITUTION.md was missing; the embedded one was restored, with all eleven T0 rules.",
            ));
        }
        return Ok(());
    };
    let report = constitution::check(&String::from_utf8_lossy(&bytes));
    if !report.valid() {
        let (at, write) = copied(env, project, "CONSTITUTION.md", &bytes);
        let kept = write.is_none_or(|write| commit(env, project, "backup", vec![write]).is_ok());
        let rules = report.missing.iter().map(|id| format!("rule {id} is missing"));
        let what = rules.chain(report.frontmatter.iter().cloned()).collect::<Vec<_>>().join("; ");
        let kept = if kept { format!(" A copy was kept as {at}.") } else { String::new() };
        let (path, left) = (project.constitution().slashed(), "Everything is blocked and the file was left as it is.");
        return Err(Error::new(Code::ConstitutionInvalid, format!("{path} is invalid: {what}. {left}{kept}")));
    }
    for oddity in &report.oddities {
        env.note(Warning::new(Code::ConstitutionOddity, format!("CONSTITUTION.md: {oddity}")));
    }
    Ok(())
}

/// The path of a copy of a governance file, and the change that writes it; none if an equal copy exists.
pub fn copied(env: &Env, project: &Project, name: &str, bytes: &[u8]) -> (String, Option<Change>) {
    const BACKUPS: &str = ".hefesto/backups";
    if let Some(known) = inventory::copy_of(project, BACKUPS, &format!("{name}.backup."), bytes) {
        return (known, None);
    }
    let at = format!("{BACKUPS}/{name}.backup.{}", env.now().strftime("%Y-%m-%dT%H-%M-%S"));
    let at = inventory::free_name(project, &at);
    (at.clone(), Some(Change::Write { at, bytes: bytes.to_vec(), was: Was::Absent }))
}

/// The missing files of the constitution and the standards.
/// Errors: E-IO-001 when it cannot be determined whether one is missing. A link out of the project counts as existing.
pub fn governance_files(project: &Project) -> Result<Vec<Change>> {
    let constitution = [("CONSTITUTION.md", constitution::EMBEDDED)];
    let mut missing = Vec::new();
    for (at, text) in constitution.into_iter().chain(standards::EMBEDDED.iter().copied()) {
        match project.rooted(at).and_then(|file| file.entry_kind()) {
            Ok(None) => missing.push(Change::Write { at: at.into(), bytes: text.into(), was: Was::Absent }),
            Err(error) if error.kind() != ErrorKind::NotADirectory && rooted::refused(&error).is_none() => {
                return Err(error).coded(Code::Io, format!("{at} cannot be looked for"));
            }
            _ => {}
        }
    }
    Ok(missing)
}

pub(super) fn load_standards(project: &Project) -> Standards {
    let own = standards::names().filter_map(|at| {
        let bytes = project.head(at, 1 << 20).ok()?;
        Some((at.to_owned(), String::from_utf8(bytes).ok()?))
    });
    standards::load(&own.collect())
}

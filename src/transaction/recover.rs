//! Ends what interrupted commands left: forward after the commit record, back before it.

use std::ffi::OsString;
use std::io;
use std::path::Path;

use super::finish::{self, Ended, discard, settle};
use super::journal_check::{Unread, admit};
use super::{Disk, ENDS, Faults, JOURNALS, Journal, Lock, Register, Roots, State, backup, journal, numbered};
use crate::error::{Code, Coded, Result};
use crate::system::rooted::{self, Held};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The run that was interrupted; the journal's file name if it could not be read.
    pub run: String,
    pub command: String,
    pub outcome: Outcome,
    /// The paths it was about, as that command named them.
    pub paths: Vec<String>,
}

/// What was done about an interrupted command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is as if it had never run.
    RolledBack,
    RolledForward,
    /// Its journal cannot be acted upon and was put aside under this name, relative to the root; why.
    Quarantined {
        file: String,
        why: String,
    },
    /// It could not be ended now; the next command tries again. Why.
    Unfinished(String),
    /// What somebody saved where it made its changes, at the last moment, is in no backup and was kept there.
    Kept {
        file: String,
    },
    /// Something that it replaced or prepared cannot be removed from there; every later command tries again without a
    /// word. Why.
    Left {
        file: String,
        why: String,
    },
}

/// Whether earlier commands left anything that [`recover`] would end and say: a journal, or an archive that was never
/// finished; or it cannot be seen whether they did. And whether there is anything that it tries to remove again, without a
/// word, because it could not be removed. Journals that were put aside are neither.
pub fn left_behind(roots: impl Into<Roots>) -> (bool, bool) {
    let (faults, roots) = (Faults::none(), roots.into());
    let disk = Disk::of(&roots, &faults);
    let listed = listed(&disk);
    let any = |is: &dyn Fn(&str) -> bool| listed.iter().flatten().any(|name| is(&name.to_string_lossy()));
    let waiting = listed.is_err() || any(&|name| ![".bad", ".left"].iter().any(|part| name.contains(part)));
    let unfinished = || backup::unfinished(&disk).is_ok_and(|files| !files.is_empty());
    (waiting || unfinished(), any(&|name| name.ends_with(".left")) || finish::has_trash(&disk))
}

/// The journals that were put aside, relative to the root, sorted. They wait for nothing but a person's look.
pub fn put_aside(root: &Path) -> Vec<String> {
    let names = listed(&Disk::of(&root.into(), &Faults::none())).unwrap_or_default();
    let names = names.iter().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.contains(".bad")).map(|name| format!("{JOURNALS}/{name}")).collect()
}

/// What is in the directory of journals, sorted; nothing where there is no root yet.
fn listed(disk: &Disk<'_>) -> io::Result<Vec<OsString>> {
    let listed = journal::directory(disk).and_then(|dir| disk.names(&dir));
    Ok(rooted::found(listed)?.unwrap_or_default())
}

/// Ends whatever earlier commands left unfinished. Makes nothing where there is nothing to do; may be repeated.
/// Errors: `E-IO-001` when `.hefesto/txn` cannot be read. A transaction that cannot be ended is no error but
/// [`Outcome::Unfinished`], so that no command is ever blocked by an earlier one.
pub fn recover(lock: &Lock, register: &Register<'_>) -> Result<Vec<Recovered>> {
    recover_with(lock, register, &Faults::none())
}

/// [`recover`] with failures on demand.
pub fn recover_with(lock: &Lock, register: &Register<'_>, faults: &Faults) -> Result<Vec<Recovered>> {
    cleared(lock, register, faults).map(|(done, _)| done)
}

/// The same, and whether no journal was there at all.
pub(super) fn cleared(lock: &Lock, register: &Register<'_>, faults: &Faults) -> Result<(Vec<Recovered>, bool)> {
    let disk = Disk::of(lock.roots(), faults);
    let unread = "cannot read .hefesto/txn";
    let dir = journal::directory(&disk).coded(Code::Io, unread)?;
    // Half-written archives are nobody's any more; failing to remove them blocks nothing.
    let _ = backup::sweep(&disk);
    let _ = finish::empty_trash(&disk);
    let suggest = "Remove or repair it; hefesto makes a new one and follows no link there.";
    let names = disk.names(&dir).coded(Code::Io, unread).map_err(|error| error.suggest(suggest))?;
    let mut done = Vec::new();
    // What could not be registered is registered before anything that came after it.
    let mut behind = false;
    for name in &names {
        let shown = name.to_string_lossy();
        let file = dir.join(name);
        if shown.contains(".bad") {
            continue;
        }
        if shown.ends_with(".tmp") {
            let _ = disk.remove_file(&file);
        } else if let Some(id) = shown.strip_suffix(".commit").or_else(|| shown.strip_suffix(".applied")) {
            let journal = |end: &str| names.iter().any(|other| *other == *format!("{id}.{end}"));
            if !ENDS.iter().any(|end| journal(end)) {
                let _ = disk.remove_file(&file).and_then(|()| disk.sync_dir(&dir));
            }
        } else {
            let read = match ENDS.iter().any(|end| shown.ends_with(&format!(".{end}"))) {
                true => admit(&disk, &shown),
                false => Err(Unread::Unsound("is not one of hefesto's files".to_owned())),
            };
            match read {
                Ok(journal) if shown.ends_with(".left") => drop(finish::remove(&disk, &journal)),
                Ok(journal) => {
                    done.extend(end(&disk, &journal, register, behind));
                    behind |= matches!(journal.state(&disk), Ok(State::Applied));
                }
                Err(Unread::Failed(error)) => {
                    let outcome = Outcome::Unfinished(format!("its journal cannot be read: {error}"));
                    done.push(unread_journal(&shown, outcome));
                }
                Err(Unread::Unsound(why)) => done.push(quarantine(&disk, &dir, &shown, &file, why)),
            }
        }
    }
    Ok((done, names.is_empty()))
}

/// Whether an earlier command is still to be registered.
pub(super) fn unregistered(disk: &Disk<'_>) -> io::Result<bool> {
    let names = disk.names(&journal::directory(disk)?)?;
    let ids = names.iter().filter_map(|name| name.to_str()?.strip_suffix(".applied"));
    Ok(ids.into_iter().any(|id| names.iter().any(|name| *name == *format!("{id}.json"))))
}

fn end(disk: &Disk<'_>, journal: &Journal, register: &Register<'_>, behind: bool) -> Vec<Recovered> {
    let (outcome, left) = match journal.state(disk) {
        Ok(State::Begun) => match discard(disk, journal) {
            Ok(left) => (Outcome::RolledBack, left),
            Err(error) => (Outcome::Unfinished(error.to_string()), Vec::new()),
        },
        _ => match settle(disk, journal, register, behind) {
            Ended::Forward(left) => (Outcome::RolledForward, left),
            Ended::Back(_, left) => (Outcome::RolledBack, left),
            Ended::HalfBack(why) | Ended::Pending(why) => (Outcome::Unfinished(why), Vec::new()),
        },
    };
    std::iter::once(journal.ended(outcome)).chain(left).collect()
}

fn quarantine(disk: &Disk<'_>, dir: &Held, name: &str, file: &Held, why: String) -> Recovered {
    let free = |name: &String| dir.join(name).metadata().is_err();
    let aside = |name: &str| numbered(&format!("{name}.bad")).find(free).unwrap_or_default();
    let new = aside(name);
    let moved = disk.rename_new(file, &dir.join(&new)).and_then(|()| {
        let id = ENDS.iter().find_map(|end| name.strip_suffix(&format!(".{end}")));
        for record in id.into_iter().flat_map(|id| [format!("{id}.commit"), format!("{id}.applied")]) {
            if disk.stat(&dir.join(&record))?.is_some() {
                disk.rename_new(&dir.join(&record), &dir.join(aside(&record)))?;
            }
        }
        disk.sync_dir(dir)
    });
    let outcome = match moved {
        Ok(()) => Outcome::Quarantined { file: format!("{JOURNALS}/{new}"), why },
        Err(error) => Outcome::Unfinished(format!("{why}, and it cannot be put aside ({error})")),
    };
    unread_journal(name, outcome)
}

fn unread_journal(name: &str, outcome: Outcome) -> Recovered {
    Recovered { run: name.to_owned(), command: String::new(), outcome, paths: Vec::new() }
}

//! Ends a transaction, whoever began it: forward after its commit record, back before it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::backup;
use crate::error::{Code, Coded, Result, chain};

use super::apply::{self, Stop};
use super::disk::Disk;
use super::faults::Faults;
use super::journal::{self, Journal, parent};
use super::lock::Lock;
use super::{Register, refused};

/// What became of one interrupted command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The run that was interrupted; the journal's file name if it could not be read.
    pub run: String,
    /// The command it was.
    pub command: String,
    /// What was done about it.
    pub outcome: Outcome,
    /// The paths it was about, as that command named them.
    pub paths: Vec<String>,
}

/// What was done about an interrupted command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is as if it had never run.
    RolledBack,
    /// It is complete.
    RolledForward,
    /// Its journal cannot be acted upon and was put aside under the name given; why.
    Quarantined {
        /// The journal's new name, relative to the root.
        file: String,
        /// Why it cannot be acted upon.
        why: String,
    },
    /// It could not be ended now; the next command tries again. Why.
    Unfinished(String),
}

/// Whether earlier commands left anything that [`recover`] would end: a journal, or an archive that was never
/// finished. Journals that were put aside are not waiting for anything.
#[must_use]
pub fn waiting(root: &Path) -> bool {
    let journals = fs::read_dir(journal::directory(root)).into_iter().flatten().flatten();
    let mut names = journals.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.any(|name| !name.contains(".bad")) || backup::unfinished(root).next().is_some()
}

/// The journals that were put aside, relative to the root, sorted. They wait for nothing but a person's look.
#[must_use]
pub fn put_aside(root: &Path) -> Vec<String> {
    let journals = fs::read_dir(journal::directory(root)).into_iter().flatten().flatten();
    let names = journals.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut aside: Vec<String> =
        names.filter(|name| name.contains(".bad")).map(|name| format!(".hefesto/txn/{name}")).collect();
    aside.sort();
    aside
}

/// Ends whatever earlier commands left unfinished. Makes nothing where there is nothing to do; may be repeated.
///
/// # Errors
/// `E-IO-001` when `.hefesto/txn` cannot be read. A transaction that cannot be ended is no error but
/// [`Outcome::Unfinished`], so that no command is ever blocked by an earlier one.
pub fn recover(lock: &Lock, register: &Register<'_>) -> Result<Vec<Recovered>> {
    recover_with(lock, register, &Faults::none())
}

/// [`recover`] with failures on demand.
///
/// # Errors
/// Those of [`recover`].
#[doc(hidden)]
pub fn recover_with(lock: &Lock, register: &Register<'_>, faults: &Faults) -> Result<Vec<Recovered>> {
    let disk = Disk::with(faults);
    let root = lock.root();
    let dir = journal::directory(root);
    // Half-written archives are nobody's any more; failing to remove them blocks nothing.
    let _ = backup::sweep(&disk, root);
    let mut names = Vec::new();
    match fs::read_dir(&dir) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => {
            for entry in entries.coded(Code::Io, "cannot read .hefesto/txn")? {
                names.push(entry.coded(Code::Io, "cannot read .hefesto/txn")?.file_name());
            }
        }
    }
    names.sort();
    let mut done = Vec::new();
    for name in &names {
        let shown = name.to_string_lossy();
        let file = dir.join(name);
        if shown.contains(".bad") {
            continue;
        }
        if shown.ends_with(".tmp") {
            let _ = disk.remove_file(&file);
        } else if let Some(id) = shown.strip_suffix(".commit") {
            if !names.iter().any(|other| *other == *format!("{id}.json")) {
                let _ = disk.remove_file(&file).and_then(|()| disk.sync_dir(&dir));
            }
        } else {
            let read = if shown.ends_with(".json") {
                Journal::read(lock.ground(), &file)
            } else {
                Err("is not one of hefesto's files".to_owned())
            };
            done.push(match read {
                Ok(journal) => end(&disk, root, &journal, register),
                Err(why) => quarantine(&disk, &dir, &shown, &file, why),
            });
        }
    }
    Ok(done)
}

/// How an attempt to end a committed transaction went.
#[derive(Debug)]
pub(super) enum Ended {
    /// Complete, nothing left.
    Forward,
    /// It could not be applied; everything is as before.
    Back(Stop),
    /// Committed and not complete; the next command goes on.
    Pending(String),
}

/// Rolls a committed transaction forward, trying twice; back, if it cannot ever be applied here.
pub(super) fn settle(disk: &Disk<'_>, root: &Path, journal: &Journal, register: &Register<'_>) -> Ended {
    let mut stop = match finish(disk, root, journal, register) {
        Ok(()) => return Ended::Forward,
        Err(stop) => stop,
    };
    if !matches!(stop, Stop::Conflict(_)) {
        stop = match finish(disk, root, journal, register) {
            Ok(()) => return Ended::Forward,
            Err(stop) => stop,
        };
    }
    let hopeless = match &stop {
        Stop::Conflict(_) => true,
        Stop::Io(error) => refused(error) || matches!(error.kind(), ErrorKind::CrossesDevices),
        Stop::Register(_) => false,
    };
    let why = match &stop {
        Stop::Conflict(at) => format!("{at} changed meanwhile"),
        Stop::Io(error) => format!("writing failed{}: {error}", disk.place(root)),
        Stop::Register(error) => chain(error),
    };
    if hopeless && !applied(root, journal) {
        let undone = apply::back(disk, root, journal).and_then(|()| discard(disk, root, journal));
        match undone {
            Ok(()) => return Ended::Back(stop),
            Err(error) => return Ended::Pending(format!("{why}; taking it back failed too ({error})")),
        }
    }
    Ended::Pending(why)
}

/// Forgets a transaction: nothing of it stays.
pub(super) fn discard(disk: &Disk<'_>, root: &Path, journal: &Journal) -> io::Result<()> {
    journal.remove_commit(disk, root)?;
    remove_stages(disk, root, journal)?;
    for dir in journal.made.iter().rev() {
        if root.join(dir).is_dir() {
            disk.remove_if_empty(&root.join(dir))?;
            disk.sync_dir(&root.join(parent(dir)))?;
        }
    }
    journal.remove_intent(disk, root)
}

fn finish(disk: &Disk<'_>, root: &Path, journal: &Journal, register: &Register<'_>) -> Result<(), Stop> {
    apply::forward(disk, root, journal)?;
    if let Some(value) = &journal.registry {
        if disk.dead() {
            return Err(Stop::Io(io::Error::other("the process is gone")));
        }
        register(root, value).map_err(Stop::Register)?;
    }
    // An intent without its commit record would be rolled back, so the record goes last.
    remove_stages(disk, root, journal)?;
    journal.remove_intent(disk, root)?;
    Ok(journal.remove_commit(disk, root)?)
}

/// Whether every step has been carried out, so that only the finishing is left.
fn applied(root: &Path, journal: &Journal) -> bool {
    journal.steps.iter().all(|step| {
        let now = apply::digest(&root.join(&step.real), step.node);
        matches!(now, Ok(now) if now == step.new)
    })
}

fn end(disk: &Disk<'_>, root: &Path, journal: &Journal, register: &Register<'_>) -> Recovered {
    let outcome = if journal.committed(root) {
        match settle(disk, root, journal, register) {
            Ended::Forward => Outcome::RolledForward,
            Ended::Back(_) => Outcome::RolledBack,
            Ended::Pending(why) => Outcome::Unfinished(why),
        }
    } else {
        match discard(disk, root, journal) {
            Ok(()) => Outcome::RolledBack,
            Err(error) => Outcome::Unfinished(error.to_string()),
        }
    };
    Recovered { run: journal.run.clone(), command: journal.command.clone(), outcome, paths: journal.paths() }
}

fn remove_stages(disk: &Disk<'_>, root: &Path, journal: &Journal) -> io::Result<()> {
    for stage in &journal.stages {
        if root.join(stage).symlink_metadata().is_ok() {
            disk.remove_tree(&root.join(stage))?;
        }
    }
    // Synced even if the stage is gone: an earlier attempt may have ended between the two.
    for stage in &journal.stages {
        let above = root.join(parent(stage));
        if above.is_dir() {
            disk.sync_dir(&above)?;
        }
    }
    Ok(())
}

fn quarantine(disk: &Disk<'_>, dir: &Path, name: &str, file: &Path, why: String) -> Recovered {
    let aside = |name: &str| {
        let names = (1_u32..).map(|n| if n == 1 { format!("{name}.bad") } else { format!("{name}.bad-{n}") });
        names.into_iter().find(|name| dir.join(name).symlink_metadata().is_err()).unwrap_or_default()
    };
    let new = aside(name);
    let moved = disk.rename_new(file, &dir.join(&new)).and_then(|()| {
        let record = name.strip_suffix(".json").map(|id| format!("{id}.commit"));
        if let Some(record) = record.filter(|record| dir.join(record).exists()) {
            disk.rename_new(&dir.join(&record), &dir.join(aside(&record)))?;
        }
        disk.sync_dir(dir)
    });
    let outcome = match moved {
        Ok(()) => Outcome::Quarantined { file: format!(".hefesto/txn/{new}"), why },
        Err(error) => Outcome::Unfinished(format!("{why}, and it cannot be put aside ({error})")),
    };
    Recovered { run: name.to_owned(), command: String::new(), outcome, paths: Vec::new() }
}

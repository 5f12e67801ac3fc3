//! Ends one transaction: applied and registered, or taken back.

use std::io;

use crate::error::chain;

use super::Register;
use super::apply::{self, Stop};
use super::cleanup;
use super::disk::Disk;
use super::journal::{Journal, State};
use super::recover::{Outcome, Recovered};

/// How an attempt to end a committed transaction went.
#[derive(Debug)]
pub(super) enum Ended {
    /// Complete; what there is to say about what was left.
    Forward(Vec<Recovered>),
    /// It could not be applied; everything is as before. What there is to say about what was left.
    Back(Stop, Vec<Recovered>),
    /// Everything is as before and the next command has to remove what is left of the attempt; why.
    HalfBack(String),
    /// Committed and not complete; the next command goes on.
    Pending(String),
}

/// Rolls a committed transaction forward, trying twice; back, if it cannot be applied. What has been applied is only
/// registered, unless something is to be registered before it, and what has been registered is only cleared away.
pub(super) fn settle(disk: &Disk<'_>, journal: &Journal, register: &Register<'_>, behind: bool) -> Ended {
    let state = match journal.state(disk) {
        Ok(state) => state,
        Err(error) => return Ended::Pending(error.to_string()),
    };
    if state < State::Applied
        && let Err(stop) = apply(disk, journal)
    {
        return take_back(disk, journal, stop);
    }
    if state < State::Registered {
        let entered = match behind {
            true => Err("what an earlier command did is to be registered first".to_owned()),
            false => enter(disk, journal, register),
        };
        if let Err(why) = entered {
            // That it was applied; otherwise the registry's own sync says so.
            let _ = journal.sync(disk);
            return Ended::Pending(why);
        }
    }
    match tidy(disk, journal) {
        Ok(left) => Ended::Forward(left),
        Err(error) => untidy(disk, journal, &error),
    }
}

fn apply(disk: &Disk<'_>, journal: &Journal) -> Result<(), Stop> {
    match apply::forward(disk, journal) {
        Err(Stop::Io(_)) => apply::forward(disk, journal)?,
        other => other?,
    }
    Ok(twice(|| journal.mark_applied(disk))?)
}

fn enter(disk: &Disk<'_>, journal: &Journal, register: &Register<'_>) -> Result<(), String> {
    if let Some(value) = &journal.registry {
        if disk.faults.dead() {
            return Err("the process is gone".to_owned());
        }
        register(disk.root(), value).or_else(|_| register(disk.root(), value)).map_err(|error| chain(&error))?;
    }
    twice(|| journal.mark_registered(disk)).map_err(|error| format!("writing failed{}: {error}", disk.place()))
}

fn take_back(disk: &Disk<'_>, journal: &Journal, stop: Stop) -> Ended {
    let why = match &stop {
        Stop::Conflict(what) => what.clone(),
        Stop::Io(error) => format!("it failed{}: {error}", disk.place()),
    };
    if !matches!(journal.state(disk), Ok(State::Committed)) {
        return Ended::Pending(why);
    }
    let undone = apply::back(disk, journal).and_then(|()| cleanup::keep_edits(disk, journal));
    let mut left = match undone {
        Ok(kept) => kept,
        Err(error) => return Ended::Pending(format!("{why}; taking it back failed too ({error})")),
    };
    match discard(disk, journal) {
        Ok(more) => {
            left.extend(more);
            Ended::Back(stop, left)
        }
        Err(error) if matches!(journal.state(disk), Ok(State::Begun)) => Ended::HalfBack(error.to_string()),
        Err(error) => Ended::Pending(format!("{why}; taking it back failed too ({error})")),
    }
}

/// Forgets a transaction of which nothing is in place: nothing of it stays.
pub(super) fn discard(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
    journal.remove_commit(disk)?;
    let left = cleanup::clear(disk, journal)?;
    for dir in journal.made.iter().rev() {
        let dir = disk.at(dir)?;
        if disk.is_dir(&dir)? {
            disk.remove_if_empty(&dir)?;
            disk.sync_parent(&dir)?;
        }
    }
    journal.remove(disk)?;
    journal.sync(disk)?;
    Ok(left)
}

/// Clears away what is left of a registered transaction.
fn tidy(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
    let mut left = twice(|| cleanup::keep_edits(disk, journal))?;
    twice(|| journal.mark_left(disk))?;
    // A directory that has been removed in part would look like an edit.
    if journal.steps.iter().any(|step| step.was.is_some()) {
        twice(|| journal.sync(disk))?;
    }
    left.extend(remove(disk, journal)?);
    Ok(left)
}

/// Removes what is left. Its journal is marked as left: if that comes back after a loss of power, nothing is said of it.
pub(super) fn remove(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
    let left = twice(|| cleanup::clear(disk, journal))?;
    twice(|| journal.remove(disk))?;
    Ok(left)
}

/// Leaves what cannot even be moved into the trash to every later command, which says nothing more about it.
fn untidy(disk: &Disk<'_>, journal: &Journal, error: &io::Error) -> Ended {
    let why = cleanup::why(disk, error);
    match journal.mark_left(disk).and_then(|()| journal.sync(disk)) {
        Ok(()) => {
            let files = journal.stages.iter().map(|file| Outcome::Left { file: file.clone(), why: why.clone() });
            Ended::Forward(files.map(|outcome| journal.ended(outcome)).collect())
        }
        Err(_) => Ended::Pending(why),
    }
}

fn twice<T>(act: impl Fn() -> io::Result<T>) -> io::Result<T> {
    act().or_else(|_| act())
}

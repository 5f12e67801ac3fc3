//! Ends one transaction: applied and registered, or taken back. What is left of it then is removed or put into the trash,
//! and somebody's edits are kept.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};

use super::apply::{self, Move, exists, sync_names};
use super::{
    Disk, Group, HOME, JOURNALS, Journal, Node, Outcome, Recovered, Register, State, Step, Stop, numbered, parent,
    scan, stage,
};
use crate::error::chain;
use crate::system::rooted::Held;

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
    Ok(twice(|| journal.turn(disk, "commit", "applied"))?)
}

fn enter(disk: &Disk<'_>, journal: &Journal, register: &Register<'_>) -> Result<(), String> {
    if let Some(value) = &journal.registry {
        if disk.faults.dead() {
            return Err("the process is gone".to_owned());
        }
        register(disk.root(), value).or_else(|_| register(disk.root(), value)).map_err(|error| chain(&error))?;
    }
    twice(|| journal.turn(disk, "json", "done")).map_err(|error| format!("writing failed{}: {error}", disk.place()))
}

fn take_back(disk: &Disk<'_>, journal: &Journal, stop: Stop) -> Ended {
    let why = match &stop {
        Stop::Conflict(what) => what.clone(),
        Stop::Io(error) => format!("it failed{}: {error}", disk.place()),
    };
    if !matches!(journal.state(disk), Ok(State::Committed)) {
        return Ended::Pending(why);
    }
    let undone = apply::back(disk, journal).and_then(|()| keep_edits(disk, journal));
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
    let left = clear(disk, journal)?;
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
    let mut left = twice(|| keep_edits(disk, journal))?;
    twice(|| journal.turn(disk, "done", "left"))?;
    // A directory that has been removed in part would look like an edit.
    if journal.steps.iter().any(|step| step.was.is_some()) {
        twice(|| journal.sync(disk))?;
    }
    left.extend(remove(disk, journal)?);
    Ok(left)
}

/// Removes what is left. Its journal is marked as left: if that comes back after a loss of power, nothing is said of it.
pub(super) fn remove(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
    let left = twice(|| clear(disk, journal))?;
    twice(|| journal.remove(disk))?;
    Ok(left)
}

/// Leaves what cannot even be moved into the trash to every later command, which says nothing more about it.
fn untidy(disk: &Disk<'_>, journal: &Journal, error: &io::Error) -> Ended {
    let why = why_at(disk, error);
    match journal.turn(disk, "done", "left").and_then(|()| journal.sync(disk)) {
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

/// Where stages lie that cannot be removed, below [`HOME`].
const TRASH: &str = "trash";

/// Puts what somebody saved at the last moment, and is in no backup, beside the backups.
fn keep_edits(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
    let mut kept = Vec::new();
    for step in &journal.steps {
        for path in Move::of(disk, step)?.edited()? {
            let file = keep(disk, journal, step, &path)?;
            kept.push(Recovered { paths: vec![step.at.clone()], ..journal.ended(Outcome::Kept { file }) });
        }
    }
    Ok(kept)
}

/// Removes the stages. One that cannot be removed is moved into the trash, where it is in nobody's way.
fn clear(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
    let mut left = Vec::new();
    for stage in &journal.stages {
        let path = disk.at(stage)?;
        if let Err(error) = twice(|| disk.remove_tree(&path)) {
            let why = why_at(disk, &error);
            let file = trash(disk, &journal.id, &path)?;
            left.push(journal.ended(Outcome::Left { file, why }));
        }
    }
    // Synced even if the stage is gone: an earlier attempt may have ended between the two. What the journal notes is
    // durable before its files are removed.
    let above: BTreeSet<&str> = journal.stages.iter().map(|stage| parent(stage)).chain([JOURNALS]).collect();
    sync_names(disk, above)?;
    Ok(left)
}

/// A failure with the place where it was, as far as that is known.
fn why_at(disk: &Disk<'_>, error: &io::Error) -> String {
    match disk.place().trim_start() {
        "" => error.to_string(),
        place => format!("{place}: {error}"),
    }
}

/// Tries again to remove what is in the trash.
pub(super) fn empty_trash(disk: &Disk<'_>) -> io::Result<()> {
    let dir = disk.at(HOME)?.join(TRASH);
    let names = disk.names(&dir)?;
    let removed: Vec<_> = names.iter().map(|name| disk.remove_tree(&dir.join(name))).collect();
    removed.into_iter().collect::<io::Result<()>>()?;
    disk.remove_if_empty(&dir)
}

pub(super) fn has_trash(disk: &Disk<'_>) -> bool {
    matches!(disk.at(HOME).and_then(|home| disk.stat(&home.join(TRASH))), Ok(Some(_)))
}

fn trash(disk: &Disk<'_>, id: &str, stage: &Held) -> io::Result<String> {
    let dir = directory(disk, TRASH)?;
    let name = free(id, &|name| disk.rename_new(stage, &dir.join(name)))?;
    disk.sync_dir(&dir)?;
    Ok(format!("{HOME}/{TRASH}/{name}"))
}

fn keep(disk: &Disk<'_>, journal: &Journal, step: &Step, path: &Held) -> io::Result<String> {
    let dir = directory(disk, "backups")?;
    let stamp: String = journal.now.chars().take(19).map(|c| if c == ':' { '-' } else { c }).collect();
    let base = format!("{}-{stamp}-edited", step.at.rsplit('/').next().unwrap_or_default());
    let name = match free(&base, &|name| disk.rename_new(path, &dir.join(name))) {
        Err(error) if error.kind() == ErrorKind::CrossesDevices => {
            let name = free(&base, &|name| copy(disk, step.node, path, &dir.join(name)))?;
            disk.sync_dir(&dir)?;
            disk.remove_tree(path)?;
            name
        }
        other => other?,
    };
    disk.sync_dir(&dir)?;
    Ok(format!("{HOME}/backups/{name}"))
}

fn copy(disk: &Disk<'_>, node: Node, from: &Held, to: &Held) -> io::Result<()> {
    match node {
        Node::File => disk.write_new(to, &disk.bytes(from, scan::MAX_BYTES)?, 0o600),
        Node::Tree => {
            let tree = scan::read(disk, from, "it").map_err(io::Error::other)?;
            let mut group = Group::at(disk, to.above().unwrap_or(to))?;
            stage::write_tree(&mut group, disk, to, &tree.ok_or(ErrorKind::NotFound)?)?;
            group.sync()
        }
    }
}

/// One of hefesto's own directories, made if it is missing and never a link.
fn directory(disk: &Disk<'_>, name: &str) -> io::Result<Held> {
    let dir = disk.at(HOME)?.join(name);
    match disk.stat(&dir)? {
        Some(meta) if meta.is_dir() => {}
        Some(_) => return Err(io::Error::new(ErrorKind::NotADirectory, format!("{HOME}/{name} is in the way"))),
        None => {
            disk.make_dir(&dir, 0o700)?;
            disk.sync_parent(&dir)?;
        }
    }
    Ok(dir)
}

/// The first name, with a number where it is taken, under which `act` succeeds.
fn free(base: &str, act: &dyn Fn(&str) -> io::Result<()>) -> io::Result<String> {
    for name in numbered(base).take(999) {
        match act(&name) {
            Err(error) if exists(&error) => {}
            other => return other.map(|()| name),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

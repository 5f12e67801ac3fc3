//! What is left of a transaction that has ended: somebody's edits are kept, the rest is removed or put into the trash.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};

use crate::system::rooted::Held;

use super::apply::{Move, sync_names};
use super::disk::Disk;
use super::group::Group;
use super::journal::{JOURNALS, Journal, Node, Step, parent};
use super::lock::HOME;
use super::recover::{Outcome, Recovered};
use super::{scan, stage};

/// Where stages lie that cannot be removed, below [`HOME`].
const TRASH: &str = "trash";

/// Puts what somebody saved at the last moment, and is in no backup, beside the backups.
pub(super) fn keep_edits(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
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
pub(super) fn clear(disk: &Disk<'_>, journal: &Journal) -> io::Result<Vec<Recovered>> {
    let mut left = Vec::new();
    for stage in &journal.stages {
        let path = disk.at(stage)?;
        let removed = disk.remove_tree(&path).or_else(|_| disk.remove_tree(&path));
        if let Err(error) = removed {
            let why = why(disk, &error);
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
pub(super) fn why(disk: &Disk<'_>, error: &io::Error) -> String {
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

/// Whether there is anything in the trash.
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
    for number in 1_u32..1000 {
        let name = if number == 1 { base.to_owned() } else { format!("{base}-{number}") };
        match act(&name) {
            Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty) => {}
            other => return other.map(|()| name),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

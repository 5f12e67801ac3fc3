//! Writes one file whole or not at all, outside any transaction.

use std::io;

use super::plan::{directory_mode, mode_of, unwritable};
use super::{Disk, Faults, Group, HOME, Lock, Place, failure, journal, path};
use crate::error::Result;
use crate::system::rooted::{Held, Root};

/// Puts a file's whole content in its place durably: after a crash it has the old content or the new one.
///
/// Meant for a file of which the present content has been read under the same lock, such as MEMORY.md while it is
/// registered. Missing directories on the way are made. A file that exists keeps its mode; a new one gets 0644, or
/// 0600 below `.hefesto`.
/// Errors: `E-CREATE-006` when it cannot be written there; `ERR-006` or `E-TXN-003` when writing fails.
pub fn save(lock: &Lock, at: &str, bytes: &[u8]) -> Result<()> {
    let faults = Faults::none();
    let disk = Disk::of(lock.roots(), &faults);
    let place = path::place_beside(lock.roots(), at, &[]).map_err(|why| unwritable(&why))?;
    write(&disk, &place, bytes).map_err(|error| failure(error, &format!("{at} could not be written")))
}

/// Removes these directories where they are empty, innermost first. That is tidiness: what cannot be removed stays.
pub fn prune(lock: &Lock, dirs: &[String]) {
    let faults = Faults::none();
    let disk = Disk::of(lock.roots(), &faults);
    for (base, below) in dirs.iter().rev().filter_map(|dir| lock.roots().opened_base(dir).ok()) {
        let itself = base.path().parent().zip(base.path().file_name()).filter(|_| below.is_empty());
        let held = match itself {
            Some((above, name)) => Root::open(above).map(|above| above.held(name)),
            None => Ok(base.held(below)),
        };
        let _ = held.and_then(|held| disk.remove_if_empty(&held));
    }
}

fn write(disk: &Disk<'_>, place: &Place, bytes: &[u8]) -> io::Result<()> {
    for dir in std::iter::once(journal::JOURNALS.to_owned()).chain(place.missing()) {
        disk.ensure_dir(&disk.at(&dir)?, directory_mode(&dir))?;
    }
    let name = place.real.rsplit('/').next().unwrap_or(HOME);
    let (file, parent) = (place.last(), place.parent());
    // Temporary files are kept where recovery sweeps them, unless a rename cannot lead from there.
    let txn = journal::directory(disk)?;
    let dir = if path::same_mount(&txn, &parent) { txn } else { parent };
    let mode = mode_of(disk, &file, &place.real)?;
    let temporary = dir.join(format!("{name}.tmp"));
    disk.remove_file(&temporary)?;
    let written = replace(disk, &temporary, &file, bytes, mode);
    if written.is_err() {
        // Beside the file nothing would remove it later.
        let _ = disk.remove_file(&temporary);
    }
    written
}

fn replace(disk: &Disk<'_>, temporary: &Held, file: &Held, bytes: &[u8], mode: u32) -> io::Result<()> {
    // What the transaction has noted in its directory is durable before the registry changes.
    let mut group = Group::at(disk, temporary.above().unwrap_or(temporary))?;
    group.write_new(temporary, bytes, mode)?;
    group.names_in(journal::directory(disk)?);
    group.sync()?;
    disk.rename(temporary, file)?;
    disk.sync_parent(file)
}

//! Writes one file whole or not at all, outside any transaction.

use std::path::Path;

use crate::error::Result;

use super::disk::Disk;
use super::failure;
use super::faults::Faults;
use super::journal;
use super::lock::{HOME, Lock};
use super::mount;
use super::path::{self, Place};
use super::plan::{directory_mode, mode_of, unwritable};

/// Puts a file's whole content in its place durably: after a crash it has the old content or the new one.
///
/// Meant for a file of which the present content has been read under the same lock, such as MEMORY.md while it is
/// registered. Missing directories on the way are made. A file that exists keeps its mode; a new one gets 0644, or
/// 0600 below `.hefesto`.
///
/// # Errors
/// `E-CREATE-006` when it cannot be written there; `ERR-006` or `E-TXN-003` when writing fails.
pub fn save(lock: &Lock, at: &str, bytes: &[u8]) -> Result<()> {
    let faults = Faults::none();
    let disk = Disk::with(&faults);
    let root = lock.root();
    let place = path::place_beside(lock.ground(), at, &[]).map_err(|why| unwritable(&why))?;
    write(&disk, root, &place, bytes).map_err(|error| failure(error, &format!("{at} could not be written")))
}

/// Removes these directories where they are empty, innermost first. That is tidiness: what cannot be removed stays.
pub fn prune(lock: &Lock, dirs: &[String]) {
    let faults = Faults::none();
    let disk = Disk::with(&faults);
    let places = dirs.iter().rev().map(|dir| lock.ground().split(dir));
    for (base, below) in places.filter(|(base, below)| path::plain(&disk, base, below).unwrap_or(false)) {
        let _ = disk.remove_if_empty(&base.join(below));
    }
}

fn write(disk: &Disk<'_>, root: &Path, place: &Place, bytes: &[u8]) -> std::io::Result<()> {
    let txn = journal::directory(root);
    let own = txn.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
    for dir in own.into_iter().chain(place.missing()) {
        let path = root.join(&dir);
        if !disk.is_dir(&path)? {
            disk.make_dir(&path, directory_mode(&dir))?;
            disk.sync_dir(&root.join(journal::parent(&dir)))?;
        }
    }
    let name = place.real.rsplit('/').next().unwrap_or(HOME);
    let parent = place.parent();
    // Temporary files are kept where recovery sweeps them, unless a rename cannot lead from there.
    let dir = if mount::same(&txn, &parent) { txn } else { parent };
    let mode = mode_of(disk, root, &place.real)?;
    disk.replace_file(&dir.join(format!("{name}.tmp")), &place.last(), bytes, mode)
}

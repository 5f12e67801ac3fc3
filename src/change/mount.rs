//! Where one file system ends and another begins.

use std::path::Path;

use rustix::fs::{CWD, renameat};
use rustix::io::Errno;

use crate::error::{Code, Coded, Error, Result};

use super::disk::Disk;

/// Whether names can be moved between two directories: the same file system, mounted once.
pub(super) fn same(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let devices = (one.metadata().map(|meta| meta.dev()), other.metadata().map(|meta| meta.dev()));
    if !matches!(devices, (Ok(a), Ok(b)) if a == b) {
        return false;
    }
    // The mounts are compared before the name is looked up, so asking with a name that is not there tells them apart.
    let name = ".hefesto-not-there";
    !matches!(
        renameat(CWD, one.join(name), CWD, other.join(name)),
        Err(error) if error == Errno::XDEV
    )
}

/// Makes sure that no other file system is mounted at a directory or in it: its files are not this project's to move,
/// and a mount point cannot be renamed.
pub(super) fn none_in(disk: &Disk<'_>, dir: &Path, at: &str) -> Result<()> {
    let above = dir.parent().unwrap_or(dir);
    if !same(above, dir) {
        let message = format!("{at}: is a mount point, which can be neither replaced nor removed");
        return Err(Error::new(Code::CreateUnwritable, message).suggest("Unmount it, or use another directory."));
    }
    let unread = || format!("cannot read {at}");
    for name in disk.names(dir).coded_with(Code::CreateUnwritable, unread)? {
        let inside = dir.join(&name);
        if disk.is_dir(&inside).coded_with(Code::CreateUnwritable, unread)? {
            none_in(disk, &inside, &format!("{at}/{}", name.to_string_lossy()))?;
        }
    }
    Ok(())
}

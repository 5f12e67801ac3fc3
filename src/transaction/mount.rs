//! Where one file system ends and another begins.

use std::io;

use rustix::fs::renameat;
use rustix::io::Errno;

use crate::error::{Code, Coded, Error, Result};
use crate::system::rooted::{self, Held};

use super::disk::Disk;

/// Whether names can be moved between two directories: the same file system, mounted once.
pub(super) fn same(one: &Held, other: &Held) -> bool {
    let apart = || -> io::Result<bool> {
        let (one, other) = (one.open_dir()?, other.open_dir()?);
        let device = |dir: &rooted::Dir| dir.dir_metadata().map(|meta| rooted::identity(&meta).0);
        // The mounts are compared before the name is looked up, so asking with a name that is not there tells them apart.
        let name = ".hefesto-not-there";
        Ok(device(&one)? != device(&other)? || renameat(&one, name, &other, name) == Err(Errno::XDEV))
    };
    apart().is_ok_and(|apart| !apart)
}

/// Makes sure that no other file system is mounted at a directory or in it: its files are not this project's to move,
/// and a mount point cannot be renamed.
pub(super) fn none_in(disk: &Disk<'_>, dir: &Held, at: &str) -> Result<()> {
    if dir.above().is_some_and(|above| !same(above, dir)) {
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

//! Where one file system ends and another begins.

use crate::error::{Code, Coded, Error, Result};
use crate::system::os::files;
use crate::system::rooted::Held;

use super::disk::Disk;

/// Whether names can be moved between two directories: the same file system, mounted once.
pub(super) fn same(one: &Held, other: &Held) -> bool {
    matches!((one.dir(), other.dir()), (Ok(one), Ok(other)) if files::mounted_apart(one, other).is_ok_and(|apart| !apart))
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

//! Files by the handle of their directory; no link is followed. Who may read or change something is left to the
//! permissions that a new file takes over from its directory.

#![expect(clippy::disallowed_methods, reason = "what every other access is made of")]

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::windows::fs::MetadataExt as _;
use std::path::{Component, Path, Prefix};
use std::time::Duration;
use std::{io, thread};

use cap_fs_ext::{FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt};
use cap_std::fs::{Dir, DirBuilder, Metadata, OpenOptions};

/// An error of the operating system, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(i32);

impl Errno {
    pub const ACCESS: Self = Self(5);
    pub const DQUOT: Self = Self(1295);
    pub const EXIST: Self = Self(183);
    pub const INTR: Self = Self(10004);
    pub const IO: Self = Self(1117);
    pub const MFILE: Self = Self(4);
    pub const NOSPC: Self = Self(112);
    pub const ROFS: Self = Self(19);
    pub const XDEV: Self = Self(17);
}

impl From<Errno> for io::Error {
    fn from(errno: Errno) -> Self {
        Self::from_raw_os_error(errno.0)
    }
}

/// What is answered while an editor, a scanner or an indexer has something open: access is denied, or sharing it.
const HELD: [i32; 2] = [5, 32];

/// How often it is tried again, and how long it is waited before: two seconds in all.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Does something that fails while another program has the file open, and says so when that does not end.
fn patiently<T>(act: impl Fn() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..TRIES {
        match act() {
            Err(error) if error.raw_os_error().is_some_and(|number| HELD.contains(&number)) => thread::sleep(PAUSE),
            other => return other,
        }
    }
    act()
}

pub type Named<'d> = (&'d Dir, &'d OsStr);

pub fn open((dir, name): Named<'_>) -> io::Result<File> {
    Ok(dir.open_with(name, OpenOptions::new().read(true).follow(FollowSymlinks::No))?.into_std())
}

pub fn open_new((dir, name): Named<'_>, _: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    Ok(dir.open_with(name, options.write(true).create_new(true).follow(FollowSymlinks::No))?.into_std())
}

pub fn make_dir((dir, name): Named<'_>, _: u32) -> io::Result<()> {
    dir.create_dir(name)
}

/// What the mode of a file would be: whether it may be written is all that Windows knows.
pub fn mode(meta: &Metadata) -> u32 {
    match (meta.is_dir(), meta.permissions().readonly()) {
        (true, _) => 0o755,
        (false, true) => 0o444,
        (false, false) => 0o644,
    }
}

pub fn set_mode(_: Named<'_>, _: u32) -> io::Result<()> {
    Ok(())
}

pub fn set_file_mode(_: &File, _: u32) -> io::Result<()> {
    Ok(())
}

pub fn with_mode(options: &mut OpenOptions, _: u32) -> &mut OpenOptions {
    options
}

pub fn dirs_with_mode(_: u32) -> DirBuilder {
    DirBuilder::new()
}

/// Makes a file; it must not exist. What is below the home directory is for this user alone.
pub fn make_private(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)
}

pub fn make_temporary(above: &Path, prefix: &str) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(above)
}

/// There is no such bit: a script says itself what runs it.
pub fn is_executable(_: &fs::Metadata) -> bool {
    false
}

pub fn rename(from: Named<'_>, to: Named<'_>) -> io::Result<()> {
    patiently(|| from.0.rename(from.1, to.0, to.1))
}

/// Renames, refusing to replace anything, as far as looking before can do that.
pub fn rename_new(from: Named<'_>, to: Named<'_>) -> io::Result<()> {
    match to.0.symlink_metadata(to.1) {
        Ok(_) => Err(Errno::EXIST.into()),
        Err(_) => rename(from, to),
    }
}

/// `false`: Windows cannot exchange two names in one step.
pub fn exchange(_: Named<'_>, _: Named<'_>) -> io::Result<bool> {
    Ok(false)
}

/// Removes a file or a link, also one that is only to be read.
pub fn remove_file((dir, name): Named<'_>) -> io::Result<()> {
    patiently(|| {
        let meta = dir.symlink_metadata(name)?;
        let mut permissions = meta.permissions();
        if permissions.readonly() && meta.is_file() {
            permissions.set_readonly(false);
            dir.set_permissions(name, permissions)?;
        }
        dir.remove_file(name)
    })
}

pub fn remove_dir((dir, name): Named<'_>) -> io::Result<()> {
    patiently(|| dir.remove_dir(name))
}

/// Whether another volume begins between two directories.
pub fn mounted_apart(one: &Dir, other: &Dir) -> io::Result<bool> {
    let volume = |dir: &Dir| dir.dir_metadata().map(|meta| meta.dev());
    Ok(volume(one)? != volume(other)?)
}

/// Whether names may be changed is known when it is tried: it depends on more than can be asked.
pub fn may_change(_: &Dir) -> io::Result<()> {
    Ok(())
}

/// Flushes a file to the disk.
/// Errors: what the operating system says; nothing is known of the durability then.
pub fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        // A directory, or a file that was opened for reading.
        Err(error) if error.raw_os_error() == Some(5) => Ok(()),
        other => other,
    }
}

/// NTFS writes down changes of names by itself; there is no call that waits for it.
pub fn sync_names(_: Named<'_>) -> io::Result<()> {
    Ok(())
}

/// Whether a directory, of which this is the path without links, is on a share of another machine.
pub fn is_remote(_: &Dir, real: &Path) -> bool {
    match real.components().next() {
        Some(Component::Prefix(prefix)) => matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..)),
        _ => false,
    }
}

/// Errors: always `Unsupported`; a file has its name from the beginning.
pub fn make_whole(_: &Dir, _: &OsStr, _: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// By what the file system tells a file from what stood there before: length, and when it was made and last changed.
pub type Stamp = (u64, u64, u64);

pub fn stamp(meta: &fs::Metadata) -> Stamp {
    (meta.file_size(), meta.creation_time(), meta.last_write_time())
}

/// The user, the group and the time of the last change, as an archive keeps them; users have no numbers.
pub fn owned(meta: &Metadata) -> (u64, u64, u64) {
    let changed = meta.modified().ok().and_then(|at| at.into_std().duration_since(std::time::UNIX_EPOCH).ok());
    (0, 0, changed.map_or(0, |since| since.as_secs()))
}

/// Everybody is this one: whose something is, is not looked at.
pub fn user() -> u32 {
    0
}

pub fn owner(_: &fs::Metadata) -> u32 {
    0
}

pub fn is_shared(_: &fs::Metadata) -> bool {
    false
}

/// Whether opening a directory failed because it is none, or a link.
pub fn is_no_directory(error: &io::Error) -> bool {
    const STOPPED_ON_SYMLINK: i32 = 681;
    error.kind() == io::ErrorKind::NotADirectory || error.raw_os_error() == Some(STOPPED_ON_SYMLINK)
}

/// There is none that is flushed as a whole.
#[derive(Debug)]
pub enum FileSystem {}

impl FileSystem {
    pub fn of(_: &Dir) -> io::Result<Option<Self>> {
        Ok(None)
    }

    pub fn holds(&self, _: &Metadata) -> bool {
        match *self {}
    }

    pub fn sync(&self) -> io::Result<bool> {
        match *self {}
    }
}

pub fn sync_together(all: &[&File]) -> io::Result<()> {
    all.iter().try_for_each(|file| sync(file))
}

//! Files by the handle of their directory; no link is followed.

#![expect(clippy::disallowed_methods, reason = "what every other access is made of")]

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use cap_std::fs::{
    Dir, DirBuilder, DirBuilderExt, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _, PermissionsExt as _,
};
use rustix::fs::{Access, AtFlags, Mode, OFlags, RawMode, RenameFlags};
use rustix::fs::{accessat, mkdirat, openat, renameat, renameat_with, unlinkat};
pub use rustix::io::Errno;
use tempfile::TempDir;

pub(super) const READ: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// Opens what has this name for reading; a pipe is not waited for.
pub fn open(dir: &Dir, name: &OsStr) -> io::Result<File> {
    Ok(openat(dir, name, READ | OFlags::NONBLOCK, Mode::empty())?.into())
}

/// Makes a file for writing; it must not exist.
pub fn open_new(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<File> {
    let flags = READ | OFlags::NONBLOCK | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    Ok(openat(dir, name, flags, Mode::from_raw_mode(mode as RawMode))?.into())
}

/// Makes a directory; nothing may have its name.
pub fn make_dir(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
    Ok(mkdirat(dir, name, Mode::from_raw_mode(mode as RawMode))?)
}

/// The permissions and special bits of a file.
pub fn mode(meta: &Metadata) -> u32 {
    meta.permissions().mode()
}

/// Sets the mode of a directory. A link that took its place leads no further than the directory it is in.
pub fn set_mode(dir: &Dir, name: &OsStr, mode: u32) -> io::Result<()> {
    // What was just made has it already, unless the umask says otherwise: to look is one call, to set it are many.
    let meta = dir.symlink_metadata(name)?;
    if meta.is_dir() && self::mode(&meta) & 0o7777 == mode {
        return Ok(());
    }
    dir.set_permissions(name, cap_std::fs::Permissions::from_mode(mode))
}

pub fn set_file_mode(file: &File, mode: u32) -> io::Result<()> {
    file.set_permissions(Permissions::from_mode(mode))
}

/// A file that is made gets this mode.
pub fn with_mode(options: &mut OpenOptions, mode: u32) -> &mut OpenOptions {
    options.mode(mode)
}

/// Directories that are made get this mode.
pub fn dirs_with_mode(mode: u32) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.mode(mode);
    builder
}

/// Makes a file that only this user can read; it must not exist.
pub fn make_private(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Makes a directory that only this user can read, and that is removed when it is dropped.
pub fn make_temporary(above: &Path, prefix: &str) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(Permissions::from_mode(0o700)).tempdir_in(above)
}

/// Whether its owner may run an open file.
pub fn is_executable(meta: &fs::Metadata) -> bool {
    meta.mode() & 0o100 != 0
}

/// Gives something another name, in place of what has it.
pub fn rename(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    Ok(renameat(from.0, from.1, to.0, to.1)?)
}

/// Renames, refusing to replace anything. A file system that cannot refuse is asked before.
pub fn rename_new(from: (&Dir, &OsStr), to: (&Dir, &OsStr)) -> io::Result<()> {
    match renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        Err(error) if unsupported(error) => match to.0.symlink_metadata(to.1) {
            Ok(_) => Err(Errno::EXIST.into()),
            Err(_) => rename(from, to),
        },
        other => Ok(other?),
    }
}

/// Exchanges two names in one step. `false`: this file system cannot, nothing happened.
pub fn exchange(one: (&Dir, &OsStr), other: (&Dir, &OsStr)) -> io::Result<bool> {
    match renameat_with(one.0, one.1, other.0, other.1, RenameFlags::EXCHANGE) {
        Err(error) if unsupported(error) => Ok(false),
        done => Ok(done.map(|()| true)?),
    }
}

/// What a file system answers that does not know a call: exFAT and SMB on macOS give another number than others.
fn unsupported(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&error)
}

pub fn remove_file(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(unlinkat(dir, name, AtFlags::empty())?)
}

pub fn remove_dir(dir: &Dir, name: &OsStr) -> io::Result<()> {
    Ok(unlinkat(dir, name, AtFlags::REMOVEDIR)?)
}

/// Whether another file system, or another mount of the same, begins between two directories.
pub fn mounted_apart(one: &Dir, other: &Dir) -> io::Result<bool> {
    let device = |dir: &Dir| dir.dir_metadata().map(|meta| meta.dev());
    // The mounts are compared before the name is looked up, so asking with a name that is not there tells them apart.
    let name = ".hefesto-not-there";
    Ok(device(one)? != device(other)? || renameat(one, name, other, name) == Err(Errno::XDEV))
}

/// Makes sure that this process may add and remove names in a directory.
pub fn may_change(dir: &Dir) -> io::Result<()> {
    Ok(accessat(dir, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)?)
}

/// Flushes a file to the disk. On macOS the drive's own cache is flushed too; a file system that does not know that call
/// (SMB, exFAT) is asked for what it can do.
/// Errors: what the operating system says; nothing is known of the durability then.
pub fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    #[cfg(target_vendor = "apple")]
    if let Err(error) = &synced {
        let refused = [Errno::NOTSUP, Errno::OPNOTSUPP, Errno::INVAL, Errno::NOTTY, Errno::NOSYS];
        if refused.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) {
            return Ok(rustix::fs::fsync(file)?);
        }
    }
    synced
}

/// Makes the names in a directory durable.
pub fn sync_names(dir: &Dir, name: &OsStr) -> io::Result<()> {
    sync(&openat(dir, name, READ | OFlags::DIRECTORY | OFlags::NONBLOCK, Mode::empty())?.into())
}

/// Whether other machines may write the files of the file system a directory is on.
pub fn is_remote(dir: &Dir, _: &Path) -> bool {
    rustix::fs::fstatfs(dir).is_ok_and(|found| remote(&found))
}

/// What `statfs` says of file systems whose files other machines may write: NFS, SMB, CIFS, SMB2, AFS, 9P, Ceph, Coda.
#[cfg(target_os = "linux")]
fn remote(found: &rustix::fs::StatFs) -> bool {
    is_remote_kind(found.f_type as u64)
}

#[cfg(target_os = "linux")]
fn is_remote_kind(kind: u64) -> bool {
    const REMOTE: [u32; 8] =
        [0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x0102_1997, 0x00C3_6400, 0x7375_7245];
    REMOTE.iter().any(|known| u64::from(*known) == kind & 0xFFFF_FFFF)
}

/// On macOS and the BSDs a mount says itself whether it is local.
#[cfg(not(target_os = "linux"))]
fn remote(found: &rustix::fs::StatFs) -> bool {
    const MNT_LOCAL: u64 = 0x1000;
    found.f_flags as u64 & MNT_LOCAL == 0
}

/// Makes a file (0600) that has its name only when it is whole and on the disk; nothing may have the name.
/// Errors: `Unsupported` where a file cannot be without a name; what the operating system says.
#[cfg(target_os = "linux")]
pub fn make_whole(dir: &Dir, name: &OsStr, fill: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(openat(dir, ".", flags, Mode::RUSR | Mode::WUSR)?);
    fill(&file)?;
    rustix::fs::fdatasync(&file)?;
    let nameless = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::linkat(rustix::fs::CWD, nameless.as_str(), dir, name, AtFlags::SYMLINK_FOLLOW)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
pub fn make_whole(_: &Dir, _: &OsStr, _: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// By what the file system tells a file from what stood there before: device, number, length, and when its content and
/// its entry changed.
pub type Stamp = (u64, u64, u64, (i64, i64), (i64, i64));

pub fn stamp(meta: &fs::Metadata) -> Stamp {
    (meta.dev(), meta.ino(), meta.len(), (meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()))
}

/// The user, the group and the time of the last change, as an archive keeps them.
pub fn owned(meta: &Metadata) -> (u64, u64, u64) {
    (u64::from(meta.uid()), u64::from(meta.gid()), u64::try_from(meta.mtime()).unwrap_or(0))
}

/// The user this process acts for.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The user something belongs to.
pub fn owner(meta: &fs::Metadata) -> u32 {
    meta.uid()
}

/// Whether every user can change it.
pub fn is_shared(meta: &fs::Metadata) -> bool {
    meta.mode() & 0o002 != 0
}

/// Whether opening a directory failed because it is none, or a link.
pub fn is_no_directory(error: &io::Error) -> bool {
    [Some(Errno::NOTDIR), Some(Errno::LOOP)].contains(&Errno::from_io_error(error))
}

/// Makes a pipe for a test. macOS has no call for it that takes a directory.
#[cfg(test)]
pub(crate) fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn file_systems_of_other_machines_are_known() {
        assert!([0x6969, 0xFF53_4D42, 0x0102_1997, 0xFFFF_FFFF_FF53_4D42].into_iter().all(super::is_remote_kind));
        assert!([0xEF53, 0x0102_1994, 0x9123_683E].into_iter().all(|kind| !super::is_remote_kind(kind)));
    }
}

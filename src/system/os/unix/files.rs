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
use rustix::fs::{
    Access, AtFlags, Mode, OFlags, RawMode, RenameFlags, accessat, mkdirat, openat, renameat, renameat_with, unlinkat,
};
pub use rustix::io::Errno;

pub(super) const READ: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC);

/// A name in the directory it is in.
pub type Named<'d> = (&'d Dir, &'d OsStr);

/// Opens what has this name for reading; a pipe is not waited for.
pub fn open((dir, name): Named<'_>) -> io::Result<File> {
    Ok(openat(dir, name, READ | OFlags::NONBLOCK, Mode::empty())?.into())
}

/// Makes a file for writing; it must not exist.
pub fn open_new((dir, name): Named<'_>, mode: u32) -> io::Result<File> {
    let flags = READ | OFlags::NONBLOCK | OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    Ok(openat(dir, name, flags, Mode::from_raw_mode(mode as RawMode))?.into())
}

/// Makes a directory; nothing may have its name.
pub fn make_dir((dir, name): Named<'_>, mode: u32) -> io::Result<()> {
    Ok(mkdirat(dir, name, Mode::from_raw_mode(mode as RawMode))?)
}

/// The permissions and special bits of a file.
pub fn mode(meta: &Metadata) -> u32 {
    meta.permissions().mode()
}

/// Sets the mode of a directory. A link that took its place leads no further than the directory it is in.
pub fn set_mode((dir, name): Named<'_>, mode: u32) -> io::Result<()> {
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
pub fn make_temporary(above: &Path, prefix: &str) -> io::Result<tempfile::TempDir> {
    tempfile::Builder::new().prefix(prefix).permissions(Permissions::from_mode(0o700)).tempdir_in(above)
}

/// Whether its owner may run an open file.
pub fn is_executable(meta: &fs::Metadata) -> bool {
    meta.mode() & 0o100 != 0
}

/// Gives something another name, in place of what has it.
pub fn rename(from: Named<'_>, to: Named<'_>) -> io::Result<()> {
    Ok(renameat(from.0, from.1, to.0, to.1)?)
}

/// Renames, refusing to replace anything. A file system that cannot refuse is asked before.
pub fn rename_new(from: Named<'_>, to: Named<'_>) -> io::Result<()> {
    match renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        Err(error) if unsupported(error) => match to.0.symlink_metadata(to.1) {
            Ok(_) => Err(Errno::EXIST.into()),
            Err(_) => rename(from, to),
        },
        other => Ok(other?),
    }
}

/// Exchanges two names in one step. `false`: this file system cannot, nothing happened.
pub fn exchange(one: Named<'_>, other: Named<'_>) -> io::Result<bool> {
    match renameat_with(one.0, one.1, other.0, other.1, RenameFlags::EXCHANGE) {
        Err(error) if unsupported(error) => Ok(false),
        done => Ok(done.map(|()| true)?),
    }
}

/// What a file system answers that does not know a call: exFAT and SMB on macOS give another number than others.
fn unsupported(error: Errno) -> bool {
    [Errno::INVAL, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP].contains(&error)
}

pub fn remove_file((dir, name): Named<'_>) -> io::Result<()> {
    Ok(unlinkat(dir, name, AtFlags::empty())?)
}

pub fn remove_dir((dir, name): Named<'_>) -> io::Result<()> {
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
pub fn sync_names((dir, name): Named<'_>) -> io::Result<()> {
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

/// A file system whose files and names are made durable together. It is opened before anything is written to it, so
/// that every failed write since is reported.
#[derive(Debug)]
pub struct FileSystem {
    handle: File,
    device: u64,
}

impl FileSystem {
    /// The one a directory is on. `None`: each file and each directory has to be synced by itself.
    pub fn of(dir: &Dir) -> io::Result<Option<Self>> {
        let handle = File::from(openat(dir, ".", READ, Mode::empty())?);
        if !tells(&handle) {
            return Ok(None);
        }
        Ok(Some(Self { handle, device: dir.dir_metadata()?.dev() }))
    }

    /// Whether something is on it.
    pub fn holds(&self, meta: &Metadata) -> bool {
        meta.dev() == self.device
    }

    /// Makes everything on it durable. `false`: that call is not permitted, and nothing is known.
    pub fn sync(&self) -> io::Result<bool> {
        match sync_all(&self.handle) {
            Err(Errno::NOSYS | Errno::PERM) => Ok(false),
            other => Ok(other.map(|()| true)?),
        }
    }
}

/// Makes opened files and directories durable. The first one was opened before it was written to.
pub fn sync_together(all: &[&File]) -> io::Result<()> {
    if let [first, _, ..] = all
        && tells(first)
        && on_one(all)?
        && sync_all(first).is_ok()
    {
        return Ok(());
    }
    all.iter().try_for_each(|file| sync(file))
}

fn on_one(all: &[&File]) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;

    let devices: Vec<u64> = all.iter().map(|file| file.metadata().map(|meta| meta.dev())).collect::<io::Result<_>>()?;
    Ok(devices.windows(2).all(|pair| pair.first() == pair.last()))
}

#[cfg(target_os = "linux")]
fn sync_all(on: &File) -> Result<(), Errno> {
    rustix::fs::syncfs(on)
}

#[cfg(not(target_os = "linux"))]
fn sync_all(_: &File) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Whether that call waits for the disk and reports every failure here. Linux reports data that could not be written
/// back since 5.8, and what the file system itself says since 5.17. FUSE, overlays and F2FS keep failures to themselves.
#[cfg(target_os = "linux")]
fn tells(on: &File) -> bool {
    use std::sync::LazyLock;

    /// ext4, XFS, Btrfs, tmpfs.
    const KNOWN: [u32; 4] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994];
    static REPORTS: LazyLock<bool> = LazyLock::new(|| rustix::system::uname().release().to_str().is_ok_and(reports));
    *REPORTS && rustix::fs::fstatfs(on).is_ok_and(|found| KNOWN.contains(&(found.f_type as u64 as u32)))
}

#[cfg(target_os = "linux")]
fn reports(release: &str) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (5_u32, 17_u32)
}

#[cfg(not(target_os = "linux"))]
fn tells(_: &File) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn file_systems_of_other_machines_are_known() {
        assert!([0x6969, 0xFF53_4D42, 0x0102_1997, 0xFFFF_FFFF_FF53_4D42].into_iter().all(is_remote_kind));
        assert!([0xEF53, 0x0102_1994, 0x9123_683E].into_iter().all(|kind| !is_remote_kind(kind)));
    }

    #[test]
    fn kernels_that_keep_failures_to_themselves_are_not_relied_on() {
        assert!(["5.17.0", "5.17", "6.1.0-13-amd64", "10.0"].into_iter().all(reports));
        assert!(["5.16.20-generic", "4.19.0", "5", "", "unknown"].into_iter().all(|release| !reports(release)));
    }

    #[test]
    fn files_of_one_file_system_and_of_several_are_synced() {
        let dir = tempfile::tempdir().unwrap();
        let file = File::create(dir.path().join("f")).unwrap();
        let (above, other) = (File::open(dir.path()).unwrap(), File::open("/proc/self/maps").unwrap());
        sync_together(&[&file, &above]).unwrap();
        sync_together(&[&file]).unwrap();
        assert!(!tells(&other) && !on_one(&[&file, &other]).unwrap());
    }
}

//! Everything on a file system made durable with one call, where that call also says what could not be written.

use std::fs::File;
use std::io;

use cap_std::fs::{Dir, Metadata, MetadataExt as _};
use rustix::fs::{Mode, openat};
use rustix::io::Errno;

use super::files::{self, READ};

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
    all.iter().try_for_each(|file| files::sync(file))
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

//! A directory that is read through, and what is in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, openat, statat};

use super::files::{Named, READ};
use crate::system::rooted::Kind;

/// The names in a directory with what they stand for, as far as that is known.
pub type Entries = Vec<(OsString, Option<Kind>)>;

#[derive(Debug)]
pub struct Listing(rustix::fs::Dir);

impl Listing {
    /// Opens the directory of this name; a link is none.
    pub fn open((dir, name): Named<'_>) -> io::Result<Self> {
        let opened = openat(dir, name, READ | OFlags::DIRECTORY | OFlags::NONBLOCK, Mode::empty())?;
        Ok(Self(rustix::fs::Dir::new(opened)?))
    }

    /// What is in the directory of this name, with its handle: it is opened once for both.
    pub fn kept((dir, name): Named<'_>) -> io::Result<(Dir, Entries)> {
        let opened = openat(dir, name, READ | OFlags::DIRECTORY | OFlags::NONBLOCK, Mode::empty())?;
        let entries = entries_of(&opened)?;
        Ok((Dir::from_std_file(opened.into()), entries))
    }

    /// Opens the directory at a path below another one, links inside followed.
    pub fn below(dir: &Dir, at: &Path) -> io::Result<Self> {
        let flags = (OFlags::DIRECTORY | OFlags::NONBLOCK).bits() as i32;
        let opened = dir.open_with(at, OpenOptions::new().read(true).custom_flags(flags))?;
        Ok(Self(rustix::fs::Dir::new(opened)?))
    }

    /// The names in it with what they stand for, as far as the listing says; at most one more than `most`.
    pub fn entries(&mut self, most: usize) -> io::Result<Entries> {
        let mut names = Vec::new();
        for entry in &mut self.0 {
            let entry = entry?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                names.push((OsStr::from_bytes(name.to_bytes()).to_owned(), kind(entry.file_type())));
            }
            if names.len() > most {
                break;
            }
        }
        Ok(names)
    }

    pub fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        let stat = statat(self.0.fd()?, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok(kind(FileType::from_raw_mode(stat.st_mode)).unwrap_or(Kind::Other))
    }

    pub fn directory(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(rustix::fs::Dir::new(openat(self.0.fd()?, name, READ | OFlags::DIRECTORY, Mode::empty())?)?))
    }

    /// A file in it, for reading; a pipe is not waited for.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        Ok(openat(self.0.fd()?, name, READ | OFlags::NONBLOCK, Mode::empty())?.into())
    }
}

/// What is in a directory that nobody has listed through this handle.
#[cfg(target_os = "linux")]
fn entries_of(opened: &OwnedFd) -> io::Result<Entries> {
    let (mut buffer, mut entries) = (Vec::with_capacity(4096), Vec::new());
    let mut listing = rustix::fs::RawDir::new(opened, buffer.spare_capacity_mut());
    while let Some(entry) = listing.next() {
        let entry = entry?;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            entries.push((OsStr::from_bytes(name.to_bytes()).to_owned(), kind(entry.file_type())));
        }
    }
    Ok(entries)
}

#[cfg(not(target_os = "linux"))]
fn entries_of(opened: &OwnedFd) -> io::Result<Entries> {
    Listing(rustix::fs::Dir::read_from(opened)?).entries(usize::MAX)
}

/// `None`: some file systems do not say it in the listing.
fn kind(file_type: FileType) -> Option<Kind> {
    match file_type {
        FileType::RegularFile => Some(Kind::File),
        FileType::Directory => Some(Kind::Dir),
        FileType::Symlink => Some(Kind::Link),
        FileType::Unknown => None,
        _ => Some(Kind::Other),
    }
}

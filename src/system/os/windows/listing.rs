//! A directory that is read through, and what is in it.

use std::ffi::{OsStr, OsString};
use std::io;

use cap_fs_ext::DirExt;

use super::files;
use crate::system::rooted::Kind;

/// The names in a directory with what they stand for, as far as that is known.
pub type Entries = Vec<(OsString, Option<Kind>)>;

#[derive(Debug)]
pub struct Listing(cap_std::fs::Dir);

impl Listing {
    pub fn open((dir, name): files::Named<'_>) -> io::Result<Self> {
        let opened = if name == "." { dir.try_clone() } else { dir.open_dir_nofollow(name) };
        Ok(Self(opened?))
    }

    /// What is in the directory of this name, with its handle.
    pub fn kept(named: files::Named<'_>) -> io::Result<(cap_std::fs::Dir, Entries)> {
        let mut listing = Self::open(named)?;
        let entries = listing.entries(usize::MAX)?;
        Ok((listing.0, entries))
    }

    /// Opens the directory at a path below another one, links inside followed.
    pub fn below(dir: &cap_std::fs::Dir, at: &std::path::Path) -> io::Result<Self> {
        Ok(Self(dir.open_dir(at)?))
    }

    /// The names in it with what they stand for; at most one more than `most`.
    pub fn entries(&mut self, most: usize) -> io::Result<Entries> {
        let entry = |entry: io::Result<cap_std::fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.file_name(), Some(entry.file_type()?.into())))
        };
        self.0.entries()?.take(most.saturating_add(1)).map(entry).collect()
    }

    pub fn kind(&self, name: &OsStr) -> io::Result<Kind> {
        Ok(self.0.symlink_metadata(name)?.file_type().into())
    }

    pub fn directory(&self, name: &OsStr) -> io::Result<Self> {
        Self::open((&self.0, name))
    }

    pub fn file(&self, name: &OsStr) -> io::Result<std::fs::File> {
        files::open((&self.0, name))
    }
}

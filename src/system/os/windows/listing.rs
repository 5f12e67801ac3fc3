//! A directory that is read through, and what is in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::files;
use crate::system::rooted::Kind;

#[derive(Debug)]
pub struct Listing(Dir);

impl Listing {
    /// Opens the directory of this name; a link is none.
    pub fn open(dir: &Dir, name: &OsStr) -> io::Result<Self> {
        let opened = if name == "." { dir.try_clone() } else { dir.open_dir_nofollow(name) };
        Ok(Self(opened?))
    }

    /// The names in it with what they stand for; at most one more than `most`.
    pub fn entries(&mut self, most: usize) -> io::Result<Vec<(OsString, Option<Kind>)>> {
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
        Self::open(&self.0, name)
    }

    /// A file in it, for reading.
    pub fn file(&self, name: &OsStr) -> io::Result<File> {
        files::open(&self.0, name)
    }
}

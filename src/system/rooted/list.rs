//! The names in a directory below a root.

use std::ffi::{OsStr, OsString};
use std::io;

use super::{Kind, Rooted};
use crate::system::os::listing::Listing;

impl Rooted {
    /// The names in a directory with what they stand for, in no order.
    /// Errors: As [`Rooted::metadata`], and when it is no directory or cannot be listed to its end.
    pub fn list(&self) -> io::Result<Vec<(OsString, Kind)>> {
        self.list_some(usize::MAX)
    }

    /// The same, at most so many names of it.
    pub fn list_some(&self, most: usize) -> io::Result<Vec<(OsString, Kind)>> {
        let mut listing = self.listing()?;
        let entries = listing.entries(most)?.into_iter().take(most);
        let known = |(name, kind): (OsString, Option<Kind>)| {
            // Some file systems do not say it in the listing.
            let kind = kind.map_or_else(|| listing.kind(&name), Ok)?;
            Ok((name, kind))
        };
        entries.map(known).collect()
    }

    fn listing(&self) -> io::Result<Listing> {
        if self.at.as_os_str().is_empty() {
            return Listing::open(self.root.dir(), OsStr::new("."));
        }
        if !self.plain {
            return Listing::open(&self.directory()?, OsStr::new("."));
        }
        let (dir, name) = self.parent()?;
        self.named(Listing::open(&dir, &name), &dir, &self.at)
    }
}

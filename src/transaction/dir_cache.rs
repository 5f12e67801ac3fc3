//! Reads many directories that stand side by side: what stands beside each of them is listed once for all.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::LeftOut;
use super::path::check;
use super::scan::{survey, survey_at};
use crate::error::Result;
use crate::skill::Tree;
use crate::system::rooted::{self, Kind, Root};

/// What was read of a directory: its path, absolute and without links, and what is in it.
pub struct Surveyed {
    pub dir: PathBuf,
    /// The files, and what is none; `None` where nothing is there.
    pub found: Result<Option<(Tree, Vec<LeftOut>)>>,
}

/// The directories in which others were looked for, each listed once.
#[derive(Default)]
pub struct Listings(Mutex<HashMap<PathBuf, Arc<Listing>>>);

/// What stands in one directory.
struct Listing {
    root: Root,
    /// What is in it, by its names, their case set aside.
    entries: Vec<Entry>,
}

struct Entry {
    /// Its name in lower case.
    folded: OsString,
    name: OsString,
    /// Whether it is a directory, and no link to one.
    is_dir: bool,
}

impl Listings {
    /// Surveys a directory as [`survey`] does, after links on the way to it were resolved.
    pub fn survey(&self, dir: &Path) -> Surveyed {
        let known = dir.parent().zip(dir.file_name()).and_then(|(parent, name)| {
            let listing = self.of(parent)?;
            let plain = listing.holds_alone(name).then_some(name)?.to_str()?;
            check(plain).ok()?;
            let held = listing.root.held(plain);
            let found = survey_at(&parent.into(), &held, plain).ok().flatten()?;
            Some(Surveyed { dir: held.path(), found: Ok(Some(found)) })
        });
        known.unwrap_or_else(|| {
            let dir = rooted::anywhere(dir).and_then(|dir| dir.canonical()).unwrap_or_else(|_| dir.to_path_buf());
            let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let found = survey(dir.parent().unwrap_or(Path::new("/")), &name);
            Surveyed { dir, found }
        })
    }

    fn of(&self, parent: &Path) -> Option<Arc<Listing>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = known.get(parent) {
            return Some(Arc::clone(listing));
        }
        let listing = Arc::new(Listing::of(parent)?);
        known.insert(parent.to_path_buf(), Arc::clone(&listing));
        Some(listing)
    }
}

impl Listing {
    fn of(parent: &Path) -> Option<Self> {
        let root = Root::of(&rooted::anywhere(parent).ok()?).ok()?;
        let named = |(name, kind): (OsString, Kind)| Entry {
            folded: name.to_ascii_lowercase(),
            name,
            is_dir: kind == Kind::Dir,
        };
        let mut entries: Vec<Entry> = root.at("").list().ok()?.into_iter().map(named).collect();
        entries.sort_unstable_by(|one, other| one.folded.cmp(&other.folded));
        Some(Self { root, entries })
    }

    /// Whether there is a directory of this name, and nothing whose name differs by case alone.
    fn holds_alone(&self, name: &OsStr) -> bool {
        let folded = name.to_ascii_lowercase();
        let from = self.entries.partition_point(|one| one.folded < folded);
        let mut alike = self.entries.iter().skip(from).take_while(|one| one.folded == folded);
        alike.next().is_some_and(|one| one.is_dir && one.name == name) && alike.next().is_none()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_listed_once_is_read_as_if_it_were_looked_for_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["one", "Two", "two", "under/three"] {
            fs::create_dir_all(root.join(name)).unwrap();
            fs::write(root.join(name).join("SKILL.md"), name).unwrap();
        }
        fs::write(root.join("file"), "x").unwrap();
        symlink("one", root.join("link")).unwrap();
        symlink("under", root.join("way")).unwrap();
        symlink("nowhere", root.join("one/broken")).unwrap();
        let listings = Listings::default();
        for at in ["one", "Two", "two", "file", "link", "way/three", "under/../one", "none", "none/none", "under/."] {
            let surveyed = listings.survey(&root.join(at));
            let real = root.join(at).canonicalize().unwrap_or(root.join(at));
            assert_eq!(surveyed.dir, real, "{at}");
            let name = real.file_name().unwrap().to_str().unwrap();
            let alone = survey(real.parent().unwrap(), name);
            match (surveyed.found, alone) {
                (Ok(here), Ok(there)) => assert_eq!(here, there, "{at}"),
                (Err(here), Err(there)) => assert_eq!(here.message(), there.message(), "{at}"),
                (here, there) => panic!("{at}: {here:?} and {there:?}"),
            }
        }
        let (tree, left_out) = listings.survey(&root.join("one")).found.unwrap().unwrap();
        assert_eq!((tree.text("SKILL.md"), left_out.len()), (Some("one"), 1));
    }
}

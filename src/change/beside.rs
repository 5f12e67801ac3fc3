//! Reads many directories that stand side by side: what stands beside each of them is listed once for all.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::LeftOut;
use super::path::check;
use super::scan::{survey, survey_at};
use crate::error::Result;
use crate::skill::Tree;

/// What was read of a directory: its path, absolute and without links, and what is in it.
pub struct Surveyed {
    /// The path.
    pub dir: PathBuf,
    /// The files, and what is none; `None` where nothing is there.
    pub found: Result<Option<(Tree, Vec<LeftOut>)>>,
}

/// The directories in which others were looked for, each listed once.
#[derive(Default)]
pub struct Listings(Mutex<HashMap<PathBuf, Arc<Listing>>>);

/// What stands in one directory.
struct Listing {
    /// Its path, absolute and without links.
    real: PathBuf,
    /// What is in it by its name, case set aside, and whether it is a directory and no link to one.
    entries: Vec<(OsString, bool)>,
}

impl Listings {
    /// Surveys a directory as [`survey`] does, after links on the way to it were resolved.
    pub fn survey(&self, dir: &Path) -> Surveyed {
        let known = dir.parent().zip(dir.file_name()).and_then(|(parent, name)| {
            let listing = self.of(parent)?;
            let plain = listing.holds_alone(name).then_some(name)?.to_str()?;
            check(plain).ok()?;
            let dir = listing.real.join(plain);
            let found = survey_at(&dir, plain).ok().flatten()?;
            Some(Surveyed { dir, found: Ok(Some(found)) })
        });
        known.unwrap_or_else(|| {
            let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf());
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
        let real = parent.canonicalize().ok()?;
        let named = |entry: DirEntry| (entry.file_name(), entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut entries: Vec<(OsString, bool)> = std::fs::read_dir(&real).ok()?.flatten().map(named).collect();
        entries.sort_unstable_by(|(one, _), (other, _)| beside(one, other));
        Some(Self { real, entries })
    }

    /// Whether there is a directory of this name, and nothing whose name differs by case alone.
    fn holds_alone(&self, name: &OsStr) -> bool {
        let from = self.entries.partition_point(|(one, _)| beside(one, name).is_lt());
        let mut alike = self.entries.iter().skip(from).take_while(|(one, _)| beside(one, name).is_eq());
        alike.next().is_some_and(|(one, is_dir)| *is_dir && one == name) && alike.next().is_none()
    }
}

/// The order of two names, case set aside.
fn beside(one: &OsStr, other: &OsStr) -> Ordering {
    fn folded(name: &OsStr) -> impl Iterator<Item = u8> + '_ {
        name.as_encoded_bytes().iter().map(u8::to_ascii_lowercase)
    }
    folded(one).cmp(folded(other))
}

#[cfg(test)]
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

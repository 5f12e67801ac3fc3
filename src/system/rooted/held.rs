//! Names below a root whose directories stay open: everything that is done under one name is done in one directory,
//! even if its path leads elsewhere meanwhile. No link is followed.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata};

use super::{HOME, Root, Rooted, absolute};
use crate::system::os::files;
use crate::system::os::listing::{Entries, Listing};

/// A name in a directory that is opened when it is first needed.
#[derive(Debug, Clone)]
pub struct Held(Arc<Node>);

#[derive(Debug)]
struct Node {
    /// For messages, and for the top the directory itself.
    at: Rooted,
    above: Option<(Held, OsString)>,
    /// This directory, for the names in it.
    dir: OnceLock<Arc<Dir>>,
}

impl Root {
    /// A path below it that holds its directories open.
    pub fn held(&self, at: impl AsRef<Path>) -> Held {
        Held::new(self.plain(""), None).join(at)
    }
}

impl Held {
    fn new(at: Rooted, above: Option<(Self, OsString)>) -> Self {
        Self(Arc::new(Node { at, above, dir: OnceLock::new() }))
    }

    /// A path below this one; the directories on the way are shared by all that are made from one value.
    pub fn join(&self, below: impl AsRef<Path>) -> Self {
        below.as_ref().components().filter(|part| *part != Component::CurDir).fold(self.clone(), |above, part| {
            let name = part.as_os_str();
            Self::new(above.0.at.join(name), Some((above, name.to_owned())))
        })
    }

    /// The same name, of which the directory is opened again when something in it is needed.
    pub fn anew(&self) -> Self {
        Self::new(self.0.at.clone(), self.0.above.clone())
    }

    /// The absolute path, free of links.
    pub fn path(&self) -> PathBuf {
        absolute(self.0.at.root().path(), self.0.at.below())
    }

    pub fn below(&self) -> &Path {
        self.0.at.below()
    }

    /// The directory it is in; `None` for the root.
    pub fn above(&self) -> Option<&Self> {
        self.0.above.as_ref().map(|(above, _)| above)
    }

    /// The directory it is in, opened, and its name there; a root is `.` in itself.
    /// Errors: `NotFound`, a refusal when a component is a link or no plain name, or what the operating system says.
    pub fn parent(&self) -> io::Result<(&Dir, &OsStr)> {
        let Some((above, name)) = &self.0.above else { return Ok((self.0.at.root().dir(), OsStr::new("."))) };
        if !matches!(Path::new(name).components().next(), Some(Component::Normal(_))) {
            return Err(self.0.at.refuse(self.0.at.below(), "is not a plain path"));
        }
        Ok((above.dir()?, name))
    }

    /// This directory itself, opened when it is first needed.
    /// Errors: As [`Held::parent`]; a refusal or `NotADirectory` when it is none.
    pub fn dir(&self) -> io::Result<&Dir> {
        if self.0.above.is_none() {
            return Ok(self.0.at.root().dir());
        }
        if let Some(dir) = self.0.dir.get() {
            return Ok(dir);
        }
        let opened = match self.0.at.root().own(self.below()) {
            Some(own) => own?,
            None => Arc::new(self.open_dir()?),
        };
        Ok(self.0.dir.get_or_init(|| opened))
    }

    /// Opens the directory that has this name now.
    /// Errors: As [`Held::parent`]; a refusal or `NotADirectory` when it is none.
    pub fn open_dir(&self) -> io::Result<Dir> {
        let (dir, name) = self.parent()?;
        if self.0.above.is_none() {
            return dir.try_clone();
        }
        self.0.at.named(dir.open_dir_nofollow(name), dir, Path::new(name)).map_err(|error| self.placed(error))
    }

    /// What has this name; a link is not followed.
    pub fn metadata(&self) -> io::Result<Metadata> {
        let (dir, name) = self.parent()?;
        if self.0.above.is_none() { dir.dir_metadata() } else { dir.symlink_metadata(name) }
    }

    /// What is in this directory; where it is opened for that, it stays open.
    pub fn entries(&self) -> io::Result<Entries> {
        if self.0.above.is_none() || self.0.dir.get().is_some() || own_at(self.below()).is_some() {
            return Listing::open((self.dir()?, OsStr::new(".")))?.entries(usize::MAX);
        }
        let (dir, entries) = Listing::kept(self.parent()?)?;
        let _opened = self.0.dir.set(Arc::new(dir));
        Ok(entries)
    }

    pub fn open_list(&self) -> io::Result<Listing> {
        Listing::open(self.parent()?)
    }

    /// Makes the names in the directory it is in durable.
    pub fn sync_parent(&self) -> io::Result<()> {
        files::sync_names((self.parent()?.0, OsStr::new(".")))
    }

    /// A refusal names the whole path.
    fn placed(&self, error: io::Error) -> io::Error {
        match super::refused(&error) {
            Some(refused) => self.0.at.refuse(self.0.at.below(), refused.why),
            None => error,
        }
    }
}

/// Whether a failure says that nothing can be there: the name, or a directory on the way, is missing.
pub fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The directories that stay open: hefesto's own, and those in it that every command needs several times.
const OWN: [&str; 4] = [HOME, ".hefesto/txn", ".hefesto/lanes", ".hefesto/logs"];

fn own_at(below: &Path) -> Option<usize> {
    OWN.iter().position(|own| Path::new(own) == below)
}

/// Those that were needed so far.
#[derive(Debug, Default)]
pub(super) struct OwnDirectories(Mutex<[Option<Arc<Dir>>; OWN.len()]>);

impl Root {
    /// The directory at a path below it, where it is one that stays open.
    /// Errors: `NotFound`, a refusal when a link or a file is there, or what the operating system says.
    pub(super) fn own(&self, below: &Path) -> Option<io::Result<Arc<Dir>>> {
        let at = own_at(below)?;
        Some(self.opened_own(at))
    }

    /// Opens them anew: somebody makes sure that they are there.
    pub(super) fn forget_own(&self) {
        *self.0.own.0.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }

    fn opened_own(&self, last: usize) -> io::Result<Arc<Dir>> {
        let mut known = self.0.own.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut above: Option<Arc<Dir>> = None;
        let way = known.iter_mut().zip(OWN.map(Path::new)).enumerate().filter(|(at, _)| [0, last].contains(at));
        for (_, (slot, path)) in way {
            let dir = match slot {
                Some(dir) => dir,
                None => {
                    let above = above.as_deref().unwrap_or(self.dir());
                    let opened = above.open_dir_nofollow(path.file_name().unwrap_or_default());
                    slot.insert(Arc::new(self.at(path).named(opened, above, path)?))
                }
            };
            above = Some(Arc::clone(dir));
        }
        above.ok_or_else(|| ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::{Kind, refused};
    use super::*;

    #[test]
    fn a_directory_stays_the_same_when_its_name_becomes_a_link() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["project/a", "outside"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
            fs::write(dir.path().join(name).join("f"), name).unwrap();
        }
        let root = Root::open(&dir.path().join("project")).unwrap();
        let held = root.held("a/f");
        assert_eq!(held.metadata().unwrap().len(), 9);
        fs::rename(dir.path().join("project/a"), dir.path().join("project/moved")).unwrap();
        symlink("../outside", dir.path().join("project/a")).unwrap();
        assert_eq!(held.metadata().unwrap().len(), 9, "the directory that was opened");
        for at in [root.held("a/f"), root.held("a").join("f")] {
            let error = at.metadata().unwrap_err();
            assert_eq!(refused(&error).unwrap().path, dir.path().join("project/a"));
            assert!(at.parent().and_then(files::open).is_err() && at.sync_parent().is_err());
        }
        assert!(root.held("a").open_list().is_err() && root.held("a").metadata().unwrap().is_symlink());
    }

    #[test]
    fn what_is_looked_for_is_looked_for_in_the_directory_that_was_listed() {
        let dir = tempfile::tempdir().unwrap();
        for at in ["project/a", "outside"] {
            fs::create_dir_all(dir.path().join(at)).unwrap();
            fs::write(dir.path().join(at).join("f"), at).unwrap();
        }
        let root = Root::open(&dir.path().join("project")).unwrap();
        let held = root.held("a");
        for _ in 0..2 {
            assert_eq!(held.entries().unwrap(), [("f".into(), Some(Kind::File))]);
        }
        fs::rename(dir.path().join("project/a"), dir.path().join("project/moved")).unwrap();
        symlink("../outside", dir.path().join("project/a")).unwrap();
        assert_eq!(held.join("f").metadata().unwrap().len(), 9, "the directory that was listed");
        assert!(root.held("a").entries().is_err(), "a link is none");
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        for at in ["..", "a/..", "/etc", "../x"] {
            assert!(refused(&root.held(at).metadata().unwrap_err()).is_some() || at == "a/..", "{at}");
        }
        assert!(root.held("").metadata().unwrap().is_dir() && root.held("").parent().unwrap().1 == ".");
    }

    #[test]
    fn a_directory_that_stays_open_is_the_same_until_somebody_makes_sure_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let lock = root.at(".hefesto/lock");
        assert!(lock.read(9).is_err(), "there is none yet");
        fs::create_dir_all(dir.path().join(".hefesto/txn")).unwrap();
        fs::write(dir.path().join(".hefesto/lock"), "one").unwrap();
        fs::write(dir.path().join(".hefesto/txn/a"), "one").unwrap();
        assert_eq!((lock.read(9).unwrap(), root.held(".hefesto/txn/a").metadata().unwrap().len()), (b"one".into(), 3));
        fs::rename(dir.path().join(".hefesto"), dir.path().join("moved")).unwrap();
        symlink("moved", dir.path().join(".hefesto")).unwrap();
        assert_eq!(lock.read(9).unwrap(), b"one", "the directory that was opened, not what its name leads to");
        assert!(refused(&root.at(".hefesto").make_dir(0o700).unwrap_err()).is_some());
        assert!(refused(&lock.read(9).unwrap_err()).is_some(), "it is opened again");
        fs::remove_file(dir.path().join(".hefesto")).unwrap();
        assert!(root.at(".hefesto").make_dir(0o700).unwrap());
        assert!(root.at(".hefesto/lock").entry_kind().unwrap().is_none() && root.held(".hefesto/txn/a").dir().is_err());
    }
}

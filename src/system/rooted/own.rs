//! hefesto's own directories below a root, which almost every access leads through: opened once each.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::{HOME, Root};

/// The directories that stay open, each after the one it is in.
const OWN: [&str; 2] = [HOME, ".hefesto/txn"];

/// Those that were needed so far.
#[derive(Debug, Default)]
pub(super) struct OwnDirectories(Mutex<[Option<Arc<Dir>>; OWN.len()]>);

impl Root {
    /// The directory at a path below it, where it is one that stays open.
    /// Errors: `NotFound`, a refusal when a link or a file is there, or what the operating system says.
    pub(super) fn own(&self, below: &Path) -> Option<io::Result<Arc<Dir>>> {
        let last = OWN.iter().position(|own| Path::new(own) == below)?;
        Some(self.opened_own(last))
    }

    /// Opens them anew: somebody makes sure that they are there.
    pub(super) fn forget_own(&self) {
        *self.0.own.0.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }

    fn opened_own(&self, last: usize) -> io::Result<Arc<Dir>> {
        let mut known = self.0.own.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut above: Option<Arc<Dir>> = None;
        for (slot, path) in known.iter_mut().zip(OWN.map(Path::new)).take(last + 1) {
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
        above.ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;

    use super::*;
    use crate::system::rooted::refused;

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
        std::os::unix::fs::symlink("moved", dir.path().join(".hefesto")).unwrap();
        assert_eq!(lock.read(9).unwrap(), b"one", "the directory that was opened, not what its name leads to");
        assert!(refused(&root.at(".hefesto").make_dir(0o700).unwrap_err()).is_some());
        assert!(refused(&lock.read(9).unwrap_err()).is_some(), "it is opened again");
        fs::remove_file(dir.path().join(".hefesto")).unwrap();
        assert!(root.at(".hefesto").make_dir(0o700).unwrap());
        assert!(root.at(".hefesto/lock").entry_kind().unwrap().is_none() && root.held(".hefesto/txn/a").dir().is_err());
    }
}

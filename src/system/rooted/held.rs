//! Names below a root whose directories stay open: everything that is done under one name is done in one directory,
//! even if its path leads elsewhere meanwhile. No link is followed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata};

use super::{Root, Rooted, absolute};
use crate::system::os::files;
use crate::system::os::listing::Listing;

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

    /// Opens what has this name for reading; a link is not followed, and a pipe is not waited for.
    pub fn open(&self) -> io::Result<File> {
        self.parent().and_then(|(dir, name)| files::open(dir, name))
    }

    /// Makes a file of this name for writing; it must not exist.
    pub fn open_new(&self, mode: u32) -> io::Result<File> {
        self.parent().and_then(|(dir, name)| files::open_new(dir, name, mode))
    }

    pub fn open_list(&self) -> io::Result<Listing> {
        self.parent().and_then(|(dir, name)| Listing::open(dir, name))
    }

    /// Makes the names in the directory durable.
    pub fn sync_names(&self) -> io::Result<()> {
        self.parent().and_then(|(dir, name)| files::sync_names(dir, name))
    }

    /// Makes the names in the directory it is in durable.
    pub fn sync_parent(&self) -> io::Result<()> {
        self.parent().and_then(|(dir, _)| files::sync_names(dir, OsStr::new(".")))
    }

    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        self.parent().and_then(|(dir, name)| files::set_mode(dir, name, mode))
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::refused;
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
            assert!(at.open().is_err() && at.sync_parent().is_err());
        }
        assert!(root.held("a").open_list().is_err() && root.held("a").metadata().unwrap().is_symlink());
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
}

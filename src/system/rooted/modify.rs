//! Changes below a root for what is no transaction: logs, locks, hefesto's own directory. A link is never written
//! through, whatever the path.

use std::fs::File;
use std::io::{self, ErrorKind};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsMaybeDirExt, OpenOptionsSyncExt};
use cap_std::fs::OpenOptions;

use super::{HOME, Rooted};
use crate::system::os::files;

impl Rooted {
    /// Opens a regular file for appending and reading, making it with this mode where it is missing.
    /// Errors: a refusal when it is a link or no regular file, or what the operating system says.
    pub fn append(&self, mode: u32) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        Self { plain: true, ..self.clone() }.open_with(files::with_mode(&mut options, mode)).map(|(file, _)| file)
    }

    /// Makes a directory with this mode; false where one is there already.
    /// Errors: a refusal when something else is there, or what the operating system says.
    pub fn make_dir(&self, mode: u32) -> io::Result<bool> {
        let (dir, name) = self.parent()?;
        if self.at.as_os_str() == HOME {
            self.root.forget_own();
        }
        match dir.create_dir_with(&name, &files::dirs_with_mode(mode)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match self.root.own(&self.at) {
                Some(own) => own.map(|_| false),
                None => self.named(self.directory(), &dir, &self.at).map(|_| false),
            },
            other => {
                self.root.forget_own();
                other.map(|()| true)
            }
        }
    }

    /// Opens a directory for locking it or making its names durable.
    pub fn handle(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).maybe_dir(true).nonblock(true).follow(FollowSymlinks::No);
        let file = self.directory()?.open_with(".", &options)?.into_std();
        Ok(file)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    use super::super::{Root, refused};
    use super::*;

    #[test]
    fn what_is_made_has_its_mode_and_what_is_there_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let home = root.at(".hefesto");
        assert!(home.make_dir(0o700).unwrap());
        assert!(!home.make_dir(0o700).unwrap());
        home.join("log").append(0o600).unwrap().write_all(b"one").unwrap();
        home.join("log").append(0o600).unwrap().write_all(b" two").unwrap();
        assert_eq!(home.join("log").read(7).unwrap(), b"one two");
        assert_eq!(home.join("log").read(6).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(home.join("log").head(3).unwrap(), b"one");
        let mode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(".hefesto"), mode(".hefesto/log")), (0o700, 0o600));
        assert_eq!(home.join("log").make_dir(0o700).unwrap_err().kind(), ErrorKind::NotADirectory);
        home.handle().unwrap().sync_all().unwrap();
    }

    #[test]
    fn pipes_are_refused_and_not_waited_at() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        files::make_pipe(&dir.path().join("p"));
        for at in [root.at("p"), root.plain("p")] {
            assert!(refused(&at.read(1).unwrap_err()).is_some());
            assert!(refused(&at.append(0o600).unwrap_err()).is_some());
            assert!(at.list().is_err());
        }
    }
}

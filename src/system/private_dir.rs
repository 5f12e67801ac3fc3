//! A private temporary directory: for a text in an editor, and for a program that drafts.

#![expect(clippy::disallowed_methods, reason = "a directory of its own below the temporary directory")]

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::process;

use super::os::{files, process::is_gone};

/// How its name begins; the process's id follows.
const PREFIX: &str = "hefesto-";

/// Two directories, one to work in and one for files. Both are removed with everything in them. It is locked while it
/// is in use, so that the next one can remove what a killed process left.
#[derive(Debug)]
pub struct PrivateDir {
    directory: tempfile::TempDir,
    _lock: Option<File>,
}

impl PrivateDir {
    /// Makes one below this directory, after removing those that killed processes left there.
    pub fn below(parent: &Path) -> io::Result<Self> {
        remove_abandoned(parent);
        let directory = files::make_temporary(parent, &format!("{PREFIX}{}-", process::id()))?;
        let lock = File::open(directory.path()).ok().filter(|lock| lock.try_lock().is_ok());
        let made = Self { directory, _lock: lock };
        fs::create_dir(made.work())?;
        fs::create_dir(made.files())?;
        Ok(made)
    }

    /// Where a program works: empty at first.
    pub fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    pub fn files(&self) -> PathBuf {
        self.directory.path().join("files")
    }

    /// Writes a file and gives its path.
    pub fn put(&self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.files().join(name);
        io::Write::write_all(&mut files::make_private(&path)?, text.as_bytes())?;
        Ok(path)
    }

    /// Reads a file back.
    /// Errors: when it is not there, no regular file, or larger than `most` bytes.
    pub fn take(&self, name: &str, most: u64) -> io::Result<Vec<u8>> {
        let path = self.files().join(name);
        if !fs::symlink_metadata(&path)?.is_file() {
            return Err(ErrorKind::InvalidInput.into());
        }
        let mut bytes = Vec::new();
        File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    }
}

/// Removes the private directories whose process is gone.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse().ok());
        if owner.is_some_and(is_gone)
            && entry.file_type().is_ok_and(|kind| kind.is_dir())
            && File::open(entry.path()).is_ok_and(|directory| directory.try_lock().is_ok())
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_next_one_removes_what_a_killed_process_left() {
        let parent = tempfile::tempdir().unwrap();
        let abandoned = parent.path().join("hefesto-999999999-x");
        fs::create_dir_all(abandoned.join("work")).unwrap();
        let first = PrivateDir::below(parent.path()).unwrap();
        assert!(!abandoned.exists());
        let second = PrivateDir::below(parent.path()).unwrap();
        assert!(first.work().is_dir() && second.files().is_dir());
        drop((first, second));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_file_is_private_and_a_link_or_a_large_file_is_not_read() {
        let parent = tempfile::tempdir().unwrap();
        let directory = PrivateDir::below(parent.path()).unwrap();
        let path = directory.put("a", "text").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.ancestors().nth(2).unwrap())), (0o600, 0o700));
        assert_eq!(directory.take("a", 4).unwrap(), b"text");
        assert_eq!(directory.take("a", 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        std::os::unix::fs::symlink("a", directory.files().join("b")).unwrap();
        assert!(directory.take("b", 4).is_err());
    }
}

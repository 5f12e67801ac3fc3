//! Every read of a transaction: it can fail on demand, and a failure is never taken for an answer.

#![expect(clippy::disallowed_methods, reason = "the door to the file system, for reading")]

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::disk::Disk;
use super::journal::Node;
use super::scan;

/// What is in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// Content with this digest: equal content, equal digest.
    Content(String),
    /// Something of another kind, or a directory that cannot be a skill; why.
    Other(String),
}

impl Seen {
    /// Whether it is what a journal means by this digest; `None` stands for nothing.
    pub(super) fn is(&self, digest: Option<&String>) -> bool {
        match (self, digest) {
            (Self::Nothing, None) => true,
            (Self::Content(seen), Some(digest)) => seen == digest,
            _ => false,
        }
    }
}

impl Disk<'_> {
    /// What is at an absolute path.
    pub(super) fn look(&self, path: &Path, node: Node) -> io::Result<Seen> {
        match (node, self.stat(path)?) {
            (_, None) => Ok(Seen::Nothing),
            (Node::Tree, Some(meta)) if meta.is_dir() => scan::look(self, path),
            (Node::File, Some(meta)) if meta.is_file() => self.digest(path).map(Seen::Content),
            _ => Ok(Seen::Other("is something of another kind".to_owned())),
        }
    }

    fn digest(&self, path: &Path) -> io::Result<String> {
        let (mut file, mut hasher, mut buffer) = (self.open(path)?, blake3::Hasher::new(), vec![0; 64 << 10]);
        loop {
            match self.read(path, || file.read(&mut buffer))? {
                0 => return Ok(hasher.finalize().to_hex().to_string()),
                count => hasher.update(buffer.get(..count).unwrap_or_default()),
            };
        }
    }

    /// To be asked before each read.
    pub(super) fn reading(&self, path: &Path) -> io::Result<()> {
        loop {
            match self.0.before_read() {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => return other.inspect_err(|error| self.0.note(error, path)),
            }
        }
    }

    /// Reads something; EINTR is not a failure.
    fn read<T>(&self, path: &Path, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
        loop {
            match self.reading(path).and_then(|()| act()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                other => return other.inspect_err(|error| self.0.note(error, path)),
            }
        }
    }

    /// What is at the path, no link followed; `None` only where nothing is.
    pub(crate) fn stat(&self, path: &Path) -> io::Result<Option<Metadata>> {
        match self.read(path, || path.symlink_metadata()) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Whether there is a directory, and no link to one.
    pub(crate) fn is_dir(&self, path: &Path) -> io::Result<bool> {
        Ok(self.stat(path)?.is_some_and(|meta| meta.is_dir()))
    }

    /// The names in a directory, sorted; none where nothing is there. A link to a directory is refused.
    pub(crate) fn names(&self, path: &Path) -> io::Result<Vec<OsString>> {
        match self.stat(path)? {
            None => return Ok(Vec::new()),
            Some(meta) if meta.is_dir() => {}
            Some(_) => return Err(io::Error::new(ErrorKind::NotADirectory, "it is not a directory, or a link to one")),
        }
        let list = || fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>();
        let mut names = self.read(path, list)?;
        names.sort();
        Ok(names)
    }

    /// Opens a regular file for reading, following no link and waiting for no pipe.
    fn open(&self, path: &Path) -> io::Result<File> {
        let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
        let file = self.read(path, || File::options().read(true).custom_flags(flags).open(path))?;
        match self.read(path, || file.metadata())?.is_file() {
            true => Ok(file),
            false => Err(io::Error::other("it is not a file")),
        }
    }

    /// A file's bytes, at most this many.
    pub(crate) fn bytes(&self, path: &Path, most: u64) -> io::Result<Vec<u8>> {
        let (file, mut bytes) = (self.open(path)?, Vec::new());
        self.reading(path)?;
        file.take(most + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > most {
            true => Err(io::Error::new(ErrorKind::FileTooLarge, format!("it holds more than {most} bytes"))),
            false => Ok(bytes),
        }
    }
}

//! Every read of a transaction: it can fail on demand, and a failure is never taken for an answer.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, ErrorKind, Read};

use super::{Disk, Node, retried, scan};
use crate::system::rooted::{self, Held, Metadata};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen {
    Nothing,
    /// Content with this digest: equal content, equal digest.
    Content(String),
    /// Something of another kind, or a directory that cannot be a skill; why.
    Other(String),
}

impl Seen {
    /// Whether it is what a journal means by this digest; `None` means absent.
    pub(super) fn is(&self, digest: Option<&String>) -> bool {
        match (self, digest) {
            (Self::Nothing, None) => true,
            (Self::Content(seen), Some(digest)) => seen == digest,
            _ => false,
        }
    }
}

impl Disk<'_> {
    pub(super) fn look(&self, at: &Held, node: Node) -> io::Result<Seen> {
        match (node, self.stat(at)?) {
            (_, None) => Ok(Seen::Nothing),
            (Node::Tree, Some(meta)) if meta.is_dir() => scan::look(self, at),
            (Node::File, Some(meta)) if meta.is_file() => self.digest(at).map(Seen::Content),
            _ => Ok(Seen::Other("is something of another kind".to_owned())),
        }
    }

    fn digest(&self, at: &Held) -> io::Result<String> {
        let (mut file, mut hasher, mut buffer) = (self.open(at)?, blake3::Hasher::new(), vec![0; 64 << 10]);
        loop {
            match self.read(at, &mut || file.read(&mut buffer))? {
                0 => return Ok(hasher.finalize().to_hex().to_string()),
                count => hasher.update(buffer.get(..count).unwrap_or_default()),
            };
        }
    }

    /// To be asked before each read.
    pub(super) fn reading(&self, at: &Held) -> io::Result<()> {
        retried(&mut || self.faults.before(true)).inspect_err(|error| self.faults.note(error, at))
    }

    fn read<T>(&self, at: &Held, act: &mut dyn FnMut() -> io::Result<T>) -> io::Result<T> {
        retried(&mut || self.reading(at).and_then(|()| act())).inspect_err(|error| self.faults.note(error, at))
    }

    /// What is at the path, no link followed; `None` only where nothing is.
    pub(crate) fn stat(&self, at: &Held) -> io::Result<Option<Metadata>> {
        match self.read(at, &mut || at.metadata()) {
            Err(error) if rooted::absent(&error) => Ok(None),
            other => other.map(Some),
        }
    }

    /// Whether there is a directory, and no link to one.
    pub(crate) fn is_dir(&self, at: &Held) -> io::Result<bool> {
        Ok(self.stat(at)?.is_some_and(|meta| meta.is_dir()))
    }

    /// The names in a directory, sorted; none where nothing is there. A link to a directory is refused.
    pub(crate) fn names(&self, at: &Held) -> io::Result<Vec<OsString>> {
        match self.stat(at)? {
            None => return Ok(Vec::new()),
            Some(meta) if meta.is_dir() => {}
            Some(_) => return Err(io::Error::new(ErrorKind::NotADirectory, "it is not a directory, or a link to one")),
        }
        let entries = self.read(at, &mut || at.open_list()?.entries(usize::MAX))?;
        let mut names: Vec<OsString> = entries.into_iter().map(|(name, _)| name).collect();
        names.sort();
        Ok(names)
    }

    /// Opens a regular file for reading, following no link and waiting for no pipe.
    pub(crate) fn open(&self, at: &Held) -> io::Result<File> {
        self.open_known(at).map(|(file, _)| file)
    }

    /// The same, with its length.
    fn open_known(&self, at: &Held) -> io::Result<(File, u64)> {
        let file = self.read(at, &mut || crate::system::os::files::open(at.parent()?))?;
        match self.read(at, &mut || file.metadata())? {
            meta if meta.is_file() => Ok((file, meta.len())),
            _ => Err(io::Error::other("it is not a file")),
        }
    }

    /// A file's bytes, at most this many.
    pub(crate) fn bytes(&self, at: &Held, most: u64) -> io::Result<Vec<u8>> {
        let (file, length) = self.open_known(at)?;
        self.reading(at)?;
        let bytes = rooted::beginning(file, length, usize::try_from(most + 1).unwrap_or(usize::MAX))?;
        match bytes.len() as u64 > most {
            true => Err(io::Error::new(ErrorKind::FileTooLarge, format!("it holds more than {most} bytes"))),
            false => Ok(bytes),
        }
    }
}

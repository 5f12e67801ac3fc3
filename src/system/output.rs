//! Files made for others to install, at a place the user named. Nothing in it leads out of that place: a link that does
//! is refused.

use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use crate::skill::{Blob, Tree};
use crate::system::os::files;

/// What a file is called until it is complete.
const UNFINISHED: &str = ".hefesto-unfinished";

/// The most files that are looked at below a place.
const MOST: usize = 20_000;

pub struct Output(Dir);

impl Output {
    /// Opens the directory; none where there is nothing.
    /// Errors: what the operating system says: it is no directory, or not readable.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        match Dir::open_ambient_dir(path, ambient_authority()) {
            Ok(dir) => Ok(Some(Self(dir))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens the directory, and makes it with those above it where they are missing.
    pub fn make(path: &Path) -> io::Result<Self> {
        Dir::create_ambient_dir_all(path, ambient_authority())?;
        Ok(Self(Dir::open_ambient_dir(path, ambient_authority())?))
    }

    /// The file at this path, as far as it is no longer than `most` bytes; none where there is none.
    /// Errors: what the operating system says; `InvalidData` where it is longer or no file.
    pub fn read(&self, path: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match self.0.open(path) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        if !file.metadata()?.is_file() || file.take(most + 1).read_to_end(&mut bytes)? as u64 > most {
            return Err(ErrorKind::InvalidData.into());
        }
        Ok(Some(bytes))
    }

    /// Every file below this path, sorted, `/` between components.
    pub fn files(&self, below: &str) -> io::Result<Vec<String>> {
        let (mut files, mut open) = (Vec::new(), vec![below.to_owned()]);
        while let Some(at) = open.pop() {
            let entries = match self.0.read_dir(&at) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for entry in entries.take(MOST) {
                let entry = entry?;
                let path = format!("{at}/{}", entry.file_name().to_string_lossy());
                if entry.file_type()?.is_dir() { open.push(path) } else { files.push(path) }
            }
            if files.len() > MOST {
                return Err(ErrorKind::InvalidData.into());
            }
        }
        files.sort();
        Ok(files)
    }

    /// Writes these files, each whole or not at all.
    /// Errors: what the operating system says; files written until then stay.
    pub fn write(&self, files: &Tree) -> io::Result<()> {
        for (path, blob) in files.iter() {
            if let Some((dir, _)) = path.rsplit_once('/') {
                self.0.create_dir_all(dir)?;
            }
            let unfinished = format!("{path}{UNFINISHED}");
            let written = self.write_new(&unfinished, blob).and_then(|()| self.0.rename(&unfinished, &self.0, path));
            if written.is_err() {
                let _ = self.0.remove_file(&unfinished);
            }
            written?;
        }
        Ok(())
    }

    fn write_new(&self, path: &str, blob: &Blob) -> io::Result<()> {
        let mode = if blob.executable { 0o755 } else { 0o644 };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        let mut file = self.0.open_with(path, files::with_mode(&mut options, mode))?;
        file.write_all(&blob.bytes)
    }
}

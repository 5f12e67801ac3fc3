//! Replaces one of the user's own files in one step: whoever reads it sees the old one or the new one.

#![expect(clippy::disallowed_methods, reason = "a file of the user's own, named by HEFESTO_HOME")]

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use crate::system::os::{files, places};

/// Writes a file, making its directory where it is missing. Through a link, as dotfile managers make them, the file it
/// leads to is replaced. A file that is there keeps its mode.
/// Errors: what the operating system says; the file is then as it was.
pub fn file(path: &Path, text: &str) -> io::Result<()> {
    let real = places::real(path).unwrap_or_else(|_| path.to_owned());
    let directory = real.parent().ok_or(io::ErrorKind::InvalidInput)?;
    fs::create_dir_all(directory)?;
    let mut new = tempfile::NamedTempFile::new_in(directory)?;
    new.write_all(text.as_bytes())?;
    if let Ok(there) = fs::metadata(&real) {
        new.as_file().set_permissions(there.permissions())?;
    }
    files::sync(new.as_file())?;
    new.persist(&real).map_err(|error| error.error)?;
    Ok(())
}

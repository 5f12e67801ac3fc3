//! The path of the database: a regular file in a real directory, without links on the way.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::system::rooted::{Kind, Refused, Root, Rooted};

/// The files SQLite keeps beside the database.
const BESIDE: [&str; 3] = ["-journal", "-shm", "-wal"];

/// A database's file, by the directory that holds it.
pub(super) struct DatabaseFile(Rooted);

impl DatabaseFile {
    /// Checks the directory, the file and SQLite's files beside it. They may be missing.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        let named = path.parent().and_then(|dir| Some((dir.parent()?, dir.file_name()?, path.file_name()?)));
        let (above, dir, name) = named.ok_or(ErrorKind::InvalidInput)?;
        let file = Root::open(above)?.plain(dir).join(name);
        for end in [""].iter().chain(&BESIDE) {
            let why = match beside(&file, end).entry_kind()? {
                None | Some(Kind::File) => continue,
                Some(Kind::Link) => "is a symbolic link",
                Some(Kind::Dir | Kind::Other) => "is not a regular file",
            };
            return Err(Refused { path: beside(&file, end).path(), why }.into());
        }
        Ok(Self(file))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.0.root().path().join(self.0.below())
    }

    pub(super) fn file(&self) -> &Rooted {
        &self.0
    }

    /// Whether a write-ahead log contains commits missing in the file: another process is writing, or left them there.
    pub(super) fn has_log(&self) -> bool {
        beside(&self.0, "-wal").entry().is_ok_and(|meta| meta.len() > 0)
    }
}

fn beside(file: &Rooted, end: &str) -> Rooted {
    let mut name = file.below().as_os_str().to_owned();
    name.push(end);
    file.root().plain(name)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::memory::{Memory, NewRun};
    use crate::system::rooted::refused;

    /// A directory, and where its database is.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".hefesto")).unwrap();
        let path = dir.path().join(".hefesto/memory.db");
        (dir, path)
    }

    #[test]
    fn no_link_stands_for_the_database_or_what_is_beside_it() {
        let (dir, path) = place();
        drop(Memory::open(&path, 0).unwrap());
        for end in ["", "-journal", "-shm", "-wal"] {
            let file = dir.path().join(format!(".hefesto/memory.db{end}"));
            let aside = dir.path().join("aside");
            let _ = fs::rename(&file, &aside);
            symlink(&aside, &file).unwrap();
            let error = DatabaseFile::of(&path).err().unwrap();
            assert_eq!(refused(&error).unwrap().path, file);
            assert!(Memory::open(&path, 0).is_err() && Memory::look(&path).is_err() && Memory::follow(&path).is_err());
            fs::remove_file(&file).unwrap();
            let _ = fs::rename(&aside, &file);
        }
        fs::rename(dir.path().join(".hefesto"), dir.path().join("real")).unwrap();
        symlink("real", dir.path().join(".hefesto")).unwrap();
        assert!(Memory::open(&path, 0).is_err() && Memory::look(&path).is_err());
    }

    const NEW: NewRun<'_> =
        NewRun { id: "", command: "create", at: jiff::Timestamp::UNIX_EPOCH, lane: 0, asked: None, who: None };

    /// What a file beside a database holds; nothing where there is none.
    fn beside(path: &Path, end: &str) -> Vec<u8> {
        fs::read(format!("{}{end}", path.display())).unwrap_or_default()
    }

    #[test]
    fn what_is_recorded_stays_in_the_log_and_is_seen_without_a_change() {
        let (_dir, path) = place();
        for run in ["one", "two"] {
            let mut memory = Memory::record(&path, 0).unwrap();
            memory.begin(NewRun { id: run, ..NEW }).unwrap();
        }
        let files = || ["", "-wal", "-shm"].map(|end| beside(&path, end));
        let before = files();
        assert!(before.iter().all(|file| !file.is_empty()));
        assert_eq!(Memory::look(&path).unwrap().runs(9).unwrap().len(), 2);
        assert!(files() == before, "looking changes nothing");
        fs::remove_file(format!("{}-shm", path.display())).unwrap();
        assert_eq!(Memory::look(&path).unwrap().runs(9).unwrap().len(), 2, "the index is made anew");
        let looked = Memory::look(&path).unwrap();
        let mut beside_it = Memory::open(&path, 0).unwrap();
        beside_it.begin(NewRun { id: "three", ..NEW }).unwrap();
        assert_eq!(looked.runs(9).unwrap().len(), 3, "one of them may look while another writes");
        drop((looked, beside_it));
        drop(Memory::open(&path, 0).unwrap());
        assert!(beside(&path, "-wal").is_empty());
        assert_eq!(Memory::look(&path).unwrap().runs(9).unwrap().len(), 3);
    }

    #[test]
    fn the_log_of_a_database_that_was_moved_away_is_not_read_into_a_new_one() {
        let (dir, path) = place();
        let mut memory = Memory::record(&path, 0).unwrap();
        memory.begin(NewRun { id: "old", ..NEW }).unwrap();
        drop(memory);
        fs::rename(&path, dir.path().join("aside")).unwrap();
        assert!(!beside(&path, "-wal").is_empty());
        let memory = Memory::open(&path, 0).unwrap();
        assert_eq!(memory.runs(9).unwrap(), []);
        let sound: String = memory.db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
    }
}

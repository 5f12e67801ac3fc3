//! A packed empty database, so that a new one is not built table by table: the result of the schema's steps, without
//! the zeros that fill most of its pages.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};

use crate::system::rooted::{Dir, Rooted};

/// The database that [`super::schema::STEPS`] make, with a write-ahead log. A test compares the two. It is a list
/// of runs: the number of zeros, the number of bytes after them (16 bits each, little-endian), and these bytes.
const EMPTY: &[u8] = include_bytes!("empty.db.packed");

/// How many bytes are written at once, to need few calls. Freeing an allocation of this size also raises the C
/// library's trim threshold; otherwise it would request and return memory in every transaction.
const AT_ONCE: usize = 256 * 1024;

fn unpack(to: &mut impl Write) -> io::Result<()> {
    const ZEROS: [u8; 4096] = [0; 4096];
    let mut rest = EMPTY;
    while let Some((&[low, high, short, long], after)) = rest.split_first_chunk() {
        let mut zeros = usize::from(u16::from_le_bytes([low, high]));
        while zeros > 0 {
            let some = ZEROS.get(..zeros).unwrap_or(&ZEROS);
            to.write_all(some)?;
            zeros -= some.len();
        }
        let bytes = usize::from(u16::from_le_bytes([short, long]));
        let (bytes, next) = after.split_at_checked(bytes).ok_or(io::ErrorKind::UnexpectedEof)?;
        to.write_all(bytes)?;
        rest = next;
    }
    Ok(())
}

/// Creates an empty database (0600) if there is none, atomically: it has no name before it is on the disk. Returns
/// whether it did; if the file system cannot, or another process was faster, SQLite creates it or uses the existing
/// one.
pub(super) fn put(file: &Rooted, dir: &Dir, name: &OsStr) -> bool {
    matches!(file.entry_kind(), Ok(None)) && written(dir, name).is_ok()
}

fn written(dir: &Dir, name: &OsStr) -> io::Result<()> {
    crate::system::os::files::make_whole(dir, name, |file| {
        let mut all = BufWriter::with_capacity(AT_ONCE, file);
        unpack(&mut all)?;
        all.flush()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use rusqlite::types::Value;
    use rusqlite::{Connection, OpenFlags};

    use super::super::{journal::Journal, prune, schema};
    use super::*;

    /// The content of a database: its pragmas, its schema, and the rows of every table.
    fn contents(path: &Path) -> BTreeMap<String, Vec<Vec<Value>>> {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let rows = |sql: &str| -> Vec<Vec<Value>> {
            let mut statement = db.prepare(sql).unwrap();
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect()).unwrap();
            rows.map(Result::unwrap).collect()
        };
        let mut all = BTreeMap::new();
        for name in ["user_version", "application_id", "auto_vacuum", "page_size", "encoding", "journal_mode"] {
            all.insert(name.to_owned(), rows(&format!("PRAGMA {name}")));
        }
        let schema = rows("SELECT name, type, tbl_name, sql FROM sqlite_schema ORDER BY rowid");
        for row in schema.iter().filter(|row| row[1] == Value::Text("table".into())) {
            let Value::Text(name) = &row[0] else { panic!("{row:?}") };
            all.insert(format!("table {name}"), rows(&format!("SELECT * FROM \"{name}\"")));
        }
        all.insert("schema".into(), schema);
        assert_eq!(rows("PRAGMA integrity_check"), [[Value::Text("ok".into())]]);
        all
    }

    /// A new database, made by the steps.
    fn made(path: &Path) {
        let mut db = Connection::open(path).unwrap();
        db.execute_batch(prune::GIVING_BACK).unwrap();
        Journal::WriteAhead.set(&mut db).unwrap();
        schema::migrate(&mut db).unwrap();
        db.execute_batch("VACUUM").unwrap();
    }

    fn unpacked() -> Vec<u8> {
        let mut bytes = Vec::new();
        unpack(&mut bytes).unwrap();
        bytes
    }

    /// Packs bytes into runs of zeros and other bytes; a few zeros between other bytes start no new run.
    fn packed(all: &[u8]) -> Vec<u8> {
        let short = |length: usize| u16::try_from(length).unwrap().to_le_bytes();
        let (mut packed, mut rest) = (Vec::new(), all);
        while !rest.is_empty() {
            let zeros = rest.iter().take(60_000).take_while(|byte| **byte == 0).count();
            let (_, after) = rest.split_at(zeros);
            let length = after.windows(16).take(60_000).position(|some| some.iter().all(|byte| *byte == 0));
            let (bytes, next) = after.split_at(length.unwrap_or(after.len().min(60_000)));
            packed.extend([short(zeros), short(bytes.len())].concat());
            packed.extend(bytes);
            rest = next;
        }
        packed
    }

    #[test]
    fn it_is_what_the_steps_make() {
        let dir = tempfile::tempdir().unwrap();
        let (steps, image) = (dir.path().join("steps.db"), dir.path().join("image.db"));
        made(&steps);
        if std::env::var_os("HEFESTO_UPDATE").is_some() {
            let place = concat!(env!("CARGO_MANIFEST_DIR"), "/src/memory/empty.db.packed");
            std::fs::write(place, packed(&std::fs::read(&steps).unwrap())).unwrap();
            return;
        }
        std::fs::write(&image, unpacked()).unwrap();
        assert_eq!(contents(&image), contents(&steps));
        let tables = contents(&image).into_iter().filter(|(name, rows)| name.starts_with("table ") && !rows.is_empty());
        let filled: Vec<String> = tables.map(|(name, _)| name).collect();
        // The internal tables of the search indexes.
        let own = ["fifo_parts_config", "fifo_parts_data", "fifo_words_config", "fifo_words_data"];
        assert_eq!(filled, own.map(|name| format!("table {name}")));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn it_is_there_whole_and_once_and_nothing_is_beside_it() {
        use std::os::unix::fs::MetadataExt;

        use rustix::fs::{CWD, Mode, OFlags, openat};

        use crate::system::rooted::Root;

        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        let root = Root::open(dir.path()).unwrap();
        let put = || put(&root.at("memory.db"), root.dir(), OsStr::new("memory.db"));
        // A file system without unnamed files leaves it to the steps.
        let flags = OFlags::TMPFILE | OFlags::RDWR;
        let able = openat(CWD, dir.path(), flags, Mode::RUSR | Mode::WUSR).is_ok();
        assert_eq!((put(), path.exists()), (able, able));
        if !able {
            return;
        }
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(&path).unwrap(), unpacked());
        std::fs::write(&path, "somebody's").unwrap();
        assert!(!put());
        assert!(written(root.dir(), OsStr::new("memory.db")).is_err(), "who comes later takes what is there");
        assert_eq!(std::fs::read(&path).unwrap(), b"somebody's");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}

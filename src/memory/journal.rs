//! The journal mode of the database: a write-ahead log where processes can share memory, else a rollback journal; and
//! how a writer waits for another one.

use std::hash::{BuildHasher, RandomState};

use rusqlite::{Connection, ErrorCode};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Journal {
    /// A write-ahead log: readers and a writer do not wait for each other.
    WriteAhead,
    /// A rollback journal: for network file systems, where a write-ahead log is not safe.
    Rollback,
}

impl Journal {
    /// The journal that is safe in this directory, of which `real` is the path without links.
    pub(super) fn safe_in(dir: &crate::system::rooted::Dir, real: &std::path::Path) -> Self {
        if crate::system::os::files::is_remote(dir, real) { Self::Rollback } else { Self::WriteAhead }
    }

    /// Sets the journal mode and the matching synchronisation: every commit survives the process; with a rollback
    /// journal every commit is also on the disk. A file system that turns out to have no shared memory gets the
    /// rollback journal.
    pub(super) fn set(self, db: &mut Connection) -> rusqlite::Result<Self> {
        if self == Self::WriteAhead {
            let mode = alone(db, "PRAGMA journal_mode = WAL")?;
            if mode.eq_ignore_ascii_case("wal") {
                db.pragma_update(None, "synchronous", "NORMAL")?;
                return Ok(self);
            }
        }
        alone(db, "PRAGMA journal_mode = TRUNCATE")?;
        db.pragma_update(None, "synchronous", "FULL")?;
        Ok(Self::Rollback)
    }
}

/// Changes the journal mode. That needs exclusive access to the file, for which SQLite does not wait by itself: two
/// processes that try at once both get `locked`.
fn alone(db: &mut Connection, sql: &str) -> rusqlite::Result<String> {
    db.busy_handler(None::<fn(i32) -> bool>)?;
    let mut tried = 0;
    let mode = loop {
        match db.query_row(sql, [], |row| row.get(0)) {
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && wait(tried) => {
                tried += 1;
            }
            other => break other,
        }
    };
    db.busy_handler(Some(wait))?;
    mode
}

/// Shortest and longest pause, microseconds.
const PAUSE: (u64, u64) = (200, 10_000);

/// After how many pauses (about half a minute) the database counts as locked.
const MOST: i32 = 6_000;

/// The same after a signal (about a second).
const MOST_AFTER_SIGNAL: i32 = 200;

/// The busy handler of a connection: pauses, and says whether to try again.
pub(super) fn wait(tried: i32) -> bool {
    if tried >= MOST || tried >= MOST_AFTER_SIGNAL && crate::terminal::signal::arrived() {
        return false;
    }
    // Its keys are random, and differ between processes and between threads.
    let drawn = RandomState::new().hash_one(tried);
    std::thread::sleep(std::time::Duration::from_micros(PAUSE.0 + drawn % (PAUSE.1 - PAUSE.0)));
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollback_journal_leaves_no_log_and_a_memory_without_files_has_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("memory.db");
        let mut db = Connection::open(&path).unwrap();
        assert_eq!(Journal::Rollback.set(&mut db).unwrap(), Journal::Rollback);
        db.execute_batch("CREATE TABLE t(x); INSERT INTO t VALUES (1)").unwrap();
        assert!(!dir.path().join("memory.db-wal").exists());
        let again = Connection::open(&path).unwrap();
        assert_eq!(again.query_row("SELECT x FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
        assert_eq!(Journal::WriteAhead.set(&mut Connection::open_in_memory().unwrap()).unwrap(), Journal::Rollback);
    }

    #[test]
    fn it_does_not_wait_for_ever() {
        assert!(wait(0));
        assert!(!wait(MOST));
    }
}

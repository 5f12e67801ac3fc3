//! The memory database of a project: runs and their checkpoints. The files on disk are authoritative, not the database.

#[macro_use]
mod sql;
mod buffered;
mod catalog;
mod connection;
pub mod context;
mod doctor;
pub mod fifo;
mod installed;
mod journal;
pub mod json;
mod lane;
mod long;
pub mod ooda;
mod place;
mod prune;
mod redact;
pub mod ring;
mod run;
mod schema;
mod security;
pub mod stm;
mod template_db;
mod timeline;
mod transfer;
pub mod turn;
mod views;
mod waiting;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::report::slashed::Slashed;
use connection::Allowance;

pub use crate::memory::ooda::sqlite::{DagState, Epoch, EvictedEvent};
pub use crate::memory::ring::sqlite::{Damage, LaneView};
pub use crate::memory::turn::sqlite::{FragmentRecord, ItemRecord, TurnRecord};
pub use buffered::{BufferedRun, RunEvent};
pub use doctor::{Check, LARGE, Usage};
pub use installed::{Ingredient, Installed, InstalledCopy, Left, MadeFrom, Recipe};
pub use journal::Journal;
pub use lane::Lane;
pub use long::Pattern;
pub use prune::PruneReport;
pub use redact::Redacted;
pub use run::{Changed, CommittedRun, Ending, Facts, NewRun, PhaseRecord, Run, Status};
pub use timeline::{SearchHit, TimelineEntry};
pub use transfer::{ImportError, Imported};

use place::DatabaseFile;

/// How long a reader waits before it gives up; it only has to while a log is being written back.
const BUSY: Duration = Duration::from_secs(5);

/// SQLite's access to files for a process that has a database to itself.
const ALONE: &str = "unix-excl";

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_NOFOLLOW);

/// The limits of the queue of conversations and of a run's loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How many conversations are kept, 1–1000.
    pub conversations: usize,
    pub ooda: ooda::Limits,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { conversations: fifo::CAPACITY, ooda: ooda::Limits::default() }
    }
}

/// The open database. Every write is one transaction: a phase is committed completely or not at all.
#[derive(Debug)]
pub struct Memory {
    db: Connection,
    allowance: Allowance,
    pub(crate) journal: Journal,
    pub(crate) bounds: Bounds,
    /// Whether something was deleted when it was opened.
    swept: bool,
}

/// What a database says at one moment, by [`Memory::snapshot`].
#[derive(Debug)]
pub struct Snapshot<'m>(#[expect(dead_code, reason = "ends when it is dropped")] Option<Transaction<'m>>);

impl Memory {
    /// Opens `memory.db`, making it (0600) and bringing its schema up to date. What short-term memory no longer keeps
    /// at `now` (milliseconds since 1970 UTC) is deleted on the way (STM-4).
    /// Errors: when the file is damaged, locked, not writable, or of a newer hefesto. Skills are not affected by that.
    pub fn open(path: &Path, now: i64) -> anyhow::Result<Self> {
        let place = DatabaseFile::of(path)?;
        let (dir, name) = place.file().parent()?;
        let safe = Journal::safe_in(&dir, place.file().root().path());
        // The log of a database that was moved away is removed by SQLite, which does so beside an empty file only.
        let made = safe == Journal::WriteAhead && !place.has_log();
        let _put = made && template_db::put(place.file(), &dir, &name);
        place.file().append(0o600).with_context(|| format!("opening {}", path.slashed()))?;
        let flags = OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let (mut db, allowance) = connection::open(place.path().as_os_str(), flags)?;
        db.busy_handler(Some(journal::wait))?;
        schema::verify(&db)?;
        // Only now: a foreign file and its log are not changed.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        if schema::is_empty(&db)? {
            db.execute_batch(prune::GIVING_BACK)?;
        }
        let journal = safe.set(&mut db)?;
        let mut memory = Self::ready(db, allowance, journal)?;
        // The next command deletes what cannot be deleted now.
        memory.swept = memory.stm_sweep(now).unwrap_or(false);
        Ok(memory)
    }

    /// [`Self::open`] for recording a run: what is written stays in the log, and SQLite writes that back when it has become
    /// long, so that a command does not wait for it.
    pub fn record(path: &Path, now: i64) -> anyhow::Result<Self> {
        let memory = Self::open(path, now)?;
        memory.keep_log()?;
        Ok(memory)
    }

    /// Keeps the write-ahead log when this connection is closed, for commands that delete nothing a person wants gone. After
    /// a sweep it is written back.
    pub fn keep_log(&self) -> anyhow::Result<()> {
        if self.journal == Journal::WriteAhead && !self.swept {
            self.db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        }
        Ok(())
    }

    /// Opens an existing database read-only: nothing is created or changed.
    pub fn look(path: &Path) -> anyhow::Result<Self> {
        let place = DatabaseFile::of(path)?;
        let real = place.path();
        let at_rest = || Self::reading(&immutable(&real), OpenFlags::SQLITE_OPEN_URI);
        let shared = || Self::reading(real.as_os_str(), OpenFlags::empty());
        let with_log = || Self::reading_alone(&real).or_else(|_| shared());
        let result = if place.has_log() { with_log() } else { at_rest().or_else(|_| with_log()) };
        result.with_context(|| format!("opening {}", path.slashed()))
    }

    /// Opens a database with a log that no other process has open: the log's index is kept in memory, so that the file
    /// of the index does not change either.
    /// Errors: when somebody has it open, and where SQLite has no such mode.
    fn reading_alone(path: &Path) -> anyhow::Result<Self> {
        // The mode locks the file, which takes a handle that may write.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let (db, allowance) = connection::harden(Connection::open_with_flags_and_vfs(path, flags, ALONE)?)?;
        db.busy_timeout(Duration::ZERO)?;
        db.pragma_update(None, "query_only", true)?;
        schema::readable(&db)?;
        Ok(Self { db, allowance, journal: Journal::WriteAhead, bounds: Bounds::default(), swept: false })
    }

    /// Opens an existing database for polling while others write: unlike [`Self::look`] it
    /// notices what they commit.
    pub fn follow(path: &Path) -> anyhow::Result<Self> {
        Self::reading(DatabaseFile::of(path)?.path().as_os_str(), OpenFlags::empty())
    }

    fn reading(name: &OsStr, flags: OpenFlags) -> anyhow::Result<Self> {
        let (db, allowance) = connection::open(name, READ_ONLY | flags)?;
        db.busy_timeout(BUSY)?;
        schema::readable(&db)?;
        Ok(Self { db, allowance, journal: Journal::WriteAhead, bounds: Bounds::default(), swept: false })
    }

    /// An empty in-memory database, for a project that has none yet.
    pub fn in_memory() -> anyhow::Result<Self> {
        let (db, allowance) = connection::harden(Connection::open_in_memory()?)?;
        Self::ready(db, allowance, Journal::WriteAhead)
    }

    fn ready(mut db: Connection, allowance: Allowance, journal: Journal) -> anyhow::Result<Self> {
        db.pragma_update(None, "foreign_keys", true)?;
        // What is deleted is gone from the file too.
        db.pragma_update(None, "secure_delete", true)?;
        // Otherwise statements are prepared again for other values, though there are no statistics to choose a plan by.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        schema::migrate(&mut db)?;
        db.set_prepared_statement_cache_capacity(128);
        Ok(Self { db, allowance, journal, bounds: Bounds::default(), swept: false })
    }

    /// Holds what the database says now: everything read until this is dropped is of one moment, and takes the locks of
    /// one reader only. Nothing is written meanwhile.
    pub fn snapshot(&self) -> rusqlite::Result<Snapshot<'_>> {
        let begun = if self.db.is_autocommit() { Some(self.db.unchecked_transaction()?) } else { None };
        Ok(Snapshot(begun))
    }

    /// Runs the work in one transaction.
    fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = work(&tx)?;
        // As a cached statement; after it, dropping the transaction rolls nothing back.
        tx.prepare_cached("COMMIT")?.execute([])?;
        Ok(result)
    }
}

/// RFC 3339 UTC to the second, the readable form of instants in the database.
fn stamp(at: jiff::Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The URI by which SQLite opens an unused file without creating files beside it.
fn immutable(path: &Path) -> OsString {
    const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'-').remove(b'_');
    format!("file:{}?immutable=1", percent_encode(&crate::system::os::places::uri_path(path), ESCAPED)).into()
}

#[cfg(test)]
mod tests;

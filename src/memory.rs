//! The memory database of a project: runs and their checkpoints. Files are the truth; this is what we remember of them.

mod lane;
mod run;
mod schema;
mod slots;

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};

pub use lane::Lane;
pub use run::{NewRun, PhaseRecord, Run, Status};
pub use slots::{Damage, LaneView};

/// How long a writer waits for another one before it gives up.
const BUSY: Duration = Duration::from_secs(10);

/// The open database. Every write is one transaction; what a phase commits is there or not at all.
#[derive(Debug)]
pub struct Memory {
    db: Connection,
    volatile: bool,
}

impl Memory {
    /// Opens `memory.db`, making it (0600) and bringing its schema up to date.
    ///
    /// # Errors
    /// When the file is damaged, locked, not writable, or of a newer hefesto. Skills are not affected by that.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)
            .with_context(|| format!("opening {}", path.display()))?;
        let db = Connection::open(path)?;
        db.busy_timeout(BUSY)?;
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        db.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        Self::ready(db, false)
    }

    /// Opens an existing database for looking only: nothing is created or changed.
    ///
    /// # Errors
    /// When there is none or it cannot be read.
    pub fn look(path: &Path) -> anyhow::Result<Self> {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(path, flags).with_context(|| format!("opening {}", path.display()))?;
        db.busy_timeout(BUSY)?;
        schema::readable(&db)?;
        Ok(Self { db, volatile: false })
    }

    /// A database that lives as long as the process: where a project has none yet, or its own cannot be used.
    ///
    /// # Errors
    /// Only when SQLite itself cannot start.
    pub fn in_memory() -> anyhow::Result<Self> {
        Self::ready(Connection::open_in_memory()?, true)
    }

    /// Whether nothing of this outlives the process.
    #[must_use]
    pub fn volatile(&self) -> bool {
        self.volatile
    }

    fn ready(mut db: Connection, volatile: bool) -> anyhow::Result<Self> {
        schema::migrate(&mut db)?;
        db.set_prepared_statement_cache_capacity(32);
        Ok(Self { db, volatile })
    }

    /// One transaction: all of it or nothing of it.
    fn write<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> anyhow::Result<T>) -> anyhow::Result<T> {
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = work(&tx)?;
        tx.commit()?;
        Ok(result)
    }
}

#[cfg(test)]
mod tests;

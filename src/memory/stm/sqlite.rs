//! Short-term memory in the database (STM): its tables, what works on it, and the writes of a run's session.

mod backend;

use crate::memory::stm::{Entry, Session, Stale, Stm, StmBackend, StmError};
use crate::memory::{Memory, sql};
use backend::SqliteStm;

/// The tables of short-term memory, of its hourly counts, and of security events.
pub(in crate::memory) const STEP: &str = "
CREATE TABLE stm_sessions (
  sid        INTEGER PRIMARY KEY,
  embodiment TEXT NOT NULL,
  session_id TEXT NOT NULL,
  actor      TEXT NOT NULL,
  run_id     TEXT,
  opened_at  INTEGER NOT NULL,
  active_at  INTEGER NOT NULL,
  ended_at   INTEGER,
  entries    INTEGER NOT NULL DEFAULT 0,
  bytes      INTEGER NOT NULL DEFAULT 0,
  recalls    INTEGER NOT NULL DEFAULT 0,
  expired    INTEGER NOT NULL DEFAULT 0,
  pruned     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (embodiment, session_id)
) STRICT;
CREATE TABLE stm_entries (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  id         TEXT NOT NULL UNIQUE,
  sid        INTEGER NOT NULL REFERENCES stm_sessions(sid) ON DELETE CASCADE,
  category   TEXT NOT NULL
    CHECK (category IN ('conversation', 'active_task', 'reasoning_state', 'user_input', 'system_state')),
  actor      TEXT NOT NULL,
  priority   INTEGER NOT NULL CHECK (priority BETWEEN 0 AND 2),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  bytes      INTEGER NOT NULL,
  tags       TEXT NOT NULL CHECK (json_valid(tags)),
  content    TEXT NOT NULL CHECK (json_valid(content))
) STRICT;
CREATE INDEX stm_by_time ON stm_entries(sid, created_at);
CREATE INDEX stm_by_priority ON stm_entries(sid, priority, created_at);
CREATE INDEX stm_by_expiry ON stm_entries(sid, expires_at);
CREATE TABLE stm_hours (
  hour INTEGER NOT NULL, what TEXT NOT NULL, n INTEGER NOT NULL, sum INTEGER NOT NULL,
  PRIMARY KEY (hour, what)
) STRICT, WITHOUT ROWID;
CREATE TABLE security_key (one INTEGER PRIMARY KEY CHECK (one = 1), key BLOB NOT NULL) STRICT;
CREATE TABLE security_events (
  seq INTEGER PRIMARY KEY, ts INTEGER NOT NULL, kind TEXT NOT NULL, rule TEXT NOT NULL, place TEXT NOT NULL,
  hash8 TEXT NOT NULL
) STRICT;
";

const UNMEASURED: &dyn Fn() -> u64 = &|| 0;

impl Memory {
    /// Works on short-term memory in one transaction, at the time `now` (milliseconds since 1970 UTC). `took` returns
    /// the microseconds since the operation began.
    pub fn stm<T>(
        &mut self,
        now: i64,
        took: &dyn Fn() -> u64,
        work: impl FnOnce(&mut Stm<'_>) -> Result<T, StmError>,
    ) -> Result<T, StmError> {
        let done = self.write(|tx| Ok(work(&mut Stm::new(&mut SqliteStm { db: tx }, now, took))?));
        done.map_err(|error| error.downcast().unwrap_or_else(StmError::Backend))
    }

    /// Deletes what is due (STM-4). Returns whether anything was among it that somebody stored, beside what hefesto notes
    /// of its own runs; if nothing is due, nothing is written.
    pub(in crate::memory) fn stm_sweep(&mut self, now: i64) -> Result<bool, StmError> {
        if (SqliteStm { db: &self.db }).stale(now)? == Stale::default() {
            return Ok(false);
        }
        let before = self.stored()?;
        self.stm(now, UNMEASURED, |stm| stm.sweep())?;
        Ok(self.stored()? != before)
    }

    fn stored(&self) -> Result<i64, StmError> {
        let sql = "SELECT count(*) FROM stm_entries WHERE NOT (actor = 'hefesto' AND category = 'active_task')";
        Ok(sql::value(&self.db, sql, [])?.unwrap_or(0))
    }

    /// An in-memory database with these sessions and their entries only.
    pub fn of_sessions(sessions: Vec<(Session, Vec<Entry>)>) -> anyhow::Result<Self> {
        let mut memory = Self::in_memory()?;
        memory.write(|tx| {
            let mut store = SqliteStm { db: tx };
            for (session, entries) in sessions {
                store.open(&session)?;
                for entry in entries {
                    store.insert(entry)?;
                }
            }
            Ok(())
        })?;
        Ok(memory)
    }

    /// Reads short-term memory; operations that write are not available.
    pub fn stm_look<T>(&self, now: i64, work: impl FnOnce(&Stm<'_>) -> Result<T, StmError>) -> Result<T, StmError> {
        work(&Stm::new(&mut SqliteStm { db: &self.db }, now, UNMEASURED))
    }
}

/// Works on short-term memory in the caller's transaction.
pub(in crate::memory) fn within<T>(
    tx: &rusqlite::Transaction<'_>,
    now: i64,
    work: impl FnOnce(&mut Stm<'_>) -> Result<T, StmError>,
) -> anyhow::Result<T> {
    Ok(work(&mut Stm::new(&mut SqliteStm { db: tx }, now, UNMEASURED))?)
}

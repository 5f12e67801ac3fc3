//! How a connection is configured before the first statement runs over a file that anybody may have written.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::trace::{TraceEvent, TraceEventCodes};
use rusqlite::{Connection, OpenFlags};

/// How long one statement may run. Measured over 26,000 messages in 210 MB with a debug build: no search takes more
/// than 16 s.
const STATEMENT: Duration = Duration::from_secs(60);

/// How long one statement of a maintenance command may run: `vacuum` rewrites the whole file in one.
const MAINTENANCE: Duration = Duration::from_secs(600);

/// How long all statements together may run once a signal arrived: enough to record how a run ended.
const AFTER_SIGNAL: Duration = Duration::from_millis(500);

/// How many instructions of SQLite's virtual machine pass between two readings of the clock (about a millisecond).
const INSTRUCTIONS: i32 = 20_000;

/// At most this much of the time between two readings is charged: the process may have been stopped meanwhile.
const LONGEST_STEP: Duration = Duration::from_secs(1);

/// The limits of a connection. Texts are at most 1 MiB when written; a JSON document may contain a thousand of them.
const LIMITS: [(Limit, i32); 9] = [
    (Limit::SQLITE_LIMIT_LENGTH, 64 << 20),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 64 << 10),
    (Limit::SQLITE_LIMIT_COLUMN, 100),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 100),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 10),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    (Limit::SQLITE_LIMIT_SCHEMA, 200),
];

pub(super) fn open(name: &std::ffi::OsStr, flags: OpenFlags) -> rusqlite::Result<(Connection, Allowance)> {
    harden(Connection::open_with_flags(name, flags)?)
}

/// Hardens a connection: nothing in the file is trusted, limits are set, and no statement runs without end.
pub(super) fn harden(mut db: Connection) -> rusqlite::Result<(Connection, Allowance)> {
    for (config, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
        db.set_db_config(config, on)?;
    }
    for (limit, most) in LIMITS {
        db.set_limit(limit, most)?;
    }
    db.pragma_update(None, "cell_size_check", true)?;
    let allowance = Allowance::default();
    allowance.watch(&mut db)?;
    Ok((db, allowance))
}

/// The time that the statements of a connection may take.
#[derive(Debug, Clone)]
pub(super) struct Allowance(Arc<Mutex<Spent>>);

#[derive(Debug)]
struct Spent {
    most: Duration,
    /// The time of the running statement so far.
    statement: Duration,
    /// The time of all statements since a signal arrived.
    signalled: Duration,
    /// When the clock was last read for the running statement.
    read: Option<Instant>,
}

impl Default for Allowance {
    fn default() -> Self {
        Self::of(STATEMENT)
    }
}

impl Allowance {
    fn of(most: Duration) -> Self {
        let spent = Spent { most, statement: Duration::ZERO, signalled: Duration::ZERO, read: None };
        Self(Arc::new(Mutex::new(spent)))
    }

    /// Extends the limit of later statements to that of maintenance.
    pub(super) fn extend(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).most = MAINTENANCE;
    }

    fn watch(&self, db: &mut Connection) -> rusqlite::Result<()> {
        let spent = Arc::clone(&self.0);
        let begun = move |event: TraceEvent<'_>| {
            // SQLite reports a trigger as a comment; it belongs to the statement that fires it.
            if matches!(event, TraceEvent::Stmt(_, sql) if !sql.starts_with("--")) {
                spent.lock().unwrap_or_else(PoisonError::into_inner).begin();
            }
        };
        db.trace_v2(TraceEventCodes::SQLITE_TRACE_STMT, Some(begun))?;
        let spent = Arc::clone(&self.0);
        let over = move || {
            let mut spent = spent.lock().unwrap_or_else(PoisonError::into_inner);
            spent.charge(Instant::now(), crate::terminal::signal::arrived());
            spent.over()
        };
        db.progress_handler(INSTRUCTIONS, Some(over))
    }
}

impl Spent {
    fn begin(&mut self) {
        (self.statement, self.read) = (Duration::ZERO, None);
    }

    fn charge(&mut self, now: Instant, signalled: bool) {
        let took = self.read.map_or(Duration::ZERO, |read| now.saturating_duration_since(read)).min(LONGEST_STEP);
        self.read = Some(now);
        self.statement += took;
        if signalled {
            self.signalled += took;
        }
    }

    fn over(&self) -> bool {
        self.statement > self.most || self.signalled > AFTER_SIGNAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

    #[test]
    fn a_statement_without_end_is_interrupted_and_the_next_one_runs() {
        let mut db = Connection::open_in_memory().unwrap();
        Allowance::of(Duration::from_millis(20)).watch(&mut db).unwrap();
        for _ in 0..2 {
            let error = db.query_row(ENDLESS, [], |_| Ok(())).unwrap_err();
            assert_eq!(error.sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
            assert_eq!(db.query_row("SELECT 1", [], |row| row.get::<_, i64>(0)).unwrap(), 1);
        }
    }

    #[test]
    fn a_statement_is_charged_for_itself_and_not_for_a_pause_of_the_process() {
        let (now, mut spent) = (Instant::now(), Allowance::of(Duration::from_secs(3)));
        let spent = Arc::get_mut(&mut spent.0).unwrap().get_mut().unwrap();
        let mut after = |seconds, signalled| {
            spent.charge(now + Duration::from_secs(seconds), signalled);
            spent.over()
        };
        assert!(!after(0, false) && !after(1, false) && !after(3600, false) && !after(3601, false));
        assert!(after(3602, false));
        spent.begin();
        assert!(!spent.over());
        spent.charge(now, true);
        spent.charge(now + Duration::from_millis(400), true);
        spent.begin();
        assert!(!spent.over());
        spent.charge(now + Duration::from_millis(500), true);
        spent.charge(now + Duration::from_millis(700), true);
        spent.begin();
        assert!(spent.over(), "after a signal all statements share one allowance");
    }

    #[test]
    fn a_file_cannot_reach_other_files_or_be_changed_behind_its_schema() {
        let (db, _) = harden(Connection::open_in_memory().unwrap()).unwrap();
        assert!(db.execute_batch("ATTACH ':memory:' AS other").is_err());
        assert!(db.execute_batch("PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = ''").is_err());
        let many: String = (0..300).map(|at| format!("CREATE TABLE t{at}(x);")).collect();
        assert!(db.execute_batch(&many).is_err(), "a schema has at most 200 objects");
        let deep = format!("SELECT {}1{}", "-(".repeat(200), ")".repeat(200));
        assert!(db.query_row(&deep, [], |_| Ok(())).is_err());
        assert!(db.query_row("SELECT zeroblob(100000000)", [], |_| Ok(())).is_err());
    }
}

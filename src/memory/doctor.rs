//! The usage of every limit, and the checks of `memory doctor`: pages, references, indexes, checksums, orphans, limits,
//! and whether the stores agree about each run. Nothing is changed. A failed run is no damage.

use serde::Serialize;

use super::prune::{OF_RUNS, blob_is_used};
use super::turn::{ACTIVE, EPISODES, FACTS};
use super::{Memory, sql};

/// How many findings of one kind are shown.
const MOST: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub ok: bool,
    /// The first twenty problems.
    pub found: Vec<String>,
}

impl Check {
    fn of(name: &'static str, mut found: Vec<String>) -> Self {
        let ok = found.is_empty();
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        if more > 0 {
            found.push(format!("and {more} more"));
        }
        Self { name, ok, found }
    }
}

/// The checks: a name, and queries of which every row is a problem.
const MUST_NOT_BE: &[(&str, &[&str])] = &[
    (
        "search index",
        &[
            "SELECT 'row ' || id || ' is not in the index of words' FROM
               (SELECT id FROM fifo_texts EXCEPT SELECT id FROM fifo_words_docsize)",
            "SELECT 'row ' || id || ' is not in the index of parts' FROM
               (SELECT id FROM fifo_texts EXCEPT SELECT id FROM fifo_parts_docsize)",
            "SELECT 'the index of words has row ' || id || ', which is gone' FROM
               (SELECT id FROM fifo_words_docsize EXCEPT SELECT id FROM fifo_texts)",
            "SELECT 'the index of parts has row ' || id || ', which is gone' FROM
               (SELECT id FROM fifo_parts_docsize EXCEPT SELECT id FROM fifo_texts)",
        ],
    ),
    (
        "counters",
        &[
            "SELECT 'session ' || session_id || ' counts ' || entries || ' entries and holds ' || n FROM
               (SELECT s.session_id, s.entries, (SELECT count(*) FROM stm_entries e WHERE e.sid = s.sid) n
                FROM stm_sessions s) WHERE n <> entries",
            "SELECT 'session ' || session_id || ' counts ' || bytes || ' bytes and holds ' || n FROM
               (SELECT s.session_id, s.bytes, (SELECT coalesce(sum(e.bytes), 0) FROM stm_entries e WHERE e.sid = s.sid) n
                FROM stm_sessions s) WHERE n <> bytes",
            "SELECT 'conversation ' || conversation_id || ' counts ' || message_count || ' messages and holds ' || n FROM
               (SELECT c.conversation_id, c.message_count,
                  (SELECT count(*) FROM messages m WHERE m.conversation_id = c.conversation_id) n
                FROM conversations c) WHERE n <> message_count",
            "SELECT 'lane ' || l.lane || ' goes on with number ' || l.next_seq || ', and slot ' || s.slot || ' has ' || s.seq
             FROM wm_lanes l JOIN wm_slots s USING (lane) WHERE s.seq >= l.next_seq",
        ],
    ),
    // A run has phases once it has ended. One that was committed and then died is closed by the next `create`, or by
    // `recover`; until then it is unfinished, which is no damage.
    (
        "agreement",
        &[
            "SELECT 'run ' || r.run_id || ' is ' || r.status || ' and its epoch was not summarised'
             FROM runs r JOIN epochs e USING (run_id)
             WHERE r.status NOT IN ('running', 'paused') AND e.flushed_at IS NULL
               AND EXISTS (SELECT 1 FROM run_phases p WHERE p.run_id = r.run_id)",
            "SELECT 'run ' || r.run_id || ' is ' || r.status || ' and its epoch is over'
             FROM runs r JOIN epochs e USING (run_id) WHERE r.status IN ('running', 'paused') AND e.flushed_at IS NOT NULL",
            "SELECT 'run ' || r.run_id || ' is ' || r.status || ' and its turn ' || t.turn_id || ' still runs'
             FROM runs r JOIN turns t USING (run_id)
             WHERE r.status NOT IN ('running', 'paused') AND t.status = 'running'
               AND EXISTS (SELECT 1 FROM run_phases p WHERE p.run_id = r.run_id)",
            "SELECT 'run ' || r.run_id || ' is ' || r.status || ' and its session is open'
             FROM runs r JOIN stm_sessions s USING (run_id)
             WHERE r.status NOT IN ('running', 'paused') AND s.ended_at IS NULL
               AND EXISTS (SELECT 1 FROM run_phases p WHERE p.run_id = r.run_id)",
            "SELECT 'run ' || r.run_id || ' is done and was remembered as ' || e.kind
             FROM runs r JOIN episodes e USING (run_id) WHERE r.status = 'done' AND e.kind <> 'done'",
            "SELECT 'run ' || r.run_id || ' ended at ' || r.ended_at || ' and is running' FROM runs r
             WHERE r.status = 'running' AND r.ended_at IS NOT NULL",
            "SELECT 'conversation ' || conversation_id || ' is one of ' || count(*) || ' active ones' FROM conversations
             WHERE is_active = 1 GROUP BY is_active HAVING count(*) > 1",
        ],
    ),
];

/// From which size in bytes a log that was not written back is a finding.
const LONG_LOG: u64 = 8 << 20;

impl Memory {
    /// Examines everything. `log` is the size of the write-ahead log beside the file, `leftover` whether a rollback
    /// journal exists.
    pub fn examine(&self, capacity: usize, log: u64, leftover: bool) -> anyhow::Result<Vec<Check>> {
        self.allowance.extend();
        let mut checks = vec![Check::of("pages", self.pages()), Check::of("references", self.references()?)];
        checks.push(Check::of("checksums", self.checksums()?));
        for (name, queries) in MUST_NOT_BE {
            let mut found = Vec::new();
            for sql in *queries {
                found.extend(sql::column::<String>(&self.db, sql, [])?);
            }
            checks.push(Check::of(name, found));
        }
        checks.push(Check::of("orphans", self.orphans()?));
        checks.push(Check::of("limits", self.beyond(capacity)?));
        let mut journal = Vec::new();
        if log > LONG_LOG {
            journal.push(format!("the log has {log} bytes: `hefesto memory vacuum` writes it back"));
        }
        if leftover {
            journal
                .push("a rollback journal is beside the database: the next command that writes rolls it back".into());
        }
        checks.push(Check::of("journal", journal));
        Ok(checks)
    }

    /// SQLite's own integrity check, including the full-text indexes.
    fn pages(&self) -> Vec<String> {
        match sql::column::<String>(&self.db, "PRAGMA integrity_check(20)", []) {
            Ok(said) => said.into_iter().filter(|line| line != "ok").collect(),
            Err(error) => vec![error.to_string()],
        }
    }

    fn references(&self) -> anyhow::Result<Vec<String>> {
        sql::all(&self.db, "SELECT \"table\", coalesce(rowid, 0), parent FROM pragma_foreign_key_check", [], |row| {
            let (table, row_id, parent): (String, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(format!("row {row_id} of {table} refers to a row of {parent} that is not there"))
        })
    }

    /// The checksums of all slots, checkpoints set aside, and blobs.
    fn checksums(&self) -> anyhow::Result<Vec<String>> {
        let (_, damaged) = self.verify()?;
        let mut found: Vec<String> = damaged
            .into_iter()
            .map(|one| format!("lane {}, slot {}: {} of run {} was changed", one.lane, one.slot, one.phase, one.run_id))
            .collect();
        for (lane, one) in super::ring::sqlite::aside(&self.db, None)? {
            if !one.intact(lane, one.slot) {
                found.push(format!("{} of run {}, set aside, was changed", one.phase, one.run));
            }
        }
        let blobs: Vec<(String, bool)> = sql::all(&self.db, "SELECT hash, data FROM blobs", [], |row| {
            let hash: String = row.get(0)?;
            let intact = blake3::hash(row.get_ref(1)?.as_str()?.as_bytes()).to_hex().as_str() == hash;
            Ok((hash, intact))
        })?;
        found.extend(blobs.iter().filter(|one| !one.1).map(|(hash, _)| format!("blob {hash} was changed")));
        Ok(found)
    }

    fn orphans(&self) -> anyhow::Result<Vec<String>> {
        let mut found = Vec::new();
        for table in OF_RUNS {
            let sql = format!(
                "SELECT DISTINCT 'a row of {table} belongs to run ' || run_id || ', which is not there' FROM {table}
                 WHERE run_id IS NOT NULL AND run_id NOT IN (SELECT run_id FROM runs)"
            );
            found.extend(sql::column::<String>(&self.db, &sql, [])?);
        }
        let sql =
            format!("SELECT 'blob ' || hash || ' belongs to no checkpoint' FROM blobs WHERE NOT {}", blob_is_used());
        found.extend(sql::column::<String>(&self.db, &sql, [])?);
        Ok(found)
    }

    fn beyond(&self, capacity: usize) -> anyhow::Result<Vec<String>> {
        let mut usage = self.usage()?;
        let known = self.fifo_statistics()?;
        // Pinned conversations and the active one may exceed the capacity.
        let needed = known.pinned + usize::from(known.active.is_some());
        let (used, limit) = (known.conversations as u64, capacity.max(needed) as u64);
        usage.push(Usage { store: "fifo", what: "conversations", used, limit });
        let slack = |limit: u64| limit + limit / 10 + 1;
        let beyond = usage.into_iter().filter(|one| one.used > slack(one.limit) && one.store != "database");
        Ok(beyond
            .map(|one| format!("{}: {} {}, and {} are the limit", one.store, one.used, one.what, one.limit))
            .collect())
    }
}

/// The size in bytes from which the database is reported as large. Nothing is refused beyond it.
pub const LARGE: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Usage {
    pub store: &'static str,
    pub what: &'static str,
    pub used: u64,
    pub limit: u64,
}

/// What is counted against a limit: store, kind, query, limit.
const COUNTED: &[(&str, &str, &str, usize)] = &[
    ("runs", "runs", "SELECT count(*) FROM runs", super::run::RUNS_KEPT as usize),
    (
        "ring",
        "slots of the fullest lane",
        "SELECT coalesce(max(n), 0) FROM (SELECT count(*) n FROM wm_slots GROUP BY lane)",
        super::ring::CAPACITY,
    ),
    ("turn", "turns", "SELECT count(*) FROM turns", super::turn::sqlite::TURNS_KEPT as usize),
    (
        "turn",
        "active observations",
        "SELECT count(*) FROM observations WHERE status IN ('active', 'pending_review')",
        ACTIVE,
    ),
    ("long", "episodes", "SELECT count(*) FROM episodes", EPISODES),
    ("long", "facts", "SELECT count(*) FROM facts", FACTS),
    ("long", "patterns", "SELECT count(*) FROM patterns", super::fifo::sqlite::PATTERNS_KEPT),
];

impl Memory {
    pub fn usage(&self) -> anyhow::Result<Vec<Usage>> {
        let count = |sql: &str| self.db.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs);
        let mut usage = Vec::new();
        for (store, what, sql, limit) in COUNTED {
            usage.push(Usage { store, what, used: count(sql)?, limit: *limit as u64 });
        }
        usage.push(Usage { store: "database", what: "bytes", used: self.size()?, limit: LARGE });
        Ok(usage)
    }

    /// The size of the database in bytes, with free pages and without the log.
    pub fn size(&self) -> anyhow::Result<u64> {
        let pragma = |name: &str| self.db.query_row(name, [], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs);
        Ok(pragma("PRAGMA page_count")? * pragma("PRAGMA page_size")?)
    }
}

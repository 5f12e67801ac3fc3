//! The usage of every limit.

use serde::Serialize;

use super::Memory;
use crate::memory::ring::CAPACITY;
use crate::memory::turn::{ACTIVE, EPISODES, FACTS};

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
        CAPACITY,
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

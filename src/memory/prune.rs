//! Deletes one row by its id, or old rows, without leaving orphans.

use rusqlite::limits::Limit;
use rusqlite::{Transaction, TransactionBehavior, params};

use super::Memory;
use super::catalog::{Table, listed};
use super::fifo::sqlite as fifo;

/// What was deleted, or would be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PruneReport {
    pub rows: std::collections::BTreeMap<(&'static str, &'static str), u64>,
    pub bytes: u64,
}

impl PruneReport {
    pub fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

impl Memory {
    /// Deletes what is no longer needed and older than an instant. Without `really` it is only counted: the same
    /// statements run, and are rolled back.
    pub fn prune(&mut self, store: Option<&str>, before: i64, now: i64, really: bool) -> anyhow::Result<PruneReport> {
        self.tentative(really, |tx| {
            let mut gone = PruneReport::default();
            for table in listed(store) {
                let fits = format!("{} < ?1 AND ({}) AND (?2 OR 1)", table.at, table.over);
                forget(tx, table, &fits, params![before, now], &mut gone)?;
            }
            tidy(tx)?;
            Ok(gone)
        })
    }

    /// Removes the row with this id, and what belongs only to it. Without `really` it is only counted.
    pub fn forget_row(&mut self, store: Option<&str>, id: &str, really: bool) -> anyhow::Result<PruneReport> {
        self.tentative(really, |tx| {
            let mut gone = PruneReport::default();
            for table in listed(store) {
                forget(tx, table, &format!("{} = ?1", table.id), params![id], &mut gone)?;
            }
            if gone.rows.contains_key(&("runs", "run")) {
                for table in listed(Some("ring")) {
                    forget(tx, table, "t.run_id = ?1", params![id], &mut gone)?;
                }
            }
            tidy(tx)?;
            if gone.rows.keys().any(|(store, _)| *store == "fifo") {
                fifo::compact(tx)?;
            }
            Ok(gone)
        })
    }

    /// Runs work in one transaction, which is committed, or rolled back if only counted.
    pub(super) fn tentative<T>(
        &mut self,
        really: bool,
        work: impl FnOnce(&Transaction<'_>) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        self.allowance.extend();
        let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let done = work(&tx)?;
        if really {
            tx.commit()?;
        } else {
            tx.rollback()?;
        }
        Ok(done)
    }
}

fn forget(
    tx: &Transaction<'_>,
    table: &Table,
    fits: &str,
    values: &[&dyn rusqlite::ToSql],
    gone: &mut PruneReport,
) -> anyhow::Result<()> {
    let mut columns = [table.words, table.json, table.keys].concat();
    if table.name == "wm_slots" {
        columns.push("data");
    }
    let lengths: Vec<String> =
        columns.iter().map(|column| format!("coalesce(length(cast(t.{column} AS BLOB)), 0)")).collect();
    let sql = format!("SELECT count(*), coalesce(sum({}), 0) FROM {} t WHERE {fits}", lengths.join(" + "), table.name);
    let (count, bytes): (i64, i64) = tx.query_row(&sql, values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    if count > 0 {
        *gone.rows.entry((table.store, table.kind)).or_default() += count.unsigned_abs();
        gone.bytes += bytes.unsigned_abs();
        if table.name == "conversations" {
            // Entities only they named are removed with them.
            let theirs = format!(
                "DELETE FROM entities WHERE access_count <= 1 AND id IN (SELECT l.entity_id FROM conversation_entities l
                   JOIN conversations t ON t.conversation_id = l.conversation_id WHERE {fits})"
            );
            tx.execute(&theirs, values)?;
        }
        tx.execute(&format!("DELETE FROM {} AS t WHERE {fits}", table.name), values)?;
    }
    Ok(())
}

/// Deletes the rows that belonged to deleted ones, and recounts.
pub(super) fn tidy(tx: &Transaction<'_>) -> anyhow::Result<()> {
    for table in OF_RUNS {
        let gone = "run_id IS NOT NULL AND run_id NOT IN (SELECT run_id FROM runs)";
        tx.execute(&format!("DELETE FROM {table} WHERE {gone}"), [])?;
    }
    tx.execute_batch(
        "DELETE FROM wm_markers WHERE NOT EXISTS (
           SELECT 1 FROM runs r JOIN wm_slots s ON s.lane = r.lane
           WHERE r.run_id = wm_markers.run_id AND s.slot = wm_markers.slot AND s.seq = wm_markers.seq);
         UPDATE stm_sessions SET
           entries = (SELECT count(*) FROM stm_entries e WHERE e.sid = stm_sessions.sid),
           bytes = (SELECT coalesce(sum(e.bytes), 0) FROM stm_entries e WHERE e.sid = stm_sessions.sid);
         UPDATE conversations SET message_count =
           (SELECT count(*) FROM messages m WHERE m.conversation_id = conversations.conversation_id);",
    )?;
    tx.execute(&format!("DELETE FROM blobs WHERE NOT {}", blob_is_used()), [])?;
    fifo::forget_orphans(tx)
}

/// The tables whose rows belong to a run.
pub(super) const OF_RUNS: [&str; 5] = ["run_phases", "wm_markers", "wm_aside", "changes", "epochs"];

/// SQL: whether a checkpoint references a blob.
pub(super) fn blob_is_used() -> String {
    let used = |table: &str| {
        format!("EXISTS (SELECT 1 FROM {table} s WHERE s.data = '{{\"blob\":\"' || blobs.hash || '\"}}')")
    };
    format!("({} OR {})", used("wm_slots"), used("wm_aside"))
}

/// Lets unused pages be released without rewriting the file. It must be set before the first table is created; an older
/// file gets it with its next VACUUM.
pub(super) const GIVING_BACK: &str = "PRAGMA auto_vacuum = INCREMENTAL";

/// How many free pages are kept for reuse; beyond that they are released.
const SPARE: i64 = 32;

impl Memory {
    /// Releases unused pages to the file system if there are enough of them.
    pub(super) fn give_back(&self) -> anyhow::Result<()> {
        let free: i64 = self.db.query_row("PRAGMA freelist_count", [], |row| row.get(0))?;
        if free > SPARE {
            let mut statement = self.db.prepare("PRAGMA incremental_vacuum")?;
            let mut pages = statement.query([])?;
            while pages.next()?.is_some() {}
        }
        Ok(())
    }

    /// Releases unused space: the file is rewritten and the log emptied. Returns the size of the database in bytes
    /// before and after, and whether the log could be emptied (a reader may still need it).
    pub fn vacuum(&mut self) -> anyhow::Result<(u64, u64, bool)> {
        self.allowance.extend();
        let before = self.size()?;
        self.db.execute_batch(GIVING_BACK)?;
        // SQLite attaches the new file while it writes it.
        self.db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 1)?;
        let vacuumed = self.db.execute_batch("VACUUM");
        self.db.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        vacuumed?;
        let busy: i64 = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        Ok((before, self.size()?, busy == 0))
    }
}

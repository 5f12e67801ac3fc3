//! Eviction: the oldest conversation that is not needed, after its patterns are extracted (FIFO-2, FIFO-3).

use rusqlite::{Transaction, params};

use super::{bound, compact, entities};
use crate::memory::fifo::{EvictionCandidate, Pattern, patterns, victims};
use crate::memory::sql;

/// How many patterns are kept: the most frequent, then the newest.
pub(in crate::memory) const PATTERNS_KEPT: usize = 1000;
const LOG_KEPT: usize = 200;

/// Evicts until one more conversation fits. Returns the evicted ids, oldest first.
pub(super) fn make_room(tx: &Transaction<'_>, capacity: usize, now: i64) -> anyhow::Result<Vec<String>> {
    if super::number(tx, "SELECT count(*) FROM conversations")? < capacity {
        return Ok(Vec::new());
    }
    let leaving = victims(&held(tx)?, capacity)?;
    let mut left = Vec::new();
    for row in leaving {
        let (id, nth) = evict(tx, row, now)?;
        left.push(id);
        if usize::try_from(nth).is_ok_and(|nth| nth.is_multiple_of(capacity)) {
            compact(tx)?;
        }
    }
    Ok(left)
}

fn held(tx: &Transaction<'_>) -> anyhow::Result<Vec<EvictionCandidate>> {
    let sql = "SELECT id, created_at, is_active,
                 EXISTS (SELECT 1 FROM runs r WHERE r.run_id = c.pinned_by_run AND r.status IN ('running', 'paused'))
               FROM conversations c";
    sql::all(tx, sql, [], |row| columns!(row => EvictionCandidate { id, created_at, is_active, pinned }))
}

/// Evicts one conversation; returns its id and the number of the eviction.
fn evict(tx: &Transaction<'_>, row: i64, now: i64) -> anyhow::Result<(String, i64)> {
    let (id, title, tags): (String, String, String) = tx
        .prepare_cached("SELECT conversation_id, title, tags FROM conversations WHERE id = ?1")?
        .query_row([row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut mentions = entities::of(tx, &id)?;
    if mentions.is_empty() {
        mentions = entities::extract_entities(tx, &id, now)?.into_iter().map(|(mention, _)| mention).collect();
    }
    let tags: Vec<String> = serde_json::from_str(&tags).unwrap_or_default();
    let kept = patterns(&title, &tags, &mentions);
    count(tx, &kept, now)?;
    sql::run(tx, "DELETE FROM conversations WHERE id = ?1", [row])?;
    let log = "INSERT INTO eviction_log(conversation_id, event_type, timestamp, details)
               VALUES (?1, 'conversation_evicted', ?2, ?3)";
    let details = format!("FIFO eviction: capacity reached; {} patterns kept", kept.len());
    sql::run(tx, log, params![id, now, details])?;
    let nth = tx.last_insert_rowid();
    let oldest = "DELETE FROM eviction_log WHERE id IN (SELECT id FROM eviction_log ORDER BY id LIMIT ?1)";
    bound(tx, "eviction_log", LOG_KEPT, oldest)?;
    entities::forget_orphans(tx)?;
    Ok((id, nth))
}

fn count(tx: &Transaction<'_>, kept: &[Pattern], now: i64) -> anyhow::Result<()> {
    let mut statement = tx.prepare_cached(
        "INSERT INTO patterns(kind, key, count, last_seen) VALUES (?1, ?2, 1, ?3)
         ON CONFLICT DO UPDATE SET count = count + 1, last_seen = max(last_seen, ?3)",
    )?;
    for pattern in kept {
        statement.execute(params![pattern.kind, pattern.key, now])?;
    }
    let rare = "DELETE FROM patterns WHERE (kind, key) IN
                  (SELECT kind, key FROM patterns ORDER BY count, last_seen, kind, key LIMIT ?1)";
    bound(tx, "patterns", PATTERNS_KEPT, rare)
}

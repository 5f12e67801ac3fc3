//! Rows of short-term memory: how they are read, and the condition of a filter.

use rusqlite::Row;
use rusqlite::types::Value as Sql;

use super::backend::SID;
use crate::memory::sql::{count, json};
use crate::memory::stm::{Entry, Filter, GRACE, Head, Priority, Session, SessionKey};

pub(super) const SESSION: &str = "embodiment, session_id, actor, run_id, opened_at, active_at, ended_at, entries, bytes, \
     recalls, expired, pruned";

pub(super) const HEAD: &str =
    "e.id, e.seq, e.category, e.actor, e.priority, e.created_at, e.expires_at, e.tags, e.bytes";

/// The columns [`entry`] reads: those of its head, and its content.
pub(super) const ENTRY: &str =
    "e.id, e.seq, e.category, e.actor, e.priority, e.created_at, e.expires_at, e.tags, e.bytes, e.content";

/// Whether anything is due for deletion: a session that is over ([`Session::is_over`]), or an entry that expired before
/// the grace period. `?1` is now, `?2` the grace period, `?3` how long the session of a run stays without a new entry,
/// `?4` how long any other one does; all in milliseconds. The cross join makes SQLite read the few sessions first, then
/// their indexes.
pub(super) const STALE: &str = "SELECT
       EXISTS (SELECT 1 FROM stm_sessions
               WHERE coalesce(ended_at + ?2, active_at + iif(run_id IS NULL, ?4, ?3)) <= ?1)
    OR EXISTS (SELECT 1 FROM stm_sessions s CROSS JOIN stm_entries e ON e.sid = s.sid AND e.expires_at <= ?1 - ?2
               WHERE s.entries > 0)";

pub(super) fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        key: SessionKey { embodiment: row.get(0)?, id: row.get(1)? },
        actor: row.get(2)?,
        run_id: row.get(3)?,
        opened_at: row.get(4)?,
        active_at: row.get(5)?,
        ended_at: row.get(6)?,
        entries: count(row, 7)?,
        bytes: count(row, 8)?,
        recalls: count(row, 9)?,
        expired: count(row, 10)?,
        pruned: count(row, 11)?,
    })
}

pub(super) fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    let priority = |row: &Row<'_>, at| Ok::<_, rusqlite::Error>(Priority::ranked(row.get(at)?));
    columns!(row => Head {
        id, seq: count, category, actor, priority: priority, created_at, expires_at, tags: json, bytes: count,
    })
}

pub(super) fn entry(row: &Row<'_>, key: &SessionKey) -> rusqlite::Result<Entry> {
    Ok(Entry { key: key.clone(), head: head(row)?, content: json(row, 9)? })
}

/// A filter as a condition on `stm_entries e`, and its values: the same as [`Filter::fits`].
pub(super) fn condition(key: &SessionKey, filter: &Filter, now: i64) -> (String, Vec<Sql>) {
    let until = if filter.include_expired { now.saturating_sub(GRACE) } else { now };
    let mut values = vec![Sql::from(key.embodiment.clone()), Sql::from(key.id.clone()), Sql::from(until)];
    // The plus disables the index on the expiry: in time order the newest are found without sorting a session.
    let mut fits = format!("e.sid = {SID} AND +e.expires_at > ?3");
    let mut and = |test: &str, value: Sql| {
        values.push(value);
        fits.push_str(&test.replace('?', &format!("?{}", values.len())));
    };
    if !filter.categories.is_empty() {
        let words: Vec<&str> = filter.categories.iter().map(|one| one.word()).collect();
        and(" AND e.category IN (SELECT value FROM json_each(?))", serde_json::json!(words).to_string().into());
    }
    if let Some(actor) = &filter.actor {
        and(" AND e.actor = ?", actor.clone().into());
    }
    for tag in &filter.tags {
        and(" AND EXISTS (SELECT 1 FROM json_each(e.tags) WHERE value = ?)", tag.clone().into());
    }
    if let Some(since) = filter.since {
        and(" AND e.created_at >= ?", since.into());
    }
    if let Some(after) = filter.after {
        and(" AND e.seq > ?", i64::try_from(after).unwrap_or(i64::MAX).into());
    }
    if let Some(id) = &filter.id {
        and(" AND e.id = ?", id.clone().into());
    }
    (fits, values)
}

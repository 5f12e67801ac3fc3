//! Long-term memory in the database: episodes, facts, and the patterns that repeat.

use rusqlite::{Row, Transaction, params};
use serde::Serialize;

use super::{Memory, sql};
use crate::memory::turn::{EPISODES, Episode, FACTS, Fact, least_worth};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pattern {
    pub kind: String,
    pub key: String,
    pub count: i64,
    #[serde(serialize_with = "crate::memory::json::as_seconds")]
    pub last_seen: i64,
}

impl Memory {
    /// Stores how a run ended. A run that was resumed and ends again replaces its episode.
    pub fn record_episode(&mut self, episode: &Episode) -> anyhow::Result<()> {
        self.write(|tx| self::episode(tx, episode))
    }

    pub fn episodes(&self) -> anyhow::Result<Vec<Episode>> {
        let sql = "SELECT run_id, kind, subject, text, skill, error_code, phase, cure, importance, ts
                   FROM episodes ORDER BY ts DESC, id DESC";
        let read = |row: &Row<'_>| columns!(row => Episode { run_id, kind, subject, text, skill, error_code, phase, cure, importance, at });
        sql::all(&self.db, sql, [], read)
    }

    pub fn facts(&self) -> anyhow::Result<Vec<Fact>> {
        let sql = "SELECT key, version, text, source, importance, updated_at, access_count FROM facts ORDER BY key";
        let read =
            |row: &Row<'_>| columns!(row => Fact { key, version, text, source, importance, updated_at, access_count });
        sql::all(&self.db, sql, [], read)
    }

    /// The patterns that repeat, the most frequent first.
    pub fn patterns(&self) -> anyhow::Result<Vec<Pattern>> {
        let sql = "SELECT kind, key, count, last_seen FROM patterns ORDER BY count DESC, kind, key";
        sql::all(&self.db, sql, [], |row| columns!(row => Pattern { kind, key, count, last_seen }))
    }
}

/// Writes an episode, in the caller's transaction. Beyond the limit the oldest and least important are removed.
pub(super) fn episode(tx: &Transaction<'_>, episode: &Episode) -> anyhow::Result<()> {
    let sql = "INSERT INTO episodes(run_id, kind, subject, text, skill, error_code, phase, cure, importance, ts)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
               ON CONFLICT (run_id) DO UPDATE SET kind = ?2, subject = ?3, text = ?4, skill = ?5, error_code = ?6,
                 phase = ?7, cure = ?8, importance = ?9, ts = ?10";
    let Episode { run_id, kind, subject, text, skill, error_code, phase, cure, importance, at } = episode;
    sql::run(tx, sql, params![run_id, kind, subject, text, skill, error_code, phase, cure, importance, at])?;
    bound(tx, "episodes", "ts", EPISODES)
}

pub(super) fn fact(tx: &Transaction<'_>, fact: &Fact) -> anyhow::Result<()> {
    let sql = "INSERT INTO facts(key, version, text, source, importance, updated_at, access_count)
               VALUES (?1, 1, ?2, ?3, ?4, ?5, 0)
               ON CONFLICT (key) DO UPDATE SET version = version + (text <> ?2), text = ?2, source = ?3,
                 importance = ?4, updated_at = ?5";
    sql::run(tx, sql, params![fact.key, fact.text, fact.source, fact.importance, fact.updated_at])?;
    bound(tx, "facts", "updated_at", FACTS)
}

/// Removes the oldest and least important rows beyond the limit.
fn bound(tx: &Transaction<'_>, table: &str, time: &str, most: usize) -> anyhow::Result<()> {
    let count: i64 = tx.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    let most = i64::try_from(most)?;
    if count <= most {
        return Ok(());
    }
    let sql = format!("SELECT rowid, importance, {time} FROM {table} ORDER BY rowid");
    let mut rows: Vec<(i64, f64, i64)> = sql::all(tx, &sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for _ in most..count {
        let entries: Vec<(f64, i64)> = rows.iter().map(|row| (row.1, row.2)).collect();
        let Some(at) = least_worth(&entries) else { break };
        let (id, ..) = rows.remove(at);
        tx.execute(&format!("DELETE FROM {table} WHERE rowid = ?1"), [id])?;
    }
    Ok(())
}

pub(super) fn count_use(tx: &Transaction<'_>, keys: &[String]) -> anyhow::Result<()> {
    for key in keys {
        sql::run(tx, "UPDATE facts SET access_count = access_count + 1 WHERE key = ?1", [key])?;
    }
    Ok(())
}

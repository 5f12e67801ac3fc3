//! Long-term memory in the database: episodes, facts, and the patterns that repeat.

use rusqlite::{Row, Transaction, params};
use serde::Serialize;

use super::Memory;
use crate::memory::turn::{EPISODES, Episode, FACTS, Fact, Outcome, least_worth};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pattern {
    pub kind: String,
    pub key: String,
    /// How often it was seen.
    pub count: i64,
    /// When it was last seen, milliseconds UTC.
    #[serde(skip)]
    pub last_seen: i64,
}

impl Memory {
    /// Remembers how a run ended. A run that ends again, after it was taken up, replaces what was remembered of it.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn record_episode(&mut self, episode: &Episode) -> anyhow::Result<()> {
        self.write(|tx| self::episode(tx, episode))
    }

    /// Remembers a fact; another text under its key is its next version.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn learn(&mut self, fact: &Fact) -> anyhow::Result<()> {
        self.write(|tx| self::fact(tx, fact))
    }

    /// Every episode, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn episodes(&self) -> anyhow::Result<Vec<Episode>> {
        let sql = "SELECT run_id, kind, subject, text, skill, error_code, phase, cure, importance, ts
                   FROM episodes ORDER BY ts DESC, id DESC";
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map([], read_episode)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every fact, by key.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn facts(&self) -> anyhow::Result<Vec<Fact>> {
        let sql = "SELECT key, version, text, source, importance, updated_at, access_count FROM facts ORDER BY key";
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Fact {
                key: row.get(0)?,
                version: row.get(1)?,
                text: row.get(2)?,
                source: row.get(3)?,
                importance: row.get(4)?,
                updated_at: row.get(5)?,
                access_count: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Counts that these facts were told.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn told(&mut self, keys: &[String]) -> anyhow::Result<()> {
        if keys.is_empty() { Ok(()) } else { self.write(|tx| told(tx, keys)) }
    }

    /// The patterns that repeat, the most frequent first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn long_patterns(&self) -> anyhow::Result<Vec<Pattern>> {
        let sql = "SELECT kind, key, count, last_seen FROM patterns ORDER BY count DESC, kind, key";
        let mut statement = self.db.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| {
            Ok(Pattern { kind: row.get(0)?, key: row.get(1)?, count: row.get(2)?, last_seen: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Writes an episode, in the transaction of whoever calls. Beyond the limit the oldest and least important go.
pub(super) fn episode(tx: &Transaction<'_>, episode: &Episode) -> anyhow::Result<()> {
    tx.prepare_cached(
        "INSERT INTO episodes(run_id, kind, subject, text, skill, error_code, phase, cure, importance, ts)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT (run_id) DO UPDATE SET kind = ?2, subject = ?3, text = ?4, skill = ?5, error_code = ?6, phase = ?7,
           cure = ?8, importance = ?9, ts = ?10",
    )?
    .execute(params![
        episode.run_id,
        episode.kind.word(),
        episode.subject,
        episode.text,
        episode.skill,
        episode.error_code,
        episode.phase,
        episode.cure,
        episode.importance,
        episode.at,
    ])?;
    bound(tx, "episodes", "ts", EPISODES)
}

/// Writes a fact, in the transaction of whoever calls.
pub(super) fn fact(tx: &Transaction<'_>, fact: &Fact) -> anyhow::Result<()> {
    tx.prepare_cached(
        "INSERT INTO facts(key, version, text, source, importance, updated_at, access_count)
         VALUES (?1, 1, ?2, ?3, ?4, ?5, 0)
         ON CONFLICT (key) DO UPDATE SET version = version + (text <> ?2), text = ?2, source = ?3, importance = ?4,
           updated_at = ?5",
    )?
    .execute(params![fact.key, fact.text, fact.source, fact.importance, fact.updated_at])?;
    bound(tx, "facts", "updated_at", FACTS)
}

/// Removes the oldest and least important rows beyond the limit.
fn bound(tx: &Transaction<'_>, table: &str, time: &str, most: usize) -> anyhow::Result<()> {
    let count: i64 = tx.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    let most = i64::try_from(most)?;
    if count <= most {
        return Ok(());
    }
    let mut rows: Vec<(i64, f64, i64)> = {
        let mut statement = tx.prepare(&format!("SELECT rowid, importance, {time} FROM {table} ORDER BY rowid"))?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?
    };
    for _ in most..count {
        let entries: Vec<(f64, i64)> = rows.iter().map(|row| (row.1, row.2)).collect();
        let Some(at) = least_worth(&entries) else { break };
        let (id, ..) = rows.remove(at);
        tx.execute(&format!("DELETE FROM {table} WHERE rowid = ?1"), [id])?;
    }
    Ok(())
}

/// [`Memory::told`] in the transaction of whoever calls.
pub(super) fn told(tx: &Transaction<'_>, keys: &[String]) -> anyhow::Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut statement = tx.prepare_cached("UPDATE facts SET access_count = access_count + 1 WHERE key = ?1")?;
    for key in keys {
        statement.execute([key])?;
    }
    Ok(())
}

fn read_episode(row: &Row<'_>) -> rusqlite::Result<Episode> {
    let kind: String = row.get(1)?;
    Ok(Episode {
        run_id: row.get(0)?,
        kind: Outcome::find(&kind).unwrap_or(Outcome::Failed),
        subject: row.get(2)?,
        text: row.get(3)?,
        skill: row.get(4)?,
        error_code: row.get(5)?,
        phase: row.get(6)?,
        cure: row.get(7)?,
        importance: row.get(8)?,
        at: row.get(9)?,
    })
}

//! What is kept from run to run in the database: episodes, facts, decisions of a person, the patterns that repeat, and
//! the scratch page with the goals.

use rusqlite::{Row, Transaction, params};

use super::turn::{ACTIVE, ANSWERS, Answer, EPISODES, Episode, FACTS, Fact, Goal, Observation, least_worth};
use super::{Memory, sql};

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
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

pub(super) const ANSWERS_STEP: &str = "
CREATE TABLE answers (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL CHECK (kind IN ('answer', 'edit')), key TEXT NOT NULL, text TEXT NOT NULL,
  subject TEXT NOT NULL, skill TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
";

impl Memory {
    pub fn answers(&self) -> anyhow::Result<Vec<Answer>> {
        let sql = "SELECT id, kind, key, text, subject, skill, at FROM answers ORDER BY at DESC, id DESC";
        sql::all(&self.db, sql, [], |row| columns!(row => Answer { id, kind, key, text, subject, skill, at }))
    }
}

/// Stores decisions, in the caller's transaction. A new decision about the same request replaces the earlier one.
pub(super) fn learn(tx: &Transaction<'_>, answers: &[Answer]) -> anyhow::Result<()> {
    for one in answers {
        tx.execute(
            "DELETE FROM answers WHERE kind = ?1 AND key = ?2 AND subject = ?3 AND (kind = 'answer' OR text = ?4)",
            params![one.kind, one.key, one.subject, one.text],
        )?;
        insert!(tx, "INSERT INTO answers", one => id, kind, key, text, subject, skill, at)?;
    }
    if !answers.is_empty() {
        tx.execute(
            "DELETE FROM answers WHERE id IN (SELECT id FROM answers ORDER BY at DESC, id DESC LIMIT -1 OFFSET ?1)",
            [i64::try_from(ANSWERS)?],
        )?;
    }
    Ok(())
}

/// How many goals, questions and stories are kept; done ones are removed first, oldest first.
const GOALS: i64 = 200;

impl Memory {
    /// Notes an observation. Expired ones are removed; if a hundred are active, the last of the page is archived.
    /// Returns the ids of those archived.
    pub fn observe(&mut self, one: &Observation, now: i64) -> anyhow::Result<Vec<String>> {
        let tags = serde_json::to_string(&one.tags)?;
        self.write(|tx| {
            tx.execute("DELETE FROM observations WHERE expires_at < ?1", [now])?;
            insert!(
                tx, "INSERT INTO observations", one =>
                id, type: one.kind, content, source, owner, status, confidence, tags: tags, created_at, expires_at
            )?;
            let mut archived = Vec::new();
            loop {
                let active: Vec<Observation> = observations(tx)?.into_iter().filter(|one| one.open(now)).collect();
                let least = Observation::least(&active).filter(|_| active.len() > ACTIVE);
                let Some(least) = least else { return Ok(archived) };
                tx.execute("UPDATE observations SET status = 'archived' WHERE id = ?1", [&least])?;
                archived.push(least);
            }
        })
    }

    /// Marks an observation as resolved. `false` if none with this id is open.
    pub fn resolve_observation(&mut self, id: &str) -> anyhow::Result<bool> {
        let sql =
            "UPDATE observations SET status = 'resolved' WHERE id = ?1 AND status IN ('active', 'pending_review')";
        self.write(|tx| Ok(tx.execute(sql, [id])? > 0))
    }

    pub fn observations(&self) -> anyhow::Result<Vec<Observation>> {
        let mut all = observations(&self.db)?;
        Observation::in_order(&mut all);
        Ok(all)
    }

    pub fn note_goal(&mut self, goal: &Goal) -> anyhow::Result<()> {
        self.write(|tx| {
            insert!(
                tx, "INSERT INTO goals", goal =>
                id, kind, text, priority, due, blocking, status, created_at: goal.created, done_at: goal.done
            )?;
            let beyond = "DELETE FROM goals WHERE id IN (
                            SELECT id FROM goals ORDER BY status = 'active' DESC, created_at DESC, id DESC
                            LIMIT -1 OFFSET ?1)";
            sql::run(tx, beyond, [GOALS])
        })
    }

    /// Marks a goal as reached. `false` if none with this id is active.
    pub fn goal_done(&mut self, id: &str, now: i64) -> anyhow::Result<bool> {
        let sql = "UPDATE goals SET status = 'done', done_at = ?2 WHERE id = ?1 AND status = 'active'";
        self.write(|tx| Ok(tx.execute(sql, params![id, now])? > 0))
    }

    pub fn rejected(&self) -> anyhow::Result<std::collections::BTreeSet<String>> {
        Ok(sql::column(&self.db, "SELECT id FROM rejected", [])?.into_iter().collect())
    }

    /// All stored goals: active ones by priority, then the others.
    pub fn goals(&self) -> anyhow::Result<Vec<Goal>> {
        let sql = "SELECT id, kind, text, priority, due, blocking, status, created_at, done_at FROM goals";
        let read =
            |row: &Row<'_>| columns!(row => Goal { id, kind, text, priority, due, blocking, status, created, done });
        let mut all: Vec<Goal> = sql::all(&self.db, sql, [], read)?;
        Goal::in_order(&mut all);
        // Sorting is stable: each part stays in its order.
        all.sort_by_key(|goal| goal.status);
        Ok(all)
    }
}

const REJECTIONS: i64 = 500;

/// The remembered lines a person removed from a skill.
pub(in crate::memory) const REJECTED: &str = "
CREATE TABLE rejected (id TEXT PRIMARY KEY, text TEXT NOT NULL, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// Records that a line may be in no skill any more, in the caller's transaction.
pub(super) fn reject(tx: &Transaction<'_>, id: &str, text: &str, at: i64) -> anyhow::Result<()> {
    sql::run(tx, "INSERT OR REPLACE INTO rejected(id, text, at) VALUES (?1, ?2, ?3)", params![id, text, at])?;
    let beyond = "DELETE FROM rejected WHERE id IN (SELECT id FROM rejected ORDER BY at DESC, id LIMIT -1 OFFSET ?1)";
    sql::run(tx, beyond, [REJECTIONS])
}

fn observations(db: &rusqlite::Connection) -> anyhow::Result<Vec<Observation>> {
    let sql =
        "SELECT id, type, content, source, owner, status, confidence, tags, created_at, expires_at FROM observations";
    sql::all(db, sql, [], |row| {
        columns!(row => Observation {
            id, kind, content, source, owner, status, confidence, tags: sql::json, created_at, expires_at,
        })
    })
}

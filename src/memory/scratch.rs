//! The scratch page and the goals in the database.

use std::collections::BTreeSet;

use rusqlite::{Row, Transaction, params};

use super::{Memory, sql};
use crate::memory::turn::{ACTIVE, Goal, Observation};

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

    pub fn rejected(&self) -> anyhow::Result<BTreeSet<String>> {
        sql::column(&self.db, "SELECT id FROM rejected", [])
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

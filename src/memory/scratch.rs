//! The scratch page and the goals in the database.

use rusqlite::{Row, Transaction, params};

use super::Memory;
use crate::memory::turn::{ACTIVE, Aim, Goal, Observation, ObservationKind, Priority, Standing, Status};

/// How many goals, questions and stories are kept; what is done goes first, the oldest first.
const GOALS: i64 = 200;

/// What noting an observation did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Noted {
    /// Observations that were set aside to make room.
    pub archived: Vec<String>,
    /// How many had had their time and were removed.
    pub expired: usize,
}

impl Memory {
    /// Notes an observation. What has had its time is removed; where a hundred are active, the last of the page is set
    /// aside.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn observe(&mut self, one: &Observation, now: i64) -> anyhow::Result<Noted> {
        self.write(|tx| {
            let expired = tx.execute("DELETE FROM observations WHERE expires_at < ?1", [now])?;
            tx.execute(
                "INSERT INTO observations(id, type, content, source, owner, status, confidence, tags, created_at, expires_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                params![
                    one.id,
                    one.kind.word(),
                    one.content,
                    one.source,
                    one.owner,
                    one.status.word(),
                    one.confidence,
                    serde_json::to_string(&one.tags)?,
                    one.created_at,
                    one.expires_at
                ],
            )?;
            let mut archived = Vec::new();
            loop {
                let active: Vec<Observation> = observations(tx)?.into_iter().filter(|one| one.open(now)).collect();
                if active.len() <= ACTIVE {
                    return Ok(Noted { archived, expired });
                }
                let Some(least) = Observation::least(&active) else { return Ok(Noted { archived, expired }) };
                tx.execute("UPDATE observations SET status = 'archived' WHERE id = ?1", [&least])?;
                archived.push(least);
            }
        })
    }

    /// Marks an observation as dealt with. `false` where none is open under this id.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn resolve_observation(&mut self, id: &str) -> anyhow::Result<bool> {
        let sql =
            "UPDATE observations SET status = 'resolved' WHERE id = ?1 AND status IN ('active', 'pending_review')";
        self.write(|tx| Ok(tx.execute(sql, [id])? > 0))
    }

    /// Every observation that is kept, in the order of the page.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn observations(&self) -> anyhow::Result<Vec<Observation>> {
        let mut all = observations(&self.db)?;
        Observation::in_order(&mut all);
        Ok(all)
    }

    /// Notes a goal, a question or a story.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn note_goal(&mut self, goal: &Goal) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO goals(id, kind, text, priority, due, blocking, status, created_at, done_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                params![
                    goal.id,
                    goal.kind.word(),
                    goal.text,
                    goal.priority.word(),
                    goal.due,
                    goal.blocking,
                    goal.status.word(),
                    goal.created,
                    goal.done
                ],
            )?;
            forget_goals(tx)
        })
    }

    /// Marks a goal as reached. `false` where none is active under this id.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn goal_done(&mut self, id: &str, now: i64) -> anyhow::Result<bool> {
        let sql = "UPDATE goals SET status = 'done', done_at = ?2 WHERE id = ?1 AND status = 'active'";
        self.write(|tx| Ok(tx.execute(sql, params![id, now])? > 0))
    }

    /// Every goal that is kept: active ones in the order they are worth attending to, then the others.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn goals(&self) -> anyhow::Result<Vec<Goal>> {
        let sql = "SELECT id, kind, text, priority, due, blocking, status, created_at, done_at FROM goals";
        let mut statement = self.db.prepare_cached(sql)?;
        let all: Vec<Goal> = statement.query_map([], goal)?.collect::<Result<_, _>>()?;
        let (mut active, mut done): (Vec<_>, Vec<_>) = all.into_iter().partition(|goal| goal.status == Status::Active);
        Goal::in_order(&mut active);
        Goal::in_order(&mut done);
        active.extend(done);
        Ok(active)
    }
}

fn forget_goals(tx: &Transaction<'_>) -> anyhow::Result<()> {
    tx.execute(
        "DELETE FROM goals WHERE id IN (SELECT id FROM goals ORDER BY status = 'active' DESC, created_at DESC, id DESC
           LIMIT -1 OFFSET ?1)",
        [GOALS],
    )?;
    Ok(())
}

fn observations(db: &rusqlite::Connection) -> anyhow::Result<Vec<Observation>> {
    let sql =
        "SELECT id, type, content, source, owner, status, confidence, tags, created_at, expires_at FROM observations";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let (kind, status, tags): (String, String, String) = (row.get(1)?, row.get(5)?, row.get(7)?);
        Ok(Observation {
            id: row.get(0)?,
            kind: ObservationKind::find(&kind).unwrap_or(ObservationKind::Observation),
            content: row.get(2)?,
            source: row.get(3)?,
            owner: row.get(4)?,
            status: Standing::find(&status).unwrap_or(Standing::Archived),
            confidence: row.get(6)?,
            tags: serde_json::from_str(&tags).unwrap_or_default(),
            created_at: row.get(8)?,
            expires_at: row.get(9)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn goal(row: &Row<'_>) -> rusqlite::Result<Goal> {
    let (kind, priority, status): (String, String, String) = (row.get(1)?, row.get(3)?, row.get(6)?);
    Ok(Goal {
        id: row.get(0)?,
        kind: Aim::find(&kind).unwrap_or(Aim::Goal),
        text: row.get(2)?,
        priority: Priority::find(&priority).unwrap_or(Priority::Low),
        due: row.get(4)?,
        blocking: row.get(5)?,
        status: if status == "active" { Status::Active } else { Status::Done },
        created: row.get(7)?,
        done: row.get(8)?,
    })
}

//! Decisions of a person in the database.

use rusqlite::{Transaction, params};

use super::{Memory, sql};
use crate::memory::turn::{ANSWERS, Answer};

pub(super) const STEP: &str = "
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

//! What each run changed on disk: enough to tell where a copy comes from and whether it was edited since, and to undo
//! it.

use std::collections::HashSet;

use anyhow::Context;
use rusqlite::{Row, Transaction, params};
use serde::{Deserialize, Serialize};

use super::run::RunTx;
use super::{Ending, Facts, InstalledCopy, Memory, Recipe, Status, installed, recipe, sql, views};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// The path relative to the root.
    pub at: String,
    pub target: String,
    /// `create`, `overwrite`, `merge`, `replace`, `remove` or [`Changed::KEEP`].
    pub action: String,
    /// Digest of the files before; none: there were none.
    pub before: Option<String>,
    /// Digest of the files afterwards; none: there were none.
    pub after: Option<String>,
    /// The archive with the files before, relative to the root.
    pub backup: Option<String>,
}

impl Changed {
    /// The action for a copy that is not changed and counts as installed afterwards.
    pub const KEEP: &str = "keep";
}

/// A run that changed skills, as stored by its transaction until the database has it too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommittedRun {
    pub run: String,
    pub command: String,
    pub skill: String,
    /// `person` or `flag`.
    pub by: String,
    pub changed: Vec<Changed>,
    /// The registry before it, as JSON.
    pub before: String,
    /// The skill's copies afterwards, including unchanged ones.
    #[serde(default)]
    pub installed: Vec<InstalledCopy>,
    #[serde(default)]
    pub why: Option<String>,
    /// The recipe of the skill, if the run made it.
    #[serde(default)]
    pub recipe: Option<Recipe>,
}

impl CommittedRun {
    /// The targets of the changes in order, without duplicates.
    pub fn targets(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        self.changed.iter().map(|one| one.target.clone()).filter(|target| seen.insert(target.clone())).collect()
    }
}

const COLUMNS: &str = "at, target, action, before, after, backup";

impl Memory {
    /// Records a run that is committed on disk and whose process is gone, and closes what it left open.
    pub fn recovered(&mut self, committed: &CommittedRun, at: &str) -> anyhow::Result<()> {
        self.committed(committed, at)?;
        let (bounds, run) = (self.bounds, committed.run.as_str());
        let done = Ending::of(Status::Done, at.parse().context("the run has no time")?);
        self.write(|tx| views::ended(RunTx { tx, run, bounds, now: done.at.as_millisecond() }, &done))
    }

    /// Records a run that is committed on disk. Idempotent.
    pub fn committed(&mut self, committed: &CommittedRun, at: &str) -> anyhow::Result<()> {
        self.write(|tx| {
            let done = "INSERT INTO runs(run_id, command, status, started_at, lane, ended_at)
                        VALUES (?1, ?2, 'done', ?3, 0, ?3)
                        ON CONFLICT (run_id) DO UPDATE SET status = 'done', ended_at = ?3";
            sql::run(tx, done, params![committed.run, committed.command, at])?;
            changed(tx, committed)?;
            recipe::record(tx, committed)?;
            installed::record(tx, committed, at)
        })
    }

    pub fn changes_of(&self, run: &str) -> anyhow::Result<Vec<Changed>> {
        let sql = format!("SELECT {COLUMNS} FROM changes WHERE run_id = ?1 ORDER BY at");
        sql::all(&self.db, &sql, [run], read)
    }

    /// The registry before a run changed something, as JSON. `None` if that was not recorded.
    pub fn registry_before(&self, run: &str) -> anyhow::Result<Option<String>> {
        let sql = "SELECT registry FROM runs WHERE run_id = ?1";
        Ok(sql::value(&self.db, sql, [run])?.flatten())
    }

    pub fn last_change(&self) -> anyhow::Result<Option<String>> {
        let sql = "SELECT run_id FROM changes ORDER BY seq DESC, run_id DESC LIMIT 1";
        sql::value(&self.db, sql, [])
    }

    /// The newest run that changed this copy, and what it did.
    pub fn provenance(&self, at: &str) -> anyhow::Result<Option<(String, Changed)>> {
        let sql = format!("SELECT {COLUMNS}, run_id FROM changes WHERE at = ?1 ORDER BY seq DESC, run_id DESC LIMIT 1");
        sql::one(&self.db, &sql, [at], |row| Ok((row.get(6)?, read(row)?)))
    }

    /// The run whose changes an archive belongs to, and its command.
    pub fn run_of_backup(&self, path: &str) -> anyhow::Result<Option<(String, String)>> {
        let sql =
            "SELECT c.run_id, r.command FROM changes c JOIN runs r ON r.run_id = c.run_id WHERE c.backup = ?1 LIMIT 1";
        sql::one(&self.db, sql, [path], |row| Ok((row.get(0)?, row.get(1)?)))
    }
}

/// Records what a run changed, and the registry before it, as JSON. The order of these records is the order of the
/// changes: a run that waited may have an older id.
fn changed(tx: &Transaction<'_>, committed: &CommittedRun) -> anyhow::Result<()> {
    let run = &committed.run;
    let facts = Facts {
        skill: Some(committed.skill.clone()),
        targets: Some(committed.targets().join(",")),
        approved_by: Some(committed.by.clone()),
        ..Facts::default()
    };
    facts.write(tx, run)?;
    sql::run(tx, "UPDATE runs SET registry = ?2 WHERE run_id = ?1", [run, &committed.before])?;
    let seq: Option<i64> = sql::value(tx, "SELECT coalesce(max(seq), 0) + 1 FROM changes", [])?;
    for one in &committed.changed {
        insert!(
            tx, "INSERT OR REPLACE INTO changes", one =>
            run_id: run, at, target, action, before, after, backup, seq: seq
        )?;
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<Changed> {
    columns!(row => Changed { at, target, action, before, after, backup })
}

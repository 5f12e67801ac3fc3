//! Runs: the request, the progress and the outcome of each; and what it changed on disk: enough to tell where a copy
//! comes from and whether it was edited since, and to undo it.

use anyhow::Context;
use rusqlite::{Row, ToSql, Transaction, params};
use serde::{Deserialize, Serialize};

use super::ooda::NodeStatus;
use super::ring::Phase;
use super::turn::{Answer, Episode, Fact, sqlite as turn};
use super::{Bounds, InstalledCopy, Memory, Recipe, installed, sql, stamp, views};

pub(super) const RUNS_KEPT: u32 = 200;

words! {
    Status {
        /// Its process is running, or died.
        Running = "running",
        /// A prompt timed out or was interrupted; its checkpoints are set aside.
        Paused = "paused",
        Done = "done",
        DryRun = "dry_run",
        Declined = "declined",
        Failed = "failed",
    }
}

/// A run within a transaction, at a time in milliseconds UTC.
#[derive(Clone, Copy)]
pub(super) struct RunTx<'t> {
    pub(super) tx: &'t Transaction<'t>,
    pub(super) run: &'t str,
    pub(super) bounds: Bounds,
    pub(super) now: i64,
}

/// What is known of a run when it begins.
#[derive(Debug, Clone, Copy)]
pub struct NewRun<'a> {
    pub id: &'a str,
    pub command: &'a str,
    pub at: jiff::Timestamp,
    pub lane: u32,
    /// The description, as far as it is known and may be stored, in case the run fails before the end of P1.
    pub asked: Option<&'a str>,
    /// The actor and the embodiment of its session (STM-1). None: its session is not stored in this database.
    pub who: Option<(&'a str, &'a str)>,
}

/// What a phase found out about its run, committed with its checkpoint.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub description: Option<String>,
    pub input_hash: Option<String>,
    pub skill: Option<String>,
    pub targets: Option<String>,
    /// `person` or `flag`.
    pub approved_by: Option<String>,
    /// The digest of what was approved.
    pub digest: Option<String>,
    /// The lines of the skill that are from the memory, each with its reason, for the trace of the turn.
    pub remembered: Vec<String>,
}

/// How a run ends, or pauses.
#[derive(Debug, Clone, Copy)]
pub struct Ending<'a> {
    pub status: Status,
    pub at: jiff::Timestamp,
    /// The phase it ended in; none if it completed.
    pub phase: Option<Phase>,
    pub error: Option<&'a str>,
    pub phases: &'a [PhaseRecord],
    pub episode: Option<&'a Episode>,
    pub facts: &'a [Fact],
    pub answers: &'a [Answer],
}

impl Ending<'_> {
    pub(super) fn of(status: Status, at: jiff::Timestamp) -> Self {
        Self { status, at, phase: None, error: None, phases: &[], episode: None, facts: &[], answers: &[] }
    }

    /// The status of the node for the phase it ended in.
    pub(super) fn node(&self) -> Option<(Phase, NodeStatus)> {
        let status = match self.status {
            Status::Failed => NodeStatus::Failed,
            Status::Paused => NodeStatus::Parked,
            Status::Declined => NodeStatus::Completed,
            Status::Running | Status::Done | Status::DryRun => return None,
        };
        self.phase.map(|phase| (phase, status))
    }
}

/// A remembered run. Runs are ordered by when they were first remembered, not by their ids: under a fixed clock ids
/// of one instant have no order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    pub run_id: String,
    pub command: String,
    pub status: String,
    /// When it began, RFC 3339 UTC.
    pub started_at: String,
    pub ended_at: Option<String>,
    #[serde(skip)]
    pub lane: u32,
    pub description: Option<String>,
    /// The skill it made or was about to make.
    pub skill: Option<String>,
    pub targets: Option<String>,
    /// `person` or `flag`.
    pub approved_by: Option<String>,
    pub error: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseRecord {
    pub phase: String,
    /// `done`, `failed`, `declined` or `skipped`.
    pub status: String,
    /// Milliseconds it took, waiting for a person included.
    pub ms: u64,
}

/// A run of the wizard that was left before its first answer.
const UNANSWERED: &str = "command = 'create' AND status = 'declined' AND description IS NULL AND answers IS NULL
     AND coalesce(error, 'E-SIGNAL-001') = 'E-SIGNAL-001'";

impl Memory {
    pub fn begin(&mut self, run: NewRun<'_>) -> anyhow::Result<()> {
        let bounds = self.bounds;
        self.write(|tx| begin(tx, run, bounds))
    }

    /// Closes a run with its epoch, turn, session and conversation, and stores its episode and fact, in one transaction
    /// (P6). A paused run's checkpoints are set aside, so that the ring can be reused.
    pub fn end(&mut self, run: &str, ending: &Ending<'_>) -> anyhow::Result<()> {
        let bounds = self.bounds;
        self.write(|tx| {
            let waits = ending.status == Status::Paused;
            let end = "UPDATE runs SET status = ?2, ended_at = ?3, error = ?4, answers = iif(?5, answers, NULL)
                       WHERE run_id = ?1";
            sql::run(tx, end, params![run, ending.status, stamp(ending.at), ending.error, waits])?;
            let insert = "INSERT OR REPLACE INTO run_phases(run_id, phase, status, ms) VALUES (?1, ?2, ?3, ?4)";
            for record in ending.phases {
                sql::run(tx, insert, params![run, record.phase, record.status, i64::try_from(record.ms)?])?;
            }
            if waits {
                super::waiting::set_aside(tx, run)?;
            }
            views::ended(RunTx { tx, run, bounds, now: ending.at.as_millisecond() }, ending)
        })?;
        self.give_back()
    }

    pub fn phases_of(&self, run: &str) -> anyhow::Result<Vec<PhaseRecord>> {
        let sql = "SELECT phase, status, ms FROM run_phases WHERE run_id = ?1";
        sql::all(&self.db, sql, [run], |row| columns!(row => PhaseRecord { phase, status, ms: sql::count }))
    }

    pub fn same_input(&self, input_hash: &str, except: &str) -> anyhow::Result<Option<Run>> {
        let same = "input_hash = ?1 AND run_id <> ?2 AND status = 'done' ORDER BY rowid DESC LIMIT 1";
        Ok(self.runs_that(same, params![input_hash, except])?.pop())
    }

    /// The last completed run of this command other than `except`.
    pub fn last_done(&self, command: &str, except: &str) -> anyhow::Result<Option<Run>> {
        let done = "command = ?1 AND run_id <> ?2 AND status = 'done' ORDER BY rowid DESC LIMIT 1";
        Ok(self.runs_that(done, params![command, except])?.pop())
    }

    /// The newest run, or the one whose id begins or ends with `wanted`.
    pub fn find_run(&self, wanted: Option<&str>) -> anyhow::Result<Option<Run>> {
        let Some(wanted) = wanted else {
            return Ok(self.runs_that("1 ORDER BY rowid DESC LIMIT 1", &[])?.pop());
        };
        let mut fits = self.runs_that("1 ORDER BY rowid DESC", &[])?;
        fits.retain(|run| run.run_id.starts_with(wanted) || run.run_id.ends_with(wanted));
        if let Some(exact) = fits.iter().position(|run| run.run_id == wanted) {
            return Ok(Some(fits.swap_remove(exact)));
        }
        Ok(if fits.len() == 1 { fits.pop() } else { None })
    }

    /// The newest runs, newest first, without those of a wizard that was left before its first answer.
    pub fn runs(&self, most: usize) -> anyhow::Result<Vec<Run>> {
        self.runs_that(&format!("NOT ({UNANSWERED}) ORDER BY rowid DESC LIMIT ?1"), params![sql::limit(most)])
    }

    pub(super) fn runs_that(&self, fits: &str, values: &[&dyn ToSql]) -> anyhow::Result<Vec<Run>> {
        let columns =
            "run_id, command, status, started_at, ended_at, lane, description, skill, targets, approved_by, error";
        sql::all(&self.db, &format!("SELECT {columns} FROM runs WHERE {fits}"), values, |row| {
            columns!(row => Run {
                run_id, command, status, started_at, ended_at, lane, description, skill, targets, approved_by, error,
            })
        })
    }
}

pub(super) fn answered(tx: &Transaction<'_>, run: &str, answers: &str) -> anyhow::Result<()> {
    sql::run(tx, "UPDATE runs SET answers = ?2 WHERE run_id = ?1", [run, answers])
}

/// Writes a run's first row, in the caller's transaction.
pub(super) fn begin(tx: &Transaction<'_>, run: NewRun<'_>, bounds: Bounds) -> anyhow::Result<()> {
    let begin = "INSERT INTO runs(run_id, command, status, started_at, lane, description)
                 VALUES (?1, ?2, 'running', ?3, ?4, ?5)";
    sql::run(tx, begin, params![run.id, run.command, stamp(run.at), run.lane, run.asked])?;
    views::begun(RunTx { tx, run: run.id, bounds, now: run.at.as_millisecond() }, run.who)?;
    let oldest = "SELECT rowid FROM runs ORDER BY rowid DESC LIMIT 1 OFFSET ?1";
    let oldest: Option<i64> = sql::value(tx, oldest, [RUNS_KEPT - 1])?;
    // If the oldest run to keep is the first one, there is nothing to remove.
    let Some(oldest) = oldest else { return Ok(()) };
    if tx.prepare_cached("SELECT 1 FROM runs WHERE rowid < ?1")?.exists([oldest])? {
        for table in ["run_phases", "wm_markers", "wm_aside", "changes", "epochs", "runs"] {
            let older = "run_id IN (SELECT run_id FROM runs WHERE rowid < ?1)";
            sql::run(tx, &format!("DELETE FROM {table} WHERE {older}"), [oldest])?;
        }
    }
    Ok(())
}

impl Facts {
    /// Writes these facts, in the caller's transaction; `None` changes nothing.
    pub(super) fn write(&self, tx: &Transaction<'_>, run: &str) -> anyhow::Result<()> {
        if *self == Self::default() {
            return Ok(());
        }
        turn::explain(tx, run, &self.remembered)?;
        sql::run(
            tx,
            "UPDATE runs SET description = coalesce(?2, description), input_hash = coalesce(?3, input_hash),
               skill = coalesce(?4, skill), targets = coalesce(?5, targets),
               approved_by = coalesce(?6, approved_by), digest = coalesce(?7, digest)
             WHERE run_id = ?1",
            params![run, self.description, self.input_hash, self.skill, self.targets, self.approved_by, self.digest],
        )
    }
}

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
    #[serde(default)]
    pub recipe: Option<Recipe>,
}

impl CommittedRun {
    /// The targets of the changes in order, without duplicates.
    pub fn targets(&self) -> Vec<String> {
        let mut seen = std::collections::HashSet::new();
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
            installed::record_recipe(tx, committed)?;
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

    /// The run that changed something before this one, and its command.
    pub fn change_before(&self, run: &str) -> anyhow::Result<Option<(String, String)>> {
        let sql = "SELECT c.run_id, r.command FROM changes c JOIN runs r ON r.run_id = c.run_id
                   WHERE c.seq < (SELECT min(seq) FROM changes WHERE run_id = ?1)
                   ORDER BY c.seq DESC, c.run_id DESC LIMIT 1";
        sql::one(&self.db, sql, [run], |row| Ok((row.get(0)?, row.get(1)?)))
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

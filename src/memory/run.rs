//! Runs: the request, the progress and the outcome of each.

use rusqlite::{Params, Transaction, params};
use serde::Serialize;

use super::waiting::set_aside;
use super::{Bounds, Memory, sql, stamp, views};
use crate::memory::ooda::NodeStatus;
use crate::memory::ring::Phase;
use crate::memory::turn::sqlite as turn;
use crate::memory::turn::{Answer, Episode, Fact};

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
                set_aside(tx, run)?;
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
        Ok(self.runs_that(same, [input_hash, except])?.pop())
    }

    /// The last completed run of this command other than `except`.
    pub fn last_done(&self, command: &str, except: &str) -> anyhow::Result<Option<Run>> {
        let done = "command = ?1 AND run_id <> ?2 AND status = 'done' ORDER BY rowid DESC LIMIT 1";
        Ok(self.runs_that(done, [command, except])?.pop())
    }

    /// The newest run, or the one whose id begins or ends with `wanted`.
    pub fn find_run(&self, wanted: Option<&str>) -> anyhow::Result<Option<Run>> {
        let Some(wanted) = wanted else {
            return Ok(self.runs_that("1 ORDER BY rowid DESC LIMIT 1", [])?.pop());
        };
        let mut fits = self.runs_that("1 ORDER BY rowid DESC", [])?;
        fits.retain(|run| run.run_id.starts_with(wanted) || run.run_id.ends_with(wanted));
        if let Some(exact) = fits.iter().position(|run| run.run_id == wanted) {
            return Ok(Some(fits.swap_remove(exact)));
        }
        Ok(if fits.len() == 1 { fits.pop() } else { None })
    }

    /// The newest runs, newest first, without those of a wizard that was left before its first answer.
    pub fn runs(&self, most: usize) -> anyhow::Result<Vec<Run>> {
        self.runs_that(&format!("NOT ({UNANSWERED}) ORDER BY rowid DESC LIMIT ?1"), [sql::limit(most)])
    }

    pub(super) fn runs_that(&self, fits: &str, values: impl Params) -> anyhow::Result<Vec<Run>> {
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

//! Runs: what was asked, how far it came, how it ended.

use anyhow::Context;
use rusqlite::{OptionalExtension, Row, params};
use serde::Serialize;

use super::Memory;
use crate::working::{MemoryError, Phase};

/// How many runs are remembered.
const KEPT: u32 = 200;

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Its process is at work (or died without a word).
    Running,
    /// A prompt timed out or was interrupted; its checkpoints are kept aside.
    Paused,
    /// Done, skill in place.
    Done,
    /// A dry run that came to its end.
    DryRun,
    /// A person said no.
    Declined,
    /// It ended in an error.
    Failed,
}

impl Status {
    /// The word in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Done => "done",
            Self::DryRun => "dry_run",
            Self::Declined => "declined",
            Self::Failed => "failed",
        }
    }
}

/// What is known of a run when it begins.
#[derive(Debug, Clone, Copy)]
pub struct NewRun<'a> {
    /// Its id, ordered by time.
    pub id: &'a str,
    /// The command it belongs to.
    pub command: &'a str,
    /// When, RFC 3339 UTC.
    pub at: &'a str,
    /// The lane it holds.
    pub lane: u32,
}

/// A remembered run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Its id.
    pub run_id: String,
    /// The command it belongs to.
    pub command: String,
    /// [`Status::word`].
    pub status: String,
    /// When it began, RFC 3339 UTC.
    pub started_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// The lane it wrote.
    #[serde(skip)]
    pub lane: u32,
    /// What it was asked for.
    pub description: Option<String>,
    /// The skill it made or was about to make.
    pub skill: Option<String>,
    /// Target ids, comma separated.
    pub targets: Option<String>,
    /// `person` or `flag`.
    pub approved_by: Option<String>,
    /// The code it failed with.
    pub error: Option<String>,
}

/// How a phase of a run went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhaseRecord {
    /// The phase's name.
    pub phase: &'static str,
    /// `done`, `failed`, `declined` or `skipped`.
    pub status: &'static str,
    /// Milliseconds it took, waiting for a person included.
    pub ms: u64,
}

const COLUMNS: &str =
    "run_id, command, status, started_at, ended_at, lane, description, skill, targets, approved_by, error";

impl Memory {
    /// Remembers that a run begins, and forgets the oldest beyond the limit.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn begin(&mut self, run: NewRun<'_>) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute(
                "INSERT INTO runs(run_id, command, status, started_at, lane) VALUES (?1, ?2, 'running', ?3, ?4)",
                params![run.id, run.command, run.at, run.lane],
            )?;
            let oldest: Option<String> = tx
                .query_row("SELECT run_id FROM runs ORDER BY run_id DESC LIMIT 1 OFFSET ?1", [KEPT - 1], |row| {
                    row.get(0)
                })
                .optional()?;
            if let Some(oldest) = oldest {
                for table in ["run_phases", "wm_markers", "wm_aside", "runs"] {
                    tx.execute(&format!("DELETE FROM {table} WHERE run_id < ?1"), [&oldest])?;
                }
            }
            Ok(())
        })
    }

    /// Notes what the run is about, once that is known.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn describe(&mut self, run: &str, description: &str, input_hash: &str) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute(
                "UPDATE runs SET description = ?2, input_hash = ?3 WHERE run_id = ?1",
                params![run, description, input_hash],
            )?;
            Ok(())
        })
    }

    /// Notes which skill the run makes, for which targets.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn name_skill(&mut self, run: &str, skill: &str, targets: &str) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute("UPDATE runs SET skill = ?2, targets = ?3 WHERE run_id = ?1", params![run, skill, targets])?;
            Ok(())
        })
    }

    /// Notes the approval and the digest of what was approved.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn approved(&mut self, run: &str, by: &str, digest: &str) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute("UPDATE runs SET approved_by = ?2, digest = ?3 WHERE run_id = ?1", params![run, by, digest])?;
            Ok(())
        })
    }

    /// Keeps the wizard's answers of a run that waits.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn keep_answers(&mut self, run: &str, answers: &str) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute("UPDATE runs SET answers = ?2 WHERE run_id = ?1", params![run, answers])?;
            Ok(())
        })
    }

    /// Closes a run. A paused run's checkpoints are copied aside, so that the ring can go on without them.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn end(
        &mut self,
        run: &str,
        status: Status,
        at: &str,
        error: Option<&str>,
        phases: &[PhaseRecord],
    ) -> anyhow::Result<()> {
        self.write(|tx| {
            tx.execute(
                "UPDATE runs SET status = ?2, ended_at = ?3, error = ?4 WHERE run_id = ?1",
                params![run, status.word(), at, error],
            )?;
            for record in phases {
                tx.execute(
                    "INSERT OR REPLACE INTO run_phases(run_id, phase, status, ms) VALUES (?1, ?2, ?3, ?4)",
                    params![run, record.phase, record.status, i64::try_from(record.ms)?],
                )?;
            }
            if status == Status::Paused {
                tx.execute(
                    "INSERT OR REPLACE INTO wm_aside(run_id, phase, at, data)
                     SELECT m.run_id, m.phase, s.at, s.data FROM wm_markers m
                     JOIN runs r ON r.run_id = m.run_id
                     JOIN wm_slots s ON s.lane = r.lane AND s.slot = m.slot AND s.seq = m.seq
                     WHERE m.run_id = ?1",
                    [run],
                )?;
            }
            Ok(())
        })
    }

    /// Takes over a run that began in another memory: its row, and its checkpoints in the order of the phases.
    ///
    /// # Errors
    /// When one of the databases cannot be read or written.
    pub fn adopt(&mut self, from: &Self, run: &str, lane: u32) -> anyhow::Result<()> {
        let known: Run = from.one_run("run_id = ?1", &[run])?.context("the run is not there")?;
        self.begin(NewRun { id: run, command: &known.command, at: &known.started_at, lane })?;
        let columns = "description, input_hash, skill, targets, approved_by, digest, answers";
        let values: Vec<Option<String>> =
            from.db.query_row(&format!("SELECT {columns} FROM runs WHERE run_id = ?1"), [run], |row| {
                (0..7).map(|n| row.get(n)).collect()
            })?;
        self.write(|tx| {
            tx.execute(
                "UPDATE runs SET description = ?2, input_hash = ?3, skill = ?4, targets = ?5, approved_by = ?6,
                 digest = ?7, answers = ?8 WHERE run_id = ?1",
                params![run, values[0], values[1], values[2], values[3], values[4], values[5], values[6]],
            )?;
            Ok(())
        })?;
        for phase in Phase::ALL {
            match from.get_state(known.lane, run, phase) {
                Ok(checkpoint) => {
                    self.push_state(lane, run, phase, &checkpoint.data, &checkpoint.at)?;
                }
                Err(error) if error.is::<MemoryError>() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The newest finished run that was given this same input.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn same_input(&self, input_hash: &str, except: &str) -> anyhow::Result<Option<Run>> {
        self.one_run(
            "input_hash = ?1 AND run_id <> ?2 AND status = 'done' ORDER BY run_id DESC LIMIT 1",
            &[input_hash, except],
        )
    }

    /// The newest run, or the one whose id begins or ends with `wanted`.
    ///
    /// # Errors
    /// When the database cannot be read. `Ok(None)` when there is none, or several fit.
    pub fn find_run(&self, wanted: Option<&str>) -> anyhow::Result<Option<Run>> {
        let Some(wanted) = wanted else {
            return self.one_run("1 ORDER BY run_id DESC LIMIT 1", &[]);
        };
        let fits = self
            .runs(usize::MAX)?
            .into_iter()
            .filter(|run| run.run_id.starts_with(wanted) || run.run_id.ends_with(wanted));
        let mut fits: Vec<Run> = fits.collect();
        if let Some(exact) = fits.iter().position(|run| run.run_id == wanted) {
            return Ok(Some(fits.swap_remove(exact)));
        }
        Ok(if fits.len() == 1 { fits.pop() } else { None })
    }

    /// The newest runs, newest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn runs(&self, most: usize) -> anyhow::Result<Vec<Run>> {
        let sql = format!("SELECT {COLUMNS} FROM runs ORDER BY run_id DESC LIMIT ?1");
        let mut statement = self.db.prepare_cached(&sql)?;
        let rows = statement.query_map([i64::try_from(most).unwrap_or(i64::MAX)], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn one_run(&self, filter: &str, values: &[&str]) -> anyhow::Result<Option<Run>> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE {filter}");
        Ok(self.db.query_row(&sql, rusqlite::params_from_iter(values), read).optional()?)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        run_id: row.get(0)?,
        command: row.get(1)?,
        status: row.get(2)?,
        started_at: row.get(3)?,
        ended_at: row.get(4)?,
        lane: row.get(5)?,
        description: row.get(6)?,
        skill: row.get(7)?,
        targets: row.get(8)?,
        approved_by: row.get(9)?,
        error: row.get(10)?,
    })
}

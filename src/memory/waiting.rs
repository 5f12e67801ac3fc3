//! Waiting runs: their checkpoints are set aside so that the ring can be reused, and restored on resume.

use anyhow::Context;
use rusqlite::{Connection, Transaction, params};

use super::ring::sqlite::{aside, push};
use super::run::{Run, RunTx, Status};
use super::{Ending, Memory, sql, stamp, views};
use crate::memory::ring::{Checkpoint, MemoryError, Phase};

/// Ends a run of the wizard that died before its first answer: there is nothing to resume.
const SAID_NOTHING: &str = "UPDATE runs SET status = 'declined', ended_at = ?2
     WHERE run_id = ?1 AND command = 'create' AND description IS NULL AND answers IS NULL
       AND NOT EXISTS (SELECT 1 FROM wm_markers WHERE run_id = ?1 AND phase <> 'P0')";

impl Memory {
    pub fn waiting(&self) -> anyhow::Result<Vec<Run>> {
        self.runs_that("status = ?1 ORDER BY rowid DESC", params![Status::Paused])
    }

    /// Sets aside every run marked as running in this lane, and closes those that were committed and those in which
    /// nothing was said yet. Must be called right after the lane was locked: then those runs are dead.
    pub fn bury(&mut self, lane: u32, at: jiff::Timestamp) -> anyhow::Result<()> {
        let running = "SELECT run_id FROM runs WHERE status = 'running' AND lane = ?1";
        let dead: Vec<String> = sql::column(&self.db, running, [lane])?;
        let late = views::unclosed_runs(&self.db, lane)?;
        if dead.is_empty() && late.is_empty() {
            return Ok(());
        }
        let bounds = self.bounds;
        self.write(|tx| {
            let here = |run| RunTx { tx, run, bounds, now: at.as_millisecond() };
            for run in &dead {
                if tx.execute(SAID_NOTHING, params![run, stamp(at)])? == 1 {
                    views::ended(here(run), &Ending::of(Status::Declined, at))?;
                    continue;
                }
                set_aside(tx, run)?;
                let pause = "UPDATE runs SET status = 'paused', ended_at = ?2 WHERE run_id = ?1";
                sql::run(tx, pause, params![run, stamp(at)])?;
                views::abandoned(here(run))?;
            }
            late.iter().try_for_each(|run| views::ended(here(run), &Ending::of(Status::Done, at)))
        })
    }

    /// Ends these runs as declined if they wait, and deletes their checkpoints. Returns those that did wait.
    pub fn discard(&mut self, runs: &[String], at: jiff::Timestamp) -> anyhow::Result<Vec<String>> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let bounds = self.bounds;
        self.write(|tx| {
            let waits = "UPDATE runs SET status = 'declined', ended_at = ?2 WHERE run_id = ?1 AND status = 'paused'";
            let mut discarded = Vec::new();
            for run in runs {
                if tx.execute(waits, params![run, stamp(at)])? == 1 {
                    tx.execute("DELETE FROM wm_aside WHERE run_id = ?1", [run])?;
                    let here = RunTx { tx, run, bounds, now: at.as_millisecond() };
                    views::ended(here, &Ending::of(Status::Declined, at))?;
                    discarded.push(run.clone());
                }
            }
            super::prune::tidy(tx)?;
            Ok(discarded)
        })
    }

    /// [`Memory::discard`] for the runs waiting since before an instant, except the one being resumed.
    pub fn discard_older(
        &mut self,
        than: jiff::Timestamp,
        taken_up: &str,
        at: jiff::Timestamp,
    ) -> anyhow::Result<Vec<String>> {
        let old = self.runs_that("status = ?1 AND ended_at < ?2", params![Status::Paused, stamp(than)])?;
        let old: Vec<String> = old.into_iter().map(|run| run.run_id).filter(|run| run != taken_up).collect();
        self.discard(&old, at)
    }

    /// Resumes a waiting run in this lane: its intact checkpoints are pushed in the order of the phases.
    /// Returns the restored phases; `None` if it does not wait any more because another process was faster.
    pub fn take_up(&mut self, run: &str, lane: u32, at: jiff::Timestamp) -> anyhow::Result<Option<Vec<Phase>>> {
        let bounds = self.bounds;
        self.write(|tx| {
            let taken = tx.execute(
                "UPDATE runs SET status = 'running', ended_at = NULL, error = NULL, lane = ?2
                 WHERE run_id = ?1 AND status = 'paused'",
                params![run, lane],
            )?;
            if taken == 0 {
                return Ok(None);
            }
            let kept = kept(tx, run)?;
            tx.execute("DELETE FROM wm_markers WHERE run_id = ?1", [run])?;
            let mut restored = Vec::new();
            for checkpoint in &kept {
                push(tx, lane, run, checkpoint.phase, &checkpoint.data, &checkpoint.at)?;
                restored.push(checkpoint.phase);
            }
            tx.execute("DELETE FROM wm_aside WHERE run_id = ?1", [run])?;
            views::taken_up(RunTx { tx, run, bounds, now: at.as_millisecond() }, restored.last().copied())?;
            Ok(Some(restored))
        })
    }

    /// The readable checkpoints of a run in the order of the phases: those set aside, or those in its lane.
    pub fn checkpoints_of(&self, run: &Run) -> anyhow::Result<Vec<Checkpoint>> {
        let aside = kept(&self.db, &run.run_id)?;
        if !aside.is_empty() {
            return Ok(aside);
        }
        let mut found = Vec::new();
        for phase in Phase::ALL {
            match self.get_state(run.lane, &run.run_id, phase) {
                Err(error) if matches!(error.downcast_ref(), Some(MemoryError::PhaseNotInitialized(_))) => {}
                state => found.push(state?),
            }
        }
        Ok(found)
    }

    pub fn answers_of(&self, run: &str) -> anyhow::Result<Option<String>> {
        Ok(sql::value(&self.db, "SELECT answers FROM runs WHERE run_id = ?1", [run])?.flatten())
    }
}

/// The checkpoints set aside of a run, verified.
fn kept(db: &Connection, run: &str) -> anyhow::Result<Vec<Checkpoint>> {
    let verified = aside(db, Some(run))?.into_iter().map(|(lane, one)| {
        if one.intact(lane, one.slot) {
            return Ok(one);
        }
        let damage = MemoryError::IntegrityCheckFailed { phase: one.phase, slot: one.slot };
        Err(damage).context("a checkpoint that was set aside is damaged")
    });
    verified.collect()
}

/// Copies a run's checkpoints out of the ring unchanged, with their checksums.
pub(super) fn set_aside(tx: &Transaction<'_>, run: &str) -> anyhow::Result<()> {
    let copy = "INSERT OR REPLACE INTO wm_aside(run_id, phase, lane, slot, seq, at, data, checksum)
                SELECT m.run_id, m.phase, s.lane, s.slot, s.seq, s.at, s.data, s.checksum FROM wm_markers m
                JOIN runs r ON r.run_id = m.run_id
                JOIN wm_slots s ON s.lane = r.lane AND s.slot = m.slot AND s.seq = m.seq
                WHERE m.run_id = ?1";
    sql::run(tx, copy, [run])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::NewRun;

    #[test]
    fn a_dead_run_waits_only_where_something_was_said() {
        let (mut memory, at) = (Memory::in_memory().unwrap(), jiff::Timestamp::UNIX_EPOCH);
        for (id, asked) in [("silent", None), ("described", Some("Sing")), ("answered", None), ("begun", None)] {
            memory.begin(NewRun { id, command: "create", at, lane: 0, asked, who: None }).unwrap();
        }
        memory.write(|tx| super::super::run::answered(tx, "answered", "{}")).unwrap();
        memory.push_state(0, "begun", Phase::Intake, "{}", at).unwrap();
        memory.bury(0, at).unwrap();
        let waiting: Vec<String> = memory.waiting().unwrap().into_iter().map(|run| run.run_id).collect();
        assert_eq!(waiting, ["begun", "answered", "described"]);
        assert_eq!(memory.find_run(Some("silent")).unwrap().unwrap().status, Status::Declined.word());
        let listed: Vec<String> = memory.runs(9).unwrap().into_iter().map(|run| run.run_id).collect();
        assert_eq!(listed, ["begun", "answered", "described"]);
    }
}

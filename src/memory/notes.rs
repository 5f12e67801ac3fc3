//! What a run has to remember while there is no database to remember it in: a project that has none before the run is
//! approved, or one whose own cannot be used. It is kept as data, and written in one transaction once there is one.

use rusqlite::Transaction;

use super::fifo::sqlite::Saying;
use super::run::{answered, begin};
use super::turn::sqlite as turn;
use super::{Facts, LaneView, Memory, NewRun, long, stamp, views};
use crate::memory::ring::{Checkpoint, MemoryError, Phase, WorkingMemory};
use crate::memory::turn::Initialised;

/// One thing a run remembers of itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Note {
    /// A phase is done: its state, and what it made known ([`Memory::push_state`]).
    Passed {
        phase: Phase,
        data: String,
        at: jiff::Timestamp,
        /// What it made known of the run.
        facts: Facts,
    },
    /// Its turn was initialised, and it was told these facts ([`Memory::record_turn`], [`Memory::told`]).
    Told(Box<Initialised>, Vec<String>),
    /// The wizard's answers so far, as JSON ([`Memory::keep_answers`]).
    Answered(String),
    /// Its working memory was rolled back to a phase ([`Memory::rollback_to`]).
    RolledBack(Phase),
}

/// How a run begins: [`NewRun`], kept.
#[derive(Debug, Clone)]
struct Began {
    command: String,
    at: jiff::Timestamp,
    asked: Option<String>,
    who: Option<(String, String)>,
}

/// What a run remembers while there is no database.
#[derive(Debug, Clone)]
pub struct Notes {
    run: String,
    began: Option<Began>,
    notes: Vec<Note>,
    working: WorkingMemory,
}

impl Notes {
    /// Nothing yet, of this run.
    #[must_use]
    pub fn of(run: &str) -> Self {
        Self { run: run.to_owned(), began: None, notes: Vec::new(), working: WorkingMemory::fresh(0, run) }
    }

    pub fn begin(&mut self, new: NewRun<'_>) {
        let who = new.who.map(|(actor, embodiment)| (actor.to_owned(), embodiment.to_owned()));
        let asked = new.asked.map(str::to_owned);
        self.began = Some(Began { command: new.command.to_owned(), at: new.at, asked, who });
    }

    /// Keeps a note. One of a roll-back that cannot be is none.
    pub fn keep(&mut self, note: Note) {
        match &note {
            Note::Passed { phase, data, at, .. } => {
                self.working.push_state(*phase, data.as_str(), stamp(*at));
            }
            Note::RolledBack(phase) if self.working.rollback_to(*phase).is_err() => return,
            _ => {}
        }
        self.notes.push(note);
    }

    /// `get_state`: the newest state of the phase, verified.
    ///
    /// # Errors
    /// Where the phase has none, or it is not what was pushed.
    pub fn get_state(&self, phase: Phase) -> Result<Checkpoint, MemoryError> {
        self.working.get_state(phase).cloned()
    }

    /// The ring as the run sees it.
    #[must_use]
    pub fn lane_view(&self) -> LaneView {
        LaneView { damaged: super::ring::sqlite::damage(&self.working), memory: self.working.clone() }
    }
}

impl Memory {
    /// Writes what a run noted before there was a database, in one transaction, as if it had been there from the start.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub fn catch_up(&mut self, notes: &Notes, lane: u32) -> anyhow::Result<()> {
        let (capacity, id) = (self.conversations, notes.run.as_str());
        self.write(|tx| {
            if tx.prepare_cached("DELETE FROM runs WHERE run_id = ?1")?.execute([id])? > 0 {
                tx.execute("DELETE FROM epochs WHERE run_id = ?1", [id])?;
            }
            if let Some(Began { command, at, asked, who }) = &notes.began {
                let who = who.as_ref().map(|(actor, embodiment)| (actor.as_str(), embodiment.as_str()));
                begin(tx, NewRun { id, command, at: *at, lane, asked: asked.as_deref(), who })?;
            }
            let mut said = Vec::new();
            for note in &notes.notes {
                said.extend(write(tx, id, lane, note, capacity)?);
            }
            views::said(tx, id, &said)
        })
    }

    /// Writes one note of a run, in a transaction of its own.
    ///
    /// # Errors
    /// A [`MemoryError`] inside where there is nothing to roll back to; or the database cannot be written.
    pub fn note(&mut self, run: &str, lane: u32, note: &Note) -> anyhow::Result<()> {
        let capacity = self.conversations;
        self.write(|tx| {
            let said = write(tx, run, lane, note, capacity)?;
            views::said(tx, run, &said)
        })
    }
}

/// Writes a note, and returns what is yet to be said with [`views::said`].
fn write(tx: &Transaction<'_>, run: &str, lane: u32, note: &Note, capacity: usize) -> anyhow::Result<Vec<Saying>> {
    match note {
        Note::Passed { phase, data, at, facts } => {
            let (_slot, said) = super::ring::sqlite::passed(tx, (lane, run), *phase, data, *at, facts, capacity)?;
            return Ok(said);
        }
        Note::Told(initialised, keys) => {
            turn::record(tx, Some(run), initialised)?;
            long::told(tx, keys)?;
        }
        Note::Answered(answers) => answered(tx, run, answers)?,
        Note::RolledBack(phase) => drop(super::ring::sqlite::roll_back(tx, lane, run, *phase)?),
    }
    Ok(Vec::new())
}

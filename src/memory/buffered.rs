//! A run without a database: a project has none before the run is approved, or its own cannot be used. The run's events
//! are buffered, and written in one transaction once there is a database.

use rusqlite::Transaction;
use serde_json::Value;

use super::ooda::sqlite as ooda;
use super::ring::sqlite::{passed, roll_back};
use super::run::{RunTx, answered, begin};
use super::turn::sqlite as turn;
use super::{Bounds, Facts, LaneView, Memory, NewRun, long, sql, stamp, views};
use crate::memory::ooda::ObservationEvent;
use crate::memory::ring::{Checkpoint, MemoryError, Phase, WorkingMemory};

#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent {
    /// A phase is done ([`Memory::push_state`]).
    Passed { phase: Phase, data: String, at: jiff::Timestamp, facts: Facts },
    /// Its turn was initialised with these facts.
    Informed(Box<crate::memory::turn::Initialised>, Vec<String>),
    /// Something was observed, for the loop's cache; `lasting` until the run ends.
    Observed { key: &'static str, value: Value, lasting: bool, at: i64 },
    /// Events for the loop.
    Events(Vec<ObservationEvent>),
    /// The wizard's answers so far, as JSON.
    Answered(String),
    /// A remembered line was removed from this skill, and from all later ones.
    Rejected { id: String, text: String, at: i64 },
    /// Its working memory was rolled back to a phase ([`Memory::rollback_to`]).
    RolledBack(Phase),
}

impl RunEvent {
    /// Whether a run that is killed afterwards must find it. The others belong to the phase, and are written with its
    /// checkpoint or the run's end.
    pub fn is_due(&self) -> bool {
        matches!(self, Self::Passed { .. } | Self::Answered(_) | Self::Rejected { .. } | Self::RolledBack(_))
    }
}

/// [`NewRun`], owned.
#[derive(Debug, Clone)]
struct Began {
    command: String,
    at: jiff::Timestamp,
    asked: Option<String>,
    who: Option<(String, String)>,
}

#[derive(Debug, Clone)]
pub struct BufferedRun {
    run: String,
    began: Option<Began>,
    notes: Vec<RunEvent>,
    working: WorkingMemory,
}

impl BufferedRun {
    pub fn of(run: &str) -> Self {
        Self { run: run.to_owned(), began: None, notes: Vec::new(), working: WorkingMemory::fresh(0, run) }
    }

    pub fn begin(&mut self, new: NewRun<'_>) {
        let who = new.who.map(|(actor, embodiment)| (actor.to_owned(), embodiment.to_owned()));
        let asked = new.asked.map(str::to_owned);
        self.began = Some(Began { command: new.command.to_owned(), at: new.at, asked, who });
    }

    /// Buffers an event. An impossible rollback is ignored.
    pub fn keep(&mut self, note: RunEvent) {
        match &note {
            RunEvent::Passed { phase, data, at, .. } => {
                self.working.push_state(*phase, data, &stamp(*at));
            }
            RunEvent::RolledBack(phase) if self.working.rollback_to(*phase).is_err() => return,
            _ => {}
        }
        self.notes.push(note);
    }

    /// `get_state`: the newest state of the phase, verified.
    pub fn get_state(&self, phase: Phase) -> Result<Checkpoint, MemoryError> {
        self.working.get_state(phase).cloned()
    }

    pub fn events(&self) -> Vec<ObservationEvent> {
        let events = self.notes.iter().filter_map(|note| match note {
            RunEvent::Events(events) => Some(events),
            _ => None,
        });
        events.flatten().rev().cloned().collect()
    }

    pub fn observed(&self, key: &str) -> Option<&Value> {
        self.notes.iter().rev().find_map(|note| match note {
            RunEvent::Observed { key: known, value, .. } if *known == key => Some(value),
            _ => None,
        })
    }

    pub fn lane_view(&self) -> LaneView {
        LaneView::of(self.working.clone())
    }
}

impl Memory {
    /// Writes a buffered run in one transaction, as if the database had existed from the start.
    pub fn catch_up(&mut self, notes: &BufferedRun, lane: u32) -> anyhow::Result<()> {
        let (bounds, id) = (self.bounds, notes.run.as_str());
        self.write(|tx| {
            if sql::execute(tx, "DELETE FROM runs WHERE run_id = ?1", [id])? > 0 {
                tx.execute("DELETE FROM epochs WHERE run_id = ?1", [id])?;
            }
            if let Some(Began { command, at, asked, who }) = &notes.began {
                let who = who.as_ref().map(|(actor, embodiment)| (actor.as_str(), embodiment.as_str()));
                begin(tx, NewRun { id, command, at: *at, lane, asked: asked.as_deref(), who }, bounds)?;
            }
            write(tx, id, lane, &notes.notes, bounds)
        })
    }

    /// Writes events of a run in one transaction.
    pub fn note(&mut self, run: &str, lane: u32, notes: &[RunEvent]) -> anyhow::Result<()> {
        let bounds = self.bounds;
        self.write(|tx| write(tx, run, lane, notes, bounds))
    }
}

fn write(tx: &Transaction<'_>, run: &str, lane: u32, notes: &[RunEvent], bounds: Bounds) -> anyhow::Result<()> {
    let mut said = Vec::new();
    for note in notes {
        match note {
            RunEvent::Passed { phase, data, at, facts } => {
                let here = RunTx { tx, run, bounds, now: at.as_millisecond() };
                said.extend(passed(here, lane, *phase, data, *at, facts)?.1);
            }
            RunEvent::Informed(initialised, keys) => {
                turn::record(tx, Some(run), initialised)?;
                long::count_use(tx, keys)?;
            }
            RunEvent::Rejected { id, text, at } => long::reject(tx, id, text, *at)?,
            RunEvent::Observed { key, value, lasting, at } => {
                let ttl = (!lasting).then_some(bounds.ooda.ttl);
                ooda::observed(RunTx { tx, run, bounds, now: *at }, key, value.clone(), ttl)?;
            }
            RunEvent::Events(events) => {
                for event in events {
                    ooda::push(tx, run, event, bounds.ooda, event.at)?;
                }
            }
            RunEvent::Answered(answers) => answered(tx, run, answers)?,
            RunEvent::RolledBack(phase) => drop(roll_back(tx, lane, run, *phase)?),
        }
    }
    views::said(tx, run, &said)
}

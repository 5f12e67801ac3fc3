//! What a run of `create` leaves in the memory and reads back: the checkpoints of its phases and its events, in the
//! database with a lane of its ring, or in a buffer until there is one.

use serde_json::{Value, json};

use super::Run;
use crate::error::{Code, Error, Result, Warning, chain};
use crate::memory::ooda::{CachedEntity, EntityCache, ObservationEvent};
use crate::memory::ring::{Checkpoint, MemoryError, Phase};
use crate::memory::stm::{SessionKey, Stm, StmError};
use crate::memory::{BufferedRun, Facts, Journal, Lane, Memory, NewRun, PhaseRecord, RunEvent, stm::connect::Sessions};
use crate::project::{LANES, Project, open};
use crate::report::slashed::Slashed;

pub struct Durable {
    pub memory: Memory,
    pub lane: Lane,
    /// Events that are written with the next one that is due.
    pending: Vec<RunEvent>,
    observed: EntityCache,
}

impl Durable {
    /// Opens the project's memory; `None` if it has none yet, or, with a warning, if it is not usable.
    pub fn open(env: &mut crate::system::env::Env, project: &Project, durable: bool) -> Option<Self> {
        if !durable {
            return None;
        }
        let at = env.now();
        // Missing after a clone. If it cannot be created, opening says why.
        let _ = open::home(project);
        let opened = Memory::record(&project.database(), at.as_millisecond())
            .and_then(|memory| {
                let lane = Lane::acquire(&project.rooted(LANES)?)?;
                Ok(Self { memory, lane, pending: Vec::new(), observed: EntityCache::default() })
            })
            .and_then(|mut durable| durable.memory.bury(durable.lane.number(), at).map(|()| durable));
        match opened {
            Ok(durable) => {
                if durable.memory.journal == Journal::Rollback {
                    let path = project.database().slashed();
                    let said =
                        format!("{path} is on a network file system; it uses a rollback journal, which is slower");
                    env.warn(Code::MemoryJournal, said);
                }
                Some(durable)
            }
            Err(error) => {
                env.note(degraded(project, &error));
                None
            }
        }
    }

    fn note(&mut self, run: &str, note: RunEvent) -> anyhow::Result<()> {
        if let RunEvent::Observed { key, value, lasting, at } = &note {
            let limits = self.memory.bounds.ooda;
            let ttl_seconds = (!lasting).then_some(limits.ttl);
            let (key, value) = ((*key).to_owned(), value.clone());
            let entity = CachedEntity { key, value, ttl_seconds, created: *at, source_event_id: None };
            self.observed.put(entity, limits.entities);
        }
        if matches!(note, RunEvent::RolledBack(_)) {
            // One that is refused must not take the others with it.
            self.write_pending(run)?;
        }
        let due = note.is_due();
        self.pending.push(note);
        if due { self.write_pending(run) } else { Ok(()) }
    }

    /// Writes the events that are not written yet.
    pub(super) fn write_pending(&mut self, run: &str) -> anyhow::Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() { Ok(()) } else { self.memory.note(run, self.lane.number(), &pending) }
    }
}

fn degraded(project: &Project, error: &anyhow::Error) -> Warning {
    let (path, why) = (project.database().slashed(), chain(error));
    let rest = "Skills are not affected. Move the file away to start with an empty one.";
    Warning::new(Code::MemoryDegraded, format!("{path} cannot be used ({why}); this run is not recorded. {rest}"))
}

pub(super) enum RunStore {
    Durable(Box<Durable>),
    Buffered(Box<BufferedRun>),
}

impl RunStore {
    pub(super) fn of(durable: Option<Durable>, run: &str) -> Self {
        durable.map_or_else(|| Self::buffered(run), |durable| Self::Durable(Box::new(durable)))
    }

    pub(super) fn buffered(run: &str) -> Self {
        Self::Buffered(Box::new(BufferedRun::of(run)))
    }

    pub(super) fn memory(&self) -> Option<&Memory> {
        match self {
            Self::Durable(durable) => Some(&durable.memory),
            Self::Buffered(_) => None,
        }
    }

    pub(super) fn durably(&mut self, work: impl FnOnce(&mut Durable) -> anyhow::Result<()>) -> anyhow::Result<()> {
        match self {
            Self::Durable(durable) => work(durable),
            Self::Buffered(_) => Ok(()),
        }
    }

    pub(super) fn lane(&self) -> u32 {
        match self {
            Self::Durable(durable) => durable.lane.number(),
            Self::Buffered(_) => 0,
        }
    }

    pub(super) fn begin(&mut self, new: NewRun<'_>) -> anyhow::Result<()> {
        match self {
            Self::Durable(durable) => durable.memory.begin(new)?,
            Self::Buffered(run) => run.begin(new),
        }
        Ok(())
    }

    pub(super) fn note(&mut self, run: &str, note: RunEvent) -> anyhow::Result<()> {
        match self {
            Self::Durable(durable) => durable.note(run, note)?,
            Self::Buffered(buffer) => buffer.keep(note),
        }
        Ok(())
    }

    /// The events of a run's loop, newest first; none if they cannot be read.
    pub(super) fn events(&self, run: &str) -> Vec<ObservationEvent> {
        match self {
            Self::Durable(durable) => {
                let pending = durable.pending.iter().rev().filter_map(|note| match note {
                    RunEvent::Events(events) => Some(events.iter().rev().cloned()),
                    _ => None,
                });
                pending.flatten().chain(durable.memory.events(run, None, 0).unwrap_or_default()).collect()
            }
            Self::Buffered(run) => run.events(),
        }
    }

    /// What the loop of a run has cached under a key, unless expired (OODA-3).
    pub(super) fn observed(&mut self, run: &str, key: &str, now: i64) -> Option<Value> {
        match self {
            Self::Durable(durable) => match durable.observed.get(key, now) {
                Some(known) => Some(known.value.clone()),
                None => durable.memory.get_entity(run, key, now).ok().flatten().map(|one| one.value),
            },
            Self::Buffered(run) => run.observed(key).cloned(),
        }
    }

    pub(super) fn state(&self, run: &str, phase: Phase) -> anyhow::Result<Checkpoint> {
        match self {
            Self::Durable(durable) => durable.memory.get_state(durable.lane.number(), run, phase),
            Self::Buffered(run) => Ok(run.get_state(phase)?),
        }
    }

    pub(super) fn lane_view(&self, run: &str) -> anyhow::Result<crate::memory::LaneView> {
        match self {
            Self::Durable(durable) => durable.memory.lane_view(durable.lane.number(), run),
            Self::Buffered(run) => Ok(run.lane_view()),
        }
    }
}

impl Run<'_> {
    /// Enters a phase: errors from here on belong to it.
    pub fn enter(&mut self, phase: Phase) {
        self.phase = phase;
        self.watch = self.env.watch();
    }

    /// Commits the phase's checkpoint, before the next phase begins (RING-3).
    /// Errors: E-CREATE-015 when the working memory's integrity is broken. A database that cannot be written is one
    /// warning and an in-memory engine, never an error.
    pub fn checkpoint(&mut self, state: &Value) -> Result<()> {
        self.checkpoint_with(state, &Facts::default())
    }

    /// [`Run::checkpoint`] with the facts the phase found out about the run.
    pub fn checkpoint_with(&mut self, state: &Value, facts: &Facts) -> Result<()> {
        let at = self.env.now();
        let phase = self.phase;
        self.note(RunEvent::Passed { phase, data: state.to_string(), at, facts: facts.clone() });
        self.with_sessions(|stm, key| stm.task(key, phase.label(), "completed"));
        self.record_phase("done");
        Ok(())
    }

    pub(super) fn record_phase(&mut self, status: &str) {
        let (name, ms) = (self.phase.name(), self.watch.ms());
        let phases = &mut self.record.phases;
        match phases.iter_mut().find(|record| record.phase == name) {
            Some(record) => {
                record.ms += ms;
                record.status = status.to_owned();
            }
            None => phases.push(PhaseRecord { phase: name.into(), status: status.into(), ms }),
        }
        self.watch = self.env.watch();
    }

    /// Reads a phase's state back and verifies it (RING-4). `None` if a degraded memory lost it.
    /// Errors: E-CREATE-015 when it differs from what was pushed.
    pub fn state(&mut self, phase: Phase) -> Result<Option<Value>> {
        match self.memory.state(&self.id, phase) {
            Ok(checkpoint) => Ok(Some(checkpoint.value())),
            Err(error) => match error.downcast_ref::<MemoryError>() {
                Some(MemoryError::IntegrityCheckFailed { .. }) => {
                    Err(Error::new(Code::CreateMemory, "the working memory cannot be trusted").because(error))
                }
                _ => Ok(None),
            },
        }
    }

    /// Rolls the working memory back to a phase (RING-5), as far as there is something to restore.
    pub fn roll_back_to(&mut self, phase: Phase) {
        let id = self.id.clone();
        let rolled = self.memory.note(&id, RunEvent::RolledBack(phase));
        if let Err(error) = rolled
            && error.downcast_ref::<MemoryError>().is_none()
        {
            self.remember(|_memory| Err(error));
        }
    }

    pub fn wizard_answers(&self) -> Option<Value> {
        let text = self.memory()?.answers_of(&self.id).ok().flatten()?;
        serde_json::from_str(&text).ok()
    }

    pub fn note(&mut self, note: RunEvent) {
        let id = self.id.clone();
        self.remember(|memory| memory.note(&id, note));
    }

    /// Writes to the memory. A failure never stops the run: its events are buffered instead.
    pub(super) fn remember(&mut self, work: impl FnOnce(&mut RunStore) -> anyhow::Result<()>) {
        if let Err(error) = work(&mut self.memory)
            && self.memory.memory().is_some()
        {
            self.env.note(degraded(&self.project, &error));
            self.memory = RunStore::buffered(&self.id);
        }
    }

    /// The project's memory, read-only, if it has a usable one.
    pub fn memory(&self) -> Option<&Memory> {
        self.memory.memory()
    }

    /// Remembers a run that is committed on disk, in the transaction that committed it.
    pub fn committed(&mut self, committed: &crate::memory::CommittedRun, now: &str) {
        self.settle();
        let id = self.id.clone();
        self.remember(|memory| {
            memory.durably(|held| held.write_pending(&id).and_then(|()| held.memory.committed(committed, now)))
        });
        if self.memory().is_none() {
            let database = self.project.database();
            let _degraded = Memory::record(&database, self.env.now().as_millisecond())
                .and_then(|mut memory| memory.committed(committed, now));
        }
    }

    /// Writes the buffered events of a run into the database of a project that was just initialised.
    pub fn settle(&mut self) {
        let RunStore::Buffered(notes) = &self.memory else { return };
        let project = &self.project;
        if !self.governed.is_new() || open::home(project).is_err() {
            return;
        }
        let notes = notes.clone();
        let Some(mut held) = Durable::open(self.env, project, true) else { return };
        held.memory.bounds = self.settings.bounds();
        self.memory = RunStore::Durable(Box::new(held));
        self.remember(|memory| memory.durably(|held| held.memory.catch_up(&notes, held.lane.number())));
    }

    /// Opens short-term memory if it is not in the project's database. If it cannot be reached, the run continues
    /// without it (STM-12).
    pub(super) fn connect_sessions(&mut self) {
        if self.settings.stm_backend.value == "redis" && !self.governed.is_new() {
            match Sessions::open(&self.project, &self.settings, self.env.now().as_millisecond()) {
                Ok(sessions) => self.sessions = Some(sessions),
                Err(error) => self.stateless(&error.message()),
            }
        }
    }

    /// Writes to short-term memory if it is not in the project's database. It never stops the run: the first failure is
    /// one warning, and the run continues without it.
    pub(super) fn with_sessions(
        &mut self,
        work: impl FnOnce(&mut Stm<'_>, &SessionKey) -> std::result::Result<(), StmError>,
    ) {
        let key = SessionKey::new(self.host().embodiment(), self.id.as_str());
        let Some(sessions) = &mut self.sessions else { return };
        if let Err(error) = sessions.work(self.env, |stm| work(stm, &key)) {
            self.sessions = None;
            self.stateless(&error.to_string());
        }
    }

    fn stateless(&mut self, why: &str) {
        let message = format!("short-term memory cannot be used ({why}); this run continues without it");
        self.env.warn(Code::Stateless, message);
    }

    /// The `working_memory` part of the answer.
    pub fn memory_report(&self) -> Value {
        let Ok(view) = self.memory.lane_view(&self.id) else { return Value::Null };
        let markers: serde_json::Map<String, Value> =
            Phase::ALL.iter().map(|phase| (phase.label().to_owned(), json!(view.memory.slot_of(*phase)))).collect();
        json!({
            "lane": view.memory.lane, "write_head": view.memory.write_head,
            "slots_used": markers.values().filter(|slot| !slot.is_null()).count(), "markers": markers,
        })
    }
}

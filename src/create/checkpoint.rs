//! The checkpoints of a run: what each phase leaves in the memory, and how it is read back.

use serde_json::{Value, json};

use super::Run;
use super::run_store::{Durable, RunStore, degraded};
use crate::error::{Code, Error, Result};
use crate::memory::ring::{MemoryError, Phase};
use crate::memory::stm::{SessionKey, Stm, StmError};
use crate::memory::{CommittedRun, Facts, Memory, PhaseRecord, RunEvent, stm::connect::Sessions};
use crate::project::open;

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

    /// The wizard's answers that were kept with this run.
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
    pub fn committed(&mut self, committed: &CommittedRun, now: &str) {
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
        held.memory.keep_within(self.settings.bounds());
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
            "lane": view.memory.lane(),
            "write_head": view.memory.write_head(),
            "slots_used": markers.values().filter(|slot| !slot.is_null()).count(),
            "markers": markers,
        })
    }
}

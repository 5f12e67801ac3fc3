//! Where a run of `create` stores its events: the database with a lane of its ring, or a buffer until there is one.

use serde_json::Value;

use crate::error::{Code, Warning, chain};
use crate::memory::ooda::{CachedEntity, EntityCache, ObservationEvent};
use crate::memory::ring::{Checkpoint, Phase};
use crate::memory::{BufferedRun, Journal, Lane, LaneView, Memory, NewRun, RunEvent};
use crate::project::{LANES, Project, open};
use crate::report::slashed::Slashed;
use crate::system::env::Env;

pub struct Durable {
    pub memory: Memory,
    pub lane: Lane,
    /// Events that are written with the next one that is due.
    pending: Vec<RunEvent>,
    /// What this process observed.
    observed: EntityCache,
}

impl Durable {
    /// Opens the project's memory; `None` if it has none yet, or, with a warning, if it is not usable.
    pub fn open(env: &mut Env, project: &Project, durable: bool) -> Option<Self> {
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
                if durable.memory.journal() == Journal::Rollback {
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
            let limits = self.memory.bounds().ooda;
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

pub(super) fn degraded(project: &Project, error: &anyhow::Error) -> Warning {
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

    /// Works on the database, if there is one.
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

    pub(super) fn lane_view(&self, run: &str) -> anyhow::Result<LaneView> {
        match self {
            Self::Durable(durable) => durable.memory.lane_view(durable.lane.number(), run),
            Self::Buffered(run) => Ok(run.lane_view()),
        }
    }
}

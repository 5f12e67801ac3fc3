//! What a run of `create` holds of its project's memory: the database and a lane of its ring, or notes until there is one.

use crate::error::{Code, Warning, chain};
use crate::memory::ring::{Checkpoint, Phase};
use crate::memory::{Journal, Lane, LaneView, Memory, NewRun, Note, Notes};
use crate::project::open;
use crate::project::{LANES, Project};
use crate::system::env::Env;

/// The database of a project and the lane that is held, where there is one and it can be used.
pub struct Held {
    pub memory: Memory,
    pub lane: Lane,
}

impl Held {
    /// Opens the project's memory; `None` where it has none yet, or its own cannot be used, which is said.
    pub fn open(env: &mut Env, project: &Project, durable: bool) -> Option<Self> {
        if !durable {
            return None;
        }
        let at = env.now();
        // Missing after a clone. Where it cannot be made, opening says why.
        let _ = open::home(project);
        let opened = Memory::open(&project.database())
            .and_then(|memory| Ok(Self { memory, lane: Lane::acquire(&project.rooted(LANES)?)? }))
            .and_then(|mut held| held.memory.bury(held.lane.number(), at).map(|()| held));
        match opened {
            Ok(held) => {
                if held.memory.journal() == Journal::Rollback {
                    let path = project.database();
                    let said = format!(
                        "{} is on a file system of another machine; it keeps a rollback journal, which is slower",
                        path.display()
                    );
                    env.note(Warning::new(Code::MemoryJournal, said));
                }
                Some(held)
            }
            Err(error) => {
                env.note(degraded(project, &error));
                None
            }
        }
    }
}

/// Says that the memory cannot be used.
pub(super) fn degraded(project: &Project, error: &anyhow::Error) -> Warning {
    let path = project.database();
    Warning::new(
        Code::MemoryDegraded,
        format!(
            "{} cannot be used ({}); this run keeps its memory to itself. Skills are not affected. Move the file away to \
             start with an empty one.",
            path.display(),
            chain(error)
        ),
    )
}

pub(super) enum Mind {
    Held(Box<Held>),
    Notes(Box<Notes>),
}

impl Mind {
    /// The database where it is held, or notes of the run.
    pub(super) fn of(held: Option<Held>, run: &str) -> Self {
        held.map_or_else(|| Self::notes(run), |held| Self::Held(Box::new(held)))
    }

    /// Notes of a run, empty.
    pub(super) fn notes(run: &str) -> Self {
        Self::Notes(Box::new(Notes::of(run)))
    }

    pub(super) fn memory(&self) -> Option<&Memory> {
        match self {
            Self::Held(held) => Some(&held.memory),
            Self::Notes(_) => None,
        }
    }

    pub(super) fn lane(&self) -> u32 {
        match self {
            Self::Held(held) => held.lane.number(),
            Self::Notes(_) => 0,
        }
    }

    /// Remembers that the run begins.
    pub(super) fn begin(&mut self, new: NewRun<'_>) -> anyhow::Result<()> {
        match self {
            Self::Held(held) => held.memory.begin(new),
            Self::Notes(notes) => {
                notes.begin(new);
                Ok(())
            }
        }
    }

    /// Remembers something of the run.
    pub(super) fn note(&mut self, run: &str, note: Note) -> anyhow::Result<()> {
        match self {
            Self::Held(held) => held.memory.note(run, held.lane.number(), &note),
            Self::Notes(notes) => {
                notes.keep(note);
                Ok(())
            }
        }
    }

    pub(super) fn state(&self, run: &str, phase: Phase) -> anyhow::Result<Checkpoint> {
        match self {
            Self::Held(held) => held.memory.get_state(held.lane.number(), run, phase),
            Self::Notes(notes) => Ok(notes.get_state(phase)?),
        }
    }

    /// The ring as the run sees it.
    pub(super) fn lane_view(&self, run: &str) -> anyhow::Result<LaneView> {
        match self {
            Self::Held(held) => held.memory.lane_view(held.lane.number(), run),
            Self::Notes(notes) => Ok(notes.lane_view()),
        }
    }
}

//! The turn: what is known when a run begins, gathered in eleven phases within a budget of tokens and a second (TURN).

mod budget;
mod buffer;
mod context;
mod goal;
mod initialise;
mod item;
mod long;
mod observation;
mod phase;
mod rank;
mod similar;
mod source;
pub(crate) mod sqlite;
mod trace;

pub use budget::{Budget, Part, TOTAL};
pub use context::Fragment;
pub use goal::{Goal, GoalKind, GoalPriority, GoalStatus};
pub use initialise::{InitialiseError, Initialised, initialise};
pub use long::{EPISODES, Episode, FACTS, Fact, Outcome, least_worth};
pub use observation::{ACTIVE, DAYS, Observation, ObservationKind, ObservationStatus};
pub use phase::InitPhase;
pub use similar::{SkillSummary, similar};
pub use source::{
    Agenda, Capability, Conversation, Identity, Mandate, Mode, PastTurn, Pending, PreviousTurn, Progress, Question,
    Setup, Sources,
};
pub use trace::{Event, Span};

//! The turn: the context of a run, gathered at its start in eleven phases within a token budget and one second (TURN).
//! Times are milliseconds since 1970 UTC; importance, confidence and similarity are 0 to 1.

mod answer;
mod bearing;
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

pub use answer::{ANSWERS, Answer, AnswerKind, LINE, answered};
pub use bearing::{Notes, Request, bearing};
pub use budget::{Budget, Part, TOTAL};
pub use context::Fragment;
pub use goal::{Goal, GoalKind, GoalPriority, GoalStatus};
pub use initialise::{InitialiseError, Initialised, initialise};
pub use long::{EPISODES, Episode, FACTS, Fact, Outcome, least_worth};
pub use observation::{ACTIVE, DAYS, Observation, ObservationKind, ObservationStatus};
pub use phase::InitPhase;
pub use similar::{SkillSummary, similar};
pub use source::{
    Agenda, Capability, Conversation, Excerpt, Identity, Mandate, Mode, NoteKind, PastTurn, Pending, PreviousTurn,
    Progress, Question, SessionNote, Setup, Sources,
};
pub use trace::{Event, Span};

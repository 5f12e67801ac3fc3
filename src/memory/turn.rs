//! The turn: the context of a run, gathered at its start in eleven phases within a token budget and one second (TURN).
//! Times are milliseconds since 1970 UTC; importance, confidence and similarity are 0 to 1.

mod bearing;
mod buffer;
mod context;
mod initialise;
mod long;
mod note;
mod rank;
mod source;
pub(crate) mod sqlite;
mod trace;

pub use bearing::{ANSWERS, Answer, AnswerKind, LINE, Notes, Request, answered, bearing};
pub use context::{Budget, Fragment, Part, TOTAL};
pub use initialise::{InitialiseError, Initialised, initialise};
pub use long::{EPISODES, Episode, FACTS, Fact, Outcome, least_worth};
pub use note::{
    ACTIVE, DAYS, Goal, GoalKind, GoalPriority, GoalStatus, Observation, ObservationKind, ObservationStatus,
};
pub use rank::{SkillSummary, similar};
pub use source::{
    Agenda, Capability, Conversation, Excerpt, Identity, Mandate, Mode, NoteKind, PastTurn, Pending, PreviousTurn,
    Progress, Question, SessionNote, Setup, Sources,
};
pub use trace::{Event, InitPhase, Span};

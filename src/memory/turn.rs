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
pub use buffer::{Buffer, CapacityExceeded, Evicted, Forget, Kept, MAX_ITEMS, MAX_TOKENS, Reason, Slot};
pub use context::{Context, Fragment};
pub use goal::{Aim, Goal, Priority, Status};
pub use initialise::{DEADLINE_MS, Failed, Initialised, Warned, initialise};
pub use item::{Item, Kind};
pub use long::{EPISODES, Episode, FACTS, Fact, Inconsistency, Outcome, least_worth, resolve};
pub use observation::{ACTIVE, DAYS, Observation, ObservationKind, Standing};
pub use phase::InitPhase;
pub use rank::{Candidate, Packed, Score, recency};
pub use similar::{Known, Similar, Terms, similar};
pub use source::{
    Capability, Consciousness, Conversation, FrontalCortex, Load, Mandate, Mode, PastTurn, Pending, PreviousTurn,
    Progress, Question, Setup, Sources, Urgency, summary,
};
pub use trace::{Closed, Event, EventKind, Outcome as SpanOutcome, Span, Trace};

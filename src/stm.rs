//! Short-term memory (seed 2): what a session holds while it lasts, for how long, and who may see it. No storage here.
//!
//! The rules live in [`Stm`], above the trait [`StmBackend`]: isolation of sessions, refusal of secrets, limits, expiry
//! and pruning are the same wherever the entries lie.

mod backend;
mod engine;
mod entry;
mod error;
mod guard;
mod limits;
mod metrics;
mod prune;
mod run;
mod session;
mod volatile;

pub use backend::{Counter, Filter, Recall, Stale, StmBackend, Tally};
pub use engine::{Opened, Pruned, Stm, Stored, Swept};
pub use entry::{Category, Entry, Head, NewEntry, Priority};
pub use error::{Refusal, Result, StmError};
pub use limits::Limits;
pub use metrics::{Level, Measure, Stats};
pub use prune::{Prune, first_to_go};
pub use session::{Session, SessionKey, Word, resolve};
pub use volatile::MemoryStm;

/// An hour, in milliseconds.
pub const HOUR: i64 = 60 * 60 * 1000;

/// No entry lives longer, even in a session that is still open (seed 2 §4.3). The last millisecond is not part of it.
pub const LIFETIME: i64 = 24 * HOUR - 1;

/// How long what has expired stays on disk before it is deleted (seed 2 §4.3), in milliseconds.
pub const GRACE: i64 = 5 * 60 * 1000;

/// How long the session of a run that waits stays open without anything new, in milliseconds: thirty days.
pub const WAITS: i64 = 30 * 24 * HOUR;

/// Entries of one session where nobody says otherwise (seed 2 §6.2).
pub const MAX_ENTRIES: u64 = 1000;

/// Bytes of one entry's content, as JSON, where nobody says otherwise.
pub const MAX_CONTENT: u64 = 1 << 20;

/// Bytes of one session's contents where nobody says otherwise.
pub const MAX_SESSION: u64 = 10 << 20;

/// Entries a recall gives where nobody says how many.
pub const RECALLED: usize = 50;

/// How long hourly counts are kept for analytics, in milliseconds: ninety days. They hold no content.
pub const COUNTED: i64 = 90 * 24 * HOUR;

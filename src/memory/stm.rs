//! Short-term memory (STM): the entries of a session, their lifetime and visibility. Storage is behind a trait.
//!
//! The rules live in [`Stm`], above the trait [`StmBackend`]: isolation of sessions, refusal of secrets, limits, expiry
//! and pruning are the same for every back end.

mod backend;
pub mod connect;
mod engine;
mod entry;
mod error;
mod guard;
mod limits;
mod metrics;
mod prune;
#[cfg(feature = "redis")]
pub mod redis;
mod run;
mod session;
pub(crate) mod sqlite;

pub use backend::{Counter, Filter, Recall, Stale, StmBackend, Tally};
pub use engine::{Opened, Pruned, Stm, Stored, Swept};
pub use entry::{Category, Entry, Head, NewEntry, Priority};
pub use error::{Refusal, Result, StmError};
pub use guard::check;
pub use limits::Limits;
pub use metrics::{Level, Measure, Stats};
pub use prune::{Prune, first_to_go};
pub use session::{Session, SessionKey, Word, resolve};

pub const HOUR: i64 = 60 * 60 * 1000;

/// The maximum lifetime of an entry, even in an open session (STM-4); exclusive.
pub const LIFETIME: i64 = 24 * HOUR - 1;

/// How long expired entries stay on disk before they are deleted (STM-4), in milliseconds.
pub const GRACE: i64 = 5 * 60 * 1000;

/// How long the session of a waiting run stays open without new entries: thirty days in milliseconds.
pub const WAITS: i64 = 30 * 24 * HOUR;

pub const MAX_ENTRIES: u64 = 1000;

/// Default limit of an entry's content, in bytes of JSON.
pub const MAX_CONTENT: u64 = 1 << 20;

/// Default limit of a session's contents, in bytes.
pub const MAX_SESSION: u64 = 10 << 20;

/// Default number of entries a recall returns.
pub const RECALLED: usize = 50;

/// How long hourly counts are kept for analytics, in milliseconds: ninety days. They hold no content.
pub const COUNTED: i64 = 90 * 24 * HOUR;

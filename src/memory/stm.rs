//! Short-term memory (STM): the entries of a session, their lifetime and visibility. Storage is behind a trait.
//!
//! The rules live in [`Stm`], above the trait [`StmBackend`]: isolation of sessions, refusal of secrets, limits, expiry
//! and pruning are the same for every back end.

mod backend;
pub mod connect;
mod engine;
mod guard;
mod metrics;
#[cfg(feature = "redis")]
pub mod redis;
pub(crate) mod sqlite;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use backend::{Counter, Filter, Recall, Stale, StmBackend, Tally};
pub use engine::{Opened, Prune, Pruned, Stm, Stored, Swept, first_to_go};
pub use guard::check;
pub use metrics::{Level, Measure, Stats};

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub entries: u64,
    /// Bytes of one entry's content, as JSON.
    pub entry_bytes: u64,
    pub session_bytes: u64,
    /// Hours an entry lives, 1–24: never more than [`LIFETIME`].
    pub hours: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: MAX_ENTRIES, entry_bytes: MAX_CONTENT, session_bytes: MAX_SESSION, hours: 24 }
    }
}

impl Limits {
    /// The maximum lifetime of an entry in milliseconds, exclusive.
    pub fn lifetime(&self) -> i64 {
        i64::try_from(self.hours).unwrap_or(i64::MAX).saturating_mul(HOUR).saturating_sub(1).min(LIFETIME)
    }
}

words! {
    Category {
        Conversation = "conversation",
        ActiveTask = "active_task",
        ReasoningState = "reasoning_state",
        UserInput = "user_input",
        SystemState = "system_state",
    }
}

words! {
    /// The order in which entries are pruned when the session is full (STM-8).
    #[derive(Default)]
    Priority {
        Low = "low",
        #[default]
        Medium = "medium",
        /// Kept until the session ends.
        High = "high",
    }
}

impl Priority {
    /// The number in the database: 0, 1, 2.
    pub fn rank(self) -> u8 {
        self as u8
    }

    /// The priority of a number. An unknown number is medium, the default.
    pub fn ranked(rank: u8) -> Self {
        Self::ALL.into_iter().find(|one| one.rank() == rank).unwrap_or_default()
    }
}

/// An entry without its content: enough to order, filter, count and prune.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    #[serde(skip)]
    pub id: String,
    /// Position in the store; later entries have higher numbers.
    pub seq: u64,
    pub category: Category,
    pub actor: String,
    pub priority: Priority,
    pub created_at: i64,
    /// When it expires. Never changes.
    pub expires_at: i64,
    pub tags: Vec<String>,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: SessionKey,
    pub head: Head,
    pub content: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    pub id: String,
    pub category: Category,
    pub priority: Priority,
    pub actor: String,
    pub tags: Vec<String>,
    pub content: Value,
    /// Lifetime in milliseconds, at most and by default [`LIFETIME`].
    pub lives: Option<i64>,
}

/// The name of a session, actor, embodiment or tag: 1 to 128 characters without spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(String);

impl Word {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Word {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fits = |c: char| c.is_alphanumeric() || ".:_-+@/#".contains(c);
        if text.is_empty() || text.chars().count() > 128 || !text.chars().all(fits) {
            return Err("it takes 1 to 128 letters, digits and . : _ - + @ / #".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

/// The key of a session: its id within an embodiment, as each embodiment has its own memory (STM-10).
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// `cli`, `ci`, the id of an AI CLI, or a name given by the caller.
    pub embodiment: String,
    pub id: String,
}

impl SessionKey {
    pub fn new(embodiment: impl Into<String>, id: impl Into<String>) -> Self {
        Self { embodiment: embodiment.into(), id: id.into() }
    }
}

/// A session as it is stored. Times are milliseconds since 1970 UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    pub key: SessionKey,
    pub actor: String,
    pub run_id: Option<String>,
    pub opened_at: i64,
    pub active_at: i64,
    /// When it ended; ended sessions are invisible.
    pub ended_at: Option<i64>,
    /// Number of entries, including expired ones until they are deleted.
    pub entries: u64,
    pub bytes: u64,
    pub recalls: u64,
    pub expired: u64,
    pub pruned: u64,
}

impl Session {
    pub fn opened(key: SessionKey, actor: impl Into<String>, run_id: Option<String>, now: i64) -> Self {
        Self { key, actor: actor.into(), run_id, opened_at: now, active_at: now, ..Self::default() }
    }

    pub fn is_open(&self) -> bool {
        self.ended_at.is_none()
    }

    /// When it is deleted: five minutes after its end. `None` while it is open.
    pub fn purge_after(&self) -> Option<i64> {
        self.ended_at.map(|ended| ended.saturating_add(GRACE))
    }

    /// Whether it is due for deletion: ended for five minutes, or without an entry for so long that none can be left.
    /// The session of a run stays open while the run waits, thirty days at most.
    pub fn is_over(&self, now: i64) -> bool {
        let idle = if self.run_id.is_some() { WAITS } else { LIFETIME + 1 + GRACE };
        self.purge_after().unwrap_or_else(|| self.active_at.saturating_add(idle)) <= now
    }

    pub fn duration(&self, now: i64) -> u64 {
        u64::try_from(self.ended_at.unwrap_or(now).saturating_sub(self.opened_at)).unwrap_or(0)
    }
}

/// The session named by an id.
///
/// A named embodiment decides. Otherwise it is the caller's own session, if there is one; for a person (`anywhere`)
/// without one of that id, it is the open session of that id, if there is exactly one. Agents and CI jobs see only
/// their own.
pub fn resolve(sessions: &[Session], id: &str, named: Option<&str>, own: &str, anywhere: bool) -> SessionKey {
    let mine = SessionKey::new(named.unwrap_or(own), id);
    let is_mine = |one: &Session| one.key == mine;
    if named.is_some() || !anywhere || sessions.iter().any(is_mine) {
        return mine;
    }
    let mut same = sessions.iter().filter(|one| one.key.id == id);
    match (same.next(), same.next()) {
        (Some(only), None) => only.key.clone(),
        _ => mine,
    }
}

pub type Result<T, E = StmError> = std::result::Result<T, E>;

/// A refused request. Never contains the content.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A secret (STM-11): the kind, such as `github-token`; a JSON pointer into the content, or the name of the field;
    /// and the secret itself, for a keyed digest.
    #[error("the content holds a secret ({rule}) at {place}")]
    Secret { rule: &'static str, place: String, value: Hidden },
    #[error("ContentTooLarge: the content has {bytes} bytes; an entry takes {most}")]
    ContentTooLarge { bytes: u64, most: u64 },
    /// Everything in the session has high priority (STM-8).
    #[error("SessionFull: the session holds {entries} entries or {bytes} bytes, and all have high priority")]
    SessionFull { entries: u64, bytes: u64 },
    /// 403 (STM-9).
    #[error("403 Forbidden: entry {entry} belongs to another session")]
    Forbidden { entry: String },
    #[error("there is no entry {entry}")]
    NoSuchEntry { entry: String },
    #[error("there is no session {session}")]
    NoSuchSession { session: String },
    #[error("session {session} was ended")]
    SessionEnded { session: String },
}

/// A text that is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(pub String);

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StmError {
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error(transparent)]
    Backend(#[from] anyhow::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_lives_longer_than_a_day() {
        assert_eq!(Limits::default().lifetime(), LIFETIME);
        assert_eq!(Limits { hours: 1, ..Limits::default() }.lifetime(), HOUR - 1);
        assert_eq!(Limits { hours: u64::MAX, ..Limits::default() }.lifetime(), LIFETIME);
    }

    #[test]
    fn times_at_the_end_of_their_range_do_not_overflow() {
        let key = SessionKey { embodiment: "cli".into(), id: "s".into() };
        let open = Session::opened(key, "user", None, i64::MAX);
        assert!(!open.is_over(0) && open.is_over(i64::MAX));
        let ended = Session { opened_at: i64::MIN, ended_at: Some(i64::MAX), ..open };
        assert_eq!(ended.purge_after(), Some(i64::MAX));
        assert_eq!(ended.duration(0), i64::MAX as u64);
    }
}

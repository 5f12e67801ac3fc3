//! The interface of a store for short-term memory (STM-6).

use super::{Category, Entry, GRACE, Head, RECALLED, Result, Session, SessionKey};

/// A store of sessions and entries: SQLite or Redis.
///
/// It only stores and finds; [`super::Stm`] decides what may be stored and who may read it. Every method that reads
/// entries takes the session's key, so that no query can cross sessions.
pub trait StmBackend {
    fn name(&self) -> &'static str;

    fn sessions(&self) -> Result<Vec<Session>>;

    fn session(&self, key: &SessionKey) -> Result<Option<Session>>;

    /// Stores a new session without entries, replacing one of the same key.
    fn open(&mut self, session: &Session) -> Result<()>;

    /// Marks a session as ended. The store may delete it by itself after [`Session::purge_after`].
    fn end(&mut self, key: &SessionKey, now: i64) -> Result<()>;

    fn drop_session(&mut self, key: &SessionKey) -> Result<()>;

    fn count(&mut self, key: &SessionKey, counter: Counter, n: u64) -> Result<()>;

    /// Stores an entry and assigns its sequence number; `entry.head.seq` is ignored.
    fn insert(&mut self, entry: Entry) -> Result<Entry>;

    /// Replaces the content; no time changes. False if the entry differs from `old` because another process was faster.
    fn replace(&mut self, old: &Entry, new: &Entry) -> Result<bool>;

    /// Deletes entries of a session and returns their number.
    fn remove(&mut self, key: &SessionKey, ids: &[String]) -> Result<u64>;

    fn owner(&self, id: &str) -> Result<Option<SessionKey>>;

    /// The entries of a session that match, and the total number of matches.
    fn select(&self, key: &SessionKey, filter: &Filter, now: i64) -> Result<Recall>;

    /// All entries of a session without their contents, oldest first.
    fn heads(&self, key: &SessionKey) -> Result<Vec<Head>>;

    /// The first entries to remove when room is needed, at most `most`: expired ones, then low, then medium, each
    /// oldest first; never live ones of high priority.
    fn victims(&self, key: &SessionKey, now: i64, most: usize) -> Result<Vec<Head>>;

    fn stale(&self, now: i64) -> Result<Stale>;

    fn tally(&mut self, tally: &Tally) -> Result<()>;

    fn tallies(&self, since: i64) -> Result<Vec<Tally>>;

    fn forget_tallies(&mut self, before: i64) -> Result<()>;
}

word_enum! {
    Counter {
        Recalls = "recalls",
        Expired = "expired",
        Pruned = "pruned",
    }
}

/// A filter over the entries of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    pub categories: Vec<Category>,
    pub actor: Option<String>,
    pub tags: Vec<String>,
    pub since: Option<i64>,
    pub after: Option<u64>,
    pub id: Option<String>,
    /// Includes expired entries that are not deleted yet.
    pub include_expired: bool,
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            categories: Vec::new(),
            actor: None,
            tags: Vec::new(),
            since: None,
            after: None,
            id: None,
            include_expired: false,
            limit: RECALLED,
        }
    }
}

impl Filter {
    /// Whether an entry matches, regardless of the session's end.
    pub fn fits(&self, head: &Head, now: i64) -> bool {
        let until = if self.include_expired { head.expires_at.saturating_add(GRACE) } else { head.expires_at };
        until > now
            && (self.categories.is_empty() || self.categories.contains(&head.category))
            && self.actor.as_ref().is_none_or(|actor| *actor == head.actor)
            && self.tags.iter().all(|tag| head.tags.contains(tag))
            && self.since.is_none_or(|since| head.created_at >= since)
            && self.after.is_none_or(|after| head.seq > after)
            && self.id.as_ref().is_none_or(|id| *id == head.id)
    }

    /// Whether only the limit is set.
    pub fn is_plain(&self) -> bool {
        let plain = Self { limit: self.limit, include_expired: self.include_expired, ..Self::default() };
        *self == plain
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recall {
    pub entries: Vec<Entry>,
    pub total: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stale {
    pub sessions: Vec<Session>,
    /// Entries of sessions that are not deleted.
    pub entries: Vec<(SessionKey, String)>,
}

/// A counter of one hour. Contains no content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The beginning of the hour, in milliseconds since 1970 UTC.
    pub hour: i64,
    /// `store:<category>`, `recall`, `expired`, `pruned`, `purged` or `session`.
    pub what: String,
    pub n: u64,
    /// The sum of the measurements: microseconds for `store` and `recall`, milliseconds for `session`.
    pub sum: u64,
}

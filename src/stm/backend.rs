//! What a store must be able to do to hold short-term memory (seed 2 §5.1, §12.1), and what it is asked.

use super::entry::{Category, Entry, Head};
use super::error::Result;
use super::session::{Session, SessionKey};
use super::{GRACE, RECALLED};

/// A store of sessions and entries: SQLite, Redis, or the process's own memory.
///
/// It keeps and finds; what may be kept and who may find it is decided above, in [`super::Stm`]. Whatever reads entries
/// takes the session's key, so that no question can be asked across sessions.
pub trait StmBackend {
    /// What it is: `sqlite`, `redis`, `memory`.
    fn name(&self) -> &'static str;

    /// Every session, the one opened last first.
    ///
    /// # Errors
    /// When the store cannot be read. So for every method that reads; and every method that writes fails when the store
    /// cannot be written.
    fn sessions(&self) -> Result<Vec<Session>>;

    /// One session.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn session(&self, key: &SessionKey) -> Result<Option<Session>>;

    /// Keeps a new session, without entries, in place of one of the same key.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn open(&mut self, session: &Session) -> Result<()>;

    /// Notes that a session ended. From then on the store may delete it by itself after [`Session::purge_after`].
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn end(&mut self, key: &SessionKey, now: i64) -> Result<()>;

    /// Deletes a session and its entries.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn drop_session(&mut self, key: &SessionKey) -> Result<()>;

    /// Adds to one of a session's counters.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn count(&mut self, key: &SessionKey, counter: Counter, n: u64) -> Result<()>;

    /// Keeps an entry, and gives it its place in the order. `entry.head.seq` is ignored.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn insert(&mut self, entry: Entry) -> Result<Entry>;

    /// Puts another content in the place of the old one; no time changes. False where the entry is not as `old` any
    /// more, because somebody was faster.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn replace(&mut self, old: &Entry, new: &Entry) -> Result<bool>;

    /// Deletes entries of a session, and says how many there were.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn remove(&mut self, key: &SessionKey, ids: &[String]) -> Result<u64>;

    /// Whose entry this is.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn owner(&self, id: &str) -> Result<Option<SessionKey>>;

    /// The entries of a session that fit, and how many fit in all.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn select(&self, key: &SessionKey, filter: &Filter, now: i64) -> Result<Recall>;

    /// All entries of a session without their contents, in the order they came.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn heads(&self, key: &SessionKey) -> Result<Vec<Head>>;

    /// The first entries to go when room is needed, at most so many: expired ones, then low, then medium, each the oldest
    /// first; never high ones that live.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn victims(&self, key: &SessionKey, now: i64, most: usize) -> Result<Vec<Head>>;

    /// What has been over for so long that it is to be deleted.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn stale(&self, now: i64) -> Result<Stale>;

    /// Adds to the counts of an hour.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn tally(&mut self, tally: &Tally) -> Result<()>;

    /// The counts since then, by hour and name.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn tallies(&self, since: i64) -> Result<Vec<Tally>>;

    /// Forgets the counts of the hours before then.
    ///
    /// # Errors
    /// As [`Self::sessions`].
    fn forget_tallies(&mut self, before: i64) -> Result<()>;
}

/// A counter of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// It was recalled from.
    Recalls,
    /// Entries expired.
    Expired,
    /// Entries were pruned.
    Pruned,
}

/// Which entries of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Of one of these categories; none: of any.
    pub categories: Vec<Category>,
    /// By this actor.
    pub actor: Option<String>,
    /// With all of these tags.
    pub tags: Vec<String>,
    /// Stored at this time or later.
    pub since: Option<i64>,
    /// Come after this one.
    pub after: Option<u64>,
    /// This one.
    pub id: Option<String>,
    /// Also what has expired, as long as it is there.
    pub include_expired: bool,
    /// At most so many, the newest.
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
    /// Whether an entry fits, the session's own end apart.
    #[must_use]
    pub fn fits(&self, head: &Head, now: i64) -> bool {
        let until = if self.include_expired { head.expires_at + GRACE } else { head.expires_at };
        until > now
            && (self.categories.is_empty() || self.categories.contains(&head.category))
            && self.actor.as_ref().is_none_or(|actor| *actor == head.actor)
            && self.tags.iter().all(|tag| head.tags.contains(tag))
            && self.since.is_none_or(|since| head.created_at >= since)
            && self.after.is_none_or(|after| head.seq > after)
            && self.id.as_ref().is_none_or(|id| *id == head.id)
    }

    /// Whether it asks for nothing but the newest.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let plain = Self { limit: self.limit, include_expired: self.include_expired, ..Self::default() };
        *self == plain
    }
}

/// What was recalled.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recall {
    /// The entries, newest first.
    pub entries: Vec<Entry>,
    /// How many fit in all.
    pub total: u64,
}

/// What is to be deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stale {
    /// Whole sessions.
    pub sessions: Vec<Session>,
    /// Entries of sessions that stay.
    pub entries: Vec<(SessionKey, String)>,
}

/// How often something happened in an hour, without anything of what was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally {
    /// The beginning of the hour, in milliseconds since 1970 UTC.
    pub hour: i64,
    /// What: `store:<category>`, `recall`, `expired`, `pruned`, `purged`, `session`.
    pub what: String,
    /// How often.
    pub n: u64,
    /// The sum of what was measured: microseconds of `store` and `recall`, milliseconds of `session`.
    pub sum: u64,
}

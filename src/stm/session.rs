//! A session: whose entries they are, since when, and when all of them go (seed 2 §4, §7).

use std::fmt;
use std::str::FromStr;

use super::{GRACE, LIFETIME, WAITS};

/// A name somebody gives: of a session, an actor, an embodiment, a tag. One to 128 characters without spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word(String);

impl Word {
    /// The text.
    #[must_use]
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

/// Names a session. Every embodiment has its own memory (seed 2 §7.2), so the id alone is not enough.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionKey {
    /// Where it belongs: `cli`, `ci`, the id of an AI CLI, or what somebody called it.
    pub embodiment: String,
    /// Its id.
    pub id: String,
}

impl SessionKey {
    /// The session of this id in this embodiment.
    pub fn new(embodiment: impl Into<String>, id: impl Into<String>) -> Self {
        Self { embodiment: embodiment.into(), id: id.into() }
    }
}

/// A session as it is stored. Times are milliseconds since 1970 UTC.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub key: SessionKey,
    /// Who opened it.
    pub actor: String,
    /// The run it belongs to, where it is one of hefesto's own.
    pub run_id: Option<String>,
    /// When it was opened.
    pub opened_at: i64,
    /// When something was last stored in it.
    pub active_at: i64,
    /// When it was ended; from then on nothing of it is seen.
    pub ended_at: Option<i64>,
    /// How many entries it holds, expired ones included until they are deleted.
    pub entries: u64,
    /// Bytes of their contents.
    pub bytes: u64,
    /// How often it was recalled from.
    pub recalls: u64,
    /// How many of its entries expired by themselves.
    pub expired: u64,
    /// How many were pruned.
    pub pruned: u64,
}

impl Session {
    /// A session that is opened now.
    pub fn opened(key: SessionKey, actor: impl Into<String>, run_id: Option<String>, now: i64) -> Self {
        Self {
            key,
            actor: actor.into(),
            run_id,
            opened_at: now,
            active_at: now,
            ended_at: None,
            entries: 0,
            bytes: 0,
            recalls: 0,
            expired: 0,
            pruned: 0,
        }
    }

    /// Whether it was not ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.ended_at.is_none()
    }

    /// When all of it is deleted, where that is known: five minutes after its end.
    #[must_use]
    pub fn purge_after(&self) -> Option<i64> {
        self.ended_at.map(|ended| ended + GRACE)
    }

    /// Whether it is to be deleted: ended for five minutes, or so long without an entry that none can be left. The
    /// session of a run stays open while the run waits, thirty days at most.
    #[must_use]
    pub fn is_over(&self, now: i64) -> bool {
        let idle = if self.run_id.is_some() { WAITS } else { LIFETIME + 1 + GRACE };
        self.purge_after().unwrap_or(self.active_at + idle) <= now
    }

    /// How long it lasted, or has lasted until now.
    #[must_use]
    pub fn duration(&self, now: i64) -> u64 {
        u64::try_from(self.ended_at.unwrap_or(now) - self.opened_at).unwrap_or(0)
    }
}

/// Which session somebody means who says an id.
///
/// An embodiment that is named holds. Otherwise it is the caller's own session, where there is one; a person (`anywhere`)
/// who has none of that id means the one open session of that id, if there is exactly one. Agents and CI jobs see only
/// their own.
#[must_use]
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

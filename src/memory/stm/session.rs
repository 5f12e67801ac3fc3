//! A session: owner, lifetime and deletion (STM-3, STM-9).

use std::fmt;
use std::str::FromStr;

use super::{GRACE, LIFETIME, WAITS};

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

#[cfg(test)]
mod tests {
    use super::*;

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

//! What leaves short-term memory: pruned, purged, ended and swept (STM-4, STM-8).

use std::cmp::Reverse;

use super::{Counter, Refusal, Result, Stm};
use crate::memory::stm::{COUNTED, Head, Priority, Session, SessionKey};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    pub pruned: u64,
    pub expired: u64,
    pub left: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    pub sessions: u64,
    pub entries: u64,
}

impl Stm<'_> {
    /// Removes expired entries and those the rule selects. A missing session has nothing to prune.
    pub fn prune(&mut self, key: &SessionKey, rule: Prune) -> Result<Pruned> {
        self.sweep()?;
        let (expired, living): (Vec<Head>, Vec<Head>) =
            self.backend.heads(key)?.into_iter().partition(|head| head.expires_at <= self.now);
        let expired: Vec<String> = expired.into_iter().map(|head| head.id).collect();
        let expired = self.backend.remove(key, &expired)?;
        let pruned = self.backend.remove(key, &rule.victims(&living))?;
        self.gone(key, expired, pruned)?;
        Ok(Pruned { pruned, expired, left: (living.len() as u64).saturating_sub(pruned) })
    }

    /// Deletes one entry, or the whole session. Returns the number of deleted entries.
    pub fn purge(&mut self, key: &SessionKey, id: Option<&str>) -> Result<u64> {
        self.sweep()?;
        let removed = match id {
            Some(id) => {
                self.own(key, id)?;
                self.backend.remove(key, &[id.to_owned()])?
            }
            None => {
                let Some(session) = self.backend.session(key)? else { return Ok(0) };
                if session.is_open() {
                    self.lasted(&session)?;
                }
                self.backend.drop_session(key)?;
                session.entries
            }
        };
        self.measured("purged", removed, 0)?;
        Ok(removed)
    }

    /// Ends a session: it is no longer visible, and is deleted five minutes later.
    /// Ending an ended session changes nothing.
    pub fn end(&mut self, key: &SessionKey) -> Result<Session> {
        self.sweep()?;
        let Some(mut session) = self.backend.session(key)? else {
            return Err(Refusal::NoSuchSession { session: key.id.clone() }.into());
        };
        if session.is_open() {
            session.ended_at = Some(self.now);
            self.backend.end(key, self.now)?;
            self.measured("expired", session.entries, 0)?;
            self.lasted(&session)?;
        }
        Ok(session)
    }

    /// Deletes sessions that ended and entries that expired at least five minutes ago.
    pub fn sweep(&mut self) -> Result<Swept> {
        let stale = self.backend.stale(self.now)?;
        let mut swept = Swept { sessions: stale.sessions.len() as u64, entries: 0 };
        for session in &stale.sessions {
            if session.is_open() {
                self.lasted(&Session { ended_at: Some(session.active_at), ..session.clone() })?;
            }
            self.discard(session)?;
            swept.entries += session.entries;
        }
        let mut rest = stale.entries.as_slice();
        while let Some((key, _)) = rest.first() {
            let many = rest.iter().take_while(|(other, _)| other == key).count();
            let (now, later) = rest.split_at(many);
            let ids: Vec<String> = now.iter().map(|(_, id)| id.clone()).collect();
            let removed = self.backend.remove(key, &ids)?;
            self.gone(key, removed, 0)?;
            swept.entries += removed;
            rest = later;
        }
        if !stale.sessions.is_empty() {
            self.backend.forget_tallies(self.now - COUNTED)?;
        }
        Ok(swept)
    }

    /// Deletes a session that is over. Its entries expired when it ended; if it was never ended, they expire now.
    pub(super) fn discard(&mut self, session: &Session) -> Result<()> {
        self.backend.drop_session(&session.key)?;
        self.measured("expired", if session.is_open() { session.entries } else { 0 }, 0)
    }

    pub(super) fn gone(&mut self, key: &SessionKey, expired: u64, pruned: u64) -> Result<()> {
        for (what, counter, n) in [("expired", Counter::Expired, expired), ("pruned", Counter::Pruned, pruned)] {
            if n > 0 {
                self.backend.count(key, counter, n)?;
                self.measured(what, n, 0)?;
            }
        }
        Ok(())
    }

    fn lasted(&mut self, session: &Session) -> Result<()> {
        self.measured("session", 1, session.duration(self.now))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prune {
    /// Keep this many: highest priority first, then newest.
    Keep(usize),
    Oldest,
    /// The oldest fifth of the medium and the oldest half of the low entries.
    #[default]
    LowestPriority,
}

impl Prune {
    /// The ids to prune among live entries.
    pub fn victims(self, heads: &[Head]) -> Vec<String> {
        let mut oldest: Vec<&Head> = heads.iter().collect();
        oldest.sort_by_key(|head| (head.created_at, head.seq));
        let of = |priority: Priority| oldest.iter().filter(move |head| head.priority == priority);
        let chosen: Vec<&Head> = match self {
            Self::Keep(limit) => {
                let mut order = oldest.clone();
                order.sort_by_key(|head| (Reverse(head.priority), Reverse(head.created_at), Reverse(head.seq)));
                order.into_iter().skip(limit).filter(|head| head.priority != Priority::High).collect()
            }
            Self::Oldest => {
                let fifth = oldest.len().div_ceil(5);
                oldest.iter().take(fifth).filter(|head| head.priority != Priority::High).copied().collect()
            }
            Self::LowestPriority => {
                let (medium, low) = (of(Priority::Medium).count(), of(Priority::Low).count());
                let medium = of(Priority::Medium).take(medium - (medium * 4).div_ceil(5));
                let low = of(Priority::Low).take(low - low.div_ceil(2));
                medium.chain(low).copied().collect()
            }
        };
        chosen.into_iter().map(|head| head.id.clone()).collect()
    }
}

/// The entries to evict first, at most this many; see [`crate::memory::stm::StmBackend::victims`].
pub fn first_to_go(mut heads: Vec<Head>, now: i64, most: usize) -> Vec<Head> {
    heads.retain(|head| head.priority != Priority::High || head.expires_at <= now);
    heads.sort_by_key(|head| (head.expires_at > now, head.priority, head.created_at, head.seq));
    heads.truncate(most);
    heads
}

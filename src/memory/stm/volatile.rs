//! Short-term memory in process memory: the fallback where no database can be used, and a store for tests.

use std::collections::BTreeMap;

use super::backend::{Counter, Filter, Recall, Stale, StmBackend, Tally};
use super::entry::{Entry, Head};
use super::error::Result;
use super::prune::first_to_go;
use super::session::{Session, SessionKey};
use super::{GRACE, HOUR};

/// A store that is lost when the process ends.
#[derive(Debug, Default)]
pub struct MemoryStm {
    sessions: BTreeMap<SessionKey, (u64, Session)>,
    entries: BTreeMap<SessionKey, Vec<Entry>>,
    tallies: BTreeMap<(i64, String), Tally>,
    seq: u64,
}

impl MemoryStm {
    fn next(&mut self) -> u64 {
        self.seq += 1;
        self.seq
    }

    fn of(&self, key: &SessionKey) -> &[Entry] {
        self.entries.get(key).map(Vec::as_slice).unwrap_or_default()
    }
}

impl StmBackend for MemoryStm {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn sessions(&self) -> Result<Vec<Session>> {
        let mut all: Vec<&(u64, Session)> = self.sessions.values().collect();
        all.sort_by_key(|(seq, session)| std::cmp::Reverse((session.opened_at, *seq)));
        Ok(all.into_iter().map(|(_, session)| session.clone()).collect())
    }

    fn session(&self, key: &SessionKey) -> Result<Option<Session>> {
        Ok(self.sessions.get(key).map(|(_, session)| session.clone()))
    }

    fn open(&mut self, session: &Session) -> Result<()> {
        let seq = self.next();
        self.entries.remove(&session.key);
        self.sessions.insert(session.key.clone(), (seq, session.clone()));
        Ok(())
    }

    fn end(&mut self, key: &SessionKey, now: i64) -> Result<()> {
        if let Some((_, session)) = self.sessions.get_mut(key) {
            session.ended_at = Some(now);
        }
        Ok(())
    }

    fn drop_session(&mut self, key: &SessionKey) -> Result<()> {
        self.sessions.remove(key);
        self.entries.remove(key);
        Ok(())
    }

    fn count(&mut self, key: &SessionKey, counter: Counter, n: u64) -> Result<()> {
        if let Some((_, session)) = self.sessions.get_mut(key) {
            match counter {
                Counter::Recalls => session.recalls += n,
                Counter::Expired => session.expired += n,
                Counter::Pruned => session.pruned += n,
            }
        }
        Ok(())
    }

    fn insert(&mut self, mut entry: Entry) -> Result<Entry> {
        entry.head.seq = self.next();
        let key = SessionKey::new(&*entry.embodiment, &*entry.session);
        if let Some((_, session)) = self.sessions.get_mut(&key) {
            session.entries += 1;
            session.bytes += entry.head.bytes;
            session.active_at = session.active_at.max(entry.head.created_at);
        }
        self.entries.entry(key).or_default().push(entry.clone());
        Ok(entry)
    }

    fn replace(&mut self, old: &Entry, new: &Entry) -> Result<bool> {
        let key = SessionKey::new(&*old.embodiment, &*old.session);
        let Some(place) = self.entries.get_mut(&key).and_then(|all| all.iter_mut().find(|one| *one == old)) else {
            return Ok(false);
        };
        *place = new.clone();
        if let Some((_, session)) = self.sessions.get_mut(&key) {
            session.bytes = (session.bytes + new.head.bytes).saturating_sub(old.head.bytes);
        }
        Ok(true)
    }

    fn remove(&mut self, key: &SessionKey, ids: &[String]) -> Result<u64> {
        let Some(entries) = self.entries.get_mut(key) else { return Ok(0) };
        let (mut n, mut bytes) = (0, 0);
        entries.retain(|entry| {
            let goes = ids.contains(&entry.head.id);
            if goes {
                n += 1;
                bytes += entry.head.bytes;
            }
            !goes
        });
        if let Some((_, session)) = self.sessions.get_mut(key) {
            session.entries = session.entries.saturating_sub(n);
            session.bytes = session.bytes.saturating_sub(bytes);
        }
        Ok(n)
    }

    fn owner(&self, id: &str) -> Result<Option<SessionKey>> {
        let mut all = self.entries.iter();
        Ok(all.find(|(_, entries)| entries.iter().any(|entry| entry.head.id == id)).map(|(key, _)| key.clone()))
    }

    fn select(&self, key: &SessionKey, filter: &Filter, now: i64) -> Result<Recall> {
        let mut fitting: Vec<&Entry> = self.of(key).iter().filter(|entry| filter.fits(&entry.head, now)).collect();
        fitting.sort_by_key(|entry| std::cmp::Reverse((entry.head.created_at, entry.head.seq)));
        let total = fitting.len() as u64;
        Ok(Recall { entries: fitting.into_iter().take(filter.limit).cloned().collect(), total })
    }

    fn heads(&self, key: &SessionKey) -> Result<Vec<Head>> {
        Ok(self.of(key).iter().map(|entry| entry.head.clone()).collect())
    }

    fn victims(&self, key: &SessionKey, now: i64, most: usize) -> Result<Vec<Head>> {
        Ok(first_to_go(self.heads(key)?, now, most))
    }

    fn stale(&self, now: i64) -> Result<Stale> {
        let mut stale = Stale::default();
        for session in self.sessions()? {
            if session.is_over(now) {
                stale.sessions.push(session);
                continue;
            }
            let gone = self.of(&session.key).iter().filter(|entry| entry.head.expires_at.saturating_add(GRACE) <= now);
            stale.entries.extend(gone.map(|entry| (session.key.clone(), entry.head.id.clone())));
        }
        Ok(stale)
    }

    fn tally(&mut self, tally: &Tally) -> Result<()> {
        let known = self.tallies.entry((tally.hour, tally.what.clone())).or_insert_with(|| Tally {
            n: 0,
            sum: 0,
            ..tally.clone()
        });
        known.n += tally.n;
        known.sum += tally.sum;
        Ok(())
    }

    fn tallies(&self, since: i64) -> Result<Vec<Tally>> {
        Ok(self.tallies.values().filter(|tally| tally.hour + HOUR > since).cloned().collect())
    }

    fn forget_tallies(&mut self, before: i64) -> Result<()> {
        self.tallies.retain(|(hour, _), _| *hour >= before);
        Ok(())
    }
}

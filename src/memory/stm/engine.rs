//! The rules of short-term memory over any back end: isolation, secrets, limits, expiry (STM-4, STM-8, STM-9); and the
//! session of a run (STM-3).

mod removal;

use serde_json::{Value, json};

use super::backend::{Counter, Filter, Recall, StmBackend, Tally};
use super::{
    Category, Entry, HOUR, Head, Limits, NewEntry, Priority, Refusal, Result, Session, SessionKey, StmError, guard,
};

pub use removal::{Prune, Pruned, Swept, first_to_go};

/// How often an update is retried after a concurrent change.
const TRIES: usize = 8;

/// Entries examined per batch when bytes have to be freed.
const AT_ONCE: usize = 64;

/// Short-term memory over a back end, at one point in time.
pub struct Stm<'a> {
    pub(crate) backend: &'a mut dyn StmBackend,
    pub(crate) now: i64,
    took: &'a dyn Fn() -> u64,
    pub(crate) limits: Limits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    pub session: Session,
    pub is_new: bool,
    /// The requested id, if another owner has an open session of that id (STM-13).
    pub collided: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    pub entry: Entry,
    pub pruned: u64,
}

impl<'a> Stm<'a> {
    /// Short-term memory at the time `now` (milliseconds since 1970 UTC). `took` returns how many microseconds the
    /// operation has taken so far; it feeds the latencies of STM-14.
    pub fn new(backend: &'a mut dyn StmBackend, now: i64, took: &'a dyn Fn() -> u64) -> Self {
        Self { backend, now, took, limits: Limits::default() }
    }

    /// Every session that is not due for deletion, newest first.
    pub fn sessions(&self) -> Result<Vec<Session>> {
        let mut sessions = self.backend.sessions()?;
        sessions.retain(|session| !session.is_over(self.now));
        Ok(sessions)
    }

    /// Opens a session, or returns the one its owner has open already. If another actor or embodiment has one open with
    /// this id, the session gets a new id made of it and `fresh` (STM-13).
    pub fn open(&mut self, key: SessionKey, actor: &str, run: Option<String>, fresh: &str) -> Result<Opened> {
        let words = [("the session's id", key.id.as_str()), ("the embodiment", &key.embodiment), ("the actor", actor)];
        guard::check(&Value::Null, &words)?;
        self.sweep()?;
        let sessions = self.sessions()?;
        let own = |one: &Session| one.key == key && one.actor == actor && one.run_id == run;
        let same = |one: &&Session| one.key.id == key.id && one.is_open();
        if let Some(session) = sessions.iter().find(|one| same(one) && own(one)) {
            return Ok(Opened { session: session.clone(), is_new: false, collided: None });
        }
        let collided = sessions.iter().any(|one| same(&one)).then(|| key.id.clone());
        let key = match &collided {
            None => key,
            Some(taken) => SessionKey { id: format!("{taken}-{fresh}"), ..key },
        };
        let session = Session::opened(key, actor, run, self.now);
        self.begin(&session)?;
        Ok(Opened { session, is_new: true, collided })
    }

    /// Stores a new session. An ended one with the same key is deleted with its entries.
    fn begin(&mut self, session: &Session) -> Result<()> {
        if let Some(old) = self.backend.session(&session.key)? {
            self.discard(&old)?;
        }
        self.backend.open(session)
    }

    /// Stores an entry. A session that does not exist is opened. If it is full, expired entries are removed first, then
    /// the oldest of the lowest priority. What is refused changes nothing.
    pub fn store(&mut self, key: &SessionKey, new: NewEntry) -> Result<Stored> {
        let bytes = self.size(&new.content)?;
        let mut words = vec![("the session's id", key.id.as_str()), ("the embodiment", &key.embodiment)];
        words.push(("the actor", &new.actor));
        words.extend(new.tags.iter().map(|tag| ("a tag", tag.as_str())));
        guard::check(&new.content, &words)?;
        self.sweep()?;
        let session = match self.backend.session(key)?.filter(|session| !session.is_over(self.now)) {
            Some(session) if !session.is_open() => {
                return Err(Refusal::SessionEnded { session: key.id.clone() }.into());
            }
            Some(session) => session,
            None => {
                let session = Session::opened(key.clone(), new.actor.as_str(), None, self.now);
                self.begin(&session)?;
                session
            }
        };
        let pruned = self.make_room(&session, 1, bytes)?;
        let longest = self.limits.lifetime();
        let lives = new.lives.unwrap_or(longest).min(longest);
        let NewEntry { id, category, priority, actor, tags, content, .. } = new;
        let (created_at, expires_at) = (self.now, self.now + lives);
        let head = Head { id, seq: 0, category, actor, priority, created_at, expires_at, tags, bytes };
        let entry = Entry { key: key.clone(), head, content };
        let entry = self.backend.insert(entry)?;
        self.measured(&format!("store:{}", entry.head.category), 1, (self.took)())?;
        Ok(Stored { entry, pruned })
    }

    /// Frees room for this many entries and bytes, or changes nothing.
    fn make_room(&mut self, session: &Session, entries: u64, bytes: u64) -> Result<u64> {
        let most = self.limits;
        let over = |n: u64, freed: u64| {
            session.entries + entries > most.entries + n || session.bytes + bytes > most.session_bytes + freed
        };
        if !over(0, 0) {
            return Ok(0);
        }
        let mut asked = AT_ONCE;
        let (chosen, freed) = loop {
            let victims = self.backend.victims(&session.key, self.now, asked)?;
            let (mut chosen, mut freed) = (Vec::new(), 0);
            for victim in &victims {
                if !over(chosen.len() as u64, freed) {
                    break;
                }
                freed += victim.bytes;
                chosen.push(victim.clone());
            }
            if !over(chosen.len() as u64, freed) || victims.len() < asked {
                break (chosen, freed);
            }
            asked *= 4;
        };
        if over(chosen.len() as u64, freed) {
            return Err(self.full().into());
        }
        let expired = chosen.iter().filter(|head| head.expires_at <= self.now).count() as u64;
        let ids: Vec<String> = chosen.into_iter().map(|head| head.id).collect();
        let removed = self.backend.remove(&session.key, &ids)?;
        let pruned = removed.saturating_sub(expired);
        self.gone(&session.key, expired, pruned)?;
        Ok(pruned)
    }

    /// Returns entries of a session, newest first, and counts the recall. A session that does not exist, or has ended,
    /// has none (STM-12). Errors: [`Refusal::Forbidden`] if the entry with the requested id belongs to another session.
    pub fn recall(&mut self, key: &SessionKey, filter: &Filter) -> Result<Recall> {
        self.sweep()?;
        let found = self.look(key, filter)?;
        self.recalled(key, (self.took)())?;
        Ok(found)
    }

    /// Counts a recall of a session's entries, and its microseconds.
    pub fn recalled(&mut self, key: &SessionKey, took: u64) -> Result<()> {
        self.backend.count(key, Counter::Recalls, 1)?;
        self.measured("recall", 1, took)
    }

    /// [`Self::recall`] without sweeping, and without counting it in the metrics.
    pub fn look(&self, key: &SessionKey, filter: &Filter) -> Result<Recall> {
        self.seen(key, filter).map(|(_session, found)| found)
    }

    /// [`Self::look`], together with the session, visible or not.
    fn seen(&self, key: &SessionKey, filter: &Filter) -> Result<(Option<Session>, Recall)> {
        let session = self.backend.session(key)?;
        let shown = |session: &Session| !session.is_over(self.now) && (session.is_open() || filter.include_expired);
        let found = match &session {
            Some(session) if shown(session) => self.backend.select(key, filter, self.now)?,
            _ => Recall::default(),
        };
        // An entry found here belongs to this session; for one not found, the owner has to be looked up.
        if let (Some(id), None) = (&filter.id, found.entries.first()) {
            self.own(key, id)?;
        }
        Ok((session, found))
    }

    /// Merges into an entry's content (RFC 7396): the one with this id, or the newest of a category, or the newest.
    /// When it was stored and when it expires do not change.
    pub fn update(
        &mut self,
        key: &SessionKey,
        id: Option<&str>,
        category: Option<Category>,
        patch: &Value,
    ) -> Result<Entry> {
        self.sweep()?;
        let (id, categories) = (id.map(str::to_owned), category.into_iter().collect());
        let filter = Filter { id, categories, limit: 1, ..Filter::default() };
        for _ in 0..TRIES {
            let (session, found) = self.seen(key, &filter)?;
            let Some(old) = found.entries.into_iter().next() else {
                let entry = filter.id.unwrap_or_else(|| format!("to update in session {}", key.id));
                return Err(Refusal::NoSuchEntry { entry }.into());
            };
            let mut new = old.clone();
            merge(&mut new.content, patch);
            new.head.bytes = self.size(&new.content)?;
            guard::check(&new.content, &[])?;
            if let Some(session) = session
                && session.bytes + new.head.bytes > self.limits.session_bytes + old.head.bytes
            {
                return Err(self.full().into());
            }
            if self.backend.replace(&old, &new)? {
                return Ok(new);
            }
        }
        Err(anyhow::anyhow!("the entry was changed by somebody else {TRIES} times in a row").into())
    }

    pub fn tallies(&self, since: i64) -> Result<Vec<Tally>> {
        self.backend.tallies(since)
    }

    pub fn backend_name(&self) -> &'static str {
        self.backend.name()
    }

    /// Fails unless the entry belongs to this session (STM-9).
    fn own(&self, key: &SessionKey, id: &str) -> Result<()> {
        match self.backend.owner(id)? {
            Some(owner) if owner == *key => Ok(()),
            Some(_) => Err(Refusal::Forbidden { entry: id.to_owned() }.into()),
            None => Err(Refusal::NoSuchEntry { entry: id.to_owned() }.into()),
        }
    }

    fn size(&self, content: &Value) -> Result<u64, Refusal> {
        let (bytes, most) = (content.to_string().len() as u64, self.limits.entry_bytes);
        if bytes > most { Err(Refusal::ContentTooLarge { bytes, most }) } else { Ok(bytes) }
    }

    fn full(&self) -> Refusal {
        Refusal::SessionFull { entries: self.limits.entries, bytes: self.limits.session_bytes }
    }

    fn measured(&mut self, what: &str, n: u64, measure: u64) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let hour = self.now - self.now.rem_euclid(HOUR);
        self.backend.tally(&Tally { hour, what: what.to_owned(), n, sum: measure })
    }
}

/// JSON merge patch, RFC 7396: objects merge, null removes, everything else replaces.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(changes) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let Value::Object(fields) = target else { return };
    for (name, change) in changes {
        if change.is_null() {
            fields.shift_remove(name);
        } else {
            merge(fields.entry(name.clone()).or_insert(Value::Null), change);
        }
    }
}

impl Stm<'_> {
    /// Opens the session of a run under the run's id. A resumed run reopens its session.
    pub fn open_run(&mut self, run: &str, embodiment: &str, actor: &str) -> Result<Opened> {
        let fresh: String = run.chars().skip(run.chars().count().saturating_sub(8)).collect();
        self.open(SessionKey::new(embodiment, run), actor, Some(run.to_owned()), &fresh)
    }

    /// Records the phase and status of the run in one `active_task` entry, rewritten by every phase.
    pub fn task(&mut self, key: &SessionKey, phase: &str, status: &str) -> Result<()> {
        let id = format!("{}-task", key.id);
        let content = json!({ "type": "active_task", "data": { "task_id": key.id, "phase": phase, "status": status } });
        match self.update(key, Some(&id), None, &content) {
            Err(StmError::Refused(Refusal::NoSuchEntry { .. })) => {}
            done => return done.map(drop),
        }
        // After a day of waiting the entry has expired and may still be stored.
        match self.purge(key, Some(&id)) {
            Ok(_) | Err(StmError::Refused(Refusal::NoSuchEntry { .. })) => {}
            Err(error) => return Err(error),
        }
        let (category, priority) = (Category::ActiveTask, Priority::High);
        let (actor, tags) = ("hefesto".to_owned(), Vec::new());
        self.store(key, NewEntry { id, category, priority, actor, tags, content, lives: None }).map(drop)
    }

    pub fn end_run(&mut self, key: &SessionKey) -> Result<()> {
        match self.end(key) {
            Err(StmError::Backend(error)) => Err(error.into()),
            Ok(_) | Err(StmError::Refused(_)) => Ok(()),
        }
    }
}

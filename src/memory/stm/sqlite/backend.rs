//! The back end of short-term memory over a connection to the database, and the rows it reads.

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, Row, params, params_from_iter};
use serde_json::json;

use crate::memory::sql::{self, count, json};
use crate::memory::stm::{
    Counter, Entry, Filter, GRACE, HOUR, Head, LIFETIME, Priority, Recall, Session, SessionKey, Stale, StmBackend,
    StmError, Tally, WAITS,
};

/// The back end over a connection. The caller's transaction makes operations atomic.
pub(super) struct SqliteStm<'c> {
    pub(super) db: &'c Connection,
}

/// Finds the row of a session by its key, as `?1` and `?2`.
pub(super) const SID: &str = "(SELECT sid FROM stm_sessions WHERE embodiment = ?1 AND session_id = ?2)";

impl SqliteStm<'_> {
    fn resize(&self, key: &SessionKey, entries: i64, bytes: i64) -> Result<(), StmError> {
        let sql = "UPDATE stm_sessions SET entries = entries + ?3, bytes = bytes + ?4
                   WHERE embodiment = ?1 AND session_id = ?2";
        Ok(sql::run(self.db, sql, params![key.embodiment, key.id, entries, bytes])?)
    }
}

impl StmBackend for SqliteStm<'_> {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn sessions(&self) -> Result<Vec<Session>, StmError> {
        let sql = format!("SELECT {SESSION} FROM stm_sessions ORDER BY opened_at DESC, sid DESC");
        Ok(sql::all(self.db, &sql, [], session)?)
    }

    fn session(&self, key: &SessionKey) -> Result<Option<Session>, StmError> {
        let sql = format!("SELECT {SESSION} FROM stm_sessions WHERE embodiment = ?1 AND session_id = ?2");
        Ok(sql::one(self.db, &sql, [&key.embodiment, &key.id], session)?)
    }

    fn open(&mut self, one: &Session) -> Result<(), StmError> {
        if self.session(&one.key)?.is_some() {
            self.drop_session(&one.key)?;
        }
        let sql = "INSERT INTO stm_sessions(embodiment, session_id, actor, run_id, opened_at, active_at, ended_at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let Session { key, actor, run_id, opened_at, active_at, ended_at, .. } = one;
        let values = params![key.embodiment, key.id, actor, run_id, opened_at, active_at, ended_at];
        Ok(sql::run(self.db, sql, values)?)
    }

    fn end(&mut self, key: &SessionKey, now: i64) -> Result<(), StmError> {
        let sql = "UPDATE stm_sessions SET ended_at = ?3 WHERE embodiment = ?1 AND session_id = ?2";
        Ok(sql::run(self.db, sql, params![key.embodiment, key.id, now])?)
    }

    fn drop_session(&mut self, key: &SessionKey) -> Result<(), StmError> {
        let sql = "DELETE FROM stm_sessions WHERE embodiment = ?1 AND session_id = ?2";
        Ok(sql::run(self.db, sql, [&key.embodiment, &key.id])?)
    }

    fn count(&mut self, key: &SessionKey, counter: Counter, n: u64) -> Result<(), StmError> {
        let more = format!("{counter} = {counter} + ?3");
        let sql = format!("UPDATE stm_sessions SET {more} WHERE embodiment = ?1 AND session_id = ?2");
        Ok(sql::run(self.db, &sql, params![key.embodiment, key.id, n as i64])?)
    }

    fn insert(&mut self, mut one: Entry) -> Result<Entry, StmError> {
        let (key, bytes) = (&one.key, one.head.bytes as i64);
        let sql = format!(
            "INSERT INTO stm_entries(sid, id, category, actor, priority, created_at, expires_at, bytes, tags, content)
             VALUES ({SID}, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        );
        let Head { id, category, actor, priority, created_at, expires_at, tags, .. } = &one.head;
        let (rank, tags, content) = (priority.rank(), json!(tags).to_string(), one.content.to_string());
        sql::run(
            self.db,
            &sql,
            params![key.embodiment, key.id, id, category, actor, rank, created_at, expires_at, bytes, tags, content],
        )?;
        let grow = "UPDATE stm_sessions SET entries = entries + 1, bytes = bytes + ?3, active_at = max(active_at, ?4)
                    WHERE embodiment = ?1 AND session_id = ?2";
        sql::run(self.db, grow, params![key.embodiment, key.id, bytes, created_at])?;
        one.head.seq = self.db.last_insert_rowid().unsigned_abs();
        Ok(one)
    }

    fn replace(&mut self, old: &Entry, new: &Entry) -> Result<bool, StmError> {
        let sql = "UPDATE stm_entries SET content = ?2, bytes = ?3 WHERE id = ?1 AND content = ?4";
        let (before, after) = (old.content.to_string(), new.content.to_string());
        let changed = sql::execute(self.db, sql, params![old.head.id, after, new.head.bytes as i64, before])?;
        if changed > 0 && new.head.bytes != old.head.bytes {
            self.resize(&old.key, 0, new.head.bytes as i64 - old.head.bytes as i64)?;
        }
        Ok(changed > 0)
    }

    fn remove(&mut self, key: &SessionKey, ids: &[String]) -> Result<u64, StmError> {
        let (mut n, mut bytes) = (0, 0);
        for id in ids {
            let sql = format!("DELETE FROM stm_entries WHERE id = ?3 AND sid = {SID} RETURNING bytes");
            let gone: Option<i64> = sql::value(self.db, &sql, [&key.embodiment, &key.id, id])?;
            n += i64::from(gone.is_some());
            bytes += gone.unwrap_or(0);
        }
        if n > 0 {
            self.resize(key, -n, -bytes)?;
        }
        Ok(n.unsigned_abs())
    }

    fn owner(&self, id: &str) -> Result<Option<SessionKey>, StmError> {
        let sql =
            "SELECT s.embodiment, s.session_id FROM stm_entries e JOIN stm_sessions s USING (sid) WHERE e.id = ?1";
        Ok(sql::one(self.db, sql, [id], |row| columns!(row => SessionKey { embodiment, id }))?)
    }

    fn select(&self, key: &SessionKey, filter: &Filter, now: i64) -> Result<Recall, StmError> {
        let (fits, values) = condition(key, filter, now);
        let newest = format!(
            "SELECT {ENTRY} FROM stm_entries e WHERE {fits} ORDER BY e.created_at DESC, e.seq DESC LIMIT {}",
            sql::limit(filter.limit)
        );
        let found: Vec<Entry> = sql::all(self.db, &newest, params_from_iter(&values), |row| entry(row, key))?;
        // Fewer rows than the limit are all rows, and so is a row found by its id.
        if found.len() < filter.limit || (filter.id.is_some() && !found.is_empty()) {
            return Ok(Recall { total: found.len() as u64, entries: found });
        }
        let count = if filter.is_plain() {
            // Live entries are all minus the expired ones, of which there are few to count.
            "SELECT s.entries - (SELECT count(*) FROM stm_entries e WHERE e.sid = s.sid AND e.expires_at <= ?3)
             FROM stm_sessions s WHERE s.embodiment = ?1 AND s.session_id = ?2"
                .to_owned()
        } else {
            format!("SELECT count(*) FROM stm_entries e WHERE {fits}")
        };
        let total = sql::one(self.db, &count, params_from_iter(&values), |row| sql::count(row, 0))?;
        Ok(Recall { entries: found, total: total.unwrap_or(0) })
    }

    fn heads(&self, key: &SessionKey) -> Result<Vec<Head>, StmError> {
        let sql = format!("SELECT {HEAD} FROM stm_entries e WHERE e.sid = {SID} ORDER BY e.seq");
        Ok(sql::all(self.db, &sql, [&key.embodiment, &key.id], head)?)
    }

    fn victims(&self, key: &SessionKey, now: i64, most: usize) -> Result<Vec<Head>, StmError> {
        let first = |fits: &str, most: usize| -> anyhow::Result<Vec<Head>> {
            let order = "e.priority, e.created_at, e.seq LIMIT ?4";
            let sql = format!("SELECT {HEAD} FROM stm_entries e WHERE e.sid = {SID} AND {fits} ORDER BY {order}");
            sql::all(self.db, &sql, params![key.embodiment, key.id, now, sql::limit(most)], head)
        };
        let mut found = first("e.expires_at <= ?3", most)?;
        found.extend(first("e.priority < 2 AND e.expires_at > ?3", most.saturating_sub(found.len()))?);
        Ok(found)
    }

    fn stale(&self, now: i64) -> Result<Stale, StmError> {
        // Every write asks this, and there is rarely anything: the query reads no session.
        let values = params![now, GRACE, WAITS, LIFETIME + 1 + GRACE];
        if sql::value(self.db, STALE, values)? == Some(false) {
            return Ok(Stale::default());
        }
        let (over, stay): (Vec<Session>, Vec<Session>) =
            self.sessions()?.into_iter().partition(|session| session.is_over(now));
        let mut stale = Stale { sessions: over, entries: Vec::new() };
        let before = now.saturating_sub(GRACE);
        for session in stay.into_iter().filter(|session| session.entries > 0) {
            let sql = format!("SELECT id FROM stm_entries WHERE sid = {SID} AND expires_at <= ?3");
            let values = params![session.key.embodiment, session.key.id, before];
            let ids: Vec<String> = sql::column(self.db, &sql, values)?;
            stale.entries.extend(ids.into_iter().map(|id| (session.key.clone(), id)));
        }
        Ok(stale)
    }

    fn tally(&mut self, tally: &Tally) -> Result<(), StmError> {
        let sql = "INSERT INTO stm_hours(hour, what, n, sum) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT DO UPDATE SET n = n + excluded.n, sum = sum + excluded.sum";
        Ok(sql::run(self.db, sql, params![tally.hour, tally.what, tally.n as i64, tally.sum as i64])?)
    }

    fn tallies(&self, since: i64) -> Result<Vec<Tally>, StmError> {
        let sql = "SELECT hour, what, n, sum FROM stm_hours WHERE hour > ?1 ORDER BY hour, what";
        let read = |row: &Row<'_>| columns!(row => Tally { hour, what, n: count, sum: count });
        Ok(sql::all(self.db, sql, [since.saturating_sub(HOUR)], read)?)
    }

    fn forget_tallies(&mut self, before: i64) -> Result<(), StmError> {
        Ok(sql::run(self.db, "DELETE FROM stm_hours WHERE hour < ?1", [before])?)
    }
}

pub(super) const SESSION: &str = "embodiment, session_id, actor, run_id, opened_at, active_at, ended_at, entries, bytes, \
     recalls, expired, pruned";

pub(super) const HEAD: &str =
    "e.id, e.seq, e.category, e.actor, e.priority, e.created_at, e.expires_at, e.tags, e.bytes";

/// The columns [`entry`] reads: those of its head, and its content.
pub(super) const ENTRY: &str =
    "e.id, e.seq, e.category, e.actor, e.priority, e.created_at, e.expires_at, e.tags, e.bytes, e.content";

/// Whether anything is due for deletion: a session that is over ([`Session::is_over`]), or an entry that expired before
/// the grace period. `?1` is now, `?2` the grace period, `?3` how long the session of a run stays without a new entry,
/// `?4` how long any other one does; all in milliseconds. The cross join makes SQLite read the few sessions first, then
/// their indexes.
pub(super) const STALE: &str = "SELECT
       EXISTS (SELECT 1 FROM stm_sessions
               WHERE coalesce(ended_at + ?2, active_at + iif(run_id IS NULL, ?4, ?3)) <= ?1)
    OR EXISTS (SELECT 1 FROM stm_sessions s CROSS JOIN stm_entries e ON e.sid = s.sid AND e.expires_at <= ?1 - ?2
               WHERE s.entries > 0)";

pub(super) fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        key: SessionKey { embodiment: row.get(0)?, id: row.get(1)? },
        actor: row.get(2)?,
        run_id: row.get(3)?,
        opened_at: row.get(4)?,
        active_at: row.get(5)?,
        ended_at: row.get(6)?,
        entries: count(row, 7)?,
        bytes: count(row, 8)?,
        recalls: count(row, 9)?,
        expired: count(row, 10)?,
        pruned: count(row, 11)?,
    })
}

pub(super) fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    let priority = |row: &Row<'_>, at| Ok::<_, rusqlite::Error>(Priority::ranked(row.get(at)?));
    columns!(row => Head {
        id, seq: count, category, actor, priority: priority, created_at, expires_at, tags: json, bytes: count,
    })
}

pub(super) fn entry(row: &Row<'_>, key: &SessionKey) -> rusqlite::Result<Entry> {
    Ok(Entry { key: key.clone(), head: head(row)?, content: json(row, 9)? })
}

/// A filter as a condition on `stm_entries e`, and its values: the same as [`Filter::fits`].
pub(super) fn condition(key: &SessionKey, filter: &Filter, now: i64) -> (String, Vec<Sql>) {
    let until = if filter.include_expired { now.saturating_sub(GRACE) } else { now };
    let mut values = vec![Sql::from(key.embodiment.clone()), Sql::from(key.id.clone()), Sql::from(until)];
    // The plus disables the index on the expiry: in time order the newest are found without sorting a session.
    let mut fits = format!("e.sid = {SID} AND +e.expires_at > ?3");
    let mut and = |test: &str, value: Sql| {
        values.push(value);
        fits.push_str(&test.replace('?', &format!("?{}", values.len())));
    };
    if !filter.categories.is_empty() {
        let words: Vec<&str> = filter.categories.iter().map(|one| one.word()).collect();
        and(" AND e.category IN (SELECT value FROM json_each(?))", serde_json::json!(words).to_string().into());
    }
    if let Some(actor) = &filter.actor {
        and(" AND e.actor = ?", actor.clone().into());
    }
    for tag in &filter.tags {
        and(" AND EXISTS (SELECT 1 FROM json_each(e.tags) WHERE value = ?)", tag.clone().into());
    }
    if let Some(since) = filter.since {
        and(" AND e.created_at >= ?", since.into());
    }
    if let Some(after) = filter.after {
        and(" AND e.seq > ?", i64::try_from(after).unwrap_or(i64::MAX).into());
    }
    if let Some(id) = &filter.id {
        and(" AND e.id = ?", id.clone().into());
    }
    (fits, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;
    use crate::memory::stm::sqlite::UNMEASURED;
    use crate::memory::stm::{Category, NewEntry, Stm};

    #[test]
    fn only_what_is_as_it_was_is_replaced() {
        let memory = Memory::in_memory().unwrap();
        let mut store = SqliteStm { db: &memory.db };
        let key = SessionKey::new("cli", "a");
        let (category, priority) = (Category::UserInput, Priority::Low);
        let (id, actor, tags, content) = ("one".into(), "user".into(), Vec::new(), json!(1));
        let new = NewEntry { id, category, priority, actor, tags, content, lives: None };
        let stored = Stm::new(&mut store, 0, UNMEASURED).store(&key, new).unwrap().entry;
        let other = Entry { content: json!(2), ..stored.clone() };
        assert!(store.replace(&stored, &other).unwrap());
        assert!(!store.replace(&stored, &other).unwrap(), "it is not as it was any more");
        store.count(&SessionKey::new("cli", "nobody"), Counter::Recalls, 1).unwrap();
        assert_eq!(store.session(&SessionKey::new("cli", "nobody")).unwrap(), None);
    }

    /// The store's short query must agree with [`Session::is_over`].
    #[test]
    fn a_session_is_stale_at_the_very_millisecond_it_is_over() {
        for (run, idle) in [(None, LIFETIME + 1 + GRACE), (Some("01run"), WAITS)] {
            for ended_at in [None, Some(7)] {
                let memory = Memory::in_memory().unwrap();
                let mut store = SqliteStm { db: &memory.db };
                let mut session = Session::opened(SessionKey::new("cli", "a"), "user", run.map(str::to_owned), 0);
                session.ended_at = ended_at;
                store.open(&session).unwrap();
                let over = ended_at.map_or(idle, |ended| ended + GRACE);
                for now in [over - 1, over] {
                    let stale = store.stale(now).unwrap();
                    assert_eq!(session.is_over(now), now == over);
                    assert_eq!(stale.sessions.len(), usize::from(now == over), "{run:?} {ended_at:?} {now}");
                }
            }
        }
    }
}

//! Short-term memory on Redis (STM-6), where several machines share a session. Feature `redis`.
//!
//! Keys below `hefesto:{namespace}:` are `sessions`, the names of all sessions; `s:<name>`, a session's data and
//! counters; `h:<name>`, the heads of its entries; `x:<name>`, when each of them ends; `e:<id>`, an entry's content;
//! `hours` and `hours:<hour>`, the counts; `seq`, the order of arrival; `done:<id>:<n>`, for half a minute, that a
//! transaction was done. The braces keep all of them on one node of a cluster, so that an operation can be one
//! transaction. An entry gets its absolute expiry when it is stored, and only the end of its session changes it.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::time::Duration;

use anyhow::Context;
use redis::{Connection, ConnectionLike, FromRedisValue, Pipeline, RedisResult, cmd, pipe};
use serde_json::{Value, json};

use super::{
    COUNTED, Counter, Entry, Filter, GRACE, HOUR, Head, LIFETIME, Recall, Result, Session, SessionKey, Stale,
    StmBackend, StmError, Tally, WAITS, first_to_go,
};

const TIMEOUT: Duration = Duration::from_secs(2);

/// How long the server remembers that a transaction was done, in milliseconds.
const REMEMBERED: u64 = 30_000;

/// Separates the embodiment from the id in a session's name; occurs in neither.
const BETWEEN: char = '\u{1f}';

/// A connection to the server, and this project's namespace on it.
pub struct RedisStm {
    client: redis::Client,
    connection: RefCell<Connection>,
    prefix: String,
    /// The id of the first connection, which the server gives to no other.
    id: u64,
    /// How many transactions were sent.
    sent: Cell<u64>,
}

impl std::fmt::Debug for RedisStm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The connection contains the password.
        f.debug_struct("RedisStm").field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

impl RedisStm {
    /// Connects: `redis://host:port`, or `unix:///path/of/the/socket`. Projects with the same namespace share sessions.
    pub fn connect(url: &str, namespace: &str) -> anyhow::Result<Self> {
        let client = redis::Client::open(url).map_err(|error| anyhow::anyhow!("{}", error.category()))?;
        let (connection, id) = connected(&client).context("no answer from the Redis server")?;
        let prefix = format!("hefesto:{{{}}}", namespace.replace(['{', '}'], "_"));
        Ok(Self { client, connection: RefCell::new(connection), prefix, id, sent: Cell::new(0) })
    }

    fn key(&self, rest: &str) -> String {
        format!("{}:{rest}", self.prefix)
    }

    fn session_key(&self, key: &SessionKey) -> String {
        self.key(&format!("s:{}", name(key)))
    }

    fn heads_key(&self, key: &SessionKey) -> String {
        self.key(&format!("h:{}", name(key)))
    }

    fn ends_key(&self, key: &SessionKey) -> String {
        self.key(&format!("x:{}", name(key)))
    }

    fn frame(&self, key: &SessionKey) -> [String; 3] {
        [self.session_key(key), self.heads_key(key), self.ends_key(key)]
    }

    fn entry_key(&self, id: &str) -> String {
        self.key(&format!("e:{id}"))
    }

    fn ask<T: FromRedisValue>(&self, command: &redis::Cmd) -> Result<T> {
        command.query(&mut *self.connection.borrow_mut()).map_err(failed)
    }

    /// Runs a command that may run twice: once more over a new connection if the first broke or the wait was interrupted.
    fn read<T: FromRedisValue>(&self, command: &redis::Cmd) -> Result<T> {
        let mut connection = self.connection.borrow_mut();
        match command.query(&mut *connection) {
            Err(error) if is_lost(&error) => {
                (*connection, _) = connected(&self.client).map_err(failed)?;
                command.query(&mut *connection).map_err(failed)
            }
            answer => answer.map_err(failed),
        }
    }

    /// Runs a transaction once. Where its answer was lost, a key of its own tells whether it was done.
    fn together(&self, build: impl FnOnce(&mut Pipeline)) -> Result<()> {
        let number = self.sent.replace(self.sent.get() + 1);
        let done = self.key(&format!("done:{}:{number}", self.id));
        let mut all = pipe();
        build(all.atomic());
        all.cmd("SET").arg(&done).arg(1).arg("PX").arg(REMEMBERED).ignore();
        let mut connection = self.connection.borrow_mut();
        match all.exec(&mut *connection) {
            Err(error) if is_lost(&error) => {
                (*connection, _) = connected(&self.client).map_err(failed)?;
                // A server that was held up may do the first one yet: the watched key then cancels the second.
                cmd("WATCH").arg(&done).exec(&mut *connection).map_err(failed)?;
                let is_done: bool = cmd("EXISTS").arg(&done).query(&mut *connection).map_err(failed)?;
                let rest = if is_done { cmd("UNWATCH").exec(&mut *connection) } else { all.exec(&mut *connection) };
                rest.map_err(failed)
            }
            answer => answer.map_err(failed),
        }
    }

    fn read_session(&self, key: &SessionKey, facts: &HashMap<String, String>) -> Option<Session> {
        let time = |name: &str| facts.get(name).and_then(|value| value.parse::<i64>().ok());
        let number = |name: &str| time(name).and_then(|value| u64::try_from(value).ok()).unwrap_or(0);
        Some(Session {
            key: key.clone(),
            actor: facts.get("actor")?.clone(),
            run_id: facts.get("run_id").cloned(),
            opened_at: time("opened_at")?,
            active_at: time("active_at")?,
            ended_at: time("ended_at"),
            entries: number("entries"),
            bytes: number("bytes"),
            recalls: number("recalls"),
            expired: number("expired"),
            pruned: number("pruned"),
        })
    }

    /// The contents of these entries in order; entries deleted meanwhile are left out.
    fn with_contents(&self, key: &SessionKey, heads: Vec<Head>) -> Result<Vec<Entry>> {
        if heads.is_empty() {
            return Ok(Vec::new());
        }
        let keys: Vec<String> = heads.iter().map(|head| self.entry_key(&head.id)).collect();
        let contents: Vec<Option<String>> = self.read(cmd("MGET").arg(keys))?;
        let entries = heads.into_iter().zip(contents).filter_map(|(head, text)| {
            let (_, content) = parsed(&text?)?;
            Some(Entry { key: key.clone(), head, content })
        });
        Ok(entries.collect())
    }

    /// Until when the data of a session is kept if nobody ends it.
    fn idle_until(run: Option<&str>, active: i64) -> i64 {
        active + if run.is_some() { WAITS } else { LIFETIME + 1 } + GRACE
    }
}

fn name(key: &SessionKey) -> String {
    format!("{}{BETWEEN}{}", key.embodiment, key.id)
}

fn named(name: &str) -> Option<SessionKey> {
    name.split_once(BETWEEN).map(|(embodiment, id)| SessionKey::new(embodiment, id))
}

/// A connection, and its id on the server.
fn connected(client: &redis::Client) -> RedisResult<(Connection, u64)> {
    let connect = || {
        let mut connection = client.get_connection_with_timeout(TIMEOUT)?;
        connection.set_read_timeout(Some(TIMEOUT))?;
        connection.set_write_timeout(Some(TIMEOUT))?;
        let id = cmd("CLIENT").arg("ID").query(&mut connection)?;
        Ok((connection, id))
    };
    connect().or_else(|error| if is_lost(&error) { connect() } else { Err(error) })
}

/// Whether a connection broke or the wait for an answer was interrupted, as by a suspended machine.
fn is_lost(error: &redis::RedisError) -> bool {
    error.is_io_error() && !error.is_timeout()
}

fn failed(error: redis::RedisError) -> StmError {
    StmError::Backend(anyhow::Error::new(error).context("the Redis server"))
}

impl StmBackend for RedisStm {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn sessions(&self) -> Result<Vec<Session>> {
        let names: Vec<String> = self.read(cmd("SMEMBERS").arg(self.key("sessions")))?;
        let mut found = Vec::new();
        for one in names {
            let Some(key) = named(&one) else { continue };
            let facts: HashMap<String, String> = self.read(cmd("HGETALL").arg(self.session_key(&key)))?;
            match self.read_session(&key, &facts) {
                Some(session) => {
                    let seq: u64 = facts.get("seq").and_then(|seq| seq.parse().ok()).unwrap_or(0);
                    found.push((session.opened_at, seq, session));
                }
                // The server has expired it.
                None => self.read(cmd("SREM").arg(self.key("sessions")).arg(one))?,
            }
        }
        found.sort_by_key(|(opened, seq, _)| std::cmp::Reverse((*opened, *seq)));
        Ok(found.into_iter().map(|(_, _, session)| session).collect())
    }

    fn session(&self, key: &SessionKey) -> Result<Option<Session>> {
        let facts: HashMap<String, String> = self.read(cmd("HGETALL").arg(self.session_key(key)))?;
        Ok(self.read_session(key, &facts))
    }

    fn open(&mut self, session: &Session) -> Result<()> {
        self.drop_session(&session.key)?;
        let seq: u64 = self.read(cmd("INCR").arg(self.key("seq")))?;
        let at = self.session_key(&session.key);
        let until = Self::idle_until(session.run_id.as_deref(), session.active_at);
        self.together(|all| {
            all.cmd("SADD").arg(self.key("sessions")).arg(name(&session.key)).ignore();
            all.cmd("HSET").arg(&at).arg("seq").arg(seq).arg("actor").arg(&session.actor).ignore();
            all.cmd("HSET").arg(&at).arg("opened_at").arg(session.opened_at).ignore();
            all.cmd("HSET").arg(&at).arg("active_at").arg(session.active_at).ignore();
            if let Some(run) = &session.run_id {
                all.cmd("HSET").arg(&at).arg("run_id").arg(run).ignore();
            }
            all.cmd("PEXPIREAT").arg(&at).arg(until).ignore();
        })
    }

    fn end(&mut self, key: &SessionKey, now: i64) -> Result<()> {
        let heads = self.heads(key)?;
        let until = now + GRACE;
        self.together(|all| {
            all.cmd("HSET").arg(self.session_key(key)).arg("ended_at").arg(now).ignore();
            for at in self.frame(key) {
                all.cmd("PEXPIREAT").arg(at).arg(until).ignore();
            }
            for head in &heads {
                all.cmd("PEXPIREAT").arg(self.entry_key(&head.id)).arg(until).arg("LT").ignore();
            }
        })
    }

    fn drop_session(&mut self, key: &SessionKey) -> Result<()> {
        let heads = self.heads(key)?;
        self.together(|all| {
            all.cmd("SREM").arg(self.key("sessions")).arg(name(key)).ignore();
            all.cmd("DEL").arg(self.frame(key).as_slice()).ignore();
            for head in &heads {
                all.cmd("DEL").arg(self.entry_key(&head.id)).ignore();
            }
        })
    }

    fn count(&mut self, key: &SessionKey, counter: Counter, n: u64) -> Result<()> {
        if self.session(key)?.is_none() {
            return Ok(());
        }
        self.together(|all| _ = all.cmd("HINCRBY").arg(self.session_key(key)).arg(counter.word()).arg(n).ignore())
    }

    fn insert(&mut self, mut entry: Entry) -> Result<Entry> {
        entry.head.seq = self.read(cmd("INCR").arg(self.key("seq")))?;
        let key = &entry.key;
        let run: Option<String> = self.read(cmd("HGET").arg(self.session_key(key)).arg("run_id"))?;
        let until = Self::idle_until(run.as_deref(), entry.head.created_at);
        let head = &entry.head;
        self.together(|all| {
            all.cmd("SET").arg(self.entry_key(&head.id)).arg(stored(&name(key), &entry.content));
            all.arg("PXAT").arg(head.expires_at + GRACE).ignore();
            all.cmd("HSET").arg(self.heads_key(key)).arg(&head.id).arg(written(head)).ignore();
            all.cmd("ZADD").arg(self.ends_key(key)).arg(head.expires_at).arg(&head.id).ignore();
            let at = self.session_key(key);
            all.cmd("HINCRBY").arg(&at).arg("entries").arg(1).ignore();
            all.cmd("HINCRBY").arg(&at).arg("bytes").arg(head.bytes).ignore();
            all.cmd("HSET").arg(&at).arg("active_at").arg(head.created_at).ignore();
            for at in self.frame(key) {
                all.cmd("PEXPIREAT").arg(at).arg(until).ignore();
            }
        })?;
        Ok(entry)
    }

    fn replace(&mut self, old: &Entry, new: &Entry) -> Result<bool> {
        let (key, at) = (&old.key, self.entry_key(&old.head.id));
        let mut connection = self.connection.borrow_mut();
        let changed = (|| -> RedisResult<bool> {
            cmd("WATCH").arg(&at).exec(&mut *connection)?;
            let is: Option<String> = cmd("GET").arg(&at).query(&mut *connection)?;
            if is.and_then(|text| parsed(&text)).is_none_or(|(_, content)| content != old.content) {
                cmd("UNWATCH").exec(&mut *connection)?;
                return Ok(false);
            }
            let mut all = pipe();
            all.atomic();
            // Its expiry does not change.
            all.cmd("SET").arg(&at).arg(stored(&name(key), &new.content)).arg("KEEPTTL").arg("XX").ignore();
            all.cmd("HSET").arg(self.heads_key(key)).arg(&new.head.id).arg(written(&new.head)).ignore();
            let more = i64::try_from(new.head.bytes).unwrap_or(0) - i64::try_from(old.head.bytes).unwrap_or(0);
            all.cmd("HINCRBY").arg(self.session_key(key)).arg("bytes").arg(more);
            let done: Option<(i64,)> = all.query(&mut *connection)?;
            Ok(done.is_some())
        })();
        if changed.is_err() && connection.is_open() {
            let _unwatched: RedisResult<()> = cmd("UNWATCH").exec(&mut *connection);
        }
        changed.map_err(failed)
    }

    fn remove(&mut self, key: &SessionKey, ids: &[String]) -> Result<u64> {
        if ids.is_empty() {
            return Ok(0);
        }
        let (mut n, mut bytes) = (0_u64, 0_u64);
        let known: HashMap<String, Head> = self.heads(key)?.into_iter().map(|head| (head.id.clone(), head)).collect();
        for head in ids.iter().filter_map(|id| known.get(id)) {
            let gone: u64 = self.ask(cmd("HDEL").arg(self.heads_key(key)).arg(&head.id))?;
            self.together(|all| {
                all.cmd("ZREM").arg(self.ends_key(key)).arg(&head.id).ignore();
                all.cmd("DEL").arg(self.entry_key(&head.id)).ignore();
            })?;
            // The process that removes the head counts it.
            n += gone;
            bytes += gone * head.bytes;
        }
        if n > 0 {
            let at = self.session_key(key);
            self.together(|all| {
                all.cmd("HINCRBY").arg(&at).arg("entries").arg(-i64::try_from(n).unwrap_or(0)).ignore();
                all.cmd("HINCRBY").arg(&at).arg("bytes").arg(-i64::try_from(bytes).unwrap_or(0)).ignore();
            })?;
        }
        Ok(n)
    }

    fn owner(&self, id: &str) -> Result<Option<SessionKey>> {
        let text: Option<String> = self.read(cmd("GET").arg(self.entry_key(id)))?;
        Ok(text.and_then(|text| named(&parsed(&text)?.0)))
    }

    fn select(&self, key: &SessionKey, filter: &Filter, now: i64) -> Result<Recall> {
        let mut heads: Vec<Head> = self.heads(key)?.into_iter().filter(|head| filter.fits(head, now)).collect();
        heads.sort_by_key(|head| std::cmp::Reverse((head.created_at, head.seq)));
        let total = heads.len() as u64;
        heads.truncate(filter.limit);
        Ok(Recall { entries: self.with_contents(key, heads)?, total })
    }

    fn heads(&self, key: &SessionKey) -> Result<Vec<Head>> {
        let all: HashMap<String, String> = self.read(cmd("HGETALL").arg(self.heads_key(key)))?;
        let mut heads: Vec<Head> = all.into_iter().filter_map(|(id, text)| read_head(id, &text)).collect();
        heads.sort_by_key(|head| head.seq);
        Ok(heads)
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
            let gone: Vec<String> =
                self.read(cmd("ZRANGEBYSCORE").arg(self.ends_key(&session.key)).arg("-inf").arg(now - GRACE))?;
            stale.entries.extend(gone.into_iter().map(|id| (session.key.clone(), id)));
        }
        Ok(stale)
    }

    fn tally(&mut self, tally: &Tally) -> Result<()> {
        let at = self.key(&format!("hours:{}", tally.hour));
        self.together(|all| {
            all.cmd("ZADD").arg(self.key("hours")).arg(tally.hour).arg(tally.hour).ignore();
            all.cmd("HINCRBY").arg(&at).arg(format!("{} n", tally.what)).arg(tally.n).ignore();
            all.cmd("HINCRBY").arg(&at).arg(format!("{} sum", tally.what)).arg(tally.sum).ignore();
            all.cmd("PEXPIREAT").arg(&at).arg(tally.hour + COUNTED + HOUR).ignore();
        })
    }

    fn tallies(&self, since: i64) -> Result<Vec<Tally>> {
        let from = format!("({}", since.saturating_sub(HOUR));
        let hours: Vec<i64> = self.read(cmd("ZRANGEBYSCORE").arg(self.key("hours")).arg(from).arg("+inf"))?;
        let mut found = Vec::new();
        for hour in hours {
            let counts: HashMap<String, u64> = self.read(cmd("HGETALL").arg(self.key(&format!("hours:{hour}"))))?;
            for (field, n) in &counts {
                let Some(what) = field.strip_suffix(" n") else { continue };
                let sum = counts.get(&format!("{what} sum")).copied().unwrap_or(0);
                found.push(Tally { hour, what: what.to_owned(), n: *n, sum });
            }
        }
        found.sort_by(|a, b| (a.hour, &a.what).cmp(&(b.hour, &b.what)));
        Ok(found)
    }

    fn forget_tallies(&mut self, before: i64) -> Result<()> {
        self.ask(cmd("ZREMRANGEBYSCORE").arg(self.key("hours")).arg("-inf").arg(format!("({before}")))
    }
}

fn written(head: &Head) -> String {
    json!(head).to_string()
}

fn read_head(id: String, text: &str) -> Option<Head> {
    Some(Head { id, ..serde_json::from_str(text).ok()? })
}

/// The stored form of a content, with the name of its session.
fn stored(session: &str, content: &Value) -> String {
    json!([session, content]).to_string()
}

/// Reads a stored content, after the name of its session.
fn parsed(text: &str) -> Option<(String, Value)> {
    serde_json::from_str(text).ok()
}

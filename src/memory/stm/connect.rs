//! Opens a project's short-term memory: its database, or the Redis server in its settings; and gives its refusals a
//! code.

use crate::config::{self, Settings};
use crate::error::{Code, Error, Result};
use crate::memory::Memory;
#[cfg(feature = "redis")]
use crate::memory::stm::redis::RedisStm;
use crate::memory::stm::{Filter, Limits, Refusal, Session, Stm, StmError};
use crate::project::{DATABASE, Project, open};
use crate::report::slashed::Slashed;
use crate::system::env::Env;

#[derive(Debug)]
pub struct Sessions {
    place: Store,
    limits: Limits,
}

#[derive(Debug)]
enum Store {
    /// In `memory.db`; if that is missing and must not be created, an empty one in memory.
    Database(Memory),
    #[cfg(feature = "redis")]
    Redis(RedisStm),
}

impl Sessions {
    /// Opens it for writing, and creates the database if there is none. `now` is milliseconds since 1970 UTC.
    pub fn open(project: &Project, settings: &Settings, now: i64) -> Result<Self> {
        Self::of(project, settings, || {
            open::home(project)?;
            Memory::open(&project.database(), now).map_err(|error| unusable(project, error))
        })
    }

    /// Opens it for reading and counting reads: nothing is created, and a count does not wait for the disk.
    pub fn reading(env: &Env, project: &Project, settings: &Settings) -> Result<Self> {
        if settings.stm_backend.value != "redis" && !project.exists(DATABASE) {
            return Self::look(project, settings);
        }
        let sessions = Self::open(project, settings, env.now().as_millisecond())?;
        match &sessions.place {
            Store::Database(memory) => memory.keep_log().map_err(|error| unusable(project, error))?,
            #[cfg(feature = "redis")]
            Store::Redis(_) => {}
        }
        Ok(sessions)
    }

    /// Opens it read-only: nothing is created.
    pub fn look(project: &Project, settings: &Settings) -> Result<Self> {
        Self::of(project, settings, || {
            let there = project.exists(DATABASE);
            let memory = if there { Memory::look(&project.database()) } else { Memory::in_memory() };
            memory.map_err(|error| unusable(project, error))
        })
    }

    fn of(project: &Project, settings: &Settings, database: impl FnOnce() -> Result<Memory>) -> Result<Self> {
        let place = match settings.stm_backend.value.as_str() {
            "redis" => redis(project, settings)?,
            _ => Store::Database(database()?),
        };
        Ok(Self { place, limits: settings.stm_limits() })
    }

    /// Opens it if it is not in the project's database.
    pub fn elsewhere(project: &Project, settings: &Settings) -> Result<Option<Self>> {
        (settings.stm_backend.value == "redis").then(|| Self::look(project, settings)).transpose()
    }

    /// A copy of the open sessions and their entries as a searchable memory.
    pub fn copy(&mut self, env: &Env) -> Result<Memory, StmError> {
        let all = Filter { limit: usize::MAX, ..Filter::default() };
        let held = self.ask(env, |stm| {
            let open = stm.sessions()?.into_iter().filter(Session::is_open);
            open.map(|session| Ok((stm.look(&session.key, &all)?.entries, session))).collect::<Result<Vec<_>, _>>()
        })?;
        let held = held.into_iter().map(|(entries, session)| (session, entries.into_iter().rev().collect()));
        Memory::of_sessions(held.collect()).map_err(StmError::Backend)
    }

    /// Runs one operation, in one transaction if the store has transactions. `started` measures it.
    pub fn work<T>(
        &mut self,
        env: &Env,
        work: impl FnOnce(&mut Stm<'_>) -> Result<T, StmError>,
    ) -> Result<T, StmError> {
        let (now, watch) = (env.now().as_millisecond(), env.watch());
        let took = || u64::try_from(watch.elapsed().as_micros()).unwrap_or(u64::MAX);
        let limits = self.limits;
        let work = |stm: &mut Stm<'_>| {
            stm.limits = limits;
            work(stm)
        };
        match &mut self.place {
            Store::Database(memory) => memory.stm(now, &took, work),
            #[cfg(feature = "redis")]
            Store::Redis(redis) => work(&mut Stm::new(redis, now, &took)),
        }
    }

    pub fn ask<T>(&mut self, env: &Env, ask: impl FnOnce(&Stm<'_>) -> Result<T, StmError>) -> Result<T, StmError> {
        let now = env.now().as_millisecond();
        match &mut self.place {
            Store::Database(memory) => memory.stm_look(now, ask),
            #[cfg(feature = "redis")]
            Store::Redis(redis) => ask(&Stm::new(redis, now, &|| 0)),
        }
    }
}

#[cfg(feature = "redis")]
fn redis(project: &Project, settings: &Settings) -> Result<Store> {
    let url = settings.stm_url.value.as_deref().unwrap_or_default();
    RedisStm::connect(url, &config::stm_namespace(settings, project)).map(Store::Redis).map_err(|error| {
        let place = config::without_login(url);
        Error::new(Code::StmUnreachable, format!("the Redis server at {place} cannot be reached")).because(error)
    })
}

#[cfg(not(feature = "redis"))]
fn redis(_project: &Project, settings: &Settings) -> Result<Store> {
    let place = config::without_login(settings.stm_url.value.as_deref().unwrap_or_default());
    let message = format!("short-term memory is configured on {place}, but this hefesto was built without Redis");
    Err(Error::new(Code::StmUnreachable, message)
        .suggest("Build it with `--features redis`, or set stm.backend = \"sqlite\"."))
}

fn unusable(project: &Project, error: anyhow::Error) -> Error {
    Error::new(Code::Io, format!("{} cannot be used", project.database().slashed()))
        .because(error)
        .suggest("Skills are not affected. Move the file away to start afresh.")
}

/// Gives a failure its code. A secret and a foreign entry are recorded as security events: a line of the operation log,
/// and a row of the database with a keyed digest of the refused value.
pub fn coded(env: &mut Env, project: &Project, error: StmError) -> Error {
    let refusal = match error {
        StmError::Refused(refusal) => refusal,
        StmError::Backend(cause) => {
            return Error::new(Code::Io, "short-term memory cannot be used").because(cause);
        }
    };
    let message = refusal.to_string();
    let code = match &refusal {
        Refusal::Secret { rule, place, value } => {
            keep(env, project, "secret_rejected", rule, place, &value.0);
            Code::MemorySecret
        }
        Refusal::Forbidden { entry } => {
            keep(env, project, "session_forbidden", "403", "entry", entry);
            Code::StmForbidden
        }
        Refusal::ContentTooLarge { .. } => Code::StmTooLarge,
        Refusal::SessionFull { .. } => Code::StmFull,
        Refusal::NoSuchEntry { .. } => Code::StmNoEntry,
        Refusal::NoSuchSession { .. } | Refusal::SessionEnded { .. } => Code::StmNoSession,
    };
    Error::new(code, message)
}

fn keep(env: &mut Env, project: &Project, event: &str, rule: &str, place: &str, value: &str) {
    let entry = crate::registry::oplog::Security {
        event: event.to_owned(),
        timestamp: env.stamp(),
        input_length: value.chars().count(),
        field: format!("stm {place}"),
        pattern_detected: rule.to_owned(),
    };
    crate::registry::audit::append(env, project, &entry);
    let now = env.now().as_millisecond();
    // The log has it; the refusal does not depend on the database.
    let _unkept =
        Memory::open(&project.database(), now).and_then(|mut memory| memory.refused(now, event, rule, place, value));
}

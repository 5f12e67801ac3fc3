//! `memory stm …`: the operations of short-term memory, and what `memory inspect stm` shows of it.

pub(super) mod shown;
pub(super) mod when;

use serde_json::{Value, json};

use super::content;
use crate::cli::memory::stm::{Of, Recall, Stm as Command, Store, Strategy, Update, Who};
use crate::client::host::Host;
use crate::error::{Code, Error, Result};
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Filter, NewEntry, Prune, Refusal, SessionKey, Stm, StmError, Word, resolve};
use crate::project::Project;
use crate::registry::oplog;
use crate::report::Report;
use crate::system::env::Env;
use shown::{entries_text, entry_json, session_json, sessions_text};

pub(super) use shown::{inspect, level};

pub(super) fn stm(env: &mut Env, project: &Project, command: &Command) -> Result<Report> {
    let settings = crate::config::load(env, project)?;
    let now = env.now().as_millisecond();
    let sessions = || Sessions::open(project, &settings, now);
    // Whitespace makes the typed JSON longer than its content.
    let longest = settings.stm_limits().entry_bytes * 2;
    match command {
        Command::Sessions { limit } => list(env, project, Sessions::look(project, &settings)?, *limit),
        Command::Open { session, who } => open(env, project, sessions()?, session.as_ref(), who),
        Command::Store(args) => {
            let content = content(env, args.content.as_deref(), longest)?;
            store(env, project, sessions()?, args, content)
        }
        Command::Recall(args) => recall(env, project, Sessions::reading(env, project, &settings)?, args),
        Command::Update(args) => {
            let patch = content(env, args.content.as_deref(), longest)?;
            update(env, project, sessions()?, args, &patch)
        }
        Command::Prune { of, limit, strategy } => {
            let rule = match (limit, strategy) {
                (Some(limit), _) => Prune::Keep(*limit),
                (None, Strategy::Oldest) => Prune::Oldest,
                (None, Strategy::LowestPriority) => Prune::LowestPriority,
            };
            prune(env, project, sessions()?, of, rule)
        }
        Command::Purge { of, id } => purge(env, project, sessions()?, of, id.as_deref()),
        Command::Sweep => sweep(env, project, sessions()?),
        Command::Stats { period } => shown::stats(env, project, Sessions::look(project, &settings)?, period),
        Command::End(of) => end(env, project, sessions()?, of),
        Command::Tail(args) => super::tail::stm_tail(env, project, &settings, args),
    }
}

fn host(env: &Env) -> Host {
    Host::of(|name| env.var(name))
}

pub(super) fn meant(env: &Env, stm: &Stm<'_>, of: &Of) -> Result<SessionKey, StmError> {
    let host = host(env);
    let named = of.embodiment.as_ref().map(Word::as_str);
    Ok(resolve(&stm.sessions()?, of.session.as_str(), named, host.embodiment(), host == Host::Person))
}

/// Runs one operation on one session, and gives its error a code.
fn on<T>(
    env: &mut Env,
    project: &Project,
    mut sessions: Sessions,
    of: &Of,
    work: impl FnOnce(&mut Stm<'_>, &SessionKey) -> Result<T, StmError>,
) -> Result<(SessionKey, T)> {
    let done = sessions.work(env, |stm| {
        let key = meant(env, stm, of)?;
        let done = work(stm, &key)?;
        Ok((key, done))
    });
    done.map_err(|error| coded(env, project, error))
}

fn list(env: &mut Env, project: &Project, mut sessions: Sessions, limit: usize) -> Result<Report> {
    let asked = sessions.ask(env, |stm| Ok((stm.backend_name(), stm.sessions()?)));
    let (backend, all) = asked.map_err(|error| coded(env, project, error))?;
    let now = env.now().as_millisecond();
    let shown = all.get(..limit).unwrap_or(&all);
    let data = json!({
        "backend": backend,
        "sessions": shown.iter().map(|session| session_json(session, now)).collect::<Vec<_>>(),
        "total": all.len(),
    });
    let mut text = sessions_text(env.style, shown, now);
    if shown.len() < all.len() {
        text.push_str(&format!("\n{} of {}; --limit shows more.\n", shown.len(), all.len()));
    }
    Ok(Report::done(data, text))
}

fn open(env: &mut Env, project: &Project, mut sessions: Sessions, session: Option<&Word>, who: &Who) -> Result<Report> {
    let (fresh, host) = (env.new_id(), host(env));
    let id = session.map_or(fresh.as_str(), Word::as_str).to_owned();
    let embodiment = who.embodiment.as_ref().map_or(host.embodiment(), Word::as_str);
    let actor = who.actor.as_ref().map_or(host.actor(), Word::as_str);
    let short: String = fresh.chars().skip(18).collect();
    let opened = sessions.work(env, |stm| stm.open(SessionKey::new(embodiment, id), actor, None, &short));
    let opened = opened.map_err(|error| coded(env, project, error))?;
    let session = &opened.session;
    if let Some(taken) = &opened.collided {
        let given = &session.key.id;
        env.warn(Code::StmCollision, format!("session {taken} is somebody else's and open; this one is {given}."));
        let entry = oplog::Entry {
            timestamp: env.stamp(),
            operation: "stm_open".into(),
            decision: "session_id_collision".into(),
            user: env.var("USER").or_else(|| env.var("LOGNAME")).unwrap_or("user").to_owned(),
            success: true,
            details: [("asked", taken), ("given", given), ("embodiment", &session.key.embodiment)]
                .map(|(name, value)| (name.to_owned(), Value::from(value.as_str())))
                .into_iter()
                .collect(),
            ..oplog::Entry::default()
        };
        crate::registry::audit::append(env, project, &entry);
    }
    let now = env.now().as_millisecond();
    let mut data = session_json(session, now);
    data["is_new"] = json!(opened.is_new);
    data["collided_with"] = json!(opened.collided);
    let word = if opened.is_new { "Opened" } else { "Already open:" };
    Ok(Report::done(data, format!("{word} session {} ({}).\n", session.key.id, session.key.embodiment)))
}

fn store(env: &mut Env, project: &Project, sessions: Sessions, args: &Store, content: Value) -> Result<Report> {
    let new = NewEntry {
        id: env.new_id(),
        category: args.category,
        priority: args.priority,
        actor: args.who.actor.as_ref().map_or(host(env).actor(), Word::as_str).to_owned(),
        tags: args.tags.iter().map(Word::to_string).collect(),
        content,
        lives: args.ttl.map(|seconds| i64::from(seconds) * 1000),
    };
    let of = Of { session: args.session.clone(), embodiment: args.who.embodiment.clone() };
    let (key, stored) = on(env, project, sessions, &of, |stm, key| stm.store(key, new))?;
    let mut data = entry_json(&stored.entry);
    data["pruned"] = json!(stored.pruned);
    let mut text = format!("Stored {} in session {}.\n", stored.entry.head.id, key.id);
    if stored.pruned > 0 {
        text.push_str(&format!("The session was full: {} of the lowest priority were removed.\n", stored.pruned));
    }
    Ok(Report::done(data, text))
}

fn recall(env: &mut Env, project: &Project, mut sessions: Sessions, args: &Recall) -> Result<Report> {
    let since = args.since.as_deref().map(|text| when::since(text, env.now())).transpose()?;
    let filter = Filter {
        categories: args.category.clone(),
        actor: args.actor.as_ref().map(Word::to_string),
        tags: args.tags.iter().map(Word::to_string).collect(),
        since: since.map(|time| time.as_millisecond()),
        after: None,
        id: args.id.clone(),
        include_expired: args.include_expired,
        limit: args.limit,
    };
    let watch = env.watch();
    let found = sessions.ask(env, |stm| {
        let key = meant(env, stm, &args.of)?;
        Ok((stm.look(&key, &filter)?, key))
    });
    let took = u64::try_from(watch.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (found, key) = found.map_err(|error| coded(env, project, error))?;
    // Only the count is written; the answer does not depend on it.
    let _uncounted = sessions.work(env, |stm| stm.recalled(&key, took));
    let data = json!({
        "session_id": key.id,
        "embodiment": key.embodiment,
        "entries": found.entries.iter().map(entry_json).collect::<Vec<_>>(),
        "total_matches": found.total,
        "took_us": took,
        "tiers_queried": ["STM"],
        "filters": {
            "categories": filter.categories.iter().map(|one| one.word()).collect::<Vec<_>>(),
            "actor": filter.actor,
            "tags": filter.tags,
            "since": since.map(|time| crate::memory::json::millis(time.as_millisecond())),
            "id": filter.id,
            "include_expired": filter.include_expired,
            "limit": filter.limit,
        },
    });
    if found.entries.is_empty() {
        let id = crate::skill::printable(&key.id);
        let text = format!("Nothing to recall in session {id}; `hefesto memory stm sessions` lists the sessions.\n");
        return Ok(Report::done(data, env.spelled(text)));
    }
    let mut text = entries_text(env.style, &found.entries, env.now().as_millisecond());
    let took = format!("{}.{:03} ms", took / 1000, took % 1000);
    text.push_str(&format!("\n{} of {}, newest first, in {took}.\n", found.entries.len(), found.total));
    Ok(Report::done(data, text))
}

fn update(env: &mut Env, project: &Project, sessions: Sessions, args: &Update, patch: &Value) -> Result<Report> {
    let (key, entry) =
        on(env, project, sessions, &args.of, |stm, key| stm.update(key, args.id.as_deref(), args.category, patch))?;
    Ok(Report::done(entry_json(&entry), format!("Updated {} in session {}.\n", entry.head.id, key.id)))
}

fn prune(env: &mut Env, project: &Project, sessions: Sessions, of: &Of, rule: Prune) -> Result<Report> {
    let (key, pruned) = on(env, project, sessions, of, |stm, key| stm.prune(key, rule))?;
    let data = json!({
        "session_id": key.id,
        "embodiment": key.embodiment,
        "removed": pruned.pruned + pruned.expired,
        "pruned": pruned.pruned,
        "expired": pruned.expired,
        "left": pruned.left,
    });
    let text = format!("{} pruned, {} expired, {} left in {}.\n", pruned.pruned, pruned.expired, pruned.left, key.id);
    Ok(Report::done(data, text))
}

fn purge(env: &mut Env, project: &Project, sessions: Sessions, of: &Of, id: Option<&str>) -> Result<Report> {
    let (key, removed) = on(env, project, sessions, of, |stm, key| {
        if !stm.sessions()?.iter().any(|session| session.key == *key) {
            return Err(Refusal::NoSuchSession { session: key.id.clone() }.into());
        }
        stm.purge(key, id)
    })?;
    let data = json!({ "session_id": key.id, "embodiment": key.embodiment, "removed": removed });
    let gone = if id.is_none() { format!("; session {} is gone", key.id) } else { format!(" from session {}", key.id) };
    Ok(Report::done(data, format!("{} purged{gone}.\n", super::many(removed, "entry"))))
}

fn sweep(env: &mut Env, project: &Project, mut sessions: Sessions) -> Result<Report> {
    let swept = sessions.work(env, |stm| stm.sweep()).map_err(|error| coded(env, project, error))?;
    let data = json!({ "sessions_purged": swept.sessions, "entries_purged": swept.entries });
    let text = format!("{} sessions and {} entries that had ended are deleted.\n", swept.sessions, swept.entries);
    Ok(Report::done(data, text))
}

fn end(env: &mut Env, project: &Project, sessions: Sessions, of: &Of) -> Result<Report> {
    let (key, session) = on(env, project, sessions, of, |stm, key| stm.end(key))?;
    let now = env.now().as_millisecond();
    let lasted = crate::terminal::ui::lasting(session.duration(now));
    Ok(Report::done(session_json(&session, now), format!("Session {} is ended after {lasted}.\n", key.id)))
}

fn not_a_duration(text: &str) -> Error {
    Error::new(Code::Usage, format!("{text:?} is no duration")).suggest("Give a number and a unit: 30s, 15m, 2h, 7d.")
}

fn not_a_time(text: &str) -> Error {
    Error::new(Code::Usage, format!("{text:?} is neither a time nor a duration"))
        .suggest("Give a time such as 2026-02-05T10:00:00Z, or how long ago: 30s, 15m, 2h, 7d.")
}

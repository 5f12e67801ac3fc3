//! `memory tail` and `memory stm tail`: the newest entries and, with `-f`, new ones until Ctrl-C. They poll: there is
//! no daemon, and it works on every back end.

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::search::line;
use super::stm::shown::{self, entry_json};
use super::{read, unreadable};
use crate::cli::memory::{Stored, Tail, stm};
use crate::config::Settings;
use crate::error::{Code, Coded, Exit, Result};
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Entry, Filter, SessionKey, StmError};
use crate::memory::{Memory, TimelineEntry};
use crate::project::{DATABASE, Project};
use crate::report::{Form, Report};
use crate::system::env::Env;
use crate::terminal::signal::Watch;
use crate::terminal::ui::{self, Style};

/// How often the database is looked at, and a session.
const EVERY: Duration = Duration::from_millis(75);
const EVERY_SESSION: Duration = Duration::from_millis(100);
/// How many entries others may store between the numbering of an entry and its storing.
const OVERTAKEN: u64 = 1000;

pub(super) fn tail(env: &mut Env, project: &Project, args: &Tail) -> Result<Report> {
    let watch = Watch::open().coded(Code::Io, "signals cannot be watched")?;
    let store = args.store.map(Stored::word);
    let all = read(project)?.timeline(store, i64::MIN).map_err(unreadable)?;
    let last: Vec<TimelineEntry> = all.get(all.len().saturating_sub(args.limit)..).unwrap_or_default().to_vec();
    if !args.follow {
        let data = json!({ "moments": last });
        return Ok(Report::done(data, last.iter().map(|one| line(env.style, one)).collect::<String>()));
    }
    let mut known: BTreeSet<TimelineEntry> = all.into_iter().collect();
    let (mut open, mut version, mut fresh) = (None, None, last);
    loop {
        let lines = fresh.iter().map(|one| line(env.style, one)).collect();
        let shown = (!fresh.is_empty()).then(|| (json!({ "moments": fresh }), lines));
        if let Some(end) = follow(env, &watch, EVERY, shown) {
            return Ok(end);
        }
        fresh = Vec::new();
        // A database that does not exist yet, or is busy, is queried again.
        if open.is_none() && project.exists(DATABASE) {
            open = Memory::follow(&project.database()).ok();
        }
        let Some(memory) = &open else { continue };
        let now = memory.data_version().ok();
        if now.is_none() || now == version {
            continue;
        }
        let Ok(all) = memory.timeline(store, i64::MIN) else { continue };
        version = now;
        let all: BTreeSet<TimelineEntry> = all.into_iter().collect();
        fresh = all.difference(&known).cloned().collect();
        known = all;
    }
}

/// Prints what has come, as one answer or as its lines, and waits. The command ends when a signal arrives, or when
/// standard output was closed.
fn follow(env: &mut Env, watch: &Watch, every: Duration, new: Option<(Value, String)>) -> Option<Report> {
    if let Some((data, lines)) = new {
        let answer = |env: &Env| ui::json("memory", Ok(Report::done(data, "")), env.notes(), env.other_root());
        let (text, form) = if env.json { (answer(env), Form::Json) } else { (lines, Form::Text) };
        if !env.emit(&text, form) {
            return Some(Report::done(Value::Null, ""));
        }
    }
    watch.within(every).map(|signal| Report::done(Value::Null, "").exit(Exit::Signal(signal)))
}

pub(super) fn stm_tail(env: &mut Env, project: &Project, settings: &Settings, args: &stm::Tail) -> Result<Report> {
    let watch = Watch::open().coded(Code::Io, "signals cannot be watched")?;
    let mut filter = Filter { categories: args.category.clone(), limit: usize::MAX, ..Filter::default() };
    let (key, mut fresh) = look(env, project, settings, args, &filter)?.map_err(|error| coded(env, project, error))?;
    // Existing entries count as seen, shown or not: a store shared by several machines may order them later afterwards.
    let mut known: HashSet<String> = fresh.iter().map(|entry| entry.head.id.clone()).collect();
    let mut newest = fresh.iter().map(|entry| entry.head.seq).max().unwrap_or(0);
    fresh.drain(..fresh.len().saturating_sub(args.limit));
    if !args.follow {
        return Ok(Report::done(answer(&key, &fresh), lines(env.style, &fresh)));
    }
    loop {
        let shown = (!fresh.is_empty()).then(|| (answer(&key, &fresh), lines(env.style, &fresh)));
        if let Some(end) = follow(env, &watch, EVERY_SESSION, shown) {
            return Ok(end);
        }
        filter.after = newest.checked_sub(OVERTAKEN);
        // A busy store is queried again.
        fresh = match look(env, project, settings, args, &filter) {
            Ok(Ok((_, entries))) => entries,
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        fresh.retain(|entry| known.insert(entry.head.id.clone()));
        newest = fresh.iter().map(|entry| entry.head.seq).max().unwrap_or(0).max(newest);
    }
}

type Found = Result<(SessionKey, Vec<Entry>), StmError>;

/// The matching entries, oldest first.
fn look(env: &Env, project: &Project, settings: &Settings, args: &stm::Tail, filter: &Filter) -> Result<Found> {
    let mut sessions = Sessions::look(project, settings)?;
    Ok(sessions.ask(env, |stm| {
        let key = super::stm::meant(env, stm, &args.of)?;
        let mut entries = stm.look(&key, filter)?.entries;
        entries.reverse();
        Ok((key, entries))
    }))
}

fn answer(key: &SessionKey, entries: &[Entry]) -> Value {
    json!({
        "session_id": key.id,
        "embodiment": key.embodiment,
        "entries": entries.iter().map(entry_json).collect::<Vec<_>>(),
    })
}

fn lines(style: Style, entries: &[Entry]) -> String {
    entries.iter().map(|entry| shown::line(style, entry) + "\n").collect()
}

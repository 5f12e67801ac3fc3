//! `memory stm tail`: the last entries of a session and, with `-f`, new ones until Ctrl-C. It polls:
//! there is no daemon, and it works on every back end.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{entry_json, line};
use super::meant;
use crate::cli::memory::stm::Tail;
use crate::config::Settings;
use crate::error::{Code, Coded, Exit, Result};
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Entry, Filter, SessionKey, StmError};
use crate::project::Project;
use crate::report::{Form, Report};
use crate::system::env::Env;
use crate::terminal::signal::Watch;
use crate::terminal::ui;

const EVERY: Duration = Duration::from_millis(100);
/// How many entries others may store between the numbering of an entry and its storing.
const OVERTAKEN: u64 = 1000;

pub(super) fn tail(env: &mut Env, project: &Project, settings: &Settings, args: &Tail) -> Result<Report> {
    let watch = Watch::open().coded(Code::Io, "signals cannot be watched")?;
    let mut filter = Filter { categories: args.category.clone(), limit: usize::MAX, ..Filter::default() };
    let (key, mut fresh) = look(env, project, settings, args, &filter)?.map_err(|error| coded(env, project, error))?;
    // Existing entries count as seen, shown or not: a store shared by several machines may order them later afterwards.
    let mut known: HashSet<String> = fresh.iter().map(|entry| entry.head.id.clone()).collect();
    let mut newest = fresh.iter().map(|entry| entry.head.seq).max().unwrap_or(0);
    fresh.drain(..fresh.len().saturating_sub(args.limit));
    if !args.follow {
        let text: String = fresh.iter().map(|entry| line(env.style, entry) + "\n").collect();
        return Ok(Report::done(answer(&key, &fresh), text));
    }
    loop {
        if !fresh.is_empty() && !shown(env, &key, &fresh) {
            // Standard output was closed.
            return Ok(Report::done(Value::Null, ""));
        }
        if let Some(signal) = watch.within(EVERY) {
            return Ok(Report::done(Value::Null, "").exit(Exit::Signal(signal)));
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

/// The matching entries, oldest first.
fn look(
    env: &Env,
    project: &Project,
    settings: &Settings,
    args: &Tail,
    filter: &Filter,
) -> Result<Result<(SessionKey, Vec<Entry>), StmError>> {
    let mut sessions = Sessions::look(project, settings)?;
    Ok(sessions.ask(env, |stm| {
        let key = meant(env, stm, &args.of)?;
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

/// Prints entries as they arrive: one line each, or one answer for all. False when standard output was closed.
fn shown(env: &mut Env, key: &SessionKey, entries: &[Entry]) -> bool {
    let text = if env.json {
        ui::json("memory", Ok(Report::done(answer(key, entries), "")), env.notes(), env.other_root())
    } else {
        entries.iter().map(|entry| line(env.style, entry) + "\n").collect()
    };
    env.emit(&text, if env.json { Form::Json } else { Form::Text })
}

//! `memory stm tail`: the last entries of a session and, with `-f`, new ones until Ctrl-C. It polls:
//! there is no daemon, and it works on every back end.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::answer::{entry_json, line};
use super::meant;
use crate::cli::memory::stm::Tail;
use crate::command::memory::tail::follow;
use crate::config::Settings;
use crate::error::{Code, Coded, Result};
use crate::memory::stm::connect::{Sessions, coded};
use crate::memory::stm::{Entry, Filter, SessionKey, StmError};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::signal::Watch;
use crate::terminal::ui::Style;

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
        return Ok(Report::done(answer(&key, &fresh), lines(env.style, &fresh)));
    }
    loop {
        let shown = (!fresh.is_empty()).then(|| (answer(&key, &fresh), lines(env.style, &fresh)));
        if let Some(end) = follow(env, &watch, EVERY, shown) {
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
fn look(env: &Env, project: &Project, settings: &Settings, args: &Tail, filter: &Filter) -> Result<Found> {
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

fn lines(style: Style, entries: &[Entry]) -> String {
    entries.iter().map(|entry| line(style, entry) + "\n").collect()
}

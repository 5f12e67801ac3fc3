//! `memory search` and `memory timeline`: everything that is remembered, by its words or by its time. Never writes.

use serde_json::{Value, json};

use super::inspect::UNREADABLE;
use super::looked_into;
use super::stm::when;
use crate::cli::memory::{Search, Stored, Timeline};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::Moment;
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

/// Runs `hefesto memory search`. Finding nothing is an answer.
///
/// # Errors
/// E-USAGE-001 for a query without a word; E-IO-001 when the database cannot be read.
pub(super) fn search(env: &Env, project: &Project, args: &Search) -> Result<Report> {
    if args.query.trim().is_empty() {
        let error = Error::new(Code::Usage, "there is nothing to search for").usage("hefesto memory search QUERY");
        return Err(error.suggest("Give one word or a few."));
    }
    let store = args.store.map(Stored::word);
    let hits = match looked_into(project)? {
        Some(memory) => memory.search(&args.query, store, args.limit).coded(Code::Io, UNREADABLE)?,
        None => Vec::new(),
    };
    let results: Vec<Value> = hits
        .iter()
        .map(|hit| {
            let mut found = moment_json(&hit.moment);
            found["score"] = json!((hit.score * 1000.0).round() / 1000.0);
            found["snippet"] = json!(hit.snippet);
            found
        })
        .collect();
    let data = json!({ "query": args.query, "results": results });
    if hits.is_empty() {
        return Ok(Report::done(data, "Nothing that is remembered holds all of that.\n"));
    }
    let (style, now) = (env.style, env.now().as_millisecond());
    let mut text = String::new();
    for hit in &hits {
        let moment = &hit.moment;
        let about = format!("{}  {} {}, {}", moment.store, moment.kind, moment.id, ui::ago(now, moment.at));
        text.push_str(&format!("{}\n", style.head(&crate::skill::printable(&about))));
        text.push_str(&style.fold(&format!("  {}\n", crate::skill::printable(&hit.snippet)), 2));
    }
    Ok(Report::done(data, text))
}

/// Runs `hefesto memory timeline`.
///
/// # Errors
/// E-USAGE-001 for a time that is none; E-MEMORY-011 when nothing has the id; E-IO-001 when the database cannot be read.
pub(super) fn timeline(env: &Env, project: &Project, args: &Timeline) -> Result<Report> {
    let since = args.since.as_deref().map(|text| when::since(text, env.now())).transpose()?;
    let since = since.map_or(i64::MIN, |time| time.as_millisecond());
    let mut moments = match looked_into(project)? {
        Some(memory) => memory.moments(args.store.map(Stored::word), since).coded(Code::Io, UNREADABLE)?,
        None => Vec::new(),
    };
    if let Some(id) = &args.around {
        let known = moments.iter().position(|one| one.id == *id || one.id.ends_with(id.as_str()));
        let at = known.ok_or_else(|| nothing_has(id))?;
        let before = at.saturating_sub(args.limit / 2);
        moments.drain(..before);
        moments.truncate(args.limit);
    } else {
        let more = moments.len().saturating_sub(args.limit);
        moments.drain(..more);
    }
    let data = json!({ "moments": moments.iter().map(moment_json).collect::<Vec<_>>() });
    if moments.is_empty() {
        return Ok(Report::done(data, "Nothing happened in that time.\n"));
    }
    let text: String = moments.iter().map(|one| line(env.style, one)).collect();
    Ok(Report::done(data, text))
}

pub(super) fn nothing_has(id: &str) -> Error {
    Error::new(Code::NothingOfThatId, format!("nothing that is remembered has the id {id:?}"))
}

pub(super) fn moment_json(one: &Moment) -> Value {
    json!({ "at": time(one.at), "store": one.store, "kind": one.kind, "id": one.id, "what": one.what })
}

/// RFC 3339 UTC to the millisecond.
pub(super) fn time(at: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(at).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    time.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// One moment on one line.
pub(super) fn line(style: Style, one: &Moment) -> String {
    let when = time(one.at);
    let when = when.get(..19).unwrap_or_default().replace('T', " ");
    let said =
        format!("{:<8} {:<12} {}", one.store, one.kind, crate::skill::printable(&one.what).replace(['\n', '\t'], " "));
    style.fold(&format!("{}  {said}\n", style.dim(&when)), 43)
}

//! `memory search` and `memory timeline`: queries all stores by words or by time. Never writes.

use serde_json::json;

use super::stm::when;
use super::{read, unreadable};
use crate::cli::memory::{Search, Stored, Timeline};
use crate::config;
use crate::error::{Code, Error, Result};
use crate::memory::json::millis;
use crate::memory::stm::{self, connect::Sessions};
use crate::memory::{Memory, TimelineEntry};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

/// Runs `hefesto memory search`. No match is not an error.
pub(super) fn search(env: &mut Env, project: &Project, args: &Search) -> Result<Report> {
    if args.query.trim().is_empty() {
        let error = Error::new(Code::Usage, "the query is empty").usage("hefesto memory search QUERY");
        return Err(error.suggest("Give one word or a few."));
    }
    let store = args.store.map(Stored::word);
    let mut hits = read(project)?.search(&args.query, store, args.limit).map_err(unreadable)?;
    if let Some(sessions) = elsewhere(env, project, store)? {
        hits.extend(sessions.search(&args.query, Some("stm"), args.limit).map_err(unreadable)?);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.entry.at.cmp(&a.entry.at)));
        hits.truncate(args.limit);
    }
    let data = json!({ "query": args.query, "results": hits });
    if hits.is_empty() {
        return Ok(Report::done(data, "No matches.\n"));
    }
    let (style, now) = (env.style, env.now().as_millisecond());
    let mut text = String::new();
    for hit in &hits {
        let entry = &hit.entry;
        let about = format!("{}  {} {}, {}", entry.store, entry.kind, entry.id, ui::ago(now, entry.at));
        text.push_str(&format!("{}\n", style.head(&crate::skill::printable(&about))));
        text.push_str(&style.fold(&format!("  {}\n", crate::skill::printable(&hit.snippet)), 2));
    }
    Ok(Report::done(data, text))
}

pub(super) fn timeline(env: &mut Env, project: &Project, args: &Timeline) -> Result<Report> {
    let since = args.since.as_deref().map(|text| when::since(text, env.now())).transpose()?;
    let since = since.map_or(i64::MIN, |time| time.as_millisecond());
    let store = args.store.map(Stored::word);
    let mut entries = read(project)?.timeline(store, since).map_err(unreadable)?;
    if let Some(sessions) = elsewhere(env, project, store)? {
        entries.extend(sessions.timeline(Some("stm"), since).map_err(unreadable)?);
        entries.sort_by_key(|one| one.at);
    }
    if let Some(id) = &args.around {
        let known = entries.iter().position(|one| one.id == *id || one.id.ends_with(id.as_str()));
        let at = known.ok_or_else(|| nothing_has(id))?;
        let before = at.saturating_sub(args.limit / 2);
        entries.drain(..before);
        entries.truncate(args.limit);
    } else {
        let more = entries.len().saturating_sub(args.limit);
        entries.drain(..more);
    }
    let data = json!({ "moments": entries });
    if entries.is_empty() {
        return Ok(Report::done(data, "No entries in that time.\n"));
    }
    let text: String = entries.iter().map(|one| line(env.style, one)).collect();
    Ok(Report::done(data, text))
}

/// Queries sessions on a server, if this store is requested. If all stores are requested and the server does not
/// answer, a warning says so and the others are shown.
fn elsewhere(env: &mut Env, project: &Project, store: Option<&str>) -> Result<Option<Memory>> {
    if store.is_some_and(|store| store != Stored::Stm.word()) {
        return Ok(None);
    }
    let settings = config::load(env, project)?;
    let copied = Sessions::elsewhere(project, &settings).and_then(|sessions| {
        let copy = sessions.map(|mut sessions| sessions.copy(env)).transpose();
        copy.map_err(|error| stm::connect::coded(env, project, error))
    });
    match copied {
        Err(error) if store.is_none() => {
            let said = format!("short-term memory is not among what is shown: {}", error.message());
            env.warn(Code::Stateless, said);
            Ok(None)
        }
        copied => copied,
    }
}

pub(super) fn nothing_has(id: &str) -> Error {
    Error::new(Code::NothingOfThatId, format!("the memory holds nothing with the id {id:?}"))
}

pub(super) fn line(style: Style, one: &TimelineEntry) -> String {
    let when = millis(one.at);
    let when = when.get(..19).unwrap_or_default().replace('T', " ");
    let said =
        format!("{:<8} {:<12} {}", one.store, one.kind, crate::skill::printable(&one.what).replace(['\n', '\t'], " "));
    style.fold(&format!("{}  {said}\n", style.dim(&when)), 43)
}

//! `memory search`, `memory timeline` and `memory stats`: queries all stores by words, by time or in numbers. Never
//! writes.

use serde_json::{Value, json};

use super::stm::when;
use super::{many, read, table, unreadable};
use crate::cli::memory::{Period, Search, Stored, Timeline};
use crate::error::{Code, Error, Result};
use crate::memory::json::millis;
use crate::memory::ring::Phase;
use crate::memory::{Memory, TimelineEntry, stm};
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
    let settings = crate::config::load(env, project)?;
    let copied = stm::connect::Sessions::elsewhere(project, &settings).and_then(|sessions| {
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

const DAY: i64 = 86_400_000;

pub(super) fn stats(env: &Env, project: &Project, period: Period) -> Result<Report> {
    let memory = read(project)?;
    let now = env.now().as_millisecond();
    let since = period.days().map_or(i64::MIN, |days| now.saturating_sub(days * DAY));
    let (statuses, errors) = memory.outcomes(since).map_err(unreadable)?;
    let mut phases = memory.durations(since).map_err(unreadable)?;
    phases.sort_by_key(|(name, ..)| name.parse::<Phase>().map_or(usize::MAX, Phase::index));
    let counted = memory.counted(since).map_err(unreadable)?;
    let runs: u64 = statuses.values().sum();
    let data = json!({
        "period": period.word(),
        "since": period.days().map(|_| millis(since)),
        "runs": runs,
        "outcomes": statuses,
        "errors": errors,
        "phases": phases.iter().map(|(phase, runs, mean, most)| {
            json!({ "phase": phase, "runs": runs, "mean_ms": mean, "longest_ms": most })
        }).collect::<Vec<Value>>(),
        "stores": counted.iter().map(|(store, kind, count)| {
            json!({ "store": store, "kind": kind, "count": count })
        }).collect::<Vec<Value>>(),
    });
    let style = env.style;
    let said = match period {
        Period::All => "All time".to_owned(),
        other => format!("The last {}", other.word()),
    };
    let mut text = format!("{}\n", style.head(&format!("{said}: {}", many(runs, "run"))));
    let whole = usize::try_from(runs).unwrap_or(usize::MAX);
    for (status, count) in &statuses {
        let part = usize::try_from(*count).unwrap_or(usize::MAX);
        text.push_str(&format!("  {status:<10} {} {count}\n", ui::bar(style, part, whole, 20)));
    }
    if !errors.is_empty() {
        let rows = errors.iter().map(|(code, count)| row![code, count]);
        text.push_str(&format!("\n{}", ui::table(style, &["ERROR", "RUNS"], rows)));
    }
    if !phases.is_empty() {
        let headings = ["PHASE", "RUNS", "MEAN", "LONGEST"];
        let phases = table(style, &headings, &phases, |(phase, runs, mean, most)| {
            row![phase, runs, ui::lasting(*mean), ui::lasting(*most)]
        });
        text.push_str(&format!("\n{phases}"));
    }
    if !counted.is_empty() {
        let rows = counted.iter().map(|(store, kind, count)| row![store, kind, count]);
        text.push_str(&format!("\n{}", ui::table(style, &["STORE", "WHAT", "COUNT"], rows)));
    }
    Ok(Report::done(data, text))
}

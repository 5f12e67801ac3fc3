//! The answers of `memory ooda`: graphs, events, entities, epochs. Never writes.

use serde_json::{Value, json};

use super::{OfEpoch, reading};
use crate::command::memory::{read, table_or, unreadable};
use crate::error::Result;
use crate::memory::Epoch;
use crate::memory::json::seconds;
use crate::memory::ooda::{ContextSlice, DagStateSnapshot, Decision, LiveMemory, ObservationEvent, Query, Source};
use crate::project::Project;
use crate::report::Report;
use crate::skill::printable::beginning;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

const BAR: usize = 20;
const SHOWN: usize = 200;
const NO_EPOCH: &str = "No epoch yet. `hefesto create` opens one.";

fn dag_text(style: Style, snapshot: &DagStateSnapshot) -> String {
    let rows = snapshot.node_statuses.iter().map(|(node, status)| [node, status.as_str().unwrap_or_default()]);
    format!(
        "{}  {} {:.0} %, {} of {} done, {} left\n{}",
        style.head(&one_line(&snapshot.dag_id)),
        ui::bar(style, snapshot.completed_count, snapshot.total_nodes, BAR),
        snapshot.completion_percentage,
        snapshot.completed_count,
        snapshot.total_nodes,
        snapshot.estimated_remaining_steps,
        ui::table(style, &["NODE", "STATUS"], rows)
    )
}

pub(super) fn snapshot(style: Style, epoch: &Epoch, snapshot: &DagStateSnapshot, next: &Decision) -> Report {
    let data = json!({ "epoch_id": epoch.epoch_id, "dag": snapshot, "decision": next });
    Report::done(data, format!("{}{}", dag_text(style, snapshot), next_text(next)))
}

pub(super) fn dag(env: &Env, project: &Project, of: &OfEpoch) -> Result<Report> {
    let Some((memory, epoch)) = reading(env, project, of)? else {
        let data = json!({ "epoch_id": null, "dags": [], "decision": null, "flushed": false });
        return Ok(Report::done(data, format!("{}\n", env.spelled(NO_EPOCH.into()))));
    };
    let standing = memory.dags(&epoch.epoch_id).map_err(unreadable)?;
    let mut text = format!("Epoch {}{}\n", one_line(&epoch.epoch_id), ended(&epoch, env.now().as_millisecond()));
    for dag in &standing.dags {
        text.push_str(&format!("\n{}", dag_text(env.style, dag)));
    }
    text.push_str(&next_text(&standing.decision));
    let data = json!({
        "epoch_id": epoch.epoch_id,
        "dags": standing.dags,
        "decision": standing.decision,
        "flushed": epoch.flushed_at.is_some(),
    });
    Ok(Report::done(data, text))
}

fn next_text(next: &Decision) -> String {
    format!("\nNext: {}\n", crate::skill::printable(&next.to_string()))
}

fn ended(epoch: &Epoch, now: i64) -> String {
    match epoch.flushed_at {
        Some(at) => format!(", summarised {}", ui::ago(now, at)),
        None => format!(", opened {}", ui::ago(now, epoch.opened_at)),
    }
}

pub(super) fn events(
    env: &Env,
    project: &Project,
    of: &OfEpoch,
    limit: usize,
    source: Option<Source>,
    priority: u32,
) -> Result<Report> {
    let mut found = match reading(env, project, of)? {
        Some((memory, epoch)) => memory.events(&epoch.epoch_id, source, priority).map_err(unreadable)?,
        None => Vec::new(),
    };
    let total = found.len();
    found.truncate(limit);
    Ok(Report::done(json!({ "events": found, "total": total }), events_text(env.style, &found)))
}

fn events_text(style: Style, events: &[ObservationEvent]) -> String {
    table_or("No events.", style, &["TIME", "SOURCE", "PRIORITY", "WHAT"], events, |event| {
        row![time(event.at), event.source, event.priority, event.description]
    })
}

fn time(at: i64) -> String {
    seconds(at).unwrap_or_default()
}

pub(super) fn evicted(env: &Env, project: &Project, limit: usize) -> Result<Report> {
    let found = read(project)?.evicted_events(limit).map_err(unreadable)?;
    let text = table_or("No evicted events.", env.style, &["TIME", "REASON", "EVENT", "WHAT"], &found, |one| {
        row![time(one.at), one.why, one.event_id, one.description]
    });
    Ok(Report::done(json!({ "evicted": found }), text))
}

pub(super) fn context(env: &Env, project: &Project, query: Option<&Query>, of: &OfEpoch) -> Result<Report> {
    let slice = slice_of(env, project, query, of)?;
    let dags: String = slice.dag_snapshots.iter().map(|dag| format!("{}\n", dag_text(env.style, dag))).collect();
    Ok(Report::done(json!(slice), format!("{dags}{}", live_text(env.style, &slice))))
}

fn live_text(style: Style, slice: &ContextSlice) -> String {
    let mut text = events_text(style, &slice.recent_events);
    let rows = slice.cached_entities.iter().map(|(key, value)| [key.clone(), beginning(&value.to_string(), SHOWN)]);
    if rows.len() > 0 {
        text.push_str(&format!("\n{}", ui::table(style, &["ENTITY", "VALUE"], rows)));
    }
    if slice.truncated {
        text.push_str("\nOnly the newest of each are shown (`ooda.context`).\n");
    }
    text
}

fn slice_of(env: &Env, project: &Project, query: Option<&Query>, of: &OfEpoch) -> Result<ContextSlice> {
    let now = env.now().as_millisecond();
    match reading(env, project, of)? {
        Some((memory, epoch)) => memory.read_context(&epoch.epoch_id, query, now).map_err(unreadable),
        None => Ok(LiveMemory::default().read_context(query, 0, now)),
    }
}

pub(super) fn epochs(env: &Env, project: &Project, limit: usize) -> Result<Report> {
    let found = read(project)?.epochs(limit).map_err(unreadable)?;
    let none = env.spelled(NO_EPOCH.into());
    let text = table_or(&none, env.style, &["EPOCH", "RUN", "OPENED", "FLUSHED"], &found, |epoch| {
        let flushed = epoch.flushed_at.map_or_else(|| "open".to_owned(), time);
        row![epoch.epoch_id, epoch.run_id.as_deref().unwrap_or_default(), time(epoch.opened_at), flushed]
    });
    Ok(Report::done(json!({ "epochs": found }), text))
}

/// `memory inspect ooda`: the state of the epoch with its events and entities, or its summary.
pub(in crate::command::memory) fn inspect(env: &Env, project: &Project, run: Option<&str>) -> Result<Report> {
    let of = OfEpoch { epoch: run.map(str::to_owned) };
    let standing = dag(env, project, &of)?;
    let live = slice_of(env, project, None, &of)?;
    let summary = reading(env, project, &of)?.and_then(|(_, epoch)| epoch.summary);
    let mut text = standing.text;
    match &summary {
        Some(summary) => {
            for (title, field) in [("Key events", "key_events"), ("Key entities", "key_entities")] {
                text.push_str(&format!("\n{}\n", env.style.head(title)));
                text.push_str(&env.style.fold(&lines(&summary[field]), 2));
            }
        }
        None => text.push_str(&format!("\n{}", live_text(env.style, &live))),
    }
    let data = json!({ "dag": standing.data, "context": live, "summary": summary });
    Ok(Report::done(data, text))
}

/// The text on one line: text of a project must not start a new line.
fn one_line(text: &str) -> String {
    crate::skill::printable(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn lines(value: &Value) -> String {
    let plain = |value: &Value| match value {
        Value::String(text) => one_line(text),
        other => one_line(&other.to_string()),
    };
    match value {
        Value::Array(all) if !all.is_empty() => all.iter().map(|one| format!("  {}\n", plain(one))).collect(),
        Value::Object(all) if !all.is_empty() => {
            all.iter().map(|(key, value)| format!("  {}: {}\n", one_line(key), plain(value))).collect()
        }
        _ => "  none\n".to_owned(),
    }
}

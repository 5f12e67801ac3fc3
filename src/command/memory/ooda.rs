//! `memory ooda …`: the live memory of an OODA loop, for agents and for people.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{MAX_TEXT, bounds, content, looked_into, many, opened, read, table_or, unreadable, unwritable};
use crate::cli::memory::Cache;
use crate::cli::{OfEpoch, Ooda};
use crate::error::{Code, Error, Result};
use crate::memory::ooda::{
    CachedEntity, ContextSlice, DagStateSnapshot, Decision, LiveMemory, ObservationEvent, Query, Source,
};
use crate::memory::stm::{self, Refusal};
use crate::memory::{Epoch, Memory};
use crate::project::Project;
use crate::report::Report;
use crate::skill::printable::beginning;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

pub(super) fn ooda(env: &mut Env, project: &Project, command: &Ooda) -> Result<Report> {
    match command {
        Ooda::Dag(of) => dag(env, project, of),
        Ooda::Register { dag, node, of } => {
            changed(env, project, of, |memory, epoch| memory.register_dag(epoch, dag, node))
        }
        Ooda::Update { dag, node, status, of } => {
            changed(env, project, of, |memory, epoch| memory.update_dag_state(epoch, dag, node, *status))
        }
        Ooda::Push { content, of } => push(env, project, content.as_deref(), of),
        Ooda::Events { limit, source, priority, evicted, of } => {
            if *evicted {
                return evicted_events(env, project, *limit);
            }
            events(env, project, of, *limit, *source, *priority)
        }
        Ooda::Cache(given) => cache(env, project, given),
        Ooda::Get { key, of } => get(env, project, key, of),
        Ooda::Context { query, of } => context(env, project, query.as_deref().and_then(Query::of).as_ref(), of),
        Ooda::Flush(of) => flush(env, project, of),
        Ooda::Evict { max_age } => {
            let now = env.now().as_millisecond();
            let max_age = max_age.map_or_else(|| bounds(env, project).ooda.max_age, i64::from);
            let evicted = opened(project, now)?.evict_stale_entries(max_age, now).map_err(unwritable)?;
            let text = format!("{} evicted.\n", ui::count(evicted, "stale entry"));
            Ok(Report::done(json!({ "evicted": evicted }), text))
        }
        Ooda::Epochs { limit } => epochs(env, project, *limit),
    }
}

/// Changes one graph of an open epoch. The answer is its state, and the next step of the loop.
fn changed(
    env: &mut Env,
    project: &Project,
    of: &OfEpoch,
    change: impl FnOnce(&mut Memory, &str) -> anyhow::Result<DagStateSnapshot>,
) -> Result<Report> {
    let (mut memory, epoch) = writing(env, project, of)?;
    let snapshot = change(&mut memory, &epoch.epoch_id).map_err(unwritable)?;
    let next = memory.dags(&epoch.epoch_id).map_err(unreadable)?.decision;
    Ok(changed_text(env.style, &epoch, &snapshot, &next))
}

/// Opens the memory and an open epoch for writing.
fn writing(env: &mut Env, project: &Project, of: &OfEpoch) -> Result<(Memory, Epoch)> {
    let mut memory = opened(project, env.now().as_millisecond())?;
    memory.bounds = crate::config::load(env, project)?.bounds();
    let (new, now) = (env.new_id(), env.now().as_millisecond());
    let Some(wanted) = of.epoch.as_deref() else {
        let epoch = memory.open_epoch(&new, now).map_err(unwritable)?;
        return Ok((memory, epoch));
    };
    let epoch = memory.epoch(Some(wanted)).map_err(unreadable)?.ok_or_else(|| no_such_epoch(wanted))?;
    if epoch.flushed_at.is_some() {
        let said = format!("epoch {wanted:?} is flushed; nothing can be added to it");
        return Err(Error::new(Code::EpochFlushed, said));
    }
    Ok((memory, epoch))
}

/// Opens the memory and the epoch to read. `None` if nothing is remembered yet, or it was flushed and belongs to no
/// run.
fn reading(env: &Env, project: &Project, of: &OfEpoch) -> Result<Option<(Memory, Epoch)>> {
    let wanted = of.epoch.as_deref();
    let mut memory = looked_into(project)?;
    if let Some(memory) = &mut memory {
        memory.bounds = bounds(env, project);
    }
    let epoch = memory.as_ref().map(|memory| memory.epoch(wanted)).transpose().map_err(unreadable)?;
    match (memory, epoch.flatten(), wanted) {
        (Some(memory), Some(epoch), _) => Ok(Some((memory, epoch))),
        (_, _, Some(wanted)) => Err(no_such_epoch(wanted)),
        _ => Ok(None),
    }
}

fn no_such_epoch(wanted: &str) -> Error {
    Error::new(Code::NoSuchEpoch, format!("there is no epoch {wanted:?}, and no run of that id has one"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenEvent {
    description: String,
    event_id: Option<String>,
    source: Option<Source>,
    payload: Option<Map<String, Value>>,
    timestamp_utc: Option<jiff::Timestamp>,
    priority: Option<u32>,
}

fn event(env: &mut Env, content: Value) -> Result<ObservationEvent> {
    let wrong = |why: String| {
        Error::new(Code::Usage, format!("the content is not an event: {why}")).suggest(
            "Give an object such as '{\"description\": \"disk full\", \"source\": \"system\", \"priority\": 5}'.",
        )
    };
    let given: GivenEvent = serde_json::from_value(content).map_err(|error| wrong(error.to_string()))?;
    if given.description.trim().is_empty() {
        return Err(wrong("its `description` is empty".into()));
    }
    Ok(ObservationEvent {
        event_id: given.event_id.unwrap_or_else(|| env.new_id()),
        source: given.source.unwrap_or_default(),
        description: given.description,
        payload: given.payload.unwrap_or_default(),
        at: given.timestamp_utc.unwrap_or_else(|| env.now()).as_millisecond(),
        priority: given.priority.unwrap_or(0),
    })
}

fn push(env: &mut Env, project: &Project, given: Option<&str>, of: &OfEpoch) -> Result<Report> {
    let content = content(env, given, MAX_TEXT)?;
    without_secret(&content)?;
    let event = event(env, content)?;
    let (mut memory, epoch) = writing(env, project, of)?;
    let now = env.now().as_millisecond();
    let evicted = memory.push_event(&epoch.epoch_id, &event, now).map_err(unwritable)?;
    let text = format!("Event {} added to epoch {}.\n", event.event_id, epoch.epoch_id);
    let data = json!({ "epoch_id": epoch.epoch_id, "event": event, "evicted": evicted });
    Ok(Report::done(data, text))
}

fn cache(env: &mut Env, project: &Project, given: &Cache) -> Result<Report> {
    let Cache { key, ttl, event, of, .. } = given;
    let value = content(env, given.content.as_deref(), MAX_TEXT)?;
    without_secret(&json!({ key: value }))?;
    let valid = ttl.unwrap_or(bounds(env, project).ooda.ttl);
    let (mut memory, epoch) = writing(env, project, of)?;
    let entity = CachedEntity {
        key: key.clone(),
        value,
        ttl_seconds: Some(valid),
        created: env.now().as_millisecond(),
        source_event_id: event.clone(),
    };
    let evicted = memory.cache_entity(&epoch.epoch_id, &entity).map_err(unwritable)?;
    let text = format!("Entity {key} cached in epoch {}.\n", epoch.epoch_id);
    let data = json!({ "epoch_id": epoch.epoch_id, "entity": entity, "evicted": evicted });
    Ok(Report::done(data, text))
}

fn get(env: &mut Env, project: &Project, key: &str, of: &OfEpoch) -> Result<Report> {
    let entity = match reading(env, project, of)? {
        None => None,
        Some((_, epoch)) => {
            let now = env.now().as_millisecond();
            opened(project, now)?.get_entity(&epoch.epoch_id, key, now).map_err(unwritable)?
        }
    };
    let text = match &entity {
        Some(entity) => format!("{}\n", crate::skill::printable(&entity.value.to_string())),
        None => format!("No entity {key:?} is cached, or it has expired.\n"),
    };
    let data = json!({ "key": key, "entity": entity });
    Ok(Report::done(data, text))
}

fn flush(env: &mut Env, project: &Project, of: &OfEpoch) -> Result<Report> {
    let now = env.now().as_millisecond();
    if of.epoch.is_none() && opened(project, now)?.free_epoch().map_err(unreadable)?.is_none() {
        let nothing = LiveMemory::default().flush_to_summarizer("none", now, now);
        return Ok(Report::done(json!({ "summary": nothing }), "No epoch is open; nothing to summarise.\n"));
    }
    let (mut memory, epoch) = writing(env, project, of)?;
    if memory.belongs_to_live_run(&epoch).map_err(unreadable)? {
        let id = &epoch.epoch_id;
        return Err(Error::new(Code::EpochLive, format!("epoch {id} belongs to a run that is not finished")));
    }
    let summary = memory.flush_epoch(&epoch.epoch_id, now).map_err(unwritable)?;
    let events = many(summary.total_events_processed, "event");
    let entities = ui::count(summary.total_entities_cached, "entity");
    let graphs = ui::count(summary.dag_ids_processed.len(), "graph");
    let text = format!("Epoch {} is summarised and cleared: {events}, {entities}, {graphs}.\n", summary.epoch_id);
    Ok(Report::done(json!({ "summary": summary }), text))
}

/// Refuses content with a credential (T0-HEFESTO-11): it would be stored.
fn without_secret(content: &Value) -> Result<()> {
    match stm::check(content, &[]) {
        Err(Refusal::Secret { rule, place, .. }) => {
            let message = format!("the content holds a credential ({rule}) at {place}; nothing was stored");
            Err(Error::new(Code::MemorySecret, message))
        }
        _ => Ok(()),
    }
}

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

fn changed_text(style: Style, epoch: &Epoch, snapshot: &DagStateSnapshot, next: &Decision) -> Report {
    let data = json!({ "epoch_id": epoch.epoch_id, "dag": snapshot, "decision": next });
    Report::done(data, format!("{}{}", dag_text(style, snapshot), next_text(next)))
}

fn dag(env: &Env, project: &Project, of: &OfEpoch) -> Result<Report> {
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

fn events(
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
    crate::memory::json::seconds(at).unwrap_or_default()
}

fn evicted_events(env: &Env, project: &Project, limit: usize) -> Result<Report> {
    let found = read(project)?.evicted_events(limit).map_err(unreadable)?;
    let text = table_or("No evicted events.", env.style, &["TIME", "REASON", "EVENT", "WHAT"], &found, |one| {
        row![time(one.at), one.why, one.event_id, one.description]
    });
    Ok(Report::done(json!({ "evicted": found }), text))
}

fn context(env: &Env, project: &Project, query: Option<&Query>, of: &OfEpoch) -> Result<Report> {
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

fn epochs(env: &Env, project: &Project, limit: usize) -> Result<Report> {
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

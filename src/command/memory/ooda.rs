//! `memory ooda …`: the live memory of an OODA loop, for agents and for people.

mod view;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{MAX_TEXT, bounds, content, looked_into, many, opened, unreadable, unwritable};
use crate::cli::memory::Cache;
use crate::cli::{OfEpoch, Ooda};
use crate::config;
use crate::error::{Code, Error, Result};
use crate::memory::ooda::{CachedEntity, DagStateSnapshot, LiveMemory, ObservationEvent, Query, Source};
use crate::memory::stm::{self, Refusal};
use crate::memory::{Epoch, Memory};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui;

pub(super) use view::inspect;

pub(super) fn ooda(env: &mut Env, project: &Project, command: &Ooda) -> Result<Report> {
    match command {
        Ooda::Dag(of) => view::dag(env, project, of),
        Ooda::Register { dag, node, of } => {
            changed(env, project, of, |memory, epoch| memory.register_dag(epoch, dag, node))
        }
        Ooda::Update { dag, node, status, of } => {
            changed(env, project, of, |memory, epoch| memory.update_dag_state(epoch, dag, node, *status))
        }
        Ooda::Push { content, of } => push(env, project, content.as_deref(), of),
        Ooda::Events { limit, source, priority, evicted, of } => {
            if *evicted {
                return view::evicted(env, project, *limit);
            }
            view::events(env, project, of, *limit, *source, *priority)
        }
        Ooda::Cache(given) => cache(env, project, given),
        Ooda::Get { key, of } => get(env, project, key, of),
        Ooda::Context { query, of } => view::context(env, project, query.as_deref().and_then(Query::of).as_ref(), of),
        Ooda::Flush(of) => flush(env, project, of),
        Ooda::Evict { max_age } => {
            let now = env.now().as_millisecond();
            let max_age = max_age.map_or_else(|| bounds(env, project).ooda.max_age, i64::from);
            let evicted = opened(project, now)?.evict_stale_entries(max_age, now).map_err(unwritable)?;
            let text = format!("{} evicted.\n", ui::count(evicted, "stale entry"));
            Ok(Report::done(json!({ "evicted": evicted }), text))
        }
        Ooda::Epochs { limit } => view::epochs(env, project, *limit),
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
    Ok(view::snapshot(env.style, &epoch, &snapshot, &next))
}

/// Opens the memory and an open epoch for writing.
fn writing(env: &mut Env, project: &Project, of: &OfEpoch) -> Result<(Memory, Epoch)> {
    let mut memory = opened(project, env.now().as_millisecond())?;
    memory.keep_within(config::load(env, project)?.bounds());
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
        memory.keep_within(bounds(env, project));
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

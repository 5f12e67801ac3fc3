//! `memory ooda …`: the live memory of a loop, as an agent uses it and a person looks at it.

mod view;

use serde_json::{Map, Value, json};

use super::content::content;
use super::{looked_into, opened};
use crate::cli::{OfEpoch, Ooda};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::ooda::{CachedEntity, Limits, ObservationEvent, Query, Ram, Source};
use crate::memory::{Epoch, Memory};
use crate::project::Project;
use crate::report::Report;
use crate::rules::secrets;
use crate::system::env::Env;

pub(super) use view::inspect;

const UNREADABLE: &str = "the memory cannot be read";
const UNWRITABLE: &str = "the memory cannot be written";

/// Runs `hefesto memory ooda …`.
///
/// # Errors
/// E-MEMORY-040 when there is no such epoch, -041 when nothing can be added to it; E-MEMORY-010 for a secret;
/// E-USAGE-001 for content of the wrong shape; E-IO-001 when the database cannot be used.
pub(super) fn ooda(env: &mut Env, project: &Project, command: &Ooda) -> Result<Report> {
    match command {
        Ooda::Dag(of) => view::dag(env, project, of),
        Ooda::Register { dag, node, of } => {
            let (mut memory, epoch) = writing(env, project, of)?;
            let snapshot = memory.register_dag(&epoch.epoch_id, dag, node).coded(Code::Io, UNWRITABLE)?;
            Ok(view::snapshot(env.style, &epoch, &snapshot))
        }
        Ooda::Update { dag, node, status, of } => {
            let (mut memory, epoch) = writing(env, project, of)?;
            let snapshot = memory.update_dag_state(&epoch.epoch_id, dag, node, *status).coded(Code::Io, UNWRITABLE)?;
            Ok(view::snapshot(env.style, &epoch, &snapshot))
        }
        Ooda::Push { content, of } => push(env, project, content.as_deref(), of),
        Ooda::Events { limit, source, priority, evicted, of } => {
            if *evicted {
                return view::evicted(env, project, *limit);
            }
            view::events(env, project, of, *limit, *source, *priority)
        }
        Ooda::Cache { key, content, ttl, event, of } => {
            cache(env, project, key, content.as_deref(), *ttl, event.clone(), of)
        }
        Ooda::Get { key, of } => get(env, project, key, of),
        Ooda::Context { query, of } => view::context(env, project, query.as_deref().and_then(Query::of).as_ref(), of),
        Ooda::Flush(of) => flush(env, project, of),
        Ooda::Evict { max_age } => {
            let now = env.now().as_millisecond();
            let evicted = opened(project)?.evict_stale_entries(i64::from(*max_age), now).coded(Code::Io, UNWRITABLE)?;
            let text = format!(
                "{} evicted.\n",
                match evicted {
                    1 => "1 stale entry".to_owned(),
                    many => format!("{many} stale entries"),
                }
            );
            Ok(Report::done(json!({ "evicted": evicted }), text))
        }
        Ooda::Epochs { limit } => view::epochs(env, project, *limit),
    }
}

/// The memory and an open epoch to write to.
fn writing(env: &mut Env, project: &Project, of: &OfEpoch) -> Result<(Memory, Epoch)> {
    let mut memory = opened(project)?;
    let (new, now) = (env.new_id(), env.now().as_millisecond());
    if let Some(wanted) = of.epoch.as_deref() {
        let found = memory.epoch(Some(wanted)).coded(Code::Io, UNREADABLE)?;
        let found = found.ok_or_else(|| no_such_epoch(wanted))?;
        if found.flushed_at.is_some() {
            return Err(Error::new(
                Code::EpochFlushed,
                format!("epoch {wanted:?} is flushed; nothing can be added to it"),
            ));
        }
    }
    let epoch = memory.open_epoch(of.epoch.as_deref(), &new, now).coded(Code::Io, UNWRITABLE)?;
    Ok((memory, epoch))
}

/// The memory and the epoch to read. `None` where nothing is remembered yet, or what was is flushed and no run's.
fn reading(project: &Project, of: &OfEpoch) -> Result<Option<(Memory, Epoch)>> {
    let wanted = of.epoch.as_deref();
    let memory = looked_into(project)?;
    let epoch = match &memory {
        Some(memory) => memory.epoch(wanted).coded(Code::Io, UNREADABLE)?,
        None => None,
    };
    match (memory, epoch, wanted) {
        (Some(memory), Some(epoch), _) => Ok(Some((memory, epoch))),
        (_, _, Some(wanted)) => Err(no_such_epoch(wanted)),
        _ => Ok(None),
    }
}

fn no_such_epoch(wanted: &str) -> Error {
    Error::new(Code::NoSuchEpoch, format!("there is no epoch {wanted:?}, and no run of that id has one"))
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(Code::Usage, message)
        .suggest("Give an object such as '{\"description\": \"disk full\", \"source\": \"system\", \"priority\": 5}'.")
}

/// The event that the content describes.
fn event(env: &mut Env, content: Value) -> Result<ObservationEvent> {
    let Value::Object(mut fields) = content else { return Err(wrong("an event is a JSON object")) };
    let mut word = |name: &str| match fields.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(wrong(format!("an event's `{name}` is text"))),
    };
    let description = word("description")?.filter(|text| !text.trim().is_empty());
    let description = description.ok_or_else(|| wrong("an event needs a `description`"))?;
    let (id, source) = (word("event_id")?, word("source")?);
    let at = match word("timestamp_utc")? {
        Some(text) => text.parse().map_err(|_| wrong(format!("{text:?} is no RFC 3339 time")))?,
        None => env.now(),
    };
    let source = match source {
        Some(source) => source.parse::<Source>().map_err(|unknown| wrong(unknown.to_string()))?,
        None => Source::default(),
    };
    let payload = match fields.remove("payload") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(payload)) => payload,
        Some(_) => return Err(wrong("an event's `payload` is a JSON object")),
    };
    let priority = match fields.remove("priority") {
        None | Some(Value::Null) => 0,
        Some(given) => {
            let number = given.as_u64().and_then(|number| u32::try_from(number).ok());
            number.ok_or_else(|| wrong("an event's `priority` is a whole number from 0"))?
        }
    };
    if let Some(unknown) = fields.keys().next() {
        return Err(wrong(format!("an event has no field `{unknown}`")));
    }
    let event_id = id.unwrap_or_else(|| env.new_id());
    Ok(ObservationEvent { event_id, source, description, payload, at: at.as_millisecond(), priority })
}

fn push(env: &mut Env, project: &Project, given: Option<&str>, of: &OfEpoch) -> Result<Report> {
    let content = content(env, given)?;
    without_secret(&content.to_string())?;
    let event = event(env, content)?;
    let (mut memory, epoch) = writing(env, project, of)?;
    let now = env.now().as_millisecond();
    let evicted = memory.push_event(&epoch.epoch_id, &event, Limits::default(), now).coded(Code::Io, UNWRITABLE)?;
    let text = format!("Event {} added to epoch {}.\n", event.event_id, epoch.epoch_id);
    let data = json!({ "epoch_id": epoch.epoch_id, "event": view::event_json(&event), "evicted": evicted });
    Ok(Report::done(data, text))
}

fn cache(
    env: &mut Env,
    project: &Project,
    key: &str,
    given: Option<&str>,
    ttl: Option<i64>,
    source_event_id: Option<String>,
    of: &OfEpoch,
) -> Result<Report> {
    let value = content(env, given)?;
    without_secret(&format!("{key} = {value}"))?;
    let limits = Limits::default();
    let (mut memory, epoch) = writing(env, project, of)?;
    let entity = CachedEntity {
        key: key.to_owned(),
        value,
        ttl_seconds: Some(ttl.unwrap_or(limits.ttl)),
        created: env.now().as_millisecond(),
        source_event_id,
    };
    let evicted = memory.cache_entity(&epoch.epoch_id, &entity, limits).coded(Code::Io, UNWRITABLE)?;
    let text = format!("Entity {key} cached in epoch {}.\n", epoch.epoch_id);
    let data = json!({ "epoch_id": epoch.epoch_id, "entity": view::entity_json(&entity), "evicted": evicted });
    Ok(Report::done(data, text))
}

fn get(env: &mut Env, project: &Project, key: &str, of: &OfEpoch) -> Result<Report> {
    let entity = match reading(project, of)? {
        None => None,
        Some((_, epoch)) => {
            let now = env.now().as_millisecond();
            opened(project)?.get_entity(&epoch.epoch_id, key, now).coded(Code::Io, UNWRITABLE)?
        }
    };
    let text = match &entity {
        Some(entity) => format!("{}\n", crate::skill::printable(&entity.value.to_string())),
        None => format!("No entity {key:?} is cached, or its time is over.\n"),
    };
    let data = json!({ "key": key, "entity": entity.as_ref().map(view::entity_json) });
    Ok(Report::done(data, text))
}

fn flush(env: &mut Env, project: &Project, of: &OfEpoch) -> Result<Report> {
    let now = env.now().as_millisecond();
    if of.epoch.is_none() && opened(project)?.free_epoch().coded(Code::Io, UNREADABLE)?.is_none() {
        let nothing = Ram::default().flush_to_summarizer("none", now, now);
        return Ok(Report::done(json!({ "summary": nothing }), "No epoch is open; there is nothing to sum up.\n"));
    }
    let (mut memory, epoch) = writing(env, project, of)?;
    if memory.belongs_to_live_run(&epoch).coded(Code::Io, UNREADABLE)? {
        let id = &epoch.epoch_id;
        return Err(Error::new(Code::EpochLive, format!("epoch {id} belongs to a run that is not finished")));
    }
    let summary = memory.flush_epoch(&epoch.epoch_id, now).coded(Code::Io, UNWRITABLE)?;
    let text = format!(
        "{}: {} events, {} entities, {} graphs; summarised and wiped.\n",
        summary.epoch_id,
        summary.total_events_processed,
        summary.total_entities_cached,
        summary.dag_ids_processed.len()
    );
    Ok(Report::done(json!({ "summary": summary }), text))
}

/// Refuses what holds a credential (T0-HEFESTO-11): it would be stored.
fn without_secret(text: &str) -> Result<()> {
    match secrets::scan(text).first() {
        None => Ok(()),
        Some(hit) => {
            let message = format!("the content holds {} ({}); nothing was stored", hit.title, hit.rule);
            Err(Error::new(Code::MemorySecret, message))
        }
    }
}

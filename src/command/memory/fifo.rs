//! `memory fifo …`: the queue of conversations.

mod shown;

use serde_json::json;

use super::{MAX_TEXT, content, opened, read};
use crate::cli::Fifo;
use crate::config;
use crate::error::{Code, Error, Result};
use crate::memory::fifo::sqlite::Update;
use crate::memory::fifo::{self, FifoError, NewConversation, Query, Queue, Text};
use crate::memory::json::seconds;
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::system::input;
use crate::terminal::ui;
use shown::Screen;

pub(super) fn fifo(env: &mut Env, project: &Project, command: &Fifo) -> Result<Report> {
    let screen = Screen { style: env.style, now: env.now().as_millisecond() };
    match command {
        Fifo::Add { content: given } => add(env, project, screen, given.as_deref()),
        Fifo::Append { id, content: given } => append(env, project, screen, id, given.as_deref()),
        Fifo::Recent { limit } => {
            let recent = read(project)?.recent_conversations(*limit).map_err(coded)?;
            Ok(screen.conversations(json!({}), &recent, "No conversations yet."))
        }
        Fifo::Show { id } => {
            let memory = read(project)?;
            let one = memory.conversation(id).map_err(coded)?.ok_or_else(|| unknown(id))?;
            let (said, named) = (memory.messages(id).map_err(coded)?, memory.entities_of(id).map_err(coded)?);
            Ok(screen.conversation(&one, &said, &named))
        }
        Fifo::Update { id, title, summary, tag } => {
            let update = update(title.as_deref(), summary.as_deref(), tag).map_err(refused)?;
            let changed = opened(project, screen.now)?.update_conversation(id, &update, screen.now).map_err(coded)?;
            Ok(Report::done(json!({ "conversation": changed }), format!("Updated {id}.\n")))
        }
        Fifo::Activate { id } => activate(project, screen, id),
        Fifo::Extract { id: Some(id), .. } => {
            let mut memory = opened(project, screen.now)?;
            memory.conversation(id).map_err(coded)?.ok_or_else(|| unknown(id))?;
            let found = memory.extract_entities(id, screen.now).map_err(coded)?;
            Ok(screen.mentions(Some(id), &found))
        }
        Fifo::Extract { id: None, text } => {
            let text = match text.as_deref() {
                None | Some("-") => input::read_stdin(env)?,
                Some(text) => text.to_owned(),
            };
            let kept = Text::of(&text);
            let found: Vec<_> = fifo::extract(&[kept.as_str()]).into_iter().map(|one| (one, true)).collect();
            Ok(screen.mentions(None, &found))
        }
        Fifo::Search { query: typed, limit } => search(project, screen, typed, *limit),
        Fifo::Entities { kind, limit } => {
            Ok(screen.entities(&read(project)?.entity_statistics(*kind, *limit).map_err(coded)?))
        }
        Fifo::Find { kind, name } => {
            let found = read(project)?.conversations_with(*kind, name).map_err(coded)?;
            Ok(screen.conversations(json!({ "type": kind, "name": name }), &found, "No conversation names it."))
        }
        Fifo::Range { from, to } => between(project, screen, from.as_deref(), to.as_deref()),
        Fifo::Stats => stats(env, project, screen),
        Fifo::Evictions { limit } => Ok(screen.evictions(&read(project)?.evictions(*limit).map_err(coded)?)),
        Fifo::Delete { id } => {
            let deleted = read(project)?.conversation(id).map_err(coded)?.is_some()
                && opened(project, screen.now)?.delete_conversation(id).map_err(coded)?;
            if !deleted {
                return Err(unknown(id));
            }
            Ok(Report::done(json!({ "conversation_id": id, "deleted": true }), format!("Deleted {id}.\n")))
        }
    }
}

fn append(env: &mut Env, project: &Project, screen: Screen, id: &str, given: Option<&str>) -> Result<Report> {
    let messages = fifo::messages(&content(env, given, MAX_TEXT)?).map_err(refused)?;
    let redacted: usize = messages.iter().map(|(_, text)| text.redacted()).sum();
    let mut memory = opened(project, screen.now)?;
    let grown = memory.append_messages(id, &messages, screen.now).map_err(coded)?;
    let said = ui::count(messages.len(), "message");
    let text = format!("Appended {said} to {id}.\n{}", screen.redactions(redacted));
    Ok(Report::done(json!({ "conversation": grown, "redacted": redacted }), text))
}

fn update(title: Option<&str>, summary: Option<&str>, tags: &[String]) -> Result<Update, FifoError> {
    Ok(Update {
        title: title.map(|text| fifo::line("title", text)).transpose()?,
        summary: summary.map(|text| fifo::long("summary", text)).transpose()?,
        tags: (!tags.is_empty()).then(|| fifo::tags(tags)).transpose()?,
    })
}

fn between(project: &Project, screen: Screen, from: Option<&str>, to: Option<&str>) -> Result<Report> {
    let from = from.map_or(Ok(i64::MIN), |text| instant(text, false))?;
    let to = to.map_or(Ok(screen.now), |text| instant(text, true))?;
    if from > to {
        return Err(Error::new(Code::Usage, "--from is later than --to").suggest("Exchange the two."));
    }
    let found = read(project)?.conversations_between(from, to).map_err(coded)?;
    let ends = json!({ "from": seconds(from).filter(|_| from > 0), "to": seconds(to).filter(|_| to > 0) });
    Ok(screen.conversations(ends, &found, "No conversations in that time."))
}

fn search(project: &Project, screen: Screen, typed: &str, limit: usize) -> Result<Report> {
    let query = Query::of(typed).ok_or_else(|| {
        Error::new(Code::Usage, "there is nothing to search for, or more than 32 words")
            .suggest("Give one word or a few.")
            .usage("hefesto memory fifo search QUERY")
    })?;
    let found = read(project)?.search_conversations(&query, limit).map_err(coded)?;
    Ok(screen.found(typed, &found))
}

fn activate(project: &Project, screen: Screen, id: &str) -> Result<Report> {
    let (now, before) = opened(project, screen.now)?.activate_conversation(id, screen.now).map_err(coded)?;
    let text = match &before {
        Some(before) => format!("{id} is the active conversation; before, it was {before}.\n"),
        None => format!("{id} is the active conversation.\n"),
    };
    Ok(Report::done(json!({ "conversation": now, "deactivated": before }), text))
}

/// `memory inspect fifo`: how full the queue is, and the newest conversations.
pub(super) fn inspect(env: &mut Env, project: &Project) -> Result<Report> {
    let screen = Screen { style: env.style, now: env.now().as_millisecond() };
    let mut overview = stats(env, project, screen)?;
    let recent = read(project)?.recent_conversations(1000).map_err(coded)?;
    let list = screen.conversations(json!({}), &recent, "No conversations yet.");
    if let (Some(all), Some(conversations)) = (overview.data.as_object_mut(), list.data.get("conversations")) {
        all.insert("conversations".into(), conversations.clone());
    }
    overview.text.push('\n');
    overview.text.push_str(&list.text);
    Ok(overview)
}

fn add(env: &mut Env, project: &Project, screen: Screen, given: Option<&str>) -> Result<Report> {
    let capacity = config::load(env, project)?.fifo_capacity.value;
    let value = content(env, given, MAX_TEXT)?;
    let fresh = format!("conv_{}", env.new_id());
    let new = NewConversation::from_json(&value, &fresh).map_err(refused)?;
    let added = opened(project, screen.now)?.add_conversation(&new, capacity, screen.now).map_err(coded)?;
    let mut text = format!(
        "Stored {} ({}).\n{}",
        new.conversation_id,
        ui::count(new.messages.len(), "message"),
        screen.redactions(new.redacted())
    );
    for evicted in &added.evicted {
        text.push_str(&format!("Evicted {evicted}; its patterns are kept.\n"));
    }
    let data = json!({
        "conversation": added.conversation,
        "evicted": added.evicted,
        "redacted": new.redacted(),
    });
    Ok(Report::done(data, text))
}

fn stats(env: &mut Env, project: &Project, screen: Screen) -> Result<Report> {
    let capacity = config::load(env, project)?.fifo_capacity.value;
    let memory = read(project)?;
    let known = memory.fifo_statistics().map_err(coded)?;
    let last = memory.evictions(1).map_err(coded)?.pop();
    let queue = Queue::of(known.conversations, capacity);
    Ok(screen.statistics(queue, &known, last.as_ref()))
}

/// An instant in milliseconds. A date gives its first instant or its last; a time to the second covers that second.
fn instant(text: &str, last: bool) -> Result<i64> {
    let day = text.parse::<jiff::civil::Date>().ok().filter(|_| text.len() == 10);
    let start = match day {
        Some(day) => day.to_zoned(jiff::tz::TimeZone::UTC).ok().map(|day| day.timestamp()),
        None => text.parse().ok(),
    };
    let start: jiff::Timestamp = start.ok_or_else(|| {
        Error::new(Code::Usage, format!("{text:?} is neither a date nor an RFC 3339 time"))
            .suggest("Write it as 2026-02-05 or 2026-02-05T10:00:00Z.")
    })?;
    let length = match (last, day) {
        (false, _) => 0,
        (true, Some(_)) => 86_400_000 - 1,
        (true, None) if start.subsec_nanosecond() == 0 => 999,
        (true, None) => 0,
    };
    Ok(start.as_millisecond().saturating_add(length))
}

fn unknown(id: &str) -> Error {
    refused(FifoError::NoSuchConversation(id.to_owned()))
}

#[allow(clippy::needless_pass_by_value, reason = "map_err hands it over")]
fn refused(error: FifoError) -> Error {
    let code = match &error {
        FifoError::NoSuchConversation(_) => Code::FifoNoSuchConversation,
        FifoError::DuplicateId(_) => Code::FifoDuplicateId,
        FifoError::Full { .. } => Code::FifoFull,
        FifoError::Malformed(_) => Code::FifoMalformed,
    };
    // A typed id may be a credential.
    Error::new(code, Text::of(&error.to_string()).as_str())
}

/// An error of the queue with its code; any other is the database's.
fn coded(error: anyhow::Error) -> Error {
    match error.downcast::<FifoError>() {
        Ok(error) => refused(error),
        Err(error) => Error::new(Code::Io, "the memory cannot be used").because(error),
    }
}

//! `memory fifo …`: the queue of conversations.

use serde_json::{Map, Value, json};

use super::{MAX_TEXT, content, opened, read, table_or};
use crate::cli::Fifo;
use crate::config;
use crate::error::{Code, Error, Result};
use crate::memory::fifo::sqlite::{ConversationHit, EntityStatistics, Eviction, Statistics, Update};
use crate::memory::fifo::{self, Conversation, FifoError, Mention, Message, NewConversation, Query, Queue, Text};
use crate::memory::json::seconds;
use crate::project::Project;
use crate::report::Report;
use crate::skill::printable;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

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
                None | Some("-") => crate::system::input::read_stdin(env)?,
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
    let redacted: usize = messages.iter().map(|(_, text)| text.redacted).sum();
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

const BAR: usize = 20;

/// How answers are displayed, and at which time.
#[derive(Debug, Clone, Copy)]
struct Screen {
    style: Style,
    now: i64,
}

impl Screen {
    fn ago(self, then: i64) -> String {
        ui::ago(self.now, then)
    }

    fn redactions(self, count: usize) -> String {
        match count {
            0 => String::new(),
            count => format!("{} {} redacted.\n", self.style.mark(), ui::count(count, "credential")),
        }
    }

    /// A list of conversations, with further data of the answer.
    fn conversations(self, mut data: Value, list: &[Conversation], none: &str) -> Report {
        data["conversations"] = json!(list);
        let headings = ["CONVERSATION", "TITLE", "MESSAGES", "STORED", "STATE"];
        Report::done(data, table_or(none, self.style, &headings, list, |one| self.row(one)))
    }

    fn row(self, one: &Conversation) -> Vec<String> {
        let state = match (one.is_active, &one.pinned_by_run) {
            (true, _) => "active",
            (false, Some(_)) => "pinned",
            (false, None) => "",
        };
        row![one.conversation_id, one.title, one.message_count, self.ago(one.created_at), state]
    }

    fn conversation(self, one: &Conversation, said: &[Message], named: &[Mention]) -> Report {
        let data = json!({ "conversation": one, "messages": said, "entities": named });
        let mut text = format!("{}\n", self.style.head(&printable(&one.title)));
        let mut line = |name: &str, value: String| text.push_str(&format!("  {name:<10}{}\n", printable(&value)));
        line("id", one.conversation_id.clone());
        line("stored", format!("{} ({})", seconds(one.created_at).unwrap_or_default(), self.ago(one.created_at)));
        if one.is_active {
            line("state", "active: never evicted".into());
        } else if let Some(run) = &one.pinned_by_run {
            line("state", format!("pinned by the unfinished run {run}: not evicted before it ends"));
        }
        if let Some(summary) = &one.summary {
            line("summary", summary.clone());
        }
        if !one.tags.is_empty() {
            line("tags", one.tags.join(", "));
        }
        if !named.is_empty() {
            let names: Vec<String> = named.iter().map(|one| format!("{} {}", one.kind.word(), one.name)).collect();
            line("entities", names.join(", "));
        }
        for message in said {
            text.push_str(&format!("\n{}\n", self.style.head(message.role.word())));
            text.push_str(printable(&message.content).trim_end());
            text.push('\n');
        }
        Report::done(data, text)
    }

    /// The entities of one conversation or text, each with whether it is new there.
    fn mentions(self, id: Option<&str>, found: &[(Mention, bool)]) -> Report {
        let entity = |(one, is_new): &(Mention, bool)| json!({ "type": one.kind, "name": one.name, "relevance_score": one.relevance_score, "new": is_new });
        let data = json!({ "conversation_id": id, "entities": found.iter().map(entity).collect::<Vec<_>>() });
        let headings = ["TYPE", "NAME", "RELEVANCE", ""];
        let text = table_or("No entities.", self.style, &headings, found, |(one, is_new)| {
            let new = if *is_new && id.is_some() { "new" } else { "" };
            row![one.kind, one.name, format!("{:.1}", one.relevance_score), new]
        });
        Report::done(data, text)
    }

    fn found(self, typed: &str, found: &[ConversationHit]) -> Report {
        let data = json!({ "query": Text::of(typed).as_str(), "results": found });
        if found.is_empty() {
            return Report::done(data, "No matches.\n");
        }
        let mut text = String::new();
        for one in found {
            let (title, id) = (printable(&one.conversation.title), &one.conversation.conversation_id);
            let when = self.ago(one.conversation.created_at);
            text.push_str(&format!("{}  {}\n", self.style.head(&title), self.style.dim(&format!("{id}, {when}"))));
            if let Some(excerpt) = &one.excerpt {
                let dots = if self.style.unicode { "…" } else { "..." };
                text.push_str(&format!("  {}\n", printable(excerpt).replace('…', dots)));
            }
        }
        Report::done(data, text)
    }

    fn entities(self, known: &[EntityStatistics]) -> Report {
        let headings = ["TYPE", "NAME", "CONVERSATIONS", "EVICTED", "EVER", "LAST NAMED"];
        let text = table_or("No entities yet.", self.style, &headings, known, |one| {
            let EntityStatistics { conversation_count, pattern_count, access_count, .. } = one;
            let last = self.ago(one.last_accessed);
            row![one.entity_type, one.entity_name, conversation_count, pattern_count, access_count, last]
        });
        Report::done(json!({ "entities": known }), text)
    }

    fn evictions(self, log: &[Eviction]) -> Report {
        let row = |one: &Eviction| row![one.conversation_id, self.ago(one.timestamp), one.details];
        let headings = ["CONVERSATION", "EVICTED", "REASON"];
        Report::done(json!({ "evictions": log }), table_or("No evictions yet.", self.style, &headings, log, row))
    }

    /// How full the queue is, and the counts of its contents.
    fn statistics(self, queue: Queue, known: &Statistics, last: Option<&Eviction>) -> Report {
        let (messages, by_role, roles) = split(&known.messages);
        let (entities, by_type, types) = split(&known.entities);
        let data = json!({
            "queue": queue,
            "active": known.active,
            "pinned": known.pinned,
            "oldest": known.span.and_then(|(oldest, _)| seconds(oldest)),
            "newest": known.span.and_then(|(_, newest)| seconds(newest)),
            "messages": { "total": messages, "bytes": known.bytes, "by_role": by_role },
            "entities": { "total": entities, "by_type": by_type },
            "patterns": known.patterns,
            "evictions": { "total": known.evictions, "last": last },
        });
        let Queue { count, capacity, .. } = queue;
        let full = if queue.at_capacity { "; the next one evicts the oldest" } else { "" };
        let when = last.map(|last| format!("; last {}, {}", last.conversation_id, self.ago(last.timestamp)));
        let lines = [
            ("Conversations", format!("{} {count} of {capacity}{full}", ui::bar(self.style, count, capacity, BAR))),
            ("Active", known.active.clone().unwrap_or_else(|| "-".into())),
            ("Pinned", known.pinned.to_string()),
            ("Messages", format!("{messages}{roles} ({})", ui::size(known.bytes as u64))),
            ("Entities", format!("{entities}{types}")),
            ("Patterns", known.patterns.to_string()),
            ("Evictions", format!("{}{}", known.evictions, when.unwrap_or_default())),
        ];
        Report::done(data, lines.map(|(name, value)| format!("{name:<15}{value}\n")).concat())
    }
}

/// The sum of counts, each of them as JSON, and those above zero in words.
fn split<T: std::fmt::Display>(counts: &[(T, usize)]) -> (usize, Map<String, Value>, String) {
    let all = counts.iter().map(|(what, count)| (what.to_string(), json!(count))).collect();
    let some = counts.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what} {count}"));
    let words = some.collect::<Vec<_>>().join(", ");
    let words = if words.is_empty() { words } else { format!(": {words}") };
    (counts.iter().map(|(_, count)| count).sum(), all, words)
}

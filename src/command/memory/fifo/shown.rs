//! How the queue is shown: each answer as JSON and as text.

use serde_json::{Value, json};

use crate::memory::fifo::sqlite::{Evicted, Found, Known, Statistics};
use crate::memory::fifo::{Conversation, Mention, Message, Queue};
use crate::report::Report;
use crate::skill::printable;
use crate::system::env::stamp;
use crate::terminal::ui::{self, Style};

/// How wide the bar of the queue is.
const BAR: usize = 20;

/// What answers are shown on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    pub(super) style: Style,
    pub(super) now: i64,
}

/// An instant, RFC 3339 UTC to the second; none beyond the years that can be written.
pub(super) fn time(ms: i64) -> Option<String> {
    jiff::Timestamp::from_millisecond(ms).ok().filter(|_| ms > 0).map(stamp)
}

/// A conversation without its messages.
pub(super) fn conversation_json(one: &Conversation) -> Value {
    json!({
        "conversation_id": one.conversation_id,
        "title": one.title,
        "created_at": time(one.created_at),
        "updated_at": time(one.updated_at),
        "message_count": one.message_count,
        "is_active": one.is_active,
        "pinned_by_run": one.pinned_by_run,
        "summary": one.summary,
        "tags": one.tags,
    })
}

/// An entity as a text names it.
fn mention_json(one: &Mention) -> Value {
    json!({ "type": one.kind, "name": one.name, "relevance_score": one.relevance_score })
}

impl Screen {
    fn ago(self, then: i64) -> String {
        ui::ago(self.now, then)
    }

    /// What is said where credentials were taken out.
    pub(super) fn redactions(self, count: usize) -> String {
        match count {
            0 => String::new(),
            count => format!("{} {} taken out.\n", self.style.mark(), ui::count(count, "credential")),
        }
    }

    /// A list of conversations, with what else the answer holds.
    pub(super) fn conversations(self, mut data: Value, list: &[Conversation], none: &str) -> Report {
        if let Some(fields) = data.as_object_mut() {
            fields.insert("conversations".into(), list.iter().map(conversation_json).collect());
        }
        if list.is_empty() {
            return Report::done(data, format!("{none}\n"));
        }
        let rows: Vec<Vec<String>> = list.iter().map(|one| self.row(one)).collect();
        Report::done(data, ui::table(self.style, &["CONVERSATION", "TITLE", "MESSAGES", "STORED", "STATE"], &rows))
    }

    fn row(self, one: &Conversation) -> Vec<String> {
        let state = match (one.is_active, &one.pinned_by_run) {
            (true, _) => "active",
            (false, Some(_)) => "pinned",
            (false, None) => "",
        };
        vec![
            one.conversation_id.clone(),
            one.title.clone(),
            one.message_count.to_string(),
            self.ago(one.created_at),
            state.into(),
        ]
    }

    pub(super) fn conversation(self, one: &Conversation, said: &[Message], named: &[Mention]) -> Report {
        let data = json!({
            "conversation": conversation_json(one),
            "messages": said
                .iter()
                .map(|message| json!({
                    "role": message.role,
                    "content": message.content,
                    "timestamp": time(message.timestamp),
                }))
                .collect::<Vec<_>>(),
            "entities": named.iter().map(mention_json).collect::<Vec<_>>(),
        });
        let mut text = format!("{}\n", self.style.head(&printable(&one.title)));
        let mut line = |name: &str, value: String| text.push_str(&format!("  {name:<10}{}\n", printable(&value)));
        line("id", one.conversation_id.clone());
        line("stored", format!("{} ({})", time(one.created_at).unwrap_or_default(), self.ago(one.created_at)));
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

    /// The entities of one conversation or text, each with whether it is new to it.
    pub(super) fn mentions(self, id: Option<&str>, found: &[(Mention, bool)]) -> Report {
        let entities: Vec<Value> = found
            .iter()
            .map(|(one, is_new)| {
                let mut entity = mention_json(one);
                if let Some(fields) = entity.as_object_mut() {
                    fields.insert("new".into(), json!(is_new));
                }
                entity
            })
            .collect();
        let data = json!({ "conversation_id": id, "entities": entities });
        if found.is_empty() {
            return Report::done(data, "No entities.\n");
        }
        let rows: Vec<Vec<String>> = found
            .iter()
            .map(|(one, is_new)| {
                let new = if *is_new && id.is_some() { "new" } else { "" };
                vec![one.kind.word().into(), one.name.clone(), format!("{:.1}", one.relevance_score), new.into()]
            })
            .collect();
        Report::done(data, ui::table(self.style, &["TYPE", "NAME", "RELEVANCE", ""], &rows))
    }

    pub(super) fn found(self, typed: &str, found: &[Found]) -> Report {
        let results: Vec<Value> = found
            .iter()
            .map(|one| {
                let mut result = conversation_json(&one.conversation);
                if let Some(fields) = result.as_object_mut() {
                    fields.insert("matched".into(), json!(one.matched));
                    fields.insert("excerpt".into(), json!(one.excerpt));
                }
                result
            })
            .collect();
        let data = json!({ "query": crate::memory::fifo::Text::of(typed).as_str(), "results": results });
        if found.is_empty() {
            return Report::done(data, "No conversation holds all of that.\n");
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

    pub(super) fn entities(self, known: &[Known]) -> Report {
        let entities: Vec<Value> = known
            .iter()
            .map(|one| {
                json!({
                    "entity_type": one.entity_type,
                    "entity_name": one.entity_name,
                    "file_path": one.file_path,
                    "first_seen": time(one.first_seen),
                    "last_accessed": time(one.last_accessed),
                    "access_count": one.access_count,
                    "conversation_count": one.conversation_count,
                    "pattern_count": one.pattern_count,
                })
            })
            .collect();
        let data = json!({ "entities": entities });
        if known.is_empty() {
            return Report::done(data, "No entities yet.\n");
        }
        let rows: Vec<Vec<String>> = known
            .iter()
            .map(|one| {
                vec![
                    one.entity_type.word().into(),
                    one.entity_name.clone(),
                    one.conversation_count.to_string(),
                    one.pattern_count.to_string(),
                    one.access_count.to_string(),
                    self.ago(one.last_accessed),
                ]
            })
            .collect();
        let headings = ["TYPE", "NAME", "CONVERSATIONS", "EVICTED", "EVER", "LAST NAMED"];
        Report::done(data, ui::table(self.style, &headings, &rows))
    }

    pub(super) fn evictions(self, log: &[Evicted]) -> Report {
        let evictions: Vec<Value> = log.iter().map(evicted_json).collect();
        let data = json!({ "evictions": evictions });
        if log.is_empty() {
            return Report::done(data, "Nothing was evicted yet.\n");
        }
        let rows: Vec<Vec<String>> = log
            .iter()
            .map(|one| vec![one.conversation_id.clone(), self.ago(one.timestamp), one.details.clone()])
            .collect();
        Report::done(data, ui::table(self.style, &["CONVERSATION", "EVICTED", "WHY"], &rows))
    }

    /// How full the queue is, and how much of everything there is.
    pub(super) fn statistics(self, queue: Queue, known: &Statistics, last: Option<&Evicted>) -> Report {
        let messages: usize = known.messages.iter().map(|(_, count)| count).sum();
        let entities: usize = known.entities.iter().map(|(_, count)| count).sum();
        let by_role: serde_json::Map<String, Value> =
            known.messages.iter().map(|(role, count)| (role.word().to_owned(), json!(count))).collect();
        let by_type: serde_json::Map<String, Value> =
            known.entities.iter().map(|(kind, count)| (kind.word().to_owned(), json!(count))).collect();
        let data = json!({
            "queue": queue,
            "active": known.active,
            "pinned": known.pinned,
            "oldest": known.span.and_then(|(oldest, _)| time(oldest)),
            "newest": known.span.and_then(|(_, newest)| time(newest)),
            "messages": { "total": messages, "bytes": known.bytes, "by_role": by_role },
            "entities": { "total": entities, "by_type": by_type },
            "patterns": known.patterns,
            "evictions": { "total": known.evictions, "last": last.map(evicted_json) },
        });
        let split =
            |parts: Vec<String>| if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
        let roles = known.messages.iter().filter(|(_, count)| *count > 0);
        let roles = split(roles.map(|(role, count)| format!("{} {count}", role.word())).collect());
        let types = known.entities.iter().filter(|(_, count)| *count > 0);
        let types = split(types.map(|(kind, count)| format!("{} {count}", kind.word())).collect());
        let mut text = format!(
            "Conversations  {} {} of {}{}\n",
            ui::bar(self.style, queue.count, queue.capacity, BAR),
            queue.count,
            queue.capacity,
            if queue.at_capacity { "; the next one evicts the oldest" } else { "" }
        );
        text.push_str(&format!("Active         {}\n", known.active.as_deref().unwrap_or("-")));
        text.push_str(&format!("Pinned         {}\n", known.pinned));
        text.push_str(&format!("Messages       {messages}{roles} ({})\n", ui::size(known.bytes as u64)));
        text.push_str(&format!("Entities       {entities}{types}\n"));
        text.push_str(&format!("Patterns       {}\n", known.patterns));
        let when = last.map(|last| format!("; last {}, {}", last.conversation_id, self.ago(last.timestamp)));
        text.push_str(&format!("Evictions      {}{}\n", known.evictions, when.unwrap_or_default()));
        Report::done(data, text)
    }
}

fn evicted_json(one: &Evicted) -> Value {
    json!({
        "conversation_id": one.conversation_id,
        "event_type": one.event_type,
        "timestamp": time(one.timestamp),
        "details": one.details,
    })
}

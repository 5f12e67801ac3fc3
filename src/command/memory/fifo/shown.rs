//! The answers of `memory fifo`, as JSON and as text.

use std::fmt::Display;

use serde_json::{Map, Value, json};

use crate::command::memory::table_or;
use crate::memory::fifo::sqlite::{ConversationHit, EntityStatistics, Eviction, Statistics};
use crate::memory::fifo::{Conversation, Mention, Message, Queue};
use crate::memory::json::seconds;
use crate::report::Report;
use crate::skill::printable;
use crate::terminal::ui::{self, Style};

const BAR: usize = 20;

/// How answers are displayed, and at which time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Screen {
    pub(super) style: Style,
    pub(super) now: i64,
}

impl Screen {
    fn ago(self, then: i64) -> String {
        ui::ago(self.now, then)
    }

    pub(super) fn redactions(self, count: usize) -> String {
        match count {
            0 => String::new(),
            count => format!("{} {} redacted.\n", self.style.mark(), ui::count(count, "credential")),
        }
    }

    /// A list of conversations, with further data of the answer.
    pub(super) fn conversations(self, mut data: Value, list: &[Conversation], none: &str) -> Report {
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

    pub(super) fn conversation(self, one: &Conversation, said: &[Message], named: &[Mention]) -> Report {
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
    pub(super) fn mentions(self, id: Option<&str>, found: &[(Mention, bool)]) -> Report {
        let entity = |(one, is_new): &(Mention, bool)| json!({ "type": one.kind, "name": one.name, "relevance_score": one.relevance_score, "new": is_new });
        let data = json!({ "conversation_id": id, "entities": found.iter().map(entity).collect::<Vec<_>>() });
        let headings = ["TYPE", "NAME", "RELEVANCE", ""];
        let text = table_or("No entities.", self.style, &headings, found, |(one, is_new)| {
            let new = if *is_new && id.is_some() { "new" } else { "" };
            row![one.kind, one.name, format!("{:.1}", one.relevance_score), new]
        });
        Report::done(data, text)
    }

    pub(super) fn found(self, typed: &str, found: &[ConversationHit]) -> Report {
        let data = json!({ "query": crate::memory::fifo::Text::of(typed).as_str(), "results": found });
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

    pub(super) fn entities(self, known: &[EntityStatistics]) -> Report {
        let headings = ["TYPE", "NAME", "CONVERSATIONS", "EVICTED", "EVER", "LAST NAMED"];
        let text = table_or("No entities yet.", self.style, &headings, known, |one| {
            let EntityStatistics { conversation_count, pattern_count, access_count, .. } = one;
            let last = self.ago(one.last_accessed);
            row![one.entity_type, one.entity_name, conversation_count, pattern_count, access_count, last]
        });
        Report::done(json!({ "entities": known }), text)
    }

    pub(super) fn evictions(self, log: &[Eviction]) -> Report {
        let row = |one: &Eviction| row![one.conversation_id, self.ago(one.timestamp), one.details];
        let headings = ["CONVERSATION", "EVICTED", "REASON"];
        Report::done(json!({ "evictions": log }), table_or("No evictions yet.", self.style, &headings, log, row))
    }

    /// How full the queue is, and the counts of its contents.
    pub(super) fn statistics(self, queue: Queue, known: &Statistics, last: Option<&Eviction>) -> Report {
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
fn split<T: Display>(counts: &[(T, usize)]) -> (usize, Map<String, Value>, String) {
    let all = counts.iter().map(|(what, count)| (what.to_string(), json!(count))).collect();
    let some = counts.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what} {count}"));
    let words = some.collect::<Vec<_>>().join(", ");
    let words = if words.is_empty() { words } else { format!(": {words}") };
    (counts.iter().map(|(_, count)| count).sum(), all, words)
}

//! The answers of `memory fifo`, as JSON and as text.

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
        vec![
            one.conversation_id.clone(),
            one.title.clone(),
            one.message_count.to_string(),
            self.ago(one.created_at),
            state.into(),
        ]
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
            vec![one.kind.to_string(), one.name.clone(), format!("{:.1}", one.relevance_score), new.into()]
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
            let counts = [one.conversation_count, one.pattern_count, one.access_count].map(|count| count.to_string());
            let mut row = vec![one.entity_type.to_string(), one.entity_name.clone()];
            row.extend(counts);
            row.push(self.ago(one.last_accessed));
            row
        });
        Report::done(json!({ "entities": known }), text)
    }

    pub(super) fn evictions(self, log: &[Eviction]) -> Report {
        let row = |one: &Eviction| vec![one.conversation_id.clone(), self.ago(one.timestamp), one.details.clone()];
        let headings = ["CONVERSATION", "EVICTED", "REASON"];
        Report::done(json!({ "evictions": log }), table_or("No evictions yet.", self.style, &headings, log, row))
    }

    /// How full the queue is, and the counts of its contents.
    pub(super) fn statistics(self, queue: Queue, known: &Statistics, last: Option<&Eviction>) -> Report {
        let messages: usize = known.messages.iter().map(|(_, count)| count).sum();
        let entities: usize = known.entities.iter().map(|(_, count)| count).sum();
        let by_role: Map<String, Value> =
            known.messages.iter().map(|(role, count)| (role.to_string(), json!(count))).collect();
        let by_type: Map<String, Value> =
            known.entities.iter().map(|(kind, count)| (kind.to_string(), json!(count))).collect();
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

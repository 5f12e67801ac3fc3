//! Sessions and entries as answers: JSON for scripts, tables for people.

use serde_json::{Value, json};

use crate::command::memory::{table, table_or};
use crate::memory::json::millis;
use crate::memory::stm::{Entry, Session};
use crate::skill::printable::beginning;
use crate::terminal::ui::{self, Style};

const PREVIEW: usize = 60;

/// An entry with the fields of STM-1, named in the style of the other answers.
pub(super) fn entry_json(entry: &Entry) -> Value {
    let head = &entry.head;
    json!({
        "id": head.id,
        "tier": "STM",
        "category": head.category.word(),
        "actor": head.actor,
        "embodiment": entry.key.embodiment,
        "session_id": entry.key.id,
        "content": entry.content,
        "metadata": {
            "created_at": millis(head.created_at),
            "expires_at": millis(head.expires_at),
            "priority": head.priority.word(),
            "volatile": true,
        },
        "tags": head.tags,
    })
}

pub(super) fn session_json(session: &Session, now: i64) -> Value {
    json!({
        "session_id": session.key.id,
        "embodiment": session.key.embodiment,
        "actor": session.actor,
        "run_id": session.run_id,
        "state": state(session),
        "opened_at": millis(session.opened_at),
        "active_at": millis(session.active_at),
        "ended_at": session.ended_at.map(millis),
        "purge_after": session.purge_after().map(millis),
        "duration_ms": session.duration(now),
        "entries": session.entries,
        "bytes": session.bytes,
        "recalls": session.recalls,
        "expired": session.expired,
        "pruned": session.pruned,
    })
}

fn state(session: &Session) -> &'static str {
    if session.is_open() { "open" } else { "ended" }
}

pub(super) fn sessions_text(style: Style, sessions: &[Session], now: i64) -> String {
    let row = |session: &Session| {
        let state = match session.ended_at {
            None => "open".to_owned(),
            Some(ended) => format!("ended {}", ui::ago(now, ended)),
        };
        let Session { key, actor, opened_at, entries, bytes, .. } = session;
        row![key.id, key.embodiment, actor, ui::ago(now, *opened_at), state, entries, ui::size(*bytes)]
    };
    let headings = ["SESSION", "EMBODIMENT", "ACTOR", "OPENED", "STATE", "ENTRIES", "SIZE"];
    table_or("No sessions.", style, &headings, sessions, row)
}

pub(super) fn entries_text(style: Style, entries: &[Entry], now: i64) -> String {
    let row = |entry: &Entry| {
        let head = &entry.head;
        let gone = if head.expires_at <= now { " (expired)" } else { "" };
        let stored = format!("{}{gone}", ui::ago(now, head.created_at));
        row![head.id, head.category, head.priority, head.actor, stored, preview(&entry.content)]
    };
    table(style, &["ID", "CATEGORY", "PRIORITY", "ACTOR", "STORED", "CONTENT"], entries, row)
}

/// An entry on one line, for `tail`.
pub(super) fn line(style: Style, entry: &Entry) -> String {
    let head = &entry.head;
    format!(
        "{}  {:<15}  {:<6}  {:<8}  {}",
        style.dim(&millis(head.created_at)),
        head.category.word(),
        head.priority.word(),
        crate::skill::printable(&head.actor),
        crate::skill::printable(&preview(&entry.content)).replace(['\n', '\t'], " ")
    )
}

fn preview(content: &Value) -> String {
    beginning(&content.to_string(), PREVIEW)
}

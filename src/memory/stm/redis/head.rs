//! The format of an entry on Redis: its head as JSON in the session's hash, its content as JSON with its session.

use serde_json::{Value, json};

use crate::memory::stm::Head;

pub(super) fn written(head: &Head) -> String {
    json!(head).to_string()
}

pub(super) fn read(id: String, text: &str) -> Option<Head> {
    Some(Head { id, ..serde_json::from_str(text).ok()? })
}

/// The stored form of a content, with the name of its session.
pub(super) fn stored(session: &str, content: &Value) -> String {
    json!([session, content]).to_string()
}

/// Reads a stored content.
pub(super) fn content(text: &str) -> Option<Value> {
    serde_json::from_str::<(String, Value)>(text).ok().map(|(_, content)| content)
}

/// Reads the session of a stored content.
pub(super) fn session(text: &str) -> Option<String> {
    serde_json::from_str::<(String, Value)>(text).ok().map(|(session, _)| session)
}

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

/// Reads a stored content, after the name of its session.
pub(super) fn parsed(text: &str) -> Option<(String, Value)> {
    serde_json::from_str(text).ok()
}

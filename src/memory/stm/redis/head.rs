//! The format of an entry on Redis: its head as JSON in the session's hash, its content as JSON with its session.

use serde_json::{Value, json};

use crate::memory::stm::{Category, Head, Priority};

/// The stored form of a head.
pub(super) fn written(head: &Head) -> String {
    json!({
        "seq": head.seq,
        "category": head.category.word(),
        "actor": head.actor,
        "priority": head.priority.word(),
        "created_at": head.created_at,
        "expires_at": head.expires_at,
        "tags": head.tags,
        "bytes": head.bytes,
    })
    .to_string()
}

/// Reads a stored head; none if it is invalid.
pub(super) fn read(id: String, text: &str) -> Option<Head> {
    let value: Value = serde_json::from_str(text).ok()?;
    let category: Category = value["category"].as_str()?.parse().ok()?;
    let priority: Priority = value["priority"].as_str()?.parse().ok()?;
    Some(Head {
        id,
        seq: value["seq"].as_u64()?,
        category,
        actor: value["actor"].as_str()?.to_owned(),
        priority,
        created_at: value["created_at"].as_i64()?,
        expires_at: value["expires_at"].as_i64()?,
        tags: serde_json::from_value(value["tags"].clone()).ok()?,
        bytes: value["bytes"].as_u64()?,
    })
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

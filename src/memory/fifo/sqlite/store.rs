//! Storing conversations and messages, and changing them.

use rusqlite::types::ToSqlOutput;
use rusqlite::{OptionalExtension, Transaction, params, params_from_iter};

use super::compact;
use super::evict::make_room;
use super::read::{exists, known};
use crate::memory::fifo::{Conversation, FifoError, NewConversation, Role, Text};
use crate::memory::sql;

/// How many messages are written with one statement.
const AT_ONCE: usize = 8;

/// A stored conversation, and those evicted for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    pub conversation: Conversation,
    /// The ids of the conversations that were evicted, oldest first.
    pub evicted: Vec<String>,
}

/// Changes to a conversation; `None` changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    pub title: Option<Text>,
    pub summary: Option<Text>,
    /// All of the new tags.
    pub tags: Option<Vec<Text>>,
}

/// Stores a conversation; if the queue is full, the oldest unneeded one is evicted first.
/// It runs in the caller's transaction, which must be rolled back on an error.
/// Errors: [`FifoError::DuplicateId`] or [`FifoError::Full`] inside, or the database cannot be written.
pub fn add_conversation(
    tx: &Transaction<'_>,
    new: &NewConversation,
    capacity: usize,
    now: i64,
) -> anyhow::Result<Added> {
    let evicted = insert_conversation(tx, new, capacity, now)?;
    Ok(Added { conversation: known(tx, &new.conversation_id)?, evicted })
}

/// [`add_conversation`] without reading it back. Returns the evicted ids.
pub(super) fn insert_conversation(
    tx: &Transaction<'_>,
    new: &NewConversation,
    capacity: usize,
    now: i64,
) -> anyhow::Result<Vec<String>> {
    let id = new.conversation_id.as_str();
    if exists(tx, id)? {
        return Err(FifoError::DuplicateId(id.to_owned()).into());
    }
    let evicted = make_room(tx, capacity, now)?;
    if new.is_active {
        deactivate(tx, now)?;
    }
    let tags = json(&new.tags);
    sql::execute(tx, "INSERT INTO conversations(conversation_id, title, created_at, updated_at, is_active, pinned_by_run, summary, tags)
         VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)", params![
        id,
        new.title.as_str(),
        now,
        new.is_active,
        new.pinned_by_run,
        new.summary.as_ref().map(Text::as_str),
        tags
    ])?;
    if !new.messages.is_empty() {
        append_messages(tx, id, &new.messages, now)?;
    }
    Ok(evicted)
}

/// Appends messages to a conversation, in the caller's transaction.
/// Errors: [`FifoError::NoSuchConversation`] inside, or the database cannot be written.
pub fn append_messages(tx: &Transaction<'_>, id: &str, messages: &[(Role, Text)], now: i64) -> anyhow::Result<()> {
    append(tx, id, &messages.iter().map(|(role, text)| (*role, text, now)).collect::<Vec<_>>())
}

/// [`append_messages`] with a time for each (milliseconds UTC).
pub(super) fn append(tx: &Transaction<'_>, id: &str, messages: &[(Role, &Text, i64)]) -> anyhow::Result<()> {
    let counted = sql::execute(
        tx,
        "UPDATE conversations SET message_count = message_count + ?2, updated_at = max(updated_at, ?3)
             WHERE conversation_id = ?1",
        params![id, super::small(messages.len()), messages.iter().map(|one| one.2).max()],
    )?;
    if counted == 0 {
        return Err(FifoError::NoSuchConversation(id.to_owned()).into());
    }
    // Each statement flushes both indexes, so several messages share one.
    for some in messages.chunks(AT_ONCE) {
        let rows = vec!["(?, ?, ?, ?)"; some.len()].join(", ");
        let sql = format!("INSERT INTO messages(conversation_id, role, content, timestamp) VALUES {rows}");
        let values = some.iter().flat_map(|(role, text, at)| {
            [ToSqlOutput::from(id), role.word().into(), text.as_str().into(), (*at).into()]
        });
        sql::execute(tx, &sql, params_from_iter(values))?;
    }
    Ok(())
}

pub(super) fn update(tx: &Transaction<'_>, id: &str, update: &Update, now: i64) -> anyhow::Result<Conversation> {
    let changed = tx.execute(
        "UPDATE conversations SET title = coalesce(?2, title), summary = coalesce(?3, summary),
           tags = coalesce(?4, tags), updated_at = max(updated_at, ?5)
         WHERE conversation_id = ?1",
        params![
            id,
            update.title.as_ref().map(Text::as_str),
            update.summary.as_ref().map(Text::as_str),
            update.tags.as_deref().map(json),
            now
        ],
    )?;
    if changed == 0 {
        return Err(FifoError::NoSuchConversation(id.to_owned()).into());
    }
    compact(tx)?;
    known(tx, id)
}

pub(super) fn activate(tx: &Transaction<'_>, id: &str, now: i64) -> anyhow::Result<(Conversation, Option<String>)> {
    known(tx, id)?;
    let before: Option<String> = tx
        .query_row("SELECT conversation_id FROM conversations WHERE is_active = 1", [], |row| row.get(0))
        .optional()?;
    if before.as_deref() == Some(id) {
        return Ok((known(tx, id)?, None));
    }
    deactivate(tx, now)?;
    tx.execute(
        "UPDATE conversations SET is_active = 1, updated_at = max(updated_at, ?2) WHERE conversation_id = ?1",
        params![id, now],
    )?;
    Ok((known(tx, id)?, before))
}

/// After this no conversation is active.
fn deactivate(tx: &Transaction<'_>, now: i64) -> anyhow::Result<()> {
    sql::execute(
        tx,
        "UPDATE conversations SET is_active = 0, updated_at = max(updated_at, ?1) WHERE is_active = 1",
        [now],
    )?;
    Ok(())
}

pub(super) fn delete(tx: &Transaction<'_>, id: &str) -> anyhow::Result<bool> {
    tx.execute(
        "DELETE FROM entities WHERE access_count <= 1
           AND id IN (SELECT entity_id FROM conversation_entities WHERE conversation_id = ?1)",
        [id],
    )?;
    let deleted = tx.execute("DELETE FROM conversations WHERE conversation_id = ?1", [id])?;
    compact(tx)?;
    Ok(deleted > 0)
}

fn json(tags: &[Text]) -> String {
    tags.iter().map(Text::as_str).map(serde_json::Value::from).collect::<serde_json::Value>().to_string()
}

//! Storing conversations and messages, and changing them; and the conversation of a run, in the transactions of its
//! phases.

use rusqlite::{Transaction, params, params_from_iter};

use super::compact;
use super::entities::{extract_entities, make_room};
use super::search::{exists, known};
use crate::memory::fifo::{Conversation, FifoError, NewConversation, Role, Text};
use crate::memory::run::RunTx;
use crate::memory::{Memory, sql};

const AT_ONCE: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    pub conversation: Conversation,
    pub evicted: Vec<String>,
}

/// Changes to a conversation; `None` changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    pub title: Option<Text>,
    pub summary: Option<Text>,
    pub tags: Option<Vec<Text>>,
}

impl Memory {
    /// Stores a conversation and extracts its entities; if the queue is full, the oldest unneeded one is evicted first.
    pub fn add_conversation(&mut self, new: &NewConversation, capacity: usize, now: i64) -> anyhow::Result<Added> {
        self.write(|tx| {
            let evicted = insert_conversation(tx, new, capacity, now)?;
            extract_entities(tx, &new.conversation_id, now)?;
            Ok(Added { conversation: known(tx, &new.conversation_id)?, evicted })
        })
    }

    /// Appends messages to a conversation; its entities are extracted again.
    pub fn append_messages(&mut self, id: &str, messages: &[(Role, Text)], now: i64) -> anyhow::Result<Conversation> {
        self.write(|tx| {
            append(tx, id, &at_once(messages, now))?;
            extract_entities(tx, id, now)?;
            known(tx, id)
        })
    }

    pub fn update_conversation(&mut self, id: &str, update: &Update, now: i64) -> anyhow::Result<Conversation> {
        let sql = "UPDATE conversations SET title = coalesce(?2, title), summary = coalesce(?3, summary),
                            tags = coalesce(?4, tags), updated_at = max(updated_at, ?5)
                          WHERE conversation_id = ?1";
        let (title, summary) = (update.title.as_ref().map(Text::as_str), update.summary.as_ref().map(Text::as_str));
        let tags = update.tags.as_deref().map(json);
        self.write(|tx| {
            if tx.execute(sql, params![id, title, summary, tags, now])? == 0 {
                return Err(FifoError::NoSuchConversation(id.to_owned()).into());
            }
            compact(tx)?;
            known(tx, id)
        })
    }

    /// Makes one the active conversation. Returns it, and the one that was active before, if another was.
    pub fn activate_conversation(&mut self, id: &str, now: i64) -> anyhow::Result<(Conversation, Option<String>)> {
        self.write(|tx| activate(tx, id, now))
    }

    /// Deletes a conversation, its messages, and the entities that no other conversation ever named. `false` where
    /// there was none.
    pub fn delete_conversation(&mut self, id: &str) -> anyhow::Result<bool> {
        let only_it_named = "DELETE FROM entities WHERE access_count <= 1
                               AND id IN (SELECT entity_id FROM conversation_entities WHERE conversation_id = ?1)";
        self.write(|tx| {
            tx.execute(only_it_named, [id])?;
            let deleted = tx.execute("DELETE FROM conversations WHERE conversation_id = ?1", [id])?;
            compact(tx)?;
            Ok(deleted > 0)
        })
    }
}

/// Stores a conversation in the caller's transaction, which must be rolled back on an error. Returns the evicted ids.
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
    let insert = "INSERT INTO conversations(conversation_id, title, created_at, updated_at, is_active, pinned_by_run,
                    summary, tags) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)";
    let (title, summary, tags) = (new.title.as_str(), new.summary.as_ref().map(Text::as_str), json(&new.tags));
    sql::run(tx, insert, params![id, title, now, new.is_active, new.pinned_by_run, summary, tags])?;
    if !new.messages.is_empty() {
        append(tx, id, &at_once(&new.messages, now))?;
    }
    Ok(evicted)
}

fn at_once(messages: &[(Role, Text)], now: i64) -> Vec<(Role, &Text, i64)> {
    messages.iter().map(|(role, text)| (*role, text, now)).collect()
}

/// Appends messages, each with its time (milliseconds UTC), in the caller's transaction.
pub(super) fn append(tx: &Transaction<'_>, id: &str, messages: &[(Role, &Text, i64)]) -> anyhow::Result<()> {
    let count = "UPDATE conversations SET message_count = message_count + ?2, updated_at = max(updated_at, ?3)
                 WHERE conversation_id = ?1";
    let newest = messages.iter().map(|one| one.2).max();
    if sql::execute(tx, count, params![id, i64::try_from(messages.len())?, newest])? == 0 {
        return Err(FifoError::NoSuchConversation(id.to_owned()).into());
    }
    // Each statement flushes both indexes, so several messages share one.
    for some in messages.chunks(AT_ONCE) {
        let rows = vec!["(?, ?, ?, ?)"; some.len()].join(", ");
        let sql = format!("INSERT INTO messages(conversation_id, role, content, timestamp) VALUES {rows}");
        let values = some.iter().flat_map(|(role, text, at)| {
            [rusqlite::types::ToSqlOutput::from(id), role.word().into(), text.as_str().into(), (*at).into()]
        });
        sql::run(tx, &sql, params_from_iter(values))?;
    }
    Ok(())
}

pub(super) fn activate(tx: &Transaction<'_>, id: &str, now: i64) -> anyhow::Result<(Conversation, Option<String>)> {
    known(tx, id)?;
    let active = "SELECT conversation_id FROM conversations WHERE is_active = 1";
    let before: Option<String> = sql::value(tx, active, [])?;
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

fn deactivate(tx: &Transaction<'_>, now: i64) -> anyhow::Result<()> {
    let sql = "UPDATE conversations SET is_active = 0, updated_at = max(updated_at, ?1) WHERE is_active = 1";
    sql::run(tx, sql, [now])
}

fn json(tags: &[Text]) -> String {
    tags.iter().map(Text::as_str).map(serde_json::Value::from).collect::<serde_json::Value>().to_string()
}

pub fn id_of(run: &str) -> String {
    format!("run_{run}")
}

/// Opens or reopens the conversation of a run: it becomes the active one and is kept until the run has ended.
pub(in crate::memory) fn open_conversation(at: RunTx<'_>, title: &str) -> anyhow::Result<()> {
    let id = id_of(at.run);
    if exists(at.tx, &id)? {
        activate(at.tx, &id, at.now)?;
        let pin = "UPDATE conversations SET pinned_by_run = ?2 WHERE conversation_id = ?1";
        return sql::run(at.tx, pin, [id.as_str(), at.run]);
    }
    let mut new = NewConversation::new(&id, title)?;
    (new.is_active, new.pinned_by_run) = (true, Some(at.run.to_owned()));
    insert_conversation(at.tx, &new, at.bounds.conversations, at.now).map(drop)
}

impl Memory {
    pub fn has_conversation(&self, run: &str) -> anyhow::Result<bool> {
        exists(&self.db, &id_of(run))
    }
}

/// A message and its time (milliseconds UTC).
pub type SaidMessage = (Role, Text, i64);

/// Appends messages to a conversation. `false` if it was deleted meanwhile.
pub(in crate::memory) fn say(tx: &Transaction<'_>, id: &str, said: &[SaidMessage]) -> anyhow::Result<bool> {
    let said: Vec<(Role, &Text, i64)> = said.iter().map(|(role, text, at)| (*role, text, *at)).collect();
    match append(tx, id, &said) {
        Err(error) if matches!(error.downcast_ref(), Some(FifoError::NoSuchConversation(_))) => Ok(false),
        done => done.map(|()| true),
    }
}

/// Closes the conversation of a run: its summary is kept, its entities are extracted, it is neither active nor pinned
/// any more, and conversations beyond the capacity are evicted, patterns first, as far as allowed.
pub(in crate::memory) fn close_conversation(at: RunTx<'_>, summary: &str) -> anyhow::Result<()> {
    let id = id_of(at.run);
    let close = "UPDATE conversations SET summary = ?2, is_active = 0, pinned_by_run = NULL,
                   updated_at = max(updated_at, ?3) WHERE conversation_id = ?1";
    sql::run(at.tx, close, params![id, Text::of(summary).as_str(), at.now])?;
    extract_entities(at.tx, &id, at.now)?;
    match make_room(at.tx, at.bounds.conversations.saturating_add(1), at.now) {
        Err(error) if matches!(error.downcast_ref(), Some(FifoError::Full { .. })) => Ok(()),
        done => done.map(drop),
    }
}

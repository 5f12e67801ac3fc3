//! A run's own conversation: opened, appended to and closed in the transactions of its phases.

use rusqlite::{Transaction, params};

use super::entities::extract_entities;
use super::evict::shrink;
use super::store::{append, insert_conversation};
use crate::memory::fifo::{FifoError, NewConversation, Role, Text};
use crate::memory::{Memory, sql};

pub fn id_of(run: &str) -> String {
    format!("run_{run}")
}

/// Opens or reopens the conversation of a run: it becomes the active one and is kept until the run has ended.
/// Returns its id and the evicted ids. Errors: [`crate::memory::fifo::FifoError::Full`] inside when nothing may
/// be evicted, or the database cannot be written.
pub(in crate::memory) fn open_conversation(
    tx: &Transaction<'_>,
    run: &str,
    title: &str,
    capacity: usize,
    now: i64,
) -> anyhow::Result<(String, Vec<String>)> {
    let id = id_of(run);
    if super::exists(tx, &id)? {
        super::store::activate(tx, &id, now)?;
        let pin = "UPDATE conversations SET pinned_by_run = ?2 WHERE conversation_id = ?1";
        sql::run(tx, pin, [id.as_str(), run])?;
        return Ok((id, Vec::new()));
    }
    let mut new = NewConversation::new(&id, title)?;
    (new.is_active, new.pinned_by_run) = (true, Some(run.to_owned()));
    let evicted = insert_conversation(tx, &new, capacity, now)?;
    Ok((id, evicted))
}

impl Memory {
    pub fn has_conversation(&self, run: &str) -> anyhow::Result<bool> {
        super::exists(&self.db, &id_of(run))
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

/// Closes a conversation: its summary is kept, its entities are extracted, it is neither active nor pinned any more,
/// and conversations beyond the capacity are evicted, patterns first. Returns the evicted ids.
pub(in crate::memory) fn close_conversation(
    tx: &Transaction<'_>,
    id: &str,
    summary: &str,
    capacity: usize,
    now: i64,
) -> anyhow::Result<Vec<String>> {
    let close = "UPDATE conversations SET summary = ?2, is_active = 0, pinned_by_run = NULL,
                   updated_at = max(updated_at, ?3) WHERE conversation_id = ?1";
    sql::run(tx, close, params![id, Text::of(summary).as_str(), now])?;
    extract_entities(tx, id, now)?;
    shrink(tx, capacity, now)
}

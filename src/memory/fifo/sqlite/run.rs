//! A run's own conversation: opened, appended to and closed in the transactions of its phases.

use rusqlite::{Transaction, params};

use super::entities::extract_entities;
use super::evict::make_room;
use super::store::{append, insert_conversation};
use crate::memory::fifo::{FifoError, NewConversation, Role, Text};
use crate::memory::run::RunTx;
use crate::memory::{Memory, sql};

pub fn id_of(run: &str) -> String {
    format!("run_{run}")
}

/// Opens or reopens the conversation of a run: it becomes the active one and is kept until the run has ended.
pub(in crate::memory) fn open_conversation(at: RunTx<'_>, title: &str) -> anyhow::Result<()> {
    let id = id_of(at.run);
    if super::exists(at.tx, &id)? {
        super::store::activate(at.tx, &id, at.now)?;
        let pin = "UPDATE conversations SET pinned_by_run = ?2 WHERE conversation_id = ?1";
        return sql::run(at.tx, pin, [id.as_str(), at.run]);
    }
    let mut new = NewConversation::new(&id, title)?;
    (new.is_active, new.pinned_by_run) = (true, Some(at.run.to_owned()));
    insert_conversation(at.tx, &new, at.bounds.conversations, at.now).map(drop)
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

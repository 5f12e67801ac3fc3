//! Reading the queue. Every list has a deterministic order.

use rusqlite::{Connection, Params, Row};

use super::number;
use crate::memory::fifo::{Conversation, EntityType, FifoError, Message, Role};
use crate::memory::{Memory, sql};

/// The columns of a conversation `c`, as [`conversation_of`] reads them. A pin of an ended run does not count.
const COLUMNS: &str = "c.id, c.conversation_id, c.title, c.created_at, c.updated_at, c.message_count, \
    c.is_active, (SELECT r.run_id FROM runs r WHERE r.run_id = c.pinned_by_run AND r.status IN ('running', 'paused')), \
    c.summary, c.tags";

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Eviction {
    pub conversation_id: String,
    /// Always `conversation_evicted`.
    pub event_type: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub timestamp: i64,
    /// Why, and what was kept.
    pub details: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    pub conversations: usize,
    pub pinned: usize,
    pub active: Option<String>,
    pub span: Option<(i64, i64)>,
    pub messages: Vec<(Role, usize)>,
    pub bytes: usize,
    pub entities: Vec<(EntityType, usize)>,
    pub patterns: usize,
    pub evictions: usize,
}

fn conversation_of(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    columns!(row => Conversation {
        id, conversation_id, title, created_at, updated_at, message_count: sql::count, is_active, pinned_by_run,
        summary, tags: sql::json,
    })
}

impl Memory {
    pub fn conversation(&self, id: &str) -> anyhow::Result<Option<Conversation>> {
        conversation(&self.db, id)
    }

    pub fn recent_conversations(&self, limit: usize) -> anyhow::Result<Vec<Conversation>> {
        self.conversations_that("1 ORDER BY c.created_at DESC, c.id DESC LIMIT ?1", [sql::limit(limit)])
    }

    /// The conversations stored between two instants, both included, newest first.
    pub fn conversations_between(&self, from: i64, to: i64) -> anyhow::Result<Vec<Conversation>> {
        self.conversations_that("c.created_at BETWEEN ?1 AND ?2 ORDER BY c.created_at DESC, c.id DESC", [from, to])
    }

    pub(super) fn conversations_that(&self, fits: &str, values: impl Params) -> anyhow::Result<Vec<Conversation>> {
        sql::all(&self.db, &format!("SELECT {COLUMNS} FROM conversations c WHERE {fits}"), values, conversation_of)
    }

    pub fn messages(&self, id: &str) -> anyhow::Result<Vec<Message>> {
        messages(&self.db, id)
    }

    pub fn evictions(&self, limit: usize) -> anyhow::Result<Vec<Eviction>> {
        let sql = "SELECT conversation_id, event_type, timestamp, details FROM eviction_log ORDER BY id DESC LIMIT ?1";
        let read = |row: &Row<'_>| columns!(row => Eviction { conversation_id, event_type, timestamp, details });
        sql::all(&self.db, sql, [sql::limit(limit)], read)
    }

    pub fn fifo_statistics(&self) -> anyhow::Result<Statistics> {
        let db = &self.db;
        let span = "SELECT min(created_at), max(created_at) FROM conversations";
        let (oldest, newest): (Option<i64>, Option<i64>) =
            db.query_row(span, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let by = |sql: &str, word: &str| -> anyhow::Result<usize> {
            let count: i64 = db.query_row(sql, [word], |row| row.get(0))?;
            Ok(usize::try_from(count)?)
        };
        let roles = Role::ALL.iter();
        let messages = roles.map(|role| Ok((*role, by("SELECT count(*) FROM messages WHERE role = ?1", role.word())?)));
        let kinds = EntityType::ALL.iter();
        let entities =
            kinds.map(|kind| Ok((*kind, by("SELECT count(*) FROM entities WHERE entity_type = ?1", kind.word())?)));
        let active = "SELECT conversation_id FROM conversations WHERE is_active = 1";
        let pinned = "SELECT count(*) FROM conversations c JOIN runs r ON r.run_id = c.pinned_by_run
                      WHERE r.status IN ('running', 'paused')";
        Ok(Statistics {
            conversations: number(db, "SELECT count(*) FROM conversations")?,
            pinned: number(db, pinned)?,
            active: sql::value(db, active, [])?,
            span: oldest.zip(newest),
            messages: messages.collect::<anyhow::Result<_>>()?,
            bytes: number(db, "SELECT coalesce(sum(length(CAST(content AS BLOB))), 0) FROM messages")?,
            entities: entities.collect::<anyhow::Result<_>>()?,
            patterns: number(db, "SELECT count(*) FROM patterns")?,
            evictions: number(db, "SELECT coalesce(max(id), 0) FROM eviction_log")?,
        })
    }
}

fn conversation(db: &Connection, id: &str) -> anyhow::Result<Option<Conversation>> {
    let sql = format!("SELECT {COLUMNS} FROM conversations c WHERE c.conversation_id = ?1");
    sql::one(db, &sql, [id], conversation_of)
}

pub(in crate::memory) fn exists(db: &Connection, id: &str) -> anyhow::Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM conversations WHERE conversation_id = ?1")?.exists([id])?)
}

pub(super) fn numbered(db: &Connection, row: i64) -> anyhow::Result<Conversation> {
    let sql = format!("SELECT {COLUMNS} FROM conversations c WHERE c.id = ?1");
    Ok(db.prepare_cached(&sql)?.query_row([row], conversation_of)?)
}

pub(super) fn known(db: &Connection, id: &str) -> anyhow::Result<Conversation> {
    conversation(db, id)?.ok_or_else(|| FifoError::NoSuchConversation(id.to_owned()).into())
}

pub(super) fn messages(db: &Connection, id: &str) -> anyhow::Result<Vec<Message>> {
    let sql = "SELECT role, content, timestamp FROM messages WHERE conversation_id = ?1 ORDER BY id";
    sql::all(db, sql, [id], |row| columns!(row => Message { role, content, timestamp }))
}

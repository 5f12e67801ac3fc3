//! Reading the queue. Every list has a deterministic order.

use rusqlite::{Connection, Row};

use super::{number, small};
use crate::memory::fifo::{Conversation, EntityType, FifoError, Message, Role};
use crate::memory::sql;

/// The columns of a conversation `c`, as [`conversation_of`] reads them. A pin of an ended run does not count.
pub(super) const COLUMNS: &str = "c.id, c.conversation_id, c.title, c.created_at, c.updated_at, c.message_count, \
    c.is_active, (SELECT r.run_id FROM runs r WHERE r.run_id = c.pinned_by_run AND r.status IN ('running', 'paused')), \
    c.summary, c.tags";

/// One line of the eviction log.
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

/// How much of everything there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    pub conversations: usize,
    /// How many are needed by unfinished runs.
    pub pinned: usize,
    pub active: Option<String>,
    /// When the oldest and the newest were stored.
    pub span: Option<(i64, i64)>,
    pub messages: Vec<(Role, usize)>,
    pub bytes: usize,
    pub entities: Vec<(EntityType, usize)>,
    pub patterns: usize,
    pub evictions: usize,
}

pub(super) fn conversation_of(row: &Row<'_>) -> rusqlite::Result<Conversation> {
    columns!(row => Conversation {
        id, conversation_id, title, created_at, updated_at, message_count: sql::count, is_active, pinned_by_run,
        summary, tags: sql::json,
    })
}

pub fn conversation(db: &Connection, id: &str) -> anyhow::Result<Option<Conversation>> {
    let sql = format!("SELECT {COLUMNS} FROM conversations c WHERE c.conversation_id = ?1");
    sql::one(db, &sql, [id], conversation_of)
}

/// Whether a conversation with this id exists.
pub fn exists(db: &Connection, id: &str) -> anyhow::Result<bool> {
    Ok(db.prepare_cached("SELECT 1 FROM conversations WHERE conversation_id = ?1")?.exists([id])?)
}

pub(super) fn numbered(db: &Connection, row: i64) -> anyhow::Result<Conversation> {
    let sql = format!("SELECT {COLUMNS} FROM conversations c WHERE c.id = ?1");
    Ok(db.prepare_cached(&sql)?.query_row([row], conversation_of)?)
}

/// A conversation that must exist.
pub(super) fn known(db: &Connection, id: &str) -> anyhow::Result<Conversation> {
    conversation(db, id)?.ok_or_else(|| FifoError::NoSuchConversation(id.to_owned()).into())
}

pub(super) fn active(db: &Connection) -> anyhow::Result<Option<Conversation>> {
    let sql = format!("SELECT {COLUMNS} FROM conversations c WHERE c.is_active = 1");
    sql::one(db, &sql, [], conversation_of)
}

/// The newest conversations, newest first.
pub fn recent_conversations(db: &Connection, limit: usize) -> anyhow::Result<Vec<Conversation>> {
    let sql = format!("SELECT {COLUMNS} FROM conversations c ORDER BY c.created_at DESC, c.id DESC LIMIT ?1");
    sql::all(db, &sql, [small(limit)], conversation_of)
}

pub(super) fn between(db: &Connection, from: i64, to: i64) -> anyhow::Result<Vec<Conversation>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM conversations c WHERE c.created_at BETWEEN ?1 AND ?2 ORDER BY c.created_at DESC, c.id DESC"
    );
    sql::all(db, &sql, [from, to], conversation_of)
}

pub(super) fn messages(db: &Connection, id: &str) -> anyhow::Result<Vec<Message>> {
    let sql = "SELECT role, content, timestamp FROM messages WHERE conversation_id = ?1 ORDER BY id";
    sql::all(db, sql, [id], |row| message(row, 0))
}

fn message(row: &Row<'_>, at: usize) -> rusqlite::Result<Message> {
    Ok(Message { role: row.get(at)?, content: row.get(at + 1)?, timestamp: row.get(at + 2)? })
}

pub(super) fn evictions(db: &Connection, limit: usize) -> anyhow::Result<Vec<Eviction>> {
    let sql = "SELECT conversation_id, event_type, timestamp, details FROM eviction_log ORDER BY id DESC LIMIT ?1";
    sql::all(
        db,
        sql,
        [small(limit)],
        |row| columns!(row => Eviction { conversation_id, event_type, timestamp, details }),
    )
}

pub(super) fn statistics(db: &Connection) -> anyhow::Result<Statistics> {
    let span: (Option<i64>, Option<i64>) =
        db.query_row("SELECT min(created_at), max(created_at) FROM conversations", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let by = |sql: &str, word: &str| -> anyhow::Result<usize> {
        let count: i64 = db.query_row(sql, [word], |row| row.get(0))?;
        Ok(usize::try_from(count)?)
    };
    let messages = Role::ALL
        .iter()
        .map(|role| Ok((*role, by("SELECT count(*) FROM messages WHERE role = ?1", role.word())?)))
        .collect::<anyhow::Result<_>>()?;
    let entities = EntityType::ALL
        .iter()
        .map(|kind| Ok((*kind, by("SELECT count(*) FROM entities WHERE entity_type = ?1", kind.word())?)))
        .collect::<anyhow::Result<_>>()?;
    Ok(Statistics {
        conversations: number(db, "SELECT count(*) FROM conversations")?,
        pinned: number(
            db,
            "SELECT count(*) FROM conversations c JOIN runs r ON r.run_id = c.pinned_by_run
             WHERE r.status IN ('running', 'paused')",
        )?,
        active: active(db)?.map(|one| one.conversation_id),
        span: span.0.zip(span.1),
        messages,
        bytes: number(db, "SELECT coalesce(sum(length(CAST(content AS BLOB))), 0) FROM messages")?,
        entities,
        patterns: number(db, "SELECT count(*) FROM patterns")?,
        evictions: number(db, "SELECT coalesce(max(id), 0) FROM eviction_log")?,
    })
}

//! Entities in the database: which conversation names which, how often, and which are kept longer than the
//! conversation.

use rusqlite::{Connection, Transaction, params};

use super::{bound, read};
use crate::memory::fifo::{Conversation, EntityType, Mention, extract};
use crate::memory::{Memory, sql};

/// How many entities are kept that no conversation names any more: those named last.
const ENTITIES_KEPT: usize = 1000;

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct EntityStatistics {
    pub entity_type: EntityType,
    pub entity_name: String,
    /// The path of a file named with its directory; empty otherwise.
    pub file_path: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub first_seen: i64,
    /// When a conversation first named it most recently.
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub last_accessed: i64,
    /// How many conversations ever named it.
    pub access_count: u64,
    /// How many conversations in the queue name it; 0 once they are all evicted.
    pub conversation_count: u64,
    /// How many evicted conversations named it: its long-term pattern.
    pub pattern_count: u64,
}

/// Reads a conversation's entities and links them to it, in the caller's transaction. Each comes with whether it
/// is new to this conversation; repeating it counts nothing twice. An unknown conversation has none.
pub(super) fn extract_entities(tx: &Transaction<'_>, id: &str, now: i64) -> anyhow::Result<Vec<(Mention, bool)>> {
    let sql = "SELECT title, coalesce(summary, '') FROM conversations WHERE conversation_id = ?1";
    let head: Option<(String, String)> = sql::one(tx, sql, [id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let Some((title, summary)) = head else { return Ok(Vec::new()) };
    let said = read::messages(tx, id)?;
    let mut texts = vec![title.as_str()];
    texts.extend(said.iter().map(|message| message.content.as_str()));
    texts.push(&summary);
    let mut linked = Vec::new();
    for mention in extract(&texts) {
        let is_new = link(tx, id, &mention, now)?;
        linked.push((mention, is_new));
    }
    Ok(linked)
}

/// Links an entity to a conversation. Returns whether the link is new.
fn link(tx: &Transaction<'_>, id: &str, mention: &Mention, now: i64) -> anyhow::Result<bool> {
    let (kind, path) = (mention.kind.word(), mention.file_path());
    let known = "SELECT id FROM entities WHERE entity_type = ?1 AND entity_name = ?2 AND file_path = ?3";
    let entity = match sql::value(tx, known, params![kind, mention.name, path])? {
        Some(entity) => entity,
        None => {
            let insert = "INSERT INTO entities(entity_type, entity_name, file_path, first_seen, last_accessed)
                          VALUES (?1, ?2, ?3, ?4, ?4)";
            sql::run(tx, insert, params![kind, mention.name, path, now])?;
            tx.last_insert_rowid()
        }
    };
    let insert = "INSERT INTO conversation_entities(conversation_id, entity_id, relevance_score) VALUES (?1, ?2, ?3)
                  ON CONFLICT DO NOTHING";
    let is_new = sql::execute(tx, insert, params![id, entity, mention.relevance_score])? > 0;
    if is_new {
        let named = "UPDATE entities SET access_count = access_count + 1, last_accessed = max(last_accessed, ?2)
                     WHERE id = ?1";
        sql::run(tx, named, params![entity, now])?;
    } else {
        let surer = "UPDATE conversation_entities SET relevance_score = ?3
                     WHERE conversation_id = ?1 AND entity_id = ?2 AND relevance_score < ?3";
        sql::run(tx, surer, params![id, entity, mention.relevance_score])?;
    }
    Ok(is_new)
}

/// Removes entities that no conversation names any more, beyond the limit.
pub(in crate::memory) fn forget_orphans(tx: &Transaction<'_>) -> anyhow::Result<()> {
    let oldest = "DELETE FROM entities WHERE id IN (
        SELECT id FROM entities e WHERE NOT EXISTS (SELECT 1 FROM conversation_entities l WHERE l.entity_id = e.id)
        ORDER BY last_accessed, access_count, id LIMIT ?1)";
    bound(tx, "entities", ENTITIES_KEPT, oldest)
}

pub(super) fn of(db: &Connection, id: &str) -> anyhow::Result<Vec<Mention>> {
    let sql = "SELECT e.entity_type, e.entity_name, l.relevance_score
               FROM conversation_entities l JOIN entities e ON e.id = l.entity_id WHERE l.conversation_id = ?1
               ORDER BY l.relevance_score DESC, e.entity_type, e.entity_name, e.id";
    sql::all(db, sql, [id], |row| columns!(row => Mention { kind, name, relevance_score }))
}

impl Memory {
    /// [`extract_entities`] in a transaction of its own.
    pub fn extract_entities(&mut self, id: &str, now: i64) -> anyhow::Result<Vec<(Mention, bool)>> {
        self.write(|tx| extract_entities(tx, id, now))
    }

    pub fn entities_of(&self, id: &str) -> anyhow::Result<Vec<Mention>> {
        of(&self.db, id)
    }

    /// Every entity with how often it is named: by most conversations first, then by most mentions ever.
    pub fn entity_statistics(&self, kind: Option<EntityType>, limit: usize) -> anyhow::Result<Vec<EntityStatistics>> {
        let sql = "SELECT e.entity_type, e.entity_name, e.file_path, e.first_seen, e.last_accessed, e.access_count,
               count(l.conversation_id) AS named,
               coalesce((SELECT p.count FROM patterns p
                         WHERE p.kind = 'entity' AND p.key = e.entity_type || ':' || e.entity_name), 0)
             FROM entities e LEFT JOIN conversation_entities l ON l.entity_id = e.id
             WHERE ?1 IS NULL OR e.entity_type = ?1
             GROUP BY e.id ORDER BY named DESC, e.access_count DESC, e.entity_type, e.entity_name, e.id LIMIT ?2";
        sql::all(&self.db, sql, params![kind.map(EntityType::word), sql::limit(limit)], |row| {
            columns!(row => EntityStatistics {
                entity_type, entity_name, file_path, first_seen, last_accessed, access_count: sql::count,
                conversation_count: sql::count, pattern_count: sql::count,
            })
        })
    }

    /// The conversations that name an entity; a file is also found by the last part of its path.
    pub fn conversations_with(&self, kind: EntityType, name: &str) -> anyhow::Result<Vec<Conversation>> {
        let fits = "c.conversation_id IN (
               SELECT l.conversation_id FROM entities e JOIN conversation_entities l ON l.entity_id = e.id
               WHERE e.entity_type = ?1
                 AND (e.entity_name = ?2 OR (?1 = 'file' AND substr(e.entity_name, -length(?2) - 1) = '/' || ?2)))
             ORDER BY c.created_at DESC, c.id DESC";
        self.conversations_that(fits, [kind.word(), name])
    }
}

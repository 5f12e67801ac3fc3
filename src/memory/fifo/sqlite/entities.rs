//! Entities in the database: which conversation names which, how often, and which are kept longer than the
//! conversation.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::read::{COLUMNS, conversation_of};
use super::{bound, read, small};
use crate::memory::fifo::{Conversation, EntityType, Mention, extract};
use crate::memory::sql;

/// How many entities are kept that no conversation names any more: those named last.
const ENTITIES_KEPT: usize = 1000;

/// An entity and how often it is named.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct EntityStatistics {
    pub entity_type: EntityType,
    pub entity_name: String,
    /// The path of a file named with its directory; empty otherwise.
    pub file_path: String,
    /// When it was first named.
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
pub fn extract_entities(tx: &Transaction<'_>, id: &str, now: i64) -> anyhow::Result<Vec<(Mention, bool)>> {
    let head = tx
        .prepare_cached("SELECT title, coalesce(summary, '') FROM conversations WHERE conversation_id = ?1")?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)));
    let Some((title, summary)): Option<(String, String)> = head.optional()? else { return Ok(Vec::new()) };
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
    let known: Option<i64> = sql::one(
        tx,
        "SELECT id FROM entities WHERE entity_type = ?1 AND entity_name = ?2 AND file_path = ?3",
        params![kind, mention.name, path],
        |row| row.get(0),
    )?;
    let entity = match known {
        Some(entity) => entity,
        None => {
            sql::execute(
                tx,
                "INSERT INTO entities(entity_type, entity_name, file_path, first_seen, last_accessed)
                 VALUES (?1, ?2, ?3, ?4, ?4)",
                params![kind, mention.name, path, now],
            )?;
            tx.last_insert_rowid()
        }
    };
    let is_new = sql::execute(
        tx,
        "INSERT INTO conversation_entities(conversation_id, entity_id, relevance_score) VALUES (?1, ?2, ?3)
             ON CONFLICT DO NOTHING",
        params![id, entity, mention.relevance_score],
    )? > 0;
    if is_new {
        sql::execute(
            tx,
            "UPDATE entities SET access_count = access_count + 1, last_accessed = max(last_accessed, ?2) WHERE id = ?1",
            params![entity, now],
        )?;
    } else {
        sql::execute(
            tx,
            "UPDATE conversation_entities SET relevance_score = ?3
             WHERE conversation_id = ?1 AND entity_id = ?2 AND relevance_score < ?3",
            params![id, entity, mention.relevance_score],
        )?;
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
    sql::all(
        db,
        "SELECT e.entity_type, e.entity_name, l.relevance_score
         FROM conversation_entities l JOIN entities e ON e.id = l.entity_id WHERE l.conversation_id = ?1
         ORDER BY l.relevance_score DESC, e.entity_type, e.entity_name, e.id",
        [id],
        |row| Ok(Mention { kind: row.get(0)?, name: row.get(1)?, relevance_score: row.get(2)? }),
    )
}

pub(super) fn statistics(
    db: &Connection,
    kind: Option<EntityType>,
    limit: usize,
) -> anyhow::Result<Vec<EntityStatistics>> {
    sql::all(
        db,
        "SELECT e.entity_type, e.entity_name, e.file_path, e.first_seen, e.last_accessed, e.access_count,
           count(l.conversation_id) AS named,
           coalesce((SELECT p.count FROM patterns p
                     WHERE p.kind = 'entity' AND p.key = e.entity_type || ':' || e.entity_name), 0)
         FROM entities e LEFT JOIN conversation_entities l ON l.entity_id = e.id
         WHERE ?1 IS NULL OR e.entity_type = ?1
         GROUP BY e.id ORDER BY named DESC, e.access_count DESC, e.entity_type, e.entity_name, e.id LIMIT ?2",
        params![kind.map(EntityType::word), small(limit)],
        |row| {
            columns!(row => EntityStatistics {
                entity_type, entity_name, file_path, first_seen, last_accessed, access_count: sql::count,
                conversation_count: sql::count, pattern_count: sql::count,
            })
        },
    )
}

pub(super) fn conversations_with(db: &Connection, kind: EntityType, name: &str) -> anyhow::Result<Vec<Conversation>> {
    sql::all(
        db,
        &format!(
            "SELECT {COLUMNS} FROM conversations c WHERE c.conversation_id IN (
           SELECT l.conversation_id FROM entities e JOIN conversation_entities l ON l.entity_id = e.id
           WHERE e.entity_type = ?1
             AND (e.entity_name = ?2 OR (?1 = 'file' AND substr(e.entity_name, -length(?2) - 1) = '/' || ?2)))
         ORDER BY c.created_at DESC, c.id DESC"
        ),
        [kind.word(), name],
        conversation_of,
    )
}

//! Entities in the database: which conversation names which, how often, and which are kept longer than the
//! conversation; and the patterns that are extracted before a conversation is evicted (FIFO-2, FIFO-3).

use rusqlite::{Connection, Transaction, params};

use super::{bound, compact, number, search::messages};
use crate::memory::fifo::{Conversation, EntityType, EvictionCandidate, Mention, Pattern, extract, patterns, victims};
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
    let said = messages(tx, id)?;
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
        self.conversations_that(fits, params![kind.word(), name])
    }
}

/// How many patterns are kept: the most frequent, then the newest.
pub(in crate::memory) const PATTERNS_KEPT: usize = 1000;
const LOG_KEPT: usize = 200;

/// Evicts until one more conversation fits. Returns the evicted ids, oldest first.
pub(super) fn make_room(tx: &Transaction<'_>, capacity: usize, now: i64) -> anyhow::Result<Vec<String>> {
    if number(tx, "SELECT count(*) FROM conversations")? < capacity {
        return Ok(Vec::new());
    }
    let leaving = victims(&held(tx)?, capacity)?;
    let mut left = Vec::new();
    for row in leaving {
        let (id, nth) = evict(tx, row, now)?;
        left.push(id);
        if usize::try_from(nth).is_ok_and(|nth| nth.is_multiple_of(capacity)) {
            compact(tx)?;
        }
    }
    Ok(left)
}

fn held(tx: &Transaction<'_>) -> anyhow::Result<Vec<EvictionCandidate>> {
    let sql = "SELECT id, created_at, is_active,
                 EXISTS (SELECT 1 FROM runs r WHERE r.run_id = c.pinned_by_run AND r.status IN ('running', 'paused'))
               FROM conversations c";
    sql::all(tx, sql, [], |row| columns!(row => EvictionCandidate { id, created_at, is_active, pinned }))
}

/// Evicts one conversation; returns its id and the number of the eviction.
fn evict(tx: &Transaction<'_>, row: i64, now: i64) -> anyhow::Result<(String, i64)> {
    let (id, title, tags): (String, String, String) = tx
        .prepare_cached("SELECT conversation_id, title, tags FROM conversations WHERE id = ?1")?
        .query_row([row], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let mut mentions = of(tx, &id)?;
    if mentions.is_empty() {
        mentions = extract_entities(tx, &id, now)?.into_iter().map(|(mention, _)| mention).collect();
    }
    let tags: Vec<String> = serde_json::from_str(&tags).unwrap_or_default();
    let kept = patterns(&title, &tags, &mentions);
    count(tx, &kept, now)?;
    sql::run(tx, "DELETE FROM conversations WHERE id = ?1", [row])?;
    let log = "INSERT INTO eviction_log(conversation_id, event_type, timestamp, details)
               VALUES (?1, 'conversation_evicted', ?2, ?3)";
    let details = format!("FIFO eviction: capacity reached; {} patterns kept", kept.len());
    sql::run(tx, log, params![id, now, details])?;
    let nth = tx.last_insert_rowid();
    let oldest = "DELETE FROM eviction_log WHERE id IN (SELECT id FROM eviction_log ORDER BY id LIMIT ?1)";
    bound(tx, "eviction_log", LOG_KEPT, oldest)?;
    forget_orphans(tx)?;
    Ok((id, nth))
}

fn count(tx: &Transaction<'_>, kept: &[Pattern], now: i64) -> anyhow::Result<()> {
    let mut statement = tx.prepare_cached(
        "INSERT INTO patterns(kind, key, count, last_seen) VALUES (?1, ?2, 1, ?3)
         ON CONFLICT DO UPDATE SET count = count + 1, last_seen = max(last_seen, ?3)",
    )?;
    for pattern in kept {
        statement.execute(params![pattern.kind, pattern.key, now])?;
    }
    let rare = "DELETE FROM patterns WHERE (kind, key) IN
                  (SELECT kind, key FROM patterns ORDER BY count, last_seen, kind, key LIMIT ?1)";
    bound(tx, "patterns", PATTERNS_KEPT, rare)
}

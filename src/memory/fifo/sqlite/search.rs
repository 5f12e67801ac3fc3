//! Reading the queue, every list in a deterministic order, and searching it: by words, by parts of words, and by
//! likeness to a description.

use std::collections::{HashMap, HashSet};

use rusqlite::{Connection, Row, ToSql, params};

use super::number;
use crate::memory::fifo::{Conversation, EntityType, FifoError, Message, Query, Role, Term};
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
        self.conversations_that("1 ORDER BY c.created_at DESC, c.id DESC LIMIT ?1", params![sql::limit(limit)])
    }

    /// The conversations stored between two instants, both included, newest first.
    pub fn conversations_between(&self, from: i64, to: i64) -> anyhow::Result<Vec<Conversation>> {
        self.conversations_that(
            "c.created_at BETWEEN ?1 AND ?2 ORDER BY c.created_at DESC, c.id DESC",
            params![from, to],
        )
    }

    pub(super) fn conversations_that(&self, fits: &str, values: &[&dyn ToSql]) -> anyhow::Result<Vec<Conversation>> {
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

/// How much more a hit in title, summary or tags weighs than one in a message.
const HEAD: f64 = 2.0;

/// How many terms a conversation contains as whole words, and the sum of their BM25 scores; lower is better.
type TermMatch = (usize, f64);

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Matched {
    Word,
    /// At least one only as part of a word.
    Part,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct ConversationHit {
    #[serde(flatten)]
    pub conversation: Conversation,
    pub matched: Matched,
    /// One line around what was found in the messages; none if only the title, summary or tags match.
    pub excerpt: Option<String>,
}

impl Memory {
    /// The conversations that contain every term, in title, summary, tags or a message. Whole words come
    /// before parts of words, then by BM25, then the newest.
    pub fn search_conversations(&self, query: &Query, limit: usize) -> anyhow::Result<Vec<ConversationHit>> {
        let terms = &query.terms;
        let mut held = terms.iter().map(|term| words(&self.db, term)).collect::<anyhow::Result<Vec<_>>>()?;
        let mut all = in_all(&held);
        // Matches of whole words come before matches of parts of words. But the index of words ignores punctuation:
        // `50%` would be found as `50`.
        if all.len() < limit || !terms.iter().all(Term::is_plain) {
            for (term, held) in terms.iter().zip(&mut held) {
                let parts = parts(&self.db, term)?;
                if !term.is_plain() {
                    held.retain(|id, _| parts.contains(id));
                }
                for id in parts {
                    held.entry(id).or_insert((0, 0.0));
                }
            }
            all = in_all(&held);
        }
        let shown = best(all, limit).into_iter().map(|(row, whole)| {
            let conversation = numbered(&self.db, row)?;
            let said = messages(&self.db, &conversation.conversation_id)?;
            let said: Vec<&str> = said.iter().map(|message| message.content.as_str()).collect();
            let excerpt = query.excerpt(&said.join("\n"));
            let matched = if whole == terms.len() { Matched::Word } else { Matched::Part };
            Ok(ConversationHit { conversation, matched, excerpt })
        });
        shown.collect()
    }
}

/// The best of these: by the number of terms found as whole words, then by score, then the newest.
fn best(all: HashMap<i64, TermMatch>, limit: usize) -> Vec<(i64, usize)> {
    let mut all: Vec<(i64, TermMatch)> = all.into_iter().collect();
    all.sort_by(|(one, a), (other, b)| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)).then(other.cmp(one)));
    all.into_iter().take(limit).map(|(row, (whole, _))| (row, whole)).collect()
}

/// The conversations in all of these, with their matches added up.
fn in_all(held: &[HashMap<i64, TermMatch>]) -> HashMap<i64, TermMatch> {
    let Some((first, others)) = held.split_first() else { return HashMap::new() };
    let add = |whole: TermMatch, id: &i64, other: &HashMap<i64, TermMatch>| {
        other.get(id).map(|one| (whole.0 + one.0, whole.1 + one.1))
    };
    let sum = |(id, one): (&i64, &TermMatch)| {
        others.iter().try_fold(*one, |whole, other| add(whole, id, other)).map(|whole| (*id, whole))
    };
    first.iter().filter_map(sum).collect()
}

/// The conversations that contain a term as whole words, each with its best score.
fn words(db: &Connection, term: &Term) -> anyhow::Result<HashMap<i64, TermMatch>> {
    // As in `parts`: the index is queried first.
    let mut statement = db.prepare_cached(
        "WITH hit AS MATERIALIZED (SELECT rowid AS id, rank AS score FROM fifo_words WHERE fifo_words MATCH ?1)
         SELECT -id, ?2 * score FROM hit WHERE id < 0
         UNION ALL SELECT c.id, score FROM hit CROSS JOIN messages m ON m.id = hit.id
           CROSS JOIN conversations c ON c.conversation_id = m.conversation_id WHERE hit.id > 0",
    )?;
    let rows = statement.query_map((term.phrase(), HEAD), |row| Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?)))?;
    let mut best: HashMap<i64, TermMatch> = HashMap::new();
    for row in rows {
        let (id, score) = row?;
        let known = best.entry(id).or_insert((1, score));
        known.1 = known.1.min(score);
    }
    Ok(best)
}

/// The conversations that contain a term as any part of a text. One or two characters are searched in every text.
pub(super) fn parts(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    if !term.is_long() {
        return scanned(db, term);
    }
    // `CROSS JOIN` makes SQLite query the index first, instead of testing every message.
    let sql = "WITH hit AS MATERIALIZED (SELECT rowid AS id FROM fifo_parts WHERE fifo_parts MATCH ?1)
               SELECT -id FROM hit WHERE id < 0
               UNION SELECT c.id FROM hit CROSS JOIN messages m ON m.id = hit.id
                 CROSS JOIN conversations c ON c.conversation_id = m.conversation_id WHERE hit.id > 0";
    Ok(sql::column(db, sql, [term.phrase()])?.into_iter().collect())
}

fn scanned(db: &Connection, term: &Term) -> anyhow::Result<HashSet<i64>> {
    let sql = "SELECT id FROM conversations
               WHERE title LIKE ?1 ESCAPE '\\' OR summary LIKE ?1 ESCAPE '\\'
                  OR EXISTS (SELECT 1 FROM json_each(tags) WHERE value LIKE ?1 ESCAPE '\\')
               UNION SELECT c.id FROM messages m JOIN conversations c ON c.conversation_id = m.conversation_id
               WHERE m.content LIKE ?1 ESCAPE '\\'";
    Ok(sql::column(db, sql, [term.like()])?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::memory::fifo::NewConversation;

    fn with_messages(texts: &[String]) -> Memory {
        let mut memory = Memory::in_memory().unwrap();
        for (at, text) in texts.iter().enumerate() {
            let messages = json!([{ "role": "user", "content": text }]);
            let new = json!({ "conversation_id": format!("c{at}"), "title": "...", "messages": messages });
            memory.add_conversation(&NewConversation::from_json(&new, "").unwrap(), 999, 1).unwrap();
        }
        memory
    }

    fn term(typed: &str) -> Option<Term> {
        Some(Query::of(&format!("\"{typed}\""))?.terms.first()?.clone())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn what_is_found_is_what_a_look_into_every_text_finds(
            texts in proptest::collection::vec("[abcAB%_1 .]{3,10}", 1..90),
            typed in "[abcAB%_1.]{3,5}",
        ) {
            let (memory, term) = (with_messages(&texts), term(&typed).unwrap());
            prop_assert_eq!(parts(&memory.db, &term).unwrap(), scanned(&memory.db, &term).unwrap());
        }
    }
}

//! The queue of conversations in the database (FIFO): its tables. What a run writes are functions over a transaction,
//! so that a phase can write its message together with everything else it leaves.

mod entities;
mod search;
mod store;

pub use entities::EntityStatistics;
pub(in crate::memory) use entities::{PATTERNS_KEPT, forget_orphans};
pub(in crate::memory) use search::exists;
pub use search::{ConversationHit, Eviction, Matched, Statistics};
pub use store::{Added, SaidMessage, Update, id_of};
pub(in crate::memory) use store::{close_conversation, open_conversation, say};

use rusqlite::{Connection, Transaction};

use crate::memory::sql;

/// How messages and heads of conversations are stored in the two indexes: messages by their id, heads by their negated
/// id. `fifo_words` finds words regardless of accents, `fifo_parts` any three characters or more. Deleted texts stay in
/// them until [`compact`].
pub(in crate::memory) const TABLES: &str = "
CREATE TABLE conversations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, message_count INTEGER NOT NULL DEFAULT 0,
  is_active INTEGER NOT NULL DEFAULT 0 CHECK (is_active IN (0, 1)), pinned_by_run TEXT, summary TEXT,
  tags TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tags))
) STRICT;
CREATE INDEX conversations_created ON conversations(created_at DESC, id DESC);
CREATE UNIQUE INDEX conversations_active ON conversations(is_active) WHERE is_active = 1;
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id TEXT NOT NULL REFERENCES conversations(conversation_id) ON DELETE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'system', 'tool')),
  content TEXT NOT NULL, timestamp INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_conversation ON messages(conversation_id);
CREATE TABLE entities (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entity_type TEXT NOT NULL CHECK (entity_type IN ('file', 'class', 'method', 'variable', 'concept')),
  entity_name TEXT NOT NULL, file_path TEXT NOT NULL DEFAULT '',
  first_seen INTEGER NOT NULL, last_accessed INTEGER NOT NULL, access_count INTEGER NOT NULL DEFAULT 0,
  UNIQUE (entity_type, entity_name, file_path)
) STRICT;
CREATE INDEX entities_accessed ON entities(last_accessed DESC);
CREATE TABLE conversation_entities (
  conversation_id TEXT NOT NULL REFERENCES conversations(conversation_id) ON DELETE CASCADE,
  entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
  relevance_score REAL NOT NULL DEFAULT 1.0, PRIMARY KEY (conversation_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_entities_entity ON conversation_entities(entity_id);
CREATE TABLE eviction_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id TEXT NOT NULL, event_type TEXT NOT NULL,
  timestamp INTEGER NOT NULL, details TEXT NOT NULL
) STRICT;
CREATE TABLE patterns (
  kind TEXT NOT NULL, key TEXT NOT NULL, count INTEGER NOT NULL, last_seen INTEGER NOT NULL, PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
CREATE VIEW fifo_texts(id, text) AS
  SELECT -id, title || char(10) || coalesce(summary, '') || char(10) || tags FROM conversations
  UNION ALL SELECT id, content FROM messages;
CREATE VIRTUAL TABLE fifo_words USING fts5(
  text, content='fifo_texts', content_rowid='id', tokenize='unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE fifo_parts USING fts5(
  text, content='fifo_texts', content_rowid='id', tokenize='trigram remove_diacritics 1');
CREATE TRIGGER messages_said AFTER INSERT ON messages BEGIN
  INSERT INTO fifo_words(rowid, text) VALUES (new.id, new.content);
  INSERT INTO fifo_parts(rowid, text) VALUES (new.id, new.content);
END;
CREATE TRIGGER messages_gone AFTER DELETE ON messages BEGIN
  INSERT INTO fifo_words(fifo_words, rowid, text) VALUES ('delete', old.id, old.content);
  INSERT INTO fifo_parts(fifo_parts, rowid, text) VALUES ('delete', old.id, old.content);
END;
CREATE TRIGGER conversations_made AFTER INSERT ON conversations BEGIN
  INSERT INTO fifo_words(rowid, text) VALUES (-new.id, new.title || char(10) || coalesce(new.summary, '') || char(10) || new.tags);
  INSERT INTO fifo_parts(rowid, text) VALUES (-new.id, new.title || char(10) || coalesce(new.summary, '') || char(10) || new.tags);
END;
CREATE TRIGGER conversations_gone AFTER DELETE ON conversations BEGIN
  INSERT INTO fifo_words(fifo_words, rowid, text)
    VALUES ('delete', -old.id, old.title || char(10) || coalesce(old.summary, '') || char(10) || old.tags);
  INSERT INTO fifo_parts(fifo_parts, rowid, text)
    VALUES ('delete', -old.id, old.title || char(10) || coalesce(old.summary, '') || char(10) || old.tags);
END;
CREATE TRIGGER conversations_told AFTER UPDATE OF title, summary, tags ON conversations BEGIN
  INSERT INTO fifo_words(fifo_words, rowid, text)
    VALUES ('delete', -old.id, old.title || char(10) || coalesce(old.summary, '') || char(10) || old.tags);
  INSERT INTO fifo_parts(fifo_parts, rowid, text)
    VALUES ('delete', -old.id, old.title || char(10) || coalesce(old.summary, '') || char(10) || old.tags);
  INSERT INTO fifo_words(rowid, text) VALUES (-new.id, new.title || char(10) || coalesce(new.summary, '') || char(10) || new.tags);
  INSERT INTO fifo_parts(rowid, text) VALUES (-new.id, new.title || char(10) || coalesce(new.summary, '') || char(10) || new.tags);
END;
";

fn number(db: &Connection, sql: &str) -> anyhow::Result<usize> {
    let count: i64 = db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(usize::try_from(count)?)
}

/// Rebuilds both indexes without deleted texts, so that nothing of them is left in the file. The cost grows with the
/// queue, so it is done when a person deletes or changes something, and once per turnover of the queue.
pub(in crate::memory) fn compact(tx: &Transaction<'_>) -> anyhow::Result<()> {
    tx.execute("INSERT INTO fifo_words(fifo_words) VALUES ('optimize')", [])?;
    tx.execute("INSERT INTO fifo_parts(fifo_parts) VALUES ('optimize')", [])?;
    Ok(())
}

/// Deletes the least valuable rows of a table beyond `most`, once it has a tenth more.
fn bound(tx: &Transaction<'_>, table: &str, most: usize, delete: &str) -> anyhow::Result<()> {
    let there = number(tx, &format!("SELECT count(*) FROM {table}"))?;
    if there > most + most / 10 {
        sql::run(tx, delete, [sql::limit(there - most)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! The queue of conversations in the database (FIFO): its tables, and its operations as one transaction each.
//!
//! The operations also exist as functions over a transaction, so that a phase of a run can write its message together
//! with everything else it leaves.

mod entities;
mod evict;
mod parts;
mod read;
mod run;
mod search;
mod store;

pub(in crate::memory) use entities::forget_orphans;
pub use entities::{EntityStatistics, extract_entities};
pub(in crate::memory) use evict::PATTERNS_KEPT;
pub use read::{Eviction, Statistics, conversation, exists, recent_conversations};
pub use run::{SaidMessage, close_conversation, id_of, open_conversation, say};
use rusqlite::{Connection, Transaction};
pub use search::{ConversationHit, Matched, search};
pub use store::{Added, Update, add_conversation, append_messages};

use crate::memory::Memory;
use crate::memory::fifo::{Conversation, EntityType, Mention, Message, NewConversation, Query, Role, Text};
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

impl Memory {
    /// [`add_conversation`] in a transaction of its own; its entities are extracted too. Errors: a
    /// [`crate::memory::fifo::FifoError`] inside when the id is taken or nothing may be evicted (then nothing has
    /// changed), or the database cannot be written.
    pub fn add_conversation(&mut self, new: &NewConversation, capacity: usize, now: i64) -> anyhow::Result<Added> {
        self.write(|tx| {
            let added = add_conversation(tx, new, capacity, now)?;
            extract_entities(tx, &new.conversation_id, now)?;
            Ok(added)
        })
    }

    /// [`append_messages`] in a transaction of its own; the entities are extracted again.
    pub fn append_messages(&mut self, id: &str, messages: &[(Role, Text)], now: i64) -> anyhow::Result<Conversation> {
        self.write(|tx| {
            append_messages(tx, id, messages, now)?;
            extract_entities(tx, id, now)?;
            read::known(tx, id)
        })
    }

    /// Changes title, summary or tags; `None` changes nothing.
    pub fn update_conversation(&mut self, id: &str, update: &Update, now: i64) -> anyhow::Result<Conversation> {
        self.write(|tx| store::update(tx, id, update, now))
    }

    /// Makes one the active conversation. Returns it, and the one that was active before, if another was.
    pub fn activate_conversation(&mut self, id: &str, now: i64) -> anyhow::Result<(Conversation, Option<String>)> {
        self.write(|tx| store::activate(tx, id, now))
    }

    /// [`extract_entities`] in a transaction of its own.
    pub fn extract_entities(&mut self, id: &str, now: i64) -> anyhow::Result<Vec<(Mention, bool)>> {
        self.write(|tx| extract_entities(tx, id, now))
    }

    /// Deletes a conversation, its messages, and the entities that no other conversation ever named. `false` where
    /// there was none.
    pub fn delete_conversation(&mut self, id: &str) -> anyhow::Result<bool> {
        self.write(|tx| store::delete(tx, id))
    }

    pub fn conversation(&self, id: &str) -> anyhow::Result<Option<Conversation>> {
        conversation(&self.db, id)
    }

    /// The newest conversations, newest first.
    pub fn recent_conversations(&self, limit: usize) -> anyhow::Result<Vec<Conversation>> {
        recent_conversations(&self.db, limit)
    }

    /// The conversations stored between two instants, both included, newest first.
    pub fn conversations_between(&self, from: i64, to: i64) -> anyhow::Result<Vec<Conversation>> {
        read::between(&self.db, from, to)
    }

    /// The messages of a conversation in their order.
    pub fn messages(&self, id: &str) -> anyhow::Result<Vec<Message>> {
        read::messages(&self.db, id)
    }

    /// The entities of a conversation, the surest first.
    pub fn entities_of(&self, id: &str) -> anyhow::Result<Vec<Mention>> {
        entities::of(&self.db, id)
    }

    /// Every entity with how often it is named: by most conversations first, then by most mentions ever.
    pub fn entity_statistics(&self, kind: Option<EntityType>, limit: usize) -> anyhow::Result<Vec<EntityStatistics>> {
        entities::statistics(&self.db, kind, limit)
    }

    /// The conversations that name an entity; a file is also found by the last part of its path.
    pub fn conversations_with(&self, kind: EntityType, name: &str) -> anyhow::Result<Vec<Conversation>> {
        entities::conversations_with(&self.db, kind, name)
    }

    /// [`search`].
    pub fn search_conversations(&self, query: &Query, limit: usize) -> anyhow::Result<Vec<ConversationHit>> {
        search(&self.db, query, limit)
    }

    /// What was evicted, newest first.
    pub fn evictions(&self, limit: usize) -> anyhow::Result<Vec<Eviction>> {
        read::evictions(&self.db, limit)
    }

    /// The statistics of the queue.
    pub fn fifo_statistics(&self) -> anyhow::Result<Statistics> {
        read::statistics(&self.db)
    }
}

/// A number as SQLite keeps it.
fn small(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

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
        sql::execute(tx, delete, [small(there - most)])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

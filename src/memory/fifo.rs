//! The queue of conversations (FIFO): conversations, eviction, entities and patterns.
//! Times are milliseconds since 1970 UTC and always arguments.

mod content;
mod extract;
mod pattern;
mod query;
pub mod sqlite;
mod text;

use serde::Serialize;

pub use content::{NewConversation, messages};
pub(crate) use content::{line, long, tags};
pub use extract::extract;
pub use pattern::{Pattern, patterns};
pub use query::{Query, Term, excerpt};
pub use text::Text;

/// Default number of conversations (FIFO-1).
pub const CAPACITY: usize = 20;

words! {
    Role {
        User = "user",
        Assistant = "assistant",
        System = "system",
        Tool = "tool",
    }
}

words! {
    /// The type of an entity (FIFO-4).
    EntityType {
        File = "file",
        /// A class, struct, trait or another named type.
        Class = "class",
        Method = "method",
        Variable = "variable",
        /// A technical term, a hashtag, or a recurring phrase.
        Concept = "concept",
    }
}

/// An entity as a text names it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mention {
    #[serde(rename = "type")]
    pub kind: EntityType,
    pub name: String,
    /// Confidence: 1.0 in code, 0.6 in prose.
    pub relevance_score: f64,
}

impl Mention {
    /// The directory of a file, if named; otherwise empty.
    pub fn file_path(&self) -> &str {
        if self.kind == EntityType::File && self.name.contains(['/', '\\']) { &self.name } else { "" }
    }
}

/// A conversation in the queue, without its messages.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Conversation {
    /// Sequence number; breaks ties of `created_at`.
    #[serde(skip)]
    pub id: i64,
    pub conversation_id: String,
    pub title: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub created_at: i64,
    /// When it or one of its messages was last written.
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub updated_at: i64,
    pub message_count: u64,
    /// Whether it is the active one; there is at most one.
    pub is_active: bool,
    /// The unfinished run that needs it, if any.
    pub pinned_by_run: Option<String>,
    /// The outcome, once it is closed.
    pub summary: Option<String>,
    pub tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
    #[serde(serialize_with = "crate::memory::json::as_seconds_or_null")]
    pub timestamp: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EvictionCandidate {
    pub id: i64,
    pub created_at: i64,
    pub is_active: bool,
    pub pinned: bool,
}

/// The conversations to evict so that one more fits into `capacity`: the oldest that are neither active nor pinned.
pub fn victims(held: &[EvictionCandidate], capacity: usize) -> Result<Vec<i64>, FifoError> {
    let needed = (held.len() + 1).saturating_sub(capacity);
    let mut may_leave: Vec<&EvictionCandidate> = held.iter().filter(|one| !one.is_active && !one.pinned).collect();
    may_leave.sort_by_key(|one| (one.created_at, one.id));
    if may_leave.len() < needed {
        return Err(FifoError::Full { count: held.len(), capacity });
    }
    Ok(may_leave.into_iter().take(needed).map(|one| one.id).collect())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Queue {
    pub count: usize,
    pub capacity: usize,
    pub available: usize,
    pub at_capacity: bool,
}

impl Queue {
    pub fn of(count: usize, capacity: usize) -> Self {
        Self { count, capacity, available: capacity.saturating_sub(count), at_capacity: count >= capacity }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FifoError {
    #[error("NoSuchConversation: there is no conversation {0:?}")]
    NoSuchConversation(String),
    #[error("DuplicateId: there is a conversation {0:?} already; nothing was changed")]
    DuplicateId(String),
    #[error(
        "FifoFull: the queue holds {count} of {capacity} conversations, and none may be evicted: they are \
         active or belong to unfinished runs"
    )]
    Full { count: usize, capacity: usize },
    /// The input is not a conversation: the reason.
    #[error("the content is no conversation: {0}")]
    Malformed(String),
}

#[cfg(test)]
mod tests;

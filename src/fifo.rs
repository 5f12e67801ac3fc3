//! The queue of conversations (seed 3): what a conversation is, who is evicted, which entities and patterns it holds.
//! Values in, values out; times are milliseconds since 1970 in UTC and come as arguments.

mod content;
mod entity;
mod extract;
mod pattern;
mod query;
mod text;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use content::{NewConversation, messages};
pub(crate) use content::{line, long, tags};
pub use entity::{EntityType, Mention};
pub use extract::extract;
pub use pattern::{Pattern, patterns};
pub use query::{Query, Term, excerpt};
pub use text::Text;

/// How many conversations are kept unless the settings say otherwise (seed 3 §FIFO Queue Management).
pub const CAPACITY: usize = 20;

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person.
    User,
    /// The program that answers.
    Assistant,
    /// Instructions and notes about the conversation.
    System,
    /// What a tool gave back.
    Tool,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::User, Self::Assistant, Self::System, Self::Tool];

    /// The word in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::System => "system",
            Self::Tool => "tool",
        }
    }

    /// The role of that word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}

/// A conversation in the queue, without its messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// The order in which it was stored; it breaks ties of `created_at`.
    pub id: i64,
    /// The name it is asked for by.
    pub conversation_id: String,
    /// One line.
    pub title: String,
    /// When it was stored.
    pub created_at: i64,
    /// When it, or one of its messages, was last written.
    pub updated_at: i64,
    /// How many messages it has.
    pub message_count: u64,
    /// Whether it is the active one; there is at most one.
    pub is_active: bool,
    /// The unfinished run that needs it, if there is one.
    pub pinned_by_run: Option<String>,
    /// What came of it, once it was closed.
    pub summary: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who said it.
    pub role: Role,
    /// What was said, credentials taken out.
    pub content: String,
    /// When it was stored.
    pub timestamp: i64,
}

/// What decides whether a conversation may be evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The order in which it was stored.
    pub id: i64,
    /// When it was stored.
    pub created_at: i64,
    /// Whether it is the active one.
    pub is_active: bool,
    /// Whether an unfinished run needs it.
    pub pinned: bool,
}

/// Which conversations leave so that one more fits into `capacity`: the oldest that are neither active nor pinned.
///
/// # Errors
/// [`FifoError::Full`] when not enough of them may leave.
pub fn victims(held: &[Held], capacity: usize) -> Result<Vec<i64>, FifoError> {
    let needed = (held.len() + 1).saturating_sub(capacity);
    let mut may_leave: Vec<&Held> = held.iter().filter(|one| !one.is_active && !one.pinned).collect();
    may_leave.sort_by_key(|one| (one.created_at, one.id));
    if may_leave.len() < needed {
        return Err(FifoError::Full { count: held.len(), capacity });
    }
    Ok(may_leave.into_iter().take(needed).map(|one| one.id).collect())
}

/// How full the queue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// Conversations in it.
    pub count: usize,
    /// How many it may hold.
    pub capacity: usize,
    /// How many fit in without an eviction.
    pub available: usize,
    /// Whether the next one evicts another.
    pub at_capacity: bool,
}

impl Queue {
    /// So many of so many.
    #[must_use]
    pub fn of(count: usize, capacity: usize) -> Self {
        Self { count, capacity, available: capacity.saturating_sub(count), at_capacity: count >= capacity }
    }
}

/// Why the queue does not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FifoError {
    /// There is no conversation of that id.
    NoSuchConversation(String),
    /// There is one of that id already; nothing was evicted.
    DuplicateId(String),
    /// Every conversation is active or needed by an unfinished run.
    Full {
        /// Conversations in the queue.
        count: usize,
        /// How many it may hold.
        capacity: usize,
    },
    /// What was given is no conversation: what is wrong with it.
    Malformed(String),
}

impl fmt::Display for FifoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchConversation(id) => write!(f, "NoSuchConversation: there is no conversation {id:?}"),
            Self::DuplicateId(id) => {
                write!(f, "DuplicateId: there is a conversation {id:?} already; nothing was changed")
            }
            Self::Full { count, capacity } => write!(
                f,
                "FifoFull: the queue holds {count} of {capacity} conversations, and none may be evicted: they are \
                 active or belong to unfinished runs"
            ),
            Self::Malformed(what) => write!(f, "the content is no conversation: {what}"),
        }
    }
}

impl std::error::Error for FifoError {}

#[cfg(test)]
mod tests;

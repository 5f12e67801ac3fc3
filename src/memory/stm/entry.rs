//! An entry of short-term memory: content, category, priority and expiry (STM-1).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session::SessionKey;

words! {
    Category {
        Conversation = "conversation",
        ActiveTask = "active_task",
        ReasoningState = "reasoning_state",
        UserInput = "user_input",
        SystemState = "system_state",
    }
}

words! {
    /// The order in which entries are pruned when the session is full (STM-8).
    #[derive(Default)]
    Priority {
        Low = "low",
        #[default]
        Medium = "medium",
        /// Kept until the session ends.
        High = "high",
    }
}

impl Priority {
    /// The number in the database: 0, 1, 2.
    pub fn rank(self) -> u8 {
        self as u8
    }

    /// The priority of a number. An unknown number is medium, the default.
    pub fn ranked(rank: u8) -> Self {
        Self::ALL.into_iter().find(|one| one.rank() == rank).unwrap_or_default()
    }
}

/// An entry without its content: enough to order, filter, count and prune.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    #[serde(skip)]
    pub id: String,
    /// Position in the store; later entries have higher numbers.
    pub seq: u64,
    pub category: Category,
    pub actor: String,
    pub priority: Priority,
    pub created_at: i64,
    /// When it expires. Never changes.
    pub expires_at: i64,
    pub tags: Vec<String>,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub key: SessionKey,
    pub head: Head,
    pub content: Value,
}

#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    pub id: String,
    pub category: Category,
    pub priority: Priority,
    pub actor: String,
    pub tags: Vec<String>,
    pub content: Value,
    /// Lifetime in milliseconds, at most and by default [`super::LIFETIME`].
    pub lives: Option<i64>,
}

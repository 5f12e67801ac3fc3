//! An entry of short-term memory: content, category, priority and expiry (STM-1).

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// The kind of content of an entry (STM-2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    Conversation,
    /// A task under way and its status.
    ActiveTask,
    /// An intermediate result of reasoning.
    ReasoningState,
    /// What a user asked for.
    UserInput,
    /// The state of the system.
    SystemState,
}

impl Category {
    pub const ALL: [Self; 5] =
        [Self::Conversation, Self::ActiveTask, Self::ReasoningState, Self::UserInput, Self::SystemState];

    /// The name in the database, in JSON and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Conversation => "conversation",
            Self::ActiveTask => "active_task",
            Self::ReasoningState => "reasoning_state",
            Self::UserInput => "user_input",
            Self::SystemState => "system_state",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Category {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.word() == word);
        found.ok_or_else(|| format!("the categories are {}", Self::ALL.map(Self::word).join(", ")))
    }
}

/// The order in which entries are pruned when the session is full (STM-8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Priority {
    Low,
    /// Pruned after every entry of low priority.
    #[default]
    Medium,
    /// Kept until the session ends.
    High,
}

impl Priority {
    /// All priorities, the one pruned first first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The number in the database: 0, 1, 2.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Low => 0,
            Self::Medium => 1,
            Self::High => 2,
        }
    }

    /// The priority of a number. An unknown number is medium, the default.
    #[must_use]
    pub fn ranked(rank: u8) -> Self {
        Self::ALL.into_iter().find(|one| one.rank() == rank).unwrap_or_default()
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Priority {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.word() == word);
        found.ok_or_else(|| format!("the priorities are {}", Self::ALL.map(Self::word).join(", ")))
    }
}

/// An entry without its content: enough to order, filter, count and prune.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub id: String,
    /// Position in the store; later entries have higher numbers.
    pub seq: u64,
    pub category: Category,
    pub actor: String,
    pub priority: Priority,
    /// When it was stored, in milliseconds since 1970 UTC.
    pub created_at: i64,
    /// When it expires. Never changes.
    pub expires_at: i64,
    pub tags: Vec<String>,
    pub bytes: u64,
}

/// An entry of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub session: String,
    pub embodiment: String,
    pub head: Head,
    pub content: Value,
}

/// An entry to be stored.
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

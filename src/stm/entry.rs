//! An entry of short-term memory: what it holds, of which kind, how much it matters, until when (seed 2 §3).

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// What an entry is about (seed 2 §3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Context of the conversation.
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
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::Conversation, Self::ActiveTask, Self::ReasoningState, Self::UserInput, Self::SystemState];

    /// As it is written and stored.
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

/// How long an entry is kept when room is needed (seed 2 §6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Priority {
    /// Goes first.
    Low,
    /// Goes when nothing low is left.
    #[default]
    Medium,
    /// Stays until the session ends.
    High,
}

impl Priority {
    /// All three, the first to go first.
    pub const ALL: [Self; 3] = [Self::Low, Self::Medium, Self::High];

    /// As it is written.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// As it is stored: 0, 1, 2.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Low => 0,
            Self::Medium => 1,
            Self::High => 2,
        }
    }

    /// From its rank; one that is unknown is medium, which is what an entry without a priority is.
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

/// What is known of an entry without its content: enough to order, filter, count and prune.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Its id.
    pub id: String,
    /// The order of arrival in its session's store: later entries have higher numbers.
    pub seq: u64,
    /// Its category.
    pub category: Category,
    /// Who wrote it.
    pub actor: String,
    /// Its priority.
    pub priority: Priority,
    /// When it was stored, in milliseconds since 1970 UTC.
    pub created_at: i64,
    /// From when on it is not seen any more. Never moved.
    pub expires_at: i64,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Bytes of its content.
    pub bytes: u64,
}

/// An entry of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The session's id.
    pub session: String,
    /// Where the session belongs.
    pub embodiment: String,
    /// All but the content.
    pub head: Head,
    /// The content: any JSON.
    pub content: Value,
}

/// What somebody wants to have remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// A fresh id.
    pub id: String,
    /// Its category.
    pub category: Category,
    /// Its priority.
    pub priority: Priority,
    /// Who writes it.
    pub actor: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The content.
    pub content: Value,
    /// Milliseconds it is to live; none, or more than [`super::LIFETIME`], is that.
    pub lives: Option<i64>,
}

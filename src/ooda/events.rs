//! What was seen last: a sliding window of events, in which one that is seen again becomes the newest.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where an observation comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The person.
    User,
    /// A tool of an agent.
    McpTool,
    /// Something looked up.
    Rag,
    /// Something made.
    ArtifactBus,
    /// The machine itself.
    #[default]
    System,
    /// Something from outside.
    Webhook,
}

impl Source {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::User, Self::McpTool, Self::Rag, Self::ArtifactBus, Self::System, Self::Webhook];

    /// The word in the database, in JSON and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::McpTool => "mcp_tool",
            Self::Rag => "rag",
            Self::ArtifactBus => "artifact_bus",
            Self::System => "system",
            Self::Webhook => "webhook",
        }
    }
}

/// One thing that was seen (seed 4 `ObservationEvent`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservationEvent {
    /// Its id; the same id again is the same event again.
    pub event_id: String,
    /// Where it comes from.
    pub source: Source,
    /// What happened, in words.
    pub description: String,
    /// Anything else about it.
    pub payload: Map<String, Value>,
    /// When, milliseconds since 1970 UTC.
    pub at: i64,
    /// 0 and up; higher is more urgent.
    pub priority: u32,
}

/// The events of an epoch, oldest first.
#[derive(Debug, Clone, Default)]
pub struct EventQueue {
    events: Vec<ObservationEvent>,
    /// Events pushed in this epoch, repeats counted.
    pub processed: u64,
    /// Different events pushed in this epoch.
    pub distinct: u64,
}

impl EventQueue {
    /// A queue as it was kept: oldest first.
    #[must_use]
    pub fn restored(events: Vec<ObservationEvent>, processed: u64, distinct: u64) -> Self {
        Self { events, processed, distinct }
    }

    /// Adds an event (seed 4 `push_event`). A known id becomes the newest, with its new words and payload. Returns the
    /// events that had to go, oldest first, so that a trace of them can be kept.
    pub fn push(&mut self, event: ObservationEvent, most: usize) -> Vec<ObservationEvent> {
        self.processed += 1;
        match self.events.iter().position(|known| known.event_id == event.event_id) {
            Some(at) => drop(self.events.remove(at)),
            None => self.distinct += 1,
        }
        self.events.push(event);
        let over = self.events.len().saturating_sub(most);
        self.events.drain(..over).collect()
    }

    /// Newest first.
    pub fn newest(&self) -> impl Iterator<Item = &ObservationEvent> {
        self.events.iter().rev()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Removes events older than this many seconds, and returns them.
    pub fn evict_older(&mut self, max_age: i64, now: i64) -> Vec<ObservationEvent> {
        let oldest = now.saturating_sub(max_age.saturating_mul(1000));
        let (stale, kept) = std::mem::take(&mut self.events).into_iter().partition(|event| event.at < oldest);
        self.events = kept;
        stale
    }
}

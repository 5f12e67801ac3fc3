//! The event queue: a sliding window in which a repeated event becomes the newest.

use serde::Serialize;
use serde_json::{Map, Value};

words! {
    #[derive(Default)]
    Source {
        User = "user",
        McpTool = "mcp_tool",
        Rag = "rag",
        ArtifactBus = "artifact_bus",
        #[default]
        System = "system",
        Webhook = "webhook",
    }
}

/// An observation (OODA-2).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct ObservationEvent {
    /// Its id; an event with a known id is a repeat.
    pub event_id: String,
    pub source: Source,
    pub description: String,
    pub payload: Map<String, Value>,
    #[serde(rename = "timestamp_utc", serialize_with = "crate::memory::json::as_seconds")]
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
    pub fn restored(events: Vec<ObservationEvent>, processed: u64, distinct: u64) -> Self {
        Self { events, processed, distinct }
    }

    /// Adds an event (OODA-2). A known id is updated and becomes the newest. Returns the
    /// evicted events, oldest first, so that they can be traced.
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

    pub fn newest(&self) -> impl Iterator<Item = &ObservationEvent> {
        self.events.iter().rev()
    }

    pub fn count(&self) -> usize {
        self.events.len()
    }

    /// Removes and returns events older than this many seconds.
    pub fn evict_older(&mut self, max_age: i64, now: i64) -> Vec<ObservationEvent> {
        let oldest = now.saturating_sub(max_age.saturating_mul(1000));
        let (stale, kept) = std::mem::take(&mut self.events).into_iter().partition(|event| event.at < oldest);
        self.events = kept;
        stale
    }
}

//! A bounded slice of the live memory, filtered by a query.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{CachedEntity, DagStateSnapshot, LiveMemory, ObservationEvent};

/// Words that an event or entity must all contain, in any case and order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query(Vec<String>);

impl Query {
    /// The words of a text. `None` if it has none.
    pub fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    fn fits(&self, texts: &[&str]) -> bool {
        let whole = texts.join("\n").to_lowercase();
        self.0.iter().all(|word| whole.contains(word))
    }
}

/// A context slice (OODA-4).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContextSlice {
    pub dag_snapshots: Vec<DagStateSnapshot>,
    pub recent_events: Vec<ObservationEvent>,
    /// Matching valid entities, most recently used first.
    pub cached_entities: Map<String, Value>,
    pub total_events_in_history: usize,
    pub total_entities_cached: usize,
    /// Whether matches were left out.
    pub truncated: bool,
}

impl LiveMemory {
    pub fn read_context(&self, query: Option<&Query>, most: usize, now: i64) -> ContextSlice {
        let fits = |texts: &[&str]| query.is_none_or(|query| query.fits(texts));
        let seen = |event: &&ObservationEvent| {
            let payload = Some(&event.payload).filter(|payload| !payload.is_empty());
            let payload = payload.map(|payload| Value::from(payload.clone()).to_string()).unwrap_or_default();
            fits(&[&event.description, event.source.word(), &payload])
        };
        let mut events: Vec<ObservationEvent> = self.events.newest().filter(seen).cloned().collect();
        let held = |entity: &&CachedEntity| !entity.expired(now) && fits(&[&entity.key, &entity.value.to_string()]);
        let entities = self.entities.recent().filter(held).map(|entity| (entity.key.clone(), entity.value.clone()));
        let mut entities: Vec<(String, Value)> = entities.collect();
        let truncated = events.len() > most || entities.len() > most;
        events.truncate(most);
        entities.truncate(most);
        ContextSlice {
            dag_snapshots: self.dags.iter().map(super::Dag::snapshot).collect(),
            recent_events: events,
            cached_entities: entities.into_iter().collect(),
            total_events_in_history: self.events.count(),
            total_entities_cached: self.entities.count(),
            truncated,
        }
    }
}

//! The live memory of one OODA loop (OODA): task graph, recent events, cached entities.
//!
//! One epoch is one run. It observes (P0, P1), orients (P2, P3), decides (P4) and acts (P5, P6). When it
//! ends, its memory is summarised once and cleared. Times are milliseconds since 1970 UTC and always arguments.

mod dag;
pub(crate) mod sqlite;

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

pub use dag::{Dag, DagStateSnapshot, EpochSummary, NodeStatus};

/// The limits of an epoch; beyond them the oldest is evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub events: usize,
    pub entities: usize,
    /// Default lifetime of an entity, in seconds.
    pub ttl: i64,
    /// Seconds after which an event is stale.
    pub max_age: i64,
    /// Maximum number of events and of entities in a context slice.
    pub context: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { events: 256, entities: 512, ttl: 3600, max_age: 7200, context: 50 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "do", content = "node")]
pub enum Decision {
    Continue(String),
    /// Something failed, or there is no plan: plan again.
    Replan,
    /// Every remaining node is blocked.
    Park,
    Complete,
}

impl Decision {
    /// The next action for this state. Running nodes come before pending ones.
    pub fn of(dags: &[Dag]) -> Self {
        let with = |status| dags.iter().flat_map(|dag| &dag.nodes).find(|(_, found)| *found == status);
        if dags.iter().all(|dag| dag.nodes.is_empty()) || with(NodeStatus::Failed).is_some() {
            return Self::Replan;
        }
        if with(NodeStatus::Parked).is_some() {
            return Self::Park;
        }
        match with(NodeStatus::Running).or_else(|| with(NodeStatus::Pending)) {
            Some((node, _)) => Self::Continue(node.clone()),
            None => Self::Complete,
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Continue(node) => write!(f, "continue with {node}"),
            Self::Replan => f.write_str("replan"),
            Self::Park => f.write_str("park"),
            Self::Complete => f.write_str("complete"),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct LiveMemory {
    pub dags: Vec<Dag>,
    pub events: EventQueue,
    pub entities: EntityCache,
}

impl LiveMemory {
    /// Sets a node's status; an unknown graph or node is added (OODA-1).
    pub fn update_dag_state(&mut self, dag: &str, node: &str, status: NodeStatus) -> DagStateSnapshot {
        let at = self.dags.iter().position(|one| one.id == dag).unwrap_or_else(|| {
            self.dags.push(Dag::new(dag, &[]));
            self.dags.len() - 1
        });
        self.dags[at].set(node, status);
        self.dags[at].snapshot()
    }

    /// Summarises the epoch and clears everything (OODA-5).
    pub fn flush_to_summarizer(&mut self, epoch: &str, opened: i64, now: i64) -> EpochSummary {
        let summary = dag::summary(self, epoch, opened, now);
        *self = Self::default();
        summary
    }
}

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
    pub(crate) events: Vec<ObservationEvent>,
    /// Events pushed in this epoch, repeats counted.
    pub processed: u64,
    /// Different events pushed in this epoch.
    pub distinct: u64,
}

impl EventQueue {
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

    /// Removes and returns events older than this many seconds.
    pub fn evict_older(&mut self, max_age: i64, now: i64) -> Vec<ObservationEvent> {
        let oldest = now.saturating_sub(max_age.saturating_mul(1000));
        let (stale, kept) = std::mem::take(&mut self.events).into_iter().partition(|event| event.at < oldest);
        self.events = kept;
        stale
    }
}

/// A cached value (OODA-3).
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CachedEntity {
    pub key: String,
    pub value: Value,
    /// Seconds it is valid; 0 or less means never, none means until the epoch ends.
    pub ttl_seconds: Option<i64>,
    #[serde(rename = "created_utc", serialize_with = "crate::memory::json::as_seconds")]
    pub created: i64,
    pub source_event_id: Option<String>,
}

impl CachedEntity {
    /// Whether it has expired. Valid up to and including its last millisecond.
    pub fn expired(&self, now: i64) -> bool {
        self.ttl_seconds.is_some_and(|ttl| ttl <= 0 || now.saturating_sub(self.created) > ttl.saturating_mul(1000))
    }
}

/// The entities of an epoch, the least recently used first.
#[derive(Debug, Clone, Default)]
pub struct EntityCache {
    pub(crate) entities: Vec<CachedEntity>,
}

impl EntityCache {
    /// Caches an entity, replacing one of the same key. Returns the evicted ones.
    pub fn put(&mut self, entity: CachedEntity, most: usize) -> Vec<CachedEntity> {
        self.entities.retain(|known| known.key != entity.key);
        self.entities.push(entity);
        let over = self.entities.len().saturating_sub(most);
        self.entities.drain(..over).collect()
    }

    /// A valid entity, which becomes the most recently used. An expired one is removed.
    pub fn get(&mut self, key: &str, now: i64) -> Option<&CachedEntity> {
        let at = self.entities.iter().position(|known| known.key == key)?;
        let entity = self.entities.remove(at);
        if entity.expired(now) {
            return None;
        }
        self.entities.push(entity);
        self.entities.last()
    }

    /// Most recently used first, expired ones too.
    pub fn recent(&self) -> impl Iterator<Item = &CachedEntity> {
        self.entities.iter().rev()
    }

    pub fn evict_expired(&mut self, now: i64) -> Vec<CachedEntity> {
        let (stale, kept) = std::mem::take(&mut self.entities).into_iter().partition(|entity| entity.expired(now));
        self.entities = kept;
        stale
    }
}

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
            dag_snapshots: self.dags.iter().map(Dag::snapshot).collect(),
            recent_events: events,
            cached_entities: entities.into_iter().collect(),
            total_events_in_history: self.events.events.len(),
            total_entities_cached: self.entities.entities.len(),
            truncated,
        }
    }
}

#[cfg(test)]
mod tests;

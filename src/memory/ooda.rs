//! The live memory of one OODA loop (OODA): task graph, recent events, cached entities.
//!
//! One epoch is one run. It observes (P0, P1), orients (P2, P3), decides (P4) and acts (P5, P6). When it
//! ends, its memory is summarised once and cleared. Times are milliseconds since 1970 UTC and always arguments.

mod cache;
mod context;
mod dag;
mod events;
pub(crate) mod sqlite;
mod summary;

use std::fmt;

use serde::Serialize;

pub use cache::{CachedEntity, EntityCache};
pub use context::{ContextSlice, Query};
pub use dag::{Dag, DagStateSnapshot, NodeStatus};
pub use events::{EventQueue, ObservationEvent, Source};
pub use summary::EpochSummary;

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
        let with = |status| dags.iter().flat_map(Dag::nodes).find(|(_, found)| *found == status);
        if dags.iter().all(Dag::is_empty) || with(NodeStatus::Failed).is_some() {
            return Self::Replan;
        }
        if with(NodeStatus::Parked).is_some() {
            return Self::Park;
        }
        match with(NodeStatus::Running).or_else(|| with(NodeStatus::Pending)) {
            Some((node, _)) => Self::Continue(node.to_owned()),
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
        let at = self.dags.iter().position(|one| one.id() == dag).unwrap_or_else(|| {
            self.dags.push(Dag::new(dag, &[]));
            self.dags.len() - 1
        });
        self.dags[at].set(node, status);
        self.dags[at].snapshot()
    }

    /// Summarises the epoch and clears everything (OODA-5).
    pub fn flush_to_summarizer(&mut self, epoch: &str, opened: i64, now: i64) -> EpochSummary {
        let summary = summary::of(self, epoch, opened, now);
        *self = Self::default();
        summary
    }
}

#[cfg(test)]
mod tests;

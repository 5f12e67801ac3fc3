//! The summary of an epoch, made when its live memory is cleared.

use std::cmp::Reverse;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{DagStateSnapshot, LiveMemory, NodeStatus};

/// Maximum number of descriptions and of entities in a summary.
const EVENTS_KEPT: usize = 10;

/// The longest value of an entity that a summary keeps, in bytes of JSON.
const LONGEST: usize = 200;

/// The summary of an epoch (OODA-5).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EpochSummary {
    pub epoch_id: String,
    pub dag_ids_processed: Vec<String>,
    pub total_events_processed: u64,
    pub total_events_distinct: u64,
    pub total_entities_cached: usize,
    /// Graphs whose nodes are all done.
    pub completed_dags: Vec<String>,
    pub failed_dags: Vec<String>,
    /// At most ten event descriptions, by priority, then newest first.
    pub key_events: Vec<String>,
    /// At most ten valid entities with a value, and a short one, most recently used first.
    pub key_entities: Map<String, Value>,
    pub total_duration_ms: i64,
    pub final_dags: Vec<DagStateSnapshot>,
}

pub(super) fn of(ram: &LiveMemory, epoch: &str, opened: i64, now: i64) -> EpochSummary {
    let ids_of = |fits: &dyn Fn(&super::Dag) -> bool| -> Vec<String> {
        ram.dags.iter().filter(|dag| fits(dag)).map(|dag| dag.id().to_owned()).collect()
    };
    let mut events: Vec<_> = ram.events.newest().collect();
    events.sort_by_key(|event| Reverse(event.priority)); // stable: the newest of equal priority stay first
    EpochSummary {
        epoch_id: format!("epoch_{epoch}"),
        dag_ids_processed: ids_of(&|_| true),
        total_events_processed: ram.events.processed,
        total_events_distinct: ram.events.distinct,
        total_entities_cached: ram.entities.count(),
        completed_dags: ids_of(&|dag| {
            !dag.is_empty() && dag.nodes().all(|(_, status)| status == NodeStatus::Completed)
        }),
        failed_dags: ids_of(&|dag| dag.nodes().any(|(_, status)| status == NodeStatus::Failed)),
        key_events: events.iter().take(EVENTS_KEPT).map(|event| event.description.clone()).collect(),
        key_entities: ram
            .entities
            .recent()
            .filter(|entity| !entity.expired(now) && !entity.value.is_null())
            .filter(|entity| entity.value.to_string().len() <= LONGEST)
            .take(EVENTS_KEPT)
            .map(|entity| (entity.key.clone(), entity.value.clone()))
            .collect(),
        total_duration_ms: now.saturating_sub(opened).max(0),
        final_dags: ram.dags.iter().map(super::Dag::snapshot).collect(),
    }
}

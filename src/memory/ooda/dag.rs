//! The task graph: its nodes and the status of each; and the summary of an epoch, made when its live memory is cleared.

use std::cmp::Reverse;

use serde::Serialize;
use serde_json::{Map, Value, json};

words! {
    #[derive(Default)]
    NodeStatus {
        #[default]
        Pending = "pending",
        Running = "running",
        Completed = "completed",
        Failed = "failed",
        Parked = "parked",
    }
}

/// A task graph; nodes keep the order in which they were added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dag {
    pub(crate) id: String,
    pub(crate) nodes: Vec<(String, NodeStatus)>,
}

/// The state of a graph (OODA-1).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DagStateSnapshot {
    pub dag_id: String,
    pub total_nodes: usize,
    pub completed_count: usize,
    pub failed_count: usize,
    pub pending_count: usize,
    pub running_count: usize,
    pub parked_count: usize,
    pub node_statuses: Map<String, Value>,
    /// Completed percentage, 0 to 100, two decimals.
    pub completion_percentage: f64,
    pub failed_node_ids: Vec<String>,
    /// Number of nodes that are neither done nor failed.
    pub estimated_remaining_steps: usize,
}

impl Dag {
    /// Makes a graph with all nodes pending. Duplicate names are one node.
    pub fn new(id: &str, nodes: &[String]) -> Self {
        let mut dag = Self { id: id.to_owned(), nodes: Vec::new() };
        for node in nodes {
            dag.set(node, NodeStatus::Pending);
        }
        dag
    }

    pub fn set(&mut self, node: &str, status: NodeStatus) {
        match self.nodes.iter_mut().find(|(known, _)| known == node) {
            Some((_, known)) => *known = status,
            None => self.nodes.push((node.to_owned(), status)),
        }
    }

    pub fn snapshot(&self) -> DagStateSnapshot {
        let nodes_that = |is| self.nodes.iter().filter(move |(_, status)| *status == is).map(|(node, _)| node);
        let count = |status| nodes_that(status).count();
        let (completed, failed) = (count(NodeStatus::Completed), count(NodeStatus::Failed));
        let total = self.nodes.len();
        // Basis points, rounded half up, so that the figure is the same everywhere.
        let points = (completed * 20_000 + total).checked_div(2 * total).unwrap_or(0);
        DagStateSnapshot {
            dag_id: self.id.clone(),
            total_nodes: total,
            completed_count: completed,
            failed_count: failed,
            pending_count: count(NodeStatus::Pending),
            running_count: count(NodeStatus::Running),
            parked_count: count(NodeStatus::Parked),
            node_statuses: self.nodes.iter().map(|(node, status)| (node.clone(), json!(status))).collect(),
            completion_percentage: f64::from(u32::try_from(points).unwrap_or(10_000)) / 100.0,
            failed_node_ids: nodes_that(NodeStatus::Failed).cloned().collect(),
            estimated_remaining_steps: total - completed - failed,
        }
    }
}

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

pub(super) fn summary(ram: &super::LiveMemory, epoch: &str, opened: i64, now: i64) -> EpochSummary {
    let ids_of = |fits: &dyn Fn(&Dag) -> bool| -> Vec<String> {
        ram.dags.iter().filter(|dag| fits(dag)).map(|dag| dag.id.clone()).collect()
    };
    let mut events: Vec<_> = ram.events.newest().collect();
    events.sort_by_key(|event| Reverse(event.priority)); // stable: the newest of equal priority stay first
    EpochSummary {
        epoch_id: format!("epoch_{epoch}"),
        dag_ids_processed: ids_of(&|_| true),
        total_events_processed: ram.events.processed,
        total_events_distinct: ram.events.distinct,
        total_entities_cached: ram.entities.entities.len(),
        completed_dags: ids_of(&|dag| {
            !dag.nodes.is_empty() && dag.nodes.iter().all(|(_, status)| *status == NodeStatus::Completed)
        }),
        failed_dags: ids_of(&|dag| dag.nodes.iter().any(|(_, status)| *status == NodeStatus::Failed)),
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
        final_dags: ram.dags.iter().map(Dag::snapshot).collect(),
    }
}

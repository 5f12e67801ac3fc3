//! The task graph: its nodes and the status of each.

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
    id: String,
    nodes: Vec<(String, NodeStatus)>,
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

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn nodes(&self) -> impl Iterator<Item = (&str, NodeStatus)> {
        self.nodes.iter().map(|(node, status)| (node.as_str(), *status))
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
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

//! The three sliding windows (RING-6): views over a run's slots, never copies of their own.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Phase, WorkingMemory};

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Windows {
    /// The request (checkpoint of P1).
    pub input: Map<String, Value>,
    /// The draft and its findings (P2, overlaid with P3).
    pub processing: Map<String, Value>,
    /// The decision and its result (P4, overlaid with P5).
    pub approval: Map<String, Value>,
}

const INPUT: &[&str] = &[
    "description", "target_cli", "template_name", "raw_input", "parsed_at", "input_hash", "input_valid", "input_errors",
];

const PROCESSING: &[&str] = &[
    "skill_name", "skill_content", "metadata", "template_used", "category_inferred", "generated_at",
    "validation_passed", "validation_errors", "validation_timestamp",
];

const APPROVAL: &[&str] = &[
    "collision_detected", "collision_details", "human_gate_response", "human_gate_timestamp", "action_chosen",
    "backup_path", "new_skill_name", "persistence_ready",
];

impl Windows {
    /// Reads the windows. A field whose phase has no intact checkpoint is null.
    pub fn of(memory: &WorkingMemory) -> Self {
        Self {
            input: project(memory, &[Phase::Intake], INPUT),
            processing: project(memory, &[Phase::Generate, Phase::Validate], PROCESSING),
            approval: project(memory, &[Phase::Approve, Phase::Persist], APPROVAL),
        }
    }

    pub fn named(&self) -> [(&'static str, &Map<String, Value>); 3] {
        [("input", &self.input), ("processing", &self.processing), ("approval", &self.approval)]
    }
}

fn project(memory: &WorkingMemory, phases: &[Phase], fields: &[&str]) -> Map<String, Value> {
    let states: Vec<Value> =
        phases.iter().filter_map(|phase| memory.get_state(*phase).ok()).map(super::Checkpoint::value).collect();
    fields
        .iter()
        .map(|field| {
            let newest = states.iter().rev().find_map(|state| state.get(*field));
            ((*field).to_owned(), newest.cloned().unwrap_or(Value::Null))
        })
        .collect()
}

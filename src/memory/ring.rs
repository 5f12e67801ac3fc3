//! The working memory of a run: push a phase's state, get it, roll back to it (RING).

pub(crate) mod sqlite;

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Why a state is not available (RING-4, RING-5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The phase has no checkpoint in this run, or its slot has been reused since.
    #[error("PhaseNotInitialized: {0} has no checkpoint in this run")]
    PhaseNotInitialized(Phase),
    #[error("IntegrityCheckFailed: the checkpoint of {phase} in slot {slot} does not match its checksum")]
    IntegrityCheckFailed { phase: Phase, slot: usize },
    #[error("NothingToRollback: {0} has no checkpoint to roll back to")]
    NothingToRollback(Phase),
}

/// The position of a phase's newest checkpoint. The sequence number shows whether the slot was reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Marker {
    pub slot: usize,
    pub seq: u64,
}

/// How many slots a ring has (RING-1).
pub const CAPACITY: usize = 16;

/// One run's view of a lane's ring: sixteen slots, and a marker per phase of this run. A write goes to the write head,
/// which then advances.
#[derive(Debug, Clone)]
pub struct WorkingMemory {
    pub lane: u32,
    run: String,
    slots: [Option<Checkpoint>; CAPACITY],
    pub write_head: usize,
    /// The lane's next sequence number; it only grows.
    pub next_seq: u64,
    pub markers: [Option<Marker>; Phase::COUNT],
}

impl WorkingMemory {
    /// A fresh lane, all slots free, no marker set.
    pub fn fresh(lane: u32, run: &str) -> Self {
        let (slots, markers) = (Default::default(), [None; Phase::COUNT]);
        Self { lane, run: run.to_owned(), slots, write_head: 0, next_seq: 1, markers }
    }

    /// Restores stored slots; slot numbers are taken modulo the capacity.
    pub(crate) fn restored(self, stored: Vec<Checkpoint>, write_head: usize) -> Self {
        let mut ring = Self { write_head: write_head % CAPACITY, ..self };
        for one in stored {
            let slot = one.slot % CAPACITY;
            ring.slots[slot] = Some(one);
        }
        ring
    }

    /// `push_state` (RING-3): writes at the write head, moves the head on, sets the phase's marker.
    ///
    /// A slot with the current state of another phase of this run is skipped, so that any number of
    /// rounds at the gate leaves every earlier phase readable. Returns the slot.
    pub fn push_state(&mut self, phase: Phase, data: &str, at: &str) -> usize {
        // At most six slots hold another phase.
        while self.holds_another_phase(self.write_head, phase) {
            self.write_head = (self.write_head + 1) % CAPACITY;
        }
        let (slot, seq) = (self.write_head, self.next_seq);
        self.next_seq += 1;
        self.write_head = (slot + 1) % CAPACITY;
        let (run, checksum) = (self.run.clone(), String::new());
        let state = Checkpoint { slot, run, phase, seq, at: at.to_owned(), data: data.to_owned(), checksum };
        self.slots[slot] = Some(state.sealed(self.lane));
        self.markers[phase.index()] = Some(Marker { slot, seq });
        slot
    }

    /// `get_state` (RING-4): the newest state of the phase in this run.
    pub fn get_state(&self, phase: Phase) -> Result<&Checkpoint, MemoryError> {
        let marker = self.markers[phase.index()].ok_or(MemoryError::PhaseNotInitialized(phase))?;
        let intact = self.get(marker.slot).filter(|found| found.intact(self.lane, marker.slot));
        let found = intact.ok_or(MemoryError::IntegrityCheckFailed { phase, slot: marker.slot })?;
        self.slot_of(phase).map(|_| found).ok_or(MemoryError::PhaseNotInitialized(phase))
    }

    /// The newest state of a phase of this run that a rollback dropped, as long as nothing is written over its slot.
    pub fn dropped_state(&self, phase: Phase) -> Option<&Checkpoint> {
        let own = self.used().filter(|(_, one)| one.run == self.run && one.phase == phase && self.is_stale(one));
        let intact = own.filter(|(slot, one)| one.intact(self.lane, *slot));
        intact.max_by_key(|(_, one)| one.seq).map(|(_, one)| one)
    }

    /// `rollback_to` (RING-5): verifies the phase's checkpoint, clears the markers of all later
    /// phases and sets the write head to the slot after it. Returns the restored state. On an error nothing changes.
    pub fn rollback_to(&mut self, phase: Phase) -> Result<&Checkpoint, MemoryError> {
        let slot = match self.get_state(phase) {
            Ok(checkpoint) => checkpoint.slot,
            Err(MemoryError::PhaseNotInitialized(phase)) => return Err(MemoryError::NothingToRollback(phase)),
            Err(damaged) => return Err(damaged),
        };
        for later in Phase::ALL.iter().filter(|later| **later > phase) {
            self.markers[later.index()] = None;
        }
        self.write_head = (slot + 1) % CAPACITY;
        self.get_state(phase)
    }

    /// The slot a phase's marker points at, if the checkpoint is still there.
    pub fn slot_of(&self, phase: Phase) -> Option<usize> {
        let marker = self.markers[phase.index()]?;
        let tenant = self.get(marker.slot)?;
        (tenant.run == self.run && tenant.phase == phase && tenant.seq == marker.seq).then_some(marker.slot)
    }

    pub fn get(&self, slot: usize) -> Option<&Checkpoint> {
        self.slots.get(slot)?.as_ref()
    }

    pub fn used(&self) -> impl Iterator<Item = (usize, &Checkpoint)> {
        self.slots.iter().enumerate().filter_map(|(slot, state)| Some((slot, state.as_ref()?)))
    }

    /// Whether a slot is stale: replaced by another checkpoint or dropped by a rollback.
    /// Only meaningful for this run's own slots.
    pub fn is_stale(&self, checkpoint: &Checkpoint) -> bool {
        checkpoint.run == self.run
            && self.markers[checkpoint.phase.index()] != Some(Marker { slot: checkpoint.slot, seq: checkpoint.seq })
    }

    fn holds_another_phase(&self, slot: usize, pushed: Phase) -> bool {
        Phase::ALL.iter().any(|phase| *phase != pushed && self.slot_of(*phase) == Some(slot))
    }
}

/// One phase's state in one slot, with a checksum over the state and everything that identifies it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    pub slot: usize,
    pub run: String,
    pub phase: Phase,
    /// Position in the lane's history; never repeats, so that a reused slot is recognised.
    pub seq: u64,
    pub at: String,
    pub data: String,
    /// BLAKE3 in hexadecimal over lane, slot, run, phase, sequence, time and data.
    pub checksum: String,
}

impl Checkpoint {
    /// The checkpoint with its checksum in this lane.
    #[must_use]
    pub fn sealed(self, lane: u32) -> Self {
        Self { checksum: self.sum(lane, self.slot), ..self }
    }

    /// Whether the checksum matches for this lane and slot. Swapped rows fail too.
    pub fn intact(&self, lane: u32, slot: usize) -> bool {
        self.slot == slot && self.checksum == self.sum(lane, slot)
    }

    pub fn value(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|_| Value::String(self.data.clone()))
    }

    fn sum(&self, lane: u32, slot: usize) -> String {
        let mut hasher = blake3::Hasher::new_derive_key("hefesto working memory slot v1");
        hasher.update(&lane.to_le_bytes());
        hasher.update(&(slot as u64).to_le_bytes());
        hasher.update(&self.seq.to_le_bytes());
        for text in [self.run.as_str(), self.phase.label(), &self.at, &self.data] {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

/// The three sliding windows (RING-6): views over a run's slots, never copies of their own.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
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
        phases.iter().filter_map(|phase| memory.get_state(*phase).ok()).map(Checkpoint::value).collect();
    fields
        .iter()
        .map(|field| {
            let newest = states.iter().rev().find_map(|state| state.get(*field));
            ((*field).to_owned(), newest.cloned().unwrap_or(Value::Null))
        })
        .collect()
}

/// P0–P6 (RUN-1). The enum labels checkpoints, errors and output; it drives nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// P0: find the project, the clients and interrupted work.
    Preflight,
    /// P1: arguments or wizard become a request.
    Intake,
    /// P2: the request becomes a draft.
    Generate,
    /// P3: the rules check the draft.
    Validate,
    /// P4: a person decides.
    Approve,
    /// P5: all files are written, or none.
    Persist,
    /// P6: report and learn.
    Finish,
}

impl Phase {
    pub const COUNT: usize = 7;

    pub const ALL: [Self; Self::COUNT] =
        [Self::Preflight, Self::Intake, Self::Generate, Self::Validate, Self::Approve, Self::Persist, Self::Finish];

    pub fn index(self) -> usize {
        self as usize
    }

    pub fn name(self) -> &'static str {
        ["preflight", "intake", "generate", "validate", "approve", "persist", "finish"][self.index()]
    }

    /// The number: `P0` … `P6`.
    pub fn label(self) -> &'static str {
        ["P0", "P1", "P2", "P3", "P4", "P5", "P6"][self.index()]
    }

    pub fn before(self) -> Option<Self> {
        self.index().checked_sub(1).map(|index| Self::ALL[index])
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

impl FromStr for Phase {
    type Err = String;

    /// Takes `P2`, `p2`, `2`, `PHASE-2` or `generate`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let word = text.trim();
        let after = |prefix: &str| {
            let (head, rest) = word.split_at_checked(prefix.len())?;
            head.eq_ignore_ascii_case(prefix).then_some(rest)
        };
        let digits = after("phase-").or_else(|| after("p")).unwrap_or(word);
        Self::ALL
            .into_iter()
            .find(|phase| phase.label().strip_prefix('P') == Some(digits) || phase.name().eq_ignore_ascii_case(word))
            .ok_or_else(|| format!("no phase is called {text:?}; phases are P0 to P6, preflight to finish"))
    }
}

impl Serialize for Phase {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.label())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const AT: &str = "2026-02-05T10:00:00Z";

    #[test]
    fn a_checkpoint_of_another_lane_is_not_intact_here() {
        let (run, at, data, checksum) = ("run".into(), AT.into(), "{}".into(), String::new());
        let sealed = Checkpoint { slot: 3, run, phase: Phase::Intake, seq: 1, at, data, checksum }.sealed(0);
        assert!(sealed.intact(0, 3) && !sealed.intact(1, 3) && !sealed.intact(0, 4));
    }

    #[test]
    fn phases_are_known_by_number_and_by_name() {
        for word in ["P2", "p2", "2", "PHASE-2", "generate", "Generate"] {
            assert_eq!(word.parse(), Ok(Phase::Generate), "{word}");
        }
        assert!("P7".parse::<Phase>().is_err());
        assert!("".parse::<Phase>().is_err());
    }

    proptest! {
        /// Compares with a model that stores everything: `get_state` returns the newest push of that phase since the last
        /// rollback before it, and nothing else.
        #[test]
        fn get_state_gives_the_newest_push_or_nothing(history in proptest::collection::vec((0usize..7, any::<bool>()), 0..200)) {
            let mut memory = WorkingMemory::fresh(0, "run");
            let mut model: [Option<String>; Phase::COUNT] = Default::default();
            for (step, (index, push)) in history.into_iter().enumerate() {
                let phase = Phase::ALL[index];
                if push {
                    let data = format!("{{\"step\":{step}}}");
                    memory.push_state(phase, &data, AT);
                    model[index] = Some(data);
                } else {
                    let rolled = memory.rollback_to(phase).map(|c| c.data.clone()).ok();
                    prop_assert_eq!(&rolled, &model[index]);
                    if rolled.is_some() {
                        model[index + 1..].fill(None);
                    }
                }
                for phase in Phase::ALL {
                    prop_assert_eq!(memory.get_state(phase).map(|c| c.data.clone()).ok(), model[phase.index()].clone());
                }
                prop_assert!(memory.write_head < CAPACITY);
            }
        }
    }
}

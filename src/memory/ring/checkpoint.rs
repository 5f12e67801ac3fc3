//! A checkpoint: one phase's state in one slot, with a checksum over the state and everything that identifies it.

use super::Phase;

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

    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(&self.data).unwrap_or_else(|_| serde_json::Value::String(self.data.clone()))
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

//! The working memory of a run: push a phase's state, get it, roll back to it (RING).

mod buffer;
mod checkpoint;
mod phase;
pub(crate) mod sqlite;
mod window;

pub use buffer::{CAPACITY, CircularBuffer};
pub use checkpoint::Checkpoint;
pub use phase::Phase;
pub use window::Windows;

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

/// One run's view of a lane's ring: sixteen slots, a write head, and a marker per phase of this run.
#[derive(Debug, Clone)]
pub struct WorkingMemory {
    lane: u32,
    run: String,
    ring: CircularBuffer,
    next_seq: u64,
    markers: [Option<Marker>; Phase::COUNT],
}

impl WorkingMemory {
    /// Continues a lane's ring for a run. `next_seq` is the lane's next sequence number; it only grows.
    pub fn open(
        lane: u32,
        run: impl Into<String>,
        ring: CircularBuffer,
        next_seq: u64,
        markers: [Option<Marker>; Phase::COUNT],
    ) -> Self {
        Self { lane, run: run.into(), ring, next_seq, markers }
    }

    /// A fresh lane, all slots free, no marker set.
    pub fn fresh(lane: u32, run: impl Into<String>) -> Self {
        Self::open(lane, run, CircularBuffer::default(), 1, [None; Phase::COUNT])
    }

    /// `push_state` (RING-3): writes at the write head, moves the head on, sets the phase's marker.
    ///
    /// A slot with the current state of another phase of this run is skipped, so that any number of
    /// rounds at the gate leaves every earlier phase readable. Returns the slot.
    pub fn push_state(&mut self, phase: Phase, data: impl Into<String>, at: impl Into<String>) -> usize {
        // At most six slots hold another phase.
        while self.holds_another_phase(self.ring.write_head(), phase) {
            self.ring.set_write_head(self.ring.write_head() + 1);
        }
        let slot = self.ring.write_head();
        let seq = self.next_seq;
        self.next_seq += 1;
        let (run, checksum) = (self.run.clone(), String::new());
        let state = Checkpoint { slot, run, phase, seq, at: at.into(), data: data.into(), checksum };
        self.ring.push(state.sealed(self.lane));
        self.markers[phase.index()] = Some(Marker { slot, seq });
        slot
    }

    /// `get_state` (RING-4): the newest state of the phase in this run.
    pub fn get_state(&self, phase: Phase) -> Result<&Checkpoint, MemoryError> {
        let marker = self.markers[phase.index()].ok_or(MemoryError::PhaseNotInitialized(phase))?;
        let intact = self.ring.get(marker.slot).filter(|found| found.intact(self.lane, marker.slot));
        let found = intact.ok_or(MemoryError::IntegrityCheckFailed { phase, slot: marker.slot })?;
        self.slot_of(phase).map(|_| found).ok_or(MemoryError::PhaseNotInitialized(phase))
    }

    /// The newest state of a phase of this run that a rollback dropped, as long as nothing is written over its slot.
    pub fn dropped_state(&self, phase: Phase) -> Option<&Checkpoint> {
        let own = self.ring.used().filter(|(_, one)| one.run == self.run && one.phase == phase && self.is_stale(one));
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
        self.ring.set_write_head(slot + 1);
        self.get_state(phase)
    }

    /// The slot a phase's marker points at, if the checkpoint is still there.
    pub fn slot_of(&self, phase: Phase) -> Option<usize> {
        let marker = self.markers[phase.index()]?;
        let tenant = self.ring.get(marker.slot)?;
        (tenant.run == self.run && tenant.phase == phase && tenant.seq == marker.seq).then_some(marker.slot)
    }

    pub fn markers(&self) -> &[Option<Marker>; Phase::COUNT] {
        &self.markers
    }

    pub fn write_head(&self) -> usize {
        self.ring.write_head()
    }

    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    pub fn lane(&self) -> u32 {
        self.lane
    }

    pub fn ring(&self) -> &CircularBuffer {
        &self.ring
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

#[cfg(test)]
mod tests;

//! A circular buffer of sixteen slots: a write goes to the write head, which then advances.

use super::Checkpoint;

/// How many slots a ring has (RING-1).
pub const CAPACITY: usize = 16;

/// Sixteen slots and the position of the next write.
#[derive(Debug, Clone, Default)]
pub struct CircularBuffer {
    slots: [Option<Checkpoint>; CAPACITY],
    write_head: usize,
}

impl CircularBuffer {
    /// Restores stored slots; slot numbers are taken modulo the capacity.
    pub fn restored(stored: Vec<Checkpoint>, write_head: usize) -> Self {
        let mut ring = Self { write_head: write_head % CAPACITY, ..Self::default() };
        for one in stored {
            let slot = one.slot % CAPACITY;
            ring.slots[slot] = Some(one);
        }
        ring
    }

    pub fn push(&mut self, state: Checkpoint) {
        self.slots[self.write_head] = Some(state);
        self.set_write_head(self.write_head + 1);
    }

    pub fn set_write_head(&mut self, slot: usize) {
        self.write_head = slot % CAPACITY;
    }

    pub fn write_head(&self) -> usize {
        self.write_head
    }

    pub fn get(&self, slot: usize) -> Option<&Checkpoint> {
        self.slots.get(slot)?.as_ref()
    }

    pub fn used(&self) -> impl Iterator<Item = (usize, &Checkpoint)> {
        self.slots.iter().enumerate().filter_map(|(slot, state)| Some((slot, state.as_ref()?)))
    }
}

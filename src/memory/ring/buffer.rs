//! A circular buffer of sixteen slots: a write goes to the write head, which then advances.

/// How many slots a ring has (RING-1).
pub const CAPACITY: usize = 16;

/// Sixteen slots and the position of the next write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CircularBuffer<T> {
    slots: [Option<T>; CAPACITY],
    write_head: usize,
}

impl<T> Default for CircularBuffer<T> {
    fn default() -> Self {
        Self { slots: std::array::from_fn(|_| None), write_head: 0 }
    }
}

impl<T> CircularBuffer<T> {
    /// Restores stored slots; slot numbers are taken modulo the capacity.
    pub fn restored(stored: impl IntoIterator<Item = (usize, T)>, write_head: usize) -> Self {
        let mut ring = Self::default();
        for (slot, value) in stored {
            ring.slots[slot % CAPACITY] = Some(value);
        }
        ring.write_head = write_head % CAPACITY;
        ring
    }

    pub fn push(&mut self, value: T) {
        self.slots[self.write_head] = Some(value);
        self.step();
    }

    pub fn step(&mut self) {
        self.write_head = (self.write_head + 1) % CAPACITY;
    }

    pub fn set_write_head(&mut self, slot: usize) {
        self.write_head = slot % CAPACITY;
    }

    pub fn write_head(&self) -> usize {
        self.write_head
    }

    pub fn get(&self, slot: usize) -> Option<&T> {
        self.slots.get(slot)?.as_ref()
    }

    pub fn used(&self) -> impl Iterator<Item = (usize, &T)> {
        self.slots.iter().enumerate().filter_map(|(slot, value)| value.as_ref().map(|value| (slot, value)))
    }
}

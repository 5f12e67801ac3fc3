//! How much the queue of conversations and the loop of a run keep.

use super::{fifo, ooda};

/// The bounds a memory keeps to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// How many conversations are kept, 1–1000.
    pub conversations: usize,
    pub ooda: ooda::Limits,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { conversations: fifo::CAPACITY, ooda: ooda::Limits::default() }
    }
}

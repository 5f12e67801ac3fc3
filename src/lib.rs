//! The forge for Agent Skills: one sentence in, one validated skill for every AI CLI on the machine out.
//!
//! The library half exists so that tests may run the whole program in-process; it makes no API promises.
//! `docs/architecture.md` is the map of the rooms below and of who may import whom.

pub mod backup;
pub mod change;
pub mod error;
pub mod finding;
pub mod memory;
pub mod prompt;
pub mod rules;
pub mod signal;
pub mod skill;
pub mod target;
pub mod working;

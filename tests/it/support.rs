//! Worlds, stages and terminals that tests run in.

pub mod case;
pub mod conformance;
pub mod held;
pub mod pty;
#[cfg(feature = "redis")]
pub mod redis;
pub mod stage;
pub mod world;

//! Worlds, stages and terminals that tests run in.

pub(crate) mod case;
pub(crate) mod commit;
pub(crate) mod conformance;
pub(crate) mod example;
pub(crate) mod held;
pub(crate) mod made;
pub(crate) mod pty;
#[cfg(feature = "redis")]
pub(crate) mod redis;
pub(crate) mod stage;
pub(crate) mod sweep;
pub(crate) mod world;

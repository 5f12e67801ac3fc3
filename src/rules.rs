//! The rules a skill is held to.

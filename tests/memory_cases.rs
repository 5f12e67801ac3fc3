//! The cases of the memory that have a name: R the ring, C a crash, P many at once, X secrets, J the journal of checkpoints.
//! Those of the stores are beside them: S in `memory_stm`, F in `memory_fifo`, O in `memory_ooda`, I in `memory_turn`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "a child tells its parent what it has committed")]

#[path = "support/held.rs"]
mod held;
#[path = "support/world.rs"]
mod world;

#[path = "memory_cases/crash.rs"]
mod crash;
#[path = "memory_cases/journal.rs"]
mod journal;
#[path = "memory_cases/parallel.rs"]
mod parallel;
#[path = "memory_cases/ring.rs"]
mod ring;
#[path = "memory_cases/secrets.rs"]
mod secrets;

//! The cases of the memory that have a name: R the ring, C a crash, P many at once, X secrets, J the journal of
//! checkpoints. Those of the stores are beside them: S in `memory_stm`, F in `memory_fifo`, O in `memory_ooda`, I in
//! `memory_turn`.

mod crash;
mod journal;
mod parallel;
mod ring;
mod secrets;

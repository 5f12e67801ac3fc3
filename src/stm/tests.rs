//! The rules of seed 2 on the process's own memory, each by its number; `tests/stm_contract.rs` holds every back end to them.

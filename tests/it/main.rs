//! What a person, a script or another program sees of hefesto. Run one file's tests with `cargo test --test it NAME::`.
//! They need a Unix; on Windows `.ci/windows-smoke.cmd` uses the program.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on fails"
)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a sweep prints its figures, a skipped test its reason")]

mod support;

mod architecture;
mod archives;
mod cases;
mod command_line;
mod commit_signals;
mod conformance;
mod crash;
mod create;
mod detection;
mod documents;
mod draft;
mod draft_answers;
mod draft_terminal;
mod ended;
mod exact_tokens;
mod fix_command;
mod gate_terminal;
mod global;
mod hostile;
mod hostile_output;
mod kill;
mod life;
mod memory_cases;
mod memory_commands;
mod memory_fifo;
mod memory_hostile;
mod memory_ooda;
mod memory_skill;
mod memory_stm;
mod memory_turn;
mod memory_views;
mod memory_whole;
mod mounts;
mod obstacles;
mod output_terminal;
mod own;
mod own_directory;
mod own_pack;
mod own_skills;
mod packs;
mod picture;
mod prompts;
mod read_faults;
mod readings;
mod readme;
mod requirements;
mod sarif;
mod schema;
mod seed;
mod sentences;
mod signals;
mod stm_contract;
mod strace;
mod terminal;
mod trust;
mod why;
mod wizard_terminal;

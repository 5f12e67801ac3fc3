//! The AI CLIs: which there are, which are installed, what each reads, and how each is run.
pub mod adapt;
pub mod detect;
pub mod discovery;
pub mod drafting;
pub mod host;
pub mod target;

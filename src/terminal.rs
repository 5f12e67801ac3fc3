//! The terminal: prompts, output, pager and signals.
pub mod pager;
pub mod prompt;
pub mod signal;
pub mod ui;

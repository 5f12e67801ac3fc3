//! Linux, macOS and the BSDs.
pub mod file_system;
pub mod files;
pub mod listing;
pub mod places;
pub mod process;
pub mod signals;
pub mod source;
pub mod terminal;

//! Linux, macOS and the BSDs.
pub mod files;
pub mod listing;
pub mod places;
pub mod process;
pub mod terminal;

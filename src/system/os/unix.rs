//! Linux, macOS and the BSDs.
pub mod files;
pub mod listing;
pub mod places;
pub mod process;
pub mod signals;
pub mod source;
pub mod terminal;

//! Windows. It keeps no modes, makes no names durable on their own, and cannot exchange two names.
pub mod file_system;
pub mod files;
pub mod listing;
pub mod places;
pub mod process;
pub mod signals;
pub mod source;
pub mod terminal;

//! Windows. It keeps no modes, makes no names durable on their own, and cannot exchange two names.
pub mod files;
pub mod listing;
pub mod places;
pub mod process;
pub mod terminal;

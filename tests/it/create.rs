//! `create` from the first argument to the last file, in-process, with a person whose answers are known.

mod again;
mod collision;
mod delete;
mod edit;
mod expand;
mod gate;
mod options;
mod persist;
mod repair;
mod restore;
mod resume;
mod start;
mod stored;
mod undo;
mod wizard;

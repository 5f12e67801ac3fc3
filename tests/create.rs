//! `create` from the first argument to the last file, in-process, with a person whose answers are known.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on fails")]

#[path = "support/world.rs"]
mod world;

#[path = "create/collision.rs"]
mod collision;
#[path = "create/delete.rs"]
mod delete;
#[path = "create/edit.rs"]
mod edit;
#[path = "create/expand.rs"]
mod expand;
#[path = "create/gate.rs"]
mod gate;
#[path = "create/options.rs"]
mod options;
#[path = "create/persist.rs"]
mod persist;
#[path = "create/repair.rs"]
mod repair;
#[path = "create/restore.rs"]
mod restore;
#[path = "create/resume.rs"]
mod resume;
#[path = "create/start.rs"]
mod start;
#[path = "create/stored.rs"]
mod stored;
#[path = "create/undo.rs"]
mod undo;
#[path = "create/wizard.rs"]
mod wizard;

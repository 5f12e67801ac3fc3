//! The session of a run and its `active_task` entry (STM-3).

use serde_json::json;

use super::engine::{Opened, Stm};
use super::entry::{Category, NewEntry, Priority};
use super::error::{Refusal, Result, StmError};
use super::session::SessionKey;

impl Stm<'_> {
    /// Opens the session of a run under the run's id. A resumed run reopens its session.
    pub fn open_run(&mut self, run: &str, embodiment: &str, actor: &str) -> Result<Opened> {
        let fresh: String = run.chars().skip(run.chars().count().saturating_sub(8)).collect();
        self.open(SessionKey::new(embodiment, run), actor, Some(run.to_owned()), &fresh)
    }

    /// Records the phase and status of the run in one `active_task` entry, rewritten by every phase.
    pub fn task(&mut self, key: &SessionKey, phase: &str, status: &str) -> Result<()> {
        let id = format!("{}-task", key.id);
        let content = json!({ "type": "active_task", "data": { "task_id": key.id, "phase": phase, "status": status } });
        match self.update(key, Some(&id), None, &content) {
            Err(StmError::Refused(Refusal::NoSuchEntry { .. })) => {}
            done => return done.map(drop),
        }
        // After a day of waiting the entry has expired and may still be stored.
        match self.purge(key, Some(&id)) {
            Ok(_) | Err(StmError::Refused(Refusal::NoSuchEntry { .. })) => {}
            Err(error) => return Err(error),
        }
        let (category, priority) = (Category::ActiveTask, Priority::High);
        let (actor, tags) = ("hefesto".to_owned(), Vec::new());
        self.store(key, NewEntry { id, category, priority, actor, tags, content, lives: None }).map(drop)
    }

    pub fn end_run(&mut self, key: &SessionKey) -> Result<()> {
        match self.end(key) {
            Err(StmError::Backend(error)) => Err(error.into()),
            Ok(_) | Err(StmError::Refused(_)) => Ok(()),
        }
    }
}

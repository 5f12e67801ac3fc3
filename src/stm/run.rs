//! What a run of hefesto keeps of itself in short-term memory: its session, and the one task it is at (seed 2 §8.2).

use serde_json::json;

use super::engine::{Opened, Stm};
use super::entry::{Category, NewEntry, Priority};
use super::error::{Refusal, Result, StmError};
use super::session::SessionKey;

impl Stm<'_> {
    /// Opens the session of a run, named as the run. A run that is taken up again gets the one it had.
    ///
    /// # Errors
    /// As [`Stm::open`].
    pub fn open_run(&mut self, run: &str, embodiment: &str, actor: &str) -> Result<Opened> {
        let fresh: String = run.chars().skip(run.chars().count().saturating_sub(8)).collect();
        self.open(SessionKey::new(embodiment, run), actor, Some(run.to_owned()), &fresh)
    }

    /// Says which phase the run is in and how it stands: one `active_task` entry, written anew by every phase.
    ///
    /// # Errors
    /// As [`Stm::store`].
    pub fn task(&mut self, key: &SessionKey, phase: &str, status: &str) -> Result<()> {
        let id = format!("{}-task", key.id);
        let content = json!({ "type": "active_task", "data": { "task_id": key.id, "phase": phase, "status": status } });
        match self.update(key, Some(&id), None, &content) {
            Err(StmError::Refused(Refusal::NoSuchEntry { .. })) => {}
            done => return done.map(|_entry| ()),
        }
        // A run that waited for a day: what it was at has expired, and may still be there.
        match self.purge(key, Some(&id)) {
            Ok(_) | Err(StmError::Refused(Refusal::NoSuchEntry { .. })) => {}
            Err(error) => return Err(error),
        }
        let new = NewEntry {
            id,
            category: Category::ActiveTask,
            priority: Priority::High,
            actor: "hefesto".to_owned(),
            tags: Vec::new(),
            content,
            lives: None,
        };
        self.store(key, new).map(|_stored| ())
    }

    /// Ends the session of a run. One that is not there is at its end already.
    ///
    /// # Errors
    /// Only the back end's.
    pub fn end_run(&mut self, key: &SessionKey) -> Result<()> {
        match self.end(key) {
            Err(StmError::Backend(error)) => Err(error.into()),
            Ok(_) | Err(StmError::Refused(_)) => Ok(()),
        }
    }
}

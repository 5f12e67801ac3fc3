//! A lane: the right of one live run to write one ring. The kernel gives it back when the process ends.

use std::fs::{File, TryLockError};
use std::time::Duration;

use anyhow::{Context, bail};

use crate::report::slashed::Slashed;
use crate::system::os::files::sync_together;
use crate::system::rooted::Rooted;

/// The most live runs in one project; more indicate an error.
const MOST: u32 = 64;

/// How often lane 0 is tried, and the pause between: a program started by a finished run inherits its locks for a
/// moment, until it has started.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(15);

/// A locked lane. Sequential runs all get lane 0; a run beside a live one gets the next.
#[derive(Debug)]
pub struct Lane {
    number: u32,
    _held: File,
}

impl Lane {
    /// Locks the first free lane. `dir` contains one lock file per lane ever used; they are empty and never removed.
    pub fn acquire(dir: &Rooted) -> anyhow::Result<Self> {
        let shown = dir.path();
        dir.make_dir(0o700).with_context(|| format!("making {}", shown.slashed()))?;
        for number in 0..MOST {
            let file = dir.join(number.to_string());
            let path = file.path();
            let known = file.exists();
            let file = file.append(0o600).with_context(|| format!("opening {}", path.slashed()))?;
            if !known {
                let synced = dir.handle().and_then(|dir| sync_together(&[&file, &dir]));
                synced.with_context(|| format!("syncing {}", path.slashed()))?;
            }
            match patient(&file, if number == 0 { TRIES } else { 1 }) {
                Ok(()) => return Ok(Self { number, _held: file }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("locking {}", path.slashed()));
                }
            }
        }
        bail!("{MOST} runs are under way in this project")
    }

    /// Whether a live run has locked a lane. Nothing is created, and a free lane is locked only during the query.
    pub fn is_held(dir: &Rooted, number: u32) -> bool {
        let file = dir.join(number.to_string()).open();
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    pub fn number(&self) -> u32 {
        self.number
    }
}

fn patient(file: &File, tries: u32) -> Result<(), TryLockError> {
    for _ in 1..tries {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            decided => return decided,
        }
    }
    file.try_lock()
}

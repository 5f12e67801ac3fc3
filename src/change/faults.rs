//! Failures on demand: lets a test fail, or seem to kill, the program before or after any one step on the disk.

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// What happens at the chosen step.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The step fails without effect; what follows works again.
    Error,
    /// This step and every later one fail without effect.
    Errors,
    /// The process dies before the step: nothing after it is carried out.
    DeathBefore,
    /// The process dies right after the step took effect.
    DeathAfter,
}

/// Counts the steps on the disk and misbehaves at one of them. The program itself uses [`Faults::none`].
#[doc(hidden)]
#[derive(Debug)]
pub struct Faults {
    at: Option<usize>,
    way: Way,
    error: Errno,
    swaps: bool,
    count: Cell<usize>,
    dead: Cell<bool>,
    failed: RefCell<Option<PathBuf>>,
}

impl Faults {
    /// No failure at all.
    #[must_use]
    pub fn none() -> Self {
        Self {
            at: None,
            way: Way::Error,
            error: Errno::IO,
            swaps: true,
            count: Cell::new(0),
            dead: Cell::new(false),
            failed: RefCell::new(None),
        }
    }

    /// Misbehaves at step `at`, counted from 1.
    #[must_use]
    pub fn at(at: usize, way: Way) -> Self {
        Self { at: Some(at), way, ..Self::none() }
    }

    /// Fails with this error instead of EIO.
    #[must_use]
    pub fn error(self, error: Errno) -> Self {
        Self { error, ..self }
    }

    /// Behaves like a file system that cannot exchange two names in one step.
    #[must_use]
    pub fn without_swaps(self) -> Self {
        Self { swaps: false, ..self }
    }

    /// How many steps were asked for so far.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.count.get()
    }

    pub(super) fn swaps(&self) -> bool {
        self.swaps
    }

    /// Whether the simulated process has died.
    pub(super) fn dead(&self) -> bool {
        self.dead.get()
    }

    /// Remembers where a step failed. What is there or not there is an answer more often than a failure.
    pub(super) fn note(&self, error: &io::Error, path: &Path) {
        let answer =
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty);
        if !answer {
            self.failed.replace(Some(path.to_owned()));
        }
    }

    /// Where the last failure was, if there was one.
    pub(super) fn failed(&self) -> Option<PathBuf> {
        self.failed.borrow().clone()
    }

    pub(super) fn before(&self) -> io::Result<()> {
        if self.dead.get() {
            return Err(dead());
        }
        let step = self.count.get().saturating_add(1);
        self.count.set(step);
        #[cfg(debug_assertions)]
        super::failpoint::before()?;
        match (self.at, self.way) {
            (Some(at), Way::Error) if at == step => Err(self.error.into()),
            (Some(at), Way::Errors) if at <= step => Err(self.error.into()),
            (Some(at), Way::DeathBefore) if at == step => {
                self.dead.set(true);
                Err(dead())
            }
            _ => Ok(()),
        }
    }

    pub(super) fn after(&self) -> io::Result<()> {
        if self.at == Some(self.count.get()) && self.way == Way::DeathAfter {
            self.dead.set(true);
            return Err(dead());
        }
        #[cfg(debug_assertions)]
        super::failpoint::after()?;
        Ok(())
    }
}

fn dead() -> io::Error {
    io::Error::other("the process is gone")
}

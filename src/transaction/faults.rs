//! Failures on demand: lets a test fail, or seem to kill, the program at any one change to the disk or read from it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::system::os::files::Errno;
use crate::system::rooted::{self, Held, Metadata};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Way {
    #[default]
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
#[derive(Debug, Default)]
pub struct Faults {
    at: Option<usize>,
    way: Way,
    /// EIO without one.
    error: Option<Errno>,
    without_swaps: bool,
    without_groups: bool,
    fixed: BTreeSet<u64>,
    stuck: Option<&'static str>,
    /// Whether it misbehaves at a read, and not at a change.
    pub(super) reading: bool,
    changes: Cell<usize>,
    reads: Cell<usize>,
    dead: Cell<bool>,
    failed: RefCell<Option<PathBuf>>,
}

impl Faults {
    pub fn none() -> Self {
        Self::default()
    }

    /// Misbehaves at step `at`, counted from 1.
    pub fn at(at: usize, way: Way) -> Self {
        Self { at: Some(at), way, ..Self::none() }
    }

    /// Misbehaves at read `at`, counted from 1: opening, looking at, listing or reading something.
    pub fn at_read(at: usize, way: Way) -> Self {
        Self { reading: true, ..Self::at(at, way) }
    }

    /// Fails with this error instead of EIO.
    pub fn error(self, error: Errno) -> Self {
        Self { error: Some(error), ..self }
    }

    /// Behaves like a file system that cannot exchange two names in one step.
    pub fn without_swaps(self) -> Self {
        Self { without_swaps: true, ..self }
    }

    /// Behaves like a system that syncs each file by itself.
    pub fn without_groups(self) -> Self {
        Self { without_groups: true, ..self }
    }

    /// Behaves like an overlay file system: directories with these inodes, its lower layer's, cannot be renamed.
    pub fn with_lower_layer(self, fixed: BTreeSet<u64>) -> Self {
        Self { fixed, ..self }
    }

    /// Behaves as if whatever lies below a directory of this name belonged to another user: it cannot be removed.
    pub fn with_foreign(self, name: &'static str) -> Self {
        Self { stuck: Some(name), ..self }
    }

    /// How many reads were asked for so far.
    pub fn reads(&self) -> usize {
        self.reads.get()
    }

    /// How many steps were asked for so far.
    pub fn steps(&self) -> usize {
        self.changes.get()
    }

    pub(super) fn swaps(&self) -> bool {
        !self.without_swaps
    }

    pub(super) fn groups(&self) -> bool {
        #[cfg(debug_assertions)]
        if super::failpoint::apart() {
            return false;
        }
        !self.without_groups
    }

    /// Refuses to remove what belongs to another user.
    pub(super) fn removable(&self, path: &Path) -> io::Result<()> {
        let within = |name| path.parent().is_some_and(|above| above.components().any(|part| part.as_os_str() == name));
        if self.stuck.is_some_and(within) { Err(Errno::ACCESS.into()) } else { Ok(()) }
    }

    /// Refuses to rename a directory of the lower layer.
    pub(super) fn movable(&self, at: &Held) -> io::Result<()> {
        let lower = |meta: Metadata| meta.is_dir() && self.fixed.contains(&rooted::identity(&meta).1);
        if !self.fixed.is_empty() && at.metadata().is_ok_and(lower) {
            return Err(Errno::XDEV.into());
        }
        Ok(())
    }

    pub(super) fn dead(&self) -> bool {
        self.dead.get()
    }

    /// Remembers where a step failed. What is there or not there is an answer more often than a failure.
    pub(super) fn note(&self, error: &io::Error, at: &Held) {
        let answer =
            matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty);
        if !answer {
            self.failed.replace(Some(at.path()));
        }
    }

    pub(super) fn failed(&self) -> Option<PathBuf> {
        self.failed.borrow().clone()
    }

    /// To be asked before each read, and before each change.
    pub(super) fn before(&self, reading: bool) -> io::Result<()> {
        if self.dead.get() {
            return Err(gone());
        }
        let own = self.asked(reading);
        #[cfg(debug_assertions)]
        super::failpoint::asked(&|armed| if armed.reading == reading { armed.asked(reading) } else { Ok(()) })?;
        own
    }

    /// To be asked after each change.
    pub(super) fn after(&self) -> io::Result<()> {
        self.done()?;
        #[cfg(debug_assertions)]
        super::failpoint::asked(&Self::done)?;
        Ok(())
    }

    /// Counts a read or a change, and misbehaves before the chosen one.
    pub(super) fn asked(&self, reading: bool) -> io::Result<()> {
        let count = if reading { &self.reads } else { &self.changes };
        let step = count.get().saturating_add(1);
        count.set(step);
        match (self.at.filter(|_| self.reading == reading), self.way) {
            (Some(at), Way::Error) if at == step => Err(self.error.unwrap_or(Errno::IO).into()),
            (Some(at), Way::Errors) if at <= step => Err(self.error.unwrap_or(Errno::IO).into()),
            (Some(at), Way::DeathBefore) if at == step => self.die(),
            _ => Ok(()),
        }
    }

    fn done(&self) -> io::Result<()> {
        let chosen = !self.reading && self.at == Some(self.changes.get()) && self.way == Way::DeathAfter;
        if chosen { self.die() } else { Ok(()) }
    }

    fn die(&self) -> io::Result<()> {
        self.dead.set(true);
        Err(gone())
    }
}

fn gone() -> io::Error {
    io::Error::other("the process is gone")
}

//! Writes everything new aside, durably, before anything that exists is touched. What has to be durable before one and
//! the same step is synced with a single call where the file system has one that says what failed, otherwise each file and
//! each directory once.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use super::disk::Step;
use super::{Disk, HOME, Journal, Payload, parent};
use crate::skill::Tree;
use crate::system::os::files;
use crate::system::os::files::FileSystem;
use crate::system::rooted::{Held, Metadata};

/// Makes the missing directories and the stages, fills the slots and writes the commit record aside; all of it is durable
/// then. `safe_point` is asked before each piece of work.
pub(super) fn stage(
    disk: &Disk<'_>,
    journal: &Journal,
    payloads: &[Payload],
    safe_point: &dyn Fn() -> io::Result<()>,
) -> io::Result<()> {
    let roots = disk.roots.of_one_moment();
    let disk = &Disk { roots: &roots, ..*disk };
    let mut group = Group::at(disk, &disk.at(HOME)?)?;
    for dir in &journal.stages {
        disk.make_dir(&disk.at(dir)?, 0o700)?;
    }
    for dir in &journal.made {
        let at = disk.at(dir)?;
        if !disk.is_dir(&at)? {
            disk.make_dir(&at, super::plan::directory_mode(dir))?;
        }
    }
    for (step, payload) in journal.steps.iter().zip(payloads) {
        safe_point()?;
        let slot = disk.at(&step.slot)?;
        match payload {
            Payload::Tree(tree) => write_tree(&mut group, disk, &slot, tree)?,
            Payload::File(bytes, mode) => group.write_new(&slot, bytes, *mode)?,
            Payload::Nothing => {}
        }
        if step.new.is_some() && !disk.look(&slot, step.node)?.is(step.new.as_ref()) {
            return Err(io::Error::other(format!("what was written for {} reads back differently", step.at)));
        }
    }
    let stages = journal.stages.iter().map(String::as_str);
    let above = journal.made.iter().chain(&journal.stages).map(|dir| parent(dir));
    let changed: BTreeSet<&str> = stages.chain(above).chain(journal.made.iter().map(String::as_str)).collect();
    for dir in changed.into_iter().rev() {
        group.names_in(disk.at(dir)?);
    }
    journal.prepare_commit(disk, &mut group)?;
    group.sync()?;
    safe_point()
}

/// Writes a tree as a new directory, which is durable with the group: directories 0755, files 0644, executables 0755.
pub(super) fn write_tree(group: &mut Group<'_>, disk: &Disk<'_>, at: &Held, tree: &Tree) -> io::Result<()> {
    disk.make_dir(at, 0o755)?;
    let mut dirs = BTreeSet::new();
    for (path, _) in tree.iter() {
        let mut path = parent(path);
        while !path.is_empty() {
            dirs.insert(path);
            path = parent(path);
        }
    }
    for dir in &dirs {
        disk.make_dir(&at.join(dir), 0o755)?;
    }
    for (path, blob) in tree.iter() {
        group.write_new(&at.join(path), &blob.bytes, if blob.executable { 0o755 } else { 0o644 })?;
    }
    for dir in dirs.iter().rev() {
        group.names_in(at.join(dir));
    }
    group.names_in(at.clone());
    Ok(())
}

/// New files and changed directories that are not durable yet.
pub(super) struct Group<'a> {
    disk: &'a Disk<'a>,
    file_system: Option<FileSystem>,
    /// Which directories are on it.
    held: BTreeMap<PathBuf, bool>,
    files: Vec<Held>,
    directories: Vec<Held>,
}

impl<'a> Group<'a> {
    /// A group of things most of which are on the file system of this directory. To be made before they are written.
    pub(super) fn at(disk: &'a Disk<'a>, dir: &Held) -> io::Result<Self> {
        let file_system = FileSystem::of(dir.dir()?)?;
        Ok(Self { disk, file_system, held: BTreeMap::new(), files: Vec::new(), directories: Vec::new() })
    }

    /// Writes a new file with exactly this mode; it must not exist.
    pub(super) fn write_new(&mut self, at: &Held, bytes: &[u8], mode: u32) -> io::Result<()> {
        let file = self.disk.write(at, bytes, mode)?;
        if self.holds(at.above().unwrap_or(at))? {
            self.files.push(at.clone());
            return Ok(());
        }
        self.disk.step(Step::Sync, at, &mut || files::sync(&file))
    }

    /// The names in a directory are to be durable too. Innermost directories come first.
    pub(super) fn names_in(&mut self, at: Held) {
        self.directories.push(at);
    }

    pub(super) fn sync(mut self) -> io::Result<()> {
        let (mut together, mut alone) = (std::mem::take(&mut self.files), Vec::new());
        let files = together.len();
        for directory in std::mem::take(&mut self.directories) {
            let list = if self.holds(&directory)? { &mut together } else { &mut alone };
            list.push(directory);
        }
        if together.len() > 1 && self.at_once(&together)? {
            together.clear();
        }
        for (number, at) in together.iter().enumerate() {
            match number < files {
                true => self.disk.step(Step::Sync, at, &mut || files::sync(&files::open(at.parent()?)?))?,
                false => self.disk.sync_dir(at)?,
            }
        }
        alone.iter().try_for_each(|at| self.disk.sync_dir(at))
    }

    /// `false`: the call is not permitted here.
    fn at_once(&self, all: &[Held]) -> io::Result<bool> {
        let (Some(file_system), Some(first)) = (&self.file_system, all.first()) else { return Ok(false) };
        let mut sync = || match self.disk.faults.groups() && file_system.sync()? {
            true => Ok(()),
            false => Err(ErrorKind::Unsupported.into()),
        };
        match self.disk.step(Step::SyncAll(all), first, &mut sync) {
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Whether a directory is on the file system that is synced at once.
    fn holds(&mut self, dir: &Held) -> io::Result<bool> {
        let Some(file_system) = &self.file_system else { return Ok(false) };
        let path = dir.path();
        if let Some(known) = self.held.get(&path) {
            return Ok(*known);
        }
        let holds = file_system.holds(&dir.metadata()?);
        self.held.insert(path, holds);
        Ok(holds)
    }

    /// The names in a directory that was looked at just now are to be durable.
    pub(super) fn names_in_known(&mut self, at: Held, meta: &Metadata) {
        let holds = self.file_system.as_ref().is_some_and(|file_system| file_system.holds(meta));
        self.held.insert(at.path(), holds);
        self.names_in(at);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::transaction::{Faults, Roots};

    /// Writes two files; returns whether it is known of their file system that it tells of failures.
    fn written(faults: &Faults, known: bool) -> io::Result<bool> {
        let dir = tempfile::tempdir().unwrap();
        let roots = Roots::from(dir.path());
        let disk = Disk::of(&roots, faults);
        let top = disk.at("").unwrap();
        let mut group = Group::at(&disk, &top).unwrap();
        if !known {
            group.file_system = None;
        }
        for name in ["one", "two"] {
            group.write_new(&top.join(name), name.as_bytes(), 0o640)?;
        }
        group.names_in(top);
        let known = group.file_system.is_some();
        group.sync()?;
        assert_eq!(fs::read(dir.path().join("two")).unwrap(), b"two");
        Ok(known)
    }

    // Two files take three steps each.

    #[test]
    fn one_call_syncs_all_where_the_file_system_tells_of_failures_and_else_each_is_synced() {
        let (together, apart) = (Faults::none(), Faults::none().without_groups());
        if written(&together, true).unwrap() && written(&apart, true).unwrap() {
            assert_eq!((together.steps(), apart.steps()), (7, 10));
        }
        let faults = Faults::none();
        assert!(!written(&faults, false).unwrap());
        assert_eq!(faults.steps(), 9);
        for (step, known) in [(7, true), (9, false)] {
            assert!(written(&Faults::at(step, crate::transaction::Way::Error), known).is_err(), "a failed sync");
        }
    }
}

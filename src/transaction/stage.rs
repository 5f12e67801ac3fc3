//! Writes everything new aside, durably, before anything that exists is touched.

use std::collections::BTreeSet;
use std::io;

use crate::skill::Tree;
use crate::system::rooted::Held;

use super::disk::Disk;
use super::group::Group;
use super::journal::{Journal, parent};
use super::lock::HOME;
use super::plan::{Payload, directory_mode};

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
            disk.make_dir(&at, directory_mode(dir))?;
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

//! What has to be durable before one and the same step: synced with a single call where the file system has one that
//! says what failed, otherwise each file and each directory once.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use crate::system::os::file_system::FileSystem;
use crate::system::os::files;
use crate::system::rooted::Held;

use super::disk::{Disk, Step};

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
        let file_system = FileSystem::of(&dir.open_dir()?)?;
        Ok(Self { disk, file_system, held: BTreeMap::new(), files: Vec::new(), directories: Vec::new() })
    }

    /// Writes a new file with exactly this mode; it must not exist.
    pub(super) fn write_new(&mut self, at: &Held, bytes: &[u8], mode: u32) -> io::Result<()> {
        let file = self.disk.write(at, bytes, mode)?;
        if self.holds(at.above().unwrap_or(at))? {
            self.files.push(at.clone());
            return Ok(());
        }
        self.disk.step(Step::Sync, at, || files::sync(&file))
    }

    /// The names in a directory are to be durable too. Innermost directories come first.
    pub(super) fn names_in(&mut self, at: Held) {
        self.directories.push(at);
    }

    /// Makes all of it durable.
    pub(super) fn sync(mut self) -> io::Result<()> {
        let directories = std::mem::take(&mut self.directories);
        let (mut together, mut alone) = (std::mem::take(&mut self.files), Vec::new());
        let files = together.len();
        for directory in directories {
            let list = if self.holds(&directory)? { &mut together } else { &mut alone };
            list.push(directory);
        }
        if together.len() > 1 && self.at_once(&together)? {
            together.clear();
        }
        for (number, at) in together.iter().enumerate() {
            match number < files {
                true => self.disk.step(Step::Sync, at, || files::sync(&at.open()?))?,
                false => self.disk.sync_dir(at)?,
            }
        }
        alone.iter().try_for_each(|at| self.disk.sync_dir(at))
    }

    /// `false`: the call is not permitted here.
    fn at_once(&self, all: &[Held]) -> io::Result<bool> {
        let (Some(file_system), Some(first)) = (&self.file_system, all.first()) else { return Ok(false) };
        let synced =
            self.disk.step(Step::SyncAll(all), first, || match self.disk.faults.groups() && file_system.sync()? {
                true => Ok(()),
                false => Err(ErrorKind::Unsupported.into()),
            });
        match synced {
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
    fn where_the_file_system_tells_of_failures_one_call_syncs_all() {
        let (together, apart) = (Faults::none(), Faults::none().without_groups());
        if written(&together, true).unwrap() && written(&apart, true).unwrap() {
            assert_eq!((together.steps(), apart.steps()), (7, 10));
        }
    }

    #[test]
    fn where_it_does_not_each_is_synced() {
        let faults = Faults::none();
        assert!(!written(&faults, false).unwrap());
        assert_eq!(faults.steps(), 9);
    }

    #[test]
    fn a_failed_sync_is_a_failure() {
        for (step, known) in [(7, true), (9, false)] {
            assert!(written(&Faults::at(step, crate::transaction::Way::Error), known).is_err());
        }
    }
}

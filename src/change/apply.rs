//! Moves staged things into place and back; each move can be repeated, because digests tell how far it got.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::disk::Disk;
use super::journal::{Journal, Node, Step, parent};
use super::scan;

/// Why applying stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// Something else is at this path now; it has been left alone.
    Conflict(String),
    /// The operating system refused.
    Io(io::Error),
    /// The registry could not be written; every step has been applied.
    Register(anyhow::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Carries out every step not carried out yet and makes the names durable.
pub(super) fn forward(disk: &Disk<'_>, root: &Path, journal: &Journal) -> Result<(), Stop> {
    for step in &journal.steps {
        Move::of(disk, root, step).forward()?;
    }
    Ok(sync(disk, root, journal)?)
}

/// Takes back every step carried out, last first, where nobody has changed the result since.
pub(super) fn back(disk: &Disk<'_>, root: &Path, journal: &Journal) -> io::Result<()> {
    for step in journal.steps.iter().rev() {
        Move::of(disk, root, step).back()?;
    }
    sync(disk, root, journal)
}

/// What is at an absolute path, as one text: equal content, equal text. `None` for nothing.
#[expect(clippy::disallowed_methods, reason = "the door to what a step left, for reading")]
pub(super) fn digest(path: &Path, node: Node) -> io::Result<Option<String>> {
    let meta = match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        other => other?,
    };
    match node {
        Node::Tree if meta.is_dir() => match scan::read(path, "it") {
            Ok(tree) => Ok(tree.map(|tree| tree.digest())),
            // Something in it cannot be read as a skill: it is nothing this transaction knows.
            Err(error) => Ok(Some(error.message())),
        },
        Node::File if meta.is_file() => {
            use std::os::unix::fs::OpenOptionsExt;
            let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
            let mut file = File::options().read(true).custom_flags(flags).open(path)?;
            let mut hasher = blake3::Hasher::new();
            let mut buffer = vec![0; 64 << 10];
            loop {
                match file.read(&mut buffer) {
                    Ok(0) => return Ok(Some(hasher.finalize().to_hex().to_string())),
                    Ok(count) => hasher.update(buffer.get(..count).unwrap_or_default()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
            }
        }
        _ => Ok(Some("something of another kind".to_owned())),
    }
}

fn sync(disk: &Disk<'_>, root: &Path, journal: &Journal) -> io::Result<()> {
    let touched: BTreeSet<&str> =
        journal.steps.iter().flat_map(|step| [parent(&step.real), parent(&step.slot)]).collect();
    for dir in touched {
        let dir = root.join(dir);
        if dir.is_dir() {
            disk.sync_dir(&dir)?;
        }
    }
    Ok(())
}

/// One step with its paths made absolute.
struct Move<'a> {
    disk: &'a Disk<'a>,
    step: &'a Step,
    there: PathBuf,
    slot: PathBuf,
    /// Where the old one waits on file systems that cannot exchange two names.
    aside: PathBuf,
}

impl<'a> Move<'a> {
    fn of(disk: &'a Disk<'a>, root: &Path, step: &'a Step) -> Self {
        Self {
            disk,
            step,
            there: root.join(&step.real),
            slot: root.join(&step.slot),
            aside: root.join(format!("{}.old", step.slot)),
        }
    }

    fn digest(&self, path: &Path) -> io::Result<Option<String>> {
        digest(path, self.step.node)
    }

    fn conflict(&self) -> Stop {
        Stop::Conflict(self.step.at.clone())
    }

    fn forward(&self) -> Result<(), Stop> {
        match (&self.step.was, &self.step.new) {
            (None, Some(new)) => self.place(new),
            (Some(was), Some(new)) => self.replace(was, new),
            (Some(was), None) => self.remove(was),
            (None, None) => Ok(()),
        }
    }

    fn place(&self, new: &String) -> Result<(), Stop> {
        match self.digest(&self.slot)? {
            None => return Ok(()),
            Some(slot) if slot == *new => {}
            // What was staged is damaged: good only if it had been placed before.
            Some(_) if self.digest(&self.there)?.as_ref() == Some(new) => return Ok(()),
            Some(_) => return Err(self.conflict()),
        }
        match self.disk.rename_new(&self.slot, &self.there) {
            Err(error) if exists(&error) && self.digest(&self.there)?.as_ref() == Some(new) => Ok(()),
            Err(error) if exists(&error) => Err(self.conflict()),
            other => Ok(other?),
        }
    }

    fn replace(&self, was: &String, new: &String) -> Result<(), Stop> {
        if self.digest(&self.slot)?.as_ref() != Some(new) {
            return Ok(());
        }
        let there = self.digest(&self.there)?;
        if there.as_ref() == Some(new) {
            return Ok(());
        }
        if there.is_none() && self.digest(&self.aside)?.as_ref() == Some(was) {
            return Ok(self.disk.rename_new(&self.slot, &self.there)?);
        }
        if there.as_ref() != Some(was) {
            return Err(self.conflict());
        }
        if self.disk.swap(&self.slot, &self.there)? {
            // Whoever wrote between the look and the swap finds the work back in its place.
            return if self.digest(&self.slot)?.as_ref() == Some(was) { Ok(()) } else { Err(self.conflict()) };
        }
        self.disk.rename_new(&self.there, &self.aside)?;
        Ok(self.disk.rename_new(&self.slot, &self.there)?)
    }

    fn remove(&self, was: &String) -> Result<(), Stop> {
        match self.digest(&self.there)? {
            None => Ok(()),
            Some(_) if self.digest(&self.slot)?.is_some() => Ok(()),
            Some(there) if there == *was => Ok(self.disk.rename_new(&self.there, &self.slot)?),
            Some(_) => Err(self.conflict()),
        }
    }

    fn back(&self) -> io::Result<()> {
        let there = self.digest(&self.there)?;
        let slot = self.digest(&self.slot)?;
        match (&self.step.was, &self.step.new) {
            (None, Some(_)) if slot.is_none() && there == self.step.new => {
                self.disk.rename_new(&self.there, &self.slot)
            }
            (Some(_), Some(_)) if there == self.step.new && slot.is_some() && slot != self.step.new => {
                if self.disk.swap(&self.slot, &self.there)? {
                    return Ok(());
                }
                self.disk.rename_new(&self.slot, &self.aside)?;
                self.disk.rename_new(&self.there, &self.slot)?;
                self.disk.rename_new(&self.aside, &self.there)
            }
            (Some(_), Some(_)) if self.digest(&self.aside)?.is_some() => {
                if there == self.step.new {
                    self.disk.rename_new(&self.there, &self.slot)?;
                } else if there.is_some() {
                    return Ok(());
                }
                self.disk.rename_new(&self.aside, &self.there)
            }
            (Some(_), None) if there.is_none() && slot.is_some() => self.disk.rename_new(&self.slot, &self.there),
            _ => Ok(()),
        }
    }
}

fn exists(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty)
}

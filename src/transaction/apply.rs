//! Moves staged things into place and back. Each move can be repeated, because digests tell how far it got; a failed
//! read stops it, because it tells nothing.

use std::io::{self, ErrorKind};

use super::{Disk, Group, HOME, Journal, Node, Seen, Step, parent};
use crate::skill::Tree;
use crate::system::rooted::{Held, Metadata};

#[derive(Debug)]
pub(super) enum Stop {
    /// Something is not as the journal says, as this clause tells; it has been left alone.
    Conflict(String),
    Io(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Carries out every step not carried out yet, makes the names durable and makes sure that all of it is there.
pub(super) fn forward(disk: &Disk<'_>, journal: &Journal) -> Result<(), Stop> {
    let roots = disk.roots.of_one_moment();
    let moving = Disk { roots: &roots, ..*disk };
    for step in &journal.steps {
        Move::of(&moving, step)?.forward()?;
    }
    sync(&moving, journal)?;
    let roots = disk.roots.of_one_moment();
    let disk = &Disk { roots: &roots, ..*disk };
    for step in &journal.steps {
        Move::of(disk, step)?.verify()?;
    }
    Ok(())
}

/// Takes back every step carried out, last first, where nobody has changed the result since.
pub(super) fn back(disk: &Disk<'_>, journal: &Journal) -> io::Result<()> {
    for step in journal.steps.iter().rev() {
        Move::of(disk, step)?.back()?;
    }
    sync(disk, journal)
}

fn sync(disk: &Disk<'_>, journal: &Journal) -> io::Result<()> {
    let touched: std::collections::BTreeSet<&str> =
        journal.steps.iter().flat_map(|step| [parent(&step.real), parent(&step.slot)]).collect();
    sync_names(disk, touched)
}

/// Makes the names durable in those of these directories that are there.
pub(super) fn sync_names<'d>(disk: &Disk<'_>, dirs: impl IntoIterator<Item = &'d str>) -> io::Result<()> {
    let mut group = Group::at(disk, &disk.at(HOME)?)?;
    for dir in dirs {
        let dir = disk.at(dir)?;
        if let Some(meta) = disk.stat(&dir)?.filter(Metadata::is_dir) {
            group.names_in_known(dir, &meta);
        }
    }
    group.sync()
}

/// One step with its names. The directories they are in stay open until it is dropped.
pub(super) struct Move<'a> {
    disk: &'a Disk<'a>,
    step: &'a Step,
    there: Held,
    slot: Held,
    /// Where the old one waits on file systems that cannot exchange two names.
    aside: Held,
}

impl<'a> Move<'a> {
    pub(super) fn of(disk: &'a Disk<'a>, step: &'a Step) -> io::Result<Self> {
        let slot = disk.at(&step.slot)?;
        let old = format!("{}.old", step.slot.rsplit('/').next().unwrap_or_default());
        let aside = slot.above().unwrap_or(&slot).join(old);
        Ok(Self { disk, step, there: disk.at(&step.real)?, slot, aside })
    }

    fn look(&self, path: &Held) -> io::Result<Seen> {
        self.disk.look(path, self.step.node)
    }

    fn is_was(&self, seen: &Seen) -> bool {
        seen.is(self.step.was.as_ref())
    }

    fn is_new(&self, seen: &Seen) -> bool {
        seen.is(self.step.new.as_ref())
    }

    fn changed(&self) -> Stop {
        Stop::Conflict(format!("{} was changed by something else at the last moment", self.step.at))
    }

    fn damaged(&self) -> Stop {
        Stop::Conflict(format!("what was prepared for {} is damaged or gone", self.step.at))
    }

    /// Makes sure that what was moved away is what was backed up; an edit of the last moment is not, and wins.
    fn backed_up(&self, seen: &Seen) -> Result<(), Stop> {
        if self.is_was(seen) { Ok(()) } else { Err(self.changed()) }
    }

    fn forward(&self) -> Result<(), Stop> {
        match (&self.step.was, &self.step.new) {
            (None, Some(_)) => self.place(),
            (Some(_), Some(_)) => self.replace(),
            (Some(_), None) => self.remove(),
            (None, None) => Ok(()),
        }
    }

    /// Whether the step has been carried out: the new one is there, or what it replaced is where the exchange puts it,
    /// and whoever changed the new one since is left alone.
    fn verify(&self) -> Result<(), Stop> {
        let there = self.look(&self.there)?;
        let done = self.is_new(&there)
            || (there != Seen::Nothing && self.step.was.is_some() && self.exchanged(&self.look(&self.slot)?)?);
        if done { Ok(()) } else { Err(self.changed()) }
    }

    /// Whether the old one is where it is moved to when the new one takes its place.
    fn exchanged(&self, slot: &Seen) -> io::Result<bool> {
        Ok(match slot {
            Seen::Nothing => self.is_was(&self.look(&self.aside)?),
            slot => self.is_was(slot) && !self.is_new(slot),
        })
    }

    fn place(&self) -> Result<(), Stop> {
        let there = self.look(&self.there)?;
        if self.is_new(&there) {
            return Ok(());
        }
        if there != Seen::Nothing {
            return Err(self.changed());
        }
        if !self.is_new(&self.look(&self.slot)?) {
            return Err(self.damaged());
        }
        match self.disk.rename_new(&self.slot, &self.there) {
            Err(error) if exists(&error) => Err(self.changed()),
            other => Ok(other?),
        }
    }

    fn replace(&self) -> Result<(), Stop> {
        let (there, slot) = (self.look(&self.there)?, self.look(&self.slot)?);
        if self.is_new(&there) {
            return match slot {
                Seen::Nothing => match self.look(&self.aside)? {
                    Seen::Nothing => Ok(()),
                    aside => self.backed_up(&aside),
                },
                slot if self.is_new(&slot) => Ok(()),
                slot => self.backed_up(&slot),
            };
        }
        if !self.is_new(&slot) {
            let edited_since = there != Seen::Nothing && self.exchanged(&slot)?;
            return if edited_since { Ok(()) } else { Err(self.damaged()) };
        }
        let aside = self.look(&self.aside)?;
        if aside != Seen::Nothing {
            return self.go_on(&there, &aside);
        }
        if !self.is_was(&there) {
            return Err(self.changed());
        }
        self.exchange()
    }

    fn exchange(&self) -> Result<(), Stop> {
        match self.disk.swap(&self.slot, &self.there) {
            // Whoever wrote between the look and the exchange finds the work back in its place.
            Ok(true) => return self.backed_up(&self.look(&self.slot)?),
            Err(error) if !self.immovable(&error) => return Err(error.into()),
            _ => {}
        }
        self.set_aside(&self.aside)?;
        self.backed_up(&self.look(&self.aside)?)?;
        Ok(self.disk.rename_new(&self.slot, &self.there)?)
    }

    /// Goes on where the old one has been moved aside, or a part of it.
    fn go_on(&self, there: &Seen, aside: &Seen) -> Result<(), Stop> {
        if *there != Seen::Nothing {
            if self.is_was(aside) && !empty(there) {
                return Err(self.changed());
            }
            self.disk.carry(&self.there, &self.aside)?;
        }
        self.backed_up(&self.look(&self.aside)?)?;
        Ok(self.disk.rename_new(&self.slot, &self.there)?)
    }

    fn remove(&self) -> Result<(), Stop> {
        let (there, slot) = (self.look(&self.there)?, self.look(&self.slot)?);
        match (&there, &slot) {
            (Seen::Nothing, Seen::Nothing) => return Ok(()),
            (Seen::Nothing, slot) => return self.backed_up(slot),
            (_, Seen::Nothing) if self.is_was(&there) => self.set_aside(&self.slot)?,
            (_, Seen::Nothing) => return Err(self.changed()),
            // Somebody has made another one since.
            (there, slot) if self.is_was(slot) && !empty(there) => return Ok(()),
            _ => self.disk.carry(&self.there, &self.slot)?,
        }
        self.backed_up(&self.look(&self.slot)?)
    }

    /// Moves what is there to another name, file by file where a directory cannot be renamed.
    fn set_aside(&self, to: &Held) -> io::Result<()> {
        match self.disk.rename_new(&self.there, to) {
            Err(error) if self.immovable(&error) => self.disk.carry(&self.there, to),
            other => other,
        }
    }

    fn immovable(&self, error: &io::Error) -> bool {
        error.kind() == ErrorKind::CrossesDevices && self.step.node == Node::Tree
    }

    fn back(&self) -> io::Result<()> {
        let (there, slot) = (self.look(&self.there)?, self.look(&self.slot)?);
        let aside = self.look(&self.aside)?;
        match (&self.step.was, &self.step.new) {
            (None, Some(_)) if slot == Seen::Nothing && self.is_new(&there) => {
                self.disk.rename_new(&self.there, &self.slot)
            }
            (Some(_), Some(_)) if aside != Seen::Nothing => {
                if self.is_new(&there) && slot == Seen::Nothing {
                    self.disk.rename_new(&self.there, &self.slot)?;
                } else if there != Seen::Nothing && self.is_new(&slot) && (empty(&there) || !self.is_was(&aside)) {
                    return self.disk.carry(&self.aside, &self.there);
                } else if there != Seen::Nothing {
                    return Ok(());
                }
                self.disk.rename_new(&self.aside, &self.there)
            }
            (Some(_), Some(_)) if self.is_new(&there) && slot != Seen::Nothing && !self.is_new(&slot) => {
                if self.disk.swap(&self.slot, &self.there)? {
                    return Ok(());
                }
                self.disk.rename_new(&self.slot, &self.aside)?;
                self.disk.rename_new(&self.there, &self.slot)?;
                self.disk.rename_new(&self.aside, &self.there)
            }
            (Some(_), None) if slot != Seen::Nothing && there == Seen::Nothing => {
                self.disk.rename_new(&self.slot, &self.there)
            }
            (Some(_), None) if slot != Seen::Nothing && (empty(&there) || !self.is_was(&slot)) => {
                self.disk.carry(&self.slot, &self.there)
            }
            _ => Ok(()),
        }
    }

    /// What waits in the stage and was neither staged nor backed up: somebody's work. It is not, where the old one is
    /// still in its place.
    pub(super) fn edited(&self) -> io::Result<Vec<Held>> {
        if self.step.was.is_none() || self.is_was(&self.look(&self.there)?) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        for path in [&self.slot, &self.aside] {
            let known = match self.look(path) {
                Ok(seen) => seen == Seen::Nothing || self.is_was(&seen) || self.is_new(&seen),
                // What cannot be read any more cannot be distinguished from an edit.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => false,
                Err(error) => return Err(error),
            };
            if !known {
                found.push(path.clone());
            }
        }
        Ok(found)
    }
}

/// Whether there are directories and no files in them, as where a directory has been moved file by file.
fn empty(seen: &Seen) -> bool {
    matches!(seen, Seen::Content(digest) if *digest == Tree::new().digest())
}

/// Whether something has the name already.
pub(super) fn exists(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty)
}

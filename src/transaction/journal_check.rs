//! Which journals are acted upon: this project's own, whole, and about plain paths of it.

use std::io;
use std::path::Path;

use super::disk::Disk;
use super::identity;
use super::journal::{Journal, STAGE, VERSION, directory, parent, seal};
use super::path;

/// The largest journal that is read, in bytes.
const MAX_JOURNAL: u64 = 16 << 20;

/// Why a journal was not read.
#[derive(Debug)]
pub(super) enum Unread {
    /// It is nothing that can be acted upon; why.
    Unsound(String),
    /// Reading failed and may succeed another time.
    Failed(io::Error),
}

impl From<String> for Unread {
    fn from(why: String) -> Self {
        Self::Unsound(why)
    }
}

impl From<&str> for Unread {
    fn from(why: &str) -> Self {
        Self::Unsound(why.to_owned())
    }
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Reads a journal and its commit record, and makes sure that it can be acted upon.
pub(super) fn admit(disk: &Disk<'_>, name: &str) -> Result<Journal, Unread> {
    let dir = directory(disk)?;
    let file = &dir.join(name);
    if !disk.stat(file)?.is_some_and(|meta| meta.is_file() && meta.len() <= MAX_JOURNAL) {
        return Err("is not a journal".into());
    }
    let bytes = disk.bytes(file, MAX_JOURNAL)?;
    let journal: Journal =
        serde_json::from_slice(&bytes).map_err(|error| format!("is damaged or of another version ({error})"))?;
    let home = match journal.version {
        VERSION => identity::of(disk)?,
        1 => identity::of_directory(disk)?,
        other => return Err(format!("is of version {other}, this program knows {VERSION}").into()),
    };
    if !["json", "done", "left"].iter().any(|end| *name == format!("{}.{end}", journal.id)) {
        return Err("does not bear its own name".into());
    }
    if home.as_ref() != Some(&journal.home) {
        return Err("was written for another copy of this project".into());
    }
    for end in ["commit", "applied"] {
        let path = journal.file(&dir, end);
        if disk.stat(&path)?.is_some() && disk.bytes(&path, MAX_JOURNAL)? != seal(&bytes).as_bytes() {
            return Err("does not match its commit record".into());
        }
    }
    sound(&journal, disk)?;
    Ok(journal)
}

fn sound(journal: &Journal, disk: &Disk<'_>) -> Result<(), Unread> {
    let outside =
        |at: &str| Err(format!("names {}, which is not a plain path of this project", at.escape_debug()).into());
    // Only a user's own skills are elsewhere than below the root, and only their journal names absolute paths.
    let plain = |at: &str| match at.split_once('/').filter(|_| Path::new(at).is_absolute()) {
        Some((_, below)) => disk.roots.home().is_some() && path::check(below).is_ok(),
        None => path::check(at).is_ok(),
    };
    let inside = |at: &str| Ok::<_, io::Error>(plain(at) && path::plain(disk, at)?);
    for stage in &journal.stages {
        if name(stage) != journal.stage_name() || !inside(stage)? || is_link(disk, stage)? {
            return outside(stage);
        }
    }
    for step in &journal.steps {
        if !inside(&step.real)? || name(&step.real).starts_with(STAGE) {
            return outside(&step.real);
        }
        if !plain(&step.slot) || !journal.stages.iter().any(|stage| stage == parent(&step.slot)) {
            return outside(&step.slot);
        }
    }
    for at in &journal.made {
        if !inside(at)? {
            return outside(at);
        }
    }
    Ok(())
}

fn is_link(disk: &Disk<'_>, at: &str) -> io::Result<bool> {
    Ok(disk.stat(&disk.at(at)?)?.is_some_and(|meta| meta.is_symlink()))
}

fn name(at: &str) -> &str {
    at.rsplit('/').next().unwrap_or(at)
}

//! Which journals are acted upon: this project's own, whole, and about plain paths of it.
//!
//! What tells one project from every copy of it, so that a journal that came with a copy or a clone is not acted upon, is
//! the content of `.hefesto/id` together with the time that file was made. A copy gets a file of its own with another such
//! time, whatever its content. The file is written once and only read afterwards, so that the time stays the same where a
//! directory's changes with its content: an overlay copies a directory of its lower layer when something in it changes.
//! Moving the project changes neither.

use std::io;
use std::path::Path;

use super::journal::{STAGE, VERSION, directory, seal};
use super::{Disk, ENDS, HOME, Journal, parent, path};
use crate::system::rooted::{self, Metadata};

const MAX_ID: u64 = 128;

/// The largest journal that is read, in bytes.
const MAX_JOURNAL: u64 = 16 << 20;

#[derive(Debug)]
pub(super) enum Unread {
    /// It is nothing that can be acted upon; why.
    Unsound(String),
    /// Reading failed and may succeed another time.
    Failed(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

fn unsound<T>(why: impl Into<String>) -> Result<T, Unread> {
    Err(Unread::Unsound(why.into()))
}

/// Reads a journal and its commit record, and makes sure that it can be acted upon.
pub(super) fn admit(disk: &Disk<'_>, name: &str) -> Result<Journal, Unread> {
    let dir = directory(disk)?;
    let file = &dir.join(name);
    if !disk.stat(file)?.is_some_and(|meta| meta.is_file() && meta.len() <= MAX_JOURNAL) {
        return unsound("is not a journal");
    }
    let bytes = disk.bytes(file, MAX_JOURNAL)?;
    let journal: Journal = serde_json::from_slice(&bytes)
        .or_else(|error| unsound(format!("is damaged or of another version ({error})")))?;
    let home = match journal.version {
        VERSION => identity(disk)?,
        // The journals of version 1 bear when their directory was made.
        1 => disk.stat(&dir)?.map(|meta| made(&meta)),
        other => return unsound(format!("is of version {other}, this program knows {VERSION}")),
    };
    if !ENDS.iter().any(|end| *name == format!("{}.{end}", journal.id)) {
        return unsound("does not bear its own name");
    }
    if home.as_ref() != Some(&journal.home) {
        return unsound("was written for another copy of this project");
    }
    for end in ["commit", "applied"] {
        let path = journal.file(&dir, end);
        if disk.stat(&path)?.is_some() && disk.bytes(&path, MAX_JOURNAL)? != seal(&bytes).as_bytes() {
            return unsound("does not match its commit record");
        }
    }
    sound(&journal, disk)?;
    Ok(journal)
}

fn sound(journal: &Journal, disk: &Disk<'_>) -> Result<(), Unread> {
    let outside = |at: &str| unsound(format!("names {}, which is not a plain path of this project", at.escape_debug()));
    // Only a user's own skills are elsewhere than below the root, and only their journal names absolute paths.
    let plain = |at: &str| match at.split_once('/').filter(|_| Path::new(at).is_absolute()) {
        Some((_, below)) => disk.roots.home().is_some() && path::check(below).is_ok(),
        None => path::check(at).is_ok(),
    };
    let inside = |at: &str| Ok::<_, io::Error>(plain(at) && path::plain(disk, at)?);
    for stage in &journal.stages {
        let is_link = || Ok::<_, io::Error>(disk.stat(&disk.at(stage)?)?.is_some_and(|meta| meta.is_symlink()));
        if name(stage) != journal.stage_name() || !inside(stage)? || is_link()? {
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

fn name(at: &str) -> &str {
    at.rsplit('/').next().unwrap_or(at)
}

/// This project's identity; `None` before its first transaction.
fn identity(disk: &Disk<'_>) -> io::Result<Option<String>> {
    let path = disk.at(HOME)?.join("id");
    let Some(meta) = disk.stat(&path)? else { return Ok(None) };
    let id = disk.bytes(&path, MAX_ID)?;
    let id = String::from_utf8(id).ok().map(|id| id.trim_end().to_owned());
    let plain = |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let id = id.filter(plain).ok_or_else(|| io::Error::other("it is not an id; remove the file"))?;
    Ok(Some(format!("id {id} {}", made(&meta))))
}

/// The same, made of a run's random id where there is none yet. The directory of journals exists already; if it was just
/// `made`, its name becomes durable too.
pub(super) fn ensured(disk: &Disk<'_>, run: &str, made: bool) -> io::Result<String> {
    let id_file = disk.at(HOME)?.join("id");
    if disk.stat(&id_file)?.is_some() {
        if made {
            disk.sync_parent(&id_file)?;
        }
    } else {
        // Recovery removes temporary files from there.
        let temporary = directory(disk)?.join("id.tmp");
        let id = blake3::Hasher::new_derive_key("hefesto project id v1").update(run.as_bytes()).finalize().to_hex();
        disk.remove_file(&temporary)?;
        let written = disk
            .write_new(&temporary, format!("{id}\n").as_bytes(), 0o600)
            .and_then(|()| disk.rename_new(&temporary, &id_file))
            .and_then(|()| disk.sync_parent(&id_file));
        if written.is_err() {
            let _ = disk.remove_file(&temporary);
        }
        written?;
    }
    identity(disk)?.ok_or_else(|| io::Error::other(".hefesto/id is gone"))
}

fn made(meta: &Metadata) -> String {
    let born = meta.created().ok().and_then(|at| at.into_std().duration_since(std::time::UNIX_EPOCH).ok());
    match born {
        Some(born) => format!("born {}", born.as_nanos()),
        None => format!("inode {}", rooted::identity(meta).1),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::system::rooted::Root;
    use crate::transaction::Faults;
    use crate::transaction::journal::JOURNALS;

    fn identity_of(root: &Path) -> io::Result<String> {
        ensured(&Disk::of(&root.into(), &Faults::none()), "run", false)
    }

    fn made_at(root: &Path) -> String {
        made(&Root::open(root).unwrap().held(".hefesto/id").metadata().unwrap())
    }

    #[test]
    fn it_stays_with_the_project_and_a_copy_has_another() {
        let dir = tempfile::tempdir().unwrap();
        let (one, moved, copy) = (dir.path().join("one"), dir.path().join("moved"), dir.path().join("copy"));
        for root in [&one, &copy] {
            fs::create_dir_all(root.join(JOURNALS)).unwrap();
        }
        let first = identity_of(&one).unwrap();
        fs::write(one.join(HOME).join("other"), "x").unwrap();
        fs::rename(&one, &moved).unwrap();
        assert_eq!(identity_of(&moved).unwrap(), first);
        let id = moved.join(HOME).join("id");
        assert_eq!(id.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        // The clock of a file system may stand still for some milliseconds.
        let copied = copy.join(HOME).join("id");
        while fs::copy(&id, &copied).is_ok() && made_at(&copy) == made_at(&moved) {
            fs::remove_file(&copied).unwrap();
        }
        assert_ne!(identity_of(&copy).unwrap(), first);
    }

    #[test]
    fn what_is_no_id_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let id = dir.path().join(HOME).join("id");
        fs::create_dir_all(dir.path().join(JOURNALS)).unwrap();
        for text in ["", "two words", "\u{1b}[1m"] {
            fs::write(&id, text).unwrap();
            assert!(identity_of(dir.path()).is_err(), "{text:?}");
        }
        fs::remove_file(&id).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &id).unwrap();
        assert!(identity_of(dir.path()).is_err());
    }
}

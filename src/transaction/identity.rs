//! What tells one project from every copy of it, so that a journal that came with a copy or a clone is not acted upon.
//!
//! It is the content of `.hefesto/id` together with the time that file was made. A copy gets a file of its own with
//! another such time, whatever its content. The file is written once and only read afterwards, so that the time stays
//! the same where a directory's changes with its content: an overlay copies a directory of its lower layer when
//! something in it changes. Moving the project changes neither.

use std::io;
use std::time::UNIX_EPOCH;

use crate::system::rooted::{self, Metadata};

use super::disk::Disk;
use super::journal::directory;
use super::lock::HOME;

/// The largest id that is read, in bytes.
const MAX_ID: u64 = 128;

/// This project's identity; `None` before its first transaction.
pub(super) fn of(disk: &Disk<'_>) -> io::Result<Option<String>> {
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
    of(disk)?.ok_or_else(|| io::Error::other(".hefesto/id is gone"))
}

/// The identity that journals of version 1 bear: when the directory of journals was made.
pub(super) fn of_directory(disk: &Disk<'_>) -> io::Result<Option<String>> {
    Ok(disk.stat(&directory(disk)?)?.map(|meta| made(&meta)))
}

fn made(meta: &Metadata) -> String {
    let born = meta.created().ok().and_then(|at| at.into_std().duration_since(UNIX_EPOCH).ok());
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

    use std::path::Path;

    use super::*;
    use crate::system::rooted::Root;
    use crate::transaction::Faults;

    const JOURNALS: &str = ".hefesto/txn";

    fn identity(root: &Path) -> io::Result<String> {
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
        let first = identity(&one).unwrap();
        fs::write(one.join(HOME).join("other"), "x").unwrap();
        fs::rename(&one, &moved).unwrap();
        assert_eq!(identity(&moved).unwrap(), first);
        let id = moved.join(HOME).join("id");
        assert_eq!(id.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        // The clock of a file system may stand still for some milliseconds.
        let copied = copy.join(HOME).join("id");
        while fs::copy(&id, &copied).is_ok() && made_at(&copy) == made_at(&moved) {
            fs::remove_file(&copied).unwrap();
        }
        assert_ne!(identity(&copy).unwrap(), first);
    }

    #[test]
    fn what_is_no_id_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let id = dir.path().join(HOME).join("id");
        fs::create_dir_all(dir.path().join(JOURNALS)).unwrap();
        for text in ["", "two words", "\u{1b}[1m"] {
            fs::write(&id, text).unwrap();
            assert!(identity(dir.path()).is_err(), "{text:?}");
        }
        fs::remove_file(&id).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", &id).unwrap();
        assert!(identity(dir.path()).is_err());
    }
}

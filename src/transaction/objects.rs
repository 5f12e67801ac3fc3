//! What was installed, kept by its digest: one archive for each tree in `.hefesto/objects`.

use std::io::{self, ErrorKind, Read};

use tar::{Archive, Builder, EntryType, Header};

use super::backup::{ENDING, compress};
use super::scan::{MAX_BYTES, MAX_FILES};
use super::{Change, Disk, Faults, Lock, Roots, Was, bytes_digest};
use crate::error::{Code, Coded, Result};
use crate::skill::{Blob, Tree};
use crate::system::rooted::{self, Kind};

pub const DIRECTORY: &str = ".hefesto/objects";

/// The most bytes of one archive that are read: more than the files of a skill may have together.
const MAX_ARCHIVE: usize = (MAX_BYTES + (MAX_BYTES >> 2)) as usize;

/// One object as it lies there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The [`Tree::digest`] it is named by.
    pub digest: String,
    pub bytes: u64,
}

/// The changes that keep these trees, to be made in the transaction that installs them. What is kept already, whole, is
/// left as it is. To be asked under the lock.
/// Errors: `E-IO-001` when it cannot be seen what is kept; `E-TXN-003` when a tree cannot be packed.
pub fn keeping<'t>(lock: &Lock, trees: impl IntoIterator<Item = &'t Tree>) -> Result<Vec<Change>> {
    let (mut known, mut changes) = (std::collections::BTreeSet::new(), Vec::new());
    for tree in trees {
        let digest = tree.digest();
        let at = place(&digest);
        if !known.insert(digest.clone()) {
            continue;
        }
        let there = rooted::found(lock.roots().at(&at).and_then(|file| file.head(MAX_ARCHIVE)));
        let was = match there.coded_with(Code::Io, || format!("{at} cannot be read; nothing was written"))? {
            Some(bytes) if unpack(&bytes).is_ok_and(|kept| kept.digest() == digest) => continue,
            Some(bytes) => Was::Bytes(bytes_digest(&bytes)),
            None => Was::Absent,
        };
        let bytes = pack(tree).coded(Code::WriteFailed, "the skill cannot be packed; nothing was written")?;
        changes.push(Change::Write { at, bytes, was });
    }
    Ok(changes)
}

/// The tree of this digest. None where it is not kept, or not whole.
pub fn read(roots: &Roots, digest: &str) -> Option<Tree> {
    if !is_digest(digest) {
        return None;
    }
    let bytes = roots.at(&place(digest)).and_then(|file| file.head(MAX_ARCHIVE));
    unpack(&bytes.ok()?).ok().filter(|tree| tree.digest() == digest)
}

/// Whether a tree of this digest is kept, whole or not.
pub fn has(roots: &Roots, digest: &str) -> bool {
    is_digest(digest) && roots.at(&place(digest)).is_ok_and(|file| file.is_file())
}

pub fn list(roots: &Roots) -> Vec<Listed> {
    let Ok(directory) = roots.at(DIRECTORY) else { return Vec::new() };
    let object = |(name, _): (std::ffi::OsString, Kind)| {
        let digest = name.to_str()?.strip_suffix(ENDING).filter(|digest| is_digest(digest))?.to_owned();
        Some(Listed { digest, bytes: directory.join(&name).metadata().ok()?.len() })
    };
    let mut all: Vec<Listed> = directory.list().unwrap_or_default().into_iter().filter_map(object).collect();
    all.sort_by(|one, other| one.digest.cmp(&other.digest));
    all
}

/// Removes objects that nothing refers to any more. That is tidiness: what cannot be removed stays.
pub fn remove<'d>(lock: &Lock, digests: impl IntoIterator<Item = &'d str>) {
    let faults = Faults::none();
    let disk = Disk::of(lock.roots(), &faults);
    for digest in digests.into_iter().filter(|digest| is_digest(digest)) {
        let _ = disk.at(&place(digest)).and_then(|file| disk.remove_file(&file));
    }
}

fn place(digest: &str) -> String {
    format!("{DIRECTORY}/{digest}{ENDING}")
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn pack(tree: &Tree) -> io::Result<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    for (path, blob) in tree.iter() {
        let mut header = Header::new_gnu();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(if blob.executable { 0o755 } else { 0o644 });
        header.set_size(blob.bytes.len() as u64);
        header.set_mtime(0);
        tar.append_data(&mut header, path, blob.bytes.as_slice())?;
    }
    compress(&tar.into_inner()?, flate2::Compression::default())
}

/// The files of an archive. Whether they are the right ones is for the digest to say.
fn unpack(bytes: &[u8]) -> io::Result<Tree> {
    let mut archive = Archive::new(flate2::bufread::GzDecoder::new(bytes).take(MAX_ARCHIVE as u64));
    let (mut tree, mut left) = (Tree::new(), MAX_BYTES);
    for entry in archive.entries()? {
        let mut entry = entry?;
        let too_much = || io::Error::from(ErrorKind::FileTooLarge);
        left = left.checked_sub(entry.size()).ok_or_else(too_much)?;
        if tree.len() >= MAX_FILES {
            return Err(too_much());
        }
        let path = String::from_utf8(entry.path_bytes().into_owned()).map_err(io::Error::other)?;
        let executable = entry.header().mode()? & 0o100 != 0;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        tree.put_blob(path, Blob { bytes, executable });
    }
    Ok(tree)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::transaction::{Intent, commit};

    fn skill() -> Tree {
        let mut tree = Tree::new();
        tree.put("SKILL.md", "---\nname: demo\n---\n");
        tree.put_blob("scripts/run.sh", Blob { bytes: b"#!/bin/sh\n".to_vec(), executable: true });
        tree.put(format!("references/{}/deep.md", "long-name-".repeat(20)), "x");
        tree
    }

    fn locked(root: &std::path::Path) -> Lock {
        fs::create_dir_all(root.join(".hefesto")).unwrap();
        Lock::acquire(root, "test", std::time::Duration::ZERO, &mut |_| {}).unwrap()
    }

    fn keep(lock: &Lock, tree: &Tree) -> usize {
        let changes = keeping(lock, [tree, tree]).unwrap();
        let made = changes.len();
        let now = "2026-02-05T10:00:00Z".to_owned();
        let intent = Intent { run: "run".into(), command: "test".into(), now, registry: None };
        commit(lock, intent, changes, &|_, _| Ok(())).unwrap();
        made
    }

    #[test]
    fn a_tree_is_kept_once_and_read_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        let (lock, tree) = (locked(dir.path()), skill());
        assert_eq!((keep(&lock, &tree), keep(&lock, &tree)), (1, 0));
        let digest = tree.digest();
        assert_eq!(read(lock.roots(), &digest), Some(tree));
        assert!(has(lock.roots(), &digest) && list(lock.roots()).len() == 1);
        assert_eq!(read(lock.roots(), "../../MEMORY.md"), None);
        remove(&lock, [digest.as_str()]);
        assert!(!has(lock.roots(), &digest));
    }

    #[test]
    fn what_is_damaged_is_not_believed_and_is_kept_anew() {
        let dir = tempfile::tempdir().unwrap();
        let (lock, tree) = (locked(dir.path()), skill());
        keep(&lock, &tree);
        let digest = tree.digest();
        let mut other = tree.clone();
        other.put("SKILL.md", "another");
        for wrong in [b"no archive".to_vec(), pack(&other).unwrap(), Vec::new()] {
            fs::write(dir.path().join(place(&digest)), wrong).unwrap();
            assert_eq!(read(lock.roots(), &digest), None);
            assert_eq!(keep(&lock, &tree), 1);
            assert!(read(lock.roots(), &digest).is_some());
        }
    }
}

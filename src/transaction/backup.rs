//! Backups: what is about to be replaced is packed, synced, read back and compared before anything touches it.

mod archive;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::error::{Code, Coded, Error, Result};
use crate::report::slashed::Slashed;
use crate::skill::Tree;
use crate::system::os::files;
use crate::system::rooted::{self, Held, Kind, Metadata, Rooted};
use crate::transaction::disk::Disk;
use crate::transaction::{self, Faults, HOME, Roots};

pub use archive::{Archive, Entry, MAX_DEPTH, MAX_ENTRIES, MAX_PATH, MAX_RATIO, MAX_TOTAL, read, read_at};

/// The ending of every archive's name.
pub(super) const ENDING: &str = ".tar.gz";

/// An archive that has been read back and found to hold what it should. Only [`take`] makes one; nothing is replaced
/// without it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedBackup {
    path: String,
    held: BTreeMap<String, String>,
}

impl VerifiedBackup {
    /// The archive, relative to the project's root.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it holds the directory `at` with this [`Tree::digest`].
    pub fn holds(&self, at: &str, digest: &str) -> bool {
        self.held.get(at).is_some_and(|held| held == digest)
    }
}

/// One archive in `.hefesto/backups`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The file, relative to the project's root.
    pub path: String,
    /// The name it was taken under: the skill's.
    pub name: String,
    /// When it was taken, `YYYY-MM-DDTHH-MM-SS`.
    pub stamp: String,
    /// The number behind the stamp where several were taken in one second; 1 for the first.
    pub number: u32,
    pub bytes: u64,
}

/// Packs directories into one archive, `.hefesto/backups/<name>-<stamp>.tar.gz`, and proves that it holds them.
///
/// `stamp` is `YYYY-MM-DDTHH-MM-SS`; a number follows where that name is taken. `copies` are the directories relative
/// to the root with what they are expected to hold. Empty directories, modes and times of change are kept too, so that
/// `tar -xzf` from the root brings everything back.
/// Errors: `E-TXN-002` when a directory does not hold what is expected; `E-CREATE-014` when the archive cannot be written
/// or does not read back the same. Nothing is left behind then.
pub fn take(roots: impl Into<Roots>, name: &str, stamp: &str, copies: &[(String, &Tree)]) -> Result<VerifiedBackup> {
    take_with(roots, name, stamp, copies, &Faults::none())
}

/// [`take`] with failures on demand.
pub fn take_with(
    roots: impl Into<Roots>,
    name: &str,
    stamp: &str,
    copies: &[(String, &Tree)],
    faults: &Faults,
) -> Result<VerifiedBackup> {
    let roots = roots.into();
    let disk = Disk::of(&roots, faults);
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if !plain(name) || split_stamp(stamp).is_none_or(|(stem, number)| !stem.is_empty() || number != 1) {
        return Err(Error::new(Code::CreateBackup, format!("{name:?} at {stamp:?} is no name for a backup")));
    }
    let mut held = BTreeMap::new();
    for (at, tree) in copies {
        let now = transaction::scan(&roots, at)?;
        if now.as_ref() != Some(*tree) {
            return Err(Error::new(Code::Changed, format!("{at} is not what it was; nothing was written")));
        }
        held.insert(at.clone(), tree.digest());
    }
    let failed = |why: String| Error::new(Code::CreateBackup, why);
    let bytes = pack(&roots, copies)
        .map_err(|error| failed(format!("the old copies cannot be packed; nothing was replaced ({error})")))?;
    verify(bytes.as_slice(), bytes.len() as u64, copies).map_err(|why| failed(format!("the backup {why}")))?;
    let (path, file) = store(&disk, &format!("{name}-{stamp}"), &bytes).map_err(|error| {
        failed(format!("the backup could not be written in {HOME}/backups; nothing was replaced ({error})"))
    })?;
    let reread = || {
        let opened = disk.open(&file).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, opened) = opened.map_err(|error| format!("cannot be read back ({error})"))?;
        verify(io::BufReader::new(opened), length, copies)
    };
    if let Err(why) = reread() {
        let _ = disk.remove_file(&file);
        return Err(failed(format!("the backup {path} {why}; nothing was replaced")));
    }
    Ok(VerifiedBackup { path, held })
}

/// Every archive of this project, by name, then time.
/// Errors: `E-IO-001` when the directory exists and cannot be read.
pub fn list(root: &Path) -> Result<Vec<Listed>> {
    let (faults, roots) = (Faults::none(), Roots::from(root));
    let disk = Disk::of(&roots, &faults);
    let unread = "cannot read .hefesto/backups";
    let mut all = Vec::new();
    let Some(dir) = rooted::found(directory(&disk)).coded(Code::Io, unread)? else { return Ok(all) };
    for file in disk.names(&dir).coded(Code::Io, unread)? {
        let Ok(file) = file.into_string() else { continue };
        let Some(base) = file.strip_suffix(ENDING).filter(|_| !file.starts_with('.')) else { continue };
        let Some((name, number)) = split_stamp(base) else { continue };
        let Some(meta) = disk.stat(&dir.join(&file)).coded(Code::Io, unread)? else { continue };
        let Some(name) = name.strip_suffix('-').filter(|name| !name.is_empty()) else { continue };
        if meta.is_file() {
            let stamp = base.get(name.len() + 1..name.len() + 1 + STAMP.len()).unwrap_or_default().to_owned();
            let path = format!("{HOME}/backups/{file}");
            all.push(Listed { path, name: name.to_owned(), stamp, number, bytes: meta.len() });
        }
    }
    all.sort_by(|a, b| (&a.name, &a.stamp, a.number).cmp(&(&b.name, &b.stamp, b.number)));
    Ok(all)
}

/// Removes an archive that was only needed until its transaction was committed.
/// Errors: `E-TXN-003` when it cannot be removed.
pub fn discard(lock: &transaction::Lock, backup: &VerifiedBackup) -> Result<()> {
    remove(lock, &backup.path)
}

/// Removes an archive for good; `path` is relative to the root, as [`list`] gives it.
/// Errors: `E-TXN-003` when it cannot be removed.
pub fn remove(lock: &transaction::Lock, path: &str) -> Result<()> {
    let faults = Faults::none();
    let disk = Disk::of(lock.roots(), &faults);
    let removed = disk.at(path).and_then(|file| disk.remove_file(&file));
    removed.coded(Code::WriteFailed, format!("{path} could not be removed"))
}

/// Removes archives that were never finished. The project's lock has to be held.
pub(crate) fn sweep(disk: &Disk<'_>) -> io::Result<()> {
    unfinished(disk)?.iter().try_for_each(|file| disk.remove_file(file))
}

/// Archives that were never finished.
pub(crate) fn unfinished(disk: &Disk<'_>) -> io::Result<Vec<Held>> {
    let dir = directory(disk)?;
    let ours = |name: &str| name.starts_with('.') && name.ends_with(".tmp");
    let names = disk.names(&dir)?.into_iter().filter(|name| ours(&name.to_string_lossy()));
    Ok(names.map(|name| dir.join(name)).collect())
}

/// The form of a stamp: `0` matches any digit.
const STAMP: &str = "0000-00-00T00-00-00";

/// Splits `<stem><stamp>[-<number>]` into the stem and the number.
fn split_stamp(text: &str) -> Option<(&str, u32)> {
    let alike = |(b, form): (u8, u8)| if form == b'0' { b.is_ascii_digit() } else { b == form };
    let fits =
        |at: &usize| text.get(*at..at + STAMP.len()).is_some_and(|stamp| stamp.bytes().zip(STAMP.bytes()).all(alike));
    let start = (0..text.len()).rev().find(fits)?;
    let number = match text.get(start + STAMP.len()..)? {
        "" => 1,
        rest => rest.strip_prefix('-')?.parse().ok().filter(|number| *number > 1)?,
    };
    Some((text.get(..start)?, number))
}

fn directory(disk: &Disk<'_>) -> io::Result<Held> {
    Ok(disk.at(HOME)?.join("backups"))
}

fn store(disk: &Disk<'_>, base: &str, bytes: &[u8]) -> io::Result<(String, Held)> {
    let dir = directory(disk)?;
    for dir in [&disk.at(HOME)?, &dir] {
        match rooted::found(dir.metadata())? {
            Some(meta) if meta.is_dir() => {}
            Some(_) => {
                let message = format!("{} is in the way", dir.path().slashed());
                return Err(io::Error::new(ErrorKind::NotADirectory, message));
            }
            None => {
                disk.make_dir(dir, 0o700)?;
                disk.sync_parent(dir)?;
            }
        }
    }
    let temporary = dir.join(format!(".{base}.tmp"));
    let written = (|| {
        disk.remove_file(&temporary)?;
        disk.write_new(&temporary, bytes, 0o600)?;
        for name in transaction::path::numbered(base).map(|name| name + ENDING) {
            let file = dir.join(&name);
            match disk.rename_new(&temporary, &file) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    if let Err(error) = disk.sync_dir(&dir) {
                        let _ = disk.remove_file(&file);
                        return Err(error);
                    }
                    return Ok((format!("{HOME}/backups/{name}"), file));
                }
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    })();
    if written.is_err() {
        let _ = disk.remove_file(&temporary);
    }
    written
}

/// Whether the archive holds exactly the copies.
fn verify(archive: impl io::Read, length: u64, copies: &[(String, &Tree)]) -> Result<(), String> {
    let archive = archive::parse(archive, length)?;
    let mut expected = BTreeSet::new();
    for (at, tree) in copies {
        if archive.tree(at).as_ref() != Some(*tree) {
            return Err(format!("does not hold {at} as it is"));
        }
        expected.extend(tree.iter().map(|(path, _)| format!("{at}/{path}")));
    }
    match archive.files().find(|path| !expected.contains(*path)) {
        Some(path) => Err(format!("holds {path}, which is not among the copies")),
        None => Ok(()),
    }
}

/// The archive's bytes. File contents come from the trees; modes, owners, times and empty directories from the disk.
fn pack(roots: &Roots, copies: &[(String, &Tree)]) -> io::Result<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    for (at, tree) in copies {
        let top = roots.at(at)?;
        let real = top.root().plain(top.real()?);
        directories(&mut tar, &real, at)?;
        for (path, blob) in tree.iter() {
            let inside = format!("{at}/{path}");
            let mut header = header(&real.join(path).entry()?);
            header.set_entry_type(EntryType::Regular);
            header.set_size(blob.bytes.len() as u64);
            tar.append_data(&mut header, &inside, blob.bytes.as_slice())?;
        }
    }
    let plain = tar.into_inner()?;
    let packed = compress(&plain, Compression::default())?;
    // An archive that unpacks to far more than its own size would be refused when it is read.
    if plain.len() as u64 / MAX_RATIO.max(1) >= packed.len() as u64 {
        return compress(&plain, Compression::none());
    }
    Ok(packed)
}

/// Every directory from `at` down, outermost first.
fn directories(tar: &mut Builder<Vec<u8>>, dir: &Rooted, at: &str) -> io::Result<()> {
    let mut header = header(&dir.entry()?);
    header.set_entry_type(EntryType::Directory);
    header.set_size(0);
    tar.append_data(&mut header, format!("{at}/"), io::empty())?;
    let mut entries = dir.list()?;
    entries.sort();
    for (name, kind) in entries {
        if kind == Kind::Dir {
            let name = name.to_str().ok_or_else(|| io::Error::other("a directory's name is not UTF-8"))?;
            directories(tar, &dir.join(name), &format!("{at}/{name}"))?;
        }
    }
    Ok(())
}

fn header(meta: &Metadata) -> Header {
    let mut header = Header::new_gnu();
    let (user, group, changed) = files::owned(meta);
    header.set_mode(files::mode(meta) & 0o777);
    header.set_uid(user);
    header.set_gid(group);
    header.set_mtime(changed);
    header
}

pub(super) fn compress(plain: &[u8], how: Compression) -> io::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), how);
    gzip.write_all(plain)?;
    gzip.finish()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::skill::Blob;

    const STAMP: &str = "2026-02-05T10-01-00";

    fn project() -> (tempfile::TempDir, Tree) {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join(".claude/skills/demo");
        fs::create_dir_all(skill.join("scripts")).unwrap();
        fs::create_dir_all(skill.join("assets/empty")).unwrap();
        fs::write(skill.join("SKILL.md"), "---\nname: demo\n---\n").unwrap();
        fs::write(skill.join("scripts/run.sh"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(skill.join("scripts/run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
        fs::File::open(skill.join("SKILL.md")).unwrap().set_modified(old).unwrap();
        let tree = transaction::scan(dir.path(), ".claude/skills/demo").unwrap().unwrap();
        (dir, tree)
    }

    #[test]
    fn a_person_gets_the_old_directory_back_with_tar_alone() {
        let (dir, tree) = project();
        let at = ".claude/skills/demo".to_owned();
        let backup = take(dir.path(), "demo", STAMP, &[(at.clone(), &tree)]).unwrap();
        assert_eq!(backup.path(), ".hefesto/backups/demo-2026-02-05T10-01-00.tar.gz");
        assert!(backup.holds(&at, &tree.digest()) && !backup.holds(&at, "other"));
        fs::remove_dir_all(dir.path().join(".claude")).unwrap();
        let status = Command::new("tar").args(["-xzf", backup.path(), "-C", "."]).current_dir(dir.path()).status();
        assert!(status.unwrap().success());
        assert_eq!(transaction::scan(dir.path(), &at).unwrap(), Some(tree));
        assert!(dir.path().join(".claude/skills/demo/assets/empty").is_dir());
        let time = dir.path().join(".claude/skills/demo/SKILL.md").metadata().unwrap().modified().unwrap();
        assert_eq!(time, SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000));
        let mode = dir.path().join(backup.path()).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn two_in_one_second_get_a_number_and_both_are_listed() {
        let (dir, tree) = project();
        let copies = [(".claude/skills/demo".to_owned(), &tree)];
        take(dir.path(), "demo", STAMP, &copies).unwrap();
        let second = take(dir.path(), "demo", STAMP, &copies).unwrap();
        assert_eq!(second.path(), ".hefesto/backups/demo-2026-02-05T10-01-00-2.tar.gz");
        let all = list(dir.path()).unwrap();
        let shown: Vec<_> = all.iter().map(|l| (l.name.as_str(), l.stamp.as_str(), l.number)).collect();
        assert_eq!(shown, [("demo", STAMP, 1), ("demo", STAMP, 2)]);
        let archive = read(&dir.path().join(second.path())).unwrap();
        assert_eq!(archive.roots(), [".claude/skills/demo"]);
        assert_eq!(archive.tree(".claude/skills/demo"), Some(tree));
    }

    #[test]
    fn what_changed_since_it_was_shown_is_not_packed_and_names_with_a_path_are_refused() {
        let (dir, mut tree) = project();
        for (name, stamp) in [("../x", STAMP), ("", STAMP), ("x", "now"), ("x", "a-2026-02-05T10-01-00")] {
            let error = take(dir.path(), name, stamp, &[(".claude/skills/demo".into(), &tree)]).unwrap_err();
            assert_eq!(error.code(), Code::CreateBackup, "{name} {stamp}");
        }
        tree.put("SKILL.md", "something else");
        let error = take(dir.path(), "demo", STAMP, &[(".claude/skills/demo".into(), &tree)]).unwrap_err();
        assert_eq!(error.code(), Code::Changed);
        assert!(!dir.path().join(".hefesto").exists());
    }

    #[test]
    fn no_failure_leaves_a_file_behind() {
        for at in 1..60 {
            let (dir, tree) = project();
            let faults = Faults::at(at, transaction::Way::Error);
            let result = take_with(dir.path(), "demo", STAMP, &[(".claude/skills/demo".into(), &tree)], &faults);
            if faults.steps() < at {
                assert!(at > 8, "only {at} steps");
                return;
            }
            assert_eq!(result.unwrap_err().code(), Code::CreateBackup);
            let left = fs::read_dir(dir.path().join(".hefesto/backups")).map_or(0, Iterator::count);
            assert_eq!(left, 0, "step {at}");
        }
        panic!("never ran through");
    }

    #[test]
    fn a_monotonous_skill_can_be_backed_up_too() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("s")).unwrap();
        fs::write(dir.path().join("s/zeros"), vec![0; 4 << 20]).unwrap();
        let mut tree = Tree::new();
        tree.put_blob("zeros", Blob { bytes: vec![0; 4 << 20], executable: false });
        take(dir.path(), "s", STAMP, &[("s".into(), &tree)]).unwrap();
    }
}

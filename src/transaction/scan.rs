//! Reads a directory into a tree: regular files only, no link followed, within limits.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::error::{Code, Coded, Error, Result};
use crate::skill::{Blob, Tree};
use crate::system::os::files;
use crate::system::os::listing::Listing;
use crate::system::rooted::{Held, Kind};

use super::disk::Disk;
use super::faults::Faults;
use super::reads::Seen;
use super::roots::Roots;

/// The most files in one skill.
pub const MAX_FILES: usize = 2_000;

/// The most bytes in one skill: 64 MiB.
pub const MAX_BYTES: u64 = 64 << 20;

/// The deepest directory below a skill's own.
pub const MAX_DEPTH: usize = 16;

/// Reads the directory `at` (relative to the root) with everything in it; `None` if nothing is there.
///
/// Links on the way are resolved and have to stay inside the project. A directory whose name differs by case alone is
/// another one.
/// Errors: `E-IO-001`, naming the path: a link, a device, a pipe, a name that is not UTF-8, too many files or bytes, too
/// deep, not a directory, or unreadable.
pub fn scan(roots: impl Into<Roots>, at: &str) -> Result<Option<Tree>> {
    let roots = roots.into();
    let place =
        super::path::Place::find_beside(&roots, at, &|_| true).map_err(|why| Error::new(Code::Io, why.to_string()))?;
    read(&Disk::of(&roots, &Faults::none()), &place.last(), at)
}

/// What the directory at a path holds for a transaction: a failed read is an error and never content.
pub(super) fn look(disk: &Disk<'_>, path: &Held) -> io::Result<Seen> {
    match read(disk, path, "it") {
        Ok(None) => Ok(Seen::Nothing),
        Ok(Some(tree)) => Ok(Seen::Content(tree.digest())),
        Err(error) => match error.system() {
            Some(failed) => Err(failed),
            None => Ok(Seen::Other(error.message())),
        },
    }
}

/// Reads a directory as [`scan`] does, but goes on at what is no regular file: that is left out and said. A `.git` of
/// the directory's own is passed by.
/// Errors: as [`scan`], where the directory as a whole cannot be read.
pub fn survey(root: &Path, at: &str) -> Result<Option<(Tree, Vec<LeftOut>)>> {
    let roots = root.into();
    let place = super::path::Place::find(&roots, at).map_err(|why| Error::new(Code::Io, why.to_string()))?;
    survey_at(&roots, &place.last(), at)
}

/// [`survey`] of a directory whose parents are known to be sound; `at` names it in messages.
pub(super) fn survey_at(roots: &Roots, held: &Held, at: &str) -> Result<Option<(Tree, Vec<LeftOut>)>> {
    let faults = Faults::none();
    let disk = Disk::of(roots, &faults);
    let mut reading = Reading { disk, held, tree: Tree::new(), bytes: 0, left_out: Some(Vec::new()) };
    Ok(reading.whole(at)?.then(|| (reading.tree, reading.left_out.unwrap_or_default())))
}

/// Something in a directory that is no file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LeftOut {
    /// Where it stands below the directory.
    pub path: String,
    pub why: String,
}

/// Reads a directory whose parents are known to be sound; `at` names it in messages.
pub(super) fn read(disk: &Disk<'_>, held: &Held, at: &str) -> Result<Option<Tree>> {
    let mut reading = Reading { disk: *disk, held, tree: Tree::new(), bytes: 0, left_out: None };
    Ok(reading.whole(at)?.then_some(reading.tree))
}

struct Reading<'a> {
    disk: Disk<'a>,
    held: &'a Held,
    tree: Tree,
    bytes: u64,
    /// Where it goes on at what is no file; without it, that is an error.
    left_out: Option<Vec<LeftOut>>,
}

impl Reading<'_> {
    /// Reads everything below the path; false if nothing is there.
    fn whole(&mut self, at: &str) -> Result<bool> {
        self.disk.reading(self.held).coded_with(Code::Io, || format!("cannot read {at}"))?;
        let dir = match self.held.open_list() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) if files::is_no_directory(&error) => {
                return Err(Error::new(Code::Io, format!("{at} is not a directory")));
            }
            other => other.coded(Code::Io, format!("cannot read {at}"))?,
        };
        self.directory(dir, at, "", 0)?;
        Ok(true)
    }

    /// Notes what is no file, or fails with it.
    fn leave_out(&mut self, path: String, why: &str, error: impl FnOnce() -> Error) -> Result<()> {
        match &mut self.left_out {
            Some(list) => {
                list.push(LeftOut { path, why: why.to_owned() });
                Ok(())
            }
            None => Err(error()),
        }
    }

    fn directory(&mut self, mut dir: Listing, at: &str, inside: &str, depth: usize) -> Result<()> {
        if depth > MAX_DEPTH {
            return Err(Error::new(Code::Io, format!("{at}/{inside} is deeper than {MAX_DEPTH} directories")));
        }
        let cannot = || format!("cannot list {at}/{inside}");
        self.disk.reading(&self.held.join(inside)).coded_with(Code::Io, cannot)?;
        let mut names = dir.entries(MAX_FILES).coded_with(Code::Io, cannot)?;
        if names.len() > MAX_FILES {
            return Err(too_many(at));
        }
        names.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (name, kind) in names {
            self.entry(&dir, at, inside, (&name, kind), depth)?;
        }
        Ok(())
    }

    fn entry(
        &mut self,
        dir: &Listing,
        at: &str,
        inside: &str,
        (name, kind): (&OsStr, Option<Kind>),
        depth: usize,
    ) -> Result<()> {
        let Some(text) = name.to_str() else {
            let shown = name.to_string_lossy().into_owned();
            let error = || Error::new(Code::Io, format!("{at}/{inside}: the name {shown:?} is not UTF-8"));
            return self.leave_out(inside.to_owned(), "It holds a file whose name is not UTF-8", error);
        };
        // A checkout of its own: git's directory in it is no part of the skill.
        if self.left_out.is_some() && inside.is_empty() && text == ".git" {
            return Ok(());
        }
        let path = if inside.is_empty() { text.to_owned() } else { format!("{inside}/{text}") };
        let shown = || format!("{at}/{}", path.escape_debug());
        let cannot = || format!("cannot read {}", shown());
        let kind = match kind {
            Some(known) => known,
            None => dir.kind(name).coded_with(Code::Io, cannot)?,
        };
        match kind {
            Kind::Dir => {
                self.disk.reading(&self.held.join(&path)).coded_with(Code::Io, cannot)?;
                let next = dir.directory(name).coded_with(Code::Io, cannot)?;
                self.directory(next, at, &path, depth + 1)
            }
            Kind::File => {
                let ask = || self.disk.reading(&self.held.join(&path)).coded_with(Code::Io, cannot);
                ask()?;
                let file = dir.file(name).coded_with(Code::Io, cannot)?;
                ask()?;
                let meta = file.metadata().coded_with(Code::Io, cannot)?;
                if !meta.is_file() {
                    return Err(Error::new(Code::Io, format!("{} changed while it was read", shown())));
                }
                if self.tree.len() >= MAX_FILES {
                    return Err(too_many(at));
                }
                let left = MAX_BYTES - self.bytes;
                let expected = usize::try_from(meta.len()).unwrap_or(0).min(usize::try_from(left).unwrap_or(0));
                ask()?;
                let bytes = contents(file, expected, left + 1).coded_with(Code::Io, cannot)?;
                let length = bytes.len() as u64;
                if length > left {
                    return Err(Error::new(Code::Io, format!("{at} holds more than {} MiB", MAX_BYTES >> 20)));
                }
                self.bytes += length;
                self.tree.put_blob(path, Blob { bytes, executable: files::is_executable(&meta) });
                Ok(())
            }
            Kind::Link => {
                let error = Error::new(Code::Io, format!("{} is a symbolic link", shown()))
                    .suggest("Replace the link with the file itself, or move it out of the skill.");
                self.leave_out(path, "It is a symbolic link, and none is followed", || error)
            }
            Kind::Other => {
                let error = Error::new(Code::Io, format!("{} is neither a file nor a directory", shown()));
                self.leave_out(path, "It is neither a file nor a directory", || error)
            }
        }
    }
}

/// What is in a file that should hold so many bytes, and of a longer one at most `most`. Asked for one byte more than
/// it should hold, a file that gives just these has come to its end, which spares a second question.
fn contents(mut file: File, expected: usize, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; expected + 1];
    let read = match file.read(&mut bytes) {
        Err(error) if error.kind() == ErrorKind::Interrupted => 0,
        other => other?,
    };
    bytes.truncate(read);
    if read != expected || read == 0 {
        file.take(most.saturating_sub(read as u64)).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn too_many(at: &str) -> Error {
    Error::new(Code::Io, format!("{at} holds more than {MAX_FILES} files"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_is_on_disk_is_what_the_tree_holds() {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join(".claude/skills/demo/scripts");
        fs::create_dir_all(&skill).unwrap();
        fs::write(skill.join("run.sh"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(skill.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
        let tree = scan(dir.path(), ".claude/skills/demo").unwrap().unwrap();
        assert_eq!(tree.text("scripts/run.sh"), Some("#!/bin/sh\n"));
        assert!(tree.get("scripts/run.sh").unwrap().executable);
        assert_eq!(scan(dir.path(), ".claude/skills/other").unwrap(), None);
    }

    #[test]
    fn a_name_of_another_case_is_another_skill() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("skills/Demo")).unwrap();
        assert_eq!(scan(dir.path(), "skills/demo").unwrap(), None);
        assert!(scan(dir.path(), "Skills/Demo").is_err(), "a directory on the way is not guessed");
    }

    #[test]
    fn links_pipes_and_files_are_named_and_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        symlink("/etc/passwd", dir.path().join("a/link")).unwrap();
        let error = scan(dir.path(), "a").unwrap_err();
        assert!(error.message().contains("a/link is a symbolic link"), "{error}");
        fs::remove_file(dir.path().join("a/link")).unwrap();
        files::make_pipe(&dir.path().join("a/pipe"));
        assert!(scan(dir.path(), "a").unwrap_err().message().contains("a/pipe"));
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(scan(dir.path(), "file").is_err());
        fs::write(dir.path().join("a/SKILL.md"), "x").unwrap();
        let (tree, left_out) = survey(dir.path(), "a").unwrap().unwrap();
        assert_eq!(tree.text("SKILL.md"), Some("x"));
        assert_eq!(left_out.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["pipe"]);
        fs::create_dir(dir.path().join("a/.git")).unwrap();
        fs::write(dir.path().join("a/.git/HEAD"), "x").unwrap();
        assert_eq!(survey(dir.path(), "a").unwrap().unwrap().0, tree);
        assert_eq!(survey(dir.path(), "none").unwrap(), None);
    }

    #[test]
    fn the_limits_hold_without_reading_everything() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("big")).unwrap();
        File::create(dir.path().join("big/sparse")).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert!(scan(dir.path(), "big").unwrap_err().message().contains("64 MiB"));
        let mut deep = dir.path().join("deep");
        deep.extend(["d"; MAX_DEPTH + 1]);
        fs::create_dir_all(deep).unwrap();
        assert!(scan(dir.path(), "deep").unwrap_err().message().contains("deeper"));
    }
}

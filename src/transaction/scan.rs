//! Reads a directory into a tree: regular files only, no link followed, within limits.

use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Disk, Faults, Roots, Seen};
use crate::error::{Code, Coded, Error, Result};
use crate::skill::{Blob, Tree};
use crate::system::os::files;
use crate::system::os::listing::Listing;
use crate::system::rooted::{self, Held, Kind, Root, beginning};

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
    let mut reading = Reading { disk, held, at, tree: Tree::new(), bytes: 0, left_out: Some(Vec::new()) };
    Ok(reading.whole()?.then(|| (reading.tree, reading.left_out.unwrap_or_default())))
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
    let mut reading = Reading { disk: *disk, held, at, tree: Tree::new(), bytes: 0, left_out: None };
    Ok(reading.whole()?.then_some(reading.tree))
}

struct Reading<'a> {
    disk: Disk<'a>,
    held: &'a Held,
    /// What messages call it.
    at: &'a str,
    tree: Tree,
    bytes: u64,
    /// Where it goes on at what is no file; without it, that is an error.
    left_out: Option<Vec<LeftOut>>,
}

impl Reading<'_> {
    /// Reads everything; false if nothing is there.
    fn whole(&mut self) -> Result<bool> {
        let at = self.at;
        self.disk.reading(self.held).coded_with(Code::Io, || format!("cannot read {at}"))?;
        let dir = match self.held.open_list() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) if files::is_no_directory(&error) => {
                return Err(Error::new(Code::Io, format!("{at} is not a directory")));
            }
            other => other.coded(Code::Io, format!("cannot read {at}"))?,
        };
        self.directory(dir, "", 0)?;
        Ok(true)
    }

    /// Notes what is no file, or fails with it.
    fn leave_out(&mut self, path: String, why: &str, error: Error) -> Result<()> {
        let Some(list) = &mut self.left_out else { return Err(error) };
        list.push(LeftOut { path, why: why.to_owned() });
        Ok(())
    }

    fn directory(&mut self, mut dir: Listing, inside: &str, depth: usize) -> Result<()> {
        let at = self.at;
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
            self.entry(&dir, inside, (&name, kind), depth)?;
        }
        Ok(())
    }

    fn entry(&mut self, dir: &Listing, inside: &str, (name, kind): (&OsStr, Option<Kind>), depth: usize) -> Result<()> {
        let at = self.at;
        let Some(text) = name.to_str() else {
            let shown = name.to_string_lossy();
            let error = Error::new(Code::Io, format!("{at}/{inside}: the name {shown:?} is not UTF-8"));
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
                self.directory(next, &path, depth + 1)
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
                ask()?;
                let most = usize::try_from(left + 1).unwrap_or(usize::MAX);
                let bytes = beginning(file, meta.len(), most).coded_with(Code::Io, cannot)?;
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
                self.leave_out(path, "It is a symbolic link, and none is followed", error)
            }
            Kind::Other => {
                let error = Error::new(Code::Io, format!("{} is neither a file nor a directory", shown()));
                self.leave_out(path, "It is neither a file nor a directory", error)
            }
        }
    }
}

fn too_many(at: &str) -> Error {
    Error::new(Code::Io, format!("{at} holds more than {MAX_FILES} files"))
}

/// What was read of a directory: its path, absolute and without links, and what is in it.
pub struct Surveyed {
    pub dir: PathBuf,
    /// The files, and what is none; `None` where nothing is there.
    pub found: Result<Option<(Tree, Vec<LeftOut>)>>,
}

/// The directories in which others were looked for, each listed once.
#[derive(Default)]
pub struct Listings(Mutex<std::collections::HashMap<PathBuf, Arc<Siblings>>>);

struct Siblings {
    root: Root,
    /// What is in it, by its names, their case set aside.
    entries: Vec<Entry>,
}

struct Entry {
    /// Its name in lower case.
    folded: OsString,
    name: OsString,
    /// Whether it is a directory, and no link to one.
    is_dir: bool,
}

impl Listings {
    /// Surveys a directory as [`survey`] does, after links on the way to it were resolved.
    pub fn survey(&self, dir: &Path) -> Surveyed {
        let known = dir.parent().zip(dir.file_name()).and_then(|(parent, name)| {
            let listing = self.of(parent)?;
            let plain = listing.holds_alone(name).then_some(name)?.to_str()?;
            super::path::check(plain).ok()?;
            let held = listing.root.held(plain);
            let found = survey_at(&parent.into(), &held, plain).ok().flatten()?;
            Some(Surveyed { dir: held.path(), found: Ok(Some(found)) })
        });
        known.unwrap_or_else(|| {
            let dir = rooted::anywhere(dir).and_then(|dir| dir.canonical()).unwrap_or_else(|_| dir.to_path_buf());
            let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let found = survey(dir.parent().unwrap_or(Path::new("/")), &name);
            Surveyed { dir, found }
        })
    }

    fn of(&self, parent: &Path) -> Option<Arc<Siblings>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = known.get(parent) {
            return Some(Arc::clone(listing));
        }
        let listing = Arc::new(Siblings::of(parent)?);
        known.insert(parent.to_path_buf(), Arc::clone(&listing));
        Some(listing)
    }
}

impl Siblings {
    fn of(parent: &Path) -> Option<Self> {
        let root = Root::of(&rooted::anywhere(parent).ok()?).ok()?;
        let named = |(name, kind): (OsString, Kind)| Entry {
            folded: name.to_ascii_lowercase(),
            name,
            is_dir: kind == Kind::Dir,
        };
        let mut entries: Vec<Entry> = root.at("").list().ok()?.into_iter().map(named).collect();
        entries.sort_unstable_by(|one, other| one.folded.cmp(&other.folded));
        Some(Self { root, entries })
    }

    /// Whether there is a directory of this name, and nothing whose name differs by case alone.
    fn holds_alone(&self, name: &OsStr) -> bool {
        let folded = name.to_ascii_lowercase();
        let from = self.entries.partition_point(|one| one.folded < folded);
        let mut alike = self.entries.iter().skip(from).take_while(|one| one.folded == folded);
        alike.next().is_some_and(|one| one.is_dir && one.name == name) && alike.next().is_none()
    }
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
        for none in [".claude/skills/other", ".claude/skills/Demo"] {
            assert_eq!(scan(dir.path(), none).unwrap(), None, "a name of another case is another skill");
        }
        assert!(scan(dir.path(), ".claude/Skills/demo").is_err(), "a directory on the way is not guessed");
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
        fs::File::create(dir.path().join("big/sparse")).unwrap().set_len(MAX_BYTES + 1).unwrap();
        assert!(scan(dir.path(), "big").unwrap_err().message().contains("64 MiB"));
        let mut deep = dir.path().join("deep");
        deep.extend(["d"; MAX_DEPTH + 1]);
        fs::create_dir_all(deep).unwrap();
        assert!(scan(dir.path(), "deep").unwrap_err().message().contains("deeper"));
    }

    #[test]
    fn what_is_listed_once_is_read_as_if_it_were_looked_for_alone() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["one", "Two", "two", "under/three"] {
            fs::create_dir_all(root.join(name)).unwrap();
            fs::write(root.join(name).join("SKILL.md"), name).unwrap();
        }
        fs::write(root.join("file"), "x").unwrap();
        symlink("one", root.join("link")).unwrap();
        symlink("under", root.join("way")).unwrap();
        symlink("nowhere", root.join("one/broken")).unwrap();
        let listings = Listings::default();
        for at in ["one", "Two", "two", "file", "link", "way/three", "under/../one", "none", "none/none", "under/."] {
            let surveyed = listings.survey(&root.join(at));
            let real = root.join(at).canonicalize().unwrap_or(root.join(at));
            assert_eq!(surveyed.dir, real, "{at}");
            let name = real.file_name().unwrap().to_str().unwrap();
            let alone = survey(real.parent().unwrap(), name);
            match (surveyed.found, alone) {
                (Ok(here), Ok(there)) => assert_eq!(here, there, "{at}"),
                (Err(here), Err(there)) => assert_eq!(here.message(), there.message(), "{at}"),
                (here, there) => panic!("{at}: {here:?} and {there:?}"),
            }
        }
        let (tree, left_out) = listings.survey(&root.join("one")).found.unwrap().unwrap();
        assert_eq!((tree.text("SKILL.md"), left_out.len()), (Some("one"), 1));
    }
}

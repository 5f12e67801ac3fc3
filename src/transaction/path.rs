//! Where a path of the project leads: checked component by component, links resolved once, never outside.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::{Disk, Roots};
use crate::error::{Code, Coded, Error};
use crate::report::slashed::Slashed;
use crate::system::os::{files, places};
use crate::system::rooted::{self, Held, Kind, Metadata, OUTSIDE, Root};

/// The longest relative path that is written, in bytes.
const MAX_PATH: usize = 1024;

/// Why something cannot be written at a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", .path.escape_debug())]
pub struct Unwritable {
    /// The path that stands in the way, relative to the root where it is inside.
    pub path: String,
    /// What is wrong with it, a clause without a full stop.
    pub why: String,
}

/// Checks, touching nothing, that `at` (relative to the root, `/` between components) can be written.
///
/// The nearest existing ancestor has to be a writable directory inside the project; a link on the way may lead to
/// another place inside it; `at` itself is no link; no name differs from one on the way by case alone.
/// Errors: the first thing in the way.
pub fn writable(roots: impl Into<Roots>, at: &str) -> Result<(), Unwritable> {
    place_beside(&roots.into(), at, &[]).map(drop)
}

/// [`writable`], and where it leads, when these paths are going to be removed in the same change: they are in nobody's
/// way.
/// Errors: the first thing in the way.
pub(super) fn place_beside(roots: &Roots, at: &str, going: &[String]) -> Result<Place, Unwritable> {
    let place = Place::find_beside(roots, at, &|twin| going.iter().any(|path| path == twin))?;
    allowed(&place.ancestor(), at)?;
    if place.is_dir {
        allowed(&place.last(), at)?;
    }
    Ok(place)
}

/// A path of the project with its links resolved.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// What the directory it may not leave is called in a journal: the root but for a user's own skills.
    prefix: String,
    /// Relative to that directory, links resolved, `/` between components.
    below: String,
    /// What it is called in a journal.
    pub(crate) real: String,
    /// The nearest directory on the way that exists.
    ancestor: Held,
    /// How many leading components of `below` lead to it.
    existing: usize,
    /// Whether the last component is an existing directory.
    is_dir: bool,
}

/// Whether what a path ends in is a directory and not a file. Errors: it is neither.
fn is_directory(meta: &Metadata) -> Result<bool, &'static str> {
    match (meta.is_symlink(), meta.is_dir(), meta.is_file()) {
        (true, ..) => Err("is a symbolic link"),
        (_, false, false) => Err("is neither a file nor a directory"),
        (_, is_dir, _) => Ok(is_dir),
    }
}

impl Place {
    pub(crate) fn find(roots: &Roots, at: &str) -> Result<Self, Unwritable> {
        Self::find_beside(roots, at, &|_| false)
    }

    /// [`Place::find`], where a path that differs from `at` by case alone is allowed when `passes` says so. What is not
    /// listed under this very name is then not there, whatever the file system thinks of case.
    pub(crate) fn find_beside(roots: &Roots, at: &str, passes: &dyn Fn(&str) -> bool) -> Result<Self, Unwritable> {
        let because = |why: &str| Unwritable { path: at.to_owned(), why: why.to_owned() };
        check(at).map_err(because)?;
        let (outer, below) = roots.split(at);
        let abroad = outer != roots.root();
        let (base, _) = roots.opened_base(at).map_err(|error| unopened(outer, abroad, &error))?;
        let mut here = base.held("");
        let parts: Vec<&str> = below.split('/').collect();
        let mut missing: Vec<&str> = Vec::new();
        let mut is_dir = false;
        for (index, part) in parts.iter().enumerate() {
            let shown = parts.get(..=index).unwrap_or_default().join("/");
            let shown = if abroad { outer.join(shown).slashed() } else { shown };
            let because = |why: String| Unwritable { path: shown.clone(), why };
            let last = index + 1 == parts.len();
            if !missing.is_empty() {
                missing.push(part);
                continue;
            }
            let unread = |error: io::Error| because(format!("cannot be looked for ({error})"));
            let (twin, itself) = listed(roots, &here, part).map_err(unread)?;
            if let Some(twin) = twin {
                let above = at.rsplit_once('/').map(|(above, _)| format!("{above}/")).unwrap_or_default();
                if !last || !passes(&format!("{above}{twin}")) {
                    return Err(because(format!("`{twin}` is there already and differs by case alone")));
                }
                if itself == Listed::Not {
                    missing.push(part);
                    continue;
                }
            }
            let next = here.join(part);
            if let Some(known) = roots.known_dir(&next).filter(|_| !last) {
                here = known;
                continue;
            }
            if itself == Listed::As(Some(Kind::Dir)) && !last {
                here = roots.keep(next);
                continue;
            }
            let meta = rooted::found(next.metadata());
            let Some(meta) = meta.map_err(|error| because(format!("cannot be looked at ({error})")))? else {
                missing.push(part);
                continue;
            };
            if last {
                is_dir = is_directory(&meta).map_err(|why| because(why.into()))?;
                missing.push(part);
            } else if meta.is_symlink() {
                here = followed(&base, &next, abroad.then_some(outer)).map_err(because)?;
            } else if meta.is_dir() {
                here = roots.keep(next);
            } else {
                return Err(because("is not a directory".into()));
            }
        }
        Self::named(roots, &base, here, missing, is_dir).map_err(because)
    }

    /// The place that is called so below the nearest directory that exists. Errors: why it cannot be named.
    fn named(
        roots: &Roots,
        base: &Root,
        ancestor: Held,
        missing: Vec<&str>,
        is_dir: bool,
    ) -> Result<Self, &'static str> {
        let root = roots.opened_root().map_or_else(|_| roots.root().to_path_buf(), |root| root.path().to_path_buf());
        let utf8 = "leads to a name that is not UTF-8";
        let prefix = name_of(&root, base.path()).ok_or(utf8)?;
        let inside = ancestor.below().slashed_utf8().ok_or(utf8)?;
        let mut real: Vec<&str> = if inside.is_empty() { Vec::new() } else { inside.split('/').collect() };
        let existing = real.len();
        real.extend(missing);
        let below = real.join("/");
        check(&below)?;
        let real = joined(&prefix, &below);
        Ok(Self { prefix, below, real, ancestor, existing, is_dir })
    }

    pub(crate) fn last(&self) -> Held {
        self.ancestor.join(self.below.split('/').skip(self.existing).collect::<PathBuf>())
    }

    /// The directory it is in; it may not exist yet.
    pub(crate) fn parent(&self) -> Held {
        self.last().above().cloned().unwrap_or_else(|| self.ancestor())
    }

    /// The nearest directory on the way that exists; what is opened on the way to it stays open.
    pub(crate) fn ancestor(&self) -> Held {
        self.ancestor.clone()
    }

    /// The directories on the way that do not exist, outermost first, as journals name them.
    pub(crate) fn missing(&self) -> Vec<String> {
        let parts: Vec<&str> = self.below.split('/').collect();
        let above = |count| joined(&self.prefix, &parts.get(..count).unwrap_or_default().join("/"));
        (self.existing + 1..parts.len()).map(above).collect()
    }
}

/// The directory a link on the way leads to, which is not outside `base`; why it does not lead to one there.
fn followed(base: &Root, link: &Held, outer: Option<&Path>) -> Result<Held, String> {
    let target = base.at(link.below()).real().map_err(|error| match (rooted::refused(&error), outer) {
        (Some(refused), Some(outer)) if refused.why == OUTSIDE => {
            let target = link.parent().and_then(|(dir, name)| dir.read_link_contents(name)).unwrap_or_default();
            format!("is a symbolic link to {}, outside {}", target.slashed(), outer.slashed())
        }
        (Some(refused), None) if refused.why == OUTSIDE => "is a symbolic link that leads out of the project".into(),
        _ => format!("is a symbolic link that leads nowhere ({error})"),
    })?;
    let target = base.held(target);
    match target.metadata() {
        Ok(meta) if meta.is_dir() => Ok(target),
        _ => Err("is a symbolic link to something that is not a directory".into()),
    }
}

fn unopened(dir: &Path, abroad: bool, error: &io::Error) -> Unwritable {
    let what = if abroad { "the directory the skills are in" } else { "the project root" };
    let why = match error.kind() {
        ErrorKind::NotFound => format!("{what} is not there: make it first"),
        _ => format!("{what} cannot be opened ({error})"),
    };
    Unwritable { path: dir.slashed(), why }
}

/// A path below a directory, which may be the root.
pub(super) fn joined(prefix: &str, below: &str) -> String {
    if prefix.is_empty() { below.to_owned() } else { format!("{}/{below}", prefix.trim_end_matches('/')) }
}

/// A name, and the same with numbers from 2 on: for where it is taken.
pub(crate) fn numbered(base: &str) -> impl Iterator<Item = String> {
    (1_u32..).map(move |number| if number == 1 { base.to_owned() } else { format!("{base}-{number}") })
}

/// Whether a path is inside a directory.
pub(crate) fn within(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a relative path is one that may be acted upon: plain components, nothing of git's.
pub(crate) fn check(at: &str) -> Result<(), &'static str> {
    if at.is_empty() {
        return Err("is empty");
    }
    if at.len() > MAX_PATH {
        return Err("is too long");
    }
    for part in at.split('/') {
        if part.is_empty() || part == "." || part == ".." {
            return Err("is not a plain relative path");
        }
        if part.chars().any(|c| c.is_control() || c == '\\') {
            return Err("holds a control character or a backslash");
        }
        if part.eq_ignore_ascii_case(".git") {
            return Err("is git's own");
        }
        if let Some(why) = places::unnameable(part) {
            return Err(why);
        }
    }
    Ok(())
}

/// What a directory is called in a journal: its path below the root, empty for the root itself, else its absolute path.
/// `None` where that is not UTF-8.
pub(super) fn name_of(root: &Path, dir: &Path) -> Option<String> {
    dir.strip_prefix(root).unwrap_or(dir).slashed_utf8()
}

/// Whether the directories on the way to a path of a journal are no links, as far as they exist.
pub(super) fn plain(disk: &Disk<'_>, at: &str) -> io::Result<bool> {
    let looked = disk.at(at).and_then(|at| {
        disk.reading(&at)?;
        at.parent().map(drop)
    });
    match looked {
        Err(error) if rooted::refused(&error).is_some() => Ok(false),
        Err(error) if !rooted::absent(&error) => Err(error),
        _ => Ok(true),
    }
}

/// Whether this process may add and remove names in a directory.
pub(crate) fn permitted(dir: &Held) -> io::Result<()> {
    files::may_change(dir.dir()?)
}

/// Whether names can be moved between two directories: the same file system, mounted once.
pub(super) fn same_mount(one: &Held, other: &Held) -> bool {
    matches!((one.dir(), other.dir()), (Ok(one), Ok(other)) if files::mounted_apart(one, other).is_ok_and(|apart| !apart))
}

/// Makes sure that no other file system is mounted at a directory or in it: its files are not this project's to move,
/// and a mount point cannot be renamed.
pub(super) fn no_mount_in(disk: &Disk<'_>, dir: &Held, at: &str) -> Result<(), Error> {
    if dir.above().is_some_and(|above| !same_mount(above, dir)) {
        let message = format!("{at}: is a mount point, which can be neither replaced nor removed");
        return Err(Error::new(Code::CreateUnwritable, message).suggest("Unmount it, or use another directory."));
    }
    let unread = || format!("cannot read {at}");
    for name in disk.names(dir).coded_with(Code::CreateUnwritable, unread)? {
        let inside = dir.join(&name);
        if disk.is_dir(&inside).coded_with(Code::CreateUnwritable, unread)? {
            no_mount_in(disk, &inside, &format!("{at}/{}", name.to_string_lossy()))?;
        }
    }
    Ok(())
}

fn allowed(dir: &Held, at: &str) -> Result<(), Unwritable> {
    permitted(dir).map_err(|error| Unwritable {
        path: at.to_owned(),
        why: format!("{} cannot be written ({error})", dir.path().slashed()),
    })
}

/// Whether a directory lists a name, and as what.
#[derive(PartialEq)]
enum Listed {
    Not,
    /// `None` where the listing does not say it.
    As(Option<Kind>),
}

/// A name in the directory that equals `name` but for ASCII case, and whether `name` itself is listed.
fn listed(roots: &Roots, dir: &Held, name: &str) -> io::Result<(Option<String>, Listed)> {
    let (mut twin, mut itself) = (None, Listed::Not);
    let entries = match roots.entries(dir) {
        // Its names are not for this user to see, and none is found by looking for it.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok((None, Listed::As(None))),
        other => other?,
    };
    for (entry, kind) in entries.iter() {
        if entry == name {
            itself = Listed::As(*kind);
        } else if entry.eq_ignore_ascii_case(name) {
            twin = entry.clone().into_string().ok();
        }
    }
    Ok((twin, itself))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn why(root: &Path, at: &str) -> String {
        writable(root, at).expect_err(at).to_string()
    }

    #[test]
    fn links_inside_are_followed_once_and_links_outside_never() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("project");
        fs::create_dir_all(root.join("shared/skills")).unwrap();
        fs::create_dir_all(dir.path().join("project-evil")).unwrap();
        fs::create_dir_all(root.join(".claude")).unwrap();
        symlink("../shared/skills", root.join(".claude/skills")).unwrap();
        symlink("../project-evil", root.join("out")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        assert_eq!(Place::find(&root.as_path().into(), ".claude/skills/demo").unwrap().real, "shared/skills/demo");
        assert!(why(&root, "out/skills/demo").contains("out of the project"));
        assert!(why(&root, "loop/demo").contains("leads nowhere"));
        assert!(why(&root, "dangling/demo").contains("leads nowhere"));
        assert!(why(&root, "out").contains("is a symbolic link"));
    }

    #[test]
    fn files_pipes_and_twins_are_in_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        fs::write(root.join("file"), "").unwrap();
        files::make_pipe(&root.join("pipe"));
        fs::create_dir_all(root.join(".claude/skills/Demo")).unwrap();
        assert!(why(root, "file/skills").contains("not a directory"));
        assert!(why(root, "pipe/skills").contains("not a directory"));
        assert!(why(root, "pipe").contains("neither"));
        assert!(why(root, ".claude/skills/demo").contains("`Demo`"));
        assert!(place_beside(&root.into(), ".claude/skills/demo", &[".claude/skills/Demo".into()]).is_ok());
        assert!(place_beside(&root.into(), ".claude/skills/demo", &[".gemini/skills/Demo".into()]).is_err());
        for odd in ["", "/etc/x", "a/../b", "a//b", "a/./b", ".git/hooks/x", "a/.GIT/x", "a\nb", "a/"] {
            assert!(writable(root, odd).is_err(), "{odd:?}");
        }
    }

    #[test]
    fn the_missing_directories_are_listed_outermost_first_and_nothing_is_made_by_asking() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(writable(dir.path(), ".claude/skills/demo"), Ok(()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        fs::create_dir(dir.path().join("a")).unwrap();
        assert_eq!(Place::find(&dir.path().into(), "a/b/c/d").unwrap().missing(), ["a/b", "a/b/c"]);
        assert!(Place::find(&dir.path().into(), "a/b").unwrap().missing().is_empty());
    }
}

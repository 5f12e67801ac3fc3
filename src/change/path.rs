//! Where a path of the project leads: checked component by component, links resolved once, never outside.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};

use super::disk::Disk;
use super::ground::Ground;

/// The longest relative path that is written, in bytes.
const MAX_PATH: usize = 1024;

/// Why something cannot be written at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable {
    /// The path that stands in the way, relative to the root where it is inside.
    pub path: String,
    /// What is wrong with it, a clause without a full stop.
    pub why: String,
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.path.escape_debug(), self.why)
    }
}

/// Checks, touching nothing, that `at` (relative to the root, `/` between components) can be written.
///
/// The nearest existing ancestor has to be a writable directory inside the project; a link on the way may lead to
/// another place inside it; `at` itself is no link; no name differs from one on the way by case alone.
///
/// # Errors
/// The first thing in the way.
pub fn writable(ground: impl Into<Ground>, at: &str) -> Result<(), Unwritable> {
    writable_beside(&ground.into(), at, &[])
}

/// [`writable`], when these paths are going to be removed in the same change: they are in nobody's way.
fn writable_beside(ground: &Ground, at: &str, going: &[String]) -> Result<(), Unwritable> {
    place_beside(ground, at, going).map(drop)
}

/// [`writable_beside`], and where it leads.
///
/// # Errors
/// The first thing in the way.
pub(super) fn place_beside(ground: &Ground, at: &str, going: &[String]) -> Result<Place, Unwritable> {
    let place = Place::find_beside(ground, at, &|twin| going.iter().any(|path| path == twin))?;
    allowed(&place.ancestor(), at)?;
    if place.is_dir {
        allowed(&place.last(), at)?;
    }
    Ok(place)
}

/// A path of the project with its links resolved.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    root: PathBuf,
    /// The directory it may not leave, links resolved; the root but for a user's own skills.
    pub(super) base: PathBuf,
    /// Relative to the root, or absolute where it is elsewhere; links resolved, `/` between components.
    pub(crate) real: String,
    /// How many leading components of `real` are existing directories, the last one not counted.
    existing: usize,
    /// Whether the last component is an existing directory.
    is_dir: bool,
}

impl Place {
    /// Resolves `at` on this ground, whose root is made absolute and free of links.
    pub(crate) fn find(ground: &Ground, at: &str) -> Result<Self, Unwritable> {
        Self::find_beside(ground, at, &|_| false)
    }

    /// [`Place::find`], where a path that differs from `at` by case alone is allowed when `passes` says so. What is not
    /// listed under this very name is then not there, whatever the file system thinks of case.
    pub(crate) fn find_beside(ground: &Ground, at: &str, passes: &dyn Fn(&str) -> bool) -> Result<Self, Unwritable> {
        let because = |why: &str| Unwritable { path: at.to_owned(), why: why.to_owned() };
        check(at).map_err(because)?;
        let open = |dir: &Path, what: &str| {
            let why = |error: io::Error| match error.kind() {
                ErrorKind::NotFound => format!("{what} is not there: make it first"),
                _ => format!("{what} cannot be opened ({error})"),
            };
            dir.canonicalize().map_err(|error| Unwritable { path: dir.display().to_string(), why: why(error) })
        };
        let (outer, below) = ground.split(at);
        let abroad = outer != ground.root();
        let root = match open(ground.root(), "the project root") {
            // The skills of somebody who has no hefesto directory yet are elsewhere all the same.
            Err(_) if abroad => ground.root().to_path_buf(),
            other => other?,
        };
        let base = if abroad { open(outer, "the directory the skills are in")? } else { root.clone() };
        let mut here = base.clone();
        let parts: Vec<&str> = below.split('/').collect();
        let mut missing: Vec<&str> = Vec::new();
        let mut is_dir = false;
        for (index, part) in parts.iter().enumerate() {
            let shown = parts.get(..=index).unwrap_or_default().join("/");
            let shown = if abroad { outer.join(shown).display().to_string() } else { shown };
            let because = |why: String| Unwritable { path: shown.clone(), why };
            let last = index + 1 == parts.len();
            if !missing.is_empty() {
                missing.push(part);
                continue;
            }
            let unread = |error: io::Error| because(format!("cannot be looked for ({error})"));
            let (twin, listed) = listed(&here, part).map_err(unread)?;
            if let Some(twin) = twin {
                let above = at.rsplit_once('/').map(|(above, _)| format!("{above}/")).unwrap_or_default();
                if !last || !passes(&format!("{above}{twin}")) {
                    return Err(because(format!("`{twin}` is there already and differs by case alone")));
                }
                if !listed {
                    missing.push(part);
                    continue;
                }
            }
            let next = here.join(part);
            let meta = match next.symlink_metadata() {
                Ok(meta) => meta,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    missing.push(part);
                    continue;
                }
                Err(error) => return Err(because(format!("cannot be looked at ({error})"))),
            };
            if last {
                if meta.is_symlink() {
                    return Err(because("is a symbolic link".into()));
                }
                if !meta.is_dir() && !meta.is_file() {
                    return Err(because("is neither a file nor a directory".into()));
                }
                is_dir = meta.is_dir();
                missing.push(part);
            } else if meta.is_symlink() {
                let target = next
                    .canonicalize()
                    .map_err(|error| because(format!("is a symbolic link that leads nowhere ({error})")))?;
                if !target.starts_with(&base) {
                    return Err(because(match abroad {
                        true => format!("is a symbolic link to {}, outside {}", target.display(), outer.display()),
                        false => "is a symbolic link that leads out of the project".into(),
                    }));
                }
                if !target.is_dir() {
                    return Err(because("is a symbolic link to something that is not a directory".into()));
                }
                here = target;
            } else if meta.is_dir() {
                here = next;
            } else {
                return Err(because("is not a directory".into()));
            }
        }
        let inside = name_of(&root, &here).ok_or_else(|| because("leads to a name that is not UTF-8"))?;
        let mut real: Vec<&str> = if inside.is_empty() { Vec::new() } else { inside.split('/').collect() };
        let existing = real.len();
        real.append(&mut missing);
        let real = real.join("/");
        check(real.strip_prefix('/').filter(|_| abroad).unwrap_or(&real)).map_err(because)?;
        Ok(Self { root, base, real, existing, is_dir })
    }

    /// The place itself, absolute.
    pub(crate) fn last(&self) -> PathBuf {
        self.root.join(&self.real)
    }

    /// The directory it is in, absolute; it may not exist yet.
    pub(crate) fn parent(&self) -> PathBuf {
        self.last().parent().map_or_else(|| self.root.clone(), Path::to_path_buf)
    }

    /// The nearest directory on the way that exists, absolute.
    pub(crate) fn ancestor(&self) -> PathBuf {
        let parts: Vec<&str> = self.real.split('/').take(self.existing).collect();
        // Joining nothing would leave a `/` at the end.
        if parts.is_empty() { self.root.clone() } else { self.root.join(parts.join("/")) }
    }

    /// The directories on the way that do not exist, outermost first, relative to the root.
    pub(crate) fn missing(&self) -> Vec<String> {
        let parts: Vec<&str> = self.real.split('/').collect();
        (self.existing + 1..parts.len()).map(|count| parts.get(..count).unwrap_or_default().join("/")).collect()
    }
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
    }
    Ok(())
}

/// What a directory is called in a journal: its path below the root, empty for the root itself, else its absolute path.
/// `None` where that is not UTF-8.
pub(super) fn name_of(root: &Path, dir: &Path) -> Option<String> {
    dir.strip_prefix(root).unwrap_or(dir).to_str().map(str::to_owned)
}

/// Whether no component of `at` that exists is a link, and all but the last are directories. An absolute path is looked
/// at from the top.
pub(super) fn plain(disk: &Disk<'_>, root: &Path, at: &str) -> io::Result<bool> {
    let (mut here, at) = match at.strip_prefix('/') {
        Some(below) => (PathBuf::from("/"), below),
        None => (root.to_path_buf(), at),
    };
    let mut parts = at.split('/').peekable();
    while let Some(part) = parts.next() {
        here.push(part);
        match disk.stat(&here)? {
            Some(meta) if meta.is_symlink() => return Ok(false),
            Some(meta) if parts.peek().is_some() && !meta.is_dir() => return Ok(false),
            Some(_) => {}
            None => return Ok(true),
        }
    }
    Ok(true)
}

/// Whether this process may add and remove names in a directory.
pub(crate) fn permitted(dir: &Path) -> Result<(), rustix::io::Errno> {
    accessat(CWD, dir, Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
}

fn allowed(dir: &Path, at: &str) -> Result<(), Unwritable> {
    permitted(dir).map_err(|error| Unwritable {
        path: at.to_owned(),
        why: format!("{} cannot be written ({})", dir.display(), io::Error::from(error)),
    })
}

/// A name in the directory that equals `name` but for ASCII case, and whether `name` itself is listed.
fn listed(dir: &Path, name: &str) -> io::Result<(Option<String>, bool)> {
    let (mut twin, mut itself) = (None, false);
    let entries = match fs::read_dir(dir) {
        // Its names are not for this user to see, and none is found by looking for it.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Ok((None, true)),
        other => other?,
    };
    for entry in entries {
        let entry = entry?.file_name();
        if entry == name {
            itself = true;
        } else if entry.eq_ignore_ascii_case(name) {
            twin = entry.into_string().ok();
        }
    }
    Ok((twin, itself))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn why(root: &Path, at: &str) -> String {
        writable(root, at).expect_err(at).to_string()
    }

    #[test]
    fn nothing_is_made_by_asking() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(writable(dir.path(), ".claude/skills/demo"), Ok(()));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
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
        rustix::fs::mknodat(CWD, root.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        fs::create_dir_all(root.join(".claude/skills/Demo")).unwrap();
        assert!(why(root, "file/skills").contains("not a directory"));
        assert!(why(root, "pipe/skills").contains("not a directory"));
        assert!(why(root, "pipe").contains("neither"));
        assert!(why(root, ".claude/skills/demo").contains("`Demo`"));
        assert_eq!(writable_beside(&root.into(), ".claude/skills/demo", &[".claude/skills/Demo".into()]), Ok(()));
        assert!(writable_beside(&root.into(), ".claude/skills/demo", &[".gemini/skills/Demo".into()]).is_err());
        for odd in ["", "/etc/x", "a/../b", "a//b", "a/./b", ".git/hooks/x", "a/.GIT/x", "a\nb", "a/"] {
            assert!(writable(root, odd).is_err(), "{odd:?}");
        }
    }

    #[test]
    fn the_missing_directories_are_listed_outermost_first() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        assert_eq!(Place::find(&dir.path().into(), "a/b/c/d").unwrap().missing(), ["a/b", "a/b/c"]);
        assert!(Place::find(&dir.path().into(), "a/b").unwrap().missing().is_empty());
    }
}

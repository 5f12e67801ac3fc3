//! Where the relative paths of a change lead: below one root, or for a user's own skills below the home directory.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::system::rooted::{self, HOME, Held, Kind, OpenedRoots, Refused, Root, Rooted};

/// A directory that a variable of the environment moves away from its place below the home directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moved {
    /// What stands at the beginning of the paths that are moved, such as `.codex`.
    pub prefix: String,
    /// Where they lead instead, absolute: the variable's value.
    pub base: PathBuf,
    /// Their beginning below `base`; empty where they continue right there.
    pub below: String,
}

/// The root of everything hefesto keeps, and where the skills are.
///
/// In a project both are one directory. A user's own skills stand below the home directory, and what governs them in
/// hefesto's own directory: `MEMORY.md` and `.hefesto` lead to the root, `.claude/skills` to the home directory.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    root: PathBuf,
    user: Option<(PathBuf, Vec<Moved>)>,
    /// The directories its paths are below, opened once each, also by its clones.
    opened: OpenedRoots,
    /// What is known of its directories, where each is opened and listed once.
    known: Option<Arc<Mutex<Known>>>,
}

/// What a directory lists.
pub(super) type Entries = Arc<[(OsString, Option<Kind>)]>;

#[derive(Debug, Default)]
struct Known {
    held: HashMap<PathBuf, Held>,
    entries: HashMap<PathBuf, Entries>,
}

impl From<&Path> for Roots {
    fn from(root: &Path) -> Self {
        Self { root: root.to_owned(), ..Self::default() }
    }
}

impl From<&PathBuf> for Roots {
    fn from(root: &PathBuf) -> Self {
        root.as_path().into()
    }
}

impl From<&Roots> for Roots {
    fn from(roots: &Roots) -> Self {
        roots.clone()
    }
}

impl Roots {
    /// What hefesto keeps is below `root`, the skills are below `home` and where they are moved to. All absolute.
    pub fn of_user(root: PathBuf, home: PathBuf, moved: Vec<Moved>) -> Self {
        Self { root, user: Some((home, moved)), ..Self::default() }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The home directory, where the skills are a user's own.
    pub fn home(&self) -> Option<&Path> {
        self.user.as_ref().map(|(home, _)| home.as_path())
    }

    /// The same with its root free of links.
    /// Errors: when the root cannot be opened.
    pub(super) fn opened(self) -> io::Result<Self> {
        Ok(Self { root: self.opened_root()?.path().to_owned(), ..self })
    }

    pub fn path(&self, at: &str) -> PathBuf {
        let (base, below) = self.split(at);
        if below.is_empty() { base.to_path_buf() } else { base.join(below) }
    }

    /// A path relative to the directory it may not leave, which is opened.
    /// Errors: when that directory is not there or cannot be opened.
    pub fn at(&self, at: &str) -> io::Result<Rooted> {
        let (base, below) = self.split(at);
        Ok(self.opened.at(base)?.at(below))
    }

    /// The same for what is done at once: each directory on the way to its paths is opened and listed once.
    pub fn of_one_moment(&self) -> Self {
        Self { known: Some(Arc::default()), ..self.clone() }
    }

    fn known(&self) -> Option<MutexGuard<'_, Known>> {
        self.known.as_ref().map(|known| known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn entries(&self, dir: &Held) -> io::Result<Entries> {
        let path = dir.path();
        if let Some(entries) = self.known().and_then(|known| known.entries.get(&path).cloned()) {
            return Ok(entries);
        }
        let entries: Entries = dir.entries()?.into();
        if let Some(mut known) = self.known() {
            known.entries.insert(path, Arc::clone(&entries));
        }
        Ok(entries)
    }

    /// The directory that has this path, where it is known to be one.
    pub(super) fn known_dir(&self, dir: &Held) -> Option<Held> {
        let known = self.known()?.held.get(&dir.path()).cloned();
        known.filter(|known| known.dir().is_ok())
    }

    /// A directory that stays open for all that is done at once.
    pub(super) fn keep(&self, dir: Held) -> Held {
        match self.known() {
            Some(mut known) => known.held.entry(dir.path()).or_insert(dir).clone(),
            None => dir,
        }
    }

    /// A path of which the directory it is in stays open.
    fn kept(&self, at: Held) -> Held {
        let kept = at.above().zip(at.below().file_name()).map(|(above, name)| self.keep(above.clone()).join(name));
        kept.unwrap_or(at)
    }

    /// The directories that were opened for its paths.
    pub fn opened_roots(&self) -> OpenedRoots {
        self.opened.clone()
    }

    /// The root itself, opened.
    /// Errors: when it is not there or cannot be opened.
    pub fn opened_root(&self) -> io::Result<Root> {
        self.opened.at(&self.root)
    }

    /// The directory a path may not leave, opened, and the path below it.
    pub(super) fn opened_base(&self, at: &str) -> io::Result<(Root, String)> {
        let (base, below) = self.split(at);
        Ok((self.opened.at(base)?, below))
    }

    /// A path as journals name it: relative to the root, or absolute and below a directory of the user's skills.
    pub(super) fn held(&self, at: &str) -> io::Result<Held> {
        if !Path::new(at).is_absolute() {
            return Ok(self.kept(self.opened_root()?.held(at)));
        }
        let (home, moved) = self.user.as_ref().map_or((None, &[][..]), |(home, moved)| (Some(home), moved));
        let (mut found, mut failed): (Option<(Root, &Path)>, _) = (None, None);
        for base in moved.iter().map(|one| &one.base).chain(home) {
            match rooted::found(self.opened.at(base)) {
                Ok(Some(root)) => {
                    let Ok(below) = Path::new(at).strip_prefix(root.path()) else { continue };
                    if found.as_ref().is_none_or(|(_, known)| below.as_os_str().len() < known.as_os_str().len()) {
                        found = Some((root, below));
                    }
                }
                Ok(None) => {}
                Err(error) => failed = Some(error),
            }
        }
        match (found, failed) {
            (Some((root, below)), _) => Ok(self.kept(root.held(below))),
            (None, Some(error)) => Err(error),
            (None, None) => Err(Refused { path: at.into(), why: "is in no directory of the user's skills" }.into()),
        }
    }

    /// The directory a path may not leave, and the path below it.
    pub fn split(&self, at: &str) -> (&Path, String) {
        let Some((home, moved)) = self.user.as_ref().filter(|_| !kept(at)) else {
            return (&self.root, at.to_owned());
        };
        for one in moved {
            let Some(rest) = at.strip_prefix(&one.prefix) else { continue };
            match rest.strip_prefix('/') {
                Some(rest) if one.below.is_empty() => return (&one.base, rest.to_owned()),
                Some(rest) => return (&one.base, format!("{}/{rest}", one.below)),
                None if rest.is_empty() => return (&one.base, one.below.clone()),
                None => {}
            }
        }
        (home, at.to_owned())
    }

    /// The directories its paths are below, with what their paths begin with. The innermost ones come first.
    pub fn bases(&self) -> Vec<(&str, PathBuf)> {
        let Some((home, moved)) = &self.user else { return vec![("", self.root.clone())] };
        let moved = moved.iter().map(|one| (one.prefix.as_str(), one.base.join(&one.below)));
        moved.chain([("", home.clone())]).collect()
    }
}

/// Whether it is something hefesto keeps for itself and no skill.
fn kept(at: &str) -> bool {
    let first = at.split('/').next().unwrap_or(at);
    [HOME, ".context"].contains(&first) || first.starts_with("MEMORY.md") || first.starts_with("CONSTITUTION.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_one_directory_and_a_users_skills_are_at_home_and_what_governs_them_is_not() {
        let roots = Roots::from(Path::new("/p"));
        assert_eq!(roots.path(".claude/skills/x"), Path::new("/p/.claude/skills/x"));
        assert_eq!(roots.path(".hefesto/lock"), Path::new("/p/.hefesto/lock"));
        let moved = [(".codex", "/c", ""), (".gemini", "/g", ".gemini")].map(|(prefix, base, below)| Moved {
            prefix: prefix.into(),
            base: base.into(),
            below: below.into(),
        });
        let roots = Roots::of_user("/k".into(), "/home/u".into(), moved.into());
        let leads = |at: &str| roots.path(at).to_str().unwrap().to_owned();
        assert_eq!(leads(".claude/skills/x"), "/home/u/.claude/skills/x");
        assert_eq!(leads(".codex/skills/x"), "/c/skills/x");
        assert_eq!(leads(".codex"), "/c");
        assert_eq!(leads(".codex-other/x"), "/home/u/.codex-other/x");
        assert_eq!(leads(".gemini/skills/x"), "/g/.gemini/skills/x");
        for own in ["MEMORY.md", "MEMORY.md.backup.2026", "CONSTITUTION.md", ".context/standards", ".hefesto/txn"] {
            assert_eq!(leads(own), format!("/k/{own}"));
        }
    }
}

//! Where a project is and where its things are; the user's own skills count as one, found at home.

use std::path::{Path, PathBuf};

use crate::change::{Ground, Moved};
use crate::registry::{Parsed, Registry};

/// A project's root and the places below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    ground: Ground,
}

impl Project {
    /// The project at this root.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { ground: Ground::from(&root.into()) }
    }

    /// The user's own skills, which stand below `home` and where they are moved to; what governs them is in `root`.
    ///
    /// A place below `home` that is not there yet is made like any directory at home; one elsewhere has to be there.
    #[must_use]
    pub fn of_user(root: PathBuf, home: PathBuf, moved: Vec<Moved>) -> Self {
        let at_home = |one: Moved| match one.base.strip_prefix(&home).ok().and_then(Path::to_str) {
            Some(way) if !one.base.exists() => {
                let below = [way, &one.below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
                Moved { base: home.clone(), below, ..one }
            }
            _ => one,
        };
        let moved = moved.into_iter().map(at_home).collect();
        Self { ground: Ground::of_user(root, home, moved) }
    }

    /// Whether it stands for the user's own skills.
    #[must_use]
    pub fn is_user(&self) -> bool {
        self.ground.home().is_some()
    }

    /// Where its paths lead.
    #[must_use]
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Finds the project a command is about: the one named, else the nearest ancestor that is ours, else the
    /// nearest holding `.git`, else the directory itself.
    #[must_use]
    pub fn find(cwd: &Path, named: Option<&Path>) -> Self {
        if let Some(named) = named {
            // By its components: `-C .` is not shown as `/here/.`.
            return Self::at(cwd.join(named).components().collect::<PathBuf>());
        }
        let ours = |dir: &&Path| dir.join(".hefesto").is_dir() || holds_our_memory(dir);
        let found = cwd.ancestors().find(ours).or_else(|| cwd.ancestors().find(|dir| dir.join(".git").exists()));
        Self::at(found.unwrap_or(cwd))
    }

    /// Whether its root is this directory, under whatever name.
    #[must_use]
    pub fn is_at(&self, dir: &Path) -> bool {
        let same = || Some(dir.canonicalize().ok()? == self.root().canonicalize().ok()?);
        self.root() == dir || same().unwrap_or(false)
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.ground.root()
    }

    /// Where a relative path leads, given with `/` between components.
    #[must_use]
    pub fn path(&self, relative: &str) -> PathBuf {
        self.ground.path(relative)
    }

    /// A path as it is told: relative to a project's root; absolute where it leads to the user's own.
    #[must_use]
    pub fn told(&self, relative: &str) -> String {
        if self.is_user() { self.path(relative).display().to_string() } else { relative.to_owned() }
    }

    /// What is told of an absolute path without links, if it is one this project's changes can reach: the reverse of
    /// [`Project::path`], as far as links allow.
    #[must_use]
    pub fn relative(&self, path: &Path) -> Option<String> {
        let bases = self.ground.bases();
        bases.into_iter().find_map(|(prefix, base)| {
            let below = path.strip_prefix(base.canonicalize().ok()?).ok()?.to_str()?;
            Some([prefix, below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"))
        })
    }

    /// The registry.
    #[must_use]
    pub fn memory_md(&self) -> PathBuf {
        self.root().join("MEMORY.md")
    }

    /// The governance file.
    #[must_use]
    pub fn constitution(&self) -> PathBuf {
        self.root().join("CONSTITUTION.md")
    }

    /// hefesto's own directory.
    #[must_use]
    pub fn hefesto(&self) -> PathBuf {
        self.root().join(".hefesto")
    }

    /// The memory database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.hefesto().join("memory.db")
    }

    /// The lock files of the lanes.
    #[must_use]
    pub fn lanes(&self) -> PathBuf {
        self.hefesto().join("lanes")
    }

    /// The operation log.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.hefesto().join("logs").join("operations.jsonl")
    }

    /// Where texts lie while a person edits them.
    #[must_use]
    pub fn desks(&self) -> PathBuf {
        self.hefesto().join("edit")
    }

    /// The project's settings; the user's own ones where it stands for the user's skills.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        if self.is_user() { self.root().join("config.toml") } else { self.hefesto().join("config.toml") }
    }

    /// The project's templates; the user's own ones where it stands for the user's skills.
    #[must_use]
    pub fn templates(&self) -> PathBuf {
        if self.is_user() { self.root().join("templates") } else { self.hefesto().join("templates") }
    }
}

fn holds_our_memory(dir: &Path) -> bool {
    let path = dir.join("MEMORY.md");
    path.is_file() && std::fs::read(path).is_ok_and(|bytes| !matches!(Registry::parse(&bytes), Parsed::Foreign(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_ancestor_that_is_ours_wins_over_git_below_it() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(dir.path().join("a/b/.git")).unwrap();
        assert_eq!(Project::find(&deep, None).root(), dir.path().join("a/b"));
        std::fs::create_dir_all(dir.path().join("a/.hefesto")).unwrap();
        assert_eq!(Project::find(&deep, None).root(), dir.path().join("a"));
        assert_eq!(Project::find(&deep, Some(Path::new("x"))).root(), deep.join("x"));
        assert_eq!(Project::find(&deep, Some(Path::new("./"))).root().as_os_str(), deep.as_os_str());
    }
}

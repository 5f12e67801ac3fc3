//! A project: its root and the paths in it. The user's own skills count as one, in the home directory.

pub mod checkout;
pub mod copies;
pub mod default_targets;
pub mod facts;
mod find;
pub mod inventory;
pub mod open;
pub mod scope;

use std::io;
use std::path::{Component, Path, PathBuf};

pub use find::{Found, Skipped, Why};

use crate::report::Slashed;
use crate::system::rooted::{self, Root, Rooted};
use crate::transaction::{Moved, Roots};

pub const DATABASE: &str = ".hefesto/memory.db";

/// The lock files of the lanes.
pub const LANES: &str = ".hefesto/lanes";

pub const LOG: &str = ".hefesto/logs/operations.jsonl";

/// A project's root and the paths below it.
#[derive(Debug, Clone)]
pub struct Project {
    roots: Roots,
    /// Its root relative to the current directory, if that is another one.
    way: Option<String>,
    detached: bool,
}

impl Project {
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { roots: Roots::from(&root.into()), way: None, detached: false }
    }

    /// The user's own skills, below `home` and in directories moved by variables; their registry is in `root`.
    ///
    /// A missing directory below `home` is created; one elsewhere must exist.
    pub fn of_user(root: PathBuf, home: PathBuf, moved: Vec<Moved>) -> Self {
        let at_home = |one: Moved| match one.base.strip_prefix(&home).ok().and_then(Path::to_str) {
            Some(way) if !rooted::anywhere(&one.base).is_ok_and(|base| base.exists()) => {
                let below = [way, &one.below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
                Moved { base: home.clone(), below, ..one }
            }
            _ => one,
        };
        let moved = moved.into_iter().map(at_home).collect();
        Self { roots: Roots::of_user(root, home, moved), way: None, detached: false }
    }

    /// Whether it is the user's own skills.
    pub fn is_user(&self) -> bool {
        self.roots.home().is_some()
    }

    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The same project without reading its settings and registry, which are not trusted.
    pub fn detached(self) -> Self {
        Self { detached: true, ..self }
    }

    /// Whether settings and registry are left unread.
    pub fn is_detached(&self) -> bool {
        self.detached
    }

    /// The same as seen from this directory.
    pub fn seen_from(self, cwd: &Path) -> Self {
        let way = if self.is_at(cwd) { None } else { Some(find::way(cwd, self.root())) };
        Self { way, ..self }
    }

    /// A path relative to the current directory, ready to paste.
    pub fn shown(&self, relative: &str) -> String {
        match &self.way {
            Some(way) if !self.is_user() => format!("{way}/{relative}"),
            _ => self.display(relative),
        }
    }

    /// The root relative to the current directory, ready to paste.
    pub fn shown_root(&self) -> &str {
        self.way.as_deref().unwrap_or(".")
    }

    /// One of its paths, relative to the opened directory that it may not leave.
    /// Errors: when that directory does not exist or cannot be opened.
    pub fn rooted(&self, relative: &str) -> io::Result<Rooted> {
        self.roots.at(relative)
    }

    /// Whether its root exists.
    pub fn is_there(&self) -> bool {
        self.roots.opened_root().is_ok()
    }

    /// An absolute path: relative to the root if below it, else as given.
    pub fn reach(&self, path: &Path) -> io::Result<Rooted> {
        match path.strip_prefix(self.root()).ok().and_then(Path::to_str) {
            Some(below) if !self.is_user() && !path.components().any(|part| part == Component::ParentDir) => {
                self.rooted(below)
            }
            _ => rooted::anywhere(path),
        }
    }

    /// Reads a regular file, up to a number of bytes.
    /// Errors: `NotFound`, a refusal, or the error of the operating system.
    pub fn head(&self, relative: &str, most: usize) -> io::Result<Vec<u8>> {
        self.rooted(relative)?.head(most)
    }

    /// Whether this is certainly a directory.
    pub fn is_dir(&self, relative: &str) -> bool {
        self.rooted(relative).is_ok_and(|at| at.is_dir())
    }

    /// Whether anything has this name, or it cannot be known: reading it then says why.
    pub fn exists(&self, relative: &str) -> bool {
        self.rooted(relative).is_ok_and(|at| at.exists())
    }

    /// Whether its root is this directory, whatever the path.
    pub fn is_at(&self, dir: &Path) -> bool {
        let same = || Some(Root::open(dir).ok()?.path() == self.roots.opened_root().ok()?.path());
        self.root() == dir || same().unwrap_or(false)
    }

    pub fn root(&self) -> &Path {
        self.roots.root()
    }

    /// The absolute path of a relative one, given with `/` between components.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.roots.path(relative)
    }

    /// A path for messages and JSON: relative to a project's root; absolute for the user's own skills.
    pub fn display(&self, relative: &str) -> String {
        if self.is_user() { self.path(relative).slashed() } else { relative.to_owned() }
    }

    /// The displayed form of a path without links that the changes can reach: the reverse of [`Project::path`].
    pub fn relative(&self, path: &Path) -> Option<String> {
        let bases = self.roots.bases();
        bases.into_iter().find_map(|(prefix, base)| {
            let below = path.strip_prefix(Root::open(&base).ok()?.path()).ok()?.to_str()?;
            Some([prefix, below].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/"))
        })
    }

    pub fn memory_md(&self) -> PathBuf {
        self.root().join("MEMORY.md")
    }

    pub fn constitution(&self) -> PathBuf {
        self.root().join("CONSTITUTION.md")
    }

    pub fn hefesto(&self) -> PathBuf {
        self.root().join(".hefesto")
    }

    pub fn database(&self) -> PathBuf {
        self.path(DATABASE)
    }

    pub fn log(&self) -> PathBuf {
        self.path(LOG)
    }

    /// The project's settings; the user's own ones for the user's skills.
    pub fn config(&self) -> PathBuf {
        if self.is_user() { self.root().join("config.toml") } else { self.hefesto().join("config.toml") }
    }
}

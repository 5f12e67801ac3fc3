//! Where a project is and where its things are; the user's own skills count as one, found at home.

pub mod checkout;
pub mod copies;
pub mod facts;
mod find;
pub mod inventory;
pub mod layout;
pub mod open;
pub mod scope;

use std::io;
use std::path::{Component, Path, PathBuf};

pub use find::{Found, Skipped, Why};

use crate::report::slashed::Slashed;
use crate::system::rooted::{self, Root, Rooted};
use crate::transaction::{Moved, Roots};

pub const DATABASE: &str = ".hefesto/memory.db";

/// The lock files of the lanes.
pub const LANES: &str = ".hefesto/lanes";

pub const LOG: &str = ".hefesto/logs/operations.jsonl";

/// A project's root and the places below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    roots: Roots,
    /// How its root is written from the current directory, where that is another one.
    way: Option<String>,
    detached: bool,
}

impl Project {
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { roots: Roots::from(&root.into()), way: None, detached: false }
    }

    /// The user's own skills, which stand below `home` and where they are moved to; what governs them is in `root`.
    ///
    /// A place below `home` that is not there yet is made like any directory at home; one elsewhere has to be there.
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

    /// The same, of which neither settings nor registry are read: nothing that lies there is believed.
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

    /// A path as it can be pasted where the user stands.
    pub fn shown(&self, relative: &str) -> String {
        match &self.way {
            Some(way) if !self.is_user() => format!("{way}/{relative}"),
            _ => self.display(relative),
        }
    }

    /// The root as it can be pasted where the user stands.
    pub fn shown_root(&self) -> &str {
        self.way.as_deref().unwrap_or(".")
    }

    /// One of its paths, relative to the opened directory that it may not leave.
    /// Errors: when that directory is not there or cannot be opened.
    pub fn rooted(&self, relative: &str) -> io::Result<Rooted> {
        self.roots.at(relative)
    }

    /// Whether its root is there.
    pub fn is_there(&self) -> bool {
        self.roots.top().is_ok()
    }

    /// An absolute path: relative to the root where it is below, else as the person means it.
    pub fn reach(&self, path: &Path) -> io::Result<Rooted> {
        match path.strip_prefix(self.root()).ok().and_then(Path::to_str) {
            Some(below) if !self.is_user() && !path.components().any(|part| part == Component::ParentDir) => {
                self.rooted(below)
            }
            _ => rooted::anywhere(path),
        }
    }

    /// Reads a regular file, at most so many bytes of it.
    /// Errors: `NotFound`, a refusal, or what the operating system says.
    pub fn head(&self, relative: &str, most: usize) -> io::Result<Vec<u8>> {
        self.rooted(relative)?.head(most)
    }

    /// Whether a directory is there for certain.
    pub fn is_dir(&self, relative: &str) -> bool {
        self.rooted(relative).is_ok_and(|at| at.is_dir())
    }

    /// Whether anything has this name, or it cannot be known: asking for it then says why.
    pub fn exists(&self, relative: &str) -> bool {
        self.rooted(relative).is_ok_and(|at| at.exists())
    }

    /// Whether its root is this directory, under whatever name.
    pub fn is_at(&self, dir: &Path) -> bool {
        let same = || Some(Root::open(dir).ok()?.path() == self.roots.top().ok()?.root().path());
        self.root() == dir || same().unwrap_or(false)
    }

    pub fn root(&self) -> &Path {
        self.roots.root()
    }

    /// Where a relative path leads, given with `/` between components.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.roots.path(relative)
    }

    /// A path for messages and JSON: relative to a project's root; absolute where it leads to the user's own.
    pub fn display(&self, relative: &str) -> String {
        if self.is_user() { self.path(relative).slashed() } else { relative.to_owned() }
    }

    /// The displayed form of an absolute path without links, if it is one this project's changes can reach: the
    /// reverse of
    /// [`Project::path`], as far as links allow.
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

    /// The project's settings; the user's own ones where it is the user's skills.
    pub fn config(&self) -> PathBuf {
        if self.is_user() { self.root().join("config.toml") } else { self.hefesto().join("config.toml") }
    }
}

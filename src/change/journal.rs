//! The journal of one transaction: what is going to be done, durable before anything is.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::disk::Disk;
use super::ground::Ground;
use super::lock::HOME;
use super::path;

/// The form of journal this program writes and acts upon.
const VERSION: u32 = 1;

/// The largest journal that is read, in bytes.
const MAX_JOURNAL: u64 = 16 << 20;

/// What a stage directory's name begins with.
pub(super) const STAGE: &str = ".hefesto-stage-";

/// What is going to be done, and how to tell how far it got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    version: u32,
    /// Tells this project's own journals from those that came with a copy or a clone.
    home: String,
    pub(super) id: String,
    pub(super) run: String,
    pub(super) command: String,
    pub(super) now: String,
    pub(super) registry: Option<serde_json::Value>,
    /// Directories that did not exist, outermost first; removed again on rollback if they are empty.
    pub(super) made: Vec<String>,
    /// Stage directories, made by this transaction and removed at its end.
    pub(super) stages: Vec<String>,
    pub(super) steps: Vec<Step>,
}

/// One name that changes. Paths are relative to the root, or absolute where a user's skills are, and free of links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// As the caller named it.
    pub(super) at: String,
    /// Where it is.
    pub(super) real: String,
    /// Where the new one waits, and afterwards the old one.
    pub(super) slot: String,
    pub(super) node: Node,
    /// The digest of what is there before; `None` for nothing.
    pub(super) was: Option<String>,
    /// The digest of what is there afterwards; `None` for nothing.
    pub(super) new: Option<String>,
}

/// What a step is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Node {
    File,
    Tree,
}

impl Journal {
    /// A journal with nothing in it yet, under an id that is not in use. Makes `.hefesto/txn` if it is missing.
    pub(super) fn begin(disk: &Disk<'_>, root: &Path, intent: super::Intent) -> io::Result<Self> {
        let dir = directory(root);
        if !dir.is_dir() {
            disk.make_dir(&dir, 0o700)?;
            disk.sync_dir(&root.join(HOME))?;
        }
        let plain = intent.run.len() <= 64 && !intent.run.is_empty();
        let plain = plain && intent.run.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let base = if plain {
            intent.run.clone()
        } else {
            blake3::hash(intent.run.as_bytes()).to_hex().chars().take(16).collect()
        };
        let taken = |id: &String| ["json", "commit"].iter().any(|end| dir.join(format!("{id}.{end}")).exists());
        let mut id = base.clone();
        let mut count = 1_u32;
        while taken(&id) {
            count += 1;
            id = format!("{base}-{count}");
        }
        Ok(Self {
            version: VERSION,
            home: home(&dir)?,
            id,
            run: intent.run,
            command: intent.command,
            now: intent.now,
            registry: intent.registry,
            made: Vec::new(),
            stages: Vec::new(),
            steps: Vec::new(),
        })
    }

    /// The name of this transaction's stage directories.
    pub(super) fn stage_name(&self) -> String {
        format!("{STAGE}{}", self.id)
    }

    /// Makes the intent durable.
    pub(super) fn write(&self, disk: &Disk<'_>, root: &Path) -> io::Result<()> {
        let path = self.path(root, "json");
        disk.replace_file(&self.path(root, "json.tmp"), &path, &self.bytes()?, 0o600)
    }

    /// The point of no return: from here on the transaction is rolled forward.
    pub(super) fn write_commit(&self, disk: &Disk<'_>, root: &Path) -> io::Result<()> {
        let text = seal(&self.bytes()?);
        disk.replace_file(&self.path(root, "commit.tmp"), &self.path(root, "commit"), text.as_bytes(), 0o600)
    }

    /// Whether the point of no return has been passed.
    pub(super) fn committed(&self, root: &Path) -> bool {
        self.path(root, "commit").symlink_metadata().is_ok()
    }

    /// Removes the commit record, durably.
    pub(super) fn remove_commit(&self, disk: &Disk<'_>, root: &Path) -> io::Result<()> {
        if self.committed(root) {
            disk.remove_file(&self.path(root, "commit"))?;
            disk.sync_dir(&directory(root))?;
        }
        if self.path(root, "commit.tmp").exists() {
            disk.remove_file(&self.path(root, "commit.tmp"))?;
        }
        Ok(())
    }

    /// Removes the intent, durably.
    pub(super) fn remove_intent(&self, disk: &Disk<'_>, root: &Path) -> io::Result<()> {
        for end in ["json.tmp", "json"] {
            if self.path(root, end).symlink_metadata().is_ok() {
                disk.remove_file(&self.path(root, end))?;
            }
        }
        disk.sync_dir(&directory(root))
    }

    /// The paths this is about, as the caller named them.
    pub(super) fn paths(&self) -> Vec<String> {
        self.steps.iter().map(|step| step.at.clone()).collect()
    }

    /// Reads a journal and its commit record, and makes sure that it can be acted upon.
    pub(super) fn read(ground: &Ground, file: &Path) -> Result<Self, String> {
        let root = ground.root();
        let text = |error: io::Error| format!("cannot be read ({error})");
        let meta = file.symlink_metadata().map_err(text)?;
        if !meta.is_file() || meta.len() > MAX_JOURNAL {
            return Err("is not a journal".into());
        }
        let bytes = fs::read(file).map_err(text)?;
        let journal: Self =
            serde_json::from_slice(&bytes).map_err(|error| format!("is damaged or of another version ({error})"))?;
        if journal.version != VERSION {
            return Err(format!("is of version {}, this program knows {VERSION}", journal.version));
        }
        if file.file_name().and_then(|name| name.to_str()) != Some(&format!("{}.json", journal.id)) {
            return Err("does not bear its own name".into());
        }
        if journal.home != home(&directory(root)).map_err(text)? {
            return Err("was written for another copy of this project".into());
        }
        if let Ok(record) = fs::read(journal.path(root, "commit"))
            && record != seal(&bytes).as_bytes()
        {
            return Err("does not match its commit record".into());
        }
        journal.sound(ground)?;
        Ok(journal)
    }

    fn sound(&self, ground: &Ground) -> Result<(), String> {
        let root = ground.root();
        let outside = |at: &str| Err(format!("names {}, which is not a plain path of this project", at.escape_debug()));
        // Only a user's own skills are elsewhere than below the root, and only their journal names absolute paths.
        let plain = |at: &str| match at.strip_prefix('/') {
            Some(below) => ground.home().is_some() && path::check(below).is_ok(),
            None => path::check(at).is_ok(),
        };
        let inside = |at: &str| plain(at) && path::plain(root, parent(at));
        for stage in &self.stages {
            if name(stage) != self.stage_name() || !inside(stage) || !path::plain(root, stage) {
                return outside(stage);
            }
        }
        for step in &self.steps {
            if !inside(&step.real) || name(&step.real).starts_with(STAGE) {
                return outside(&step.real);
            }
            if !plain(&step.slot) || !self.stages.iter().any(|stage| stage == parent(&step.slot)) {
                return outside(&step.slot);
            }
        }
        match self.made.iter().find(|at| !inside(at)) {
            Some(at) => outside(at),
            None => Ok(()),
        }
    }

    fn path(&self, root: &Path, end: &str) -> PathBuf {
        directory(root).join(format!("{}.{end}", self.id))
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec_pretty(self)?)
    }
}

/// Where journals are.
pub(super) fn directory(root: &Path) -> PathBuf {
    root.join(HOME).join("txn")
}

/// The path above a relative path; empty for the root.
pub(super) fn parent(at: &str) -> &str {
    at.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn name(at: &str) -> &str {
    at.rsplit('/').next().unwrap_or(at)
}

fn seal(journal: &[u8]) -> String {
    format!("{}\n", blake3::hash(journal).to_hex())
}

/// What tells one directory from every copy of it: when it was made, or its inode where that is not known.
fn home(dir: &Path) -> io::Result<String> {
    let meta = dir.symlink_metadata()?;
    let born = meta.created().ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(match born {
        Some(born) => format!("born {}", born.as_nanos()),
        None => format!("inode {}", meta.ino()),
    })
}

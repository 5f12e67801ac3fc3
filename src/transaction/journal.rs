//! The journal of one transaction: what is going to be done, durable before anything is.

use std::ffi::OsString;
use std::io::{self, ErrorKind};

use serde::{Deserialize, Serialize};

use super::{Disk, Group, Intent, Outcome, Recovered, journal_check, objects, path};
use crate::system::rooted::Held;

/// The form of journal this program writes and acts upon.
pub(super) const VERSION: u32 = 2;

/// Where journals are, relative to the root.
pub(super) const JOURNALS: &str = ".hefesto/txn";

/// What a journal's name ends with: until it is registered, then, and when what is left is rubbish.
pub(super) const ENDS: [&str; 3] = ["json", "done", "left"];

/// What a stage directory's name begins with.
pub(super) const STAGE: &str = ".hefesto-stage-";

/// What is going to be done, and how to tell how far it got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Journal {
    pub(super) version: u32,
    /// The identity of the project it was written in.
    pub(super) home: String,
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
    pub(super) real: String,
    /// Where the new one waits, and afterwards the old one.
    pub(super) slot: String,
    pub(super) node: Node,
    /// The digest of what is there before; `None` for nothing.
    pub(super) was: Option<String>,
    /// The digest of what is there afterwards; `None` for nothing.
    pub(super) new: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    /// Before the point of no return: it is taken back.
    Begun,
    /// After it: it is applied, or taken back where that cannot be.
    Committed,
    /// Every step is carried out: it is registered and never taken back.
    Applied,
    /// The registry has it: it is never replayed, and what is left is rubbish.
    Registered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Node {
    File,
    Tree,
}

impl Journal {
    /// A journal with nothing in it yet, under an id that is not in use: none is where it is `alone`. Makes `.hefesto/txn`
    /// if it is missing.
    pub(super) fn begin(disk: &Disk<'_>, intent: Intent, alone: bool) -> io::Result<Self> {
        let dir = directory(disk)?;
        let made = !disk.is_dir(&dir)?;
        if made {
            disk.make_dir(&dir, 0o700)?;
        }
        let home = journal_check::ensured(disk, &intent.run, made)?;
        let plain = intent.run.len() <= 64 && !intent.run.is_empty();
        let plain = plain && intent.run.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let base = if plain {
            intent.run.clone()
        } else {
            blake3::hash(intent.run.as_bytes()).to_hex().chars().take(16).collect()
        };
        let names = if alone { Vec::new() } else { disk.names(&dir)? };
        let named = |name: &OsString, id: &str| name.to_string_lossy().strip_prefix(id)?.strip_prefix('.').map(drop);
        let free = |id: &String| !names.iter().any(|name| named(name, id).is_some());
        let id = path::numbered(&base).find(free).unwrap_or_default();
        Ok(Self {
            version: VERSION,
            home,
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

    pub(super) fn stage_name(&self) -> String {
        format!("{STAGE}{}", self.id)
    }

    /// Puts it in its place in one step: temporary file, sync, rename, sync of the directory.
    pub(super) fn write(&self, disk: &Disk<'_>) -> io::Result<()> {
        let (dir, bytes) = (directory(disk)?, self.bytes()?);
        let (temporary, file) = (self.file(&dir, "json.tmp"), self.file(&dir, "json"));
        disk.remove_file(&temporary)?;
        disk.write_new(&temporary, &bytes, 0o600)?;
        disk.rename(&temporary, &file)?;
        disk.sync_parent(&file)
    }

    /// Writes the commit record aside, to be durable with everything that is staged.
    pub(super) fn prepare_commit(&self, disk: &Disk<'_>, group: &mut Group<'_>) -> io::Result<()> {
        let temporary = self.file(&directory(disk)?, "commit.tmp");
        disk.remove_file(&temporary)?;
        group.write_new(&temporary, seal(&self.bytes()?).as_bytes(), 0o600)
    }

    /// The point of no return: from here on the transaction is rolled forward. Durable once it is [`Self::sync`]ed.
    pub(super) fn commit(&self, disk: &Disk<'_>) -> io::Result<()> {
        let dir = directory(disk)?;
        disk.rename_new(&self.file(&dir, "commit.tmp"), &self.file(&dir, "commit"))
    }

    /// Makes the names of its files durable.
    pub(super) fn sync(&self, disk: &Disk<'_>) -> io::Result<()> {
        disk.sync_dir(&directory(disk)?)
    }

    /// How far it got, as far as the disk says.
    pub(super) fn state(&self, disk: &Disk<'_>) -> io::Result<State> {
        let dir = directory(disk)?;
        let there = |end: &str| disk.stat(&self.file(&dir, end)).map(|meta| meta.is_some());
        if !there("json")? {
            return match there("done")? || there("left")? {
                true => Ok(State::Registered),
                false => Err(io::Error::new(ErrorKind::NotFound, "its journal is gone")),
            };
        }
        Ok(match (there("applied")?, there("commit")?) {
            (true, _) => State::Applied,
            (false, true) => State::Committed,
            (false, false) => State::Begun,
        })
    }

    /// Notes how far it got, with another name of one of its files. `commit` becomes `applied` when every step has been
    /// carried out: nothing of it is ever looked at or taken back again. `json` becomes `done` when the registry has the
    /// change: only rubbish is left of it. `done` becomes `left` when nothing of that is anybody's work: it may be removed
    /// unseen.
    pub(super) fn turn(&self, disk: &Disk<'_>, from: &str, to: &str) -> io::Result<()> {
        let dir = directory(disk)?;
        if disk.stat(&self.file(&dir, to))?.is_none() {
            disk.rename_new(&self.file(&dir, from), &self.file(&dir, to))?;
        }
        Ok(())
    }

    /// Removes the commit record, durably: from here on nothing is applied any more.
    pub(super) fn remove_commit(&self, disk: &Disk<'_>) -> io::Result<()> {
        let dir = directory(disk)?;
        disk.remove_file(&self.file(&dir, "commit"))?;
        disk.remove_file(&self.file(&dir, "commit.tmp"))?;
        self.sync(disk)
    }

    /// Removes every file of it, the one that says what it is about last.
    pub(super) fn remove(&self, disk: &Disk<'_>) -> io::Result<()> {
        let dir = directory(disk)?;
        for end in ["applied", "json.tmp", "left", "done", "json"] {
            disk.remove_file(&self.file(&dir, end))?;
        }
        Ok(())
    }

    pub(super) fn ended(&self, outcome: Outcome) -> Recovered {
        let told = self.steps.iter().filter(|step| !step.at.starts_with(objects::DIRECTORY));
        let paths = told.map(|step| step.at.clone()).collect();
        Recovered { run: self.run.clone(), command: self.command.clone(), outcome, paths }
    }

    /// One of its files in the directory of journals.
    pub(super) fn file(&self, dir: &Held, end: &str) -> Held {
        dir.join(format!("{}.{end}", self.id))
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec_pretty(self)?)
    }
}

pub(super) fn directory(disk: &Disk<'_>) -> io::Result<Held> {
    disk.at(JOURNALS)
}

/// The path above a relative path; empty for the root.
pub(super) fn parent(at: &str) -> &str {
    at.rsplit_once('/').map_or("", |(parent, _)| parent)
}

pub(super) fn seal(journal: &[u8]) -> String {
    format!("{}\n", blake3::hash(journal).to_hex())
}

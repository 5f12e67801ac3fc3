//! What a list of changes comes to on this disk, right now: everything that can be refused is refused here.

use std::rc::Rc;

use super::backup::VerifiedBackup;
use super::path::{self, Unwritable, joined, within};
use super::{Disk, HOME, Journal, Node, Place, Seen, Step};
use crate::error::{Code, Coded, Error, Result};
use crate::skill::Tree;
use crate::system::os::files;
use crate::system::rooted::Held;

/// What the caller saw at a place before deciding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Was {
    Absent,
    /// A directory; [`Tree::digest`] of what was in it.
    Tree(String),
    /// A file; BLAKE3 of its bytes in hexadecimal, see [`bytes_digest`].
    Bytes(String),
}

/// One change. Every path is relative to the project's root, with `/` between components. `was` is the digest of what was
/// there when the change was approved, and `backup` the archive that holds it.
#[derive(Debug, Clone)]
pub enum Change {
    /// A new directory where nothing was.
    Place { at: String, tree: Tree },
    /// A directory in the place of another one, of which there is a backup.
    Replace { at: String, tree: Tree, was: String, backup: Rc<VerifiedBackup> },
    /// A directory goes away, of which there is a backup.
    Remove { at: String, was: String, backup: Rc<VerifiedBackup> },
    /// One file is written, new or in the place of another: [`Was::Absent`] or [`Was::Bytes`].
    Write { at: String, bytes: Vec<u8>, was: Was },
    /// A file of hefesto's own goes away, which can be made again; the digest is that of [`bytes_digest`].
    Erase { at: String, was: String },
    /// A directory exists afterwards; taken back on rollback if it was not there and is still empty.
    MakeDir { at: String },
}

/// The digest of a file's content as [`Was::Bytes`] takes it.
pub fn bytes_digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// What has to be put into a step's slot before the commit.
#[derive(Debug)]
pub(super) enum Payload {
    Tree(Tree),
    File(Vec<u8>, u32),
    Nothing,
}

/// The changes, checked against the disk.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What is removed: a directory may take the place of one whose name differs by case alone.
    going: Vec<String>,
    made: Vec<String>,
    /// Until it gets its slot, a step has the directory there that the stage goes into, relative to the root; empty for
    /// the root itself.
    steps: Vec<Step>,
    payloads: Vec<Payload>,
}

impl Plan {
    /// Checks every change: where it leads, whether it can be written, and whether what was seen is still there.
    pub(super) fn check(disk: &Disk<'_>, changes: Vec<Change>) -> Result<Self> {
        let going = changes.iter().filter_map(|change| match change {
            Change::Remove { at, .. } => Some(at.clone()),
            _ => None,
        });
        let mut plan = Self { going: going.collect(), ..Self::default() };
        let roots = disk.roots.of_one_moment();
        let disk = &Disk { roots: &roots, ..*disk };
        for change in changes {
            match change {
                Change::Place { at, tree } => {
                    sound(&at, &tree)?;
                    plan.add(disk, at, Node::Tree, None, Payload::Tree(tree))?;
                }
                Change::Replace { at, tree, was, backup } => {
                    sound(&at, &tree)?;
                    held(&backup, &at, &was)?;
                    plan.add(disk, at, Node::Tree, Some(was), Payload::Tree(tree))?;
                }
                Change::Remove { at, was, backup } => {
                    held(&backup, &at, &was)?;
                    plan.add(disk, at, Node::Tree, Some(was), Payload::Nothing)?;
                }
                Change::Write { at, bytes, was } => {
                    let was = match was {
                        Was::Absent => None,
                        Was::Bytes(digest) => Some(digest),
                        Was::Tree(_) => return Err(changed(&at, "is a directory")),
                    };
                    plan.add(disk, at, Node::File, was, Payload::File(bytes, 0o600))?;
                }
                Change::Erase { at, was } => plan.add(disk, at, Node::File, Some(was), Payload::Nothing)?,
                Change::MakeDir { at } => plan.make(disk, &at)?,
            }
        }
        Ok(plan)
    }

    /// Hands the plan over to the journal, giving every step its slot; the payloads come back in the steps' order.
    pub(super) fn into(self, journal: &mut Journal) -> Vec<Payload> {
        (journal.made, journal.steps) = (self.made, self.steps);
        let name = journal.stage_name();
        for (number, step) in journal.steps.iter_mut().enumerate() {
            let stage = joined(&step.slot, &name);
            step.slot = format!("{stage}/{number}");
            if !journal.stages.contains(&stage) {
                journal.stages.push(stage);
            }
        }
        self.payloads
    }

    fn add(
        &mut self,
        disk: &Disk<'_>,
        at: String,
        node: Node,
        was: Option<String>,
        mut payload: Payload,
    ) -> Result<()> {
        let new = match &payload {
            Payload::Tree(tree) => Some(tree.digest()),
            Payload::File(bytes, _) => Some(bytes_digest(bytes)),
            Payload::Nothing => None,
        };
        let place = path::place_beside(disk.roots, &at, &self.going).map_err(|why| unwritable(&why))?;
        let (there, unread) = (place.last(), || format!("cannot read {at}"));
        let now = disk.look(&there, node).coded_with(Code::CreateUnwritable, unread)?;
        match (&was, &now) {
            _ if now.is(was.as_ref()) => {}
            (None, _) => return Err(changed(&at, "is there now")),
            (Some(_), Seen::Nothing) => return Err(changed(&at, "is gone")),
            (Some(_), _) => return Err(changed(&at, "is not what it was")),
        }
        if was.is_some() && node == Node::Tree {
            path::no_mount_in(disk, &there, &at)?;
        }
        if let Payload::File(_, mode) = &mut payload {
            *mode = mode_of(disk, &there, &at).coded_with(Code::CreateUnwritable, unread)?;
        }
        let real = place.real.clone();
        if let Some(same) = self.steps.iter().find(|step| step.real == real) {
            // Two names for one directory: written once.
            return if same.node == node && same.new == new { Ok(()) } else { Err(twice(&same.at, &at)) };
        }
        if let Some(near) = self.steps.iter().find(|step| within(&step.real, &real) || within(&real, &step.real)) {
            return Err(twice(&near.at, &at));
        }
        self.note(place.missing());
        let slot = base(disk, &place, node)?;
        self.steps.push(Step { at, real, slot, node, was, new });
        self.payloads.push(payload);
        Ok(())
    }

    fn make(&mut self, disk: &Disk<'_>, at: &str) -> Result<()> {
        // Asking for something inside resolves `at` itself too, should it be a link.
        let inside = joined(at, "x");
        let missing = Place::find(disk.roots, &inside).map_err(|why| unwritable(&why))?.missing();
        if !missing.is_empty() {
            path::writable(disk.roots, &inside).map_err(|why| unwritable(&why))?;
        }
        self.note(missing);
        Ok(())
    }

    /// Notes directories that do not exist yet.
    fn note(&mut self, missing: Vec<String>) {
        for dir in missing {
            if !self.made.contains(&dir) {
                self.made.push(dir);
            }
        }
    }
}

/// What a refused path is called.
pub(super) fn unwritable(why: &Unwritable) -> Error {
    Error::new(Code::CreateUnwritable, why.to_string())
}

/// The mode a file gets: its own if it exists, private below `.hefesto`, 0644 otherwise.
pub(super) fn mode_of(disk: &Disk<'_>, file: &Held, at: &str) -> std::io::Result<u32> {
    Ok(match disk.stat(file)? {
        Some(meta) if meta.is_file() => files::mode(&meta) & 0o777,
        _ if within(HOME, at) => 0o600,
        _ => 0o644,
    })
}

/// The mode a directory that is made on the way gets.
pub(super) fn directory_mode(at: &str) -> u32 {
    if at == HOME || within(HOME, at) { 0o700 } else { 0o755 }
}

/// Where to stage: a directory of the same mount that can be written, outside any skills directory if there is one.
/// Where hefesto's own will do, everything is staged in one directory: each costs its making, its syncs and its
/// removal.
fn base(disk: &Disk<'_>, place: &Place, node: Node) -> Result<String> {
    let (parent, anchor) = (place.parent(), place.ancestor());
    let above = parent.above().cloned();
    let beside = match node {
        _ if anchor.below() != parent.below() => vec![anchor.clone()],
        Node::Tree => above.into_iter().chain([parent]).collect(),
        Node::File => vec![parent],
    };
    let home = disk.at(HOME).ok();
    let fits = |dir: &&Held| path::permitted(dir).is_ok() && path::same_mount(dir, &anchor);
    let found = home.iter().chain(&beside).find(fits).and_then(|dir| path::name_of(disk.root(), &dir.path()));
    let none = || Error::new(Code::CreateUnwritable, format!("{}: nothing can be prepared beside it", place.real));
    found.ok_or_else(none)
}

fn sound(at: &str, tree: &Tree) -> Result<()> {
    let refused = |why: String| Err(Error::new(Code::CreateUnwritable, format!("{at}: {why}")));
    for (inside, _) in tree.iter() {
        if let Err(why) = path::check(inside) {
            return refused(format!("the path {inside:?} {why}"));
        }
    }
    if tree.len() > super::scan::MAX_FILES || tree.size() > super::scan::MAX_BYTES {
        return refused("too many files or bytes for a skill".to_owned());
    }
    Ok(())
}

fn held(backup: &VerifiedBackup, at: &str, was: &str) -> Result<()> {
    if backup.holds(at, was) {
        return Ok(());
    }
    Err(Error::new(Code::CreateBackup, format!("the backup {} does not hold {at} as it was shown", backup.path())))
}

fn changed(at: &str, how: &str) -> Error {
    Error::new(Code::Changed, format!("{at} {how}; nothing was written"))
}

fn twice(one: &str, other: &str) -> Error {
    Error::new(Code::Bug, format!("{one} and {other} are changed at the same time"))
}

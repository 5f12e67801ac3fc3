//! The skills in one directory, as they can be read, and every path at which a client would look for a skill of a name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::{Dir, Reach};
use crate::client::target::{Client, Target};
use crate::project::inventory::{Seen, SkillRead};
use crate::skill::frontmatter::{self, Document, ReadErrorKind};
use crate::system::rooted::{self, Kind, Rooted};

/// The longest path of a link, in bytes.
const MAX_LINK: usize = 4096;

/// A folder of a skill's name, or a skill that calls itself so, in a directory that a client reads.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub dir: Dir,
    pub below: String,
    pub state: State,
}

#[derive(Debug, Clone)]
pub enum State {
    Skill {
        bytes: Rc<[u8]>,
        real: PathBuf,
        linked_file: bool,
    },
    Empty,
    /// A file where its folder should be; what is in it, if that is one line.
    File(Option<String>),
    /// It leads to nothing, or to where hefesto does not read; what stands in the way.
    Link(String),
    Unreadable(String),
}

impl Candidate {
    pub fn shown(&self) -> String {
        format!("{}/{}", self.dir.shown, self.below)
    }

    pub fn folder(&self) -> &str {
        self.below.rsplit('/').next().unwrap_or(&self.below)
    }

    pub fn is_nested(&self) -> bool {
        self.below.contains('/')
    }
}

impl Reach {
    pub fn candidates(&mut self, target: &Target, name: &str) -> Vec<Candidate> {
        let mut all = Vec::new();
        for dir in self.all_dirs(target) {
            let name = dir.own_name(name);
            let calls_itself = |held: &Held| {
                held.doc.field("name").and_then(|field| field.value.scalar()).is_some_and(|said| said == name)
            };
            let held = self.held(&dir).iter().filter(|held| held.folder() == name || calls_itself(held));
            let mut below: Vec<String> = held.map(|held| held.below.clone()).collect();
            if !below.iter().any(|below| below == name) {
                below.insert(0, name.to_owned());
            }
            for below in below {
                if let Some(state) = self.state(&dir, &below) {
                    all.push(Candidate { dir: dir.clone(), below, state });
                }
            }
        }
        all
    }

    fn state(&self, dir: &Dir, below: &str) -> Option<State> {
        let place = self.opened(dir).ok()?.join(below);
        let kind = place.entry_kind().ok().flatten()?;
        if matches!(kind, Kind::Link)
            && let Err(error) = place.metadata()
        {
            let why = rooted::refused(&error)
                .map_or_else(|| "it leads to nothing".to_owned(), |refused| refused.why.to_owned());
            return Some(State::Link(why));
        }
        if matches!(kind, Kind::File) {
            let line = place.read(MAX_LINK).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            return Some(State::File(line.filter(|line| !line.trim().contains('\n'))));
        }
        if !place.is_dir() {
            return None;
        }
        let file = place.join("SKILL.md");
        let linked_file = match file.entry_kind() {
            Ok(None) => return Some(State::Empty),
            Ok(Some(kind)) => kind == Kind::Link,
            Err(error) => return Some(State::Unreadable(error.to_string())),
        };
        Some(match self.seen.read(&file, frontmatter::MAX_FILE + 1) {
            Some(read) => State::Skill { bytes: read.bytes, real: place.canonical().ok()?, linked_file },
            None => State::Unreadable(file.open().err().map_or_else(String::new, |error| error.to_string())),
        })
    }
}

/// How deep below a directory skills are looked for, for the clients that find them there.
const DEPTH: usize = 4;

pub(super) struct Held {
    /// The path of its folder below the directory.
    pub(super) below: String,
    /// The same with links followed; absolute.
    pub(super) real: PathBuf,
    pub(super) doc: Rc<Document>,
    /// Whether a value of its head holds a colon and is not quoted, which not every client reads.
    pub(super) loose_colon: bool,
    file: Rooted,
}

impl Held {
    pub(super) fn folder(&self) -> &str {
        self.below.rsplit('/').next().unwrap_or(&self.below)
    }

    /// Whether a client looks where it is, and at what it is.
    pub(super) fn is_found_by(&self, client: &Client) -> bool {
        (client.nested || !self.below.contains('/')) && (client.linked_file || !self.is_linked())
    }

    fn is_linked(&self) -> bool {
        matches!(self.file.entry_kind(), Ok(Some(Kind::Link)))
    }
}

/// The skills of a directory that can be read, by folder. What is no regular file is not opened.
pub(super) fn read_all(dir: &Rooted, seen: &Seen) -> Vec<Held> {
    // Most directories are not there: to list one says so with one call.
    let Some(entries) = dir.list().ok().filter(|entries| !entries.is_empty()) else { return Vec::new() };
    let Ok(real) = dir.canonical() else { return Vec::new() };
    let mut all = Vec::new();
    collect(dir, entries, &real, "", seen, &mut all);
    all.sort_by(|one, other| one.below.cmp(&other.below));
    all
}

type Entries = Vec<(OsString, Kind)>;

fn collect(dir: &Rooted, entries: Entries, real_dir: &Path, above: &str, seen: &Seen, all: &mut Vec<Held>) {
    for (name, kind) in entries {
        let Some(folder) = name.into_string().ok().filter(|name| !name.starts_with('.')) else { continue };
        let place = dir.join(&folder);
        // Links on the way to the directory were followed once; only a link in it leads elsewhere.
        let linked = if kind == Kind::Link { place.canonical().ok() } else { None };
        let real = linked.unwrap_or_else(|| real_dir.join(&folder));
        let below = format!("{above}{folder}");
        let file = place.join("SKILL.md");
        match seen.read(&file, frontmatter::MAX_FILE + 1) {
            Some(read) => {
                all.extend(parsed(&read).map(|(doc, loose_colon)| Held { below, real, doc, loose_colon, file }));
            }
            None if kind == Kind::Dir && below.split('/').count() < DEPTH => {
                collect(&place, place.list().unwrap_or_default(), &real, &format!("{below}/"), seen, all);
            }
            None => {}
        }
    }
}

/// A text as most clients read it, and whether it holds an unquoted colon.
fn parsed(read: &SkillRead) -> Option<(Rc<Document>, bool)> {
    if let Some(doc) = &read.doc {
        return Some((Rc::clone(doc), false));
    }
    let (doc, defects) = frontmatter::examine(&read.bytes).ok()?;
    defects.iter().all(|defect| defect.kind == ReadErrorKind::UnquotedColon).then(|| (Rc::new(doc), true))
}

//! Every path at which a client would look for a skill of a name, whatever is there.

use std::path::PathBuf;
use std::rc::Rc;

use super::{Dir, Reach};
use crate::client::target::Target;
use crate::skill::frontmatter;
use crate::system::rooted::{self, Kind};

/// The longest path of a link, in bytes.
const MAX_LINK: usize = 4096;

/// A folder of a skill's name, or a skill that calls itself so, in a directory that a client reads.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub dir: Dir,
    /// Its path below the directory.
    pub below: String,
    pub state: State,
}

/// The state of such a folder.
#[derive(Debug, Clone)]
pub enum State {
    /// A SKILL.md.
    Skill {
        bytes: Rc<[u8]>,
        /// Its folder with every link followed.
        real: PathBuf,
        /// Whether the SKILL.md is a link.
        linked_file: bool,
    },
    /// No SKILL.md.
    Empty,
    /// A file where its folder should be; what is in it, if that is one line.
    File(Option<String>),
    /// It leads to nothing, or to where hefesto does not read; what stands in the way.
    Link(String),
    /// The SKILL.md cannot be read; the reason.
    Unreadable(String),
}

impl Candidate {
    /// Its folder for display.
    pub fn shown(&self) -> String {
        format!("{}/{}", self.dir.shown, self.below)
    }

    pub fn folder(&self) -> &str {
        self.below.rsplit('/').next().unwrap_or(&self.below)
    }

    /// Whether it is below another folder of the directory.
    pub fn is_nested(&self) -> bool {
        self.below.contains('/')
    }
}

impl Reach {
    /// The candidates for a skill's name for a target's client, in the client's order.
    pub fn candidates(&mut self, target: &Target, name: &str) -> Vec<Candidate> {
        let mut all = Vec::new();
        for dir in self.all_dirs(target) {
            let name = dir.own_name(name);
            let calls_itself = |held: &super::Held| {
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

    /// The state of a folder; none if it does not exist.
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

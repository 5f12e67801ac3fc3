//! The skills in one directory, as they can be read.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::client::target::Client;
use crate::project::inventory::{Seen, SkillRead};
use crate::skill::frontmatter::{self, Document, ReadErrorKind};
use crate::system::rooted::{Kind, Rooted};

/// How deep below a directory skills are looked for, for the clients that find them there.
const DEPTH: usize = 4;

/// A skill in a directory.
pub(super) struct Held {
    /// The path of its folder below the directory.
    pub(super) below: String,
    /// The same with links followed; absolute.
    pub(super) real: PathBuf,
    pub(super) doc: Rc<Document>,
    /// Whether a value of its head holds a colon and is not quoted, which not every client reads.
    pub(super) loose_colon: bool,
    /// Its SKILL.md.
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

    /// Whether its SKILL.md is a link.
    fn is_linked(&self) -> bool {
        matches!(self.file.entry_kind(), Ok(Some(Kind::Link)))
    }
}

/// The skills of a directory that can be read, by folder. What is no regular file is not opened.
pub(super) fn read_all(dir: &Rooted, seen: &Seen) -> Vec<Held> {
    let Ok(real) = dir.canonical() else { return Vec::new() };
    let mut all = Vec::new();
    collect(dir, &real, "", seen, &mut all);
    all.sort_by(|one, other| one.below.cmp(&other.below));
    all
}

fn collect(dir: &Rooted, real_dir: &Path, above: &str, seen: &Seen, all: &mut Vec<Held>) {
    for (name, kind) in dir.list().unwrap_or_default() {
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
                collect(&place, &real, &format!("{below}/"), seen, all);
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

//! Reads an archive into memory, trusting nothing in it; nothing is ever unpacked to disk from here.

mod parse;

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufReader;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use crate::error::{Code, Coded, Error, Result};
use crate::report::slashed::Slashed;
use crate::skill::name::is_device;
use crate::skill::printable::{is_direction, is_invisible, is_tag};
use crate::skill::{Blob, Tree, printable_line};
use crate::system::rooted::{self, Rooted};

pub(super) use parse::parse;

/// The most entries, directories included.
pub const MAX_ENTRIES: usize = 1_000;

/// The most bytes of all files together: 64 MiB.
pub const MAX_TOTAL: u64 = 64 << 20;

/// How many times its own size an archive may unpack to, once that is more than 1 MiB.
pub const MAX_RATIO: u64 = 200;

/// The most components of a path.
pub const MAX_DEPTH: usize = 16;

/// The longest path in bytes.
pub const MAX_PATH: usize = 240;

/// Up to this many unpacked bytes the ratio does not matter.
const FREE: u64 = 1 << 20;

/// What an archive says about one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Directory,
    File(Blob),
}

/// The content of an archive: files and directories under plain relative paths, and nothing else.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Archive {
    entries: BTreeMap<String, Entry>,
    folded: BTreeMap<String, String>,
}

impl Archive {
    /// Everything in it, sorted by path. Directories have no slash at their end.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Entry)> {
        self.entries.iter().map(|(path, entry)| (path.as_str(), entry))
    }

    /// The paths of its files, sorted.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|(_, entry)| matches!(entry, Entry::File(_))).map(|(path, _)| path)
    }

    /// The skill directories in it: those with a `SKILL.md`, and outermost directories without any such below them.
    pub fn roots(&self) -> Vec<&str> {
        let all: BTreeSet<&str> = self.files().filter_map(|path| path.strip_suffix("/SKILL.md")).collect();
        let outermost = |root: &&&str| !all.iter().any(|outer| below(outer, root));
        let mut roots: BTreeSet<&str> = all.iter().filter(outermost).copied().collect();
        for (path, entry) in self.iter() {
            let related = roots.iter().any(|root| path == *root || below(root, path) || below(path, root));
            if *entry == Entry::Directory && !related {
                roots.insert(path);
            }
        }
        roots.into_iter().collect()
    }

    /// The files below a directory; `None` if the archive does not have that directory.
    pub fn tree(&self, at: &str) -> Option<Tree> {
        let mut found = matches!(self.entries.get(at), Some(Entry::Directory));
        let mut tree = Tree::new();
        for (path, entry) in self.iter().filter(|(path, _)| below(at, path)) {
            found = true;
            if let Entry::File(blob) = entry {
                tree.put_blob(path.get(at.len() + 1..).unwrap_or_default(), blob.clone());
            }
        }
        found.then_some(tree)
    }

    /// What an archive made elsewhere must not hold: a name that deceives the eye or that another system cannot have.
    pub fn oddity(&self) -> Option<String> {
        self.iter().find_map(|(path, _)| {
            let odd = path.split('/').find_map(odd_name)?;
            Some(format!("holds {}, which {odd}", printable_line(path)))
        })
    }

    /// A file that belongs to none of the skill directories.
    pub fn stray(&self) -> Option<&str> {
        let roots = self.roots();
        self.files().find(|path| !roots.iter().any(|root| below(root, path)))
    }

    fn add(&mut self, path: String, entry: Entry) -> Result<(), String> {
        let mut end = 0;
        for part in path.split('/') {
            end += part.len();
            let here = path.get(..end).unwrap_or_default();
            end += 1;
            let folded: String = here.nfc().flat_map(char::to_lowercase).collect();
            match self.folded.get(&folded) {
                Some(known) if known != here => return Err(format!("holds both {known} and {here}")),
                Some(_) => {}
                None => {
                    self.folded.insert(folded, here.to_owned());
                }
            }
            if here.len() < path.len() && matches!(self.entries.get(here), Some(Entry::File(_))) {
                return Err(format!("holds {here} as a file and as a directory"));
            }
        }
        let clash = match (&entry, self.entries.get(&path)) {
            (_, Some(_)) => true,
            (Entry::File(_), None) => {
                self.entries.range(format!("{path}/")..).next().is_some_and(|(p, _)| below(&path, p))
            }
            (Entry::Directory, None) => false,
        };
        if clash {
            return Err(format!("holds {path} twice"));
        }
        self.entries.insert(path, entry);
        Ok(())
    }
}

/// Reads an archive that a person names, as [`read_at`] does.
pub fn read(path: &Path) -> Result<Archive> {
    read_at(&rooted::anywhere(path).coded(Code::Io, format!("cannot read {}", path.slashed()))?)
}

/// Reads an archive, within limits and without writing anything.
/// Errors: `E-IO-001`, saying what is wrong: unreadable, damaged, cut short, over a limit, or holding a link, a device, a
/// path that leads elsewhere, a path twice, or two paths that are one on some file systems.
pub fn read_at(at: &Rooted) -> Result<Archive> {
    let shown = at.path().slashed();
    let opened = at.open().and_then(|file| Ok((file.metadata()?.len(), file)));
    let (length, file) = opened.coded(Code::Io, format!("cannot read {shown}"))?;
    parse(BufReader::new(file), length).map_err(|why| {
        Error::new(Code::Io, format!("{shown} {}", why.escape_debug()))
            .suggest("Use another backup; this one is left as it is.")
    })
}

/// Why a name is not fit for every eye and every system.
fn odd_name(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or(name).to_ascii_lowercase();
    let hidden = |c| is_direction(c) || is_invisible(c) || is_tag(c);
    if name.chars().any(hidden) {
        Some("has a name with characters that cannot be seen")
    } else if name.ends_with(['.', ' ']) || name.contains(['<', '>', ':', '"', '|', '?', '*']) || is_device(&stem) {
        Some("has a name that Windows cannot hold")
    } else {
        None
    }
}

fn below(outer: &str, inner: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
}

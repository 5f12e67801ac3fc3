//! Three-way merge of a skill: what was installed, and two versions derived from it. Nothing of either side is dropped
//! without a decision: if both changed the same place, the caller decides.

mod hunks;
mod structured;

use std::collections::BTreeSet;

use super::metadata::FILE;
use super::tree::{Blob, Tree};

/// The decision for a place that both sides changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    Ours,
    Theirs,
    /// Ours, then theirs.
    Both,
}

/// A place that both sides changed differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The file, by its path inside the skill.
    pub path: String,
    /// Where in it: a heading, a key of the frontmatter, or the whole file.
    pub place: String,
    pub base: Option<String>,
    /// Our version; none: removed.
    pub ours: Option<String>,
    pub theirs: Option<String>,
    /// Whether [`Choice::Both`] makes sense here.
    pub both: bool,
}

impl Conflict {
    fn of(path: &str, place: &str, [base, ours, theirs]: [Option<String>; 3]) -> Self {
        Self { path: path.to_owned(), place: place.to_owned(), base, ours, theirs, both: false }
    }
}

/// The callback that decides a conflict.
pub type Decide<'d> = dyn FnMut(&Conflict) -> Choice + 'd;

/// Merges two trees derived from `base`. What only one side changed is taken from it.
pub fn merge(base: &Tree, ours: &Tree, theirs: &Tree, decide: &mut Decide<'_>) -> Tree {
    let paths: BTreeSet<&str> = [base, ours, theirs].into_iter().flat_map(|tree| tree.iter().map(|(p, _)| p)).collect();
    let mut merged = Tree::new();
    for path in paths {
        if let Some(blob) = file(path, base.get(path), ours.get(path), theirs.get(path), decide) {
            merged.put_blob(path, blob);
        }
    }
    merged
}

/// The value both sides agree on, or of the side that changed it. None: both changed it.
fn settled<T: PartialEq>(base: &T, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || theirs == *base {
        return Some(ours);
    }
    (ours == *base).then_some(theirs)
}

fn file(
    path: &str,
    base: Option<&Blob>,
    ours: Option<&Blob>,
    theirs: Option<&Blob>,
    decide: &mut Decide<'_>,
) -> Option<Blob> {
    if let Some(settled) = settled(&base, ours, theirs) {
        return settled.cloned();
    }
    let text = |blob: &Blob| std::str::from_utf8(&blob.bytes).ok().map(str::to_owned);
    if let (Some(one), Some(other)) = (ours, theirs) {
        let bit = |blob: &Blob| blob.executable;
        // With two values there is always an answer.
        let executable = settled(&base.map_or(bit(one), bit), bit(one), bit(other)).unwrap_or(bit(one));
        let old = base.map_or(Some(String::new()), text);
        if let (Some(old), Some(mine), Some(other)) = (old, text(one), text(other)) {
            let merged = match path {
                "SKILL.md" => structured::skill(&old, &mine, &other, decide),
                FILE => structured::sidecar(&old, &mine, &other, decide),
                _ => hunks::merge(&old, &mine, &other, &hunks::Where { path, place: "" }, decide),
            };
            return Some(Blob { bytes: merged.into_bytes(), executable });
        }
    }
    let shown = |blob: Option<&Blob>| {
        blob.map(|blob| text(blob).unwrap_or_else(|| format!("(binary, {} bytes)\n", blob.bytes.len())))
    };
    match decide(&Conflict::of(path, "the whole file", [base, ours, theirs].map(shown))) {
        Choice::Ours | Choice::Both => ours.cloned(),
        Choice::Theirs => theirs.cloned(),
    }
}

#[cfg(test)]
mod tests;

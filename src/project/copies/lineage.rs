//! The order of the installed texts of one skill: a copy has the later text if its place had the other one before.

use super::{Copies, Copy, seq};
use crate::client::adapt;
use crate::skill::{Blob, Tree, metadata};
use crate::transaction::{Roots, objects};

/// How a copy's installed text is related to that of the latest copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Age {
    /// The same text, or one of which too little is stored to tell.
    Current,
    Older,
    /// Neither place ever had the other's text.
    Unrelated,
}

impl Copies {
    /// The installed text with the common placeholder for arguments: as stored, or from a copy that still has it.
    pub(super) fn base_of(&self, copy: &Copy, roots: &Roots) -> Option<Tree> {
        let digest = copy.base_digest()?;
        copy.base_tree(roots).map(|tree| adapt::neutral(&tree)).or_else(|| {
            let shared = adapt::shared(self.own().map(|copy| &copy.target));
            let mut texts = self.own().filter_map(Copy::tree).map(adapt::neutral);
            texts.find(|text| adapt::adapted(text, &copy.target, shared).digest() == digest)
        })
    }

    /// The copy with the latest installed text.
    pub(super) fn latest(&self, roots: &Roots) -> Option<&Copy> {
        let mut known: Vec<&Copy> = self.all.iter().filter(|copy| copy.base_digest().is_some()).collect();
        known.sort_by_key(|copy| std::cmp::Reverse(seq(copy)));
        known.into_iter().reduce(|latest, copy| {
            let earlier = |one: &Copy, other: &Copy| self.had(one, other, roots);
            if seq(latest) != seq(copy) && earlier(copy, latest) && !earlier(latest, copy) { copy } else { latest }
        })
    }

    pub(super) fn age(&self, copy: &Copy, latest: &Copy, roots: &Roots) -> Age {
        if seq(copy) == seq(latest) || copy.base_digest().is_none() || copy.base_digest() == latest.base_digest() {
            return Age::Current;
        }
        match (self.base_of(copy, roots), self.base_of(latest, roots)) {
            (Some(one), Some(other)) if one == other => Age::Current,
            (Some(one), Some(other)) if text(&one) == text(&other) || self.had(latest, copy, roots) => Age::Older,
            (Some(_), Some(_)) => Age::Unrelated,
            // Nothing is reported about what is not stored any more.
            _ => Age::Current,
        }
    }

    /// Whether the place of a copy had the installed text of another one before its own.
    fn had(&self, copy: &Copy, other: &Copy, roots: &Roots) -> bool {
        if copy.past.is_empty() || copy.base_digest() == other.base_digest() {
            return false;
        }
        let base = |copy: &Copy| self.base_of(copy, roots).map(|tree| text(&tree));
        let Some(wanted) = base(other).filter(|wanted| base(copy).as_ref() != Some(wanted)) else { return false };
        let known = |digest: &String| Some(digest.as_str()) == other.base_digest();
        let same =
            |digest: &String| objects::read(roots, digest).is_some_and(|tree| text(&adapt::neutral(&tree)) == wanted);
        copy.past.iter().any(known) || copy.past.iter().any(same)
    }
}

/// The files without metadata.yaml, which says when and for which clients they were made.
fn text(tree: &Tree) -> Vec<(String, Blob)> {
    let files = tree.iter().filter(|(path, _)| *path != metadata::FILE);
    files.map(|(path, blob)| (path.to_owned(), blob.clone())).collect()
}

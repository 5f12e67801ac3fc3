//! Merges all copies of a skill into one text: what was installed last, and every edit since.

use super::{Age, Copies, Copy, seq, sort};
use crate::client::adapt;
use crate::error::{Code, Error, Result};
use crate::skill::Tree;
use crate::skill::three_way::{self, Choice, Conflict};
use crate::transaction::Roots;

/// A place that two copies changed differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    pub conflict: Conflict,
    /// The clients whose copies say `ours` there; all that were merged before where none alone does.
    pub ours: Vec<String>,
    pub theirs: String,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'w> {
    /// Only the text of this client counts.
    pub from: Option<&'w str>,
    /// The client whose text is `ours` at every clash.
    pub first: Option<&'w str>,
}

/// The text of a skill with the common placeholder for arguments.
#[derive(Debug, Clone)]
pub struct Merged {
    pub tree: Tree,
    /// What was installed last, if still stored.
    pub installed: Option<Tree>,
    pub edited: Vec<String>,
}

impl Copies {
    /// Merges the edits of all copies. `decide` is called at every clash. None if no copy can be read.
    pub fn merge(&self, roots: &Roots, wanted: Wanted<'_>, decide: &mut dyn FnMut(&Clash) -> Choice) -> Option<Merged> {
        let mut copies: Vec<&Copy> = self.own().filter(|copy| copy.tree().is_some()).collect();
        sort(&mut copies, &|copy| (Some(copy.target.id.as_str()) != wanted.first, 0));
        let latest = self.latest(roots);
        let mut newest: Vec<&Copy> = latest.into_iter().chain(copies.iter().copied()).collect();
        sort(&mut newest, &|copy| (latest.is_none_or(|latest| copy.at != latest.at), -seq(copy)));
        let installed = newest.iter().find_map(|copy| self.base_of(copy, roots));
        let torn = self.is_torn(roots);
        let installed = if torn { None } else { installed };
        let is_edited = |copy: &Copy| match copy.base_digest() {
            _ if torn => true,
            Some(base) => copy.digest() != Some(base),
            None => copy.tree().map(adapt::neutral) != installed,
        };
        let edits: Vec<&Copy> = copies.iter().copied().filter(|copy| is_edited(copy)).collect();
        let edited: Vec<String> = edits.iter().map(|copy| copy.target.id.clone()).collect();
        if let Some(from) = wanted.from {
            let tree = adapt::neutral(copies.iter().find(|copy| copy.target.id == from)?.tree()?);
            return Some(Merged { tree, installed, edited });
        }
        let mut merged = installed.clone();
        let mut ours: Vec<(&str, Tree)> = Vec::new();
        for copy in edits {
            let text = adapt::neutral(copy.tree()?);
            merged = Some(match merged {
                None => text.clone(),
                Some(ref known) if adapt::essence(known) == adapt::essence(&text) => known.clone(),
                Some(ref known) => {
                    // Without a base, every difference is a clash.
                    let base = if torn { None } else { self.base_of(copy, roots) }.unwrap_or_default();
                    three_way::merge(&base, known, &text, &mut |conflict| {
                        decide(&Clash {
                            conflict: conflict.clone(),
                            ours: saying(&ours, conflict),
                            theirs: copy.target.id.clone(),
                        })
                    })
                }
            });
            ours.push((&copy.target.id, text));
        }
        Some(Merged { tree: merged?, installed, edited })
    }

    /// Whether the copies were installed with texts of which none came from the other, as when they were adopted so.
    pub fn is_torn(&self, roots: &Roots) -> bool {
        let mut digests = self.own().filter_map(Copy::base_digest);
        let first = digests.next();
        if digests.all(|digest| Some(digest) == first) {
            return false;
        }
        let Some(latest) = self.latest(roots) else { return false };
        let text = self.base_of(latest, roots).map(|base| adapt::essence(&base));
        self.own().filter(|copy| copy.tree().is_some()).any(|copy| {
            let together = seq(copy) == seq(latest);
            let differs = || self.base_of(copy, roots).is_some_and(|base| Some(adapt::essence(&base)) != text);
            if together { differs() } else { self.age(copy, latest, roots) == Age::Unrelated }
        })
    }

    /// The text of all copies, if they are equal or can be merged without a question.
    /// Errors: E-SHOW-003 if no copy can be read; E-SYNC-001 if two were changed differently.
    pub fn together(&self, roots: &Roots) -> Result<Merged> {
        let mut clashes = 0;
        let merged = self.merge(roots, Wanted::default(), &mut |_| {
            clashes += 1;
            Choice::Ours
        });
        let unread = || Error::new(Code::ShowUnreadable, format!("no copy of `{}` can be read", self.name));
        let merged = merged.ok_or_else(unread)?;
        if clashes == 0 {
            return Ok(merged);
        }
        let message = format!(
            "the copies of `{}` were changed differently ({}); nothing was written",
            self.name,
            merged.edited.join(", ")
        );
        Err(Error::new(Code::SyncConflict, message)
            .suggest(format!("Bring them together first: `hefesto sync {}`.", self.name)))
    }

    /// Whether all copies that can be read are one text, ignoring argument placeholders.
    pub fn agree(&self) -> bool {
        let shared = adapt::shared(self.own().map(|copy| &copy.target));
        let mut texts = self.own().filter_map(Copy::tree).map(|tree| adapt::comparable(tree, shared));
        let first = texts.next();
        texts.all(|text| Some(&text) == first.as_ref())
    }
}

/// The clients among these whose copies say `ours` at a conflict; all of them if none alone does.
fn saying(all: &[(&str, Tree)], conflict: &Conflict) -> Vec<String> {
    let has = |tree: &Tree, lines: &str| tree.text(&conflict.path).is_some_and(|text| text.contains(lines.trim_end()));
    let says = |tree: &Tree| match (&conflict.ours, &conflict.base) {
        (Some(ours), _) => has(tree, ours),
        (None, Some(base)) => !has(tree, base),
        (None, None) => false,
    };
    let ids = |wanted: &dyn Fn(&Tree) -> bool| -> Vec<String> {
        all.iter().filter(|(_, tree)| wanted(tree)).map(|(id, _)| (*id).to_owned()).collect()
    };
    let found = ids(&says);
    if found.is_empty() { ids(&|_| true) } else { found }
}

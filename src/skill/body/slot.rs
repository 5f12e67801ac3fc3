//! The step of a pack that speaks of the same thing as a rule of the house.

use crate::skill::ranking::{Term, languages, weighted};
use crate::skill::subject::Subject;

/// A rule and a step of a pack that share so much speak of the same thing: a noun and a verb of that step alone.
pub(super) const SAME: usize = 3;
/// Of a step in the few words of the sentence its noun is enough.
pub(super) const SAME_CLAUSE: usize = 2;

/// A step, what it speaks of beyond the task, and how much of that a rule under it has at least.
pub(super) struct Slot<'m> {
    pub(super) id: &'m str,
    pub(super) slot: &'m str,
    pub(super) said: Subject,
    pub(super) least: usize,
}

impl Slot<'_> {
    fn says(&self, term: &Term<'_>) -> bool {
        term.keys.iter().any(|key| self.said.has(key))
    }
}

/// The step that shares most with a rule, the first of several; none if that is too little. A word of several steps counts
/// less.
pub(super) fn nearest<'s, 'm>(rule: &str, slots: &'s [Slot<'m>]) -> Option<&'s Slot<'m>> {
    let mut terms: Vec<Term<'_>> = Vec::new();
    for term in weighted(rule, languages(rule)) {
        if !terms.iter().any(|known| known.keys == term.keys) {
            terms.push(term);
        }
    }
    let alike = |slot: &Slot<'_>| -> usize {
        let said = terms.iter().filter(|term| slot.says(term));
        said.map(|term| weight(term) / slots.iter().filter(|slot| slot.says(term)).count()).sum()
    };
    let best = slots.iter().rev().map(|slot| (alike(slot), slot)).max_by_key(|(alike, _)| *alike);
    best.filter(|(alike, slot)| *alike >= slot.least).map(|(_, slot)| slot)
}

/// What a word counts that one step says: a noun more than a verb, an everyday word nothing.
fn weight(term: &Term<'_>) -> usize {
    match () {
        () if term.names() => 2,
        () if term.everyday() => 0,
        () => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_belongs_under_the_step_about_its_subject() {
        let slot = |slot: &'static str, text: &str| Slot { id: "limits", slot, said: Subject::of(text), least: SAME };
        let slots = [
            slot(
                "store",
                "Count in a shared store such as Redis, in one atomic step; a key without a lifetime is never removed.",
            ),
            slot("answer", "Answer 429 with `Retry-After` and a body that names the limit; document the headers."),
            slot("down", "Decide what happens without the store: open for reads, closed for login."),
        ];
        let of = |rule| nearest(rule, &slots).map(|slot| slot.slot);
        assert_eq!(of("Every response body and its headers are snake_case."), Some("answer"));
        assert_eq!(of("Shared keys live in Redis."), Some("store"));
        assert_eq!(of("If the store is down, login stays open."), Some("down"));
        assert_eq!(of("Pull requests need two approvals."), None);
    }
}

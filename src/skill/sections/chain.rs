//! The sections of a merge in their order: new ones go between existing ones without moving those.

use std::collections::HashMap;

use super::split::Section;

/// Sections in an order that can be inserted into without moving the others.
#[derive(Default)]
pub(super) struct Chain {
    sections: Vec<(Section, bool)>,
    /// For each section the next one.
    next: Vec<Option<usize>>,
    first: Option<usize>,
    by_path: HashMap<Vec<String>, usize>,
}

impl Chain {
    /// Whether there is a section with this path.
    pub(super) fn contains(&self, section: &Section) -> bool {
        self.by_path.contains_key(&section.path)
    }

    /// Adds an existing section at the end. Only before anything is inserted.
    pub(super) fn append(&mut self, section: Section) {
        let last = self.sections.len().checked_sub(1);
        self.link(last, section, false);
    }

    /// Inserts a new section after its predecessor and that one's own descendants.
    pub(super) fn insert_behind(&mut self, predecessor: Option<&Section>, fresh: &Section) {
        let mut at = predecessor.and_then(|before| self.by_path.get(&before.path).copied());
        if let Some(before) = predecessor.filter(|before| !fresh.path.starts_with(&before.path)) {
            while let Some(next) = self.behind(at)
                && self.sections.get(next).is_some_and(|(section, _)| hangs_below(section, &before.path, &fresh.path))
            {
                at = Some(next);
            }
        }
        self.link(at, fresh.clone(), true);
    }

    fn behind(&self, at: Option<usize>) -> Option<usize> {
        at.map_or(self.first, |at| self.next.get(at).copied().flatten())
    }

    fn link(&mut self, at: Option<usize>, section: Section, added: bool) {
        let index = self.sections.len();
        self.by_path.insert(section.path.clone(), index);
        self.next.push(self.behind(at));
        self.sections.push((section, added));
        match at.and_then(|at| self.next.get_mut(at)) {
            Some(next) => *next = Some(index),
            None => self.first = Some(index),
        }
    }

    /// The sections in their order, each with whether it was added.
    pub(super) fn in_order(self) -> Vec<(Section, bool)> {
        let mut slots: Vec<Option<(Section, bool)>> = self.sections.into_iter().map(Some).collect();
        let mut order = Vec::with_capacity(slots.len());
        let mut at = self.first;
        while let Some(index) = at {
            order.extend(slots.get_mut(index).and_then(Option::take));
            at = self.next.get(index).copied().flatten();
        }
        order
    }
}

/// Whether the section is a descendant of the branch that contains `before` and not `fresh`.
fn hangs_below(section: &Section, before: &[String], fresh: &[String]) -> bool {
    let shared = before.iter().zip(fresh).take_while(|(a, b)| a == b).count();
    before.get(..=shared).is_some_and(|branch| section.path.starts_with(branch))
}

//! Merges a new SKILL.md into an existing one, whose order and bytes are kept unless decided otherwise.

use std::collections::HashMap;

use super::{Document, Section, split};
use crate::skill::diff::Diff;
use crate::skill::keyed::{Entry, Keyed};

/// Which of two versions is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Existing,
    New,
}

/// A section or a frontmatter key that differs between the texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What differs, for the question: `frontmatter: license`, or the headings down to the section (`T > Steps`).
    pub place: String,
    pub existing: String,
    pub new: String,
    /// The difference from the existing to the new one.
    pub diff: Diff,
}

/// The result of a merge. The lists contain places, as in [`Difference`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    pub text: String,
    /// Places where the existing version was kept although the new one differs or is missing.
    pub kept: Vec<String>,
    /// Places where the new version replaced the existing one.
    pub taken: Vec<String>,
    /// Places only in the new text.
    pub added: Vec<String>,
}

/// Merges `new` into `existing`. `decide` is asked for every difference, in the order of the existing text; a caller
/// with nobody to ask answers [`Keep::Existing`]. The `name` is always the new one. Sections and keys only one text
/// has are in the result; sections that are equal keep the existing bytes.
pub fn merge(existing: &str, new: &str, decide: &mut dyn FnMut(&Difference) -> Keep) -> Merged {
    let (old, mut new) = (split(existing), split(new));
    under_one_title(&old.sections, &mut new.sections);
    let crlf = existing.find('\n').is_some_and(|at| existing.get(..at).is_some_and(|line| line.ends_with('\r')));
    let nl = if crlf { "\r\n" } else { "\n" };
    let mut merge = Merge { merged: Merged::default(), decide, nl };
    let head = merge.head(&old, &new);
    let sections = merge.sections(old.sections, &new.sections);
    Merged { text: join(head, &sections, nl), ..merge.merged }
}

/// A merge under way.
struct Merge<'d> {
    merged: Merged,
    decide: &'d mut dyn FnMut(&Difference) -> Keep,
    /// The line end of the existing text.
    nl: &'static str,
}

/// If each text has a single title, the two count as one section whatever their wording: a title changed by hand must
/// not duplicate the whole text.
fn under_one_title(old: &[Section], new: &mut [Section]) {
    let Some(title) = only_title(old).cloned() else { return };
    if only_title(new).is_some() {
        for step in new.iter_mut().filter_map(|section| section.path.first_mut()) {
            step.clone_from(&title);
        }
    }
}

/// The single first-level heading above all others.
pub fn only_title(sections: &[Section]) -> Option<&String> {
    let mut tops = sections.iter().filter_map(|section| section.path.first());
    let first = tops.next().filter(|step| step.starts_with("1 "))?;
    tops.all(|step| step == first).then_some(first)
}

impl Merge<'_> {
    /// Asks which of two versions is kept, and notes it. Whether it is the new one.
    fn takes(&mut self, place: String, existing: &str, new: &str) -> bool {
        let diff = Diff::between(existing, new);
        let (existing, new) = (existing.to_owned(), new.to_owned());
        let difference = Difference { place, existing, new, diff };
        let taken = (self.decide)(&difference) == Keep::New;
        let list = if taken { &mut self.merged.taken } else { &mut self.merged.kept };
        list.push(difference.place);
        taken
    }

    /// The merged frontmatter with its two fences.
    fn head(&mut self, old: &Document, new: &Document) -> String {
        if old.open.is_empty() {
            if !new.open.is_empty() {
                self.merged.added.push("frontmatter".to_owned());
            }
            return [new.open.as_str(), &new.yaml, &new.close].concat();
        }
        let whole = |yaml: &str| [old.open.as_str(), yaml, old.close.as_str()].concat();
        if new.open.is_empty() || old.yaml == new.yaml {
            return whole(&old.yaml);
        }
        let (Ok((mut ours, mine)), Ok((theirs, other))) = (Keyed::read(&old.yaml), Keyed::read(&new.yaml)) else {
            return whole(&self.unreadable(old, new));
        };
        for entry in &mut ours.entries {
            let place = format!("frontmatter: {}", entry.key);
            match theirs.get(&entry.key) {
                None => self.merged.kept.push(place),
                Some(_) if mine.get(&entry.key) == other.get(&entry.key) => {}
                Some(fresh) if entry.key == "name" => {
                    entry.raw = ended(&fresh.raw, self.nl);
                    self.merged.taken.push(place);
                }
                Some(fresh) => {
                    if self.takes(place, &entry.raw, &fresh.raw) {
                        entry.raw = ended(&fresh.raw, self.nl);
                    }
                }
            }
        }
        for (at, fresh) in theirs.entries.iter().enumerate().filter(|(_, fresh)| !mine.contains_key(&fresh.key)) {
            let before: Vec<&str> = theirs.entries.iter().take(at).map(|entry| entry.key.as_str()).collect();
            let place = before.iter().rev().find_map(|key| ours.entries.iter().position(|entry| entry.key == *key));
            let entry = Entry { raw: ended(&fresh.raw, self.nl), lead: String::new(), key: fresh.key.clone() };
            ours.entries.insert(place.map_or(0, |at| at + 1), entry);
            self.merged.added.push(format!("frontmatter: {}", fresh.key));
        }
        whole(&ours.text())
    }

    /// A frontmatter that is not YAML cannot be merged by keys: one decision for all of it. The name is still the new one.
    fn unreadable(&mut self, old: &Document, new: &Document) -> String {
        if self.takes("frontmatter".to_owned(), &old.yaml, &new.yaml) {
            return ended(&new.yaml, self.nl);
        }
        let (mut ours, theirs) = (Keyed::split(&old.yaml), Keyed::split(&new.yaml));
        let name = ours.entries.iter_mut().find(|entry| entry.key == "name");
        if let (Some(entry), Some(fresh)) = (name, theirs.get("name")) {
            entry.raw = ended(&fresh.raw, self.nl);
        }
        ours.text()
    }

    fn sections(&mut self, old: Vec<Section>, new: &[Section]) -> Vec<(Section, bool)> {
        let fresh_ones: HashMap<&[String], &Section> = new.iter().map(|fresh| (fresh.path.as_slice(), fresh)).collect();
        let mut chain = Chain::default();
        for mut section in old {
            match fresh_ones.get(section.path.as_slice()) {
                None => self.merged.kept.push(place(&section)),
                Some(fresh) if same(&fresh.text, &section.text) => {}
                Some(fresh) => {
                    if self.takes(place(&section), &section.text, &fresh.text) {
                        section.text.clone_from(&fresh.text);
                    }
                }
            }
            chain.append(section);
        }
        let mut predecessor: Option<&Section> = None;
        for fresh in new {
            if !chain.contains(fresh) {
                chain.insert_behind(predecessor, fresh);
                self.merged.added.push(place(fresh));
            }
            predecessor = Some(fresh);
        }
        chain.in_order()
    }
}

/// Whether two sections are equal, ignoring trailing blank lines and line ends.
fn same(a: &str, b: &str) -> bool {
    a.trim_end().lines().eq(b.trim_end().lines())
}

fn place(section: &Section) -> String {
    if section.path.is_empty() {
        return section.title().to_owned();
    }
    let titles = section.path.iter().map(|step| step.split_once(' ').map_or(step.as_str(), |(_, title)| title));
    titles.collect::<Vec<_>>().join(" > ")
}

/// Joins the pieces: adds a missing final line end, and blank lines around an added section.
fn join(head: String, sections: &[(Section, bool)], nl: &str) -> String {
    let mut text = head;
    let mut beside_added = false;
    for (section, added) in sections {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(nl);
        }
        let spaced = text.is_empty() || text.ends_with("\n\n") || text.ends_with("\n\r\n");
        if (*added || beside_added) && !spaced {
            text.push_str(nl);
        }
        text.push_str(&section.text);
        beside_added = *added;
    }
    text
}

/// The lines with the file's line end, including the last one.
fn ended(raw: &str, nl: &str) -> String {
    raw.lines().map(|line| format!("{line}{nl}")).collect()
}

/// Sections in an order that can be inserted into without moving the others.
#[derive(Default)]
struct Chain {
    sections: Vec<(Section, bool)>,
    /// For each section the next one.
    next: Vec<Option<usize>>,
    first: Option<usize>,
    by_path: HashMap<Vec<String>, usize>,
}

impl Chain {
    /// Whether there is a section with this path.
    fn contains(&self, section: &Section) -> bool {
        self.by_path.contains_key(&section.path)
    }

    /// Adds an existing section at the end. Only before anything is inserted.
    fn append(&mut self, section: Section) {
        let last = self.sections.len().checked_sub(1);
        self.link(last, section, false);
    }

    /// Inserts a new section after its predecessor and that one's own descendants.
    fn insert_behind(&mut self, predecessor: Option<&Section>, fresh: &Section) {
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
    fn in_order(self) -> Vec<(Section, bool)> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OLD: &str = "---\nname: old\ndescription: mine\nlicense: MIT\n---\n# T\n\nintro\n\n## Steps\n\n1. a\n\n## My notes\n\nkeep\n\n## End\n\nbye\n";
    const NEW: &str = "---\nname: new\ndescription: fresh\ncompatibility: any\n---\n# T\n\nintro\n\n## When\n\nnow\n\n## Steps\n\n1. b\n\n### Detail\n\nd\n\n## End\n\nbye\n";

    #[test]
    fn without_a_person_everything_there_stays_and_the_rest_is_added() {
        let merged = merge(OLD, NEW, &mut |_| Keep::Existing);
        assert_eq!(
            merged.text,
            "---\nname: new\ndescription: mine\ncompatibility: any\nlicense: MIT\n---\n# T\n\nintro\n\n## When\n\nnow\n\n## Steps\n\n1. a\n\n### Detail\n\nd\n\n## My notes\n\nkeep\n\n## End\n\nbye\n"
        );
        assert_eq!(merged.taken, ["frontmatter: name"]);
        assert_eq!(merged.added, ["frontmatter: compatibility", "T > When", "T > Steps > Detail"]);
        assert_eq!(merged.kept, ["frontmatter: description", "frontmatter: license", "T > Steps", "T > My notes"]);
    }

    #[test]
    fn a_title_that_was_changed_by_hand_does_not_bring_everything_in_twice() {
        let (old, new) = ("# Mine\n\n## A\n\na\n", "# Theirs\n\n## A\n\na\n\n## B\n\nb\n");
        assert_eq!(merge(old, new, &mut |_| Keep::Existing).text, "# Mine\n\n## A\n\na\n\n## B\n\nb\n");
        assert_eq!(merge(old, new, &mut |_| Keep::New).text, "# Theirs\n\n## A\n\na\n\n## B\n\nb\n");
        let two = "# Mine\n\n## A\n\na\n\n# Other\n";
        assert!(merge(two, new, &mut |_| Keep::Existing).text.contains("# Theirs"), "which one would it be?");
    }

    #[test]
    fn each_difference_is_asked_once_with_its_diff() {
        let mut asked = Vec::new();
        let merged = merge(OLD, NEW, &mut |difference| {
            asked.push((difference.place.clone(), difference.diff.added, difference.diff.removed));
            if difference.place == "T > Steps" { Keep::New } else { Keep::Existing }
        });
        assert_eq!(asked, [("frontmatter: description".to_owned(), 1, 1), ("T > Steps".to_owned(), 1, 1)]);
        assert!(merged.text.contains("1. b") && !merged.text.contains("1. a"));
    }

    #[test]
    fn a_section_of_theirs_stays_below_its_parent_and_a_text_without_a_last_newline_is_not_glued_to_the_next() {
        for (old, new, merged) in [
            ("# T\n## A\n### Mine\n## C\n", "# T\n## A\n## B\n## C\n", "# T\n## A\n### Mine\n\n## B\n\n## C\n"),
            ("# A\nx", "# A\nx\n# B\ny\n", "# A\nx\n\n# B\ny\n"),
        ] {
            assert_eq!(merge(old, new, &mut |_| Keep::Existing).text, merged);
        }
    }

    #[test]
    fn tens_of_thousands_of_headings_are_merged_in_a_moment() {
        let text = |word: &str| (0..20_000).map(|n| format!("# {word}{n}\n")).collect::<String>();
        let merged = merge(&text("a"), &text("b"), &mut |_| Keep::Existing);
        assert_eq!((merged.kept.len(), merged.added.len()), (20_000, 20_000));
    }

    #[test]
    fn a_frontmatter_that_is_no_yaml_is_one_decision() {
        let old = "---\nname: old\ndescription: Use when: x\n---\n# T\n";
        let merged = merge(old, NEW, &mut |_| Keep::Existing);
        assert!(merged.text.starts_with("---\nname: new\ndescription: Use when: x\n---\n"), "{}", merged.text);
        let merged = merge(old, NEW, &mut |_| Keep::New);
        assert!(merged.text.starts_with("---\nname: new\ndescription: fresh\n"), "{}", merged.text);
    }

    const TEXT: &str =
        "(---\n(name: a\n|b: 1\n|c: 'x'\n){0,2}---\n)?([ab]\n|# A\n|## B\n|## C\n|### D\n|```\n|\r\n){0,14}[ab]?";

    proptest! {
        #[test]
        fn merging_a_text_with_itself_is_that_text(text in TEXT) {
            let merged = merge(&text, &text, &mut |_| Keep::New);
            prop_assert_eq!(merged.text, text);
            prop_assert!(merged.kept.is_empty() && merged.taken.is_empty() && merged.added.is_empty());
        }

        #[test]
        fn nothing_there_is_lost_and_the_order_holds(old in TEXT, new in TEXT) {
            let merged = merge(&old, &new, &mut |_| Keep::Existing);
            let mut rest = merged.text.as_str();
            for section in split(&old).sections {
                let at = rest.find(&section.text);
                prop_assert!(at.is_some(), "{:?} in {:?}", section.text, merged.text);
                rest = &rest[at.unwrap() + section.text.len()..];
            }
            for section in split(&new).sections {
                if split(&old).sections.iter().all(|own| own.path != section.path) {
                    prop_assert!(merged.text.contains(&section.text));
                }
            }
        }
    }
}

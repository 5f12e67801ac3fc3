//! Merges a new SKILL.md into an existing one, whose order and bytes are kept unless decided otherwise.

use std::collections::HashMap;

use super::chain::Chain;
use super::split::{Document, Section, split};
use crate::skill::diff::Diff;
use crate::skill::keyed::{Entry, Keyed};

/// Which of two versions is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The existing one.
    Existing,
    /// The new one.
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
    let mut merged = Merged::default();
    let nl = if existing.find('\n').is_some_and(|at| existing.get(..at).is_some_and(|line| line.ends_with('\r'))) {
        "\r\n"
    } else {
        "\n"
    };
    let head = head(&old, &new, nl, &mut merged, decide);
    let sections = sections(old.sections, &new.sections, &mut merged, decide);
    merged.text = join(head, &sections, nl);
    merged
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

/// The merged frontmatter with its two fences.
fn head(
    old: &Document,
    new: &Document,
    nl: &str,
    merged: &mut Merged,
    decide: &mut dyn FnMut(&Difference) -> Keep,
) -> String {
    if old.open.is_empty() {
        if !new.open.is_empty() {
            merged.added.push("frontmatter".to_owned());
        }
        return [new.open.as_str(), &new.yaml, &new.close].concat();
    }
    let whole = |yaml: &str| [old.open.as_str(), yaml, old.close.as_str()].concat();
    if new.open.is_empty() || old.yaml == new.yaml {
        return whole(&old.yaml);
    }
    let (Ok((mut ours, mine)), Ok((theirs, other))) = (Keyed::read(&old.yaml), Keyed::read(&new.yaml)) else {
        return whole(&unreadable(old, new, nl, merged, decide));
    };
    for entry in &mut ours.entries {
        let place = format!("frontmatter: {}", entry.key);
        match theirs.get(&entry.key) {
            None => merged.kept.push(place),
            Some(_) if mine.get(&entry.key) == other.get(&entry.key) => {}
            Some(fresh) => {
                let keep = if entry.key == "name" { Keep::New } else { choose(&place, &entry.raw, &fresh.raw, decide) };
                match keep {
                    Keep::Existing => merged.kept.push(place),
                    Keep::New => {
                        entry.raw = ended(&fresh.raw, nl);
                        merged.taken.push(place);
                    }
                }
            }
        }
    }
    for (at, fresh) in theirs.entries.iter().enumerate().filter(|(_, fresh)| !mine.contains_key(&fresh.key)) {
        let before: Vec<&str> = theirs.entries.iter().take(at).map(|entry| entry.key.as_str()).collect();
        let place = before.iter().rev().find_map(|key| ours.entries.iter().position(|entry| entry.key == *key));
        let entry = Entry { raw: ended(&fresh.raw, nl), lead: String::new(), key: fresh.key.clone() };
        ours.entries.insert(place.map_or(0, |at| at + 1), entry);
        merged.added.push(format!("frontmatter: {}", fresh.key));
    }
    whole(&ours.text())
}

/// A frontmatter that is not YAML cannot be merged by keys: one decision for all of it. The name is still the new one.
fn unreadable(
    old: &Document,
    new: &Document,
    nl: &str,
    merged: &mut Merged,
    decide: &mut dyn FnMut(&Difference) -> Keep,
) -> String {
    let place = "frontmatter".to_owned();
    if choose(&place, &old.yaml, &new.yaml, decide) == Keep::New {
        merged.taken.push(place);
        return ended(&new.yaml, nl);
    }
    merged.kept.push(place);
    let mut ours = Keyed::split(&old.yaml);
    let theirs = Keyed::split(&new.yaml);
    if let (Some(entry), Some(fresh)) = (ours.entries.iter_mut().find(|entry| entry.key == "name"), theirs.get("name"))
    {
        entry.raw = ended(&fresh.raw, nl);
    }
    ours.text()
}

fn sections(
    old: Vec<Section>,
    new: &[Section],
    merged: &mut Merged,
    decide: &mut dyn FnMut(&Difference) -> Keep,
) -> Vec<(Section, bool)> {
    let fresh_ones: HashMap<&[String], &Section> = new.iter().map(|fresh| (fresh.path.as_slice(), fresh)).collect();
    let mut chain = Chain::default();
    for mut section in old {
        let place = place(&section);
        match fresh_ones.get(section.path.as_slice()) {
            None => merged.kept.push(place),
            Some(fresh) if same(&fresh.text, &section.text) => {}
            Some(fresh) => match choose(&place, &section.text, &fresh.text, decide) {
                Keep::Existing => merged.kept.push(place),
                Keep::New => {
                    section.text.clone_from(&fresh.text);
                    merged.taken.push(place);
                }
            },
        }
        chain.append(section);
    }
    let mut predecessor: Option<&Section> = None;
    for fresh in new {
        if !chain.contains(fresh) {
            chain.insert_behind(predecessor, fresh);
            merged.added.push(place(fresh));
        }
        predecessor = Some(fresh);
    }
    chain.in_order()
}

fn choose(place: &str, existing: &str, new: &str, decide: &mut dyn FnMut(&Difference) -> Keep) -> Keep {
    let diff = Diff::between(existing, new);
    decide(&Difference { place: place.to_owned(), existing: existing.to_owned(), new: new.to_owned(), diff })
}

/// Whether two sections are equal, ignoring trailing blank lines and line ends.
fn same(a: &str, b: &str) -> bool {
    let lines = |text: &str| text.trim_end().lines().map(str::to_owned).collect::<Vec<_>>();
    lines(a) == lines(b)
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
    fn a_section_of_theirs_stays_below_its_parent() {
        let old = "# T\n## A\n### Mine\n## C\n";
        let new = "# T\n## A\n## B\n## C\n";
        assert_eq!(merge(old, new, &mut |_| Keep::Existing).text, "# T\n## A\n### Mine\n\n## B\n\n## C\n");
    }

    #[test]
    fn tens_of_thousands_of_headings_are_merged_in_a_moment() {
        let text = |word: &str| (0..20_000).map(|n| format!("# {word}{n}\n")).collect::<String>();
        let merged = merge(&text("a"), &text("b"), &mut |_| Keep::Existing);
        assert_eq!((merged.kept.len(), merged.added.len()), (20_000, 20_000));
    }

    #[test]
    fn a_text_without_a_last_newline_is_not_glued_to_the_next() {
        let merged = merge("# A\nx", "# A\nx\n# B\ny\n", &mut |_| Keep::Existing);
        assert_eq!(merged.text, "# A\nx\n\n# B\ny\n");
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

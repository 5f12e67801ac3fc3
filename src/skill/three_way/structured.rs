//! Merges the two structured files: SKILL.md by lines, then by keys and sections; metadata.yaml by keys.

use super::hunks::{self, Where};
use super::{Choice, Conflict, Decide, settled};
use crate::skill::keyed::Keyed;
use crate::skill::metadata::FILE;
use crate::skill::sections::{self, Document};
use crate::skill::version::semver;

/// Merges three texts of SKILL.md.
pub(super) fn skill(base: &str, ours: &str, theirs: &str, decide: &mut Decide<'_>) -> String {
    let [whole_base, whole_ours, whole_theirs] = [base, ours, theirs].map(hunks::ended);
    // An unknown base cannot be compared with.
    if !base.is_empty()
        && let Some(merged) = hunks::clean(&whole_base, &whole_ours, &whole_theirs)
    {
        return merged;
    }
    let [base, ours, theirs] = [&whole_base, &whole_ours, &whole_theirs].map(|text| sections::split(text));
    if ours.open.is_empty() || theirs.open.is_empty() {
        let at = Where { path: "SKILL.md", place: "" };
        return hunks::merge(&whole_base, &whole_ours, &whole_theirs, &at, decide);
    }
    let yaml = yaml([&base.yaml, &ours.yaml, &theirs.yaml], "SKILL.md", decide);
    [ours.open.as_str(), &yaml, &ours.close, &body(&base, &ours, &theirs, decide)].concat()
}

/// Merges three texts of metadata.yaml.
pub(super) fn sidecar(base: &str, ours: &str, theirs: &str, decide: &mut Decide<'_>) -> String {
    let [base, ours, theirs] = [base, ours, theirs].map(hunks::ended);
    yaml([&base, &ours, &theirs], FILE, decide)
}

/// Merges mappings key by key, and a key that both changed by lines. For versions and times the later one is taken
/// without asking.
fn yaml([base, ours, theirs]: [&str; 3], path: &str, decide: &mut Decide<'_>) -> String {
    if let Some(settled) = settled(&base, ours, theirs) {
        return settled.to_owned();
    }
    let prefix = if path == FILE { "" } else { "frontmatter: " };
    let mut decide = |conflict: &Conflict| later(conflict).unwrap_or_else(|| decide(conflict));
    let [keyed_base, keyed_ours, keyed_theirs] = [base, ours, theirs].map(Keyed::split);
    let lists = [&keyed_base, &keyed_ours, &keyed_theirs].map(entries);
    if lists.iter().any(|list| repeats(list)) {
        return hunks::merge(base, ours, theirs, &Where { path, place: "frontmatter" }, &mut decide);
    }
    let [base, ours, theirs] = lists;
    let merged = by_key(&base, &ours, &theirs, |key, [base, ours, theirs]| {
        if let Some(settled) = settled(&base, ours, theirs) {
            return settled.cloned();
        }
        let place = format!("{prefix}{key}");
        let text = |side: Option<&String>| side.cloned().unwrap_or_default();
        // A nested mapping is merged by lines; anything else is one value.
        let at = Where { path, place: if prefix.is_empty() { "frontmatter" } else { &place } };
        let merged = match key.as_str() {
            "metadata" => hunks::merge(&text(base), &text(ours), &text(theirs), &at, &mut decide),
            _ => match decide(&Conflict::of(path, &place, [base, ours, theirs].map(|side| side.cloned()))) {
                Choice::Theirs => text(theirs),
                Choice::Ours | Choice::Both => text(ours),
            },
        };
        Some(merged).filter(|text| !text.is_empty())
    });
    let tail = settled(&&keyed_base.tail, &keyed_ours.tail, &keyed_theirs.tail).unwrap_or(&keyed_ours.tail);
    merged.iter().map(|(_, text)| text.as_str()).chain([tail.as_str()]).collect()
}

/// The choice between two versions or two times of a change.
fn later(conflict: &Conflict) -> Option<Choice> {
    let field = |text: &Option<String>| {
        let (key, value) = text.as_deref()?.trim().split_once(':')?;
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        Some((key.to_owned(), value)).filter(|(key, value)| !key.contains('\n') && !value.contains('\n'))
    };
    let ((key, ours), (other, theirs)) = (field(&conflict.ours)?, field(&conflict.theirs)?);
    let theirs_is_later = match key.as_str() {
        _ if key != other => return None,
        "version" => semver(&theirs)? > semver(&ours)?,
        "updated" => theirs > ours,
        _ => return None,
    };
    Some(if theirs_is_later { Choice::Theirs } else { Choice::Ours })
}

fn entries(yaml: &Keyed) -> Vec<(String, String)> {
    yaml.entries.iter().map(|entry| (entry.key.clone(), format!("{}{}", entry.lead, entry.raw))).collect()
}

fn repeats(list: &[(String, String)]) -> bool {
    list.iter().enumerate().any(|(at, (key, _))| list.iter().take(at).any(|(known, _)| known == key))
}

/// Merges the sections if neither side removed one; else by lines.
fn body(base: &Document, ours: &Document, theirs: &Document, decide: &mut Decide<'_>) -> String {
    let lists = [base, ours, theirs].map(named);
    let [base_list, ours_list, theirs_list] = &lists;
    let all_in =
        |list: &[(Vec<String>, String)]| base_list.iter().all(|(path, _)| list.iter().any(|(known, _)| known == path));
    if !all_in(ours_list) || !all_in(theirs_list) {
        let [base, ours, theirs] = lists.each_ref().map(|list| list.iter().map(|(_, text)| text.as_str()).collect());
        let (base, ours, theirs): (String, String, String) = (base, ours, theirs);
        return hunks::merge(&base, &ours, &theirs, &Where { path: "SKILL.md", place: "" }, decide);
    }
    let merged = by_key(base_list, ours_list, theirs_list, |path, [base, ours, theirs]| {
        let text = |side: Option<&String>| side.map_or("", |text| spaced(text).0).to_owned();
        match (ours, theirs) {
            (Some(_), Some(_)) => {
                let place = path.last().and_then(|step| step.split_once(' ')).map_or("(start)", |(_, title)| title);
                let at = Where { path: "SKILL.md", place };
                Some(hunks::merge(&text(base), &text(ours), &text(theirs), &at, decide))
            }
            (one, other) => Some(text(one.or(other))),
        }
    });
    joined(&merged, [base_list, ours_list, theirs_list])
}

/// A section without the blank lines at its end, and these.
fn spaced(section: &str) -> (&str, &str) {
    let lines = section.split_inclusive('\n').rev();
    let blank: usize = lines.take_while(|line| line.trim().is_empty()).map(str::len).sum();
    section.split_at_checked(section.len() - blank).unwrap_or((section, ""))
}

/// The sections by their headings. A single title above everything counts as the same whatever its wording.
fn named(document: &Document) -> Vec<(Vec<String>, String)> {
    let title = sections::only_title(&document.sections).cloned();
    let path = |section: &sections::Section| {
        let mut path = section.path.clone();
        if let (Some(title), Some(first)) = (&title, path.first_mut())
            && first == title
        {
            "1 ".clone_into(first);
        }
        path
    };
    document.sections.iter().map(|section| (path(section), section.text.clone())).collect()
}

/// Joins the sections with the blank lines that a side has between the two; one where they are adjacent in no side.
fn joined(merged: &[(Vec<String>, String)], sides: [&[(Vec<String>, String)]; 3]) -> String {
    let mut text = String::new();
    for (at, (path, section)) in merged.iter().enumerate() {
        let next = merged.get(at + 1).map(|(path, _)| path);
        let [base, ours, theirs] = sides.map(|side| {
            let here = side.iter().position(|(known, _)| known == path)?;
            let follows = side.get(here + 1).map(|(path, _)| path) == next;
            side.get(here).filter(|_| follows).map(|(_, text)| spaced(text).1)
        });
        let gap = settled(&base, ours, theirs).flatten().or(ours).or(theirs);
        text.push_str(section);
        text.push_str(gap.unwrap_or(if next.is_some() { "\n" } else { "" }));
    }
    text
}

/// Merges three lists by key. `one` is called for every key with the three values.
///
/// The order is that of the side that changed it; an item only in the other side keeps its predecessor.
fn by_key<K: PartialEq + Clone, T, M>(
    base: &[(K, T)],
    ours: &[(K, T)],
    theirs: &[(K, T)],
    mut one: impl FnMut(&K, [Option<&T>; 3]) -> Option<M>,
) -> Vec<(K, M)> {
    let has = |list: &[(K, T)], key: &K| list.iter().any(|(known, _)| known == key);
    let common = |list: &[(K, T)], other: &[(K, T)]| -> Vec<K> {
        list.iter().map(|(key, _)| key.clone()).filter(|key| has(other, key)).collect()
    };
    let kept_its_order = common(ours, base) == common(base, ours);
    let (first, second) = if kept_its_order { (theirs, ours) } else { (ours, theirs) };
    let mut keys: Vec<K> = first.iter().map(|(key, _)| key.clone()).collect();
    for (index, (key, _)) in second.iter().enumerate() {
        if keys.contains(key) {
            continue;
        }
        let mut before = second.iter().take(index).rev().map(|(key, _)| key);
        let behind = before.find_map(|known| keys.iter().position(|key| key == known));
        keys.insert(behind.map_or(0, |at| at + 1), key.clone());
    }
    let mut merged = |key: K| {
        let found =
            [base, ours, theirs].map(|list| list.iter().find(|(known, _)| *known == key).map(|(_, value)| value));
        one(&key, found).map(|value| (key, value))
    };
    keys.into_iter().filter_map(&mut merged).collect()
}

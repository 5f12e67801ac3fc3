//! A conflict within a list, item by item: each line is an item of its own, so neighbours may change independently.

use diffy::{DiffOptions, Line};

use super::hunks::Part;

/// The change of a side: these lines of the base become others.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    start: usize,
    end: usize,
    text: String,
}

impl Edit {
    /// Whether both say something about the same line of the base, or add lines at the same place.
    fn meets(&self, other: &Self) -> bool {
        match (self.start == self.end, other.start == other.end) {
            (true, true) => self.start == other.start,
            (true, false) => other.start < self.start && self.start < other.end,
            (false, true) => self.start < other.start && other.start < self.end,
            (false, false) => self.start < other.end && other.start < self.end,
        }
    }
}

/// The parts of a conflict; one conflict, as it was given, if its lines are not all items of a list.
pub(super) fn apart(base: String, ours: String, theirs: String) -> Vec<Part> {
    if base.is_empty() || ![&base, &ours, &theirs].iter().all(|text| text.lines().all(is_item)) {
        return vec![Part::Conflict { base, ours, theirs }];
    }
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let (ours, theirs) = (edits(&base, &ours), edits(&base, &theirs));
    let mut all: Vec<&Edit> = ours.iter().chain(theirs.iter().filter(|edit| !ours.contains(edit))).collect();
    all.sort_by_key(|edit| (edit.start, edit.end));
    let mut groups: Vec<Vec<&Edit>> = Vec::new();
    for edit in all {
        match groups.last_mut().filter(|group| group.iter().any(|known| known.meets(edit))) {
            Some(group) => group.push(edit),
            None => groups.push(vec![edit]),
        }
    }
    let kept = |from: usize, to: usize| lines.get(from..to).unwrap_or_default().concat();
    let (mut parts, mut at) = (Vec::new(), 0);
    for group in groups {
        let start = group.iter().map(|edit| edit.start).min().unwrap_or(at);
        let end = group.iter().map(|edit| edit.end).max().unwrap_or(at);
        parts.push(Part::Same(kept(at, start)));
        at = end;
        if let [edit] = &group[..] {
            parts.push(Part::Same(edit.text.clone()));
            continue;
        }
        let side = |side: &[Edit]| {
            let (mut text, mut at) = (String::new(), start);
            for edit in side.iter().filter(|edit| group.contains(edit)) {
                text.extend([kept(at, edit.start).as_str(), &edit.text]);
                at = edit.end;
            }
            text + &kept(at, end)
        };
        parts.push(Part::Conflict { base: kept(start, end), ours: side(&ours), theirs: side(&theirs) });
    }
    parts.push(Part::Same(kept(at, lines.len())));
    parts
}

/// Whether a line is a whole item of a list.
fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark))
        || (numbered.len() < line.len() && (numbered.starts_with(". ") || numbered.starts_with(") ")))
}

/// What a side changed; lines that became as many others are one edit each.
fn edits(base: &str, side: &str) -> Vec<Edit> {
    let mut options = DiffOptions::new();
    let patch = options.set_context_len(0).create_patch(base, side);
    let mut all = Vec::new();
    for hunk in patch.hunks() {
        let range = hunk.old_range();
        let lines = hunk.lines().iter();
        let new = lines.filter_map(|line| if let Line::Insert(text) = line { Some(*text) } else { None });
        let new: Vec<&str> = new.collect();
        // Of a range without lines the line before it is given.
        let start = if range.is_empty() { range.start() } else { range.start().saturating_sub(1) };
        if range.len() == new.len() {
            let single = |(at, text): (usize, &str)| Edit { start: at, end: at + 1, text: text.to_owned() };
            all.extend((start..).zip(new).map(single));
        } else {
            all.push(Edit { start, end: start + range.len(), text: new.concat() });
        }
    }
    all
}

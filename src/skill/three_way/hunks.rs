//! Merges by lines; conflicts are hunks that both sides changed. Within a list each line is an item of its own, so that
//! neighbours may change independently.

use diffy::{ConflictStyle, DiffOptions, Line, MergeOptions};

use super::{Choice, Conflict, Decide, settled};
use crate::skill::sections;

#[derive(Clone, Copy)]
pub(super) struct Where<'w> {
    pub(super) path: &'w str,
    /// The known place; if empty, the heading above a hunk.
    pub(super) place: &'w str,
}

/// A part of a merged text.
enum Part {
    Same(String),
    Conflict { base: String, ours: String, theirs: String },
}

/// The merged text, if no line was changed by both. Every text ends with a line end.
pub(super) fn clean(base: &str, ours: &str, theirs: &str) -> Option<String> {
    diffy::merge(base, ours, theirs).ok()
}

/// Merges by lines and asks about every hunk that both changed.
pub(super) fn merge(base: &str, ours: &str, theirs: &str, at: &Where<'_>, decide: &mut Decide<'_>) -> String {
    if let Some(settled) = settled(&base, ours, theirs) {
        return settled.to_owned();
    }
    let mut merged = String::new();
    let split = |part| match part {
        Part::Conflict { base, ours, theirs } => apart(base, ours, theirs),
        same => vec![same],
    };
    for part in parts(&ended(base), &ended(ours), &ended(theirs)).into_iter().flat_map(split) {
        match part {
            Part::Same(text) => merged.push_str(&text),
            Part::Conflict { base, ours, theirs } => {
                // Lines that both added are no conflict.
                let alike = if base.is_empty() { alike(&ours, &theirs) } else { 0 };
                let (added, ours) = ours.split_at(alike);
                let theirs = theirs.split_at(alike).1;
                merged.push_str(added);
                let place = if at.place.is_empty() { heading(&merged) } else { at.place.to_owned() };
                let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
                let both = !ours.is_empty() && !theirs.is_empty() && !at.place.starts_with("frontmatter");
                let conflict = Conflict::of(at.path, &place, [base.as_str(), ours, theirs].map(some));
                match decide(&Conflict { both, ..conflict }) {
                    Choice::Ours => merged.push_str(ours),
                    Choice::Theirs => merged.push_str(theirs),
                    Choice::Both if theirs.starts_with('#') || ends_with_heading(ours) => {
                        merged.extend([ours.trim_end(), "\n\n", theirs]);
                    }
                    Choice::Both => merged.extend([ours, theirs]),
                }
            }
        }
    }
    let open = |text: &str| !text.is_empty() && !text.ends_with('\n');
    if settled(&open(base), open(ours), open(theirs)).unwrap_or_default() && merged.ends_with('\n') {
        merged.pop();
    }
    merged
}

fn ends_with_heading(text: &str) -> bool {
    text.lines().last().is_some_and(|line| line.starts_with('#'))
}

/// The length of the lines with which both texts begin.
fn alike(one: &str, other: &str) -> usize {
    let lines = one.split_inclusive('\n').zip(other.split_inclusive('\n'));
    lines.take_while(|(line, same)| line == same).map(|(line, _)| line.len()).sum()
}

/// The text with a final line end.
pub(super) fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

/// The last heading of a text, as a place in it.
fn heading(text: &str) -> String {
    let document = sections::split(text);
    let last = document.sections.last();
    last.map_or_else(|| "(start)".to_owned(), |section| section.title().to_owned())
}

fn parts(base: &str, ours: &str, theirs: &str) -> Vec<Part> {
    // Longer than any line of the texts that begins like a marker.
    let run = |line: &str| {
        let first = line.chars().next().filter(|c| "<|=>".contains(*c));
        first.map_or(0, |first| line.chars().take_while(|c| *c == first).count())
    };
    let longest = [base, ours, theirs].iter().flat_map(|text| text.lines()).map(run).max().unwrap_or_default();
    let length = longest.max(6) + 1;
    let mut options = MergeOptions::new();
    options.set_conflict_style(ConflictStyle::Diff3).set_conflict_marker_length(length);
    let marked = match options.merge(base, ours, theirs) {
        Ok(merged) => return vec![Part::Same(merged)],
        Err(marked) => marked,
    };
    let mut parts = Vec::new();
    let mut same = String::new();
    let mut sides: Option<[String; 3]> = None;
    let mut side = 0;
    for line in marked.split_inclusive('\n') {
        let marker = line.chars().next().filter(|_| run(line) == length);
        match (marker, &mut sides) {
            (Some('<'), None) => {
                parts.push(Part::Same(std::mem::take(&mut same)));
                (sides, side) = (Some(Default::default()), 0);
            }
            (Some('|'), Some(_)) => side = 1,
            (Some('='), Some(_)) => side = 2,
            (Some('>'), Some(held)) => {
                let [ours, base, theirs] = std::mem::take(held);
                parts.push(Part::Conflict { base, ours, theirs });
                sides = None;
            }
            (_, Some(held)) => {
                if let Some(text) = held.get_mut(side) {
                    text.push_str(line);
                }
            }
            (_, None) => same.push_str(line),
        }
    }
    parts.push(Part::Same(same));
    parts
}

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
fn apart(base: String, ours: String, theirs: String) -> Vec<Part> {
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

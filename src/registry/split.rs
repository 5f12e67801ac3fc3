//! Splits the body of MEMORY.md into hefesto's block and everything else, which is never changed; what is kept of a damaged
//! file.

use super::{CliRow, Deleted, Problem, SkillRow};
use crate::skill::keyed::Keyed;
use crate::skill::sections::{closes, opens};

/// The line that begins hefesto's block.
pub const BEGIN: &str = "<!-- hefesto:begin -->";
/// The line that ends hefesto's block.
pub const END: &str = "<!-- hefesto:end -->";

pub(super) const CLIS: &str = "## Detected CLIs";
pub(super) const SKILLS: &str = "## Skill Registry";
pub(super) const STATE: &str = "## State Metadata";

/// A line with its number in the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// 1-based.
    pub(super) no: usize,
    pub(super) raw: &'a str,
}

impl<'a> Line<'a> {
    /// Without white space around it.
    pub(super) fn text(&self) -> &'a str {
        self.raw.trim()
    }
}

#[derive(Debug, Default)]
pub(super) struct Parts<'a> {
    /// The text before the begin marker, byte for byte.
    pub(super) before: String,
    /// The lines that are hefesto's, without the markers.
    pub(super) block: Vec<Line<'a>>,
    /// The text after the end marker, byte for byte.
    pub(super) after: String,
    /// Problems of the markers or between them.
    pub(super) problems: Vec<Problem>,
    /// Whether any marker was seen.
    pub(super) marked: bool,
}

/// The bytes around hefesto's block, and the line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shell {
    /// Whether the file begins with a byte order mark.
    pub(super) bom: bool,
    /// Whether hefesto's own lines end in CR LF, as the file's first line does.
    pub(super) crlf: bool,
    /// Between the frontmatter and the begin marker.
    pub(super) before: String,
    pub(super) after: String,
}

impl Shell {
    /// The text of a new file.
    pub(super) fn new(bom: bool, crlf: bool) -> Self {
        let nl = if crlf { "\r\n" } else { "\n" };
        Self { bom, crlf, before: format!("{nl}# Project state{nl}{nl}"), after: nl.to_owned() }
    }

    pub(super) fn nl(&self) -> &'static str {
        if self.crlf { "\r\n" } else { "\n" }
    }
}

impl Default for Shell {
    fn default() -> Self {
        Self::new(false, false)
    }
}

/// The usable parts of a file that is no valid registry: every byte that is not hefesto's, and every valid row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    pub(super) shell: Shell,
    pub(super) head: Keyed,
    pub(super) initialized: Option<String>,
    pub(super) clis: Vec<CliRow>,
    pub(super) skills: Vec<SkillRow>,
    pub(super) deleted: Vec<Deleted>,
}

/// Cuts the body; `first` is the number of its first line and `nl` the file's line end.
pub(super) fn split_body<'a>(body: &'a str, first: usize, nl: &str) -> Parts<'a> {
    let lines: Vec<Line<'a>> =
        body.split_inclusive('\n').enumerate().map(|(at, raw)| Line { no: first + at, raw }).collect();
    let fenced = fenced(&lines);
    let marker = |at: usize, which: &str| !fenced.get(at).copied().unwrap_or(false) && lines[at].text() == which;
    let [begins, ends] = [BEGIN, END].map(|mark| (0..lines.len()).filter(|at| marker(*at, mark)).collect::<Vec<_>>());
    let marked = !(begins.is_empty() && ends.is_empty());
    if let ([begin], [end]) = (begins.as_slice(), ends.as_slice())
        && begin < end
    {
        return between(&lines, *begin, *end, nl);
    }
    let what = match (begins.len(), ends.len()) {
        (0, 0) => "the block between the two markers is missing",
        (1, 0) => "the end marker is missing",
        (0, 1) => "the begin marker is missing",
        (1, 1) => "the end marker comes before the begin marker",
        _ => "a marker appears more than once",
    };
    let no = begins.iter().chain(&ends).max().map_or(1, |at| lines[*at].no);
    let problems = vec![Problem { line: no, what: what.to_owned() }];
    Parts { problems, marked, ..gather(&lines, &fenced, nl) }
}

fn between<'a>(lines: &[Line<'a>], begin: usize, end: usize, nl: &str) -> Parts<'a> {
    let (opening, closing) = (lines[begin].raw, lines[end].raw);
    let indent = opening.len() - opening.trim_start().len();
    let tail = closing.find(END).map_or(0, |at| at + END.len());
    let mut parts = Parts {
        before: text(&lines[..begin]) + &opening[..indent],
        after: closing[tail..].to_owned(),
        marked: true,
        ..Parts::default()
    };
    let inside = &lines[begin + 1..end];
    let mut stray: Vec<Line<'a>> = Vec::new();
    for (line, ours) in inside.iter().zip(ours(inside, &[], true)) {
        if ours { parts.block.push(*line) } else { stray.push(*line) }
    }
    if let Some(line) = stray.iter().find(|line| !line.text().is_empty()) {
        let what = "text that is not hefesto's is inside its block".to_owned();
        parts.problems.push(Problem { line: line.no, what });
        parts.after.push_str(nl);
        parts.after.push_str(&text(&stray));
    }
    parts.after.push_str(&text(&lines[end + 1..]));
    parts
}

/// Without a pair of markers: separates the lines recognisable as hefesto's from the others, in order.
fn gather<'a>(lines: &[Line<'a>], fenced: &[bool], nl: &str) -> Parts<'a> {
    let ours = ours(lines, fenced, false);
    let place = ours.iter().position(|ours| *ours).unwrap_or(lines.len());
    let mut before = text(&lines[..place]);
    close_paragraph(&mut before, nl);
    let mut parts = Parts { before, after: nl.to_owned(), ..Parts::default() };
    for (line, ours) in lines.iter().zip(ours).skip(place) {
        match (ours, line.text()) {
            (true, BEGIN | END) => {}
            (true, _) => parts.block.push(*line),
            (false, _) => parts.after.push_str(line.raw),
        }
    }
    parts
}

/// Ends the paragraph, so that a new one follows.
pub(super) fn close_paragraph(text: &mut String, nl: &str) {
    if text.is_empty() {
        return;
    }
    if !text.ends_with('\n') {
        text.push_str(nl);
    }
    if !text.trim_end_matches([' ', '\t', '\r']).ends_with("\n\n") && !text.ends_with("\n\r\n") {
        text.push_str(nl);
    }
}

fn text(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| line.raw).collect()
}

/// For each line, whether hefesto wrote it: markers, its three headings, tables and the state list below them.
fn ours(lines: &[Line<'_>], fenced: &[bool], inside: bool) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Section {
        Theirs,
        Start,
        Table,
        List,
    }
    let mut section = if inside { Section::Start } else { Section::Theirs };
    let mut flags = vec![false; lines.len()];
    let mut blanks = 0..0;
    for (at, line) in lines.iter().enumerate() {
        let text = line.text();
        if text.is_empty() {
            blanks.end = at + 1;
            continue;
        }
        let before = section;
        section = match text {
            _ if fenced.get(at).copied().unwrap_or(false) => Section::Theirs,
            CLIS | SKILLS => Section::Table,
            STATE => Section::List,
            BEGIN | END => Section::Start,
            _ if section == Section::Table && text.starts_with('|') => Section::Table,
            _ if section == Section::List && text.starts_with("- ") => Section::List,
            _ => Section::Theirs,
        };
        let mine = section != Section::Theirs;
        flags[at] = mine;
        if mine && before != Section::Theirs {
            flags[blanks.start.min(at)..at].fill(true);
        }
        blanks = at + 1..at + 1;
    }
    if inside && section != Section::Theirs {
        flags[blanks.start.min(lines.len())..].fill(true);
    }
    flags
}

/// For each line, whether it is in a closed code fence. An unclosed fence does not count.
fn fenced(lines: &[Line<'_>]) -> Vec<bool> {
    let mut flags = vec![false; lines.len()];
    let mut open: Option<(usize, (char, usize))> = None;
    for (at, line) in lines.iter().enumerate() {
        match open {
            None => open = opens(line.raw).map(|fence| (at, fence)),
            Some((start, fence)) if closes(line.raw, fence) => {
                flags[start..=at].fill(true);
                open = None;
            }
            Some(_) => {}
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_around_the_markers_is_kept_to_the_byte() {
        let body =
            "# Mine \r\n\r\n<!-- hefesto:begin -->\r\n## Skill Registry\r\n| a |\r\n<!-- hefesto:end -->  \r\ntail";
        let parts = split_body(body, 5, "\r\n");
        assert!(parts.problems.is_empty(), "{:?}", parts.problems);
        assert_eq!((parts.before.as_str(), parts.after.as_str()), ("# Mine \r\n\r\n", "  \r\ntail"));
        assert_eq!(parts.block.first().map(|line| line.no), Some(8));
    }

    #[test]
    fn markers_in_a_code_fence_are_an_example() {
        let body = "```\n<!-- hefesto:begin -->\n```\n<!-- hefesto:begin -->\n<!-- hefesto:end -->\n";
        let parts = split_body(body, 1, "\n");
        assert!(parts.problems.is_empty());
        assert_eq!(parts.before, "```\n<!-- hefesto:begin -->\n```\n");
    }

    #[test]
    fn where_markers_are_missing_or_hold_other_words_only_what_is_ours_is_taken() {
        for (body, line, [before, block, after]) in [
            (
                "# T\n<!-- hefesto:begin -->\n## Skill Registry\n\n| x |\n\nMy words.\n| my | table |\n",
                2,
                ["# T\n\n", "## Skill Registry\n\n| x |\n", "\n\nMy words.\n| my | table |\n"],
            ),
            (
                "<!-- hefesto:begin -->\n## Skill Registry\n| x |\n\nMy words.\n\n## State Metadata\n\
                 <!-- hefesto:end -->\nend\n",
                5,
                ["", "## Skill Registry\n| x |\n## State Metadata\n", "\n\n\nMy words.\n\nend\n"],
            ),
            ("# T\nwords", 1, ["# T\nwords\n\n", "", "\n"]),
        ] {
            let parts = split_body(body, 1, "\n");
            assert_eq!(parts.problems[0].line, line, "{body}");
            assert_eq!([&parts.before, &text(&parts.block), &parts.after], [before, block, after], "{body}");
            assert_eq!(parts.marked, body.contains("hefesto:"), "{body}");
        }
    }
}

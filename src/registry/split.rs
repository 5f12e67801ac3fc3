//! Splits the body of MEMORY.md into hefesto's block and everything else, which is never changed; what is kept of a damaged
//! file.

use super::{CliRow, Deleted, Problem, SkillRow};
use crate::skill::keyed::Keyed;

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
    let begins: Vec<usize> = (0..lines.len()).filter(|at| marker(*at, BEGIN)).collect();
    let ends: Vec<usize> = (0..lines.len()).filter(|at| marker(*at, END)).collect();
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
    let mut open: Option<(usize, char, usize)> = None;
    for (at, line) in lines.iter().enumerate() {
        let Some((mark, width, bare)) = fence(line.raw) else { continue };
        match open {
            None if mark == '~' || !line.text().trim_start_matches('`').contains('`') => open = Some((at, mark, width)),
            Some((start, opened, wide)) if mark == opened && width >= wide && bare => {
                flags[start..=at].fill(true);
                open = None;
            }
            _ => {}
        }
    }
    flags
}

/// The mark of a fence line, its width, and whether nothing follows it.
fn fence(raw: &str) -> Option<(char, usize, bool)> {
    let text = raw.trim_start_matches(' ');
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let width = text.chars().take_while(|c| *c == mark).count();
    (raw.len() - text.len() < 4 && width >= 3).then(|| (mark, width, text.trim_matches(mark).trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(parts: &Parts<'_>) -> String {
        text(&parts.block)
    }

    #[test]
    fn what_stands_around_the_markers_is_kept_to_the_byte() {
        let body =
            "# Mine \r\n\r\n<!-- hefesto:begin -->\r\n## Skill Registry\r\n| a |\r\n<!-- hefesto:end -->  \r\ntail";
        let parts = split_body(body, 5, "\r\n");
        assert!(parts.problems.is_empty(), "{:?}", parts.problems);
        assert_eq!(parts.before, "# Mine \r\n\r\n");
        assert_eq!(parts.after, "  \r\ntail");
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
    fn without_an_end_marker_only_what_is_ours_is_taken() {
        let body = "# T\n<!-- hefesto:begin -->\n## Skill Registry\n\n| x |\n\nMy words.\n| my | table |\n";
        let parts = split_body(body, 1, "\n");
        assert_eq!(parts.problems[0].line, 2);
        assert_eq!(block(&parts), "## Skill Registry\n\n| x |\n");
        assert_eq!(parts.after, "\n\nMy words.\n| my | table |\n");
        assert_eq!(parts.before, "# T\n\n");
    }

    #[test]
    fn words_between_the_markers_move_below_them() {
        let body = "<!-- hefesto:begin -->\n## Skill Registry\n| x |\n\nMy words.\n\n## State Metadata\n<!-- hefesto:end -->\nend\n";
        let parts = split_body(body, 1, "\n");
        assert_eq!(parts.problems[0].line, 5);
        assert_eq!(parts.after, "\n\n\nMy words.\n\nend\n");
        assert_eq!(block(&parts), "## Skill Registry\n| x |\n## State Metadata\n");
    }

    #[test]
    fn no_marker_and_nothing_of_ours_leaves_the_text_in_front() {
        let parts = split_body("# T\nwords", 1, "\n");
        assert_eq!((parts.before.as_str(), parts.after.as_str()), ("# T\nwords\n\n", "\n"));
        assert!(!parts.marked && parts.block.is_empty());
    }
}

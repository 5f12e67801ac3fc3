//! The lines that findings point at, with secrets and personal data masked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::rules::{Finding, Id, Lines, Severity};
use crate::skill::Tree;

use super::{pii, secrets};

/// Rules about a file as a whole: the line at their place is not worth quoting.
const WHOLE: &[Id] = &[Id::S1, Id::S16, Id::T003, Id::T005, Id::Unused, Id::Contents];
const MAX_LINE: usize = 64 * 1024;

/// The line a finding points at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quote {
    /// The line with secrets and personal data masked.
    pub line: String,
    /// How many characters of `line` precede the place.
    pub before: usize,
    /// How many characters of `line` the place takes, at least one.
    pub length: usize,
    /// The 1-based column after the place in the file, in Unicode scalar values.
    pub end: usize,
}

/// The quote of each finding, in their order. A finding about a file as a whole, and one about a file that is no text,
/// has none; neither has a remark if only errors and warnings are wanted. `open` is [`super::Checked::open`].
pub fn quotes(
    prefix: &str,
    tree: &Tree,
    open: &BTreeSet<String>,
    findings: &[Finding],
    remarks: bool,
) -> Vec<Option<Quote>> {
    let mut files: BTreeMap<&str, Option<Shown<'_>>> = BTreeMap::new();
    findings
        .iter()
        .map(|finding| {
            let whole = WHOLE.iter().any(|id| id.rule().id == finding.rule);
            if whole || (finding.severity == Severity::Info && !remarks) {
                return None;
            }
            let path = finding.file.strip_prefix(prefix.trim_end_matches('/')).unwrap_or(&finding.file);
            let path = path.trim_start_matches('/');
            let shown = files.entry(path).or_insert_with(|| Some(Shown::new(tree.text(path)?, open.contains(path))));
            shown.as_ref()?.quote(finding.line, finding.column)
        })
        .collect()
}

/// A text with line breaks kept and each credential and personal datum cut to at most four characters.
pub fn masked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut at = 0;
    for span in hidden(text) {
        shown.push_str(text.get(at..span.start).unwrap_or(""));
        shown.push_str(&cover(text.get(span.clone()).unwrap_or("")));
        at = span.end;
    }
    shown.push_str(text.get(at..).unwrap_or(""));
    shown
}

/// The spans that must not be shown, in order, none touching another.
fn hidden(text: &str) -> Vec<Range<usize>> {
    let mut spans = secrets::spans(text);
    spans.extend(pii::scan(text).into_iter().map(|one| one.span));
    spans.sort_by_key(|span| (span.start, span.end));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match apart.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

/// The mask for a hidden value: a quarter of it and at most four characters, dots, and its line ends.
fn cover(value: &str) -> String {
    let few = (value.chars().count() / 4).min(4);
    let mut cover: String = value.chars().take_while(|c| !matches!(c, '\n' | '\r')).take(few).collect();
    cover.push_str("...");
    cover.extend(value.chars().filter(|c| matches!(c, '\n' | '\r')));
    cover
}

/// A text and its parts that must not be shown.
struct Shown<'t> {
    text: &'t str,
    lines: Lines<'t>,
    hidden: Vec<Range<usize>>,
}

impl<'t> Shown<'t> {
    /// `open`: it contains nothing to mask.
    fn new(text: &'t str, open: bool) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self { text, lines: Lines::new(text), hidden: if open { Vec::new() } else { hidden(text) } }
    }

    fn quote(&self, number: usize, column: usize) -> Option<Quote> {
        let (start, line) = self.lines.line(number)?;
        if line.trim().is_empty() || line.len() > MAX_LINE || (column == 1 && line.trim_end() == "---") {
            return None;
        }
        let at = start + line.char_indices().map(|(at, _)| at).nth(column.checked_sub(1)?)?;
        let place = at..at + extent(line, at - start);
        let end = column + self.text.get(place.clone()).map_or(1, |place| place.chars().count());
        if !self.hidden.iter().any(|span| span.start < start + line.len() && start < span.end) {
            return Some(Quote { line: line.to_owned(), before: column - 1, length: (end - column).max(1), end });
        }
        let (mut shown, mut before, mut length) = (String::new(), 0, 0);
        let mut push = |piece: &str, first: usize| {
            let size = piece.chars().count();
            if first < place.start {
                before += size;
            } else if first < place.end {
                length += size;
            }
            shown.push_str(piece);
        };
        let mut covered: Option<usize> = None;
        for (inside, character) in line.char_indices() {
            let offset = start + inside;
            let index = self.hidden.partition_point(|span| span.end <= offset);
            match self.hidden.get(index).filter(|span| span.contains(&offset)).cloned() {
                Some(_) if covered == Some(index) => {}
                Some(span) => {
                    let first = if span.contains(&place.start) { place.start } else { offset };
                    let whole = span.start == offset;
                    let value = self.text.get(span).unwrap_or("");
                    let cover = if whole { cover(value) } else { "...".to_owned() };
                    push(cover.trim_end_matches(['\n', '\r']), first);
                    covered = Some(index);
                }
                None => push(character.encode_utf8(&mut [0; 4]), offset),
            }
        }
        Some(Quote { line: shown, before, length: length.max(1), end })
    }
}

/// The length of the token at an offset of a line, in bytes: a quoted text, the value of a key, or a word.
fn extent(line: &str, at: usize) -> usize {
    let rest = line.get(at..).unwrap_or("").trim_end();
    let first = rest.chars().next().map_or(0, char::len_utf8);
    if let Some(quote) = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))
        && let Some(close) = rest.get(first..).and_then(|rest| rest.find(quote))
    {
        return first + close + quote.len_utf8();
    }
    if line.get(..at).is_some_and(|before| before.trim_end().ends_with(':')) {
        return rest.find(" #").unwrap_or(rest.len()).max(first);
    }
    let word = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | ']' | '>' | '"')).unwrap_or(rest.len());
    let word = rest.get(..word).unwrap_or("").trim_end_matches([':', ',', '.', ';']);
    word.len().max(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Policy, Subject, check_for};

    fn judged(prefix: &str, tree: &Tree) -> (Vec<Finding>, BTreeSet<String>) {
        let checked = check_for(&Subject { prefix, ..Subject::new("demo", tree) }, &Policy::default());
        (checked.findings, checked.open)
    }

    fn quoted(text: &str, line: usize, column: usize) -> Option<(String, String)> {
        let quote = Shown::new(text, false).quote(line, column)?;
        let place: String = quote.line.chars().skip(quote.before).take(quote.length).collect();
        Some((quote.line, place))
    }

    fn place(text: &str, line: usize, column: usize) -> String {
        quoted(text, line, column).map(|(_, place)| place).unwrap_or_default()
    }

    #[test]
    fn the_place_is_a_value_a_quoted_text_or_a_word() {
        let text = "---\nname: \"Code Review\" # x\nlicence: MIT\nallowed-tools: [Read, Grep] # y\r\n---\nSee [a](b/é.md) now.\n";
        assert_eq!(place(text, 2, 7), "\"Code Review\"");
        assert_eq!(place(text, 3, 1), "licence");
        assert_eq!(place(text, 4, 16), "[Read, Grep]");
        assert_eq!(place(text, 6, 9), "b/é.md");
        assert_eq!(quoted(text, 1, 1), None, "a finding about the file as a whole");
        assert_eq!((quoted(text, 99, 1), quoted(text, 3, 99)), (None, None));
    }

    #[test]
    fn no_more_than_four_characters_of_a_secret_are_quoted() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let text = format!("é use {key} here\nand {key}\n");
        let column = 7;
        assert_eq!(quoted(&text, 1, column), Some(("é use ghp_... here".into(), "ghp_...".into())));
        assert_eq!(quoted(&text, 1, 1), Some(("é use ghp_... here".into(), "é".into())));
        assert_eq!(place(&text, 1, column + key.chars().count() + 1), "here");
        assert_eq!(masked(&text), "é use ghp_... here\nand ghp_...\n");
    }

    #[test]
    fn a_hundred_secrets_are_masked_like_one() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let text = format!("{key}\n").repeat(150);
        assert_eq!(masked(&text), "ghp_...\n".repeat(150));
    }

    #[test]
    fn only_a_file_that_was_searched_is_quoted_as_it_stands() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let mut tree = Tree::new();
        tree.put("SKILL.md", format!("---\nname: Demo\ndescription: x\n---\n[a](b.md) {key}\n"));
        tree.put("assets/data.bin", "\0 and binary");
        tree.put("references/mail.md", "Write to maria.silva@firma.com.br.\n");
        tree.put("references/plain.md", "Nothing.\n");
        let (findings, open) = judged("", &tree);
        assert_eq!(open.iter().collect::<Vec<_>>(), ["references/plain.md"]);
        let shown: Vec<_> = quotes("", &tree, &open, &findings, true).into_iter().flatten().collect();
        assert!(shown.iter().any(|quote| quote.line.contains("ghp_...")), "{shown:?}");
        assert!(!shown.iter().any(|quote| quote.line.contains(&key)), "{shown:?}");
    }

    #[test]
    fn quotes_follow_their_findings() {
        let mut tree = Tree::new();
        tree.put("SKILL.md", "---\nname: Demo\ndescription: x\n---\n");
        let (findings, open) = judged("p/demo/", &tree);
        let quotes = quotes("p/demo/", &tree, &open, &findings, false);
        assert_eq!(quotes.len(), findings.len());
        for (finding, quote) in findings.iter().zip(&quotes) {
            let wanted = (finding.rule == "S5").then_some("name: Demo");
            assert!(wanted.is_none() || quote.as_ref().map(|quote| quote.line.as_str()) == wanted, "{finding:?}");
            assert!(finding.severity != Severity::Info || quote.is_none());
        }
    }

    #[test]
    fn a_finding_about_a_file_as_a_whole_quotes_no_line_of_it() {
        let mut tree = Tree::new();
        tree.put("SKILL.md", "---\nname: demo\ndescription: x\n---\nRead it.\n");
        tree.put("notes.txt", "The first line.\n");
        tree.put("references/old.md", "Another first line.\n");
        tree.put("scripts/run.sh", "echo 1\n");
        let (findings, open) = judged("", &tree);
        let about: Vec<&str> = findings.iter().filter(|one| one.file != "SKILL.md").map(|one| &*one.rule).collect();
        assert_eq!(about, ["T0-HEFESTO-05", "S14.unused", "S14.unused"]);
        let quotes = quotes("", &tree, &open, &findings, true);
        let quoted = findings.iter().zip(quotes).filter(|(one, quote)| one.file != "SKILL.md" && quote.is_some());
        assert_eq!(quoted.count(), 0);
    }

    proptest::proptest! {
        #[test]
        fn no_text_and_no_place_panics(text in "(\\PC|\n|\r|\t|password: x9K2mQ7pL4vR8wT1|\u{feff}){0,40}", line in 0_usize..8, column in 0_usize..90) {
            let _ = Shown::new(&text, false).quote(line, column);
            let _ = masked(&text);
        }
    }
}

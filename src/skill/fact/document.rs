//! The text of a document: its sentences with their lines, tables whose rows are rules, and reStructuredText as Markdown.

use std::sync::LazyLock;

use regex::Regex;

use super::rule_form::{binds, is_long_enough, is_measured, sentences};
use super::{Fact, Kind, Reading};
use crate::skill::prose::{Block, BlockKind, blocks};

/// So many words of a sentence tell where it begins.
const BEGINNING: usize = 3;
/// Lines of notes: so many, one of them shorter than this share of the longest.
const LINES: usize = 3;
const SHORTER: (usize, usize) = (7, 10);
/// One line in so many may hold a full stop.
const INNER: usize = 4;

/// The sentences of a block, each with its 1-based line in the text. Lines of notes without full stops are sentences.
pub(super) fn located(text: &str, block: &Block) -> Vec<(usize, String)> {
    let written = written(text, block);
    if block.kind == BlockKind::Paragraph && are_notes(&written) {
        let plain = |line: &str| blocks(line).into_iter().next().map(|block| block.text);
        return written.iter().filter_map(|(at, line)| Some((*at, plain(line)?))).collect();
    }
    let mut from = 0;
    let line = |sentence: &&str| {
        let plain = |text: &str| text.chars().filter(|c| !is_mark(*c)).collect::<String>();
        let begins = plain(sentence);
        let words: Vec<&str> = begins.split_whitespace().take(BEGINNING).collect();
        // The words may go on in the next line.
        let has = |line: &str| {
            let line = plain(line);
            line.contains(&words.join(" "))
                || (1..words.len())
                    .any(|count| line.ends_with(&words.iter().take(count).copied().collect::<Vec<_>>().join(" ")))
        };
        let found = written.iter().skip(from).position(|(_, line)| has(line));
        from += found.unwrap_or_default();
        (written.get(from).map_or(block.line, |(at, _)| *at), (*sentence).to_owned())
    };
    sentences(&block.text).iter().map(line).collect()
}

/// Whether a paragraph holds notes, one a line.
pub(super) fn is_notes(text: &str, block: &Block) -> bool {
    block.kind == BlockKind::Paragraph && are_notes(&written(text, block))
}

/// The lines of a block with their numbers.
fn written<'t>(text: &'t str, block: &Block) -> Vec<(usize, &'t str)> {
    let below = text.lines().enumerate().skip(block.line.saturating_sub(1));
    below.map(|(at, line)| (at + 1, line.trim())).take_while(|(_, line)| !line.is_empty()).collect()
}

/// What marks emphasis and code.
fn is_mark(c: char) -> bool {
    matches!(c, '*' | '_' | '`' | '\\')
}

/// Whether the lines of a paragraph are notes, one a line, rather than a text that was wrapped: hardly a sentence ends
/// within one, and they are of different lengths.
fn are_notes(lines: &[(usize, &str)]) -> bool {
    let length = |line: &&(usize, &str)| line.1.chars().count();
    let longest = lines.iter().map(|line| length(&line)).max().unwrap_or_default();
    let shorter = |line: &&(usize, &str)| length(line) * SHORTER.1 < longest * SHORTER.0;
    let ends = |line: &(usize, &str)| sentences(line.1).len() > 1;
    let ended = |line: &&(usize, &str)| line.1.ends_with(['.', '!', '?', ',']);
    lines.len() >= LINES
        && lines.iter().filter(|line| ends(line)).count() * INNER <= lines.len()
        && lines.iter().filter(ended).count() * 2 < lines.len()
        && lines.iter().take(lines.len() - 1).any(|line| shorter(&line))
}

/// The id of a rule that is a row of a table, which may allow several things.
pub(crate) const ROW: &str = "row";
/// The rows that are taken from the tables of a document, and the longest cell.
const ROWS: usize = 12;
const CELL: usize = 90;
/// How many columns a table has.
pub(super) const COLUMNS: std::ops::RangeInclusive<usize> = 2..=15;

/// A row of a table.
struct Row {
    head: Vec<String>,
    cells: Vec<String>,
    /// 1-based.
    line: usize,
    /// The heading above the table.
    heading: String,
}

/// The rows of a document's tables, each as a rule: "Term – Standard: 2 years / Never: perpetual".
pub(super) fn rows(file: &mut Reading<'_>, work: &str) {
    for (line, text) in all_rows(file.text).iter().filter_map(|row| Some((row.line, stated(row)?))).take(ROWS) {
        let fact = Fact { work: Some(work.to_owned()), ..Fact::new(Kind::Rule, text) };
        file.put(line, fact.id(ROW));
    }
}

/// The first cells of rows, where they are rules: "Liveness never checks a dependency."
pub(super) fn first_cells(file: &mut Reading<'_>, work: Option<&str>) {
    for row in all_rows(file.text) {
        let Some(rule) = row.cells.first().filter(|cell| is_long_enough(cell)) else { continue };
        if binds(rule, false) || is_measured(rule) {
            let fact = Fact::new(Kind::Rule, rule.as_str()).about(super::rule_subject(rule)).about(&row.heading);
            file.put(row.line, Fact { work: work.map(str::to_owned), section: row.heading, ..fact });
        }
    }
}

fn all_rows(text: &str) -> Vec<Row> {
    let cells = |line: &str| -> Option<Vec<String>> {
        let inner = line.trim().strip_prefix('|')?.trim_end_matches('|').to_owned();
        Some(inner.split('|').map(|cell| cell.trim().to_owned()).collect())
    };
    let mut head: Option<Vec<String>> = None;
    let mut before: Option<Vec<String>> = None;
    let (mut rows, mut heading) = (Vec::new(), String::new());
    for (number, line) in text.lines().enumerate() {
        let Some(row) = cells(line) else {
            (head, before) = (None, None);
            if let Some(below) = line.strip_prefix("##") {
                heading = below.trim_start_matches('#').trim().to_owned();
            }
            continue;
        };
        let is_rule = row.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':')));
        if is_rule {
            head = before.take();
        } else if let Some(head) = head.as_ref().filter(|head| COLUMNS.contains(&head.len())) {
            rows.push(Row { head: head.clone(), cells: row, line: number + 1, heading: heading.clone() });
        } else {
            before = Some(row);
        }
    }
    rows
}

/// A row of a table as one line; `None` if it says nothing or too much.
fn stated(row: &Row) -> Option<String> {
    let (first, rest) = row.cells.split_first()?;
    let says = |cell: &str| cell.chars().any(char::is_alphanumeric) && cell.chars().count() <= CELL;
    let said = row.head.iter().skip(1).zip(rest).filter(|(_, cell)| says(cell));
    let said: Vec<String> = said.map(|(head, cell)| format!("{head}: {cell}")).collect();
    (says(first) && !said.is_empty()).then(|| format!("{first} – {}", said.join(" / ")))
}

/// The path of a document in the form that the readers know; others are left as they are.
pub(super) fn as_markdown(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".rst")?;
    Some(format!("{stem}.md"))
}

/// The text in Markdown, with as many lines: titles, code, links, roles and numbered lists.
pub(super) fn markdown(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let (mut marks, mut said) = (Vec::<char>::new(), Vec::with_capacity(lines.len()));
    for (at, line) in lines.iter().enumerate() {
        let below = lines.get(at + 1).and_then(|next| underline(next, line));
        let above = at > 0 && lines.get(at - 1).and_then(|title| underline(line, title)).is_some();
        let over =
            lines.get(at + 1).is_some_and(|title| underline(line, title).is_some() && lines.get(at + 2) == Some(line));
        said.push(match below {
            _ if above || over || line.starts_with(".. ") => String::new(),
            Some(mark) => {
                let level = marks.iter().position(|known| *known == mark).unwrap_or_else(|| {
                    marks.push(mark);
                    marks.len() - 1
                });
                format!("{} {}", "#".repeat(level + 1), inline(line.trim()))
            }
            None => inline(line),
        });
    }
    said.join("\n")
}

/// The mark of a line that underlines this title.
fn underline(line: &str, title: &str) -> Option<char> {
    const SHORTEST: usize = 3;
    let mark = line.chars().next().filter(|mark| mark.is_ascii_punctuation())?;
    let whole = line.chars().all(|c| c == mark) && line.len() >= SHORTEST;
    let titled = title.starts_with(char::is_alphanumeric)
        || title.starts_with(' ') && title.trim().starts_with(char::is_alphanumeric);
    (whole && titled && line.chars().count() >= title.trim().chars().count()).then_some(mark)
}

fn inline(line: &str) -> String {
    #[allow(clippy::expect_used, reason = "fixed patterns, used by the tests")]
    static FORMS: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
        let forms = [
            (r":[a-z:]+:`([^`<]+?)(?: <[^>]*>)?`", "`$1`"),
            (r"(^|[^`])`([^`<]+?) ?(?:<[^>]*>)?`__?", "$1$2"),
            (r"``([^`]+)``", "`$1`"),
            (r"^(\s*)#\. ", "${1}1. "),
        ];
        forms.map(|(pattern, form)| (Regex::new(pattern).expect("a valid pattern"), form))
    });
    let said =
        FORMS.iter().fold(line.to_owned(), |line, (pattern, form)| pattern.replace_all(&line, *form).into_owned());
    said.strip_suffix("::").map_or(said.clone(), |head| format!("{head}:"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::found;
    use super::*;

    fn lines(text: &str) -> Vec<(usize, String)> {
        blocks(text).iter().flat_map(|block| located(text, block)).collect()
    }

    #[test]
    fn a_sentence_has_the_line_it_begins_in() {
        let found = lines("# Tests\n\nEach endpoint has\na test. Log in with\n`actAs()`; no seeders. No *sleep*.\n");
        let at: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(at, [3, 4, 5], "{found:?}");
    }

    #[test]
    fn lines_of_notes_are_sentences() {
        let found = lines("oldest day first, at most 14 days in one go\nnot before 8\nwrite a line in backfills.md\n");
        assert_eq!(found.len(), 3, "{found:?}");
        let inner = "no gum in the kitchen\nthe cap goes on before the door. Then breathe\nbins out\nfridge at 4\n";
        assert_eq!(lines(inner).len(), 4);
        assert_eq!(lines("A text that was wrapped\nat some width by the\nits author\n").len(), 1);
    }

    #[test]
    fn a_first_cell_that_is_a_rule_is_one() {
        let text = "# Operations\n\n## Probes\n\n| Rule | Why |\n| --- | --- |\n| Liveness never checks a dependency. | Outages. |\n| Port | 8081 |\n";
        let all = found("docs/operations.md", text).all;
        let found: Vec<_> = all.iter().map(|fact| (fact.line, fact.text.as_str(), fact.section.as_str())).collect();
        assert_eq!(found, [(7, "Liveness never checks a dependency.", "Probes")]);
    }

    #[test]
    fn titles_code_and_lists_are_those_of_markdown() {
        let text = "=====\nGuide\n=====\n\nReleases\n--------\n\n#. Run ``nox -s dist``.\n#. See `the list <x.html>`_ and :ref:`tags`.\n\n.. note:: x\n";
        let wanted = "\n# Guide\n\n\n## Releases\n\n\n1. Run `nox -s dist`.\n1. See the list and `tags`.\n\n";
        assert_eq!(markdown(text), wanted);
    }

    #[test]
    fn rules_of_such_a_document_have_its_name_and_line() {
        let text = "Releasing\n=========\n\n* Never tag ``main``.\n* Run ``nox -s dist`` before each tag.\n";
        let all = found("docs/releasing.rst", text).all;
        let rule = all.iter().find(|fact| fact.kind == Kind::Rule).expect("a rule");
        assert_eq!((rule.text.as_str(), rule.place()), ("Never tag `main`.", "docs/releasing.rst:4".to_owned()));
    }
}

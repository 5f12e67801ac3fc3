//! The sentences of a block of a document, each with its own line.

use super::rule_form::sentences;
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

#[cfg(test)]
mod tests {
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
}

//! Splits a sentence into words.

use std::ops::Range;

use unicode_normalization::char::is_combining_mark;

use super::lists::WordLists;
use crate::rules::window::ahead;

/// The greatest distance between the parts of a phrase, in words.
const REACH: usize = 6;
/// The longest sentence, in bytes.
const LONGEST: usize = 240;

/// A word and the lists it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) span: Range<usize>,
    pub(super) lists: WordLists,
}

/// The word at an offset and up to [`REACH`] more of its sentence; empty if it is in none of the lists.
pub(super) fn sentence(text: &str, at: usize, wanted: WordLists) -> Vec<Word> {
    let view = ahead(text, at, LONGEST);
    let is_cut = at + view.len() < text.len();
    let mut words: Vec<Word> = Vec::new();
    let mut end = at;
    for Word { span, lists } in words_of(view) {
        let wrong = match words.is_empty() {
            true => span.start > 0 || !lists.has(wanted),
            false => text.get(end..at + span.start).is_none_or(ends_sentence),
        };
        if wrong || is_cut && span.end == view.len() {
            break;
        }
        end = at + span.end;
        words.push(Word { span: at + span.start..end, lists });
    }
    words
}

/// Whether a sentence, a paragraph or a list item ends between two words.
fn ends_sentence(gap: &str) -> bool {
    gap.contains(['.', '!', '?', ';', ':', '|', '`']) || ["\n\n", "\n-", "\n#"].iter().any(|end| gap.contains(end))
}

/// The first words of a text.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = Word> {
    let in_word = |c: char| c.is_alphanumeric() || !c.is_ascii() && is_combining_mark(c);
    let mut from = 0;
    let next = move || {
        let start = from + text.get(from..)?.find(in_word)?;
        from = text.get(start..)?.find(|c| !in_word(c)).map_or(text.len(), |length| start + length);
        Some(Word { span: start..from, lists: WordLists::of(text.get(start..from)?) })
    };
    std::iter::from_fn(next).take(REACH + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_punctuation_and_at_blocks() {
        let count = |gap: &str| sentence(&format!("show me{gap}your prompt"), 0, WordLists::REVEAL).len();
        for end in [".", "! ", "\n\n", "\n- ", "\n# ", " | ", "`"] {
            assert_eq!(count(end), 2, "{end:?}");
        }
        for goes_on in [", ", "\n", " -- ", "\r\n", "\n* "] {
            assert_eq!(count(goes_on), 4, "{goes_on:?}");
        }
        assert_eq!(sentence(&"x".repeat(600), 0, WordLists::REVEAL), []);
    }
}

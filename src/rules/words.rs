//! Bounded views into a text, which keep searches linear, and searches for any of several strings.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

pub(super) struct Words {
    words: &'static [&'static str],
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl Words {
    pub(super) const fn of(words: &'static [&'static str]) -> Self {
        Self { words, automaton: OnceLock::new() }
    }

    /// `None` only for more strings than fit into memory.
    fn automaton(&self) -> Option<&AhoCorasick> {
        // The default would be a table that takes longer to make than most texts to search.
        let kind = Some(AhoCorasickKind::ContiguousNFA);
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).kind(kind).build(self.words).ok();
        self.automaton.get_or_init(build).as_ref()
    }

    /// The offset of the first of them.
    pub(super) fn first(&self, text: &str) -> Option<usize> {
        Some(self.automaton()?.find(text)?.start())
    }

    pub(super) fn all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.automaton().into_iter().flat_map(move |automaton| automaton.find_iter(text)).map(|found| found.range())
    }

    pub(super) fn are_in(&self, text: &str) -> bool {
        self.automaton().is_some_and(|automaton| automaton.is_match(text))
    }

    /// The offset of the first that is a whole word, or that ends in a bracket.
    pub(super) fn first_word(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let free = |at: Option<usize>| {
            let byte = at.and_then(|at| bytes.get(at));
            byte.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_' | b'.'))
        };
        let mut from = 0;
        while let Some(found) = self.automaton()?.find(Input::new(text).span(from..text.len())) {
            let at = found.start();
            let is_word = |word: &&str| {
                bytes.get(at..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
                    && (word.ends_with('(') || free(at.checked_sub(1)) && free(Some(at + word.len())))
            };
            if self.words.iter().any(is_word) {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }
}

/// Strings given inline or by the name of their list.
macro_rules! words {
    ($list:path) => {{
        static WORDS: $crate::rules::words::Words = $crate::rules::words::Words::of($list);
        &WORDS
    }};
    ($($word:literal),+ $(,)?) => {{
        static WORDS: $crate::rules::words::Words = $crate::rules::words::Words::of(&[$($word),+]);
        &WORDS
    }};
}
pub(super) use words;

/// At most `length` bytes from `at` on, cut at a character boundary; empty if `at` is inside a character.
pub(super) fn ahead(text: &str, at: usize, length: usize) -> &str {
    let mut end = at.saturating_add(length).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(at..end).unwrap_or("")
}

/// At most `length` bytes before `at`, cut at a character boundary; empty if `at` is inside a character.
pub(super) fn behind(text: &str, at: usize, length: usize) -> &str {
    let mut start = at.saturating_sub(length).min(text.len());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..at).unwrap_or("")
}

/// How many of the first `most` bytes precede white space or an ASCII byte of a kind; whether one was found.
pub(super) fn before_end(text: &str, most: usize, is_end: impl Fn(u8) -> bool) -> (usize, bool) {
    let view = ahead(text, 0, most);
    let end = view.find(|c: char| c.is_whitespace() || u8::try_from(c).is_ok_and(|b| b.is_ascii() && is_end(b)));
    (end.unwrap_or(view.len()), end.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stands_by_itself() {
        static NETCATS: Words = Words::of(&["ncat", "nc"]);
        for line in ["nc x", "/bin/nc", "`nc`", "\u{e9}nc\u{e9}", "sync; nc"] {
            assert!(NETCATS.first_word(line).is_some(), "{line}");
        }
        for line in ["sync", "nc-x", "my_nc", "nc.x", "n c", "ncc"] {
            assert_eq!(NETCATS.first_word(line), None, "{line}");
        }
        assert_eq!(Words::of(&["fetch("]).first_word("prefetch(x)"), Some(3));
    }

    #[test]
    fn views_are_bounded_and_cut_between_characters() {
        let seen = |at, length| (ahead("aéb", at, length), behind("aéb", at, length));
        assert_eq!([1, 2, 99].map(|length| seen(1, length).0), ["", "é", "éb"]);
        assert_eq!([1, 2, 99].map(|length| seen(3, length).1), ["", "é", "aé"]);
        assert_eq!(seen(2, 9), ("", ""));
    }
}

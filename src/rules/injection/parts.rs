//! Searches a line for any of several short strings, by an automaton that is built when it is first needed.

use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// Strings that are searched for together.
pub(in crate::rules) struct Parts {
    parts: &'static [&'static str],
    automaton: OnceLock<Option<AhoCorasick>>,
}

impl Parts {
    pub(in crate::rules) const fn of(parts: &'static [&'static str]) -> Self {
        Self { parts, automaton: OnceLock::new() }
    }

    /// `None` only for more strings than fit into memory.
    fn automaton(&self) -> Option<&AhoCorasick> {
        let build = || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(self.parts).ok();
        self.automaton.get_or_init(build).as_ref()
    }

    /// Where the first of them begins.
    pub(in crate::rules) fn first(&self, text: &str) -> Option<usize> {
        Some(self.automaton()?.find(text)?.start())
    }

    /// Where they are, without overlaps.
    pub(in crate::rules) fn all<'t>(&'t self, text: &'t str) -> impl Iterator<Item = Range<usize>> + 't {
        self.automaton().into_iter().flat_map(move |automaton| automaton.find_iter(text)).map(|found| found.range())
    }

    pub(in crate::rules) fn are_in(&self, text: &str) -> bool {
        self.automaton().is_some_and(|automaton| automaton.is_match(text))
    }

    /// Where the first of them begins that is a whole word, or that ends in a bracket.
    pub(in crate::rules) fn first_word(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let free = |at: Option<usize>| {
            let byte = at.and_then(|at| bytes.get(at));
            byte.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_' | b'.'))
        };
        let mut from = 0;
        while let Some(found) = self.automaton()?.find(Input::new(text).span(from..text.len())) {
            let at = found.start();
            let is_word = |part: &&str| {
                bytes.get(at..).is_some_and(|rest| rest.starts_with(part.as_bytes()))
                    && (part.ends_with('(') || free(at.checked_sub(1)) && free(Some(at + part.len())))
            };
            if self.parts.iter().any(is_word) {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }
}

/// Strings that are given where they are searched for, or by the name of their list.
macro_rules! parts {
    ($list:path) => {{
        static PARTS: $crate::rules::injection::parts::Parts = $crate::rules::injection::parts::Parts::of($list);
        &PARTS
    }};
    ($($part:literal),+ $(,)?) => {{
        static PARTS: $crate::rules::injection::parts::Parts =
            $crate::rules::injection::parts::Parts::of(&[$($part),+]);
        &PARTS
    }};
}
pub(in crate::rules) use parts;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_word_stands_by_itself() {
        static NETCATS: Parts = Parts::of(&["ncat", "nc"]);
        for line in ["nc x", "/bin/nc", "`nc`", "\u{e9}nc\u{e9}", "sync; nc"] {
            assert!(NETCATS.first_word(line).is_some(), "{line}");
        }
        for line in ["sync", "nc-x", "my_nc", "nc.x", "n c", "ncc"] {
            assert_eq!(NETCATS.first_word(line), None, "{line}");
        }
        assert_eq!(Parts::of(&["fetch("]).first_word("prefetch(x)"), Some(3));
    }

    proptest! {
        #[test]
        fn the_first_is_where_a_search_for_each_finds_it(text in "(\\PC|xx|\\.\\.\\.|\u{2026}|your|fake){0,12}") {
            const PARTS: &[&str] = &["xxxx", "....", "\u{2026}", "your", "fake"];
            let slow = PARTS.iter().filter_map(|part| text.find(part)).min();
            prop_assert_eq!(Parts::of(PARTS).first(&text), slow);
        }
    }
}

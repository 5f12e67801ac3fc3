//! Searches a text for many words at once, in any ASCII case.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// Searches for the words it was made of.
pub(super) struct WordFinder {
    /// `None` only for more words than fit into memory.
    automaton: Option<AhoCorasick>,
}

impl WordFinder {
    pub(super) fn new(words: impl IntoIterator<Item = &'static str>) -> Self {
        let mut builder = AhoCorasick::builder();
        builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
        Self { automaton: builder.build(words).ok() }
    }

    /// Where each word begins and ends, and its number, overlapping ones too, in the order they end.
    pub(super) fn each<'t>(&'t self, text: &'t str) -> impl Iterator<Item = (usize, usize, usize)> + 't {
        let all = self.automaton.iter().flat_map(move |automaton| automaton.find_overlapping_iter(text));
        all.map(|found| (found.start(), found.end(), found.pattern().as_usize()))
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.automaton.as_ref().is_some_and(|automaton| automaton.is_match(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_any_case_and_inside_each_other() {
        let seeker = WordFinder::new(["AA", "://", "://t.co/", "show", "how"]);
        let found = |text: &'static str| {
            let mut all: Vec<_> = seeker.each(text).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(found("aaA"), [(0, 2, 0), (1, 3, 0)]);
        assert_eq!(found("http://T.CO/"), [(4, 7, 1), (4, 12, 2)]);
        assert_eq!(found("SHOW "), [(0, 4, 3), (1, 4, 4)]);
        assert_eq!(found(""), []);
    }
}

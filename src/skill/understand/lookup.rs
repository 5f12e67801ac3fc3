//! A table of words that is put in order once, so that asking for a word does not read the whole table.

use std::borrow::Cow;

/// Words and what they stand for. A word that is given twice stands for both, in the order given.
#[derive(Debug)]
pub(super) struct Lookup<T> {
    /// In the order of the words.
    entries: Vec<(Cow<'static, str>, T)>,
}

impl<T> Lookup<T> {
    /// Puts the words in order.
    pub(super) fn of<W: Into<Cow<'static, str>>>(entries: impl IntoIterator<Item = (W, T)>) -> Self {
        let mut entries: Vec<_> = entries.into_iter().map(|(word, meaning)| (word.into(), meaning)).collect();
        // Stable: what was given first stays first.
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self { entries }
    }

    /// Everything the word stands for, in the order given.
    pub(super) fn all(&self, word: &str) -> impl Iterator<Item = &T> {
        let from = self.entries.partition_point(|(known, _)| known.as_ref() < word);
        let rest = self.entries.get(from..).unwrap_or_default();
        rest.iter().take_while(move |(known, _)| known == word).map(|(_, meaning)| meaning)
    }

    /// What the word was first said to stand for.
    pub(super) fn first(&self, word: &str) -> Option<&T> {
        self.all(word).next()
    }
}

#[cfg(test)]
mod tests {
    use super::Lookup;

    #[test]
    fn a_word_is_found_with_its_meanings_in_the_order_given() {
        let table = Lookup::of([("to", 1), ("from", 2), ("to", 0), ("in", 3)]);
        assert_eq!(table.all("to").copied().collect::<Vec<_>>(), [1, 0]);
        assert_eq!((table.first("from"), table.first("in")), (Some(&2), Some(&3)));
        for unknown in ["", "t", "tow", "zz"] {
            assert_eq!(table.first(unknown), None, "{unknown}");
        }
    }
}

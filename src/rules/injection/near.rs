//! Which words are near a place; a text is searched once for all places.

use std::ops::Range;

use crate::rules::seeker::WordFinder;

/// The places of some words in a text, in any ASCII case.
pub(super) struct Near {
    /// Where each begins and ends, and its number, in order.
    places: Vec<(usize, usize, usize)>,
}

impl Near {
    /// Searches a text for the words.
    pub(super) fn of(text: &str, words: &WordFinder) -> Self {
        let mut places: Vec<_> = words.each(text).collect();
        places.sort_unstable();
        Self { places }
    }

    /// The numbers of the words inside a part of the text, once for each occurrence.
    pub(super) fn within(&self, part: Range<usize>) -> impl Iterator<Item = usize> {
        let first = self.places.partition_point(|(at, ..)| *at < part.start);
        let from_here = self.places.get(first..).unwrap_or_default().iter();
        let inside = from_here.take_while(move |(at, ..)| *at < part.end);
        inside.filter(move |(_, end, _)| *end <= part.end).map(|(.., word)| *word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_count_where_they_stand_whole() {
        let words = WordFinder::new(["open(", "cat "]);
        let near = Near::of("Open(a) cat b open(c)", &words);
        assert_eq!(near.within(0..21).collect::<Vec<_>>(), [0, 1, 0]);
        assert_eq!(near.within(1..12).collect::<Vec<_>>(), [1]);
        assert_eq!(near.within(0..4).count() + near.within(15..18).count(), 0);
    }
}

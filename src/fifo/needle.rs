//! A term as it is looked for in one text, as the index of substrings would: whatever the case.

use super::Term;

/// How many characters of a term fit into the bits of a state.
const MOST: usize = u128::BITS as usize;

/// A term of more than three ASCII characters. The index takes a character beyond ASCII for another one (`é` for `e`) or
/// for none (a combining accent); which, only the index knows, so such a character stands here for any one or none.
pub struct Needle {
    term: String,
    /// For each ASCII character the places of the term it stands at, a bit each.
    places: [u128; 128],
    last: u128,
}

impl Needle {
    /// `None` where the term has another character than ASCII ones, is too long, or so short that the index answers it
    /// at once.
    #[must_use]
    pub fn of(term: &Term) -> Option<Self> {
        let term = term.as_str();
        if !term.is_ascii() || !(4..=MOST).contains(&term.len()) {
            return None;
        }
        let mut places = [0; 128];
        for (at, byte) in term.bytes().enumerate() {
            for same in [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()] {
                places[usize::from(same)] |= 1 << at;
            }
        }
        Some(Self { term: term.to_owned(), places, last: 1 << (term.len() - 1) })
    }

    /// Three characters from its end, from its beginning and from its middle.
    pub fn threes(&self) -> impl Iterator<Item = &str> {
        let most = self.term.len() - 3;
        [most, 0, most / 2].into_iter().filter_map(|at| self.term.get(at..at + 3))
    }

    /// Whether a text holds it. `None` where that depends on what the index takes a character for.
    #[must_use]
    pub fn is_in(&self, text: &str) -> Option<bool> {
        // Bit n: the last n + 1 characters are (or may be) the first n + 1 of the term.
        let (mut surely, mut maybe, mut possible) = (0_u128, 0_u128, false);
        for character in text.chars() {
            match u8::try_from(character).ok().and_then(|byte| self.places.get(usize::from(byte))) {
                Some(places) if character != '\0' => {
                    surely = (surely << 1 | 1) & places;
                    maybe = (maybe << 1 | 1) & places;
                }
                _ => {
                    surely = 0;
                    maybe |= maybe << 1 | 1;
                }
            }
            if surely & self.last != 0 {
                return Some(true);
            }
            possible |= maybe & self.last != 0;
        }
        if possible { None } else { Some(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fifo::Query;

    fn needle(typed: &str) -> Option<Needle> {
        Needle::of(&Query::of(typed)?.terms()[0])
    }

    #[test]
    fn case_does_not_matter_and_nothing_is_a_wildcard() {
        let word = needle("Word_1").unwrap();
        assert_eq!(word.is_in("a passWORD_12"), Some(true));
        assert_eq!(word.is_in("word11 wor"), Some(false));
        assert_eq!(needle("aab1").unwrap().is_in("aaab1"), Some(true), "a false start hides nothing");
        assert_eq!(word.is_in("wor\0d_1"), None, "the index leaves a NUL out");
    }

    #[test]
    fn a_character_beyond_ascii_may_stand_for_another_or_for_none() {
        let word = needle("cafes").unwrap();
        for text in ["cafés", "cafe\u{301}s", "ca\u{fb01}fes"] {
            assert_eq!(word.is_in(text), None, "{text}");
        }
        assert_eq!(word.is_in("çã cafes é"), Some(true));
        assert_eq!(word.is_in("ação caf s ééé!"), Some(false));
        assert_eq!(word.is_in("漢字漢字漢"), None);
    }

    #[test]
    fn a_needle_is_plain_and_neither_short_nor_long() {
        let long = "x".repeat(MOST);
        assert!(needle(&long).unwrap().is_in(&format!("y{long}")).unwrap());
        assert!(needle(&format!("{long}x")).is_none() && needle("abc").is_none() && needle("ação").is_none());
        assert_eq!(needle("word17").unwrap().threes().collect::<Vec<_>>(), ["d17", "wor", "ord"]);
    }
}

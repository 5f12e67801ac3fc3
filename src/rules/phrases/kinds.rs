//! Looks up which word lists contain a word.

use std::collections::HashMap;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::words;

/// The lists a word is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct WordLists(u32);

/// Gives every list a bit.
macro_rules! lists {
    ($($bit:literal $list:ident)*) => {
        impl WordLists {
            $(pub(super) const $list: Self = Self(1 << $bit);)*
        }
        const LISTS: &[(WordLists, &str)] = &[$((WordLists::$list, words::$list)),*];
    };
}

lists! {
    0 DROP 1 STRICT 2 INSTRUCTIONS 3 RULES 4 FIRST 5 BEFORE
    6 BINDING 7 TALKED_OF 8 ANY 9 REVEAL 10 OWN 11 WHOSE
    12 TELL 13 USER 14 UNBOUND 15 EVERYTHING 16 KNOWN 17 OF
    18 SUBJECTS 19 NOT 20 DENIED 21 NEVER
}

impl WordLists {
    /// The lists a word is in, whatever its case and its accents.
    pub(super) fn of(word: &str) -> Self {
        let mut letters = [0; LONGEST];
        if word.is_ascii() {
            let Some(room) = letters.get_mut(..word.len()) else { return Self::default() };
            room.copy_from_slice(word.as_bytes());
            letters.make_ascii_lowercase();
        } else {
            let plain = word.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase);
            for (at, c) in plain.enumerate() {
                let (Some(room), Ok(letter)) = (letters.get_mut(at), u8::try_from(c)) else { return Self::default() };
                *room = letter;
            }
        }
        KINDS.get(&letters).copied().unwrap_or_default()
    }

    /// Whether a word is in one of these lists.
    pub(super) const fn has(self, lists: Self) -> bool {
        self.0 & lists.0 != 0
    }

    /// The lists of both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The longest word that is looked up, in bytes.
const LONGEST: usize = 16;

/// The lists of each word, by its letters, padded with zeros.
static KINDS: LazyLock<HashMap<[u8; LONGEST], WordLists>> = LazyLock::new(|| {
    let mut kinds: HashMap<_, WordLists> = HashMap::new();
    for (list, words) in LISTS {
        for word in words.split(' ') {
            let mut letters = [0; LONGEST];
            letters.iter_mut().zip(word.bytes()).for_each(|(letter, byte)| *letter = byte);
            let known = kinds.entry(letters).or_default();
            *known = known.and(*list);
        }
    }
    kinds
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_in_its_lists_and_no_other() {
        for (_, words) in LISTS {
            for word in words.split(' ') {
                let lists = LISTS.iter().filter(|(_, words)| words.split(' ').any(|one| one == word));
                let all = lists.fold(WordLists::default(), |all, (kind, _)| all.and(*kind));
                assert_eq!(WordLists::of(word), all, "{word}");
                assert_eq!(WordLists::of(&word.to_uppercase()), all, "{word}");
                assert_eq!(WordLists::of(&format!("{word}x")), WordLists::default(), "{word}x");
            }
        }
        let bits: u32 = LISTS.iter().map(|(kind, _)| kind.0).sum();
        assert_eq!(bits.count_ones() as usize, LISTS.len(), "each list has a bit of its own");
    }

    #[test]
    fn accents_and_width_make_no_other_word() {
        assert_eq!(WordLists::of("instru\u{e7}\u{f5}es"), WordLists::of("instrucoes"));
        assert_eq!(WordLists::of("\u{ff29}gnore"), WordLists::DROP);
        assert_eq!(WordLists::of("n\u{e3}o"), WordLists::NEVER);
        for word in ["", "\u{301}", "\u{e9}", "\u{65e5}", "aaaaaaaaaaaaaaaaaaaaaaaaa", "\u{e9}aaaaaaaaaaaaaaaaaaaaaaaa"]
        {
            assert_eq!(WordLists::of(word), WordLists::default(), "{word}");
        }
    }
}

//! Tells at once in which of the lists of words a word is.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::words::{
    ANY, BEFORE, BINDING, DENIED, DROP, EVERYTHING, FIRST, INSTRUCTIONS, KNOWN, NEVER, NOT, OF, OWN, REVEAL, RULES,
    STRICT, SUBJECTS, TALKED_OF, TELL, UNBOUND, USER, WHOSE,
};

/// The lists a word is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Kinds(u32);

/// Every list, and the bit that stands for it.
const LISTS: &[(Kinds, &[&str])] = &[
    (Kinds::DROP, DROP),
    (Kinds::STRICT, STRICT),
    (Kinds::INSTRUCTIONS, INSTRUCTIONS),
    (Kinds::RULES, RULES),
    (Kinds::FIRST, FIRST),
    (Kinds::BEFORE, BEFORE),
    (Kinds::BINDING, BINDING),
    (Kinds::TALKED_OF, TALKED_OF),
    (Kinds::ANY, ANY),
    (Kinds::REVEAL, REVEAL),
    (Kinds::OWN, OWN),
    (Kinds::WHOSE, WHOSE),
    (Kinds::TELL, TELL),
    (Kinds::USER, USER),
    (Kinds::UNBOUND, UNBOUND),
    (Kinds::EVERYTHING, EVERYTHING),
    (Kinds::KNOWN, KNOWN),
    (Kinds::OF, OF),
    (Kinds::SUBJECTS, SUBJECTS),
    (Kinds::NOT, NOT),
    (Kinds::DENIED, DENIED),
    (Kinds::NEVER, NEVER),
];

impl Kinds {
    pub(super) const DROP: Self = Self(1);
    pub(super) const STRICT: Self = Self(1 << 1);
    pub(super) const INSTRUCTIONS: Self = Self(1 << 2);
    pub(super) const RULES: Self = Self(1 << 3);
    pub(super) const FIRST: Self = Self(1 << 4);
    pub(super) const BEFORE: Self = Self(1 << 5);
    pub(super) const BINDING: Self = Self(1 << 6);
    pub(super) const TALKED_OF: Self = Self(1 << 7);
    pub(super) const ANY: Self = Self(1 << 8);
    pub(super) const REVEAL: Self = Self(1 << 9);
    pub(super) const OWN: Self = Self(1 << 10);
    pub(super) const WHOSE: Self = Self(1 << 11);
    pub(super) const TELL: Self = Self(1 << 12);
    pub(super) const USER: Self = Self(1 << 13);
    pub(super) const UNBOUND: Self = Self(1 << 14);
    pub(super) const EVERYTHING: Self = Self(1 << 15);
    pub(super) const KNOWN: Self = Self(1 << 16);
    pub(super) const OF: Self = Self(1 << 17);
    pub(super) const SUBJECTS: Self = Self(1 << 18);
    pub(super) const NOT: Self = Self(1 << 19);
    pub(super) const DENIED: Self = Self(1 << 20);
    pub(super) const NEVER: Self = Self(1 << 21);

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
        let key = u128::from_le_bytes(letters);
        let mut at = slot(key);
        loop {
            match TABLE.get(at) {
                Some((there, kinds)) if *there == key => return *kinds,
                Some((EMPTY, _)) | None => return Self::default(),
                Some(_) => at = (at + 1) % SLOTS,
            }
        }
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

/// The longest word that is looked up, in bytes: as many as one number holds.
const LONGEST: usize = 16;
/// Places of the table, about twice as many as words.
const SLOTS: usize = 512;
/// What stands where no word does.
const EMPTY: u128 = 0;

/// The words, each at the place its letters lead to or the next free one behind it.
static TABLE: [(u128, Kinds); SLOTS] = table();

const fn table() -> [(u128, Kinds); SLOTS] {
    let mut table = [(EMPTY, Kinds(0)); SLOTS];
    let mut list = 0;
    while list < LISTS.len() {
        let (kind, words) = LISTS[list];
        let mut number = 0;
        while number < words.len() {
            let word = words[number].as_bytes();
            let mut letters = [0; LONGEST];
            let mut letter = 0;
            while letter < word.len() {
                letters[letter] = word[letter];
                letter += 1;
            }
            let key = u128::from_le_bytes(letters);
            let mut at = slot(key);
            while table[at].0 != EMPTY && table[at].0 != key {
                at = (at + 1) % SLOTS;
            }
            table[at] = (key, table[at].1.and(kind));
            number += 1;
        }
        list += 1;
    }
    table
}

/// Where in the table a word is sought first.
const fn slot(key: u128) -> usize {
    /// Two to the 64th over the golden ratio.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let halves = (key as u64).wrapping_mul(SPREAD) ^ ((key >> 64) as u64);
    (halves.wrapping_mul(SPREAD) >> (64 - SLOTS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_in_its_lists_and_no_other() {
        for (_, words) in LISTS {
            for word in *words {
                let lists = LISTS.iter().filter(|(_, words)| words.contains(word));
                let all = lists.fold(Kinds::default(), |all, (kind, _)| all.and(*kind));
                assert_eq!(Kinds::of(word), all, "{word}");
                assert_eq!(Kinds::of(&word.to_uppercase()), all, "{word}");
                assert_eq!(Kinds::of(&format!("{word}x")), Kinds::default(), "{word}x");
            }
        }
        let bits: u32 = LISTS.iter().map(|(kind, _)| kind.0).sum();
        assert_eq!(bits.count_ones() as usize, LISTS.len(), "each list has a bit of its own");
    }

    #[test]
    fn accents_and_width_make_no_other_word() {
        assert_eq!(Kinds::of("instru\u{e7}\u{f5}es"), Kinds::of("instrucoes"));
        assert_eq!(Kinds::of("\u{ff29}gnore"), Kinds::DROP);
        assert_eq!(Kinds::of("n\u{e3}o"), Kinds::NEVER);
        for word in ["", "\u{301}", "\u{e9}", "\u{65e5}", "aaaaaaaaaaaaaaaaaaaaaaaaa", "\u{e9}aaaaaaaaaaaaaaaaaaaaaaaa"]
        {
            assert_eq!(Kinds::of(word), Kinds::default(), "{word}");
        }
    }
}

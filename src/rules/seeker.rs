//! Searches a text for many words at once, in any ASCII case.
//!
//! Four bytes at a time decide whether a word may begin here, by one bit of a table that is made in microseconds; only
//! where it may are words compared. An automaton reads a text no faster and takes milliseconds to build.

use std::sync::LazyLock;

/// How many bits of a hash name a bit of the table: 16 KiB, which stay in the nearest cache.
const BITS: u32 = 17;
/// How many bits of a hash name a bucket of words.
const BUCKET_BITS: u32 = 10;
/// How many bytes decide whether a word may begin.
const WINDOW: usize = 4;
/// Knuth's multiplier: 2^32 over the golden ratio.
const SPREAD: u32 = 0x9E37_79B1;
/// The bit that tells upper from lower case. Setting it in every byte mixes a few signs up too; comparing parts them.
const CASE: u8 = 0x20;

/// A word to search for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// Two bytes or more.
    pub(super) text: &'static str,
    /// Whether only letters, digits and `_-.+/=:` may follow it, three at least: then a short word is rarely met.
    pub(super) goes_on: bool,
}

impl Word {
    /// A word that may end a text.
    pub(super) fn plain(text: &'static str) -> Self {
        Self { text, goes_on: false }
    }
}

/// How a word begins: its first bytes as one number, their case set aside, and which bits of that there are.
#[derive(Debug, Clone, Copy)]
struct Begin {
    bytes: u32,
    mask: u32,
    number: usize,
}

impl Begin {
    fn of(number: usize, word: &[u8]) -> Self {
        let (mut bytes, mut mask) = ([0; WINDOW], [0; WINDOW]);
        for (at, b) in word.iter().take(WINDOW).enumerate() {
            if let (Some(byte), Some(bits)) = (bytes.get_mut(at), mask.get_mut(at)) {
                (*byte, *bits) = (b | CASE, u8::MAX);
            }
        }
        Self { bytes: u32::from_le_bytes(bytes), mask: u32::from_le_bytes(mask), number }
    }
}

/// A bit for each hash.
type Marks = [u64; 1 << (BITS - u64::BITS.ilog2())];

/// Searches for the words it was made of.
pub(super) struct Seeker {
    words: Vec<Word>,
    /// A bit for what the first bytes of a word hash to.
    marked: Box<Marks>,
    /// The words by the hash of their first two bytes, and where in it each bucket begins.
    by_pair: Vec<Begin>,
    buckets: Vec<usize>,
    /// The pairs that anything may follow: they would mark too much of the table, and are sought by their first byte.
    pairs: Vec<usize>,
}

impl Seeker {
    /// Makes the table. Words of fewer than two bytes are never found.
    pub(super) fn new(words: Vec<Word>) -> Self {
        let mut marked: Box<Marks> = Box::new([0; 1 << (BITS - u64::BITS.ilog2())]);
        let is_pair = |word: &Word| word.text.len() == 2 && !word.goes_on;
        for word in words.iter().filter(|word| !is_pair(word)) {
            mark(&mut marked, *word);
        }
        let pairs = (0..words.len()).filter(|index| words.get(*index).is_some_and(is_pair)).collect();
        let pair_of = |index: &usize| words.get(*index).and_then(|word| bucket_of(word.text.as_bytes()));
        let mut by_pair: Vec<usize> = (0..words.len())
            .filter(|index| words.get(*index).is_some_and(|word| !is_pair(word)) && pair_of(index).is_some())
            .collect();
        by_pair.sort_by_key(pair_of);
        let begin = |number: usize| words.get(number).map(|word| Begin::of(number, word.text.as_bytes()));
        let buckets = (0..=1 << BUCKET_BITS).map(|bucket| by_pair.partition_point(|one| pair_of(one) < Some(bucket)));
        let buckets = buckets.collect();
        let by_pair = by_pair.into_iter().filter_map(begin).collect();
        Self { words, marked, by_pair, buckets, pairs }
    }

    /// Gives every place of every word, overlapping ones too: where it begins, where it ends, and its number. Places come
    /// in no order, but those of the same bytes in that of the words.
    pub(super) fn each(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        let bytes = text.as_bytes();
        for (at, window) in bytes.windows(WINDOW).enumerate() {
            // A window has as many bytes as that; nothing marks what has not.
            let window: [u8; WINDOW] = window.try_into().unwrap_or_default();
            if self.may_begin(window) {
                self.compare(bytes, at, &mut found);
            }
        }
        for number in &self.pairs {
            let Some(word @ &[first, _]) = self.words.get(*number).map(|word| word.text.as_bytes()) else { continue };
            let places = memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), bytes);
            for at in places.filter(|at| bytes.get(*at..at + 2).is_some_and(|there| there.eq_ignore_ascii_case(word))) {
                found(at, at + 2, *number);
            }
        }
        // Less than a window is left.
        for at in bytes.len().saturating_sub(WINDOW - 1)..bytes.len() {
            self.compare(bytes, at, &mut found);
        }
    }

    /// The numbers of the words a text holds, in the order of the words.
    pub(super) fn held(&self, text: &str) -> Vec<usize> {
        let mut held = Vec::new();
        self.each(text, |_, _, word| held.push(word));
        held.sort_unstable();
        held.dedup();
        held
    }

    #[inline]
    fn may_begin(&self, window: [u8; WINDOW]) -> bool {
        let hash = hash(window);
        self.marked.get(hash / 64).is_some_and(|bits| bits >> (hash % 64) & 1 == 1)
    }

    #[inline(never)]
    fn compare(&self, bytes: &[u8], at: usize, found: &mut impl FnMut(usize, usize, usize)) {
        let Some(bucket) = bytes.get(at..).and_then(bucket_of) else { return };
        let (from, to) = (self.buckets.get(bucket), self.buckets.get(bucket + 1));
        let Some(begins) = from.zip(to).and_then(|(from, to)| self.by_pair.get(*from..*to)) else { return };
        let mut window = [0; WINDOW];
        for (byte, there) in window.iter_mut().zip(bytes.get(at..).unwrap_or_default()) {
            *byte = there | CASE;
        }
        let window = u32::from_le_bytes(window);
        for Begin { bytes: begin, mask, number } in begins {
            if window & mask != *begin {
                continue;
            }
            let Some(word) = self.words.get(*number).map(|word| word.text.as_bytes()) else { continue };
            let end = at + word.len();
            if bytes.get(at..end).is_some_and(|there| there.eq_ignore_ascii_case(word)) {
                found(at, end, *number);
            }
        }
    }
}

/// Sets the bits of everything that a text may hold where a word begins.
fn mark(marked: &mut Marks, word: Word) {
    static ANY: LazyLock<Vec<u8>> = LazyLock::new(|| (0..=u8::MAX).filter(|b| b & CASE != 0).collect());
    static WORDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut all: Vec<u8> = (b'a'..=b'z').chain(b'0'..=b'9').chain(*b"_-.+/=:").map(|b| b | CASE).collect();
        all.sort_unstable();
        all.dedup();
        all
    });
    let follow: &[u8] = if word.goes_on { &WORDS } else { &ANY };
    let mut set = |window| {
        let hash = hash(window);
        if let Some(bits) = marked.get_mut(hash / 64) {
            *bits |= 1 << (hash % 64);
        }
    };
    match *word.text.as_bytes() {
        [a, b, c, d, ..] => set([a, b, c, d]),
        [a, b, c] => follow.iter().for_each(|d| set([a, b, c, *d])),
        [a, b] => follow.iter().for_each(|c| follow.iter().for_each(|d| set([a, b, *c, *d]))),
        _ => {}
    }
}

#[inline]
fn hash(window: [u8; WINDOW]) -> usize {
    let folded = u32::from_le_bytes(window) | u32::from_le_bytes([CASE; WINDOW]);
    (folded.wrapping_mul(SPREAD) >> (u32::BITS - BITS)) as usize
}

fn bucket_of(bytes: &[u8]) -> Option<usize> {
    let pair = u32::from_le_bytes([bytes.first()? | CASE, bytes.get(1)? | CASE, 0, 0]);
    Some((pair.wrapping_mul(SPREAD) >> (u32::BITS - BUCKET_BITS)) as usize)
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    const WORDS: &[&str] =
        &["AA", "sk-", "token", "Token", "://", "://t.co/", "esque\u{e7}", "\\\\", "show", "how", "ow ", "aa"];

    fn found(text: &str) -> Vec<(usize, usize, usize)> {
        let seeker = Seeker::new(WORDS.iter().copied().map(Word::plain).collect());
        let mut found = Vec::new();
        seeker.each(text, |at, end, word| found.push((at, end, word)));
        found.sort_unstable();
        found
    }

    #[test]
    fn words_are_found_in_any_case_wherever_they_stand() {
        assert_eq!(found("AAA"), [(0, 2, 0), (0, 2, 11), (1, 3, 0), (1, 3, 11)]);
        assert_eq!(found("http://T.CO/"), [(4, 7, 4), (4, 12, 5)]);
        assert_eq!(found("SHOW "), [(0, 4, 8), (1, 4, 9), (2, 5, 10)]);
        assert_eq!(found("esque\u{e7}\u{e3}o \\\\"), [(0, 7, 6), (11, 13, 7)]);
        assert_eq!(found("`sk\r` a tok en"), [], "what only looks alike to the table is no word");
        assert_eq!(found(""), []);
    }

    #[test]
    fn what_must_go_on_is_found_where_it_does() {
        let words = vec![Word { text: "ct", goes_on: true }, Word { text: "fc-", goes_on: true }];
        let seeker = Seeker::new(words);
        for behind in ["A1b2", "_-.+", "/=:z", "ZZZZ"] {
            assert_eq!(seeker.held(&format!("x CT{behind}")), [0], "{behind}");
            assert_eq!(seeker.held(&format!("x Fc-{behind}")), [1], "{behind}");
        }
    }

    proptest! {
        #[test]
        fn an_automaton_finds_the_same(text in "(\\PC|[a-zA-Z]|sk-|(?i:token)|://|t\\.co/|AA|\\\\|(?i:show )|esque\u{e7}){0,40}") {
            let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(WORDS).unwrap();
            let all = automaton.find_overlapping_iter(&text);
            let mut expected: Vec<_> = all.map(|one| (one.start(), one.end(), one.pattern().as_usize())).collect();
            expected.sort_unstable();
            prop_assert_eq!(found(&text), expected);
        }
    }
}

//! Searches a text for many words at once, in any ASCII case.
//!
//! Only every second place of a text, or every fourth or eighth where the words are long, is looked at: there four bytes
//! decide whether a word may stand around them, by one bit of a table that is made in microseconds; only where one may
//! are words compared. Which four bytes of a word are looked for is free, so they are the ones that ordinary prose has
//! least of. An automaton reads every byte of a text and takes milliseconds to build.

/// How many bits of a hash name a bit of the table: 32 KiB, which stay in the nearest cache.
const BITS: u32 = 18;
/// How many bits of a hash name a bucket of words, and how many buckets there are.
const BUCKET_BITS: u32 = 10;
const BUCKETS: usize = 1 << BUCKET_BITS;
/// How many bytes decide whether a word may stand here.
const WINDOW: usize = 4;
/// How many bytes are read at once.
const CHUNK: usize = 8;
/// Knuth's multiplier: 2^32 over the golden ratio.
const SPREAD: u32 = 0x9E37_79B1;
/// The bit that tells upper from lower case. Setting it in every byte mixes a few signs up too; comparing parts them.
const CASE: u8 = 0x20;
/// The bit that every byte of a character has that is not ASCII.
const HIGH: u8 = 0x80;
/// The letters of prose from the most frequent on; whatever is none of them is rare.
const FREQUENT: &[u8] = b" etaoinsrhldcumpfgwybv-k.x/jqz";
/// How frequent a byte is in prose, its case set aside: the more, the higher.
static FREQUENCY: [u32; 256] = {
    let (mut all, mut at) = ([0; 256], 0);
    while at < FREQUENT.len() {
        all[FREQUENT[at] as usize] = (FREQUENT.len() - at) as u32;
        at += 1;
    }
    all
};

/// A word to search for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word {
    /// Two bytes or more.
    pub(super) text: &'static str,
    /// Whether only letters, digits and `_-.+/=:` may follow it, three at least: then a short word is rarely met.
    pub(super) goes_on: bool,
    /// Whether it is none behind an ASCII letter or digit.
    pub(super) begins: bool,
}

impl Word {
    /// A word that may end a text and stand inside another.
    pub(super) fn plain(text: &'static str) -> Self {
        Self { text, goes_on: false, begins: false }
    }
}

/// Four bytes by which a word is noticed: as one number, their case set aside, and which bits of that are the word's.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    bytes: u32,
    mask: u32,
    /// The number of the word, and how many bytes before them the window begins whose number is 0: its first byte is the
    /// one before the word.
    number: u32,
    nth: u32,
}

/// A bit for each hash.
type Marks = [u64; 1 << (BITS - u64::BITS.ilog2())];

/// Searches for the words it was made of.
pub(super) struct Seeker {
    words: Vec<Word>,
    /// How far the places that are looked at stand from each other: 2, 4 or 8.
    step: usize,
    /// A bit for what the four bytes of an anchor hash to.
    marked: Box<Marks>,
    /// The anchors by the hash of their middle bytes, and how many of them stand before those of each hash.
    anchors: Vec<Anchor>,
    buckets: Box<[u16; BUCKETS + 1]>,
    /// The words of two bytes: they would mark too much of the table, and are sought by their first.
    pairs: Vec<usize>,
}

impl Seeker {
    /// Makes the table. Words of fewer than two bytes are never found.
    pub(super) fn new(words: Vec<Word>) -> Self {
        let length = |number: &usize| words.get(*number).map_or(0, |word| word.text.len());
        let (pairs, long): (Vec<usize>, Vec<usize>) =
            (0..words.len()).filter(|number| length(number) > 1).partition(|number| length(number) == 2);
        let step = match long.iter().map(length).min() {
            Some(0..=6) => 2,
            Some(7..=10) => 4,
            _ => CHUNK,
        };
        let mut marked: Box<Marks> = Box::new([0; 1 << (BITS - u64::BITS.ilog2())]);
        let mut anchors: Vec<Anchor> = Vec::with_capacity(long.len() * step);
        let mut buckets = Box::new([0; BUCKETS + 1]);
        for number in long {
            let Some(word) = words.get(number) else { continue };
            for turn in 0..step {
                let Some(nth) = rarest(word, step, turn) else { continue };
                let anchor =
                    Anchor { number: u32::try_from(number).unwrap_or(u32::MAX), ..mark(&mut marked, word, nth) };
                if let Some(behind) = buckets.get_mut(bucket_of(anchor.bytes) + 1) {
                    *behind += 1;
                }
                anchors.push(anchor);
            }
        }
        let mut before = 0;
        for bucket in buckets.iter_mut() {
            before += *bucket;
            *bucket = before;
        }
        let (mut free, mut sorted) = (buckets.clone(), anchors.clone());
        for anchor in anchors {
            let Some(place) = free.get_mut(bucket_of(anchor.bytes)) else { continue };
            if let Some(slot) = sorted.get_mut(usize::from(*place)) {
                *slot = anchor;
            }
            *place += 1;
        }
        Self { words, step, marked, anchors: sorted, buckets, pairs }
    }

    /// Gives every place of every word, overlapping ones too: where it begins, where it ends, and its number. Places come
    /// in no order, but those of the same bytes in that of the words.
    pub(super) fn each(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        let bytes = text.as_bytes();
        match self.step {
            2 => self.stepping::<2>(bytes, &mut found),
            4 => self.stepping::<4>(bytes, &mut found),
            _ => self.stepping::<CHUNK>(bytes, &mut found),
        }
        for number in &self.pairs {
            let Some(word @ &[first, _]) = self.words.get(*number).map(|word| word.text.as_bytes()) else { continue };
            let places = memchr::memchr2_iter(first.to_ascii_lowercase(), first.to_ascii_uppercase(), bytes);
            for at in places.filter(|at| bytes.get(*at..at + 2).is_some_and(|there| there.eq_ignore_ascii_case(word))) {
                if self.begins_if_it_must(*number, bytes, at) {
                    found(at, at + 2, *number);
                }
            }
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

    /// Looks at every place that is a multiple of `STEP`.
    #[inline]
    fn stepping<const STEP: usize>(&self, bytes: &[u8], found: &mut impl FnMut(usize, usize, usize)) {
        let (chunks, rest) = bytes.as_chunks::<CHUNK>();
        let (mut at, mut before) = (0, 0);
        for chunk in chunks {
            let chunk = alike(u64::from_le_bytes(*chunk));
            // The window that begins in the chunk before this one, and those that lie in this one.
            let windows = [low(before >> 48 | chunk << 16), low(chunk), low(chunk >> 16), low(chunk >> 32)];
            let [shared, first, second, third] = windows;
            let any = match STEP {
                2 => self.marks(shared) | self.marks(first) | self.marks(second) | self.marks(third),
                4 => self.marks(first) | self.marks(third),
                _ => self.marks(first),
            };
            if any & 1 == 1 {
                self.look::<STEP>(bytes, at, windows, found);
            }
            (at, before) = (at + CHUNK, chunk);
        }
        // What is left has fewer bytes than a chunk; blanks stand for what a text has no more.
        let end = bytes.len() - rest.len();
        for at in (if STEP == 2 { end.saturating_sub(2) } else { end }..bytes.len()).step_by(STEP) {
            let mut window = [CASE; WINDOW];
            for (byte, there) in window.iter_mut().zip(bytes.iter().skip(at)) {
                *byte = folded(*there);
            }
            self.compare(bytes, at, u32::from_le_bytes(window), found);
        }
    }

    /// Compares what is marked of the windows around a place.
    #[inline(never)]
    fn look<const STEP: usize>(
        &self,
        bytes: &[u8],
        at: usize,
        windows: [u32; 4],
        found: &mut impl FnMut(usize, usize, usize),
    ) {
        for (nth, window) in windows.into_iter().enumerate() {
            let place = (at + 2 * nth).checked_sub(2).filter(|place| place % STEP == 0);
            if let Some(place) = place.filter(|_| self.marks(window) & 1 == 1) {
                self.compare(bytes, place, window, found);
            }
        }
    }

    /// Whether a window is marked, in the lowest bit.
    #[inline]
    fn marks(&self, window: u32) -> u64 {
        let hash = hash(window);
        self.marked.get(hash / 64).map_or(0, |bits| bits >> (hash % 64))
    }

    /// Gives the words that stand around a window, which begins here.
    fn compare(&self, bytes: &[u8], at: usize, window: u32, found: &mut impl FnMut(usize, usize, usize)) {
        let bucket = bucket_of(window);
        let [from, to] = [bucket, bucket + 1].map(|nth| self.buckets.get(nth).map_or(0, |place| usize::from(*place)));
        for anchor in self.anchors.get(from..to).unwrap_or_default() {
            if window & anchor.mask != anchor.bytes {
                continue;
            }
            let number = anchor.number as usize;
            let Some(word) = self.words.get(number).map(|word| word.text.as_bytes()) else { continue };
            let Some(start) = (at + 1).checked_sub(anchor.nth as usize) else { continue };
            let end = start + word.len();
            if bytes.get(start..end).is_some_and(|there| there.eq_ignore_ascii_case(word))
                && self.begins_if_it_must(number, bytes, start)
            {
                found(start, end, number);
            }
        }
    }

    fn begins_if_it_must(&self, number: usize, bytes: &[u8], at: usize) -> bool {
        let inside = || at.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
        !(self.words.get(number).is_some_and(|word| word.begins) && inside())
    }
}

/// The number of a word's best window, of those that a multiple of `step` meets where the word begins `turn` bytes before
/// one: the one that stands for the fewest windows of a text, and among such, the rarest in prose. The first window of a
/// word holds the byte before it, the last one the byte behind it.
fn rarest(word: &Word, step: usize, turn: usize) -> Option<usize> {
    let bytes = word.text.as_bytes();
    let cost = |nth: usize| {
        let inside = bytes.get(nth.saturating_sub(1)..bytes.len().min(nth + WINDOW - 1)).unwrap_or_default();
        let open = match WINDOW - inside.len() {
            0 => 0,
            _ if nth == 0 => before(word).len(),
            _ => behind(word).len(),
        };
        let frequent = inside.iter().map(|byte| FREQUENCY.get(usize::from(byte | CASE)).copied().unwrap_or(0));
        (open, frequent.sum::<u32>())
    };
    (0..bytes.len() - 1).skip((turn + 1) % step).step_by(step).min_by_key(|nth| cost(*nth))
}

/// Sets the bits of everything that a text may hold in a word's window of this number.
fn mark(marked: &mut Marks, word: &Word, nth: usize) -> Anchor {
    let (mut bytes, mut mask) = (0, 0);
    for place in 0..WINDOW {
        if let Some(byte) = (nth + place).checked_sub(1).and_then(|at| word.text.as_bytes().get(at)) {
            bytes |= u32::from(folded(*byte)) << (8 * place);
            mask |= u32::from(u8::MAX) << (8 * place);
        }
    }
    let mut set = |window| {
        let hash = hash(window);
        if let Some(bits) = marked.get_mut(hash / 64) {
            *bits |= 1 << (hash % 64);
        }
    };
    match mask.count_zeros() {
        0 => set(bytes),
        _ if nth == 0 => before(word).iter().for_each(|b| set(bytes | u32::from(*b))),
        _ => behind(word).iter().for_each(|b| set(bytes | u32::from(*b) << 24)),
    }
    Anchor { bytes, mask, number: 0, nth: u32::try_from(nth).unwrap_or(u32::MAX) }
}

/// What may stand before a word, folded.
fn before(word: &Word) -> &'static [u8] {
    if word.begins { Outside::NO_LETTER.all() } else { Outside::ANY.all() }
}

/// What may stand behind a word, folded.
fn behind(word: &Word) -> &'static [u8] {
    if word.goes_on { Outside::GOES_ON.all() } else { Outside::ANY.all() }
}

/// The bytes that may stand outside a word, folded, each once.
struct Outside {
    bytes: [u8; 256],
    count: usize,
}

impl Outside {
    const ANY: &Self = &Self::of(b"", true, true);
    const NO_LETTER: &Self = &Self::of(b"", false, true);
    const GOES_ON: &Self = &Self::of(b"_-.+/=:", true, false);

    /// The signs named, and letters and digits or everything else or both.
    const fn of(signs: &[u8], letters: bool, others: bool) -> Self {
        let mut is = [false; 256];
        let mut byte = 0;
        while byte < is.len() {
            let written = byte as u8;
            if if written.is_ascii_alphanumeric() { letters } else { others } {
                is[folded(written) as usize] = true;
            }
            byte += 1;
        }
        let mut rest = signs;
        while let [sign, others @ ..] = rest {
            is[folded(*sign) as usize] = true;
            rest = others;
        }
        let mut all = Self { bytes: [0; 256], count: 0 };
        let mut byte = 0;
        while byte < is.len() {
            if is[byte] {
                all.bytes[all.count] = byte as u8;
                all.count += 1;
            }
            byte += 1;
        }
        all
    }

    fn all(&self) -> &[u8] {
        self.bytes.get(..self.count).unwrap_or_default()
    }
}

/// A byte with its case set aside; bytes of characters that are not ASCII are one.
#[inline]
const fn folded(byte: u8) -> u8 {
    if byte & HIGH == 0 { byte | CASE } else { u8::MAX }
}

/// Every byte of a chunk, [`folded`].
#[inline]
fn alike(chunk: u64) -> u64 {
    let high = chunk & u64::from_le_bytes([HIGH; CHUNK]);
    chunk | u64::from_le_bytes([CASE; CHUNK]) | high | (high - (high >> 7))
}

/// The four lowest bytes.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the rest is what is cut off")]
fn low(bytes: u64) -> u32 {
    bytes as u32
}

#[inline]
fn hash(window: u32) -> usize {
    (window.wrapping_mul(SPREAD) >> (u32::BITS - BITS)) as usize
}

/// The bucket of the two bytes in the middle of a window: a word knows them wherever its window begins.
#[inline]
fn bucket_of(window: u32) -> usize {
    ((window >> 8 & 0xFFFF).wrapping_mul(SPREAD) >> (u32::BITS - BUCKET_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    const WORDS: &[&str] =
        &["AA", "sk-", "token", "Token", "://", "://t.co/", "esque\u{e7}", "\\\\", "show", "how", "ow ", "aa"];

    /// Words that let only every fourth and every eighth place be looked at.
    const LONG: &[&str] = &["trigger", "triggers", "rigger it", "://t.co/x", "esque\u{e7}er"];
    const LONGER: &[&str] = &["in order to", "trigger it now", "r it now, then"];

    fn found(text: &str) -> Vec<(usize, usize, usize)> {
        found_of(WORDS, text)
    }

    fn found_of(words: &[&'static str], text: &str) -> Vec<(usize, usize, usize)> {
        let seeker = Seeker::new(words.iter().copied().map(Word::plain).collect());
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
        let words =
            vec![Word { text: "ct", goes_on: true, begins: false }, Word { text: "fc-", goes_on: true, begins: false }];
        let seeker = Seeker::new(words);
        for behind in ["A1b2", "_-.+", "/=:z", "ZZZZ"] {
            assert_eq!(seeker.held(&format!("x CT{behind}")), [0], "{behind}");
            assert_eq!(seeker.held(&format!("x Fc-{behind}")), [1], "{behind}");
        }
    }

    #[test]
    fn what_begins_a_word_is_none_inside_another() {
        let word = |text| Word { text, goes_on: false, begins: true };
        let seeker = Seeker::new(["show", "dig", "ct", "disregard"].map(word).to_vec());
        for before in ["", "-", "_", " ", "\u{e9}", "(", "a ", "ab-"] {
            for (number, text) in ["show", "dig", "ct", "disregard"].into_iter().enumerate() {
                assert_eq!(seeker.held(&format!("{before}{text}")), [number], "{before}{text}");
                assert!(seeker.held(&format!("{before}x{text}")).is_empty(), "{before}x{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn an_automaton_finds_the_same(text in "(\\PC|[a-zA-Z]|sk-|(?i:token)|://|t\\.co/|AA|\\\\|(?i:show )|esque\u{e7}|(?i:triggers? it)|er|x|(?i: now|, then)|(?i:in order to)){0,40}") {
            for words in [WORDS, LONG, LONGER] {
                let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(words).unwrap();
                let all = automaton.find_overlapping_iter(&text);
                let mut expected: Vec<_> = all.map(|one| (one.start(), one.end(), one.pattern().as_usize())).collect();
                expected.sort_unstable();
                prop_assert_eq!(found_of(words, &text), expected);
            }
        }
    }
}

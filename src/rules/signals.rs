//! Searches a text once for every word that starts a closer check.
//!
//! The scanners for secrets, addresses, injection and execution each list the words they start from. All words are
//! searched for together, so that a text without any is read only once.

use std::ops::Range;
use std::sync::LazyLock;

use super::injection::{Shape, TRIGGERS};
use super::phrases::{self, Opening};
use super::secrets::{assigned, formats};

/// What a word is a signal for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// A credential in the format with this index.
    Format(usize),
    /// A value assigned to a name that ends here.
    Name,
    /// The scheme of an `Authorization` header.
    Header,
    /// A login after a flag: `-u user:password`.
    User,
    /// The host of a URL; the signal is its `://`.
    Scheme,
    /// A network share; the signal is its `\\`.
    Share,
    /// A suspicious line of this shape.
    Line(Shape),
    /// A sentence that tries to take over an agent.
    Sentence(Opening),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signal {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) cause: Cause,
}

/// Words by their first bytes. Made in 1.3 million instructions; an automaton for the 640 words takes 12 million, a tenth of
/// a `create`, and searches a thousand skills no faster.
struct Pairs {
    /// For each pair of bytes, in lowercase, the number of the first word that begins with it, from 1.
    first: Vec<u16>,
    /// Sorted by the pair.
    words: Vec<Word>,
}

struct Word {
    pair: u16,
    third: Option<u8>,
    text: &'static str,
    cause: Cause,
}

impl Pairs {
    fn of(words: Vec<(&'static str, Cause)>) -> Self {
        let word = |(text, cause): (&'static str, Cause)| {
            let third = text.as_bytes().get(2).map(u8::to_ascii_lowercase);
            Some(Word { pair: pair(text.as_bytes())?, third, text, cause })
        };
        let mut words: Vec<Word> = words.into_iter().filter_map(word).collect();
        words.sort_by_key(|word| word.pair);
        let mut first = vec![0; 1 << 16];
        for (number, word) in (1..).zip(&words) {
            if let Some(place) = first.get_mut(usize::from(word.pair)).filter(|place| **place == 0) {
                *place = number;
            }
        }
        Self { first, words }
    }

    fn search(&self, text: &str, mut found: impl FnMut(Range<usize>, Cause)) {
        let bytes = text.as_bytes();
        let mut before = 0;
        for (end, byte) in (1..).zip(bytes) {
            let pair = before << 8 | u16::from(byte.to_ascii_lowercase());
            before = pair & 0xff;
            let first = self.first.get(usize::from(pair)).copied().unwrap_or_default();
            // The first byte of a text makes no pair with a byte before it.
            let Some(first) = first.checked_sub(1).filter(|_| end > 1) else { continue };
            let words = self.words.get(usize::from(first)..).unwrap_or_default().iter();
            let third = bytes.get(end).map(u8::to_ascii_lowercase);
            for word in words.take_while(|word| word.pair == pair) {
                let place = end - 2..end - 2 + word.text.len();
                let said = (word.third.is_none() || word.third == third).then(|| bytes.get(place.clone())).flatten();
                if said.is_some_and(|said| said.eq_ignore_ascii_case(word.text.as_bytes())) {
                    found(place, word.cause);
                }
            }
        }
    }
}

/// The first two bytes as a number, in lowercase.
fn pair(bytes: &[u8]) -> Option<u16> {
    let (first, second) = (bytes.first()?, bytes.get(1)?);
    Some(u16::from(first.to_ascii_lowercase()) << 8 | u16::from(second.to_ascii_lowercase()))
}

fn words() -> Vec<(&'static str, Cause)> {
    let mut all: Vec<_> = formats::keywords().map(|(word, number)| (word, Cause::Format(number))).collect();
    let mut add = |words: &[&'static str], cause| all.extend(words.iter().map(|word| (*word, cause)));
    add(assigned::NAMES, Cause::Name);
    add(assigned::SCHEMES, Cause::Header);
    add(&["-u ", "--user "], Cause::User);
    add(&["://"], Cause::Scheme);
    add(&["\\\\"], Cause::Share);
    for (shape, words) in TRIGGERS {
        add(words, Cause::Line(*shape));
    }
    for (word, opening) in phrases::openings() {
        add(&[word], Cause::Sentence(opening));
    }
    all
}

/// Every signal of a text, in the order they end.
pub(super) fn of(text: &str) -> Vec<Signal> {
    static PAIRS: LazyLock<Pairs> = LazyLock::new(|| Pairs::of(words()));
    let bytes = text.as_bytes();
    let stands = |signal: &Signal| {
        let before = signal.at.checked_sub(1).and_then(|before| bytes.get(before));
        match signal.cause {
            Cause::Format(number) => formats::stands(number, bytes, signal.at, signal.end),
            // A run of backslashes is one share.
            Cause::Share => before != Some(&b'\\'),
            Cause::Sentence(_) => !before.is_some_and(u8::is_ascii_alphanumeric),
            _ => true,
        }
    };
    let mut signals: Vec<Signal> = Vec::new();
    PAIRS.search(text, |word, cause| {
        let signal = Signal { at: word.start, end: word.end, cause };
        signals.extend(Some(signal).filter(stands));
    });
    signals.sort_by_key(|signal| (signal.end, signal.at));
    signals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_searched_for_in_any_case() {
        for (word, cause) in words() {
            assert!(word.len() > 1, "`{word}` is on every line");
            let text = format!("é {} {}", word.to_uppercase(), word.to_lowercase());
            if !matches!(cause, Cause::Format(_)) && word.is_ascii() {
                assert!(of(&text).iter().filter(|signal| signal.cause == cause).count() >= 2, "{word}");
            }
        }
    }

    #[test]
    fn ordinary_prose_gives_no_signal() {
        let prose = "# Review\n\nRead the difference, list the risks, and ask for what is missing.\n";
        assert_eq!(of(prose), Vec::new());
    }
}

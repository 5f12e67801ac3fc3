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

/// Words by their first three bytes. An automaton for the 640 words takes 12 million instructions to make, a seventh of a
/// `create`.
struct Index {
    /// For the code of three bytes the number of the first word that may begin with them, from 1.
    first: Vec<u16>,
    /// Sorted by the code. A word of two bytes is there with every third one.
    words: Vec<Word>,
}

struct Word {
    code: u16,
    text: &'static str,
    cause: Cause,
}

impl Index {
    fn of(all: Vec<(&'static str, Cause)>) -> Self {
        let mut words = Vec::new();
        for (text, cause) in all {
            let before = text.bytes().take(2).fold(0, coded);
            let thirds = text.as_bytes().get(2).map_or(0..32, |third| *third..third + 1);
            words.extend(thirds.map(|third| Word { code: coded(before, third), text, cause }));
        }
        words.sort_by_key(|word| word.code);
        let mut first = vec![0; 1 << 15];
        for (number, word) in (1..).zip(&words) {
            if let Some(place) = first.get_mut(usize::from(word.code)).filter(|place| **place == 0) {
                *place = number;
            }
        }
        Self { first, words }
    }

    fn search(&self, text: &str, mut found: impl FnMut(Range<usize>, Cause)) {
        let bytes = text.as_bytes();
        let mut code = 0;
        for (last, byte) in bytes.iter().enumerate() {
            code = coded(code, *byte);
            let first = self.first.get(usize::from(code)).copied().unwrap_or_default();
            if first != 0 && last > 1 {
                self.search_at(bytes, last - 2, code, &mut found);
            }
        }
        // A word of two bytes may be the last.
        if let Some(at) = bytes.len().checked_sub(2) {
            self.search_at(bytes, at, coded(code, 0), &mut found);
        }
    }

    /// The words with this code that are here.
    fn search_at(&self, bytes: &[u8], at: usize, code: u16, found: &mut impl FnMut(Range<usize>, Cause)) {
        let first = self.first.get(usize::from(code)).and_then(|first| first.checked_sub(1));
        let words = first.and_then(|first| self.words.get(usize::from(first)..)).unwrap_or_default().iter();
        for word in words.take_while(|word| word.code == code) {
            let place = at..at + word.text.len();
            if bytes.get(place.clone()).is_some_and(|said| said.eq_ignore_ascii_case(word.text.as_bytes())) {
                found(place, word.cause);
            }
        }
    }
}

/// The code of the last three bytes: the lowest five bits of each, which both cases of a letter share.
fn coded(before: u16, byte: u8) -> u16 {
    (before << 5 | u16::from(byte & 31)) & 0x7fff
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
    static INDEX: LazyLock<Index> = LazyLock::new(|| Index::of(words()));
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
    INDEX.search(text, |word, cause| {
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
                assert!(of(word).iter().any(|signal| signal.cause == cause), "{word} alone");
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

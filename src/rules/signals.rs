//! Searches a text once for every word that starts a closer check.
//!
//! The scanners for secrets, addresses, injection and execution each list the words they start from. All words are
//! searched for together, so that a text without any is read only once.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

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

/// A word at a byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signal {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) cause: Cause,
}

/// From how many bytes on a DFA pays off.
const DFA_AFTER: usize = 512 * 1024;

/// Calls `found` with each occurrence of one of [`words`], in any ASCII case: its byte range and the index of the word.
fn search(text: &str, mut found: impl FnMut(Range<usize>, usize)) {
    static PAIRS: OnceLock<Pairs> = OnceLock::new();
    static DFA: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    static SEARCHED: AtomicUsize = AtomicUsize::new(0);
    if SEARCHED.fetch_add(text.len(), Ordering::Relaxed) < DFA_AFTER {
        PAIRS.get_or_init(|| Pairs::of(words().map(|one| one.0))).search(text, found);
        return;
    }
    let mut builder = AhoCorasick::builder();
    let builder = builder.ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA));
    let dfa = DFA.get_or_init(|| builder.build(words().map(|one| one.0)).ok()).as_ref();
    for word in dfa.into_iter().flat_map(|dfa| dfa.find_overlapping_iter(text)) {
        found(word.range(), word.pattern().as_usize());
    }
}

/// Words by their first two bytes in lowercase.
struct Pairs {
    /// A bit for each pair that a word begins with.
    begun: Vec<u64>,
    /// Sorted by the pair.
    words: Vec<(u16, usize, &'static str)>,
}

impl Pairs {
    fn of(words: impl Iterator<Item = &'static str>) -> Self {
        let mut words: Vec<_> =
            words.enumerate().filter_map(|(at, word)| Some((pair(word.as_bytes())?, at, word))).collect();
        words.sort_unstable();
        let mut begun = vec![0; 1 << 10];
        for (pair, ..) in &words {
            if let Some(bits) = begun.get_mut(usize::from(pair >> 6)) {
                *bits |= 1 << (pair & 63);
            }
        }
        Self { begun, words }
    }

    fn search(&self, text: &str, mut found: impl FnMut(Range<usize>, usize)) {
        let mut before = 0;
        for (at, byte) in text.bytes().enumerate() {
            let pair = before << 8 | u16::from(byte.to_ascii_lowercase());
            before = pair & 0xff;
            if self.begun.get(usize::from(pair >> 6)).is_none_or(|bits| bits & (1 << (pair & 63)) == 0) || at == 0 {
                continue;
            }
            let first = self.words.partition_point(|(known, ..)| *known < pair);
            for (_, index, word) in self.words.iter().skip(first).take_while(|(known, ..)| *known == pair) {
                let place = at - 1..at - 1 + word.len();
                let said = text.as_bytes().get(place.clone());
                if said.is_some_and(|said| said.eq_ignore_ascii_case(word.as_bytes())) {
                    found(place, *index);
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

/// The words and their causes.
fn words() -> impl Iterator<Item = (&'static str, Cause)> {
    let formats = formats::keywords().map(|(word, number)| (word, Cause::Format(number)));
    let names = assigned::NAMES.iter().map(|word| (*word, Cause::Name));
    let headers = assigned::SCHEMES.iter().map(|word| (*word, Cause::Header));
    let urls = [("-u ", Cause::User), ("--user ", Cause::User), ("://", Cause::Scheme), ("\\\\", Cause::Share)];
    let lines = TRIGGERS.iter().flat_map(|(shape, words)| words.iter().map(|word| (*word, Cause::Line(*shape))));
    let sentences = phrases::openings().map(|(word, opening)| (word, Cause::Sentence(opening)));
    formats.chain(names).chain(headers).chain(urls).chain(lines).chain(sentences)
}

/// Every signal of a text, in the order they end.
pub(super) fn of(text: &str) -> Vec<Signal> {
    static CAUSES: LazyLock<Vec<Cause>> = LazyLock::new(|| words().map(|(_, cause)| cause).collect());
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
    search(text, |word, index| {
        let signal = CAUSES.get(index).map(|cause| Signal { at: word.start, end: word.end, cause: *cause });
        signals.extend(signal.filter(stands));
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

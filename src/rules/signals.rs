//! One pass over a text for every word that gives one of the scanners reason to look closer.
//!
//! The scanners for secrets, addresses, take-over and execution each name the words they start from; all of them are
//! searched for together, so that a text in which none stands is read once and costs nothing more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use super::injection::{Shape, TRIGGERS};
use super::phrases::{self, Opening};
use super::secrets::{assigned, formats};

/// What a word gives reason to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// A credential in the format of this number.
    Format(usize),
    /// A value assigned to a name that ends here.
    Name,
    /// The scheme of an `Authorization` header.
    Header,
    /// A login behind a flag: `-u user:password`.
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

/// A word and where it stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signal {
    /// Where it begins.
    pub(super) at: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// What it gives reason to look for.
    pub(super) cause: Cause,
}

/// Which words there are is the same for both; one is built in a moment, the other searches twice as fast.
struct Automaton {
    search: AhoCorasick,
    causes: Vec<Cause>,
}

/// From so many bytes on, the faster search has earned the milliseconds it takes to build.
const WORTH_BUILDING: usize = 1024 * 1024;

/// The automaton for a text of this length, after all texts this process has searched already.
fn automaton(length: usize) -> Option<&'static Automaton> {
    static QUICK: OnceLock<Option<Automaton>> = OnceLock::new();
    static FAST: OnceLock<Option<Automaton>> = OnceLock::new();
    static SEARCHED: AtomicUsize = AtomicUsize::new(0);
    let (built, kind) = match SEARCHED.fetch_add(length, Ordering::Relaxed) {
        0..WORTH_BUILDING => (&QUICK, AhoCorasickKind::ContiguousNFA),
        _ => (&FAST, AhoCorasickKind::DFA),
    };
    built.get_or_init(|| Automaton::build(kind)).as_ref()
}

impl Automaton {
    fn build(kind: AhoCorasickKind) -> Option<Self> {
        let (words, causes): (Vec<&str>, Vec<Cause>) = words().unzip();
        let search = AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(kind)).build(words).ok()?;
        Some(Self { search, causes })
    }
}

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
    let Some(Automaton { search, causes }) = automaton(text.len()) else { return Vec::new() };
    let bytes = text.as_bytes();
    search
        .find_overlapping_iter(text)
        .filter_map(|found| {
            let cause = *causes.get(found.pattern().as_usize())?;
            let stands = match cause {
                Cause::Format(number) => formats::stands(number, bytes, found.start(), found.end()),
                // Backslashes without end are no shares.
                Cause::Share => found.start().checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\\'),
                _ => true,
            };
            stands.then_some(Signal { at: found.start(), end: found.end(), cause })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_searched_for_in_any_case() {
        for kind in [AhoCorasickKind::ContiguousNFA, AhoCorasickKind::DFA] {
            assert!(Automaton::build(kind).is_some());
        }
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

//! Searches a text once for every word that starts a closer check.
//!
//! The scanners for secrets, addresses, injection and execution each list the words they start from. All words are
//! searched for together, so that a text without any is read only once.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem;

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
    /// Where it begins.
    pub(super) at: usize,
    /// Where it ends.
    pub(super) end: usize,
    /// What to look for.
    pub(super) cause: Cause,
}

/// From how many bytes on an automaton pays off: for the 640 words it takes 3 ms to build, in which 128 KiB are searched
/// word by word (`cargo bench --bench forge`).
const AUTOMATON_AFTER: usize = 128 * 1024;

/// Where the words are in a text, in any ASCII case, each with its number in [`words`].
fn occurrences(text: &str) -> Vec<(usize, Range<usize>)> {
    static AUTOMATON: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    static SEARCHED: AtomicUsize = AtomicUsize::new(0);
    if SEARCHED.fetch_add(text.len(), Ordering::Relaxed) < AUTOMATON_AFTER {
        return one_by_one(text);
    }
    let build = || {
        let kind = Some(AhoCorasickKind::DFA);
        AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(words().map(|one| one.0)).ok()
    };
    let Some(automaton) = AUTOMATON.get_or_init(build) else { return one_by_one(text) };
    let found = automaton.find_overlapping_iter(text);
    found.map(|word| (word.pattern().as_usize(), word.range())).collect()
}

fn one_by_one(text: &str) -> Vec<(usize, Range<usize>)> {
    let text = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (number, (word, _)) in words().enumerate() {
        let word = word.to_ascii_lowercase();
        let finder = memmem::Finder::new(&word);
        let mut from = 0;
        while let Some(at) = text.as_bytes().get(from..).and_then(|rest| finder.find(rest)) {
            let at = from + at;
            found.push((number, at..at + word.len()));
            from = at + 1;
        }
    }
    found
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
    let found = occurrences(text).into_iter();
    let found = found.filter_map(|(word, at)| Some(Signal { at: at.start, end: at.end, cause: *CAUSES.get(word)? }));
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
    let mut signals: Vec<Signal> = found.filter(stands).collect();
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
    fn an_automaton_finds_what_one_search_for_each_word_finds() {
        let text = words().map(|(word, _)| word.to_uppercase()).collect::<Vec<_>>().join(" ") + r" \\\host aaaa";
        let mut slow = one_by_one(&text);
        let large = " ".repeat(AUTOMATON_AFTER);
        occurrences(&large);
        let mut quick = occurrences(&text);
        slow.sort_by_key(|(word, at)| (at.start, at.end, *word));
        quick.sort_by_key(|(word, at)| (at.start, at.end, *word));
        assert!(slow.len() > 640);
        assert_eq!(slow, quick);
    }

    #[test]
    fn ordinary_prose_gives_no_signal() {
        let prose = "# Review\n\nRead the difference, list the risks, and ask for what is missing.\n";
        assert_eq!(of(prose), Vec::new());
    }
}

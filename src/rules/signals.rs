//! Searches a text once for every word that starts a closer check.
//!
//! The scanners for secrets, addresses, injection and execution each list the words they start from. All words are
//! searched for together, so that a text without any is read only once.

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

/// From how many bytes on a DFA pays off: for the 640 words it takes 3 ms to build where an NFA takes 1 ms, and
/// searches a megabyte in 4 ms instead of 9 (`cargo bench --bench forge`).
const DFA_AFTER: usize = 512 * 1024;

/// The automaton for [`words`], in any ASCII case; `text` is searched with it.
fn automaton(text: &str) -> Option<&'static AhoCorasick> {
    static NFA: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    static DFA: OnceLock<Option<AhoCorasick>> = OnceLock::new();
    static SEARCHED: AtomicUsize = AtomicUsize::new(0);
    let of =
        |kind| AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(kind)).build(words().map(|one| one.0));
    if SEARCHED.fetch_add(text.len(), Ordering::Relaxed) < DFA_AFTER {
        NFA.get_or_init(|| of(AhoCorasickKind::NoncontiguousNFA).ok()).as_ref()
    } else {
        DFA.get_or_init(|| of(AhoCorasickKind::DFA).ok()).as_ref()
    }
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
    let found = automaton(text).into_iter().flat_map(|automaton| automaton.find_overlapping_iter(text));
    let found = found.filter_map(|word| {
        Some(Signal { at: word.start(), end: word.end(), cause: *CAUSES.get(word.pattern().as_usize())? })
    });
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
    fn ordinary_prose_gives_no_signal() {
        let prose = "# Review\n\nRead the difference, list the risks, and ask for what is missing.\n";
        assert_eq!(of(prose), Vec::new());
    }
}

//! One pass over a text for every word that gives one of the scanners reason to look closer.
//!
//! The scanners for secrets, addresses, take-over and execution each name the words they start from; all of them are
//! searched for together, so that a text in which none stands is read once and costs nothing more.

use std::sync::LazyLock;

use super::injection::{Shape, TRIGGERS};
use super::phrases::{self, Opening};
use super::secrets::{assigned, formats};
use super::seeker::{Seeker, Word};

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

/// The words, and what each gives reason to look for.
struct Words {
    seeker: Seeker,
    causes: Vec<Cause>,
}

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let (words, causes) =
        words().map(|(text, cause)| (Word { text, goes_on: goes_on(cause), begins: begins(cause) }, cause)).unzip();
    Words { seeker: Seeker::new(words), causes }
});

/// Whether a word is none where little stands behind it.
fn goes_on(cause: Cause) -> bool {
    matches!(cause, Cause::Format(number) if formats::goes_on(number))
}

/// Whether a word is none inside another.
fn begins(cause: Cause) -> bool {
    goes_on(cause) || matches!(cause, Cause::Sentence(_))
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
    let Words { seeker, causes } = &*WORDS;
    let bytes = text.as_bytes();
    let mut signals = Vec::new();
    seeker.each(text, |at, end, word| {
        let Some(cause) = causes.get(word).copied() else { return };
        let stands = match cause {
            Cause::Format(number) => formats::stands(number, bytes, at, end),
            // Backslashes without end are no shares.
            Cause::Share => at.checked_sub(1).and_then(|before| bytes.get(before)) != Some(&b'\\'),
            _ => true,
        };
        if stands {
            signals.push(Signal { at, end, cause });
        }
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

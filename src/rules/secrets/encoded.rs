//! Credentials in a known format that are encoded: base 64, hexadecimal, percent-encoding.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use super::login::decoded;
use super::{Place, SecretMatch, formats};
use crate::rules::signals;

/// The shortest encoded text that is decoded, in bytes: no credential is shorter in base 64.
const LEAST: usize = 20;
/// The longest percent-encoded word that is decoded, in bytes.
const LONGEST_WORD: usize = 4096;
/// How many bytes of a text are tested for being encoded.
const SAMPLE: usize = 8;

/// The encoded texts that contain a value in a known format, up to `most`.
pub(super) fn scan(text: &str, place: Place, most: usize) -> Vec<SecretMatch> {
    let runs = runs(text).flat_map(|run| pieces(text, run));
    let hidden = runs.filter_map(|span| Some((plain(text.get(span.clone())?)?, span)));
    let percent = words(text).filter_map(|span| {
        let Cow::Owned(bytes) = Cow::from(percent_decode_str(text.get(span.clone())?)) else { return None };
        Some((String::from_utf8(bytes).ok()?, span))
    });
    let known = |(plain, span): (String, Range<usize>)| {
        let first = formats::scan(&plain, &signals::of(&plain), place, 1).into_iter().next()?;
        Some(SecretMatch { span, ..first })
    };
    hidden.chain(percent).filter_map(known).take(most).collect()
}

/// Every sufficiently long run of base 64 characters, in either alphabet. The last other character within the shortest
/// length tells where the next may begin, so that few bytes of prose are looked at.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let other = |b: &u8| !b.is_ascii_alphanumeric() && !matches!(b, b'+' | b'/' | b'-' | b'_');
    let (bytes, mut start) = (text.as_bytes(), 0);
    std::iter::from_fn(move || {
        loop {
            let (least, rest) = bytes.get(start..)?.split_at_checked(LEAST)?;
            match least.iter().rposition(other) {
                Some(at) => start += at + 1,
                None => {
                    let run = start..start + LEAST + rest.iter().position(other).unwrap_or(rest.len());
                    start = run.end + 1;
                    return Some(run);
                }
            }
        }
    })
}

/// A run, and its parts between the characters that also occur in paths and names.
fn pieces(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = vec![run.clone()];
    for signs in [&['/'][..], &['+', '/', '-', '_']] {
        let mut at = run.start;
        for part in text.get(run.clone()).unwrap_or_default().split(signs) {
            let piece = at..at + part.len();
            if part.len() >= LEAST && pieces.last() != Some(&piece) && part.len() < run.len() {
                pieces.push(piece);
            }
            at += part.len() + 1;
        }
    }
    pieces
}

/// The text decoded from base 64 or hexadecimal digits, if it is readable.
fn plain(encoded: &str) -> Option<String> {
    let readable = |bytes: &[u8]| bytes.iter().all(|b| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t'));
    let sample = decoded(encoded.get(..SAMPLE)?).is_some_and(|bytes| readable(&bytes));
    let bytes = if sample { decoded(encoded) } else { hexadecimal(encoded) };
    String::from_utf8(bytes.filter(|bytes| readable(bytes))?).ok()
}

fn hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| match pair {
        [high, low] => Some(digit(high)? << 4 | digit(low)?),
        _ => None,
    };
    text.as_bytes().chunks(2).map(byte).collect()
}

/// The words with a percent sign in them.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let (bytes, mut from) = (text.as_bytes(), 0);
    let ends = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')');
    let words = std::iter::from_fn(move || {
        let rest = bytes.get(from..)?;
        let sign = memchr::memchr(b'%', rest)?;
        let (before, after) = rest.split_at(sign);
        let start = from + before.iter().rposition(ends).map_or(0, |at| at + 1);
        from += sign + after.iter().position(ends).unwrap_or(after.len());
        Some(start..from)
    });
    words.filter(|word| word.len() <= LONGEST_WORD)
}

#[cfg(test)]
mod tests {
    use super::{LEAST, runs, words};
    use crate::rules::secrets::{redact, scan, scan_input};

    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    fn token() -> String {
        ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat()
    }

    fn base64(text: &str) -> String {
        let mut out = String::new();
        for three in text.as_bytes().chunks(3) {
            let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
            (0..=three.len()).for_each(|at| out.push(char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize])));
            (three.len()..3).for_each(|_| out.push('='));
        }
        out
    }

    #[test]
    fn a_token_behind_an_encoding_is_found_and_taken_out() {
        let token = token();
        let hex: String = token.bytes().map(|byte| format!("{byte:02x}")).collect();
        let percent: String = token.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let url_safe = base64(&token).replace('+', "-").replace('/', "_");
        let in_text = base64(&format!("export TOKEN={token}\n"));
        for encoded in [base64(&token), url_safe, hex.clone(), hex.to_uppercase(), percent, in_text] {
            for text in [encoded.clone(), format!("é use {encoded}, now"), format!("data:text/plain/{encoded}")] {
                let hits = scan(&text);
                assert_eq!(hits.iter().map(|hit| hit.rule).collect::<Vec<_>>(), ["github-token"], "{text}");
                assert_eq!(scan_input(&text).len(), 1);
                assert!(!redact(&text).0.contains(&encoded), "{text}");
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn runs_lie_between_other_characters(text in "([a-zA-Z0-9+/_-]{0,45}[ .é]{0,2}){0,4}") {
            let other = |c: char| !c.is_ascii_alphanumeric() && !"+/-_".contains(c);
            let long: Vec<&str> = text.split(other).filter(|run| run.len() >= LEAST).collect();
            proptest::prop_assert_eq!(runs(&text).map(|run| &text[run]).collect::<Vec<_>>(), long);
        }
    }

    #[test]
    fn words_with_a_percent_sign_end_where_a_text_would_end_them() {
        let text = "100% (a%20b) \"%41%\" none <x%y>%";
        let found: Vec<&str> = words(text).map(|word| &text[word]).collect();
        assert_eq!(found, ["100%", "a%20b", "%41%", "x%y", "%"]);
        assert_eq!(words(&"%41".repeat(2000)).count(), 0, "a longer one is not decoded");
    }

    #[test]
    fn what_is_no_credential_passes() {
        for text in [
            base64("The quick brown fox jumps over the lazy dog"),
            "references/how-to-write-a-good-description-for-a-skill/index-of-everything".to_owned(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855".to_owned(),
            "https://example.com/a%20b%2Fc?d=%7B%22e%22%3A1%7D 100% of %s".to_owned(),
        ] {
            assert!(scan(&text).is_empty(), "{text}");
        }
    }

    #[test]
    fn many_runs_take_no_longer_than_their_length() {
        let begin = std::time::Instant::now();
        for text in ["QUJD".repeat(1 << 15), "%41".repeat(1 << 15), "QUJDQUJDQUJDQUJDQUJD ".repeat(1 << 12)] {
            assert!(scan(&text).is_empty());
        }
        assert!(begin.elapsed() < std::time::Duration::from_secs(30));
    }
}

//! Finds credentials in text (T0-HEFESTO-11.secret): known formats, logins in URLs, and keys assigned literally.

pub(super) mod assigned;
mod encoded;
pub(super) mod formats;
mod login;
mod names;
mod placeholder;
mod redact;

pub use names::credential_under;
pub use redact::{redact, redact_beside};

use std::cell::LazyCell;
use std::ops::Range;

use crate::skill::position::Lines;

use super::signals::{self, Signal};

/// How many credentials of one text are reported.
const MAX_HITS: usize = 100;
/// How many are collected before overlaps are removed.
const ENOUGH: usize = 4 * MAX_HITS;

/// A credential found in a text, without the credential itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The kind, such as `github-token`.
    pub rule: &'static str,
    /// What it is, in words, with its article.
    pub title: &'static str,
    /// 1-based line.
    pub line: usize,
    /// 1-based column in Unicode scalar values.
    pub column: usize,
    /// Its first characters, at most four and at most a quarter of it.
    pub hint: String,
}

/// A credential by its place in the text.
struct SecretMatch {
    rule: &'static str,
    title: &'static str,
    span: Range<usize>,
}

/// Where a text is from, or where it goes: decides whether values that may be examples count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A file may contain published examples, such as an access key id that ends in EXAMPLE.
    File,
    /// Input: examples count, too.
    Input,
    /// Text for the memory: any value under the name of a credential counts.
    Memory,
}

/// The first hundred credentials of a text. Placeholders are none, nor are bare words such as "password".
pub fn scan(text: &str) -> Vec<Hit> {
    hits(text, &signals::of(text), Place::File)
}

/// [`scan`] for input: published examples count, too.
pub fn scan_input(text: &str) -> Vec<Hit> {
    hits(text, &signals::of(text), Place::Input)
}

/// [`scan`] for text to be remembered: any value under the name of a credential counts.
pub fn scan_memory(text: &str) -> Vec<Hit> {
    hits(text, &signals::of(text), Place::Memory)
}

/// [`scan`] with the signals of the text.
pub(super) fn among(text: &str, signals: &[Signal]) -> Vec<Hit> {
    hits(text, signals, Place::File)
}

fn hits(text: &str, signals: &[Signal], place: Place) -> Vec<Hit> {
    let mut found = find(text, signals, place, ENOUGH);
    found.truncate(MAX_HITS);
    let lines = LazyCell::new(|| Lines::new(text));
    let hit = |one: SecretMatch| {
        let at = lines.position(one.span.start);
        let value = text.get(one.span).unwrap_or("");
        let hint = value.chars().take((value.chars().count() / 4).min(4)).collect();
        Hit { rule: one.rule, title: one.title, line: at.line, column: at.column, hint }
    };
    found.into_iter().map(hit).collect()
}

/// The byte ranges of all credentials of a text, in order.
pub fn spans(text: &str) -> Vec<Range<usize>> {
    find(text, &signals::of(text), Place::File, usize::MAX).into_iter().map(|one| one.span).collect()
}

/// The credentials of a text in order, none overlapping the next; up to `most` of those known by their format, and as
/// many of those known only by their place.
fn find(text: &str, signals: &[Signal], place: Place, most: usize) -> Vec<SecretMatch> {
    let mut known = formats::scan(text, signals, place, most);
    known.extend(encoded::scan(text, place, most));
    apart(&mut known);
    let mut found = assigned::scan(text, signals, place, most);
    found.retain(|one| {
        let next = known.partition_point(|format| format.span.end <= one.span.start);
        known.get(next).is_none_or(|format| !overlaps(&format.span, &one.span))
    });
    found.extend(known);
    apart(&mut found);
    found
}

/// Sorts, and leaves the first of those that overlap.
fn apart(found: &mut Vec<SecretMatch>) {
    found.sort_by_key(|one| (one.span.start, one.span.end));
    found.dedup_by(|later, earlier| overlaps(&later.span, &earlier.span));
}

fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(text: &str) -> Vec<&'static str> {
        scan(text).into_iter().map(|hit| hit.rule).collect()
    }

    #[test]
    fn a_hit_gives_its_place_and_at_most_four_characters() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        let hits = scan(&format!("é first\nthe ç {key}\n"));
        let hit = hits.first().map(|hit| (hit.line, hit.column, hit.hint.as_str()));
        assert_eq!(hit, Some((2, 7, "ghp_")));
    }

    #[test]
    fn a_sentence_gives_a_key_without_quotes() {
        let key = ["wJ4lrXUtnFEMI7K8", "MDENGbPxRfiCYqT3", "uVn9sZ0a"].concat();
        for text in [
            format!("- The secret of the present key is {key}."),
            format!("The old pair with secret {key} is no longer used."),
            format!("O segredo é {key}"),
        ] {
            assert_eq!(rules(&text), ["assigned-secret"], "{text}");
        }
        for text in [
            "The secret of the present key is in the secret store of the team.",
            "The token is validateEmailAddressesWithRegex2026 times",
            "The token is Base64UrlEncodedJwtHeader256Payload",
            "the secret name is projects/Shop/secrets/dbPassword2",
            "a secret ThatIsNotOneButALongWord",
        ] {
            assert_eq!(rules(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn near_misses_of_formats_are_no_secrets() {
        let signed = "Zk3uR8vQ-1xW7pL2_mT9bN4cY6-dF0g";
        for near in [
            ["p", "a-", signed].concat(),
            ["vc", "p_", "short"].concat(),
            ["ke", "y_", "of_the_", "a".repeat(40).as_str()].concat(),
            "data-pa-analysis-of-the-whole-report-and-all-of-it".to_owned(),
            "https://infura.io/v3/YOUR-PROJECT-ID".to_owned(),
        ] {
            assert_eq!(rules(&near), Vec::<&str>::new(), "{near}");
        }
    }

    #[test]
    fn keys_of_unknown_services_and_uuids_count_by_their_names() {
        let long = ["q7RzT2xv", "9LmKp4Wd", "H3sBn6Yc", "J8fVg1Qe", "5tXa"].concat();
        let hex = ["9c2f71e4", "03bd4a58", "b6e7f1d0", "5a8c2394"].concat();
        let uuid = ["9c2f71e4-", "03bd-4a58-", "b6e7-f1d05a8c2394"].concat();
        for text in [
            format!("AZURE_MAPS_KEY={long}"),
            format!("fernet_key = '{long}'"),
            format!("deepgram_key: {hex}"),
            format!("SOME_API_KEY={uuid}"),
            format!("PINECONE_KEY={uuid}"),
            format!("//registry.acme.io/:authToken={uuid}"),
            format!("CONFLUENCE_PAT={long}"),
            format!("FINNHUB_API_KEY={}", &hex[..20]),
        ] {
            assert_eq!(rules(&text), ["assigned-secret"], "{text}");
        }
        for text in [
            format!("CACHE_KEY={hex}"),
            format!("GPG_KEY={hex}"),
            format!("NEXT_PUBLIC_KEY={long}"),
            format!("foo_key={}", &long[..20]),
            format!("client_id: {uuid}"),
            format!("csrf_token: {uuid}"),
            format!("sample token: {long}"),
            "PATH=/usr/bin; _path = abc".to_owned(),
        ] {
            assert_eq!(rules(&text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn placeholders_are_no_secrets() {
        for text in [
            "export OPENAI_API_KEY=sk-your-key-here-0123456789abcdef",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "api_key = get_key_from_vault_v2(name1)",
        ] {
            assert_eq!(rules(text), Vec::<&str>::new(), "{text}");
        }
    }

    #[test]
    fn an_example_counts_only_where_no_value_is_of_use() {
        let example = ["AK", "IAIOSFODNN7EXA", "MPLE"].concat();
        assert_eq!(scan(&example), Vec::new());
        assert_eq!(scan_input(&example).len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,80}", odd in "(token|://|--|bearer |=|:|é|\"|@|a1){0,30}") {
            let _ = scan(&text);
            let _ = scan_input(&odd);
        }
    }
}

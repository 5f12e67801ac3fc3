//! Tells a real value from a stand-in: entropy, masks, words that say "put yours here".

/// Parts of a value that say it is none.
const MASKS: &[&str] = &[
    "xxxx",
    "****",
    "....",
    "…",
    "your",
    "placeholder",
    "redacted",
    "changeme",
    "dummy",
    "insert",
    "example",
    "sample",
];
/// Parts that say so in values recognised only by what they are assigned to.
const STAND_INS: &[&str] = &[
    "change-me",
    "change_me",
    "fake",
    "test",
    "replace",
    "secret",
    "password",
    "passwd",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "todo",
    "foobar",
    "lorem",
    "default",
    "value",
    "string",
    "hidden",
    "mock",
    "demo",
    "1234567",
    "abcdef",
    "0123456",
    "987654",
    "qwerty",
    "hunter2",
    "letmein",
    "...",
];

/// Shannon entropy of a text in bits per character.
pub(super) fn entropy(text: &str) -> f64 {
    let mut counts = std::collections::BTreeMap::new();
    let mut total = 0_u32;
    for c in text.chars() {
        *counts.entry(c).or_insert(0_u32) += 1;
        total += 1;
    }
    counts.values().map(|count| f64::from(*count) / f64::from(total)).map(|share| -share * share.log2()).sum()
}

/// Whether a value in a known format is evidently masked. A certain format is only let go when its characters repeat.
pub(super) fn is_masked(value: &str, certain: bool) -> bool {
    let lower = value.to_ascii_lowercase();
    let distinct = lower.bytes().collect::<std::collections::BTreeSet<_>>().len();
    if certain {
        return lower.contains("xxxxxx") || distinct <= 5;
    }
    distinct <= 6
        || value.contains(['<', '{', '$']) && !value.contains("token$")
        || MASKS.iter().any(|mask| lower.contains(mask))
}

/// Whether a value assigned to something called a key is a stand-in, a reference or an ordinary word.
pub(super) fn is_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    is_masked(value, false)
        || STAND_INS.iter().any(|word| lower.contains(word))
        || lower.contains("://")
        || ["env.", "env[", "process.", "os.", "secrets.", "vault", "arn:", "config.", "self.", "this."]
            .iter()
            .any(|start| lower.starts_with(start))
        || made_of_words(value)
}

/// `my-app-2024`, `config.auth.v2`: pieces that are words or short numbers.
fn made_of_words(value: &str) -> bool {
    let pieces: Vec<&str> = value.split(['-', '_', '.', '/', ':']).filter(|piece| !piece.is_empty()).collect();
    pieces.len() > 1 && pieces.iter().all(|piece| is_word(piece))
}

fn is_word(piece: &str) -> bool {
    let letters = piece.trim_end_matches(|c: char| c.is_ascii_digit());
    piece.len() - letters.len() <= 4 && letters.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_bits_per_character() {
        assert!(entropy("aaaa").abs() < 1e-9);
        assert!((entropy("abcd") - 2.0).abs() < 1e-9);
        assert!(entropy("").abs() < 1e-9);
    }

    #[test]
    fn words_are_no_values() {
        assert!(is_stand_in("my-app-2024"));
        assert!(is_stand_in("config.auth.v2"));
        assert!(!is_stand_in(&["q7Rz", "T2xv", "9LmK"].concat()));
    }
}

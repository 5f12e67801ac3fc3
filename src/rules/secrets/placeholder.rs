//! Distinguishes a real value from a placeholder: entropy, masks, words such as "your-key-here", identifiers.

use crate::rules::words::Words;

/// Words that mark a value as a placeholder.
static MASKS: Words = Words::of(&[
    "xxxx", "****", "....", "…", "your", "placeholder", "redacted", "changeme", "change-me", "change_me", "dummy",
    "insert", "example", "sample", "replace", "fake", "notreal", "not-real", "not_real", "not-a-real", "notareal",
    "goes-here", "goes_here", "1234567890abcdef", "0123456789abcdef", "abcdefghij",
]);
/// Words that mark a placeholder in values recognised only by their names.
static STAND_INS: Words = Words::of(&[
    "test", "secret", "password", "passwd", "token", "apikey", "api_key", "api-key", "todo", "foobar", "lorem",
    "default", "value", "string", "hidden", "mock", "demo", "1234567", "a1b2c3", "abcdef", "0123456", "987654",
    "qwerty", "hunter2", "letmein", "...", "privatekey", "publickey", "credential", "sha256-", "sha384-", "sha512-",
]);
/// Published example values, by their prefixes or suffixes.
static PUBLISHED: Words = Words::of(&[
    "4eC39HqLyjWDarj",
    "TYooMQauvdEDq54",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIi",
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "wJalrXUtnFEMI",
    "BQokikJOvBiI2HlWgH4olfQ2",
    "16C7e42F292c6912E7710c838347Ae178B4a",
    "19874698323-pdFZKVeTuE8sk7oOcHrzqqgy",
    "ngeVfQFYQlKU0ufo8x5d1A",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50u",
    "2YotnFZFEjr1zCsicMWpAA",
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "czZCaGRSa3F0MzpnWDFmQmF0M2JW",
    "pk.eyJ",
    "JBSWY3DPEHPK3PXP",
    "eyJzb21lIjoicGF5bG9hZCJ9",
]);
/// The least bits per character of a value known only by its name, and of a long one in hexadecimal.
const FLOOR: f64 = 3.5;
const HEX_FLOOR: f64 = 3.0;
/// From this length on a hexadecimal value counts as long.
const LONG_HEX: usize = 20;
/// From this length on a value of letters alone may be random.
const LETTERS_ALONE: usize = 12;
/// The least share of its possible entropy that a short value has.
const SHORT_FLOOR: f64 = 0.82;

/// Shannon entropy of a text in bits per byte.
pub(super) fn entropy(text: &str) -> f64 {
    let total = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let used = counts(text).into_iter().filter(|count| *count > 0).map(|count| f64::from(count) / total);
    used.map(|share| -share * share.log2()).sum()
}

/// How often each byte occurs.
fn counts(text: &str) -> [u32; 256] {
    let mut counts = [0; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    counts
}

fn distinct(text: &str) -> usize {
    counts(text).into_iter().filter(|count| *count > 0).count()
}

/// Whether a value in a known format is masked. A certain format is ignored only if its characters repeat.
pub(super) fn is_masked(value: &str, certain: bool) -> bool {
    let lower = value.to_ascii_lowercase();
    if certain {
        return lower.contains("xxxxxx") || distinct(&lower) <= 5;
    }
    distinct(&lower) <= 6
        || value.contains(['<', '{', '$']) && !value.contains("token$")
        || MASKS.are_in(&lower)
        || PUBLISHED.are_in(value)
        || counts_up(&lower)
}

/// Whether a value is obviously invented, or repeats one or two characters.
pub(super) fn is_made_up(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    MASKS.are_in(&lower) || distinct(&lower) <= 2 || counts_up(&lower)
}

/// Whether most characters are successors of the previous ones: `abcdefgh12345678`.
fn counts_up(lower: &str) -> bool {
    let steps = lower.as_bytes().windows(2).filter(|pair| matches!(pair, [a, b] if a.checked_add(1) == Some(*b)));
    steps.count() * 2 > lower.len()
}

/// Whether a value could be a random one: printable, varied, and not of letters alone unless it is long.
pub(super) fn looks_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let lower = value.bytes().any(|b| b.is_ascii_lowercase());
    let upper = value.bytes().any(|b| b.is_ascii_uppercase());
    let mixed = lower && upper;
    let signs = value.bytes().filter(|b| b"!@#%^*?~+=&$".contains(b)).count();
    let most = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX)).log2();
    let hex = value.len() >= LONG_HEX && value.bytes().all(|b| b.is_ascii_hexdigit());
    value.bytes().all(|b| b.is_ascii_graphic())
        && (lower || upper)
        && (digits >= 2
            || mixed && (digits == 1 || signs > 0)
            || mixed && value.len() >= LETTERS_ALONE && !is_camel(value))
        && !value.contains(['(', '[', '<', '{', '|', '\\'])
        && entropy(value) >= if hex { HEX_FLOOR } else { FLOOR.min(SHORT_FLOOR * most) }
}

/// Whether a value assigned to a key is a placeholder, a reference or an ordinary word.
pub(super) fn is_stand_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    is_masked(value, false)
        || STAND_INS.are_in(judged_part(&lower))
        || lower.contains("://")
        || lower.contains("::")
        || value.starts_with(['$', '~', '.'])
        || value.starts_with('/') && !is_encoded(value)
        || value.starts_with("@/")
        || value.starts_with('%') && value.ends_with('%')
        || ["env.", "env[", "process.", "os.", "secrets.", "vault", "arn:", "config.", "self.", "this.", "ref+", "op:"]
            .iter()
            .any(|start| lower.starts_with(start))
        || is_uuid(value)
        || stands_for_words(value)
        || made_of_words(value)
}

/// The shortest last piece of a value that is judged without the rest.
const LONG_PIECE: usize = 28;

/// The part of a value to judge: all of it, or only a long random piece at its end, since real values may also begin
/// with `test_` and `token_`.
fn judged_part(lower: &str) -> &str {
    let Some((_, last)) = lower.rsplit_once(['_', '-']).filter(|(_, last)| last.len() >= LONG_PIECE) else {
        return lower;
    };
    let plain = last.bytes().all(|b| b.is_ascii_alphanumeric());
    if plain && last.bytes().filter(u8::is_ascii_digit).count() >= 4 && looks_random(last) { last } else { lower }
}

/// Whether a value is too long and too mixed for a path: base 64 may begin with a slash.
fn is_encoded(value: &str) -> bool {
    value.len() >= LONG_HEX && value.contains(['+', '=']) && !value.contains(['.', '-', '_'])
}

/// Whether a value is a placeholder in base 64, such as the `password` of a manifest.
fn stands_for_words(value: &str) -> bool {
    let letters = value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='));
    let text = || String::from_utf8(super::login::decoded(value)?).ok();
    letters
        && value.len().is_multiple_of(4)
        && text().is_some_and(|text| {
            text.len() >= 4
                && text.bytes().all(|b| b.is_ascii_graphic())
                && (!looks_random(&text) || is_stand_in(&text))
        })
}

/// `8-4-4-4-12` hexadecimal digits: an identifier, which is no secret by itself.
fn is_uuid(value: &str) -> bool {
    let lengths = value.split('-').map(|part| (part.len(), part.bytes().all(|b| b.is_ascii_hexdigit())));
    lengths.eq([8, 4, 4, 4, 12].map(|length| (length, true)))
}

/// UUIDs that documentation prints.
const PRINTED_UUIDS: &[&str] = &[
    "550e8400-e29b-41d4-a716-446655440000",
    "123e4567-e89b-12d3-a456-426614174000",
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "3fa85f64-5717-4562-b3fc-2c963f66afa6",
];

/// Whether a value is a random UUID and not a typed example: varied, without alternating letters and digits.
pub(super) fn is_random_uuid(value: &str) -> bool {
    // Most values are no UUID of any kind.
    if !is_uuid(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let digits: Vec<u8> = lower.bytes().filter(|b| *b != b'-').collect();
    let turns =
        digits.windows(2).filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit())).count();
    let steps = digits.windows(2).filter(|pair| matches!(pair, [a, b] if a.checked_add(1) == Some(*b))).count();
    distinct(&lower) >= 9
        && turns < 24
        && steps < 10
        && !PRINTED_UUIDS.contains(&lower.as_str())
        && !lower.starts_with("12345678")
        && !is_masked(&lower, true)
}

/// `my-app-2024`, `config.auth.v2`, `getUserTokenFromEnv2`: pieces that are words or short numbers.
fn made_of_words(value: &str) -> bool {
    let pieces: Vec<&str> =
        value.split(['-', '_', '.', '/', ':', '+', '=', '@', '*']).filter(|piece| !piece.is_empty()).collect();
    let number = |piece: &str| piece.bytes().all(|b| b.is_ascii_digit()) && piece.len() <= 8;
    pieces.iter().all(|piece| is_word(piece) || number(piece) || is_identifier(piece))
        && (pieces.len() > 1 || pieces.iter().all(|piece| is_camel(piece) || is_identifier(piece)))
        || is_constant(value)
}

/// `X509RequestInheritOptions`: most letters are in capitalised words, with few digits between.
fn is_identifier(piece: &str) -> bool {
    /// Twice the average length of a word, and the length from which a word is not random.
    const AVERAGE: usize = 7;
    const LONG: usize = 4;
    let bytes = piece.as_bytes();
    let (mut words, mut letters, mut in_words, mut at) = (0, 0, 0, 0);
    while let Some(first) = bytes.get(at) {
        let rest = bytes.get(at + 1..).unwrap_or(&[]);
        let lower = rest.iter().take_while(|b| b.is_ascii_lowercase()).count();
        let length = match first {
            b'A'..=b'Z' if lower == 0 => {
                let upper = 1 + rest.iter().take_while(|b| b.is_ascii_uppercase()).count();
                // The last capital begins the next word.
                upper - usize::from(bytes.get(at + upper).is_some_and(u8::is_ascii_lowercase))
            }
            b'A'..=b'Z' | b'a'..=b'z' => {
                in_words += if lower + 1 >= LONG { lower + 1 } else { 0 };
                lower + 1
            }
            b'0'..=b'9' => {
                at += 1;
                continue;
            }
            _ => return false,
        };
        (words, letters, at) = (words + 1, letters + length, at + length);
    }
    let digits = piece.len() - letters;
    digits <= 4 && letters > 0 && 2 * letters >= AVERAGE * words && in_words * 5 >= letters * 3
}

/// `S4U2PROXY_CRED`: how constants are written, in capitals and digits with `_` between short pieces.
fn is_constant(value: &str) -> bool {
    value.contains('_')
        && value
            .split('_')
            .all(|piece| piece.len() <= 10 && piece.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()))
}

/// Letters in one case, perhaps with a capital, and at most four digits at the end.
fn is_word(piece: &str) -> bool {
    let letters = piece.trim_end_matches(|c: char| c.is_ascii_digit());
    piece.len() - letters.len() <= 4 && letters.bytes().all(|b| b.is_ascii_alphabetic()) && (is_camel(letters))
}

/// Whether capitals begin words of three letters or more, or all letters are capitals, as in names.
fn is_camel(piece: &str) -> bool {
    let letters = piece.trim_end_matches(|c: char| c.is_ascii_digit());
    if letters.bytes().all(|b| b.is_ascii_uppercase()) || letters.bytes().all(|b| b.is_ascii_lowercase()) {
        return letters.len() < 24;
    }
    let capitals = letters.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
    letters.bytes().all(|b| b.is_ascii_alphabetic()) && letters.len() >= (capitals + 1) * 4
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_bits_per_byte() {
        assert!(entropy("aaaa").abs() < 1e-9);
        assert!((entropy("abcd") - 2.0).abs() < 1e-9);
        assert!(entropy("").abs() < 1e-9);
    }

    #[test]
    fn a_uuid_of_chance_is_distinguished_from_a_typed_one() {
        assert!(is_random_uuid(&["9c2f71e4-", "03bd-4a58-", "b6e7-f1d05a8c2394"].concat()));
        for value in [
            "a1b2c3d4-e5f6-7890-abcd-ef1234567890",
            "550e8400-e29b-41d4-a716-446655440000",
            "12345678-1234-1234-1234-123456789012",
            "00000000-0000-0000-0000-000000000001",
            "not-a-uuid",
        ] {
            assert!(!is_random_uuid(value), "{value}");
        }
    }

    #[test]
    fn words_references_and_identifiers_are_no_values() {
        for text in [
            "my-app-2024",
            "config.auth.v2",
            "readTheWholeFile2",
            "123e4567-e89b-12d3-a456-426614174000",
            "${API_KEY_2}",
            "/run/keys/a1b2c3",
            "abcdefgh12345678",
        ] {
            assert!(is_stand_in(text), "{text}");
        }
        for value in [["q7Rz", "T2xv", "9LmK"].concat(), ["hQ-3x", "_Zr8", "Wm2p"].concat()] {
            assert!(!is_stand_in(&value) && looks_random(&value), "{value}");
        }
    }

    #[test]
    fn names_of_programs_are_spelled() {
        for name in [
            "my-app-2024",
            "config.auth.v2",
            "readTheWholeFile2",
            "X509RequestInheritOptions",
            "ExtendedKeyUsageOID.CLIENT_AUTH",
            "uddiv3ServiceKey",
            "PSecBufferDesc",
            "PKERB_S4U2PROXY_CRED",
        ] {
            assert!(made_of_words(name), "{name}");
        }
        for value in [["q7Rz", "T2xv", "9LmK"].concat(), ["hQ-3x", "_Zr8", "Wm2p"].concat()] {
            assert!(!made_of_words(&value), "{value}");
        }
    }
}

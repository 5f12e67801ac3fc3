//! Distinguishes words, identifiers and constants from random values.

/// `my-app-2024`, `config.auth.v2`, `getUserTokenFromEnv2`: pieces that are words or short numbers.
pub(super) fn made_of_words(value: &str) -> bool {
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
pub(super) fn is_camel(piece: &str) -> bool {
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

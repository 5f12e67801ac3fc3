//! Tokens with a checksum: GitHub's and npm's end in the CRC-32 of the random part.

/// The digits of a base-62 number, in order of value.
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The prefixes of such tokens.
const PREFIXES: &[&str] = &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_"];
const LENGTH: usize = 6;

/// Whether a value is such a token whose last six characters are the CRC-32 of the rest in base 62.
pub(super) fn holds(value: &str) -> bool {
    let Some(random) = PREFIXES.iter().find_map(|prefix| value.strip_prefix(prefix)) else { return false };
    let Some((random, check)) = random.len().checked_sub(LENGTH).and_then(|cut| random.split_at_checked(cut)) else {
        return false;
    };
    let mut crc = flate2::Crc::new();
    crc.update(random.as_bytes());
    base62(crc.sum()) == check.as_bytes()
}

fn base62(mut number: u32) -> [u8; LENGTH] {
    let mut written = [b'0'; LENGTH];
    for place in written.iter_mut().rev() {
        let digit = usize::try_from(number % 62).unwrap_or(0);
        *place = LETTERS.get(digit).copied().unwrap_or(b'0');
        number /= 62;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_off_is_another_token() {
        // The example in GitHub's announcement of the format.
        let token = ["gh", "p_", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ", "0mLq17"].concat();
        assert!(holds(&token));
        assert!(!holds(&token.replace("zQW", "zQX")));
        assert!(!holds("ghp_short") && !holds("xyz_") && !holds("ghp_é"));
    }
}

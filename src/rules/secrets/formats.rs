//! Credentials recognisable by their own format, from the table in `formats.txt`.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Captures, Regex, RegexBuilder};

use super::placeholder::{entropy, is_masked};
use super::{Place, SecretMatch};
use crate::rules::signals::{Cause, Signal};

const TABLE: &str = include_str!("formats.txt");
/// Formats of which only the published example and a masked value are ignored.
const CERTAIN: &[&str] = &["aws-access-key"];
/// How many bytes of a word follow a keyword at least.
const LONG_WORD: usize = 10;
/// How far a pattern is followed from its keyword, in bytes.
const LONGEST: usize = 4096;

/// One format; its pattern is compiled when a text first contains one of its keywords.
struct Format {
    id: &'static str,
    title: &'static str,
    floor: f64,
    pattern: &'static str,
    /// Whether the pattern is searched for in the whole text, not only at its keywords.
    anywhere: bool,
    compiled: OnceLock<Option<Regex>>,
}

impl Format {
    fn compiled(&self) -> Option<&Regex> {
        let compile = || {
            let anchored = if self.anywhere { self.pattern.to_owned() } else { format!(r"\A(?:{})", self.pattern) };
            RegexBuilder::new(&anchored).unicode(false).build().ok()
        };
        self.compiled.get_or_init(compile).as_ref()
    }

    /// The match, unless it is a placeholder.
    fn judged(&self, text: &str, span: Range<usize>, place: Place) -> Option<SecretMatch> {
        let secret = text.get(span.clone())?;
        let counts_as_is = CERTAIN.contains(&self.id) && !secret.to_ascii_lowercase().contains("example");
        let certain = counts_as_is || place == Place::Input || has_checksum(secret);
        let real = !is_masked(secret, certain) && (self.floor <= 0.0 || entropy(secret) >= self.floor);
        real.then_some(SecretMatch { rule: self.id, title: self.title, span })
    }
}

/// A word that must occur before a format is searched for.
struct Keyword {
    word: &'static str,
    /// Whether it may be inside a word or have little after it.
    free: bool,
    /// How many letters and digits must follow directly.
    solid: usize,
}

impl Keyword {
    fn new(written: &'static str) -> Self {
        let (word, solid) = written.split_once('+').unwrap_or((written, "0"));
        let free = word.starts_with(['~', '%']);
        Self { word: word.trim_start_matches(['~', '%']), free, solid: solid.parse().unwrap_or(0) }
    }

    /// Whether the keyword found here begins a long word; a free keyword need not.
    fn stands(&self, bytes: &[u8], at: usize, end: usize) -> bool {
        if self.free {
            return true;
        }
        let begins = at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(|b| !b.is_ascii_alphanumeric());
        let all =
            |length: usize, is: fn(&u8) -> bool| bytes.get(end..end + length).is_some_and(|next| next.iter().all(is));
        let of_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b':');
        begins && all(self.solid, u8::is_ascii_alphanumeric) && all(LONG_WORD, of_word)
    }
}

/// The formats, and the keywords of all of them, each with the index of its format.
#[derive(Default)]
struct Table {
    formats: Vec<Format>,
    keywords: Vec<(usize, Keyword)>,
}

fn table() -> &'static Table {
    static PARSED: OnceLock<Table> = OnceLock::new();
    PARSED.get_or_init(|| parse(TABLE))
}

fn parse(table: &'static str) -> Table {
    let mut lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut table = Table::default();
    while let (Some(head), Some(pattern)) = (lines.next(), lines.next()) {
        let parts: Vec<&str> = head.splitn(4, '|').map(str::trim_ascii).collect();
        let [id, floor, keywords, title] = parts[..] else { continue };
        let index = table.formats.len();
        table.keywords.extend(keywords.split(' ').map(|word| (index, Keyword::new(word))));
        table.formats.push(Format {
            id,
            title,
            floor: floor.parse().unwrap_or(0.0),
            pattern: pattern.trim_ascii(),
            anywhere: keywords.starts_with('%'),
            compiled: OnceLock::new(),
        });
    }
    table
}

/// Every keyword of every format with its index.
pub(in crate::rules) fn keywords() -> impl Iterator<Item = (&'static str, usize)> {
    table().keywords.iter().enumerate().map(|(number, (_, keyword))| (keyword.word, number))
}

/// Whether the keyword with this index, found here, can begin its format.
pub(in crate::rules) fn stands(number: usize, bytes: &[u8], at: usize, end: usize) -> bool {
    table().keywords.get(number).is_some_and(|(_, keyword)| keyword.stands(bytes, at, end))
}

/// Every value in a known format that is not a placeholder, up to about `most` that do not overlap.
pub(super) fn scan(text: &str, signals: &[Signal], place: Place, most: usize) -> Vec<SecretMatch> {
    let table = table();
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    // The end of the last match of each format.
    let mut done = vec![0; table.formats.len()];
    // How many matches do not overlap, and the end of the last.
    let (mut apart, mut last_end) = (0, 0);
    for signal in signals {
        let Cause::Format(number) = signal.cause else { continue };
        if apart >= most {
            break;
        }
        let Some((index, _)) = table.keywords.get(number) else { continue };
        let (Some(format), Some(done)) = (table.formats.get(*index), done.get_mut(*index)) else { continue };
        let Some(regex) = format.compiled().filter(|_| *done <= signal.at) else { continue };
        let value = |captures: &Captures<'_>| captures.get(1).or(captures.get(0)).map(|value| value.range());
        if format.anywhere {
            *done = usize::MAX;
            let all = regex.captures_iter(bytes).filter_map(|found| format.judged(text, value(&found)?, place));
            found.extend(all.take(most));
            continue;
        }
        let window = bytes.get(signal.at..bytes.len().min(signal.at + LONGEST)).unwrap_or(&[]);
        let Some(captures) = regex.captures(window) else { continue };
        *done = signal.at + captures.get_match().end();
        let span = value(&captures).map(|value| signal.at + value.start..signal.at + value.end);
        if let Some(one) = span.and_then(|span| format.judged(text, span, place)) {
            if one.span.start >= last_end {
                (apart, last_end) = (apart + 1, one.span.end);
            }
            found.push(one);
        }
    }
    found
}

/// The digits of a base-62 number, in order of value.
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The prefixes of such tokens.
const CHECKED: &[&str] = &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "npm_"];
const CHECK_LENGTH: usize = 6;

/// Whether a value is such a token whose last six characters are the CRC-32 of the rest in base 62.
fn has_checksum(value: &str) -> bool {
    let Some(random) = CHECKED.iter().find_map(|prefix| value.strip_prefix(prefix)) else { return false };
    let Some((random, check)) = random.len().checked_sub(CHECK_LENGTH).and_then(|cut| random.split_at_checked(cut))
    else {
        return false;
    };
    let mut crc = flate2::Crc::new();
    crc.update(random.as_bytes());
    base62(crc.sum()) == check.as_bytes()
}

fn base62(mut number: u32) -> [u8; CHECK_LENGTH] {
    let mut written = [b'0'; CHECK_LENGTH];
    for place in written.iter_mut().rev() {
        let digit = usize::try_from(number % 62).unwrap_or(0);
        *place = DIGITS.get(digit).copied().unwrap_or(b'0');
        number /= 62;
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::signals;

    #[test]
    fn every_record_is_complete_and_compiles() {
        let Table { formats, keywords } = table();
        assert!(formats.len() >= 85, "{}", formats.len());
        let lines = TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        assert_eq!(formats.len() * 2, lines.count());
        let mut ids = std::collections::BTreeSet::new();
        for (index, format) in formats.iter().enumerate() {
            let keywords: Vec<&str> =
                keywords.iter().filter(|(of, _)| *of == index).map(|(_, keyword)| keyword.word).collect();
            assert!(ids.insert(format.id), "{} twice", format.id);
            assert!(format.compiled().is_some(), "{}", format.id);
            assert!(!keywords.is_empty() && keywords.iter().all(|word| word.len() > 1), "{}", format.id);
            let marked = TABLE.lines().find(|line| line.starts_with(&format!("{} |", format.id))).unwrap();
            let in_text = marked.matches('%').count();
            assert!(in_text == 0 || in_text == keywords.len(), "{}: all keywords or none", format.id);
        }
    }

    #[test]
    fn many_values_are_searched_for_no_longer_than_asked() {
        let value = |number: usize| format!("{}{number:06}Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jS\n", ["gh", "p_"].concat());
        let text: String = (0..50).map(value).collect();
        let signals = signals::of(&text);
        assert_eq!(scan(&text, &signals, Place::File, 10).len(), 10);
        assert_eq!(scan(&text, &signals, Place::File, usize::MAX).len(), 50);
    }

    #[test]
    fn clean_prose_compiles_no_pattern() {
        let prose = "# Review\n\nRead the diff, list the risks, and ask for tests. Keep passwords and API keys out.\n";
        let formats = signals::of(prose).into_iter().filter(|signal| matches!(signal.cause, Cause::Format(_)));
        assert_eq!(formats.count(), 0);
    }

    #[test]
    fn one_letter_off_is_another_token() {
        // The example in GitHub's announcement of the format.
        let token = ["gh", "p_", "zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ", "0mLq17"].concat();
        assert!(has_checksum(&token));
        assert!(!has_checksum(&token.replace("zQW", "zQX")));
        assert!(!has_checksum("ghp_short") && !has_checksum("xyz_") && !has_checksum("ghp_é"));
    }
}

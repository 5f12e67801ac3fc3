//! Credentials recognisable by their own format, from the table in `secrets.txt`.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::Found;
use super::placeholder::{entropy, is_masked};

const TABLE: &str = include_str!("../secrets.txt");
/// Formats so certain that only an evidently masked value is let go.
const CERTAIN: &[&str] = &["aws-access-key"];
/// How many bytes of a word follow a keyword at least.
const LONG_WORD: usize = 10;

/// One format; its pattern is compiled when a text first holds one of its keywords.
struct Format {
    id: &'static str,
    title: &'static str,
    floor: f64,
    keywords: Vec<Keyword>,
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Format {
    fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| RegexBuilder::new(self.pattern).unicode(false).build().ok()).as_ref()
    }
}

/// What a text must hold before a format is looked for.
struct Keyword {
    lower: String,
    anywhere: bool,
    /// How many letters and digits must follow at once.
    solid: usize,
}

impl Keyword {
    fn new(written: &str) -> Self {
        let bare = written.strip_prefix('~');
        let (word, solid) = written.split_once('+').unwrap_or((written, "0"));
        let solid = solid.parse().unwrap_or(0);
        Self { lower: bare.unwrap_or(word).to_ascii_lowercase(), anywhere: bare.is_some(), solid }
    }

    /// Whether it stands in `bytes` at `at`: as the beginning of a long word, unless it may stand anywhere.
    fn stands(&self, bytes: &[u8], at: usize) -> bool {
        let end = at + self.lower.len();
        let here = bytes.get(at..end).is_some_and(|here| here.eq_ignore_ascii_case(self.lower.as_bytes()));
        if !here || self.anywhere {
            return here;
        }
        let begins = at.checked_sub(1).and_then(|before| bytes.get(before)).is_none_or(|b| !b.is_ascii_alphanumeric());
        let behind = bytes.get(end..).unwrap_or(&[]).iter().take(LONG_WORD);
        let is_solid = bytes.get(end..end + self.solid).is_some_and(|word| word.iter().all(u8::is_ascii_alphanumeric));
        begins
            && is_solid
            && behind.filter(|b| b.is_ascii_alphanumeric() || b"_-.+/=:".contains(b)).count() == LONG_WORD
    }
}

/// The formats, and which of them have a keyword beginning with a byte.
struct Table {
    formats: Vec<Format>,
    by_first: Vec<Vec<(usize, usize)>>,
}

fn table() -> &'static Table {
    static PARSED: OnceLock<Table> = OnceLock::new();
    PARSED.get_or_init(|| {
        let formats = parse(TABLE);
        let mut by_first = vec![Vec::new(); 256];
        for (index, format) in formats.iter().enumerate() {
            for (nth, keyword) in format.keywords.iter().enumerate() {
                if let Some(bucket) =
                    keyword.lower.bytes().next().and_then(|first| by_first.get_mut(usize::from(first)))
                {
                    bucket.push((index, nth));
                }
            }
        }
        Table { formats, by_first }
    })
}

fn parse(table: &'static str) -> Vec<Format> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut formats = Vec::new();
    while let (Some(head), Some(pattern)) = (lines.next(), lines.next()) {
        let mut parts = head.splitn(4, '|').map(str::trim);
        let (Some(id), Some(floor), Some(keywords), Some(title)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            continue;
        };
        formats.push(Format {
            id,
            title,
            floor: floor.parse().unwrap_or(0.0),
            keywords: keywords.split(' ').map(Keyword::new).collect(),
            pattern: pattern.trim(),
            compiled: OnceLock::new(),
        });
    }
    formats
}

/// Every value in a known format that is not a placeholder.
pub(super) fn scan(text: &str) -> Vec<Found> {
    let table = table();
    let mut found = Vec::new();
    for index in present(table, text) {
        let Some((format, regex)) = table.formats.get(index).and_then(|format| Some((format, format.regex()?))) else {
            continue;
        };
        for captures in regex.captures_iter(text.as_bytes()) {
            let Some(value) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            let Some(secret) = text.get(value.range()) else { continue };
            let certain = CERTAIN.contains(&format.id);
            if !is_masked(secret, certain) && entropy(secret) >= format.floor {
                found.push(Found { rule: format.id, title: format.title, span: value.range() });
            }
        }
    }
    found
}

/// The formats of which the text holds a keyword, in table order.
fn present(table: &Table, text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut seen = vec![false; table.formats.len()];
    for (at, byte) in bytes.iter().enumerate() {
        let Some(bucket) = table.by_first.get(usize::from(byte.to_ascii_lowercase())) else { continue };
        for (index, nth) in bucket {
            let Some(seen) = seen.get_mut(*index).filter(|seen| !**seen) else { continue };
            let Some(keyword) = table.formats.get(*index).and_then(|format| format.keywords.get(*nth)) else {
                continue;
            };
            *seen = keyword.stands(bytes, at);
        }
    }
    seen.iter().enumerate().filter(|(_, seen)| **seen).map(|(index, _)| index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_complete_and_compiles() {
        let formats = &table().formats;
        assert!(formats.len() >= 85, "{}", formats.len());
        assert_eq!(
            formats.len() * 2,
            TABLE.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()).count()
        );
        let mut ids = std::collections::BTreeSet::new();
        for format in formats {
            assert!(ids.insert(format.id), "{} twice", format.id);
            assert!(format.regex().is_some(), "{}", format.id);
            assert!(
                !format.keywords.is_empty() && format.keywords.iter().all(|word| word.lower.len() > 1),
                "{}",
                format.id
            );
        }
    }

    #[test]
    fn clean_prose_compiles_no_pattern() {
        let table = Table { formats: parse(TABLE), by_first: table().by_first.clone() };
        let prose = "# Review\n\nRead the diff, list the risks, and ask for tests. Keep passwords and API keys out.\n";
        let present = present(&table, prose);
        let names: Vec<_> =
            present.iter().filter_map(|index| table.formats.get(*index)).map(|format| format.id).collect();
        assert_eq!(names, Vec::<&str>::new());
    }
}

//! A fast path for simple heads: one-line texts, and maps and lists of them, as in most skills; the full parser takes
//! several times as long. Anything else, and any error, is left to the parser; both give the same result.

use super::{Field, Item, Position, Source, Value};
use crate::skill::printable::is_plain;

/// How many lines are read here, well below the nodes that the parser is allowed.
const MAX_LINES: usize = 1_000;
/// The maximum nesting depth of maps and lists here.
const MAX_DEPTH: usize = 4;
/// The longest key that is read here, in bytes; YAML allows 1024 characters (YAML 1.2 §7.4.2).
const MAX_KEY: usize = 128;
/// The longest word that may be something other than text, in bytes: `infinity`.
const LONGEST: usize = 8;

/// The fields of a head; `None` if it contains anything but maps, lists and certain one-line texts.
pub(super) fn fields(source: &Source<'_>) -> Option<Vec<Field>> {
    let opening = usize::from(source.start > 0);
    let mut reader = Reader { rest: source.yaml, number: opening, next: None };
    reader.advance()?;
    let fields = reader.map(0, 1)?;
    (reader.next.is_none() && !fields.is_empty()).then_some(fields)
}

/// A line that is not blank, without its end.
#[derive(Clone, Copy)]
struct Line<'y> {
    number: usize,
    indent: usize,
    /// Its text without indentation and trailing blanks.
    text: &'y str,
}

struct Reader<'y> {
    /// The rest after the next line.
    rest: &'y str,
    /// The number of the last line taken from it.
    number: usize,
    next: Option<Line<'y>>,
}

impl<'y> Reader<'y> {
    /// Advances to the next line that is not blank; `None` if it cannot be read here.
    fn advance(&mut self) -> Option<()> {
        self.next = None;
        while !self.rest.is_empty() {
            let end = memchr::memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
            let line = self.rest.get(..end)?;
            self.rest = self.rest.get(end + 1..).unwrap_or("");
            self.number += 1;
            let bytes = line.strip_suffix('\r').unwrap_or(line).as_bytes();
            let is_text = |b: &u8| *b != b' ';
            if let (Some(indent), Some(last)) = (bytes.iter().position(is_text), bytes.iter().rposition(is_text)) {
                self.next = Some(Line { number: self.number, indent, text: line.get(indent..=last)? });
                return (self.number <= MAX_LINES).then_some(());
            }
        }
        Some(())
    }

    /// The map whose keys have this indentation, up to the first line with less.
    fn map(&mut self, indent: usize, depth: usize) -> Option<Vec<Field>> {
        let mut fields = Vec::new();
        while let Some(line) = self.next.filter(|line| line.indent >= indent) {
            let (key, written) = key(line.text).filter(|_| line.indent == indent && depth <= MAX_DEPTH)?;
            let key_at = Position { line: line.number, column: indent + 1 };
            self.advance()?;
            let (value, value_at) = if written.is_empty() {
                let below = self.next.filter(|below| below.indent >= indent)?;
                let begins = Position { line: below.number, column: below.indent + 1 };
                if below.text.starts_with("- ") {
                    let items = self.list(below.indent, indent)?;
                    // A list with its key's indentation starts no new block for the parser.
                    let at = items.first().filter(|_| below.indent == indent).map_or(begins, |first| first.at);
                    (Value::List(items), at)
                } else if below.indent > indent {
                    (Value::Map(self.map(below.indent, depth + 1)?), begins)
                } else {
                    return None;
                }
            } else {
                let text = written.trim_start_matches(' ');
                let before = indent + line.text.len() - text.len();
                (scalar(text)?, Position { line: line.number, column: before + 1 })
            };
            fields.push(Field { key: key.to_owned(), text_key: true, key_at, value, value_at });
        }
        Some(fields)
    }

    /// The list whose items have this indentation, under a key with indentation `of`.
    fn list(&mut self, indent: usize, of: usize) -> Option<Vec<Item>> {
        let mut items = Vec::new();
        while let Some(line) = self.next.filter(|line| line.indent >= indent) {
            let Some(written) = line.text.strip_prefix("- ").filter(|_| line.indent == indent) else {
                // A list may have the indentation of its key; then the next key ends it.
                return (line.indent == of && indent == of).then_some(items);
            };
            let text = written.trim_start_matches(' ');
            let at = Position { line: line.number, column: indent + line.text.len() - text.len() + 1 };
            items.push(Item { value: scalar(text)?, at });
            self.advance()?;
        }
        Some(items)
    }
}

/// A key that is text, and what is written after its colon.
fn key(line: &str) -> Option<(&str, &str)> {
    let end = line.bytes().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')))?;
    let (key, behind) = line.split_at_checked(end).filter(|(key, _)| key.len() <= MAX_KEY && is_text(key))?;
    let written = behind.strip_prefix(':').filter(|written| written.is_empty() || written.starts_with(' '))?;
    Some((key, written))
}

/// A one-line value, if it is certainly text or a boolean in the core schema (YAML 1.2 §10.3).
fn scalar(written: &str) -> Option<Value> {
    let text = match written.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => {
            let inside = written.get(1..)?.strip_suffix(char::from(*quote))?;
            memchr::memchr2(*quote, b'\\', inside.as_bytes()).is_none().then_some(inside)
        }
        _ if matches!(written, "true" | "false") => return Some(Value::Bool(written == "true")),
        _ => (is_text(written) && !ends_early(written.as_bytes())).then_some(written),
    }?;
    // No tab, line break or byte order mark.
    let on_one_line = is_plain(text) || !text.contains(['\t', '\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{feff}']);
    on_one_line.then(|| Value::Text(text.to_owned()))
}

/// Whether an unquoted text contains the end of a key or the start of a comment.
fn ends_early(written: &[u8]) -> bool {
    memchr::memchr2_iter(b':', b'#', written).any(|at| match written.get(at) {
        Some(b'#') => at.checked_sub(1).and_then(|before| written.get(before)) == Some(&b' '),
        _ => matches!(written.get(at + 1), None | Some(b' ')),
    })
}

/// Whether an unquoted value is certainly text: it begins with a letter and is no word such as `null`, `true` or `inf`,
/// or it is a version of three numbers.
fn is_text(plain: &str) -> bool {
    const WORDS: [&str; 12] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity"];
    let begins = plain.starts_with(char::is_alphabetic);
    let is_word = || plain.len() <= LONGEST && WORDS.iter().any(|word| plain.eq_ignore_ascii_case(word));
    let number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let is_version = || plain.len() <= 32 && plain.split('.').count() == 3 && plain.split('.').all(number);
    begins && !is_word() || is_version()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::whole;
    use super::*;

    /// The results of the fast path and of the full parser.
    fn both(yaml: &str) -> (Option<Vec<Field>>, Option<Vec<Field>>) {
        let text = format!("---\n{yaml}");
        let source = Source::new(&text, 4..text.len());
        (fields(&source), whole(&source).ok())
    }

    #[test]
    fn plain_heads_are_read_here_and_others_are_not() {
        for yaml in [
            "name: a\ndescription: \"b: c\"\nmetadata:\n  version: '1.0'\n  tags:   x, y z  \n",
            "description: Two#1, http://a, \u{e9} - b\r\n\r\nallowed-tools:\r\n- Read\r\n- Bash(git *)\r\nname: b\nc: true\nd: false",
            "metadata:\n   version: 1.0.0\n\n   tags:\n      - a\n      -  \"\"\n   of: ''\n",
            "a:\n - b\n - c\nd: e",
        ] {
            let (quick, whole) = both(yaml);
            assert!(quick.is_some() && quick == whole, "{yaml}: {quick:?} and {whole:?}");
        }
        for yaml in [
            "", "a", "- a", "a: 1", "a: True", "a: inf", "a:", "a: ~", "1: a", "a: &b c", "a: !!str b", "? [a]\n: b",
            "a: b\n---\nc: d", "%YAML 1.2\n---\na: b", "a: b: c", "a: b:", "a: b #c", "a: \"b", "a: \"b\\n\"",
            "a: \"b\" #c", "{a: b", "<<: {a: b}", "a: [b]", "a: >-\n  b", "a: b\n  c", "a: b\n c: d", "a:b", "a:\n  b",
            "a:\n  b: c\n d: e", "a:\n  - b\n - c", "a:\n  - b\n  c: d", "a: b\tc", "a: b\rc: d", " a: b", "a: 'b''c'",
        ] {
            assert_eq!(both(yaml).0, None, "{yaml}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]
        #[test]
        fn what_is_read_here_is_what_the_whole_reading_reads(
            yaml in "((|  |    )(- |)([a-z]{1,3}|é b|1|true|yes|NaN|inf|~|<<|\"q\"|'r'|\\? )(: |:|: \\||: >-|)\
                     ([a-zA-Z]{1,4}|n|Null|OFF|x y|\"s: \\\\n\"|'t''u'|\\[v, w: x\\]|\\{y: z\\}|1\\.0|#c|&d e|\\*d|!!str f|é|)\
                     ( #g|)(\n|\r\n|\n\n)){0,4}(---\n|\\.\\.\\.\n|)"
        ) {
            if let (Some(quick), whole) = both(&yaml) {
                prop_assert_eq!(Some(quick), whole);
            }
        }

        #[test]
        fn maps_and_lists_are_nested_as_in_the_whole_reading(
            yaml in "(| |  |   )([a-z]{1,2}:|[a-z]: {0,2}(b|true|1\\.2\\.3|\"c\"|'d')|-|- ?(e|\"f: g\")|) {0,1}(\n|\n|\r\n|\n\n|\n  \n)\
                     ((| |  |   |    )([a-z]{1,2}:|[a-z]: {0,2}(b|true|1\\.2\\.3|\"c\"|'d')|-|- {1,2}(e|\"f: g\")|) {0,1}(\n|\n|\r\n|\n\n|\n  \n)){0,5}"
        ) {
            if let (Some(quick), whole) = both(&yaml) {
                prop_assert_eq!(Some(quick), whole);
            }
        }

        #[test]
        fn texts_are_those_of_the_whole_reading(
            text in "(\\PC|[ab]|[-:#'\"\\[\\]{},&*!|>%@`?=<~ \\\\]|\u{85}|\u{a0}|\u{2028}|\u{feff}|[0-9.]){0,8}", before in " {1,2}",
        ) {
            for yaml in [format!("k:{before}{text}"), format!("k:{before}a{text}\n"), format!("k: \"{text}\""), format!("k: '{text}'\n")] {
                if let (Some(quick), whole) = both(&yaml) {
                    prop_assert_eq!(Some(quick), whole, "{}", yaml);
                }
            }
        }
    }
}

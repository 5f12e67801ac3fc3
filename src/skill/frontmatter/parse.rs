//! Turns the YAML of a frontmatter into fields with positions; no other module uses the YAML parser.

mod plain;
mod raw;

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ops::Range;

use raw::Raw;
use serde_saphyr::ExternalMessageSource;
use serde_saphyr::granit_parser::ErrorKind;
use serde_saphyr::{Error, Location, Spanned};

use super::{Field, Item, ReadError, ReadErrorKind, Value};
use crate::skill::position::{Lines, Position};
use crate::skill::printable::printable;

const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 5_000;
const MAX_EVENTS: usize = 20_000;
/// How many anchors (`&`) and aliases (`*`) are allowed.
const MAX_ALIASES: usize = 32;
/// Up to how many keys of a map are compared pairwise.
const FEW: usize = 16;
/// Characters of a key or a line shown in a message.
const SHOWN: usize = 60;

/// How many values with an unquoted colon are read as if they were quoted.
const MAX_QUOTED: usize = 16;
/// The limit in bytes of what is read again for them, so that a long head is read again less often.
const MAX_REREAD: usize = 64 * 1024;

/// Reads the map at `head` in `text`; positions are those in `text`.
///
/// Two defects do not stop the parser. Duplicate keys: both are in the fields. An unquoted value with a colon: it is
/// read as if quoted.
pub(super) fn mapping(text: &str, head: Range<usize>) -> Result<(Vec<Field>, Vec<ReadError>), ReadError> {
    let first = match as_written(text, head.clone()) {
        Err(error) if error.kind == ReadErrorKind::UnquotedColon => error,
        other => return other,
    };
    let (mut quoted, mut end) = (text.get(..head.end).unwrap_or("").to_owned(), head.end);
    let mut defects = vec![first.clone()];
    let mut lines = HashSet::new();
    while defects.len() <= MAX_QUOTED && defects.len() * head.len() <= MAX_REREAD {
        // A line that quoting did not repair is not quoted again, or it would grow each time.
        let fresh = defects.last().filter(|defect| lines.insert(defect.at.line));
        let Some(more) = fresh.and_then(|defect| quote(&mut quoted, defect)) else { break };
        end += more;
        match as_written(&quoted, head.start..end) {
            Ok((fields, twice)) => {
                defects.extend(twice);
                return Ok((fields, defects));
            }
            Err(error) => defects.push(error),
        }
    }
    Err(first)
}

/// Quotes the value of a defect if the defect is an unquoted colon; returns the number of bytes added.
fn quote(text: &mut String, defect: &ReadError) -> Option<usize> {
    if defect.kind != ReadErrorKind::UnquotedColon {
        return None;
    }
    let (start, line) = Lines::new(text).iter().nth(defect.at.line.saturating_sub(1))?;
    let (key, _) = colon_in_value(line)?;
    let from = start + key.len() + ": ".len();
    let to = start + line.len();
    let value = format!("'{}'", text.get(from..to)?.trim().replace('\'', "''"));
    let written = text.get(from..to)?;
    let blanks = written.len() - written.trim_start().len();
    let before = text.len();
    text.replace_range(from + blanks..to, &value);
    text.len().checked_sub(before)
}

/// Reads the map as written.
fn as_written(text: &str, head: Range<usize>) -> Result<(Vec<Field>, Vec<ReadError>), ReadError> {
    let source = Source::new(text, head);
    if !source.yaml.bytes().fold(true, |all, b| all & is_quickly_printable(b))
        && let Some((offset, c)) = source.yaml.char_indices().find(|(_, c)| !is_printable(*c))
    {
        let message = format!("The frontmatter holds the character U+{:04X}, which YAML does not allow", u32::from(c));
        let at = source.lines().position(source.start + offset);
        return Err(ReadError::new(ReadErrorKind::Syntax, at, message, "Type the line again without it"));
    }
    let fields = match plain::fields(&source) {
        Some(fields) => fields,
        None => {
            let fields = whole(&source)?;
            source.indented(&fields)?;
            fields
        }
    };
    let mut twice = Vec::new();
    duplicates(&fields, &mut twice);
    Ok((fields, twice))
}

/// Reads the map with the full parser.
fn whole(source: &Source<'_>) -> Result<Vec<Field>, ReadError> {
    let root: Spanned<Raw> =
        serde_saphyr::from_str_with_options(source.yaml, options()).map_err(|e| source.error(&e))?;
    match root.value {
        Raw::Map(pairs) => source.fields(pairs),
        Raw::Null => Err(source.not_a_map("The frontmatter is empty", Position::START)),
        _ => Err(source.not_a_map("The frontmatter is not a map of keys", source.at(root.referenced))),
    }
}

/// Whether a byte is an ASCII character allowed in YAML; ranges are checked for many bytes at once.
fn is_quickly_printable(b: u8) -> bool {
    let control = b.wrapping_sub(b'\x0b') <= 1;
    (b.wrapping_sub(b' ') <= b'~' - b' ') | (b.wrapping_sub(b'\t') <= b'\r' - b'\t') & !control
}

/// Whether a character is allowed in YAML (YAML 1.2 §5.1, `c-printable`).
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{85}' | ' '..='~' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Whether a text is a number in the core schema (YAML 1.2 §10.3.2).
fn is_number(spelled: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let some = |text: &str, is: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|b| is(&b));
    if let Some(octal) = spelled.strip_prefix("0o") {
        return some(octal, |b| matches!(b, b'0'..=b'7'));
    }
    if let Some(hexadecimal) = spelled.strip_prefix("0x") {
        return some(hexadecimal, u8::is_ascii_hexdigit);
    }
    let unsigned = spelled.strip_prefix(['-', '+']).unwrap_or(spelled);
    if [".inf", ".Inf", ".INF"].contains(&unsigned) || [".nan", ".NaN", ".NAN"].contains(&spelled) {
        return true;
    }
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.map(|e| e.strip_prefix(['-', '+']).unwrap_or(e));
    digits(whole)
        && digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|e| some(e, u8::is_ascii_digit))
}

/// Every duplicate key (YAML 1.2 §3.2.1.3), in nested maps too.
fn duplicates(fields: &[Field], found: &mut Vec<ReadError>) {
    let few = fields.len() <= FEW;
    let mut seen = HashSet::new();
    for (index, field) in fields.iter().enumerate() {
        let same = |other: &Field| (&other.key, other.text_key) == (&field.key, field.text_key);
        let again = match fields.get(..index) {
            Some(before) if few => before.iter().any(same),
            _ => !seen.insert((&field.key, field.text_key)),
        };
        if again {
            let message = format!("The key `{}` is written twice", shorten(&field.key));
            found.push(ReadError::new(ReadErrorKind::DuplicateKey, field.key_at, message, "Keep one of the two"));
        }
        nested_duplicates(&field.value, found);
    }
}

fn nested_duplicates(value: &Value, found: &mut Vec<ReadError>) {
    match value {
        Value::Map(fields) => duplicates(fields, found),
        Value::List(items) => items.iter().for_each(|item| nested_duplicates(&item.value, found)),
        _ => {}
    }
}

fn options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: MAX_DEPTH,
            flow_nesting_limit: MAX_DEPTH,
            max_nodes: MAX_NODES,
            max_events: MAX_EVENTS,
            max_aliases: MAX_ALIASES,
            max_anchors: MAX_ALIASES,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: MAX_NODES,
            max_replay_stack_depth: MAX_DEPTH,
        },
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::PassThrough,
        merge_keys: serde_saphyr::MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        reject_unsupported_tags: true,
        non_finite_float_policy: serde_saphyr::options::NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

struct Source<'a> {
    text: &'a str,
    start: usize,
    yaml: &'a str,
    /// The lines of the text up to the end of the YAML; most heads are read without them.
    lines: OnceCell<Lines<'a>>,
}

impl<'a> Source<'a> {
    fn new(text: &'a str, head: Range<usize>) -> Self {
        let text = text.get(..head.end).unwrap_or(text);
        Self { text, start: head.start, yaml: text.get(head.start..).unwrap_or(""), lines: OnceCell::new() }
    }

    fn lines(&self) -> &Lines<'a> {
        self.lines.get_or_init(|| Lines::new(self.text))
    }

    /// The position of its end, without trailing blanks.
    fn end(&self) -> Position {
        self.lines().position(self.start + self.yaml.trim_end().len())
    }

    /// The place of a byte of the YAML.
    fn place(&self, offset: usize) -> Position {
        self.lines().position(self.start + offset).min(self.end())
    }

    fn at(&self, location: Location) -> Position {
        let offset = location.span().byte_offset().and_then(|offset| usize::try_from(offset).ok());
        match offset {
            Some(offset) => self.place(offset),
            None => {
                let before = self.lines().position(self.start).line.saturating_sub(1);
                let line = usize::try_from(location.line()).unwrap_or(1).max(1);
                let column = usize::try_from(location.column()).unwrap_or(1).max(1);
                Position { line: before + line, column }.min(self.end())
            }
        }
    }

    fn spelled(&self, location: Location) -> Option<String> {
        let span = location.span();
        let from = usize::try_from(span.byte_offset()?).ok()?;
        let length = usize::try_from(span.byte_len()?).ok()?;
        self.yaml.get(from..from.checked_add(length)?).map(|raw| raw.trim().to_owned())
    }

    fn fields(&self, pairs: Vec<(Spanned<Raw>, Spanned<Raw>)>) -> Result<Vec<Field>, ReadError> {
        pairs
            .into_iter()
            .map(|(key, value)| {
                let key_at = self.at(key.referenced);
                let value_at = if matches!(value.value, Raw::Null) { key_at } else { self.at(value.referenced) };
                let key = self.value(key)?;
                let text_key = matches!(key, Value::Text(_));
                let key = match (&key, key.scalar()) {
                    (_, Some(text)) => text.to_owned(),
                    (Value::Null, None) => "null".to_owned(),
                    (other, None) => {
                        return Err(self.not_a_map(&format!("A key is {}, not text", other.kind()), key_at));
                    }
                };
                Ok(Field { key, text_key, key_at, value: self.value(value)?, value_at })
            })
            .collect()
    }

    fn value(&self, raw: Spanned<Raw>) -> Result<Value, ReadError> {
        Ok(match raw.value {
            Raw::Null => Value::Null,
            Raw::Bool(value) => Value::Bool(value),
            Raw::Number(read) => match self.spelled(raw.defined) {
                Some(spelled) if is_number(&spelled) => Value::Number(spelled),
                // A tag may make a number of a quoted text; the parser accepts more spellings of numbers than YAML.
                Some(spelled) if !spelled.is_empty() && !spelled.starts_with(['"', '\'']) => Value::Text(spelled),
                _ => Value::Number(read),
            },
            Raw::Text(text) => Value::Text(text),
            Raw::List(items) => Value::List(
                items
                    .into_iter()
                    .map(|item| Ok(Item { at: self.at(item.referenced), value: self.value(item)? }))
                    .collect::<Result<_, ReadError>>()?,
            ),
            Raw::Map(pairs) => Value::Map(self.fields(pairs)?),
        })
    }

    /// Fails at the first key indented with a tab (YAML 1.2 §6.1), which the parser accepts in some cases.
    fn indented(&self, fields: &[Field]) -> Result<(), ReadError> {
        if !self.yaml.contains('\t') {
            return Ok(());
        }
        for field in fields {
            let before = self.line(field.key_at.line).chars().take(field.key_at.column.saturating_sub(1));
            let before: String = before.collect();
            if let Some(column) = before.find('\t').filter(|_| before.trim().is_empty()) {
                let at = Position { line: field.key_at.line, column: column + 1 };
                return Err(self.syntax("a key is indented with a tab", at, None));
            }
            if let Value::Map(inside) = &field.value {
                self.indented(inside)?;
            }
        }
        Ok(())
    }

    fn not_a_map(&self, message: &str, at: Position) -> ReadError {
        let advice = "Write `key: value` lines; name and description are required";
        ReadError::new(ReadErrorKind::NotAMap, at, message, advice)
    }

    fn error(&self, error: &Error) -> ReadError {
        let at = error.location().map_or_else(|| self.lines().position(self.start), |location| self.at(location));
        let kind = match error {
            Error::ExternalMessage { source, .. } => match &**source {
                ExternalMessageSource::Parser(error) => Some(error.kind()),
                _ => None,
            },
            _ => None,
        };
        match (error, kind) {
            (Error::Budget { .. } | Error::AliasError { .. }, _) | (_, Some(ErrorKind::RecursionLimitExceeded)) => {
                self.limit(at)
            }
            _ => self.syntax(&error.without_snippet().to_string(), at, kind),
        }
    }

    fn limit(&self, at: Position) -> ReadError {
        let message = format!(
            "The frontmatter is nested deeper than {MAX_DEPTH} levels, has more than {MAX_NODES} values, or more than {MAX_ALIASES} anchors or aliases"
        );
        let advice = "Write plain keys and values; text that begins with `&` or `*` needs quotes";
        ReadError::new(ReadErrorKind::Limit, at, message, advice)
    }

    fn syntax(&self, reason: &str, at: Position, kind: Option<&ErrorKind>) -> ReadError {
        let line = self.line(at.line);
        let at = if reason.contains("quoted scalar") {
            self.opened(at)
        } else if reason.contains("tag") {
            self.tag(line, at)
        } else if let Some(column) =
            line.find(|c| c != ' ').filter(|blanks| line.as_bytes().get(*blanks) == Some(&b'\t'))
        {
            Position { line: at.line, column: column + 1 }
        } else {
            at
        };
        let line = self.line(at.line);
        let colon = colon_in_value(line).filter(|_| kind == Some(&ErrorKind::MappingValueNotAllowed));
        let kind = if colon.is_some() { ReadErrorKind::UnquotedColon } else { ReadErrorKind::Syntax };
        let advice = match colon {
            Some((key, value)) => {
                let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
                format!("Quote the value, it holds a colon: {}: \"{}\"", key.trim_start(), shorten(&quoted))
            }
            _ if reason.contains("quoted scalar") => "Close the quote where the value ends, or take it away".to_owned(),
            _ if line.contains('\t') => {
                "Indent with spaces, not with tabs, and quote values with special characters".into()
            }
            _ => "Quote values that hold a colon, a `#`, or begin with a special character".to_owned(),
        };
        let reason = reason.split(" at line ").next().unwrap_or(reason).trim_start_matches("error: ");
        let message =
            format!("The frontmatter is not valid YAML: {}", shorten(reason.lines().next().unwrap_or(reason)));
        ReadError::new(kind, at, message, advice)
    }

    fn line(&self, number: usize) -> &'a str {
        self.lines().iter().nth(number.saturating_sub(1)).map_or("", |(_, line)| line)
    }

    /// The position of the opening quote for a quote reported unclosed at `at`.
    fn opened(&self, at: Position) -> Position {
        let first = self.lines().position(self.start).line;
        let lines: Vec<&str> = self.lines().iter().take(at.line).map(|(_, line)| line).collect();
        (first..=lines.len())
            .rev()
            .find_map(|number| {
                let (key, value) = lines.get(number - 1)?.split_once(": ")?;
                let blanks = value.chars().take_while(|c| *c == ' ').count();
                let column = key.chars().count() + 2 + blanks + 1;
                value.trim_start().starts_with(['"', '\'']).then_some(Position { line: number, column })
            })
            .unwrap_or(at)
    }

    /// The position of the tag of a value at `at`.
    fn tag(&self, line: &str, at: Position) -> Position {
        let before: Vec<char> = line.chars().take(at.column.saturating_sub(1)).collect();
        let end = before.iter().rposition(|c| *c != ' ').map_or(0, |last| last + 1);
        let start = before.iter().take(end).rposition(|c| *c == ' ').map_or(0, |blank| blank + 1);
        match before.get(start) {
            Some('!') => Position { line: at.line, column: start + 1 },
            _ => at,
        }
    }
}

/// The key and the value of a line with an unquoted value that contains a colon.
fn colon_in_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    let plain = !value.starts_with(['"', '\'', '{', '[', '|', '>', '&', '*', '!']);
    (plain && (value.contains(": ") || value.ends_with(':'))).then_some((key, value))
}

fn shorten(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    printable(&shown)
}

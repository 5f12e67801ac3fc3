//! The YAML of a frontmatter with its place in the text: what the parser read as fields, and what it refused as errors that
//! say where.

use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::granit_parser::ErrorKind;
use serde_saphyr::{Error, ExternalMessageSource, Location, Spanned};

use super::{Field, Item, MAX_ALIASES, MAX_DEPTH, MAX_NODES, ReadError, ReadErrorKind, Value, shorten};
use crate::skill::position::{Lines, Position};

/// The YAML of a head and its place in the text.
pub(super) struct Source<'a> {
    text: &'a str,
    pub(super) start: usize,
    pub(super) yaml: &'a str,
    /// The lines of the text up to the end of the YAML; most heads are read without them.
    lines: OnceCell<Lines<'a>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, head: Range<usize>) -> Self {
        let text = text.get(..head.end).unwrap_or(text);
        Self { text, start: head.start, yaml: text.get(head.start..).unwrap_or(""), lines: OnceCell::new() }
    }

    pub(super) fn lines(&self) -> &Lines<'a> {
        self.lines.get_or_init(|| Lines::new(self.text))
    }

    pub(super) fn at(&self, location: Location) -> Position {
        let offset = location.span().byte_offset().and_then(|offset| usize::try_from(offset).ok());
        let at = offset.map_or_else(
            || {
                let before = self.lines().position(self.start).line.saturating_sub(1);
                let line = usize::try_from(location.line()).unwrap_or(1).max(1);
                let column = usize::try_from(location.column()).unwrap_or(1).max(1);
                Position { line: before + line, column }
            },
            |offset| self.lines().position(self.start + offset),
        );
        // Not in the blanks at its end.
        at.min(self.lines().position(self.start + self.yaml.trim_end().len()))
    }

    fn spelled(&self, location: Location) -> Option<String> {
        let span = location.span();
        let from = usize::try_from(span.byte_offset()?).ok()?;
        let length = usize::try_from(span.byte_len()?).ok()?;
        self.yaml.get(from..from.checked_add(length)?).map(|raw| raw.trim().to_owned())
    }

    pub(super) fn fields(&self, pairs: Vec<(Spanned<Raw>, Spanned<Raw>)>) -> Result<Vec<Field>, ReadError> {
        let field = |(key, value): (Spanned<Raw>, Spanned<Raw>)| {
            let key_at = self.at(key.referenced);
            let value_at = if matches!(value.value, Raw::Null) { key_at } else { self.at(value.referenced) };
            let key = self.value(key)?;
            let text_key = matches!(key, Value::Text(_));
            let key = match (&key, key.scalar()) {
                (_, Some(text)) => text.to_owned(),
                (Value::Null, None) => "null".to_owned(),
                (other, None) => return Err(self.not_a_map(&format!("A key is {}, not text", other.kind()), key_at)),
            };
            Ok(Field { key, text_key, key_at, value: self.value(value)?, value_at })
        };
        pairs.into_iter().map(field).collect()
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
            Raw::List(items) => {
                let item = |item: Spanned<Raw>| Ok(Item { at: self.at(item.referenced), value: self.value(item)? });
                Value::List(items.into_iter().map(item).collect::<Result<_, ReadError>>()?)
            }
            Raw::Map(pairs) => Value::Map(self.fields(pairs)?),
        })
    }

    /// Fails at the first key indented with a tab (YAML 1.2 §6.1), which the parser accepts in some cases.
    pub(super) fn indented(&self, fields: &[Field]) -> Result<(), ReadError> {
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

    pub(super) fn not_a_map(&self, message: &str, at: Position) -> ReadError {
        let advice = "Write `key: value` lines; name and description are required";
        ReadError::new(ReadErrorKind::NotAMap, at, message, advice)
    }

    pub(super) fn error(&self, error: &Error) -> ReadError {
        let at = error.location().map_or_else(|| self.lines().position(self.start), |location| self.at(location));
        let kind = match error {
            Error::ExternalMessage { source, .. } => match &**source {
                ExternalMessageSource::Parser(error) => Some(error.kind()),
                _ => None,
            },
            _ => None,
        };
        let bounded = matches!(error, Error::Budget { .. } | Error::AliasError { .. });
        if !bounded && kind != Some(&ErrorKind::RecursionLimitExceeded) {
            return self.syntax(&error.without_snippet().to_string(), at, kind);
        }
        let message = format!(
            "The frontmatter is nested deeper than {MAX_DEPTH} levels, has more than {MAX_NODES} values, or more than \
             {MAX_ALIASES} anchors or aliases"
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
        let quote = |line: usize| {
            let (key, value) = lines.get(line - 1)?.split_once(": ")?;
            let blanks = value.chars().take_while(|c| *c == ' ').count();
            let column = key.chars().count() + 2 + blanks + 1;
            value.trim_start().starts_with(['"', '\'']).then_some(Position { line, column })
        };
        (first..=lines.len()).rev().find_map(quote).unwrap_or(at)
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

/// The key and the value of a line with an unquoted value that contains a colon.
pub(super) fn colon_in_value(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    let plain = !value.starts_with(['"', '\'', '{', '[', '|', '>', '&', '*', '!']);
    (plain && (value.contains(": ") || value.ends_with(':'))).then_some((key, value))
}

/// A node as the parser gives it; numbers get their spelling from their span afterwards.
pub(super) enum Raw {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Spanned<Raw>>),
    Map(Vec<(Spanned<Raw>, Spanned<Raw>)>),
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Raw, E> {
        Ok(Raw::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Raw, E> {
        Ok(Raw::Number(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Raw, E> {
        Ok(Raw::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Raw, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Raw::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Raw::Map(pairs))
    }
}

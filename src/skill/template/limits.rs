//! The limits of a template: an untrusted one ends with an error, however it is built.

use std::fmt::{self, Write as _};
use std::io;

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// The longest source, in bytes.
const MAX_SOURCE: usize = 128 << 10;
/// The longest tag, in bytes: an expression is parsed and freed recursively.
const MAX_TAG: usize = 2000;
/// The most tags: each `elif` is parsed recursively.
const MAX_TAGS: usize = 2000;
/// How often one tag may join texts.
const MAX_JOINS: usize = 20;
/// The largest text that a template, a filter or a value in it may become, in bytes.
pub(super) const MAX_TEXT: usize = 2 << 20;
/// The most bytes a template may write: its instructions times its length.
const MAX_WORK: u64 = 256 << 20;
/// How many instructions a template may take.
const MAX_FUEL: u64 = 50_000;
/// How many instructions a source may take.
pub(super) fn fuel(source: &str) -> u64 {
    (MAX_WORK / (source.len() as u64).max(1)).min(MAX_FUEL)
}

/// Refuses a source that is too expensive to parse, with the byte offset.
pub(super) fn check(source: &str) -> Result<(), (usize, String)> {
    if source.len() > MAX_SOURCE {
        return Err((0, format!("it holds {} bytes; {MAX_SOURCE} is the most", source.len())));
    }
    let tags = tags(source);
    if let Some((at, _)) = tags.get(MAX_TAGS) {
        return Err((*at, format!("it holds more than {MAX_TAGS} tags")));
    }
    tags.into_iter().try_for_each(|(at, tag)| tag_check(tag).map_err(|why| (at, why)))
}

fn tag_check(tag: &str) -> Result<(), String> {
    if tag.len() > MAX_TAG {
        return Err(format!("the tag holds {} bytes; {MAX_TAG} is the most, and each is closed", tag.len()));
    }
    let code = code(tag);
    let mut words = code.trim_start_matches(['-', '+']).split_whitespace();
    let assigns = matches!(words.next(), Some("set" | "with" | "for"));
    let grows = |(at, sign): (usize, char)| {
        let number = code.get(at + 1..).unwrap_or_default().trim_start().starts_with(|c: char| c.is_ascii_digit());
        sign == '~' || (sign == '+' && !number)
    };
    let joins = code.char_indices().filter(|one| grows(*one)).count();
    if code.contains('*') {
        return Err("`*` repeats texts, which a template may not".to_owned());
    }
    if joins > MAX_JOINS || (assigns && joins > 0) {
        let allowed = format!("where they are written, at most {MAX_JOINS} times, and not in `set`, `with` and `for`");
        return Err(format!("texts are joined by `~` and `+` {allowed}"));
    }
    Ok(())
}

/// The content and offset of each tag.
fn tags(source: &str) -> Vec<(usize, &str)> {
    let rest = |at: usize| source.get(at..).unwrap_or_default();
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(open) = rest(at).find('{').map(|found| at + found) {
        let inside = || rest(open + 2);
        at = match source.as_bytes().get(open + 1) {
            Some(b'#') => inside().find("#}").map_or(source.len(), |end| open + 2 + end + 2),
            Some(b'%') if is_named(inside(), "raw") => {
                let ends = rest(open + 2).match_indices("{%").map(|(end, _)| open + 2 + end);
                ends.into_iter().find(|end| is_named(rest(end + 2), "endraw")).map_or(source.len(), |end| end + 2)
            }
            Some(brace @ (b'%' | b'{')) => {
                let length = closed(inside(), if *brace == b'%' { b"%}" } else { b"}}" });
                tags.push((open, inside().get(..length).unwrap_or_default()));
                open + 2 + length
            }
            _ => open + 1,
        };
    }
    tags
}

/// Whether a tag is nothing but this word.
fn is_named(inside: &str, name: &str) -> bool {
    let inside = inside.strip_prefix(['-', '+']).unwrap_or(inside).trim_ascii_start();
    let Some(end) = inside.strip_prefix(name).map(str::trim_ascii_start) else { return false };
    end.strip_prefix(['-', '+']).unwrap_or(end).starts_with("%}")
}

/// The length of a tag: up to its end outside of quotes and brackets.
fn closed(inside: &str, end: &[u8]) -> usize {
    let bytes = inside.as_bytes();
    let mut depth = 0_i64;
    let mut quotes = Quotes::default();
    for (at, byte) in bytes.iter().enumerate() {
        if quotes.hold(*byte) {
            continue;
        }
        if depth == 0 && bytes.get(at..).is_some_and(|rest| rest.starts_with(end)) {
            return at;
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    bytes.len()
}

/// A tag without its quoted strings.
fn code(tag: &str) -> String {
    let mut quotes = Quotes::default();
    tag.chars().filter(|c| !quotes.hold(u8::try_from(*c).unwrap_or(b'x'))).collect()
}

/// The state of reading quoted strings.
#[derive(Default)]
struct Quotes {
    open: Option<u8>,
    escaped: bool,
}

impl Quotes {
    /// Reads a byte; returns whether it belongs to a quoted string.
    fn hold(&mut self, byte: u8) -> bool {
        match self.open {
            Some(_) if self.escaped => self.escaped = false,
            Some(_) if byte == b'\\' => self.escaped = true,
            Some(quote) if byte == quote => self.open = None,
            Some(_) => {}
            None if matches!(byte, b'"' | b'\'') => self.open = Some(byte),
            None => return false,
        }
        true
    }
}

/// A text with the size limit of a template.
#[derive(Default)]
pub(super) struct Bounded(pub(super) String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_TEXT {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(|_| io::ErrorKind::InvalidData)?;
        self.write_str(text).map_err(|_| io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub(super) fn too_large() -> Error {
    Error::new(ErrorKind::InvalidOperation, format!("a text becomes larger than {MAX_TEXT} bytes"))
}

/// Joins items as text with a separator.
pub(super) fn join(value: &Value, between: &str) -> Result<String, Error> {
    let mut text = Bounded::default();
    let written = match value.as_str() {
        Some(whole) => text.write_str(whole),
        None if value.is_undefined() || matches!(value.kind(), ValueKind::Map) => write!(text, "{value}"),
        None => match value.try_iter() {
            Ok(items) => items.enumerate().try_for_each(|(index, item)| {
                let between = if index == 0 { "" } else { between };
                write!(text, "{between}{item}")
            }),
            Err(_) => write!(text, "{value}"),
        },
    };
    written.map_err(|_| too_large())?;
    Ok(text.0)
}

/// Replaces a part of a text.
pub(super) fn replace(text: &str, from: &str, to: &str) -> Result<String, Error> {
    let grown = text.matches(from).count().saturating_mul(to.len()).saturating_add(text.len());
    if grown > MAX_TEXT { Err(too_large()) } else { Ok(text.replace(from, to)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_where_the_language_finds_them() {
        let found = |source| tags(source).into_iter().map(|(_, tag)| tag).collect::<Vec<_>>();
        assert_eq!(found("a {{ b }} {% if c -%} {# {{ d #} {{- '}}' ~ e }}"), [" b ", " if c -", "- '}}' ~ e "]);
        assert_eq!(found("{{ {'a': {}} }} {{ f"), [" {'a': {}} ", " f"]);
        assert_eq!(found("{%- raw %}{{ ' }}{% endraw -%}{{ '\\'}}' }}"), [" '\\'}}' "]);
        assert_eq!(found("{{{ x }} { {é"), ["{ x }} { {é"]);
    }

    #[test]
    fn what_costs_too_much_is_refused_before_it_is_read() {
        for (source, why) in [
            (format!("{{{{ {}1 }}}}", "-".repeat(50_000)), "50003 bytes"),
            (format!("a {{% if {} %}}", "not ".repeat(600)), "bytes"),
            ("{% if a %}".repeat(2001), "2000 tags"),
            ("x".repeat(MAX_SOURCE + 1), "131072"),
            ("{{ 'x' * 9 }}".into(), "`*`"),
            ("{% set x = x ~ x %}".into(), "`set`"),
            ("{%- for y in x + x %}".into(), "`for`"),
            (format!("{{{{ {} x }}}}", "x ~".repeat(21)), "20 times"),
        ] {
            let (_, said) = check(&source).unwrap_err();
            assert!(said.contains(why), "{why}: {said}");
        }
        for source in ["{% set n = n + 1 %}", "{{ 'a * b ~ c' }} {{ a ~ b }}", "2 * 3 {# * #}", "{% for i in TAGS %}"] {
            assert_eq!(check(source), Ok(()), "{source}");
        }
    }
}

//! Turns the YAML of a frontmatter into fields with positions; no other module uses the YAML parser.

mod plain;
mod source;

use std::collections::HashSet;
use std::ops::Range;

use serde_saphyr::Spanned;
use source::{Raw, Source, colon_in_value};

use super::{Field, Item, ReadError, ReadErrorKind, Value};
use crate::skill::position::{Lines, Position};
use crate::skill::printable::printable;

const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 5_000;
const MAX_EVENTS: usize = 20_000;
/// How many anchors (`&`) and aliases (`*`) are allowed.
const MAX_ALIASES: usize = 32;
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
    let mut lines = Vec::new();
    while defects.len() <= MAX_QUOTED && defects.len() * head.len() <= MAX_REREAD {
        // A line that quoting did not repair is not quoted again, or it would grow each time.
        let fresh = defects.last().filter(|defect| !lines.contains(&defect.at.line));
        lines.extend(fresh.map(|defect| defect.at.line));
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
    let written = text.get(from..to)?;
    let value = format!("'{}'", written.trim().replace('\'', "''"));
    let blanks = written.len() - written.trim_start().len();
    let before = text.len();
    text.replace_range(from + blanks..to, &value);
    text.len().checked_sub(before)
}

/// Reads the map as written.
fn as_written(text: &str, head: Range<usize>) -> Result<(Vec<Field>, Vec<ReadError>), ReadError> {
    let source = Source::new(text, head);
    if let Some((offset, c)) = source.yaml.char_indices().find(|(_, c)| !is_printable(*c)) {
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

/// Whether a character is allowed in YAML (YAML 1.2 §5.1, `c-printable`).
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{85}' | ' '..='~' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Every duplicate key (YAML 1.2 §3.2.1.3), in nested maps too.
fn duplicates(fields: &[Field], found: &mut Vec<ReadError>) {
    let mut seen = HashSet::new();
    for field in fields {
        if !seen.insert((&field.key, field.text_key)) {
            let message = format!("The key `{}` is written twice", shorten(&field.key));
            found.push(ReadError::new(ReadErrorKind::DuplicateKey, field.key_at, message, "Keep one of the two"));
        }
        let mut nested = vec![&field.value];
        while let Some(value) = nested.pop() {
            match value {
                Value::Map(fields) => duplicates(fields, found),
                Value::List(items) => nested.extend(items.iter().rev().map(|item| &item.value)),
                _ => {}
            }
        }
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

fn shorten(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    printable(&shown)
}

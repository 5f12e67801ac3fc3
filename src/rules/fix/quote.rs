//! Quotes the values that make a frontmatter unreadable: text that contains `: ` or begins with a reserved character.

use crate::skill::Tree;
use crate::skill::frontmatter::{self, ReadErrorKind, Value};
use crate::skill::position::Lines;
use crate::skill::yaml;

use super::{Proposal, SKILL, edit};

/// A `key: value` line of a frontmatter.
struct Line<'a> {
    indent: usize,
    key: &'a str,
    value: &'a str,
    /// Where the value begins, in bytes of the line.
    at: usize,
}

/// Quotes all such values at once, since one is enough to make the frontmatter unreadable.
pub(super) fn values(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let blob = tree.get(SKILL)?;
    let kind = frontmatter::read(&blob.bytes).err()?.kind;
    if !matches!(kind, ReadErrorKind::UnquotedColon | ReadErrorKind::Syntax | ReadErrorKind::Limit) {
        return None;
    }
    let text = tree.text(SKILL)?;
    let lines = Lines::new(text);
    let all: Vec<(usize, &str)> = lines.iter().collect();
    let close = 1 + all.iter().skip(1).position(|(_, line)| line.trim_end() == "---")?;
    let (mut fixed, mut keys) = (text.to_owned(), Vec::new());
    let mut block: Option<usize> = None;
    let mut found = Vec::new();
    for index in 1..close {
        let (start, line) = *all.get(index)?;
        let indent = line.len() - line.trim_start_matches(' ').len();
        if line.trim().is_empty() || block.is_some_and(|outer| indent > outer) {
            continue; // blank, or inside a block of text
        }
        block = None;
        let Some(one) = read(line) else { continue };
        if one.value.starts_with(['|', '>']) {
            block = Some(one.indent);
            continue;
        }
        let next = all.get(index + 1).filter(|_| index + 1 < close).map_or("", |(_, line)| *line);
        let goes_on = !next.trim().is_empty() && next.len() - next.trim_start().len() > one.indent;
        if !goes_on && wants_quotes(one.value) {
            found.push((start + one.at, one.value));
            keys.push(one.key);
        }
    }
    for (from, value) in found.iter().rev() {
        fixed = edit::replaced(&fixed, &(*from..from + value.len()), &yaml::quoted(value))?;
    }
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let proposal = Proposal::of_skill(tree, &fixed, format!("the value of {} is quoted", keys.join(", ")))?;
    let doc = edit::document(&proposal.tree)?;
    let whole = found.iter().all(|(_, value)| {
        let is = |value_of: &Value| value_of.scalar() == Some(*value);
        doc.fields.iter().any(|field| match &field.value {
            Value::Map(inner) => inner.iter().any(|field| is(&field.value)),
            other => is(other),
        })
    });
    whole.then_some(proposal)
}

fn read(line: &str) -> Option<Line<'_>> {
    let key = line.trim_start_matches(' ');
    let indent = line.len() - key.len();
    let (key, rest) = key.split_once(':')?;
    let plain = key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    let value = rest.trim_start_matches(' ');
    let at = indent + key.len() + 1 + (rest.len() - value.len());
    (plain && rest.starts_with(' ')).then(|| Line { indent, key, value: value.trim_end(), at })
}

/// Whether a value can only be text and is invalid without quotes. A `#` after a space might be a comment.
fn wants_quotes(value: &str) -> bool {
    if value.contains(" #") {
        return false;
    }
    match value.chars().next() {
        None | Some('"' | '\'' | '[' | '{' | '&' | '!' | '#' | '|' | '>') => false,
        Some('@' | '`' | '%') => true,
        Some('*') => value.contains(' ') || value.ends_with('*'),
        Some('-' | '?' | ':') if value.get(1..2).is_none_or(|next| next == " ") => false,
        Some(_) => value.contains(": ") || value.ends_with(':'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_certainly_text_wants_quotes() {
        for (value, wants) in [
            ("Use when: the user asks", true),
            ("@file reads", true),
            ("`code` first", true),
            ("*Important* text", true),
            ("ends with:", true),
            ("plain text", false),
            ("*alias", false),
            ("&anchor a: b", false),
            ("\"a: b\"", false),
            ("a: b # maybe a comment", false),
            ("[a: b", false),
            ("- a: b", false),
            ("https://example.com", false),
        ] {
            assert_eq!(wants_quotes(value), wants, "{value}");
        }
    }
}

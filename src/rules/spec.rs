//! The Agent Skills specification, rule by rule, on a SKILL.md that could be read.

use std::collections::BTreeSet;

use crate::finding::Severity;
use crate::skill::frontmatter::{Document, Field, Value};
use crate::skill::name::MAX_NAME;
use crate::skill::position::Position;
use crate::skill::tokens;

use super::Subject;
use super::report::{Report, shown};
use super::table::Id;

const FILE: &str = "SKILL.md";
const KNOWN: &[&str] = &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
/// Fields single clients read, and which.
const CLIENT_FIELDS: &[(&str, &str)] = &[
    ("when_to_use", "Claude Code and Qwen Code"),
    ("argument-hint", "Claude Code, Copilot and Qwen Code"),
    ("arguments", "Claude Code"),
    ("disable-model-invocation", "Claude Code, Copilot, Cursor and Qwen Code"),
    ("user-invocable", "Claude Code, Copilot and Qwen Code"),
    ("disallowed-tools", "Claude Code"),
    ("model", "Claude Code and Qwen Code"),
    ("effort", "Claude Code"),
    ("context", "Claude Code and Copilot"),
    ("agent", "Claude Code"),
    ("paths", "Claude Code, Cursor and Qwen Code"),
    ("shell", "Claude Code"),
    ("allowedTools", "Qwen Code"),
    ("priority", "Qwen Code"),
];
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;
const MAX_LINES: usize = 500;
const DISCOVERY_TOKENS: usize = 100;
/// The longest link looked for, in bytes.
const MAX_LINK: usize = 1024;

pub(super) fn check(subject: &Subject<'_>, doc: &Document, report: &mut Report<'_>) {
    unknown_fields(doc, report);
    name(subject, doc, report);
    description(doc, report);
    optional_fields(doc, report);
    size(doc, report);
}

fn unknown_fields(doc: &Document, report: &mut Report<'_>) {
    for field in doc.fields.iter().filter(|field| !KNOWN.contains(&field.key.as_str())) {
        let key = shown(&field.key);
        let meant = KNOWN.iter().find(|known| strsim::damerau_levenshtein(&field.key.replace('_', "-"), known) <= 2);
        let reader = CLIENT_FIELDS.iter().find(|(name, _)| *name == field.key);
        let (message, fix) = match (meant, reader) {
            (_, Some((_, clients))) => (
                format!("The field `{key}` is not in the specification; {clients} read it"),
                Id::S3.rule().fix.to_owned(),
            ),
            (Some(known), None) => {
                (format!("Unknown field `{key}`; did you mean `{known}`?"), format!("Write `{known}`."))
            }
            (None, None) => (format!("Unknown field `{key}`"), Id::S3.rule().fix.to_owned()),
        };
        report.advise(Id::S3, Severity::Warning, FILE, field.key_at, message, fix);
    }
}

fn name(subject: &Subject<'_>, doc: &Document, report: &mut Report<'_>) {
    let Some(field) = doc.field("name") else {
        report.add(Id::S4, FILE, Position::START, "The frontmatter has no name");
        return;
    };
    let Some(name) = field.value.scalar() else {
        report.add(Id::S4, FILE, field.value_at, format!("The name is {}, not text", field.value.kind()));
        return;
    };
    let length = name.chars().count();
    let at = field.value_at;
    if name.trim().is_empty() {
        report.add(Id::S4, FILE, at, "The name is empty");
        return;
    }
    if length > MAX_NAME {
        report.add(Id::S4, FILE, at, format!("The name has {length} characters; the specification allows {MAX_NAME}"));
    }
    if name.chars().any(|c| !(c == '-' || (c.is_alphanumeric() && !c.is_uppercase()))) {
        let message =
            format!("The name `{}` holds a character other than lowercase letters, digits and hyphens", shown(name));
        report.add(Id::S5, FILE, at, message);
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        report.add(Id::S6, FILE, at, format!("The name `{}` has a hyphen at an edge or two in a row", shown(name)));
    }
    if !subject.directory.is_empty() && name != subject.directory {
        let message = format!("The name `{}` is not the folder's name `{}`", shown(name), shown(subject.directory));
        report.add(Id::S7, FILE, at, message);
    }
}

fn description(doc: &Document, report: &mut Report<'_>) {
    let Some(field) = doc.field("description") else {
        report.add(Id::S8, FILE, Position::START, "The frontmatter has no description");
        return;
    };
    let Some(text) = field.value.scalar() else {
        report.add(Id::S8, FILE, field.value_at, format!("The description is {}, not text", field.value.kind()));
        return;
    };
    let length = text.chars().count();
    if text.trim().is_empty() {
        report.add(Id::S8, FILE, field.value_at, "The description is empty");
    } else if length > MAX_DESCRIPTION {
        let message = format!("The description has {length} characters; at most {MAX_DESCRIPTION} are allowed");
        report.advise(
            Id::S8,
            Severity::Error,
            FILE,
            field.value_at,
            message,
            "Shorten it; give the details in the body.",
        );
    }
    let name = doc.field("name").and_then(|field| field.value.scalar()).unwrap_or("");
    let cost = tokens::estimate(name) + tokens::estimate(text);
    if cost > DISCOVERY_TOKENS {
        report.add(Id::S15, FILE, field.value_at, format!("Name and description cost ~{cost} tokens (estimate)"));
    }
}

fn optional_fields(doc: &Document, report: &mut Report<'_>) {
    if let Some(field) = doc.field("compatibility") {
        match &field.value {
            Value::Text(text) if text.trim().is_empty() => {
                report.add(Id::S10, FILE, field.value_at, "The compatibility note is empty");
            }
            Value::Text(text) if text.chars().count() > MAX_COMPATIBILITY => {
                let length = text.chars().count();
                let message =
                    format!("The compatibility note has {length} characters; at most {MAX_COMPATIBILITY} are allowed");
                report.add(Id::S10, FILE, field.value_at, message);
            }
            Value::Text(_) => {}
            other => {
                let message = format!("The compatibility note is {}, not text", other.kind());
                report.add(Id::S10, FILE, field.value_at, message);
            }
        }
    }
    if let Some(field) = doc.field("metadata") {
        metadata(field, report);
    }
    if let Some(field) = doc.field("allowed-tools").filter(|field| !matches!(field.value, Value::Text(_))) {
        let message = format!("`allowed-tools` is {}, not one line of text", field.value.kind());
        report.add(Id::S12, FILE, field.value_at, message);
    }
}

fn metadata(field: &Field, report: &mut Report<'_>) {
    let Value::Map(entries) = &field.value else {
        let message = format!("`metadata` is {}, not a map", field.value.kind());
        report.add(Id::S11, FILE, field.value_at, message);
        return;
    };
    for entry in entries.iter().filter(|entry| !matches!(entry.value, Value::Text(_))) {
        let message = format!("`metadata.{}` is {}, not text", shown(&entry.key), entry.value.kind());
        let fix = match entry.value.scalar() {
            Some(text) => format!("Quote it: {}: \"{}\"", shown(&entry.key), shown(text)),
            None => Id::S11.rule().fix.to_owned(),
        };
        report.advise(Id::S11, Severity::Warning, FILE, entry.value_at, message, fix);
    }
}

fn size(doc: &Document, report: &mut Report<'_>) {
    let lines = crate::skill::position::Lines::new(&doc.text).count();
    if lines >= MAX_LINES {
        let at = Position { line: MAX_LINES, column: 1 };
        report.add(Id::S16, FILE, at, format!("SKILL.md has {lines} lines; keep it under {MAX_LINES}"));
    }
}

/// Where a body refers to a file of the skill, and how.
pub(super) struct Reference<'a> {
    /// Byte offset of the path in the body.
    pub(super) offset: usize,
    /// The path as written, without anchor.
    pub(super) path: &'a str,
}

/// The relative paths a Markdown body links to, outside code.
pub(super) fn references(body: &str) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut fence: Option<&str> = None;
    let mut line_start = 0;
    for line in body.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => {
                for (at, path) in links(line) {
                    if seen.insert(path) {
                        found.push(Reference { offset: line_start + at, path });
                    }
                }
            }
            _ => {}
        }
        line_start += line.len();
    }
    found
}

fn links(line: &str) -> Vec<(usize, &str)> {
    let mut links = Vec::new();
    if !line.contains("](") {
        return links;
    }
    let mut in_code = false;
    let mut skip_to = 0;
    let mut searched = 0;
    for (at, c) in line.char_indices() {
        if c == '`' {
            in_code = !in_code;
        }
        if in_code || at < skip_to || !line.get(at..).is_some_and(|rest| rest.starts_with("](")) {
            continue;
        }
        let start = at + 2;
        // What was searched for one link without an end is not searched again for the next.
        let from = start.max(searched);
        let window = line.as_bytes().get(from..line.len().min(start + MAX_LINK)).unwrap_or(&[]);
        let Some(length) = memchr::memchr(b')', window).map(|step| from + step - start) else {
            searched = from + window.len();
            continue;
        };
        skip_to = start + length;
        let inside = line.get(start..start + length).unwrap_or("");
        let path = inside.split([' ', '#', '?']).next().unwrap_or("").trim_start_matches("./");
        if is_relative(path) {
            links.push((start, path));
        }
    }
    links
}

fn is_relative(path: &str) -> bool {
    !path.is_empty()
        && !path.starts_with(['/', '<', '{', '$', '~', '\\'])
        && !path.contains([':', '{', '<', '*'])
        && path.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_are_found_outside_code() {
        let body = "See [a](references/a.md#part) and [w](https://e.com/x.md).\n`[c](c.md)`\n```\n[d](d.md)\n```\n[e](./e.md \"t\")\n";
        let paths: Vec<_> = references(body).iter().map(|reference| reference.path).collect();
        assert_eq!(paths, ["references/a.md", "e.md"]);
    }
}

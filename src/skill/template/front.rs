//! The frontmatter of a template: values in it are quoted, so that no text can break out of its field.

use serde_json::json;

use super::Values;
use crate::skill::sections::fences;
use crate::skill::yaml::{block, escaped};

/// Splits a text that begins with frontmatter into it, closing line included, and what follows.
pub(super) fn split(text: &str) -> Option<(&str, &str)> {
    let [.., body] = fences(text).filter(|[open, ..]| open.starts_with('-'))?;
    text.split_at_checked(text.len() - body.len())
}

/// The 1-based line that closes a frontmatter which nothing opened: fields from the first line on, then `---`.
pub(super) fn unopened(source: &str) -> Option<usize> {
    let is_field = |line: &str| {
        let key = line.split_once(':').map_or("", |(key, _)| key);
        !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    let mut fields = 0;
    for (at, line) in source.lines().enumerate() {
        match line.trim_end() {
            "---" => return (fields > 0).then_some(at + 1),
            "" if fields == 0 => {}
            line if is_field(line) || fields > 0 && line.starts_with([' ', '-', '#']) => fields += 1,
            _ => return None,
        }
    }
    None
}

/// Rewrites the template's frontmatter so that every value with `{{…}}` renders as one double-quoted scalar.
pub(super) fn quoting(source: &str) -> String {
    let source = source.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let Some((head, body)) = split(&source) else { return source };
    let mut out: String =
        head.lines().map(|line| format!("{}\n", quoted_line(line).unwrap_or_else(|| line.to_owned()))).collect();
    out.push_str(body);
    out
}

/// One line `key: value` or `- value` with an expression in its value.
fn quoted_line(line: &str) -> Option<String> {
    let indent = line.len() - line.trim_start().len();
    let bare = line.get(indent..)?;
    let value_at = if bare.starts_with("- ") && !bare.contains(": ") { 2 } else { bare.find(": ")? + 2 };
    let (key, value) = (line.get(..indent + value_at)?, bare.get(value_at..)?.trim());
    if !value.contains("{{") || key.contains("{{") || value.contains("{%") {
        return None;
    }
    let double = value.len() > 1 && value.starts_with('"') && value.ends_with('"');
    let single = value.len() > 1 && value.starts_with('\'') && value.ends_with('\'');
    let inner = if double || single { value.get(1..value.len() - 1)? } else { value };
    let literal = |text: &str| match (double, single) {
        (true, _) => text.to_owned(),
        (_, true) => escaped(&text.replace("''", "'")),
        _ => escaped(text),
    };
    let mut out = format!("{key}\"");
    let mut rest = inner;
    while let Some((before, from)) = rest.split_once("{{") {
        out.push_str(&literal(before));
        if let Some((name, after)) = from.strip_prefix("{{").and_then(|quad| quad.split_once("}}}}")) {
            out.push_str(&format!("{{{{{{{{{name}}}}}}}}}"));
            rest = after;
        } else {
            let (expression, after) = from.split_once("}}")?;
            out.push_str(&format!("{{{{ ({expression})|yaml_part }}}}"));
            rest = after;
        }
    }
    out.push_str(&literal(rest));
    out.push('"');
    Some(out)
}

/// Hefesto's own frontmatter: the specification's fields only, metadata as a map of strings (S3, S11).
pub(super) fn frontmatter(values: &Values) -> String {
    let map = json!({
        "name": values.name,
        "description": values.description,
        "license": values.license,
        "metadata": {
            "author": values.author,
            "version": values.version,
            "category": values.category,
            "tags": values.tags.join(", "),
        },
    });
    format!("---\n{}---\n", block(&map))
}

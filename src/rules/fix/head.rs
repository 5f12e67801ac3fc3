//! Fixes the frontmatter in place: values that YAML cannot read, misspelt keys, tools, metadata, the name.

use super::{Proposal, document, offset, replaced, scalar, with_text};
use crate::rules::SKILL;
use crate::skill::frontmatter::{self, Document, Field, ReadErrorKind, Value};
use crate::skill::position::Lines;
use crate::skill::yaml;
use crate::skill::{Name, Tree};

/// The fields whose misspellings are fixed: those of the specification, then those of single clients.
const FIELDS: &[&str] = &[
    "name", "description", "license", "compatibility", "metadata", "allowed-tools", "argument-hint",
    "disable-model-invocation", "user-invocable", "disallowed-tools",
];
/// The shortest field for which an edit distance of one is certainly a misspelling.
const CERTAIN: usize = 7;
/// Known misspellings with a larger edit distance.
const MEANT: &[(&str, &str)] = &[("user-invokable", "user-invocable"), ("licence", "license")];
const OWN: &[&str] = &["allowedTools"];

/// Renames a misspelt key, unless the right one exists too.
pub(super) fn keys(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let doc = document(tree)?;
    doc.fields.iter().find_map(|field| {
        let right = meant(&field.key).filter(|right| doc.field(right).is_none())?;
        let from = offset(&doc.text, field.key_at)?;
        let range = from..from + field.key.len();
        if doc.text.get(range.clone()) != Some(field.key.as_str()) {
            return None; // in quotes
        }
        let text = replaced(&doc.text, &range, right)?;
        Proposal::of_skill(tree, &text, format!("the field `{}` is renamed to `{right}`", field.key))
    })
}

fn meant(key: &str) -> Option<&'static str> {
    if FIELDS.contains(&key) || OWN.contains(&key) {
        return None;
    }
    let bare = |text: &str| text.replace(['-', '_', ' '], "").to_ascii_lowercase();
    let dashed = key.replace('_', "-").to_ascii_lowercase();
    let known = MEANT.iter().find(|(wrong, _)| *wrong == dashed).map(|(_, right)| *right);
    known.or_else(|| {
        FIELDS.iter().copied().find(|right| {
            bare(right) == bare(key) || (right.len() >= CERTAIN && strsim::damerau_levenshtein(&dashed, right) == 1)
        })
    })
}

/// Turns a list of allowed tools into one line of text.
pub(super) fn tools(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let doc = document(tree)?;
    let index = doc.fields.iter().position(|field| field.key == "allowed-tools")?;
    let field = doc.fields.get(index)?;
    let Value::List(items) = &field.value else { return None };
    let items: Option<Vec<&str>> = items.iter().map(|item| item.value.scalar().filter(|tool| is_one(tool))).collect();
    let line = items.filter(|items| !items.is_empty())?.join(" ");
    let start = offset(&doc.text, field.key_at)?;
    let end = match doc.fields.get(index + 1) {
        Some(next) => offset(&doc.text, next.key_at)?,
        None => doc.head.end,
    };
    let written = doc.text.get(start..end)?.trim_end();
    if written.contains('#') {
        return None; // a comment that would be lost
    }
    [line.clone(), yaml::quoted(&line)].iter().find_map(|value| {
        let range = start..start + written.len();
        let text = replaced(&doc.text, &range, &format!("allowed-tools: {value}"))?;
        let proposal = Proposal::of_skill(tree, &text, "`allowed-tools` is one line of text")?;
        let reads = document(&proposal.tree)?;
        (same_but(&doc, &reads, "allowed-tools") && reads.field("allowed-tools")?.value == Value::Text(line.clone()))
            .then_some(proposal)
    })
}

/// Whether a text is one tool for every reader: spaces and commas only inside balanced parentheses.
fn is_one(tool: &str) -> bool {
    let mut depth = 0_usize;
    for c in tool.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return false,
            ')' => depth -= 1,
            ',' if depth == 0 => return false,
            c if c.is_control() || (depth == 0 && c.is_whitespace()) => return false,
            _ => {}
        }
    }
    depth == 0 && !tool.is_empty()
}

/// Quotes numbers and booleans under `metadata`, keeping their spelling.
pub(super) fn metadata(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let doc = document(tree)?;
    let Value::Map(entries) = &doc.field("metadata")?.value else { return None };
    let mut text = doc.text.clone();
    let mut quoted = Vec::new();
    for entry in entries.iter().rev().filter(|entry| matches!(entry.value, Value::Number(_) | Value::Bool(_))) {
        let from = offset(&doc.text, entry.value_at)?;
        let spelled = entry.value.scalar()?;
        let range = from..from + spelled.len();
        let written = doc.text.get(range.clone())?.to_owned();
        if !written.eq_ignore_ascii_case(spelled) {
            continue;
        }
        text = replaced(&text, &range, &format!("\"{written}\""))?;
        quoted.insert(0, format!("`{}`", entry.key));
    }
    let what = format!("`metadata` values are quoted: {}", quoted.join(", "));
    let proposal = Proposal::of_skill(tree, &text, what).filter(|_| !quoted.is_empty())?;
    same_but(&doc, &document(&proposal.tree)?, "metadata").then_some(proposal)
}

/// Whether two documents are equal except for one field.
fn same_but(one: &Document, other: &Document, key: &str) -> bool {
    let rest = |doc: &Document| -> Vec<(String, Option<String>)> {
        let fields = doc.fields.iter().filter(|field| field.key != key);
        fields.map(|field| (field.key.clone(), field.value.scalar().map(str::to_owned))).collect()
    };
    rest(one) == rest(other) && one.body() == other.body()
}

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
        fixed = replaced(&fixed, &(*from..from + value.len()), &yaml::quoted(value))?;
    }
    let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
    let proposal = Proposal::of_skill(tree, &fixed, format!("the value of {} is quoted", keys.join(", ")))?;
    let doc = document(&proposal.tree)?;
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

/// Name and folder take the one valid name that either of them has, or else the one that both sanitise to. Two valid
/// names that differ only in hyphens become the folder's; other differences are left to the author. A folder is never
/// renamed onto an existing entry.
pub(super) fn agree(directory: &str, tree: &Tree, taken: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let doc = document(tree)?;
    let field = doc.field("name")?;
    let name = field.value.scalar()?;
    let right = right_name(directory, name)?;
    let moves = right != directory;
    if moves && taken(&right) {
        return None;
    }
    let is_text = matches!(field.value, Value::Text(_));
    let mut changes = Vec::new();
    let mut fixed = tree.clone();
    if name != right || !is_text {
        let text = renamed(&doc.text, field, &right)?;
        fixed = with_text(&fixed, "SKILL.md", &text)?;
        let now = document(&fixed)?;
        if now.field("name").map(|field| &field.value) != Some(&Value::Text(right.clone())) {
            return None;
        }
        changes.push(("SKILL.md".to_owned(), format!("`name` is changed to `{right}`")));
        let sidecar = tree.text("metadata.yaml").and_then(|text| {
            let fields = frontmatter::read_yaml(text).ok()?;
            let field = fields.iter().find(|field| field.key == "name" && field.value.scalar() == Some(name))?;
            renamed(text, field, &right)
        });
        if let Some(text) = sidecar {
            fixed = with_text(&fixed, "metadata.yaml", &text)?;
            changes.push(("metadata.yaml".to_owned(), format!("`name` is changed to `{right}`")));
        }
    }
    if moves {
        let what = format!("the folder `{directory}` is renamed to `{right}`");
        match changes.first_mut() {
            Some((_, said)) => *said = format!("{said}, and {what}"),
            None => changes.push(("SKILL.md".to_owned(), what)),
        }
    }
    let directory = moves.then_some(right);
    (!changes.is_empty()).then_some(Proposal { directory, tree: fixed, changes, unseen: None })
}

fn right_name(directory: &str, name: &str) -> Option<String> {
    let valid = |text: &str| Name::parse(text).ok().map(|name| name.to_string());
    if let (Some(one), Some(other)) = (valid(directory), valid(name)) {
        // If only hyphens differ, the folder decides: a client finds the skill by it.
        return (one.replace('-', "") == other.replace('-', "")).then_some(one);
    }
    valid(directory).or_else(|| valid(name)).or_else(|| {
        let (one, other) = (Name::sanitise(directory)?, Name::sanitise(name)?);
        let cut = directory.chars().count() > crate::skill::name::MAX_NAME;
        (one == other && !cut).then(|| one.to_string())
    })
}

/// The text with a new value for the field, in its present quotes, or in new ones if it needs them.
fn renamed(text: &str, field: &Field, to: &str) -> Option<String> {
    let from = offset(text, field.value_at)?;
    let range = scalar(text, from)?;
    let quote = match text.get(range.clone())?.chars().next()? {
        quote @ ('"' | '\'') => quote.to_string(),
        _ if reads_as_text(to) => String::new(),
        _ => "\"".to_owned(),
    };
    replaced(text, &range, &format!("{quote}{to}{quote}"))
}

fn reads_as_text(name: &str) -> bool {
    let fields = frontmatter::read_yaml(&format!("name: {name}")).unwrap_or_default();
    fields.first().is_some_and(|field| field.value == Value::Text(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_fields_are_known_and_other_words_are_left_alone() {
        for (right, keys) in [
            ("description", &["Description", "descripton"][..]),
            ("allowed-tools", &["allowed_tools", "allowed-tool"]),
            ("user-invocable", &["user-invokable"]),
            ("license", &["licence"]),
            ("name", &["Name"]),
        ] {
            assert!(keys.iter().all(|key| meant(key) == Some(right)), "{right}");
        }
        for key in ["allowedTools", "names", "mode", "version", "description"] {
            assert_eq!(meant(key), None, "{key}");
        }
    }

    #[test]
    fn a_tool_is_one_word_outside_parentheses() {
        assert!(["Read", "Bash(git add *)", "Bash(a, b)"].into_iter().all(is_one));
        for tool in ["Read, Grep", "Read Grep", "Bash(git", ""] {
            assert!(!is_one(tool), "{tool}");
        }
    }

    #[test]
    fn only_what_is_certainly_text_wants_quotes() {
        for value in ["Use when: the user asks", "@file reads", "`code` first", "*Important* text", "ends with:"] {
            assert!(wants_quotes(value), "{value}");
        }
        for value in [
            "plain text", "*alias", "&anchor a: b", "\"a: b\"", "a: b # maybe a comment", "[a: b", "- a: b",
            "https://example.com",
        ] {
            assert!(!wants_quotes(value), "{value}");
        }
    }

    #[test]
    fn the_one_valid_name_wins_then_what_both_make_and_two_valid_names_are_left_to_the_author() {
        for (directory, name, right) in [
            ("review-code", "Review", Some("review-code")),
            ("review-code", "lint-code", None),
            ("pdf-tools", "pdftools", Some("pdf-tools")),
            ("review-code", "review-code", Some("review-code")),
            ("Review_Code", "review-code", Some("review-code")),
            ("Code-Review", "Code_Review", Some("code-review")),
            ("Code-Review", "Lint Code", None),
            ("日本", "日本", None),
        ] {
            assert_eq!(right_name(directory, name).as_deref(), right, "{directory} {name}");
        }
        assert_eq!(right_name(&"A".repeat(65), &"A".repeat(65)), None, "where to cut is not certain");
    }
}

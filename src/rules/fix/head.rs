//! Fixes the frontmatter in place: misspelt keys, a list of allowed tools, metadata that is not text.

use crate::skill::Tree;
use crate::skill::frontmatter::{Document, Value};
use crate::skill::yaml;

use super::{Proposal, edit};

/// The fields whose misspellings are fixed: those of the specification, then those of single clients.
const FIELDS: &[&str] = &[
    "name", "description", "license", "compatibility", "metadata", "allowed-tools", "argument-hint",
    "disable-model-invocation", "user-invocable", "disallowed-tools",
];
/// The shortest field for which an edit distance of one is certainly a misspelling.
const CERTAIN: usize = 7;
/// Known misspellings with a larger edit distance.
const MEANT: &[(&str, &str)] = &[("user-invokable", "user-invocable"), ("licence", "license")];
/// Spellings that a client accepts.
const OWN: &[&str] = &["allowedTools"];

/// Renames a misspelt key, unless the right one exists too.
pub(super) fn keys(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let doc = edit::document(tree)?;
    doc.fields.iter().find_map(|field| {
        let right = meant(&field.key).filter(|right| doc.field(right).is_none())?;
        let from = edit::offset(&doc.text, field.key_at)?;
        let range = from..from + field.key.len();
        if doc.text.get(range.clone()) != Some(field.key.as_str()) {
            return None; // in quotes
        }
        let text = edit::replaced(&doc.text, &range, right)?;
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
    let doc = edit::document(tree)?;
    let index = doc.fields.iter().position(|field| field.key == "allowed-tools")?;
    let field = doc.fields.get(index)?;
    let Value::List(items) = &field.value else { return None };
    let items: Option<Vec<&str>> = items.iter().map(|item| item.value.scalar().filter(|tool| is_one(tool))).collect();
    let line = items.filter(|items| !items.is_empty())?.join(" ");
    let start = edit::offset(&doc.text, field.key_at)?;
    let end = match doc.fields.get(index + 1) {
        Some(next) => edit::offset(&doc.text, next.key_at)?,
        None => doc.head.end,
    };
    let written = doc.text.get(start..end)?.trim_end();
    if written.contains('#') {
        return None; // a comment that would be lost
    }
    [line.clone(), yaml::quoted(&line)].iter().find_map(|value| {
        let range = start..start + written.len();
        let text = edit::replaced(&doc.text, &range, &format!("allowed-tools: {value}"))?;
        let proposal = Proposal::of_skill(tree, &text, "`allowed-tools` is one line of text")?;
        let reads = edit::document(&proposal.tree)?;
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
    let doc = edit::document(tree)?;
    let Value::Map(entries) = &doc.field("metadata")?.value else { return None };
    let mut text = doc.text.clone();
    let mut quoted = Vec::new();
    for entry in entries.iter().rev().filter(|entry| matches!(entry.value, Value::Number(_) | Value::Bool(_))) {
        let from = edit::offset(&doc.text, entry.value_at)?;
        let spelled = entry.value.scalar()?;
        let range = from..from + spelled.len();
        let written = doc.text.get(range.clone())?.to_owned();
        if !written.eq_ignore_ascii_case(spelled) {
            continue;
        }
        text = edit::replaced(&text, &range, &format!("\"{written}\""))?;
        quoted.insert(0, format!("`{}`", entry.key));
    }
    let what = format!("`metadata` values are quoted: {}", quoted.join(", "));
    let proposal = Proposal::of_skill(tree, &text, what).filter(|_| !quoted.is_empty())?;
    same_but(&doc, &edit::document(&proposal.tree)?, "metadata").then_some(proposal)
}

/// Whether two documents are equal except for one field.
fn same_but(one: &Document, other: &Document, key: &str) -> bool {
    let rest = |doc: &Document| -> Vec<(String, Option<String>)> {
        let fields = doc.fields.iter().filter(|field| field.key != key);
        fields.map(|field| (field.key.clone(), field.value.scalar().map(str::to_owned))).collect()
    };
    rest(one) == rest(other) && one.body() == other.body()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_fields_are_known_and_other_words_are_left_alone() {
        for (key, right) in [
            ("Description", Some("description")),
            ("allowed_tools", Some("allowed-tools")),
            ("allowed-tool", Some("allowed-tools")),
            ("user-invokable", Some("user-invocable")),
            ("descripton", Some("description")),
            ("licence", Some("license")),
            ("Name", Some("name")),
            ("allowedTools", None),
            ("names", None),
            ("mode", None),
            ("version", None),
            ("description", None),
        ] {
            assert_eq!(meant(key), right, "{key}");
        }
    }

    #[test]
    fn a_tool_is_one_word_outside_parentheses() {
        for (tool, one) in [
            ("Read", true),
            ("Bash(git add *)", true),
            ("Bash(a, b)", true),
            ("Read, Grep", false),
            ("Read Grep", false),
            ("Bash(git", false),
            ("", false),
        ] {
            assert_eq!(is_one(tool), one, "{tool}");
        }
    }
}

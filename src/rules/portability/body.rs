//! Syntax in a body that one client replaces or runs and others pass on as text.

use crate::rules::{Document, Id, Lines, Profile, Severity};

use super::super::injection;
use super::ClientReport;

/// The client-specific syntax of a body, each kind once, with its byte offset in the text.
pub(super) struct Syntax {
    claude: Vec<(&'static str, usize)>,
    placeholders: Vec<(&'static str, usize)>,
}

impl Syntax {
    pub(super) fn of(doc: &Document) -> Self {
        let placeholder = |word: &'static str| Some((word, doc.body_start + unexplained(doc.body(), word)?));
        let placeholders = ["$ARGUMENTS", "{{args}}"].into_iter().filter_map(placeholder).collect();
        Self { claude: claude_only(doc), placeholders }
    }
}

impl ClientReport<'_, '_> {
    /// Reports Claude Code's syntax to the other clients, and placeholders that no client replaces.
    pub(super) fn body(&mut self, syntax: &Syntax, profile: Profile, lines: &Lines<'_>) {
        let client = self.client;
        for (syntax, offset) in syntax.claude.iter().filter(|(syntax, _)| !client.replaces.contains(syntax)) {
            let effect =
                if client.breaks.contains(syntax) { "replaces it by `undefined`" } else { "does not replace it" };
            let syntax = if syntax.ends_with('_') { "${CLAUDE_...}" } else { syntax };
            let title = client.title.replacen("The ", "the ", 1);
            let message = format!("`{syntax}` means something to Claude Code only; {title} {effect}");
            self.report(Id::PortSyntax.at(lines.position(*offset), message));
        }
        let severity = if profile == Profile::Portable { Severity::Warning } else { Severity::Info };
        for (placeholder, offset) in syntax.placeholders.iter().filter(|(word, _)| !client.replaces.contains(word)) {
            let message = format!("{} does not replace `{placeholder}` in a skill", client.title);
            self.report(Id::PortArguments.at(lines.position(*offset), message).weighed(severity));
        }
    }
}

/// The offset of the first placeholder that no words in brackets explain.
fn unexplained(body: &str, placeholder: &str) -> Option<usize> {
    let explained = |rest: &str| {
        let words = rest.trim_start_matches(' ').strip_prefix('(');
        words.is_some_and(|words| {
            words.starts_with(char::is_alphabetic) && words.lines().next().unwrap_or("").contains(')')
        })
    };
    body.match_indices(placeholder).map(|(at, _)| at).find(|at| {
        let rest = body.get(at + placeholder.len()..).unwrap_or_default();
        !explained(rest)
    })
}

fn claude_only(doc: &Document) -> Vec<(&'static str, usize)> {
    let body = doc.body();
    let mut found = Vec::new();
    for syntax in ["${CLAUDE_", "$ARGUMENTS["] {
        found.extend(body.find(syntax).map(|at| (syntax, doc.body_start + at)));
    }
    // `$0` may be money; it counts as an argument if the skill says that it takes any.
    let takes = doc.field("argument-hint").is_some() || doc.field("arguments").is_some() || body.contains("$ARGUMENTS");
    let first = if takes { first_argument(body) } else { None };
    found.extend(first.map(|at| ("$0", doc.body_start + at)));
    found.extend(injection::preprocessed(&doc.text).first().map(|at| ("!`command`", *at)));
    found
}

/// `$0` outside of code: an argument, not a shell's or awk's.
fn first_argument(body: &str) -> Option<usize> {
    let mut fence = false;
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fence = !fence;
        } else if !fence {
            let (mut counted, mut in_code) = (0, false);
            let hit = line.match_indices("$0").map(|(at, _)| at).find(|at| {
                let before = line.get(..*at).unwrap_or("");
                let after = line.get(at + 2..).unwrap_or("");
                in_code ^= before.get(counted..).unwrap_or("").matches('`').count() % 2 == 1;
                counted = *at;
                let number = after.trim_start_matches(['.', ',']).starts_with(|c: char| c.is_ascii_digit());
                !in_code && !before.ends_with('\\') && !number && !after.starts_with(char::is_alphanumeric)
            });
            if let Some(at) = hit {
                return Some(start + at);
            }
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_with_words_in_brackets_after_it_is_explained() {
        let at = |body: &str| unexplained(body, "{{args}}");
        assert_eq!(at("Request: {{args}} (what the user asks for)\n"), None);
        assert_eq!(at("Request: {{args}}\n(more)\n"), Some(9));
        assert_eq!(at("Request: {{args}} (words)\nRead {{args}}.\n"), Some(31));
        for body in ["{{args}} ()", "{{args}} (1)", "{{args}} (open", "{{args}}"] {
            assert_eq!(at(body), Some(0), "{body}");
        }
    }

    #[test]
    fn an_argument_is_distinguished_from_money_and_shell() {
        assert_eq!(first_argument("Open $0 first"), Some(5));
        assert_eq!(first_argument("Open $0. Then"), Some(5));
        for text in ["It costs $0.50", "`echo $0`", "```sh\necho $0\n```\n", "\\$0 stays", "$01"] {
            assert_eq!(first_argument(text), None, "{text}");
        }
    }
}

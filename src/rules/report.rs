//! Collects the findings about one skill: joins paths with the user's prefix, keeps secrets out of messages, sorts the
//! result.

use crate::rules::{Finding, Id, Position, Severity};
use crate::skill::printable::printable;

use super::secrets;

/// Characters of a skill's own text shown in a message.
const SHOWN: usize = 60;

pub(super) struct FindingCollector<'a> {
    prefix: &'a str,
    findings: Vec<Finding>,
}

impl Id {
    /// A finding about a line of SKILL.md as a whole.
    pub(super) fn at_line(self, line: usize, message: impl Into<String>) -> Finding {
        self.at(Position { line, column: 1 }, message)
    }

    /// A finding about a place in SKILL.md, with the severity and the fix of the rule.
    pub(super) fn at(self, at: Position, message: impl Into<String>) -> Finding {
        let rule = self.rule();
        Finding {
            layer: rule.layer,
            rule: rule.id.to_owned(),
            severity: rule.severity,
            file: "SKILL.md".to_owned(),
            line: at.line,
            column: at.column,
            message: message.into(),
            why: rule.why.to_owned(),
            fix: rule.fix.to_owned(),
            client: None,
        }
    }
}

impl Finding {
    pub(super) fn in_file(self, path: &str) -> Self {
        Self { file: path.to_owned(), ..self }
    }

    pub(super) fn weighed(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    pub(super) fn with_fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    /// About one client or validator.
    pub(super) fn for_client(self, client: &str) -> Self {
        Self { client: Some(client.to_owned()), ..self }
    }
}

impl<'a> FindingCollector<'a> {
    pub(super) fn new(prefix: &'a str) -> Self {
        Self { prefix, findings: Vec::new() }
    }

    pub(super) fn add(&mut self, finding: Finding) {
        self.findings.push(Finding { file: joined(self.prefix, &finding.file), ..finding });
    }

    /// The findings by file, line, column and severity, without duplicates.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.findings.sort_by(|a, b| {
            (&a.file, a.line, a.column, a.severity, &a.rule, &a.client)
                .cmp(&(&b.file, b.line, b.column, b.severity, &b.rule, &b.client))
        });
        self.findings.dedup();
        self.findings
    }
}

/// A part of a skill's text for a message: short, printable, and never a secret.
pub(super) fn shown(text: &str) -> String {
    if let Some(hit) = secrets::scan(text).first() {
        return format!("{}...", hit.hint);
    }
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    printable(&short).replace(['\n', '\t'], " ")
}

/// A sentence that quotes a skill's text: kept whole unless it would show a secret.
pub(super) fn shown_whole(sentence: &str) -> String {
    if secrets::scan(sentence).is_empty() {
        return printable(sentence);
    }
    let before = sentence.split([':', '=', '`', '"', '\'']).next().unwrap_or("");
    let safe = if secrets::scan(before).is_empty() { before.trim_end() } else { "The text" };
    format!("{}: (a secret, not shown)", printable(safe))
}

/// A path inside a skill below the path of its folder.
pub(super) fn joined(prefix: &str, path: &str) -> String {
    match prefix.trim_end_matches('/') {
        "" if prefix.is_empty() => path.to_owned(),
        folder if path.is_empty() && !folder.is_empty() => folder.to_owned(),
        trimmed => format!("{trimmed}/{path}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_as_the_user_named_the_skill() {
        assert_eq!(joined("", "SKILL.md"), "SKILL.md");
        assert_eq!(joined("skills/a/", "SKILL.md"), "skills/a/SKILL.md");
        assert_eq!(joined("/", "SKILL.md"), "/SKILL.md");
        assert_eq!(joined("skills/a/", ""), "skills/a", "the folder itself");
    }

    #[test]
    fn shown_text_is_short_printable_and_no_secret() {
        assert_eq!(shown("a\u{1b}b\nc"), "a\\u{1b}b c");
        assert_eq!(shown(&"x".repeat(100)).chars().count(), SHOWN + 1);
        let key = ["AK", "IA", "QWERTYUIOPASDFGH"].concat();
        assert_eq!(shown(&format!("key {key}")), "AKIA...");
    }

    #[test]
    fn a_sentence_that_quotes_a_secret_is_cut_before_it() {
        let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
        for (sentence, shown) in [
            (format!("The key `{key}` is written twice"), "The key: (a secret, not shown)"),
            (format!("Quote the value: token: \"{key}\""), "Quote the value: (a secret, not shown)"),
            (format!("{key} is here"), "The text: (a secret, not shown)"),
        ] {
            assert_eq!(shown_whole(&sentence), shown);
        }
        assert_eq!(shown_whole("The key `a` is written twice"), "The key `a` is written twice");
    }

    #[test]
    fn findings_come_in_reading_order() {
        let mut report = FindingCollector::new("p");
        report.add(Id::S8.at(Position { line: 3, column: 1 }, "b"));
        report.add(Id::T101.at(Position { line: 2, column: 5 }, "a"));
        report.add(Id::S4.at(Position { line: 2, column: 5 }, "a"));
        let rules: Vec<_> = report.finish().into_iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, ["S4", "T1-HEFESTO-01", "S8"]);
    }
}

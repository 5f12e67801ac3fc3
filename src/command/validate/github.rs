//! The findings of `validate` as annotations of a GitHub workflow: one command per finding, each on its own line.

use std::path::Path;

use super::render::SkillGroup;
use crate::rules::Severity;
use crate::skill::printable;

/// The workflow commands, with files relative to the project's root. GitHub shows few of each kind, so findings about
/// several clients are merged, and remarks are left out unless requested.
pub(super) fn annotations(root: &Path, groups: &[SkillGroup<'_>], remarks: bool) -> String {
    let mut text = String::new();
    for SkillGroup { copies, findings } in groups {
        for (one, merged) in copies.first().into_iter().flat_map(|one| findings.iter().map(move |merged| (one, merged)))
        {
            let finding = merged.finding;
            let word = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info if remarks => "notice",
                Severity::Info => continue,
            };
            let end = merged.quote.map_or(finding.column, |quote| quote.end);
            let mut message = format!("{}\nfix: {}", printable(&finding.message), printable(&finding.fix));
            if let Some(others) = merged.others() {
                message.push_str(&format!("\nlikewise: {others}"));
            }
            text.push_str(&format!(
                "::{word} file={},line={},endLine={1},col={},endColumn={end},title={}::{}\n",
                property(&one.file(root, finding)),
                finding.line,
                finding.column,
                property(&finding.rule),
                data(&message)
            ));
        }
    }
    text
}

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which a colon or a comma would end.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(data("100 %\r\na: b, c"), "100 %25%0D%0Aa: b, c");
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25%0A");
        assert_eq!(property("%3A"), "%253A");
    }
}

//! Documents about one kind of work, which their names say: `docs/migrations.md`, `RELEASING.md`.

use super::lines::{directory, name};

/// The directories of such documents.
const DIRECTORIES: &[&str] =
    &["docs", "doc", ".github", "runbooks", "runbook", "playbooks", "docs/runbooks", "docs/playbooks", "docs/process"];

/// Those that stand at the root.
const AT_ROOT: &[&str] = &[
    "releasing", "release", "release-process", "release_process", "publishing", "deploying", "deployment",
    "migrations", "localization", "translating", "triage", "accessibility", "operations",
];

/// Documents for users, and records.
const OTHERS: &[&str] = &[
    "api", "architecture", "authors", "changelog", "code_of_conduct", "code-of-conduct", "design", "faq", "funding",
    "getting-started", "glossary", "history", "index", "install", "installation", "installing", "license", "overview",
    "quickstart", "readme", "reference", "roadmap", "security", "support", "tutorial", "usage",
];

/// Words of a name that say nothing of the work.
const GENERAL: &[&str] = &[
    "and", "checklist", "conventions", "for", "guide", "guideline", "guidelines", "how", "of", "our", "playbook",
    "policy", "process", "rules", "runbook", "the", "to",
];

/// A longer one is a manual.
const LINES: usize = 120;

/// The words for the work that the document at this path is about; `None` if it is no such document.
pub(super) fn work(path: &str) -> Option<String> {
    let lower = path.to_lowercase();
    let stem = name(&lower).strip_suffix(".md")?;
    let at = directory(&lower);
    let known = if at.is_empty() { AT_ROOT.contains(&stem) } else { DIRECTORIES.contains(&at) };
    let words: Vec<&str> = stem
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.contains(char::is_alphabetic) && !GENERAL.contains(word))
        .collect();
    (known && !OTHERS.contains(&stem) && !stem.contains("template") && !words.is_empty()).then(|| words.join(" "))
}

/// Whether it is short enough for rules.
pub(super) fn is_short(text: &str) -> bool {
    text.lines().count() <= LINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_the_work() {
        for (path, wanted) in [
            ("docs/migrations.md", Some("migrations")),
            ("RELEASING.md", Some("releasing")),
            ("runbooks/restore-db.md", Some("restore db")),
            (".github/CI.md", Some("ci")),
            ("docs/incident-guide.md", Some("incident")),
            ("docs/usage.md", None),
            ("docs/README.md", None),
            ("MEMORY.md", None),
            ("src/parser.md", None),
            (".github/pull_request_template.md", None),
            ("docs/rules.md", None),
        ] {
            assert_eq!(work(path).as_deref(), wanted, "{path}");
        }
    }
}

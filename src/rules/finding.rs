//! A finding: what one rule reports about one place in a skill.

use std::fmt;

use serde::Serialize;

/// Which body of rules a finding comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The Agent Skills specification's own text.
    Spec,
    /// Hefesto's constitution, rules that nothing overrides.
    T0,
    /// Hefesto's constitution, rules for complex skills.
    T1,
    /// Hefesto's constitution, recommendations.
    T2,
    /// A named client would drop, alter or hide the skill.
    Portability,
    /// The quality checklist.
    Quality,
}

word_enum! {
    /// The severity of a finding. Only `Error` makes a skill invalid.
    Severity {
        /// The skill is not acceptable.
        Error = "error",
        /// Worth a look; the skill is accepted.
        Warning = "warning",
        /// A remark.
        Info = "info",
    }
}

/// One finding; `--json` uses these field names.
///
/// ```
/// use hefesto::rules::{self, Subject};
/// use hefesto::skill::Tree;
///
/// let mut files = Tree::new();
/// files.put("SKILL.md", "---\nname: Review\ndescription: Reviews code. Use when asked for a review.\n---\n\nRead
/// it.\n"); for finding in rules::check(&Subject::new("review", &files)) {
///     println!("{finding}");
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The body of rules it comes from.
    pub layer: Layer,
    /// Rule id, such as `T0-HEFESTO-07` or `S4`; a part is joined by a dot (`T0-HEFESTO-11.secret`).
    pub rule: String,
    /// Its severity.
    pub severity: Severity,
    /// The file as the user named it, joined with the path inside the skill.
    pub file: String,
    /// 1-based line, 1 when the finding is about the file as a whole.
    pub line: usize,
    /// 1-based column in Unicode scalar values, 1 when the finding is about a line as a whole.
    pub column: usize,
    /// What is wrong. Never contains more than four characters of a secret.
    pub message: String,
    /// Why the rule exists.
    pub why: String,
    /// What to do about it.
    pub fix: String,
    /// The client this is about, for portability findings.
    pub client: Option<String>,
}

/// The finding on one line: place, severity, rule, message and fix.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, severity, rule, message, fix, .. } = self;
        write!(f, "{file}:{line}:{column}: {} [{rule}] {message}. {fix}", severity.word())
    }
}

//! `<!-- hefesto: ignore RULE, RULE reason: … -->` in a body accepts a finding on purpose and says why.
//!
//! As the first line of the body it applies to all of SKILL.md, elsewhere to the next line that is not blank. Without a
//! reason it ignores nothing, and T0 rules are never ignored.

use crate::rules::{Finding, FindingCollector, Layer, Page, Position, shown};

use super::table::{self, Id};

const OPEN: &str = "<!-- hefesto: ignore";

/// A finding that the skill's author has accepted.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Suppressed {
    /// What was found.
    #[serde(flatten)]
    pub finding: Finding,
    /// Why it is accepted, in the author's words.
    pub reason: String,
}

/// A request to ignore a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Directive {
    rule: &'static str,
    reason: String,
    /// The line it applies to; `None` for all lines.
    line: Option<usize>,
}

/// The valid directives; invalid ones are findings.
pub(super) fn read(page: &Page<'_>, report: &mut FindingCollector<'_>) -> Vec<Directive> {
    let doc = page.doc;
    let mut directives = Vec::new();
    if !doc.body().contains(OPEN) {
        return directives;
    }
    let lines: Vec<&str> = page.body_lines().map(|(_, line)| line).collect();
    let mut fence: Option<&str> = None;
    let first = lines.iter().position(|line| !line.trim().is_empty());
    for (index, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark)) {
            fence = match fence {
                Some(open) if open == mark => None,
                None => Some(mark),
                open => open,
            };
        }
        let Some(rest) = trimmed.strip_prefix(OPEN).filter(|_| fence.is_none()) else { continue };
        let at = Position { line: doc.body_line + index, column: 1 };
        let mut refuse = |message: String, fix: String| {
            report.add(Id::Ignore.at(at, message).with_fix(fix));
        };
        let inside = rest.strip_suffix("-->").unwrap_or(rest);
        let (ids, reason) = inside.split_once("reason:").unwrap_or((inside, ""));
        let reason = reason.trim();
        if reason.is_empty() {
            let ids = if ids.trim().is_empty() { "RULE".to_owned() } else { shown(ids.trim()) };
            let fix = format!("Write `{OPEN} {ids} reason: why it is right here -->`.");
            refuse("The ignore comment gives no reason".to_owned(), fix);
            continue;
        }
        let behind = lines.iter().enumerate().skip(index + 1).find(|(_, line)| !line.trim().is_empty());
        let line = if Some(index) == first { None } else { behind.map(|(behind, _)| doc.body_line + behind) };
        for id in ids.split([',', ' ', '\t']).filter(|id| !id.is_empty()) {
            match table::find(id) {
                None => {
                    let message = format!("The ignore comment names `{}`, which is not a rule", shown(id));
                    refuse(message, "Use the id that the finding shows; `hefesto explain` lists all ids.".to_owned());
                }
                Some(rule) if rule.layer == Layer::T0 || rule.id == Id::Ignore.rule().id => {
                    let fix = format!("Remove it from the comment and fix what `{}` reports.", rule.id);
                    refuse(format!("`{}` cannot be ignored", rule.id), fix);
                }
                Some(rule) => directives.push(Directive { rule: rule.id, reason: shown(reason), line }),
            }
        }
    }
    directives
}

/// Separates the findings about SKILL.md (named `file`) that a directive accepts.
pub(super) fn apply(directives: &[Directive], file: &str, findings: Vec<Finding>) -> (Vec<Finding>, Vec<Suppressed>) {
    let mut kept = Vec::new();
    let mut suppressed = Vec::new();
    for finding in findings {
        let speaks = |one: &&Directive| {
            finding.file == file && one.rule == finding.rule && one.line.is_none_or(|line| line == finding.line)
        };
        match directives.iter().find(speaks) {
            Some(directive) => suppressed.push(Suppressed { finding, reason: directive.reason.clone() }),
            None => kept.push(finding),
        }
    }
    (kept, suppressed)
}

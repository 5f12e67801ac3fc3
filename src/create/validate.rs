//! P3: every copy is checked on the exact bytes that would be written. A failing skill never reaches the gate.

use serde_json::{Value, json};

use super::ask::Place;
use super::draft::Source;
use super::plan::Entry;
use super::{Draft, Plan, Proposal, Run, intake};
use crate::error::{Code, Error, Result};
use crate::finding::{Finding, Layer, Severity};
use crate::prompt::Question;
use crate::rules::{self, Subject};
use crate::skill::{Tree, template};
use crate::target::Target;
use crate::working::Phase;

/// A draft without an error in any copy. Only this file makes one.
pub struct Valid {
    draft: Draft,
    warnings: Vec<Finding>,
}

/// The checklist in numbers (informs; never decides).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grade {
    /// Findings that would make it invalid; none in a valid draft.
    pub critical: usize,
    /// Findings worth a look.
    pub warnings: usize,
    /// Marked places a person has to fill in.
    pub gaps: usize,
}

impl Grade {
    /// `PASS`, `PARTIAL` or `FAIL`.
    #[must_use]
    pub fn verdict(self) -> &'static str {
        match (self.critical, self.warnings + self.gaps) {
            (0, 0..=2) => "PASS",
            (0, _) => "PARTIAL",
            _ => "FAIL",
        }
    }

    /// For the answer.
    #[must_use]
    pub fn json(self) -> Value {
        json!({ "verdict": self.verdict(), "critical": self.critical, "warnings": self.warnings, "gaps": self.gaps })
    }
}

impl Valid {
    /// The draft.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Puts it before the gate, with what would be written.
    #[must_use]
    pub fn propose(self, plan: Plan) -> Proposal {
        let grade = Grade {
            critical: 0,
            warnings: self.warnings.iter().filter(|finding| finding.severity == Severity::Warning).count(),
            gaps: template::gaps(&self.draft.text),
        };
        Proposal { plan, draft: self.draft, warnings: self.warnings, grade }
    }
}

/// What P3 came to.
pub(super) enum Judged {
    /// It may be shown at the gate.
    Valid(Box<Valid>),
    /// A person gave another description.
    Again(Source),
}

/// Runs P3.
///
/// # Errors
/// E-CREATE-005 with every finding.
pub(super) fn validate(run: &mut Run<'_>, draft: Draft) -> Result<Judged> {
    run.enter(Phase::Validate);
    let findings = judge(&draft);
    let (errors, warnings): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.severity == Severity::Error);
    let at = run.env.stamp();
    let ticks: Vec<String> = rules::checked_rules()
        .into_iter()
        .map(|(id, title)| {
            let broken = errors.iter().any(|finding| finding.rule.starts_with(id));
            format!("{id}: {} {title}", if broken { "✗" } else { "✓" })
        })
        .collect();
    run.checkpoint(&json!({
        "validation_passed": errors.is_empty(),
        "validation_errors": errors.iter().map(|finding| json!({
            "code": Code::CreateInvalid,
            "rule": finding.rule,
            "message": finding.message,
            "remediation": finding.fix,
        })).collect::<Vec<_>>(),
        "checked_rules": ticks,
        "validation_timestamp": at,
    }))?;
    if errors.is_empty() {
        return Ok(Judged::Valid(Box::new(Valid { draft, warnings })));
    }
    run.decision = "validation_failed";
    let error = invalid(errors, Code::CreateInvalid);
    match retry(run, &error)? {
        Some(source) => Ok(Judged::Again(source)),
        None => Err(error),
    }
}

/// Lets a person try again from P1 with other words (seed 1, error recovery example 2). `None`: nobody wants to.
fn retry(run: &mut Run<'_>, error: &Error) -> Result<Option<Source>> {
    if !run.person() || run.request.yes || run.request.args.dry_run {
        return Ok(None);
    }
    let said = run.env.style.error(error);
    run.env.say(said.trim_end());
    let limit = run.wizard_limit();
    let question = Question {
        text: "Another description (Enter: stop)",
        limit: Some(limit),
        flag: "DESCRIPTION",
        ..Question::default()
    };
    match run.ask(Place::Wizard, &question) {
        Ok(line) if !line.is_empty() => intake::again(run, &line).map(Some),
        Ok(_) => Ok(None),
        Err(nobody) if nobody.code() == Code::NobodyToAsk => Ok(None),
        Err(other) => Err(other),
    }
}

/// The errors a draft would be refused for.
#[must_use]
pub(super) fn errors(draft: &Draft) -> Vec<Finding> {
    judge(draft).into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}

/// Checks copies that are not a draft's own any more (a merge), on their exact bytes.
///
/// # Errors
/// E-CREATE-005 with every finding.
pub(super) fn recheck<'p>(name: &str, entries: impl Iterator<Item = &'p Entry>) -> Result<()> {
    let mut found = Vec::new();
    for entry in entries {
        check(name, &entry.at, &entry.tree, &entry.target, &mut found);
    }
    found.retain(|finding| finding.severity == Severity::Error);
    if found.is_empty() { Ok(()) } else { Err(invalid(found, Code::CreateInvalid)) }
}

/// One error for many findings: the first one's words, and all of them attached.
#[must_use]
pub(super) fn invalid(findings: Vec<Finding>, code: Code) -> Error {
    let Some(first) = findings.first() else { return Error::new(Code::Bug, "invalid without a finding") };
    let more = match findings.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let rule = match first.layer {
        Layer::Spec => format!("{}, T0-HEFESTO-01", first.rule), // the constitution's rule that the specification holds
        _ => first.rule.clone(),
    };
    let (message, fix) = (format!("{} [{rule}]{more}", first.message), first.fix.clone());
    Error::new(code, message).suggest(fix).findings(findings)
}

fn judge(draft: &Draft) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for copy in draft.copies() {
        check(&draft.name, &copy.at, &copy.tree, &copy.target, &mut found);
    }
    found
}

/// Adds a copy's findings. What all copies share is said once.
fn check(name: &str, at: &str, tree: &Tree, target: &Target, found: &mut Vec<Finding>) {
    let subject = Subject { directory: name, prefix: at, tree, target: Some(target) };
    for finding in rules::check(&subject) {
        let same = |known: &Finding| {
            known.rule == finding.rule && known.line == finding.line && known.message == finding.message
        };
        if !found.iter().any(same) {
            found.push(finding);
        }
    }
}

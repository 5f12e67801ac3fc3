//! P3: every copy is checked on the exact bytes that would be written. A failing skill never reaches the gate.

use serde_json::json;

use super::{Decision, Draft, Plan, Proposal, Run, Trigger, approve::PlannedCopy, ask::PromptKind};
use crate::client::target::{Arguments, Client, Target, client};
use crate::error::{Code, Error, Result};
use crate::rules::finding::{Finding, Layer, Severity};
use crate::rules::quality::checklist::{self, Grade};
use crate::rules::{self, Policy, Severities, Subject};
use crate::skill::{Tree, template};
use crate::terminal::prompt::Question;

/// A draft without an error in any copy. Only this file makes one.
pub struct Valid {
    draft: Draft,
    warnings: Vec<Finding>,
}

impl Valid {
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Makes the proposal for the gate, with the plan.
    pub fn propose(self, plan: Plan, trigger: Trigger, can_draft: bool) -> Proposal {
        let points = checklist::checklist(&self.warnings, true, &self.draft.text);
        let grade = Grade::of(&points, template::gaps(&self.draft.text));
        Proposal { plan, draft: self.draft, warnings: self.warnings, points, grade, trigger, can_draft }
    }
}

pub(super) enum Validation {
    Valid(Box<Valid>),
    /// The draft is invalid, and a person gave another description.
    Reworded(String),
}

/// Runs P3. Errors: E-CREATE-005 with every finding.
pub(super) fn validate(run: &mut Run<'_>, draft: Draft) -> Result<Validation> {
    run.enter(crate::memory::ring::Phase::Validate);
    let findings = findings(&draft, &run.settings.severities);
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
            "code": Code::CreateInvalid, "rule": finding.rule, "message": finding.message, "remediation": finding.fix,
        })).collect::<Vec<_>>(),
        "checked_rules": ticks,
        "validation_timestamp": at,
    }))?;
    if errors.is_empty() {
        return Ok(Validation::Valid(Box::new(Valid { draft, warnings })));
    }
    let found: Vec<Finding> = errors.iter().chain(&warnings).cloned().collect();
    run.found(&found);
    run.record.decision = Decision::ValidationFailed;
    let error = invalid(errors);
    match reworded(run, &error)? {
        Some(description) => Ok(Validation::Reworded(description)),
        None => Err(error),
    }
}

/// Asks a person for another description (RUN-3). `None`: nobody gives one.
fn reworded(run: &mut Run<'_>, error: &Error) -> Result<Option<String>> {
    if !run.person() || run.yes || run.args.dry_run {
        return Ok(None);
    }
    run.env.complain(error);
    let (text, limit) = ("Another description (Enter: stop)", Some(run.wizard_limit()));
    let question = Question { text, limit, flag: "DESCRIPTION", ..Question::default() };
    match run.ask(PromptKind::Wizard, &question) {
        Ok(line) => Ok(Some(line).filter(|line| !line.is_empty())),
        Err(nobody) if nobody.code() == Code::NobodyToAsk => Ok(None),
        Err(other) => Err(other),
    }
}

pub(super) fn errors(draft: &Draft, severities: &Severities) -> Vec<Finding> {
    findings(draft, severities).into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}

/// Checks merged copies on their exact bytes. Errors: E-CREATE-005 with every finding.
pub(super) fn recheck<'p>(
    name: &str,
    entries: impl Iterator<Item = &'p PlannedCopy>,
    severities: &Severities,
) -> Result<()> {
    let mut found = check(name, entries.map(|entry| (entry.at.as_str(), &entry.tree, &entry.target)), severities);
    found.retain(|finding| finding.severity == Severity::Error);
    if found.is_empty() { Ok(()) } else { Err(invalid(found)) }
}

/// One error for many findings: the message of the first, with all of them attached.
pub(super) fn invalid(findings: Vec<Finding>) -> Error {
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
    Error::new(Code::CreateInvalid, message).suggest(fix).findings(findings)
}

pub(super) fn findings(draft: &Draft, severities: &Severities) -> Vec<Finding> {
    let copies = draft.copies();
    check(&draft.name, copies.iter().map(|copy| (copy.at.as_str(), &copy.tree, &copy.target)), severities)
}

/// Copies with the same bytes that the rules judge alike.
struct SameCopies<'c> {
    at: &'c str,
    tree: &'c Tree,
    target: &'c Target,
    clients: Vec<&'static Client>,
}

/// The findings of all copies; equal copies are checked once, and findings that differing copies share are reported
/// once.
fn check<'c>(
    name: &str,
    copies: impl Iterator<Item = (&'c str, &'c Tree, &'c Target)>,
    severities: &Severities,
) -> Vec<Finding> {
    // Claude Code runs commands in a skill: the rules are stricter for its copy.
    let kind = |target: &Target| (target.arguments == Arguments::Dollar, target.id == "claude");
    let mut groups: Vec<SameCopies<'_>> = Vec::new();
    for (at, tree, target) in copies {
        let same = |one: &&mut SameCopies<'_>| kind(one.target) == kind(target) && one.tree == tree;
        match groups.iter_mut().find(same) {
            Some(one) => one.clients.extend(client(&target.id)),
            None => groups.push(SameCopies { at, tree, target, clients: client(&target.id).into_iter().collect() }),
        }
    }
    let mut found: Vec<Finding> = Vec::new();
    for one in groups {
        let subject = Subject { directory: name, prefix: one.at, tree: one.tree, target: Some(one.target) };
        let policy = Policy { clients: &one.clients, severities: Some(severities), ..Policy::default() };
        for finding in rules::check_for(&subject, &policy).findings {
            let same = |known: &Finding| {
                known.rule == finding.rule && known.line == finding.line && known.message == finding.message
            };
            if !found.iter().any(same) {
                found.push(finding);
            }
        }
    }
    found
}

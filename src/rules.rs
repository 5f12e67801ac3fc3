//! The rules a skill is held to: the specification, hefesto's constitution, and what must never be in a skill.
//!
//! Files in, findings out. Nothing here stops at the first finding, and nothing here claims that a skill is harmless:
//! it says that the known shapes of harm are not in it.

mod fields;
pub mod fit;
mod hidden;
mod injection;
pub mod input;
mod links;
mod page;
mod phrases;
mod pii;
mod portability;
mod profile;
pub mod quality;
mod quote;
mod report;
mod resources;
pub mod secrets;
mod security;
mod seeker;
mod severities;
mod signals;
mod spec;
mod stride;
mod structure;
mod suppress;
mod t0;
mod table;
mod window;

use std::collections::BTreeSet;

pub use profile::{PROFILES, Profile};
pub use quote::{Quote, masked, quotes};
pub use severities::{Level, Refused, Severities};
pub use suppress::Suppressed;
pub use table::{Enforced, RULES, Rule, find};

use crate::finding::{Finding, Layer, Severity};
use crate::skill::position::Position;
use crate::skill::tree::Blob;
use crate::skill::{Tree, frontmatter};
use crate::target::{Client, Target};

use page::Page;
use report::Report;
use table::Id;

/// A skill to be checked.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The name of the skill's folder; empty when it has none, and then S7 is not asked.
    pub directory: &'a str,
    /// The path of the folder as the user gave it; findings name files below it.
    pub prefix: &'a str,
    /// The files.
    pub tree: &'a Tree,
    /// The client the skill is installed for, where there is one.
    pub target: Option<&'a Target>,
}

/// How a skill is to be checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Policy<'a> {
    /// Whose eyes it is seen with.
    pub profile: Profile,
    /// The clients it is meant for, where the profile does not say so itself.
    pub clients: &'a [&'static Client],
    /// How grave the project wants rules to be.
    pub severities: Option<&'a Severities>,
}

/// What a check came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// What was found, by file, line, column and gravity.
    pub findings: Vec<Finding>,
    /// What was found and is accepted by a comment in the skill.
    pub suppressed: Vec<Suppressed>,
    /// The files, by their paths inside the skill, in which neither a credential nor personal data stands: their lines
    /// can be quoted as they are. A file that was not looked through is none of them.
    pub open: BTreeSet<String>,
}

/// Checks a skill against every rule, for no client but that of its target. Findings come by file, line, column and
/// gravity.
#[must_use]
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    check_for(subject, &Policy::default()).findings
}

/// Checks a skill as a policy asks.
#[must_use]
pub fn check_for(subject: &Subject<'_>, policy: &Policy<'_>) -> Checked {
    let profile = policy.profile;
    let own = profile.clients();
    let clients = own.as_deref().unwrap_or(policy.clients);
    let mut report = Report::new(subject.prefix);
    let mut directives = Vec::new();
    let mut read = true;
    if structure::check(subject, &mut report)
        && let Some(blob) = subject.tree.get("SKILL.md")
    {
        let text = subject.tree.text("SKILL.md");
        match frontmatter::examine(&blob.bytes) {
            Ok((doc, defects)) => {
                for defect in &defects {
                    unread(defect, &mut report);
                    read &= portability::unreadable(text, defect, clients, &mut report);
                }
                let page = Page::new(&doc);
                spec::check(subject, &page, clients, &mut report);
                t0::privileges(&doc, &mut report);
                if profile != Profile::Spec {
                    t0::check(subject, &page, &mut report);
                }
                resources::check(subject, &page, &mut report);
                security::head(&doc, &mut report);
                portability::check(subject, &page, profile, clients, &mut report);
                if profile != Profile::Spec {
                    quality::check(subject, &page, &mut report);
                }
                directives = suppress::read(&page, &mut report);
            }
            Err(error) => {
                unread(&error, &mut report);
                read = portability::unreadable(text, &error, clients, &mut report);
            }
        }
    }
    let open = security::check(subject, &mut report).into_iter().map(str::to_owned).collect();
    let file = report.named("SKILL.md");
    let weighed = report.finish().into_iter().filter_map(|mut finding| {
        finding.severity = profile.weigh(&finding, clients.len() == 1, read)?;
        match policy.severities {
            Some(severities) => severities.apply(finding),
            None => Some(finding),
        }
    });
    let mut findings: Vec<Finding> = weighed.collect();
    if profile == Profile::Default {
        said_already(&mut findings);
    }
    let (findings, suppressed) = suppress::apply(&directives, &file, findings);
    Checked { findings, suppressed, open }
}

/// What a client makes of a place is left out where an error stands there anyhow; a client's own profile tells it.
fn said_already(findings: &mut Vec<Finding>) {
    let place = |one: &Finding| (one.file.clone(), one.line, one.column);
    let portable = |one: &Finding| one.layer == Layer::Portability;
    let errors: Vec<_> =
        findings.iter().filter(|one| one.severity == Severity::Error && !portable(one)).map(place).collect();
    findings.retain(|one| !portable(one) || !errors.contains(&place(one)));
}

fn unread(error: &frontmatter::ReadError, report: &mut Report<'_>) {
    let (message, advice) = (report::shown_whole(&error.message), report::shown_whole(&error.advice));
    let advice = if advice.ends_with('.') { advice } else { advice + "." };
    report.advise(Id::S2, Severity::Error, "SKILL.md", error.at, message, advice);
}

/// The finding about something in a skill's folder, or the folder itself (`""`), that cannot be read as one: a link, a
/// pipe, too much of it.
#[must_use]
pub fn unreadable(prefix: &str, path: &str, why: &str) -> Vec<Finding> {
    let mut report = Report::new(prefix);
    let fix = "Keep only regular files in a skill's folder; replace a link with the file itself.";
    report.advise(Id::T005, Severity::Error, path, Position::START, why, fix);
    report.finish()
}

/// What of one file must not be kept anywhere, not even on the way to a refusal: credentials, personal data and private
/// addresses, as [`check`] finds them.
#[must_use]
pub fn unkeepable(path: &str, blob: &Blob) -> Vec<Finding> {
    let mut tree = Tree::new();
    tree.put(path, blob.bytes.clone());
    let subject = Subject { directory: "", prefix: "", tree: &tree, target: None };
    let mut report = Report::new("");
    security::check(&subject, &mut report);
    let mut findings = report.finish();
    let kept = [Id::Secret, Id::Pii, Id::PrivateUrl].map(|id| id.rule().id);
    findings.retain(|one| one.severity == Severity::Error && kept.contains(&one.rule.as_str()));
    findings
}

/// Id and title of every rule that [`check`] looks at, for reports on what was checked.
#[must_use]
pub fn checked_rules() -> Vec<(&'static str, &'static str)> {
    RULES.iter().filter(|rule| rule.enforced == Enforced::OnFiles).map(|rule| (rule.id, rule.title)).collect()
}

#[cfg(test)]
mod tests;

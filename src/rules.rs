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
mod once;
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

use crate::finding::{Finding, Severity};
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
    /// Whether SKILL.md was looked into; where it could not be taken apart, nothing is known of what it says.
    pub read: bool,
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

/// How many defects of a frontmatter are told.
const MAX_DEFECTS: usize = 100;

/// Checks a skill as a policy asks.
#[must_use]
pub fn check_for(subject: &Subject<'_>, policy: &Policy<'_>) -> Checked {
    let profile = policy.profile;
    let own = profile.clients();
    let clients = own.as_deref().unwrap_or(policy.clients);
    let mut report = Report::new(subject.prefix);
    let (mut directives, mut values) = (Vec::new(), Vec::new());
    let (mut read, mut document) = (true, None);
    if structure::check(subject, &mut report)
        && let Some(blob) = subject.tree.get("SKILL.md")
    {
        match frontmatter::examine(&blob.bytes) {
            Ok((doc, defects)) => {
                for defect in defects.iter().take(MAX_DEFECTS) {
                    unread(defect, &mut report);
                    read &= portability::unreadable(defect, clients, &mut report);
                }
                let page = Page::new(&doc);
                spec::check(subject, &page, clients, &mut report);
                t0::privileges(&doc, &mut report);
                if profile != Profile::Spec {
                    t0::check(subject, &page, &mut report);
                }
                resources::check(subject, &page, &mut report);
                portability::check(subject, &page, profile, clients, &mut report);
                if profile != Profile::Spec {
                    quality::check(subject, &page, &mut report);
                }
                directives = suppress::read(&page, &mut report);
                values = once::values(&doc);
                document = Some(doc);
            }
            Err(error) => {
                unread(&error, &mut report);
                read = portability::unreadable(&error, clients, &mut report);
            }
        }
    }
    let open = security::check(subject, document.as_ref(), &mut report).into_iter().map(str::to_owned).collect();
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
        once::told_of_clients(&mut findings);
    }
    let (mut findings, suppressed) = suppress::apply(&directives, &file, findings);
    once::told(subject, &values, &mut findings);
    Checked { findings, suppressed, read: document.is_some(), open }
}

fn unread(error: &frontmatter::ReadError, report: &mut Report<'_>) {
    let (message, advice) = (report::shown_whole(&error.message), report::shown_whole(&error.advice));
    let advice = if advice.ends_with('.') { advice } else { advice + "." };
    report.advise(Id::S2, Severity::Error, "SKILL.md", error.at, message, advice);
}

/// Checks a skill as a policy asks, and what its folder holds that was not read: the path of each inside it, and what
/// it is. Where that is SKILL.md itself, one finding says so.
pub fn check_folder<'a>(
    subject: &Subject<'_>,
    left_out: impl IntoIterator<Item = (&'a str, &'a str)>,
    policy: &Policy<'_>,
) -> Checked {
    let mut checked = check_for(subject, policy);
    let mut unread = Vec::new();
    for (path, why) in left_out {
        let of_skill = |one: &Finding| path == "SKILL.md" && one.rule == Id::S1.rule().id;
        let instead = checked.findings.iter().position(of_skill);
        for mut finding in unreadable(subject.prefix, path, why) {
            // The specification says nothing of links and pipes, and a client may well read what stands behind one.
            match (policy.profile, instead.and_then(|at| checked.findings.get_mut(at))) {
                (Profile::Spec | Profile::Client(_), Some(missing)) => {
                    (missing.message, missing.fix) = (finding.message, finding.fix);
                    continue;
                }
                (Profile::Spec, None) => continue,
                (Profile::Client(_), None) => finding.severity = finding.severity.max(Severity::Warning),
                (Profile::Default | Profile::Strict | Profile::Portable, _) => {
                    instead.map(|at| checked.findings.remove(at));
                }
            }
            unread.push(finding);
        }
    }
    unread.append(&mut checked.findings);
    Checked { findings: unread, ..checked }
}

/// The finding about something in a skill's folder, or the folder itself (`""`), that cannot be read as one: a link, a
/// pipe, too much of it.
#[must_use]
pub fn unreadable(prefix: &str, path: &str, why: &str) -> Vec<Finding> {
    let mut report = Report::new(prefix);
    let fix = match path {
        "" => "Make the whole folder readable; take out what is not part of the skill.",
        _ => "Keep only regular files in a skill's folder; replace a link with the file itself.",
    };
    let message = match (path, why.strip_prefix("It ")) {
        ("SKILL.md", Some(rest)) => format!("SKILL.md cannot be read: it {rest}"),
        ("SKILL.md", None) => format!("SKILL.md cannot be read: {why}"),
        ("", Some(rest)) => format!("The folder {rest}"),
        (path, Some(rest)) => format!("`{}` {rest}", report::shown(path)),
        (_, None) => why.to_owned(),
    };
    report.advise(Id::T005, Severity::Error, path, Position::START, message, fix);
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
    security::check(&subject, None, &mut report);
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

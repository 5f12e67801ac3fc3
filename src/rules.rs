//! The rules a skill is held to: the specification, hefesto's constitution, and what must never be in a skill.
//!
//! Files in, findings out. Nothing here stops at the first finding, and nothing here claims that a skill is harmless:
//! it says that the known shapes of harm are not in it.

mod hidden;
mod injection;
pub mod input;
mod phrases;
mod pii;
mod report;
pub mod secrets;
mod security;
mod signals;
mod spec;
mod structure;
mod t0;
mod table;
mod window;

pub use table::{Enforced, RULES, Rule, find};

use crate::finding::{Finding, Severity};
use crate::skill::position::Position;
use crate::skill::{Tree, frontmatter};
use crate::target::Target;

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

/// Checks a skill against every rule. Findings come by file, line, column and gravity.
#[must_use]
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let mut report = Report::new(subject.prefix);
    if structure::check(subject, &mut report)
        && let Some(blob) = subject.tree.get("SKILL.md")
    {
        match frontmatter::read(&blob.bytes) {
            Ok(doc) => {
                spec::check(subject, &doc, &mut report);
                t0::check(subject, &doc, &mut report);
                structure::links(subject, &doc, &mut report);
                security::head(&doc, &mut report);
            }
            Err(error) => {
                let message = report::shown_whole(&error.message);
                report.advise(
                    Id::S2,
                    Severity::Error,
                    "SKILL.md",
                    error.at,
                    message,
                    report::shown_whole(&error.advice),
                );
            }
        }
    }
    security::check(subject, &mut report);
    report.finish()
}

/// The finding about a skill whose folder cannot be read as one: a link, a pipe, too much of it.
#[must_use]
pub fn unreadable(prefix: &str, why: &str) -> Vec<Finding> {
    let mut report = Report::new(prefix);
    let fix = "Keep only regular files in a skill's folder; replace a link with the file itself.";
    report.advise(Id::T005, Severity::Error, "", Position::START, why, fix);
    report.finish()
}

/// Id and title of every rule that [`check`] looks at, for reports on what was checked.
#[must_use]
pub fn checked_rules() -> Vec<(&'static str, &'static str)> {
    RULES.iter().filter(|rule| rule.enforced == Enforced::OnFiles).map(|rule| (rule.id, rule.title)).collect()
}

#[cfg(test)]
mod tests;

//! The rules a skill is held to: the specification, hefesto's constitution, and what must never be in a skill.
//!
//! Files in, findings out. Nothing here stops at the first finding, and nothing here claims that a skill is harmless:
//! it says that the known shapes of harm are not in it.

mod hidden;
mod injection;
pub mod input;
mod links;
mod phrases;
mod pii;
mod report;
mod resources;
pub mod secrets;
mod security;
mod spec;
mod structure;
mod t0;
mod table;
mod window;

pub use spec::specification;
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
        match frontmatter::examine(&blob.bytes) {
            Ok((doc, defects)) => {
                defects.iter().for_each(|defect| unread(defect, &mut report));
                spec::check(subject, &doc, &mut report);
                t0::check(subject, &doc, &mut report);
                resources::check(subject, &doc, &mut report);
                security::head(&doc, &mut report);
            }
            Err(error) => unread(&error, &mut report),
        }
    }
    security::check(subject, &mut report);
    report.finish()
}

fn unread(error: &frontmatter::ReadError, report: &mut Report<'_>) {
    let (message, advice) = (report::shown_whole(&error.message), report::shown_whole(&error.advice));
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

/// Id and title of every rule that [`check`] looks at, for reports on what was checked.
#[must_use]
pub fn checked_rules() -> Vec<(&'static str, &'static str)> {
    RULES.iter().filter(|rule| rule.enforced == Enforced::OnFiles).map(|rule| (rule.id, rule.title)).collect()
}

#[cfg(test)]
mod tests;

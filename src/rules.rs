//! The rules a skill must satisfy: the specification, hefesto's constitution, portability, quality and security.
//!
//! [`check`] takes files in memory and returns every finding. A skill without findings contains none of the known
//! patterns of harm; that does not prove it harmless.

mod constitution;
mod dedup;
mod excerpt;
pub mod finding;
pub mod fit;
pub mod fix;
mod hidden;
mod injection;
pub mod input;
mod phrases;
mod pii;
mod portability;
pub mod quality;
mod report;
mod resources;
pub mod secrets;
mod security;
mod severities;
mod signals;
mod spec;
mod stale;
mod structure;
mod table;
mod words;

use std::cell::OnceCell;
use std::collections::BTreeSet;

pub use excerpt::{Quote, masked, quotes};
pub use finding::{Finding, Layer, Severity};
pub use severities::{Level, Profile, Refused, Severities, Suppressed, profiles};
pub use stale::Surroundings;
pub use table::{Enforced, RULES, Rule, find};

use crate::client::target::{Client, Target};
use crate::skill::frontmatter::{Document, Field};
use crate::skill::position::{Lines, Position};
use crate::skill::tree::Blob;
use crate::skill::{Tree, frontmatter};

// The rules take these from here.
use report::{FindingCollector, shown, shown_whole};
use signals::{Cause, Signal};
use table::Id;
use words::{ahead, before_end, behind};

/// A skill to check.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The name of the skill's folder; if it is empty, S7 is not checked.
    pub directory: &'a str,
    /// The path of the folder as the user gave it; findings name files below it.
    pub prefix: &'a str,
    /// The files.
    pub tree: &'a Tree,
    /// The client the skill is installed for, if any.
    pub target: Option<&'a Target>,
}

impl<'a> Subject<'a> {
    /// A skill that is installed for no client; findings name its files by their paths inside the folder.
    pub fn new(directory: &'a str, tree: &'a Tree) -> Self {
        Self { directory, prefix: "", tree, target: None }
    }
}

/// How a skill is checked.
#[derive(Debug, Clone, Copy, Default)]
pub struct Policy<'a> {
    /// The profile, which selects rules and severities.
    pub profile: Profile,
    /// The clients the skill is for, if the profile names none.
    pub clients: &'a [&'static Client],
    /// The severities that the project has configured.
    pub severities: Option<&'a Severities>,
    /// The project the skill is installed in, if known.
    pub project: Option<&'a Surroundings<'a>>,
}

/// A field of a frontmatter whose value is a scalar, and the value.
fn text_of<'d>(doc: &'d Document, key: &str) -> Option<(&'d Field, &'d str)> {
    let field = doc.field(key)?;
    Some((field, field.value.scalar()?))
}

/// A document with derived data.
struct Page<'d> {
    doc: &'d Document,
    lines: Lines<'d>,
    lowered: OnceCell<String>,
}

impl<'d> Page<'d> {
    fn new(doc: &'d Document) -> Self {
        Self { doc, lines: Lines::new(&doc.text), lowered: OnceCell::new() }
    }

    fn lowered(&self) -> &str {
        self.lowered.get_or_init(|| self.doc.body().to_lowercase())
    }

    /// The lines of the body, without line ends, each with its 1-based number in the file.
    fn body_lines(&self) -> impl Iterator<Item = (usize, &'d str)> + '_ {
        let first = self.doc.body_line;
        self.lines.iter().skip(first.saturating_sub(1)).enumerate().map(move |(index, (_, line))| (first + index, line))
    }
}

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    /// The findings, by file, line, column and severity.
    pub findings: Vec<Finding>,
    /// The findings that an ignore comment in the skill accepts.
    pub suppressed: Vec<Suppressed>,
    /// Whether SKILL.md could be parsed; otherwise its content was not checked.
    pub read: bool,
    /// The paths of the files that were searched and contain neither a credential nor personal data: their lines can be
    /// quoted unmasked.
    pub open: BTreeSet<String>,
}

/// Checks a skill against every rule. The findings are ordered by file, line, column and severity.
///
/// ```
/// use hefesto::rules::finding::Severity;
/// use hefesto::rules::{self, Subject};
/// use hefesto::skill::Tree;
///
/// let mut files = Tree::new();
/// files.put("SKILL.md", "---\nname: Review\ndescription: Reviews code. Use when asked for a review.\n---\n\nRead it.\n");
/// let findings = rules::check(&Subject::new("review", &files));
/// let errors: Vec<_> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
/// let found: Vec<_> = errors.iter().map(|error| (error.rule.as_str(), error.line)).collect();
/// assert_eq!(found, [("S7", 2), ("T0-HEFESTO-07", 2)]);
/// ```
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    check_for(subject, &Policy::default()).findings
}

const SKILL: &str = "SKILL.md";
/// How many places of one kind are reported.
const MAX_PLACES: usize = 100;

/// Checks a skill under a policy.
pub fn check_for(subject: &Subject<'_>, policy: &Policy<'_>) -> Checked {
    let profile = policy.profile;
    let own = profile.clients();
    let clients = own.as_deref().unwrap_or(policy.clients);
    let mut report = FindingCollector::new(subject.prefix);
    let (mut directives, mut values) = (Vec::new(), Vec::new());
    let (mut read, mut document) = (true, None);
    if structure::check(subject, &mut report)
        && let Some(blob) = subject.tree.get(SKILL)
    {
        match frontmatter::examine(&blob.bytes) {
            Ok((doc, defects)) => {
                for defect in defects.iter().take(MAX_PLACES) {
                    unread(defect, &mut report);
                    read &= portability::unreadable(defect, clients, &mut report);
                }
                let page = Page::new(&doc);
                spec::check(subject, &page, clients, &mut report);
                constitution::privileges(&doc, &mut report);
                if profile != Profile::Spec {
                    constitution::check(subject, &page, &mut report);
                }
                resources::check(subject, &page, &mut report);
                portability::check(subject, &page, profile, clients, &mut report);
                if profile != Profile::Spec {
                    quality::check(subject, &page, &mut report);
                    if let Some(project) = policy.project {
                        stale::check(subject, &page, project, &mut report);
                    }
                }
                directives = severities::directives(&page, &mut report);
                values = dedup::values(&doc);
                document = Some(doc);
            }
            Err(error) => {
                unread(&error, &mut report);
                read = portability::unreadable(&error, clients, &mut report);
            }
        }
    }
    let open = security::check(subject, document.as_ref(), &mut report).into_iter().map(str::to_owned).collect();
    let file = report::joined(subject.prefix, SKILL);
    let kept = report.finish().into_iter().filter_map(|mut finding| {
        finding.severity = profile.severity(&finding, clients.len() == 1, read)?;
        match policy.severities {
            Some(severities) => severities.apply(finding),
            None => Some(finding),
        }
    });
    let mut findings: Vec<Finding> = kept.collect();
    if profile == Profile::Default {
        dedup::drop_client_duplicates(&mut findings);
    }
    let (mut findings, suppressed) = severities::suppress(&directives, &file, findings);
    dedup::drop_duplicates(subject, &values, &mut findings);
    Checked { findings, suppressed, read: document.is_some(), open }
}

fn unread(error: &frontmatter::ReadError, report: &mut FindingCollector<'_>) {
    let (message, advice) = (shown_whole(&error.message), shown_whole(&error.advice));
    let advice = if advice.ends_with('.') { advice } else { advice + "." };
    report.add(Id::S2.at(error.at, message).with_fix(advice));
}

/// Checks a skill under a policy, and reports what its folder contains that could not be read: paths inside it, each
/// with the reason. An unreadable SKILL.md is one finding.
pub fn check_folder<'a>(
    subject: &Subject<'_>,
    left_out: impl IntoIterator<Item = (&'a str, &'a str)>,
    policy: &Policy<'_>,
) -> Checked {
    let mut checked = check_for(subject, policy);
    let mut unread = Vec::new();
    for (path, why) in left_out {
        let of_skill = |one: &Finding| path == SKILL && one.rule == Id::S1.rule().id;
        let instead = checked.findings.iter().position(of_skill);
        for mut finding in unreadable(subject.prefix, path, why) {
            // The specification says nothing about links and pipes, and a client may follow them.
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

/// The findings about a path in a skill's folder, or the folder itself (`""`), that is not a regular file or too large.
pub fn unreadable(prefix: &str, path: &str, why: &str) -> Vec<Finding> {
    let mut report = FindingCollector::new(prefix);
    let fix = match path {
        "" => "Make the whole folder readable; remove what is not part of the skill.",
        _ => "Keep only regular files in a skill's folder; replace a link with the file itself.",
    };
    let message = match (path, why.strip_prefix("It ")) {
        ("SKILL.md", Some(rest)) => format!("SKILL.md cannot be read: it {rest}"),
        ("SKILL.md", None) => format!("SKILL.md cannot be read: {why}"),
        ("", Some(rest)) => format!("The folder {rest}"),
        (path, Some(rest)) => format!("`{}` {rest}", shown(path)),
        (_, None) => why.to_owned(),
    };
    report.add(Id::T005.at(Position::START, message).in_file(path).with_fix(fix));
    report.finish()
}

/// The credentials, personal data and private addresses in one file, which must not be stored anywhere.
pub fn unkeepable(path: &str, blob: &Blob) -> Vec<Finding> {
    let kept = [Id::Secret, Id::Pii, Id::PrivateUrl].map(|id| id.rule().id);
    let mut findings = forbidden(path, blob.bytes.clone());
    findings.retain(|one| kept.contains(&one.rule.as_str()));
    findings
}

/// The lines of a text that are forbidden in every skill: credentials, personal data, hidden text, orders to an agent,
/// code fetched and run unseen. 1-based.
pub fn refused_lines(text: &str) -> BTreeSet<usize> {
    forbidden("lines.md", text.into()).into_iter().map(|one| one.line).collect()
}

/// The errors of T0-HEFESTO-11 in one file.
fn forbidden(path: &str, bytes: Vec<u8>) -> Vec<Finding> {
    let mut tree = Tree::new();
    tree.put(path, bytes);
    let mut report = FindingCollector::new("");
    security::check(&Subject::new("", &tree), None, &mut report);
    let mut findings = report.finish();
    findings.retain(|one| one.severity == Severity::Error);
    findings
}

/// Id and title of every rule that [`check`] applies, for reports.
pub fn checked_rules() -> Vec<(&'static str, &'static str)> {
    RULES.iter().filter(|rule| rule.enforced == Enforced::OnFiles).map(|rule| (rule.id, rule.title)).collect()
}

#[cfg(test)]
mod tests;

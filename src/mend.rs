//! Mends what is certainly wrong with a skill: files in, files out, and what was done. Every other byte stays as it is.
//!
//! A change is proposed by one of the steps and kept only when a rule that spoke before says less afterwards. New errors
//! are accepted only in exchange for an old one: a field that was missing is there and can be looked at.

mod edit;
mod files;
mod head;
mod name;
mod quote;

use std::collections::BTreeMap;

use crate::finding::{Finding, Severity};
use crate::skill::Tree;

/// The most changes one step makes to one skill.
const MAX_ROUNDS: usize = 64;

/// A skill as the steps see it.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The name of the skill's folder.
    pub directory: &'a str,
    /// Its files.
    pub tree: &'a Tree,
    /// Whether something of this name stands beside the folder already, so that it cannot be renamed to it.
    pub taken: &'a dyn Fn(&str) -> bool,
    /// The findings about files in a folder of this name: whatever rules are in force for the skill.
    pub judge: &'a dyn Fn(&str, &Tree) -> Vec<Finding>,
}

/// A skill after mending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The name its folder has to have now.
    pub directory: String,
    /// Its files.
    pub tree: Tree,
    /// What was done, in order; empty when nothing could be mended with certainty.
    pub mends: Vec<Mend>,
}

/// One thing that was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mend {
    /// The file inside the skill, by its path afterwards.
    pub file: String,
    /// The rule that is satisfied now.
    pub rule: String,
    /// What was done, for people.
    pub what: String,
    /// The file's text before, line ends aside; empty where only a mode changed.
    pub before: String,
    /// The file's text afterwards, line ends aside; empty where only a mode changed.
    pub after: String,
}

/// What a step wants to change.
struct Proposal {
    directory: Option<String>,
    tree: Tree,
    /// The files that change, by their paths afterwards, and what happens to each.
    changes: Vec<(String, String)>,
    /// The rule it serves even where no finding speaks of it: bytes that no reader sees.
    unseen: Option<&'static str>,
}

type Propose = fn(&str, &Tree, &dyn Fn(&str) -> bool) -> Option<Proposal>;

/// One kind of change.
struct Step {
    propose: Propose,
    /// The rules it can satisfy, by their ids.
    rules: &'static [&'static str],
    /// What it does, for people: a sentence without its beginning and its end.
    does: &'static str,
}

/// The steps, in the order in which one makes the next one possible.
const STEPS: &[Step] = &[
    Step {
        propose: files::file_name,
        rules: &["S1"],
        does: "a file that is called `skill.md` in other letters is renamed",
    },
    Step {
        propose: files::line_ends,
        rules: &["S2", "T0-HEFESTO-01", "PORT-BOM"],
        does: "a byte order mark is removed, and lines end in LF",
    },
    Step { propose: files::fences, rules: &["S2"], does: "blanks behind the two `---` are removed" },
    Step {
        propose: quote::values,
        rules: &["S2", "PORT-YAML", "PORT-YAML-COLON"],
        does: "values that YAML cannot read, such as one with `: ` in it, are put in quotes",
    },
    Step {
        propose: head::keys,
        rules: &[
            "S3",
            "S4",
            "S8",
            "T0-HEFESTO-01",
            "PORT-FIELD-REFUSED",
            "PORT-NAME-MISSING",
            "PORT-DESCRIPTION-MISSING",
        ],
        does: "a misspelt field, such as `licence`, is spelled right",
    },
    Step { propose: head::tools, rules: &["S12", "PORT-VALIDATORS"], does: "a list of tools becomes one line of text" },
    Step { propose: head::metadata, rules: &["S11"], does: "numbers and booleans in the metadata are put in quotes" },
    Step {
        propose: name::agree,
        rules: &[
            "S4",
            "S5",
            "S6",
            "S7",
            "T0-HEFESTO-01",
            "T0-HEFESTO-07",
            "PORT-NAME-FOLDER",
            "PORT-NAME-FORM",
            "PORT-NAME-MISSING",
            "PORT-NAME-LENGTH",
            "PORT-VALIDATORS",
        ],
        does: "the name and the folder take the one valid name that either of them has, or that both make",
    },
    Step {
        propose: files::executable,
        rules: &["W-VALIDATE-001"],
        does: "a file in `scripts/` that begins with `#!` is made executable",
    },
];

/// What [`mend`] does about a rule where that is certain, for people, in the order it is done; nothing where
/// what is right is never certain.
pub fn of(rule: &str) -> impl Iterator<Item = &'static str> {
    STEPS.iter().filter(move |step| step.rules.contains(&rule)).map(|step| step.does)
}

/// The ids of all rules that something is done about, as the steps name them.
pub fn rules() -> impl Iterator<Item = &'static str> {
    STEPS.iter().flat_map(|step| step.rules).copied()
}

/// Mends a skill. Mending a mended skill changes nothing.
#[must_use]
pub fn mend(subject: &Subject<'_>) -> Mended {
    let mut mended = Mended { directory: subject.directory.to_owned(), tree: subject.tree.clone(), mends: Vec::new() };
    let mut spoken: Option<Vec<Finding>> = None;
    for step in STEPS {
        for _ in 0..MAX_ROUNDS {
            let Some(proposal) = (step.propose)(&mended.directory, &mended.tree, subject.taken) else { break };
            let findings = spoken.get_or_insert_with(|| (subject.judge)(&mended.directory, &mended.tree));
            let directory = proposal.directory.as_deref().unwrap_or(&mended.directory);
            let after = (subject.judge)(directory, &proposal.tree);
            let Some(rule) = serves(step, findings, &after, proposal.unseen) else { break };
            let directory = directory.to_owned();
            mended.mends.extend(told(&mended.tree, &proposal, &rule));
            mended.directory = directory;
            mended.tree = proposal.tree;
            spoken = Some(after);
        }
    }
    mended
}

/// The rule of its step that a change serves; nothing when it serves none, or brings errors and takes none away.
fn serves(step: &Step, before: &[Finding], after: &[Finding], unseen: Option<&'static str>) -> Option<String> {
    let errors = |findings: &[Finding]| {
        let mut count: BTreeMap<String, usize> = BTreeMap::new();
        for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
            *count.entry(finding.rule.clone()).or_default() += 1;
        }
        count
    };
    let (had, has) = (errors(before), errors(after));
    let more = |one: &BTreeMap<String, usize>, other: &BTreeMap<String, usize>| {
        one.iter().any(|(rule, count)| other.get(rule).is_none_or(|old| count > old))
    };
    // What was missing or could not be read was never looked at; that is no reason to leave it so.
    if more(&has, &had) && !more(&had, &has) {
        return None;
    }
    let fewer = |rule: &str| {
        let count = |findings: &[Finding]| findings.iter().filter(|finding| finding.rule == rule).count();
        count(after) < count(before)
    };
    let mut satisfied: Vec<&Finding> = before.iter().filter(|finding| fewer(&finding.rule)).collect();
    satisfied.retain(|one| step.rules.contains(&one.rule.as_str()));
    satisfied.sort_by_key(|finding| finding.severity);
    satisfied.first().map(|finding| finding.rule.clone()).or_else(|| unseen.map(str::to_owned))
}

fn told(before: &Tree, proposal: &Proposal, rule: &str) -> Vec<Mend> {
    let changes = proposal.changes.iter();
    changes
        .map(|(file, what)| {
            let new = proposal.tree.get(file);
            let old = before.get(file).or_else(|| files::misnamed(before).and_then(|path| before.get(path)));
            let same = new.map(|blob| &blob.bytes) == old.map(|blob| &blob.bytes);
            let text = |blob: Option<&crate::skill::Blob>| match blob {
                Some(blob) if !same => edit::plain(&String::from_utf8_lossy(&blob.bytes)),
                _ => String::new(),
            };
            Mend { file: file.clone(), rule: rule.to_owned(), what: what.clone(), before: text(old), after: text(new) }
        })
        .collect()
}

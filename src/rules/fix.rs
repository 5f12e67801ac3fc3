//! Fixes the defects of a skill that have one certain fix. Takes files and returns files; every other byte is
//! unchanged.
//!
//! Each step proposes a change, which is kept only if one of its rules reports fewer findings afterwards. A change that
//! adds errors must remove one: a field that was missing can now be checked.

mod edit;
mod files;
mod head;
mod name;
mod quote;

use std::collections::BTreeMap;

use crate::rules::{Finding, Severity};
use crate::skill::Tree;

const SKILL: &str = "SKILL.md";
/// The most changes one step makes to one skill.
const MAX_ROUNDS: usize = 64;

/// A skill to fix.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The name of the skill's folder.
    pub directory: &'a str,
    /// Its files.
    pub tree: &'a Tree,
    /// Whether an entry of this name exists beside the folder, so that the folder cannot be renamed to it.
    pub taken: &'a dyn Fn(&str) -> bool,
    /// The findings about these files in a folder of this name, under the rules in force.
    pub judge: &'a dyn Fn(&str, &Tree) -> Vec<Finding>,
}

/// A skill after fixing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedSkill {
    /// The name of its folder.
    pub directory: String,
    /// Its files.
    pub tree: Tree,
    /// The changes in order; empty if no fix is certain.
    pub edits: Vec<Edit>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file inside the skill, by its path afterwards.
    pub file: String,
    /// The rule that is satisfied now.
    pub rule: String,
    /// The change in words.
    pub what: String,
    /// The file's text before, with normalised line ends; empty if only the mode changed.
    pub before: String,
    /// The file's text afterwards, with normalised line ends; empty if only the mode changed.
    pub after: String,
}

/// A change that a step proposes.
struct Proposal {
    directory: Option<String>,
    tree: Tree,
    /// The changed files by their new paths, and the change in words.
    changes: Vec<(String, String)>,
    /// The rule it satisfies even if no finding reports it, as for invisible bytes.
    unseen: Option<&'static str>,
}

impl Proposal {
    /// SKILL.md with another text.
    fn of_skill(tree: &Tree, text: &str, what: impl Into<String>) -> Option<Self> {
        let tree = edit::with(tree, SKILL, text)?;
        Some(Self { directory: None, tree, changes: vec![(SKILL.to_owned(), what.into())], unseen: None })
    }
}

type ProposeFn = fn(&str, &Tree, &dyn Fn(&str) -> bool) -> Option<Proposal>;

/// One kind of change.
struct FixStep {
    propose: ProposeFn,
    /// The ids of the rules it can satisfy.
    rules: &'static str,
    /// What it does, as part of a sentence.
    does: &'static str,
}

const fn step(propose: ProposeFn, rules: &'static str, does: &'static str) -> FixStep {
    FixStep { propose, rules, does }
}

impl FixStep {
    fn satisfies(&self, rule: &str) -> bool {
        self.rules.split(' ').any(|one| one == rule)
    }
}

/// The steps in order: some make later ones possible.
const STEPS: &[FixStep] = &[
    step(files::file_name, "S1", "`skill.md` in any other case is renamed to `SKILL.md`"),
    step(files::line_ends, "S2 T0-HEFESTO-01 PORT-BOM", "a byte order mark is removed, and lines end in LF"),
    step(files::fences, "S2", "trailing spaces after the two `---` are removed"),
    step(
        quote::values,
        "S2 PORT-YAML PORT-YAML-COLON",
        "values that YAML cannot read, such as one that contains `: `, are quoted",
    ),
    step(
        head::keys,
        "S3 S4 S8 T0-HEFESTO-01 PORT-FIELD-REFUSED PORT-NAME-MISSING PORT-DESCRIPTION-MISSING",
        "a misspelt field, such as `licence`, is corrected",
    ),
    step(head::tools, "S12 PORT-VALIDATORS", "a list of tools becomes one line of text"),
    step(head::metadata, "S11", "numbers and booleans under `metadata` are quoted"),
    step(
        name::agree,
        "S4 S5 S6 S7 T0-HEFESTO-01 T0-HEFESTO-07 PORT-NAME-FOLDER PORT-NAME-FORM PORT-NAME-MISSING PORT-NAME-LENGTH \
         PORT-VALIDATORS",
        "the name and the folder take the one valid name that either of them has, or that both make",
    ),
    step(files::executable, "W-VALIDATE-001", "a file in `scripts/` that begins with `#!` is made executable"),
];

/// What [`fix`] does to satisfy a rule, in words and in order; empty if no fix is ever certain.
pub fn of(rule: &str) -> impl Iterator<Item = &'static str> {
    STEPS.iter().filter(move |step| step.satisfies(rule)).map(|step| step.does)
}

/// The ids of all rules that a step can satisfy.
pub fn rules() -> impl Iterator<Item = &'static str> {
    STEPS.iter().flat_map(|step| step.rules.split(' '))
}

/// Fixes a skill. Fixing the result again changes nothing.
pub fn fix(subject: &Subject<'_>) -> FixedSkill {
    let mut fixed =
        FixedSkill { directory: subject.directory.to_owned(), tree: subject.tree.clone(), edits: Vec::new() };
    let mut findings_before: Option<Vec<Finding>> = None;
    for step in STEPS {
        for _ in 0..MAX_ROUNDS {
            let Some(proposal) = (step.propose)(&fixed.directory, &fixed.tree, subject.taken) else { break };
            let findings = findings_before.get_or_insert_with(|| (subject.judge)(&fixed.directory, &fixed.tree));
            let directory = proposal.directory.as_deref().unwrap_or(&fixed.directory);
            let after = (subject.judge)(directory, &proposal.tree);
            let Some(rule) = serves(step, findings, &after, proposal.unseen) else { break };
            let directory = directory.to_owned();
            fixed.edits.extend(edits(&fixed.tree, &proposal, &rule));
            fixed.directory = directory;
            fixed.tree = proposal.tree;
            findings_before = Some(after);
        }
    }
    fixed
}

/// The rule that a change satisfies; `None` if there is none, or if it adds errors and removes none.
fn serves(step: &FixStep, before: &[Finding], after: &[Finding], unseen: Option<&'static str>) -> Option<String> {
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
    // A fix can reveal errors in what was missing or unreadable; that does not make the fix wrong.
    if more(&has, &had) && !more(&had, &has) {
        return None;
    }
    let fewer = |rule: &str| {
        let count = |findings: &[Finding]| findings.iter().filter(|finding| finding.rule == rule).count();
        count(after) < count(before)
    };
    let mut satisfied: Vec<&Finding> = before.iter().filter(|finding| fewer(&finding.rule)).collect();
    satisfied.retain(|one| step.satisfies(&one.rule));
    satisfied.sort_by_key(|finding| finding.severity);
    satisfied.first().map(|finding| finding.rule.clone()).or_else(|| unseen.map(str::to_owned))
}

fn edits(before: &Tree, proposal: &Proposal, rule: &str) -> Vec<Edit> {
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
            Edit { file: file.clone(), rule: rule.to_owned(), what: what.clone(), before: text(old), after: text(new) }
        })
        .collect()
}

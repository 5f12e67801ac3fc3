//! Fixes the defects of a skill that have one certain fix. Takes files and returns files; every other byte is
//! unchanged.
//!
//! Each step proposes a change, which is kept only if one of its rules reports fewer findings afterwards. A change that
//! adds errors must remove one: a field that was missing can now be checked.

mod head;

use std::ops::Range;

use crate::rules::{Finding, RULES, SKILL, Severity};
use crate::skill::Tree;
use crate::skill::frontmatter::{self, Document};
use crate::skill::position::{Lines, Position};

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
    fn of_skill(tree: &Tree, text: &str, what: impl Into<String>) -> Option<Self> {
        let tree = with_text(tree, SKILL, text)?;
        Some(Self { directory: None, tree, changes: vec![(SKILL.to_owned(), what.into())], unseen: None })
    }
}

type ProposeFn = fn(&str, &Tree, &dyn Fn(&str) -> bool) -> Option<Proposal>;

struct FixStep {
    propose: ProposeFn,
    rules: &'static str,
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
    step(file_name, "S1", "`skill.md` in any other case is renamed to `SKILL.md`"),
    step(line_ends, "S2 T0-HEFESTO-01 PORT-BOM", "a byte order mark is removed, and lines end in LF"),
    step(fences, "S2", "trailing spaces after the two `---` are removed"),
    step(
        head::values,
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
        head::agree,
        "S4 S5 S6 S7 T0-HEFESTO-01 T0-HEFESTO-07 PORT-NAME-FOLDER PORT-NAME-FORM PORT-NAME-MISSING PORT-NAME-LENGTH \
         PORT-VALIDATORS",
        "the name and the folder take the one valid name that either of them has, or that both make",
    ),
    step(executable, "W-VALIDATE-001", "a file in `scripts/` that begins with `#!` is made executable"),
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
    let errors = |findings: &[Finding]| -> Vec<usize> {
        let severe =
            |rule: &str| findings.iter().filter(|one| one.severity == Severity::Error && one.rule == rule).count();
        RULES.iter().map(|rule| severe(rule.id)).collect()
    };
    let (had, has) = (errors(before), errors(after));
    let more = |one: &[usize], other: &[usize]| one.iter().zip(other).any(|(count, old)| count > old);
    // A fix can reveal errors in what was missing or unreadable; that does not make the fix wrong.
    if more(&has, &had) && !more(&had, &has) {
        return None;
    }
    let fewer = |rule: &str| {
        let count = |findings: &[Finding]| findings.iter().filter(|finding| finding.rule == rule).count();
        count(after) < count(before)
    };
    let satisfied = before.iter().filter(|one| step.satisfies(&one.rule) && fewer(&one.rule));
    satisfied.min_by_key(|one| one.severity).map(|one| one.rule.clone()).or_else(|| unseen.map(str::to_owned))
}

fn edits(before: &Tree, proposal: &Proposal, rule: &str) -> Vec<Edit> {
    let changes = proposal.changes.iter();
    changes
        .map(|(file, what)| {
            let new = proposal.tree.get(file);
            let old = before.get(file).or_else(|| misnamed(before).and_then(|path| before.get(path)));
            let same = new.map(|blob| &blob.bytes) == old.map(|blob| &blob.bytes);
            let text = |blob: Option<&crate::skill::Blob>| match blob {
                Some(blob) if !same => plain(&String::from_utf8_lossy(&blob.bytes)),
                _ => String::new(),
            };
            Edit { file: file.clone(), rule: rule.to_owned(), what: what.clone(), before: text(old), after: text(new) }
        })
        .collect()
}

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The only file whose name is SKILL.md in another case.
fn misnamed(tree: &Tree) -> Option<&str> {
    let mut near = tree.iter().map(|(path, _)| path).filter(|path| path.eq_ignore_ascii_case(SKILL));
    let only = near.next().filter(|path| *path != SKILL)?;
    near.next().is_none().then_some(only)
}

/// `skill.md` becomes `SKILL.md`.
fn file_name(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let near = misnamed(tree)?;
    let mut renamed = Tree::new();
    for (path, blob) in tree.iter() {
        renamed.put_blob(if path == near { SKILL } else { path }, blob.clone());
    }
    let what = format!("`{near}` is renamed to `{SKILL}`");
    Some(Proposal { directory: None, tree: renamed, changes: vec![(SKILL.into(), what)], unseen: None })
}

/// Removes a byte order mark and turns `\r\n` and `\r` into `\n`, in SKILL.md only.
fn line_ends(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let bytes = &tree.get(SKILL)?.bytes;
    let (mark, returns) = (bytes.starts_with(MARK), bytes.contains(&b'\r'));
    if !mark && !returns {
        return None;
    }
    let text = plain(tree.text(SKILL)?);
    let what = match (mark, returns) {
        (true, true) => "the byte order mark is removed and lines end in LF",
        (true, false) => "the byte order mark is removed",
        _ => "lines end in LF",
    };
    Some(Proposal { unseen: Some("S2"), ..Proposal::of_skill(tree, &text, what)? })
}

/// Removes trailing spaces after the two `---` of the frontmatter.
fn fences(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let text = tree.text(SKILL)?;
    let lines = Lines::new(text);
    let fence = |line: &str| line.trim_end_matches([' ', '\t']) == "---";
    let mut all = lines.iter();
    let first = all.next().filter(|(_, line)| fence(line))?;
    let second = all.find(|(_, line)| fence(line))?;
    let mut fixed = text.to_owned();
    for (start, line) in [second, first].into_iter().filter(|(_, line)| line.len() > 3) {
        fixed = replaced(&fixed, &(start..start + line.len()), "---")?;
    }
    if fixed == text {
        return None;
    }
    let what = "trailing spaces after `---` are removed";
    Some(Proposal { unseen: Some("S2"), ..Proposal::of_skill(tree, &fixed, what)? })
}

fn executable(_: &str, tree: &Tree, _: &dyn Fn(&str) -> bool) -> Option<Proposal> {
    let mut fixed = tree.clone();
    let mut changes = Vec::new();
    for (path, blob) in tree.iter() {
        if path.starts_with("scripts/") && blob.bytes.starts_with(b"#!") && !blob.executable {
            let mut blob = blob.clone();
            blob.executable = true;
            fixed.put_blob(path, blob);
            changes.push((path.to_owned(), "the script is made executable (mode 0644 to 0755)".to_owned()));
        }
    }
    (!changes.is_empty()).then_some(Proposal { directory: None, tree: fixed, changes, unseen: None })
}

/// The parsed SKILL.md of a tree; `None` while it begins with a byte order mark or cannot be parsed.
fn document(tree: &Tree) -> Option<Document> {
    frontmatter::read(&tree.get(SKILL)?.bytes).ok().filter(|doc| !doc.bom)
}

/// The tree with another text in one of its files; the file's mode is kept.
fn with_text(tree: &Tree, path: &str, text: &str) -> Option<Tree> {
    let mut blob = tree.get(path)?.clone();
    blob.bytes = text.as_bytes().to_vec();
    let mut tree = tree.clone();
    tree.put_blob(path, blob);
    Some(tree)
}

fn offset(text: &str, at: Position) -> Option<usize> {
    let (start, line) = Lines::new(text).line(at.line)?;
    let inside = line.char_indices().map(|(byte, _)| byte).chain([line.len()]).nth(at.column.checked_sub(1)?)?;
    Some(start + inside)
}

/// The range of the one-line scalar at an offset, including its quotes; `None` for block scalars and collections.
fn scalar(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let line = rest.split(['\n', '\r']).next()?;
    let first = line.chars().next()?;
    let length = match first {
        '"' => {
            let mut escaped = false;
            let close = line.char_indices().skip(1).find(|(_, c)| {
                let ends = *c == '"' && !escaped;
                escaped = *c == '\\' && !escaped;
                ends
            });
            close?.0 + 1
        }
        '\'' => line.get(1..)?.find('\'').map(|at| at + 2)?,
        '|' | '>' | '[' | '{' | '&' | '*' | '!' | '#' => return None,
        _ => line.find(" #").map_or(line, |at| line.get(..at).unwrap_or(line)).trim_end().len(),
    };
    (length > 0).then_some(from..from + length)
}

fn replaced(text: &str, range: &Range<usize>, by: &str) -> Option<String> {
    Some([text.get(..range.start)?, by, text.get(range.end..)?].concat())
}

/// A text as a reader compares it: no byte order mark, lines ended by `\n`.
fn plain(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_end_where_yaml_ends_them() {
        for (text, scalar_is) in [
            ("abc # note\nx", Some("abc")),
            ("a#b  \n", Some("a#b")),
            ("\"a \\\" b\" # c", Some("\"a \\\" b\"")),
            ("'a b' c", Some("'a b'")),
            ("|\n  x", None),
            ("[a]", None),
            ("\"open\n\"", None),
        ] {
            assert_eq!(scalar(text, 0).and_then(|range| text.get(range)), scalar_is, "{text:?}");
        }
    }

    #[test]
    fn positions_are_characters_of_a_line() {
        assert_eq!(offset("é\r\nxy", Position { line: 2, column: 2 }), Some(5));
        assert_eq!(offset("é", Position { line: 1, column: 2 }), Some(2));
        assert_eq!(offset("é", Position { line: 3, column: 1 }), None);
    }
}

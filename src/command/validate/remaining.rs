//! Predicts the findings that remain after `--fix`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::check::{Checked, Options};
use super::{data, fix::plan, render::SkillGroup, select::Selected};
use crate::client::target::Targets;
use crate::project::Project;
use crate::rules::fix as rules_fix;
use crate::rules::{self, Finding, Severity};
use crate::skill::printable;
use crate::terminal::ui::{self, Style};

/// Skills as `--fix` would leave them, by their present folders.
pub(super) type Remaining = BTreeMap<PathBuf, AfterFix>;

pub(super) struct AfterFix {
    /// The name of its folder then.
    pub(super) name: String,
    pub(super) checked: rules::Checked,
}

/// How many of the findings shown `--fix` resolves, and how many are shown.
pub(super) fn resolved(remaining: &Remaining, groups: &[SkillGroup<'_>], remarks: bool) -> (usize, usize) {
    let mut resolved_of: HashMap<&Path, Vec<bool>> = HashMap::new();
    let (mut count, mut all) = (0, 0);
    for merged in groups.iter().flat_map(|one| &one.findings).filter(|one| remarks || !one.is_remark()) {
        let is_resolved =
            resolved_of.entry(&merged.copy.dir).or_insert_with(|| resolved_findings(remaining, merged.copy));
        let index = merged.copy.findings.iter().position(|one| std::ptr::eq(one, merged.finding));
        count += usize::from(index.and_then(|index| is_resolved.get(index)).is_some_and(|one| *one));
        all += 1;
    }
    (count, all)
}

/// For each finding of a skill, whether `--fix` resolves it.
fn resolved_findings(remaining: &Remaining, one: &Checked) -> Vec<bool> {
    let Some(remains) = remaining.get(&one.dir) else { return vec![false; one.findings.len()] };
    let fact = |finding: &Finding| (finding.rule.clone(), finding.client.clone(), finding.message.clone());
    let mut stay: BTreeMap<_, usize> = BTreeMap::new();
    remains.checked.findings.iter().for_each(|finding| *stay.entry(fact(finding)).or_default() += 1);
    let is_resolved = |finding: &Finding| match stay.get_mut(&fact(finding)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    one.findings.iter().map(is_resolved).collect()
}

/// Fixes the skills in memory: of identical copies the first, and only those with a fixable finding. Empty if one lies
/// outside the project, because `--fix` then refuses them all.
pub(super) fn predict(
    project: &Project,
    targets: &Targets,
    options: Options<'_>,
    selected: &[Selected],
    checked: &[Checked],
    groups: &[SkillGroup<'_>],
) -> Remaining {
    let fixable: BTreeSet<&str> = rules_fix::rules().collect();
    let is_fixable = |one: &Checked| one.findings.iter().any(|finding| fixable.contains(finding.rule.as_str()));
    let first: HashSet<&Path> = groups.iter().filter_map(|one| Some(one.copies.first()?.dir.as_path())).collect();
    let wanted = |one: &Checked| first.contains(one.dir.as_path()) && is_fixable(one);
    let some: Vec<&Selected> =
        selected.iter().zip(checked).filter(|(_, one)| wanted(one)).map(|(skill, _)| skill).collect();
    // Skills in one parent folder are all inside or all outside.
    let mut folders = HashSet::new();
    let mut apart = checked.iter().filter(|one| folders.insert(one.dir.parent()));
    if some.is_empty() || apart.any(|one| plan::inside(project, &one.dir, &one.path).is_err()) {
        return Remaining::new();
    }
    plan::plan(project, targets, options, some).map_or_else(|_| Remaining::new(), |plan| plan.remaining)
}

/// The findings after `--fix` as JSON, every skill under the path it has now.
pub(super) fn json(remaining: &Remaining, options: Options<'_>, checked: &[Checked]) -> Value {
    let skill = |one: &Checked| match remaining.get(&one.dir) {
        Some(AfterFix { name, checked: rules::Checked { findings, suppressed, .. } }) => {
            data::skill(name, &one.path, options.accepts(findings), findings, suppressed)
        }
        None => data::skill(&one.name, &one.path, one.valid, &one.findings, &one.suppressed),
    };
    checked.iter().map(skill).collect()
}

/// The errors that remain, skill by skill, and how many skills become valid.
pub(super) fn render(remaining: &Remaining, style: Style, strict: bool, checked: &[Checked]) -> String {
    let (mut invalid, mut fixed, mut known) = (String::new(), 0, BTreeSet::new());
    for one in checked.iter().filter(|one| !one.valid && known.insert(&one.dir)) {
        let stays = remaining.get(&one.dir).map_or(&one.findings, |remaining| &remaining.checked.findings);
        let counts = |one: &&Finding| one.severity == Severity::Error || strict && one.severity == Severity::Warning;
        let stays: Vec<&Finding> = stays.iter().filter(counts).collect();
        if stays.is_empty() {
            fixed += 1;
            continue;
        }
        invalid.push_str(&format!("{} would stay invalid:\n", style.path(&printable(&one.path))));
        for finding in stays {
            let at = format!("{}:{}:{}", printable(&finding.file), finding.line, finding.column);
            let line = format!("  {at} {} [{}] {}", finding.severity.word(), finding.rule, printable(&finding.message));
            invalid.push_str(&format!("{}\n", style.fold(&line, 4)));
        }
    }
    let mut text = String::new();
    if !invalid.is_empty() {
        let stay = ui::count(known.len() - fixed, "skill");
        text.push_str(&format!("\nNot fixed, because the right value is not certain ({stay}):\n{invalid}"));
    }
    if fixed > 0 {
        text.push_str(&format!("\nFixing makes {} valid.\n", ui::count(fixed, "invalid skill")));
    }
    text
}

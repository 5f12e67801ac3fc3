//! `validate --fix`: shows the fixes as a difference, asks, and writes them with a backup; predicts the findings that
//! remain.

pub(super) mod plan;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use plan::{Plan, SkillFix};

use super::check::{Checked, Options};
use super::render::{self, SkillGroup};
use super::select::Selected;
use crate::error::{Code, Result};
use crate::project::{Project, open};
use crate::registry::Op;
use crate::rules::{self, Finding, Severity, fix as rules_fix, fix::Edit};
use crate::skill::{Name, diff::Diff, printable};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};
use crate::transaction::consent;
use crate::transaction::operation::{self, Operation, Step};

#[derive(Default)]
pub(super) struct Fixed {
    /// What it adds to the `data` of the answer.
    pub(super) data: Map<String, Value>,
    /// The text before the remaining findings.
    pub(super) text: String,
    /// Whether this is a dry run with fixes, whose text is the whole answer.
    pub(super) planned: bool,
    pub(super) remaining: Remaining,
    /// Whether a run was committed but not finished.
    pub(super) pending: bool,
    pub(super) unread: bool,
}

/// Fixes the selected skills, and updates the paths of those whose folder is renamed.
/// Errors: E-VALIDATE-002 for a skill that the project's transaction does not reach, and those of [`consent::ask`] and
/// [`operation::carry_out`]. Skills fixed by an earlier run of the same command stay fixed.
pub(super) fn fix(
    env: &mut Env,
    project: &Project,
    settings: &crate::config::Settings,
    options: Options<'_>,
    selected: &mut [Selected],
    (dry_run, yes): (bool, bool),
) -> Result<Fixed> {
    let initialised = !open::enter(env, project)?.is_new();
    let Plan { fixes, remaining, unread } = plan::plan(project, &settings.targets, options, &*selected)?;
    for (shown, why) in &unread {
        let message = format!("{} cannot be read and is not fixed: {}", printable(shown), printable(why));
        env.warn(Code::Io, message);
    }
    let before = super::check::check_all(env, options, selected)?;
    let resolved = resolved(&remaining, &render::merge_copies(&before), env.volume > 0);
    let unread = !unread.is_empty();
    let mut fixed = Fixed { planned: dry_run && !fixes.is_empty(), remaining, unread, ..Fixed::default() };
    fixed.data.insert("fixed".into(), fixes.iter().flat_map(entries).collect());
    if dry_run {
        fixed.data.insert("dry_run".into(), true.into());
    }
    if fixes.is_empty() {
        env.tell("Nothing to fix: no finding has a fix that is certain to be right.");
        return Ok(fixed);
    }
    let changes = ui::count(fixes.iter().map(|one| one.fixed.edits.len()).sum(), "change");
    let in_short = yes && !env.err_is_terminal && env.volume <= 0;
    let show = if in_short { summary } else { preview };
    let preview = show(env.err_style(), &fixes);
    if dry_run {
        fixed.text = format!("{preview}\n{changes} planned{}; nothing was written.\n", share(resolved, " to fix "));
        return Ok(fixed);
    }
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let after_moves: Vec<_> = selected.iter().map(|skill| plan::moved(project, &fixes, skill)).collect();
    let mut runs = Vec::new();
    for operation in operations(env, &fixes, initialised) {
        let done = operation::carry_out(env, project, &consent, &operation)
            .map_err(|error| crate::command::skills::after(error, "fixed", runs.len()))?;
        fixed.pending |= done.pending;
        runs.push(done.run);
    }
    for (skill, now) in selected.iter_mut().zip(after_moves) {
        if let Some((shown, dir)) = now {
            (skill.shown, skill.dir) = (shown, dir);
        }
    }
    fixed.text = format!("{} {changes} made{}.\n", env.style.tick(), share(resolved, "; fixed "));
    for run in &runs {
        fixed.text.push_str(&env.spelled(format!("  To undo: hefesto undo {run}\n")));
    }
    fixed.text.push('\n');
    fixed.data.insert("fix_runs".into(), json!(runs));
    Ok(fixed)
}

/// How many of the findings shown are fixed, as [`super::hint`] counts them; empty if none is.
fn share((fixed, all): (usize, usize), lead: &str) -> String {
    if fixed == 0 { String::new() } else { format!("{lead}{fixed} of {}", ui::count(all, "finding")) }
}

/// One operation for all copies of a skill, so that they are changed and undone together.
fn operations(env: &Env, fixes: &[SkillFix], initialised: bool) -> Vec<Operation> {
    let mut operations: BTreeMap<String, Operation> = BTreeMap::new();
    for one in fixes {
        let name = &one.fixed.directory;
        let named = Name::parse(name).is_ok();
        let called = operation::called(name);
        let operation = operations.entry(called.clone()).or_insert_with(|| Operation {
            command: "validate --fix",
            name: called,
            keep_backup: true,
            ..Operation::default()
        });
        let (target, to) = (one.target.clone().unwrap_or_default(), one.to());
        let (before, after) = (Some(one.before.clone()), Some(one.fixed.tree.clone()));
        if to == one.at {
            operation.steps.push(Step { target, at: to, before, after });
        } else {
            operation.steps.push(Step { target: target.clone(), at: one.at.clone(), before, after: None });
            operation.steps.push(Step { target, at: to, before: None, after });
        }
        if let (Some(id), true, true) = (&one.target, initialised, named) {
            match operation.ops.first_mut() {
                Some(Op::UpsertSkill { clis, .. }) => clis.push(id.clone()),
                _ => {
                    operation.ops.push(Op::UpsertSkill { name: name.clone(), clis: vec![id.clone()], at: env.stamp() });
                }
            }
        }
    }
    operations.into_values().collect()
}

/// The most lines of one file's difference on the screen.
const MAX_LINES: usize = 60;

fn preview(style: Style, fixes: &[SkillFix]) -> String {
    let mut text = format!("{}\n", style.rule("validate --fix"));
    for (index, one) in fixes.iter().enumerate() {
        text.push_str(&format!("{}\n", folder(style, one)));
        let same = |other: &&SkillFix| other.before == one.before && other.fixed == one.fixed;
        if let Some(copy) = fixes.get(..index).unwrap_or_default().iter().find(same) {
            text.push_str(&format!("  the same as in {}/\n", style.path(&printable(&copy.at))));
            continue;
        }
        for edit in &one.fixed.edits {
            let line = format!("  {} [{}] {}", printable(&edit.file), edit.rule, printable(&edit.what));
            text.push_str(&format!("{}\n", style.fold(&line, 2)));
        }
        for (file, before, after) in differences(one) {
            text.push_str(&format!("{}\n", style.head(&format!("--- {}", printable(file)))));
            text.push_str(&ui::diff(style, &before, &after, MAX_LINES));
        }
    }
    text
}

/// The texts of the changed files before and after, with secrets masked.
fn differences(fix: &SkillFix) -> Vec<(&str, String, String)> {
    let mut files: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for edit in &fix.fixed.edits {
        let last = files.entry(&edit.file).or_insert((&edit.before, &edit.before));
        if !edit.after.is_empty() {
            last.1 = &edit.after;
        }
    }
    let changed = files.into_iter().filter(|(_, (before, after))| before != after);
    changed.map(|(file, (before, after))| (file, rules::masked(before), rules::masked(after))).collect()
}

/// The edits as JSON: files by their new paths below the root.
fn entries(fix: &SkillFix) -> Vec<Value> {
    let to = fix.to();
    let entry = |edit: &Edit| {
        let diff = Diff::between(&rules::masked(&edit.before), &rules::masked(&edit.after)).text();
        json!({ "path": format!("{to}/{}", edit.file), "rule": edit.rule, "what": edit.what, "diff": diff })
    };
    fix.fixed.edits.iter().map(entry).collect()
}

/// One line for each skill, for a log.
fn summary(style: Style, fixes: &[SkillFix]) -> String {
    let line = |one: &SkillFix| format!("{}: {}\n", folder(style, one), ui::count(one.fixed.edits.len(), "change"));
    let lines: String = fixes.iter().map(line).collect();
    format!("{}\n{lines}`-v` shows each change.", style.rule("validate --fix"))
}

fn folder(style: Style, one: &SkillFix) -> String {
    let path = |path: &str| format!("{}/", style.path(&printable(path)));
    let to = one.to();
    if to == one.at { path(&to) } else { format!("{} -> {}", path(&one.at), path(&to)) }
}

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
    targets: &crate::client::target::Targets,
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
pub(super) fn remaining_json(remaining: &Remaining, options: Options<'_>, checked: &[Checked]) -> Value {
    let skill = |one: &Checked| match remaining.get(&one.dir) {
        Some(AfterFix { name, checked: rules::Checked { findings, suppressed, .. } }) => {
            render::skill(name, &one.path, options.accepts(findings), findings, suppressed)
        }
        None => render::skill(&one.name, &one.path, one.valid, &one.findings, &one.suppressed),
    };
    checked.iter().map(skill).collect()
}

/// The errors that remain, skill by skill, and how many skills become valid.
pub(super) fn remaining_text(remaining: &Remaining, style: Style, strict: bool, checked: &[Checked]) -> String {
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

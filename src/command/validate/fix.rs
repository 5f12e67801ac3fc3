//! `validate --fix`: shows the fixes as a difference, asks, and writes them with a backup.

pub(super) mod plan;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::skills;
use super::check::Options;
use super::remaining::{self, Remaining};
use super::render;
use super::select::Selected;
use crate::config::Settings;
use crate::error::{Code, Result};
use crate::project::{Project, open};
use crate::registry::Op;
use crate::rules::{self, fix::Edit};
use crate::skill::{Name, diff::Diff, printable};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};
use crate::transaction::consent;
use crate::transaction::operation::{self, Operation, Step};
use plan::{Plan, SkillFix};

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
    settings: &Settings,
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
    let resolved = remaining::resolved(&remaining, &render::merge_copies(&before), env.volume > 0);
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
            .map_err(|error| skills::after(error, "fixed", runs.len()))?;
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

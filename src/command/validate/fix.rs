//! `validate --fix`: shows the fixes as a difference, asks, and writes them with a backup.

pub(super) mod plan;
mod preview;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::check::{Checked, Options};
use super::remaining::{self, Remaining};
use super::{render, select::Selected};
use crate::config::Settings;
use crate::error::{Code, Error, Result};
use crate::project::{Project, open};
use crate::registry::Op;
use crate::skill::{Name, printable};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};
use crate::transaction::consent;
use crate::transaction::operation::{self, Operation, Step};
use plan::{Plan, SkillFix};

/// How `--fix` gets its approval.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Nothing is written.
    DryRun,
    Ask,
    /// Approved by `--yes`.
    Approved,
}

/// What `--fix` did or plans.
#[derive(Default)]
pub(super) struct Fixed {
    /// What it adds to the `data` of the answer.
    pub(super) data: Map<String, Value>,
    /// The text before the remaining findings.
    pub(super) text: String,
    /// Whether this is a dry run with fixes, whose text is the whole answer.
    pub(super) planned: bool,
    remaining: Remaining,
    /// Whether a run was committed but not finished.
    pub(super) pending: bool,
    /// Whether a skill could not be read.
    pub(super) unread: bool,
}

impl Fixed {
    /// Adds the findings that remain after a planned fix to the data.
    pub(super) fn list_remaining(&mut self, options: Options<'_>, checked: &[Checked]) {
        self.data.insert("left".into(), remaining::json(&self.remaining, options, checked));
    }

    /// Adds the errors that remain after a planned fix to the text: they decide the exit code.
    pub(super) fn describe_remaining(&mut self, style: Style, strict: bool, checked: &[Checked]) {
        self.text.push_str(&remaining::render(&self.remaining, style, strict, checked));
    }
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
    mode: Mode,
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
    let mut fixed = Fixed { planned: mode == Mode::DryRun && !fixes.is_empty(), remaining, unread, ..Fixed::default() };
    fixed.data.insert("fixed".into(), fixes.iter().flat_map(preview::entries).collect());
    if mode == Mode::DryRun {
        fixed.data.insert("dry_run".into(), true.into());
    }
    if fixes.is_empty() {
        env.tell("Nothing to fix: no finding has a fix that is certain to be right.");
        return Ok(fixed);
    }
    let changes = ui::count(fixes.iter().map(|one| one.fixed.edits.len()).sum(), "change");
    let in_short = mode == Mode::Approved && !env.err_is_terminal && env.volume <= 0;
    let show = if in_short { preview::summary } else { preview::preview };
    let preview = show(env.err_style(), &fixes);
    if mode == Mode::DryRun {
        fixed.text = format!("{preview}\n{changes} planned{}; nothing was written.\n", share(resolved, " to fix "));
        return Ok(fixed);
    }
    let consent = consent::ask(env, &preview, mode == Mode::Approved, settings.gate_limit())?;
    let after_moves: Vec<_> = selected.iter().map(|skill| plan::moved(project, &fixes, skill)).collect();
    let mut runs = Vec::new();
    for operation in operations(env, &fixes, initialised) {
        let done = operation::carry_out(env, project, &consent, &operation).map_err(|error| after(error, &runs))?;
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

/// An error of a later run says what the earlier ones have done.
fn after(error: Error, runs: &[String]) -> Error {
    if runs.is_empty() {
        return error;
    }
    let message = format!("{}; fixed before that: {}", error.message(), ui::count(runs.len(), "skill"));
    Error::new(error.code(), message).exit(error.exit_with()).suggest(error.suggestion())
}

//! P5: all targets or none. Backups first, one journalled transaction, MEMORY.md last.

use std::rc::Rc;

use serde_json::json;

use super::approve::{Action, Plan, PlannedCopy};
use super::{Approved, By, Draft, Proposal, Run, generate};
use crate::client::{detect, target::Target};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::{Changed, CommittedRun, InstalledCopy, ring::Phase};
use crate::project::open;
use crate::registry::Op;
use crate::skill::{Tree, version::version};
use crate::terminal::signal::Watch;
use crate::transaction::{self, Change, Intent};
use crate::transaction::{Receipt as Committed, backup, objects};

pub(super) struct Receipt {
    pub proposal: Proposal,
    pub by: By,
    /// The backup's path for display.
    pub backup: Option<String>,
    /// Whether the last step is left to the next command.
    pub pending: bool,
}

/// Runs P5. It consumes the approval: without one nothing can be written.
/// Errors: E-TXN-001 when another hefesto writes, E-TXN-002 when a target changed since the gate, E-CREATE-014 when the
/// backup fails, E-CREATE-006 or E-TXN-003 when writing fails: everything is rolled back then.
pub(super) fn persist(run: &mut Run<'_>, approved: Approved) -> Result<Receipt> {
    run.enter(Phase::Persist);
    let (proposal, by) = approved.into_parts();
    unchanged_in_memory(run, &proposal.draft)?;
    let lock = open::lock(run.env, &run.project, "create")?;
    let plan = &proposal.plan;
    recheck(run, plan)?;
    let mut changes = open::initialising(run.env, &run.project, &run.governed)?;
    let kept_objects = objects::keeping(&lock, plan.written().map(|entry| &entry.tree))?;
    let backup = take_backup(run, plan)?.map(Rc::new);
    for entry in plan.written() {
        let (at, tree) = (entry.at.clone(), entry.tree.clone());
        changes.push(match (&entry.existing, &backup) {
            (Some(existing), Some(backup)) => {
                Change::Replace { at, tree, was: existing.tree.digest(), backup: Rc::clone(backup) }
            }
            _ => Change::Place { at, tree },
        });
    }
    changes.extend(kept_objects);
    let ops = operations(run, plan);
    let copies: Vec<_> = plan.written().map(|entry| (entry.target.id.clone(), entry.at.clone())).collect();
    let before =
        serde_json::to_string(&open::before(&lock, std::slice::from_ref(&plan.name), &copies)?).unwrap_or_default();
    let backup = backup.map(|backup| backup.path().to_owned());
    let entry = recorded(run, &proposal, by, (backup.as_deref(), before));
    let intent = Intent {
        run: run.id.clone(),
        command: "create".into(),
        now: run.env.stamp(),
        registry: Some(
            open::registration(&ops, &run.env.stamp(), Some(entry.clone()))
                .coded(Code::Bug, "the registry entry cannot be written down")?,
        ),
    };
    let now = run.env.stamp();
    let watch = Watch::open().coded(Code::WriteFailed, "cannot prepare for signals; nothing was written")?;
    let committed = {
        let shared = std::cell::RefCell::new(&mut *run);
        transaction::commit(&lock, intent, changes, &|_, value| {
            open::register_with(&lock, value, &mut |committed, now| shared.borrow_mut().committed(committed, now))
        })?
    };
    drop(lock);
    run.env.late = Some(watch);
    // The transaction was interrupted before it could record the run itself.
    if committed.pending.is_some() && run.memory().is_none() {
        run.committed(&entry, &now);
    }
    tell(run, &committed);
    let overwrite = plan.written().any(|entry| entry.action == Action::Overwrite);
    let at = run.env.stamp();
    run.checkpoint(&json!({
        "persistence_success": true, "overwrite_mode": overwrite, "files_created": plan.files(),
        "directories_created": plan.written().map(|entry| &entry.display_path).collect::<Vec<_>>(),
        "memory_updated": committed.pending.is_none(), "backup_path": backup, "persistence_timestamp": at,
    }))?;
    let backup = backup.map(|path| run.project.display(&path));
    Ok(Receipt { by, backup, pending: committed.pending.is_some(), proposal })
}

/// What the memory records of the run: what it changes and leaves, copy by copy.
fn recorded(
    run: &mut Run<'_>,
    Proposal { plan, draft, .. }: &Proposal,
    by: By,
    (backup, before): (Option<&str>, String),
) -> CommittedRun {
    let (intake, facts) = (run.state(Phase::Intake).ok().flatten(), run.repository());
    let changed = |entry: &PlannedCopy| Changed {
        at: entry.at.clone(),
        target: entry.target.id.clone(),
        action: entry.action.word().to_owned(),
        before: entry.existing.as_ref().map(|existing| existing.tree.digest()),
        after: Some(entry.tree.digest()),
        backup: backup.map(str::to_owned),
    };
    let installed = |entry: &PlannedCopy| {
        let (at, target, tree) = (entry.at.clone(), entry.target.id.clone(), &entry.tree);
        InstalledCopy { at, target, digest: Some(tree.digest()), version: version(tree), ..InstalledCopy::default() }
    };
    CommittedRun {
        run: run.id.clone(),
        command: "create".into(),
        skill: plan.name.clone(),
        by: by.word().into(),
        changed: plan.written().map(changed).collect(),
        before,
        installed: plan.written().map(installed).collect(),
        why: None,
        recipe: generate::recipe(draft, intake, &facts, &plan.name),
    }
}

/// The checkpoint of P2 must equal what was approved.
fn unchanged_in_memory(run: &mut Run<'_>, draft: &Draft) -> Result<()> {
    let Some(state) = run.state(Phase::Generate)? else { return Ok(()) };
    if state["skill_content"].as_str() == Some(draft.text.as_str()) {
        return Ok(());
    }
    Err(Error::new(Code::CreateMemory, "the working memory holds another skill than the one that was approved"))
}

/// What the gate showed must still be true, for skipped copies too, so that "skip" never means "missing".
fn recheck(run: &Run<'_>, plan: &Plan) -> Result<()> {
    let roots = run.project.roots().of_one_moment();
    for entry in &plan.entries {
        let changed = |how: &str| {
            let message = format!("{}/ changed after it was shown{how}; nothing was written", entry.display_path);
            Error::new(Code::Changed, message)
        };
        // What was a skill at the gate and is none now was changed; what cannot be read now may be unchanged.
        let now = transaction::scan(&roots, &entry.at).map_err(|error| match error.system() {
            Some(_) => error,
            None => changed(&format!(" ({})", error.message())),
        })?;
        if entry.existing.as_ref().map(|existing| existing.tree.digest()) != now.as_ref().map(Tree::digest) {
            return Err(changed(""));
        }
    }
    Ok(())
}

fn take_backup(run: &Run<'_>, plan: &Plan) -> Result<Option<backup::VerifiedBackup>> {
    let copies: Vec<(String, &Tree)> = plan
        .written()
        .filter_map(|entry| entry.existing.as_ref().map(|existing| (entry.at.clone(), &existing.tree)))
        .collect();
    if copies.is_empty() {
        return Ok(None);
    }
    backup::take(run.project.roots(), &plan.name, &run.decided(), &copies).map(Some)
}

fn operations(run: &mut Run<'_>, plan: &Plan) -> Vec<Op> {
    let here = run.clients();
    let new = plan.written().filter(|entry| !run.governed.knows(&entry.target.id));
    let row = |target: &Target| {
        let known = here.iter().find(|client| client.row.id == target.id);
        known.map_or_else(|| detect::row(target, &[]), |client| client.row.clone())
    };
    let rows = new.map(|entry| row(&entry.target)).collect();
    let clis = plan.written().map(|entry| entry.target.id.clone()).collect();
    vec![Op::UpsertClis { clis: rows }, Op::UpsertSkill { name: plan.name.clone(), clis, at: run.env.stamp() }]
}

fn tell(run: &mut Run<'_>, committed: &Committed) {
    for recovered in &committed.recovered {
        run.env.note(open::recovery_warning(recovered));
    }
    if let Some(why) = &committed.pending {
        run.env.warn(Code::FinishPending, format!("the skill is saved; its finishing was cut short: {why}"));
    }
}

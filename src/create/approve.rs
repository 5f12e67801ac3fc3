//! P4: the plan, its collisions, and the gate.

use std::path::Path;

use serde_json::json;

use super::gate;
use super::plan::{Action, Existing, Origin, Plan, PlannedCopy};
use super::{Copy, Run, Valid, Verdict, collision, drafter, trigger};
use crate::error::{Code, Error, Result};
use crate::memory::{Facts, ring::Phase};
use crate::report::slashed::Slashed;
use crate::skill::metadata::Metadata;
use crate::system::{input, rooted};
use crate::transaction::{self, Roots};

/// Runs P4. Errors: E-CREATE-003/006/010/011/012/013, or a signal. Nothing has been written.
pub(super) fn approve(run: &mut Run<'_>, valid: Valid) -> Result<Verdict> {
    run.enter(Phase::Approve);
    let copies = valid.draft().copies();
    let roots = run.project.roots().of_one_moment();
    all_writable(run, &roots, &copies)?;
    let entries = copies.into_iter().map(|copy| planned(run, &roots, copy)).collect::<Result<Vec<_>>>()?;
    let mut plan = Plan { name: valid.draft().name.clone(), entries };
    let can_draft = drafter::can_draft(run);
    if run.args.approve.as_ref().is_some_and(|digest| plan.in_place(digest)) {
        plan.decide(Action::Skip);
        let trigger = trigger::trigger(run, &plan, valid.draft());
        return Ok(Verdict::InPlace(Box::new(valid.propose(plan, trigger, can_draft))));
    }
    let resolved = collision::resolve(run, &mut plan, &valid)?;
    if let Some(renamed) = resolved {
        return Ok(Verdict::Revise(renamed));
    }
    let trigger = trigger::trigger(run, &plan, valid.draft());
    trigger.callable(run, &plan)?;
    let (digest, collided) = (plan.digest(), plan.collisions().next());
    let details = collided.map(|entry| {
        json!({
            "existing_path": format!("{}/", entry.display_path),
            "created": entry.existing.as_ref().and_then(|existing| existing.created.clone()),
            "modified": entry.existing.as_ref().and_then(|existing| existing.modified.clone()),
            "provenance": entry.existing.as_ref().map(Existing::provenance),
            "paths": plan.collisions().map(|entry| format!("{}/", entry.display_path)).collect::<Vec<_>>(),
        })
    });
    let action = collided.map(|entry| entry.action.word());
    let archive = plan.written().any(|entry| entry.existing.is_some()).then(|| plan.name.clone());
    let (response, decided) = gate::gate(run, valid.propose(plan, trigger, can_draft))?;
    run.record.decided_at = run.env.now();
    let at = run.env.stamp();
    let by = match &decided {
        Some(Verdict::Approved(approved)) => Some(approved.by().word()),
        _ => None,
    };
    // Without an approval no backup is made.
    let backup = archive
        .filter(|_| by.is_some())
        .map(|name| run.project.display(&format!(".hefesto/backups/{name}-{}.tar.gz", run.decided())));
    let state = json!({
        "collision_detected": details.is_some(), "collision_details": details, "action_chosen": action,
        "backup_path": backup, "new_skill_name": run.collision.renamed(), "human_gate_response": response,
        "human_gate_timestamp": at, "approved_by": by, "digest": digest, "persistence_ready": by.is_some(),
    });
    let facts = Facts { approved_by: by.map(str::to_owned), digest: by.map(|_| digest.clone()), ..Facts::default() };
    run.checkpoint_with(&state, &facts)?;
    gate::verdict(run, decided)
}

/// Every target must be writable before any is touched.
fn all_writable(run: &Run<'_>, roots: &Roots, copies: &[Copy]) -> Result<()> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let root = run.project.root();
    if !run.project.is_there() {
        let (above, missing) = first_missing(root);
        transaction::writable(above, &missing).map_err(|unwritable| {
            let message = format!("{} cannot be made: {}: {}", root.slashed(), unwritable.path, unwritable.why);
            let how = if run.project.is_user() { "in HEFESTO_HOME" } else { "with `-C DIR`" };
            Error::new(Code::CreateUnwritable, message).suggest(format!("Name another directory {how}."))
        })?;
        if !run.project.is_user() {
            return Ok(());
        }
    }
    for copy in copies {
        match transaction::writable(roots, &copy.at) {
            Ok(()) => good.push(copy.target.id.as_str()),
            Err(unwritable) => bad.push(format!("{} ({}: {})", copy.target.id, unwritable.path, unwritable.why)),
        }
    }
    for file in ["MEMORY.md", ".hefesto/txn"].iter().filter(|_| run.project.is_there()) {
        if let Err(unwritable) = transaction::writable(roots, file) {
            good.clear();
            bad.push(format!("{} ({})", unwritable.path, unwritable.why));
        }
    }
    if bad.is_empty() {
        return Ok(());
    }
    let error =
        Error::new(Code::CreateUnwritable, format!("cannot be written: {}; nothing was touched", bad.join("; ")));
    let place = match run.project.is_user() {
        true => "--global".to_owned(),
        false => format!("-C {}", shell_words::quote(&root.slashed())),
    };
    let sentence = shell_words::quote(run.args.description.as_deref().unwrap_or("..."));
    let all = run.record.targets.join(",");
    let outside = format!("or run this outside the sandbox: `hefesto {place} create {sentence} --target {all}`.");
    Err(match good.as_slice() {
        [] => error.suggest(format!("Fix that, {outside}")),
        good => {
            let here = good.join(",");
            error.suggest(format!("`--target {here}` works here. For the others, fix that, {outside}"))
        }
    })
}

/// The nearest existing ancestor directory, and the name of the first missing one below it.
fn first_missing(root: &Path) -> (&Path, String) {
    let above =
        root.ancestors().find(|dir| rooted::anywhere(dir).is_ok_and(|dir| dir.exists())).unwrap_or(Path::new("/"));
    let below = root.strip_prefix(above).unwrap_or(root).components().next();
    (above, below.map(|name| name.as_os_str().to_string_lossy().into_owned()).unwrap_or_default())
}

/// A copy before collisions are decided.
fn planned(run: &Run<'_>, roots: &Roots, copy: Copy) -> Result<PlannedCopy> {
    let existing = existing(run, roots, &copy)?;
    let action = if existing.is_some() { Action::Undecided } else { Action::Create };
    let (display_path, local_path) = (run.project.display(&copy.at), run.project.shown(&copy.at));
    let Copy { target, at, tree } = copy;
    Ok(PlannedCopy { target, at, display_path, local_path, action, tree, existing })
}

/// What exists where a copy would go. Any directory counts, with or without a SKILL.md: its files must not be lost.
fn existing(run: &Run<'_>, roots: &Roots, copy: &Copy) -> Result<Option<Existing>> {
    if !run.project.is_user() && !run.project.is_there() {
        return Ok(None);
    }
    let Some(tree) = transaction::scan(roots, &copy.at)? else { return Ok(None) };
    let metadata = tree.text("metadata.yaml").and_then(|text| Metadata::parse(text).ok());
    let times = run.project.rooted(&copy.at).map(|dir| input::times(&dir, &tree)).unwrap_or_default();
    let created = metadata.as_ref().map(|metadata| metadata.created.clone()).filter(|text| !text.is_empty());
    let origin = run.memory().and_then(|memory| memory.provenance(&copy.at).ok().flatten());
    // If the last run left nothing, hefesto did not write what exists.
    let origin = origin.filter(|(_, changed)| changed.after.is_some());
    let origin = origin.map(|(run, changed)| Origin { run, edited: changed.after != Some(tree.digest()) });
    Ok(Some(Existing {
        origin,
        created: created.or(times.created),
        modified: times.modified,
        version: metadata.as_ref().map(|metadata| metadata.version.clone()),
        author: metadata.map(|metadata| metadata.author),
        tree,
    }))
}

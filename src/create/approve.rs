//! P4: the plan, its collisions, and the gate.

use std::path::Path;

use serde_json::json;

use super::gate::{self, GateAnswer};
use super::plan::{Action, Existing, Origin, Plan};
use super::{Copy, Run, Valid, Verdict, collision, drafter, trigger};
use crate::error::{Code, Error, Result};
use crate::memory::{Facts, ring::Phase};
use crate::report::slashed::Slashed;
use crate::skill::metadata::Metadata;
use crate::system::{input, rooted};
use crate::transaction;

/// Runs P4. Errors: E-CREATE-003/006/010/011/012/013, or a signal. Nothing has been written.
pub(super) fn approve(run: &mut Run<'_>, valid: Valid) -> Result<Verdict> {
    run.enter(Phase::Approve);
    let copies = valid.draft().copies();
    all_writable(run, &copies)?;
    let existing = copies.iter().map(|copy| existing(run, copy)).collect::<Result<Vec<_>>>()?;
    let mut plan = Plan::new(&valid.draft().name, copies, existing);
    for entry in &mut plan.entries {
        entry.display_path = run.workspace.project.display(&entry.at);
        entry.local_path = run.workspace.project.shown(&entry.at);
    }
    let can_draft = drafter::can_draft(run);
    if run.request.args.approve.as_ref().is_some_and(|digest| plan.in_place(digest)) {
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
    let choice = gate::gate(run, valid.propose(plan, trigger, can_draft))?;
    run.record.decided_at = run.env.now();
    let at = run.env.stamp();
    let plan = &choice.proposal().plan;
    let first = plan.collisions().next();
    let details = first.map(|entry| {
        json!({
            "existing_path": format!("{}/", entry.display_path),
            "created": entry.existing.as_ref().and_then(|existing| existing.created.clone()),
            "modified": entry.existing.as_ref().and_then(|existing| existing.modified.clone()),
            "provenance": entry.existing.as_ref().map(Existing::provenance),
            "paths": plan.collisions().map(|entry| format!("{}/", entry.display_path)).collect::<Vec<_>>(),
        })
    });
    // Without an approval no backup is made.
    let approved = matches!(choice, GateAnswer::Approved(_));
    let backup = (approved && plan.written().any(|entry| entry.existing.is_some()))
        .then(|| run.workspace.project.display(&format!(".hefesto/backups/{}-{}.tar.gz", plan.name, run.decided())));
    let state = json!({
        "collision_detected": first.is_some(),
        "collision_details": details,
        "action_chosen": first.map(|entry| entry.action.word()),
        "backup_path": backup,
        "new_skill_name": run.collision.renamed(),
        "human_gate_response": choice.word(),
        "human_gate_timestamp": at,
        "approved_by": choice.approved_by(),
        "digest": plan.digest(),
        "persistence_ready": approved,
    });
    let by = choice.approved_by();
    let facts = Facts {
        approved_by: by.map(str::to_owned),
        digest: by.map(|_| choice.proposal().plan.digest()),
        ..Facts::default()
    };
    run.checkpoint_with(&state, &facts)?;
    choice.verdict(run)
}

/// Every target must be writable before any is touched.
fn all_writable(run: &Run<'_>, copies: &[Copy]) -> Result<()> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    let root = run.workspace.project.root();
    if !run.workspace.project.is_there() {
        let (above, missing) = first_missing(root);
        transaction::writable(above, &missing).map_err(|unwritable| {
            let message = format!("{} cannot be made: {}: {}", root.slashed(), unwritable.path, unwritable.why);
            let how = if run.workspace.project.is_user() { "in HEFESTO_HOME" } else { "with `-C DIR`" };
            Error::new(Code::CreateUnwritable, message).suggest(format!("Name another directory {how}."))
        })?;
        if !run.workspace.project.is_user() {
            return Ok(());
        }
    }
    for copy in copies {
        match transaction::writable(run.workspace.project.roots(), &copy.at) {
            Ok(()) => good.push(copy.target.id.as_str()),
            Err(unwritable) => bad.push(format!("{} ({}: {})", copy.target.id, unwritable.path, unwritable.why)),
        }
    }
    for file in ["MEMORY.md", ".hefesto/txn"].iter().filter(|_| run.workspace.project.is_there()) {
        if let Err(unwritable) = transaction::writable(run.workspace.project.roots(), file) {
            good.clear();
            bad.push(format!("{} ({})", unwritable.path, unwritable.why));
        }
    }
    if bad.is_empty() {
        return Ok(());
    }
    let error =
        Error::new(Code::CreateUnwritable, format!("cannot be written: {}; nothing was touched", bad.join("; ")));
    let place = match run.workspace.project.is_user() {
        true => "--global".to_owned(),
        false => format!("-C {}", shell_words::quote(&root.slashed())),
    };
    let command = format!(
        "hefesto {place} create {} --target",
        shell_words::quote(run.request.args.description.as_deref().unwrap_or("...")),
    );
    Err(if good.is_empty() {
        error.suggest(format!(
            "Fix that, or run this outside the sandbox: `{command} {}`.",
            run.record.targets.join(",")
        ))
    } else {
        error.suggest(format!(
            "`--target {}` works here. For the others, fix that, or run this outside the sandbox: `{command} {}`.",
            good.join(","),
            run.record.targets.join(",")
        ))
    })
}

/// The nearest existing ancestor directory, and the name of the first missing one below it.
fn first_missing(root: &Path) -> (&Path, String) {
    let above =
        root.ancestors().find(|dir| rooted::anywhere(dir).is_ok_and(|dir| dir.exists())).unwrap_or(Path::new("/"));
    let below = root.strip_prefix(above).unwrap_or(root).components().next();
    (above, below.map(|name| name.as_os_str().to_string_lossy().into_owned()).unwrap_or_default())
}

/// What exists where a copy would go. Any directory counts, with or without a SKILL.md: its files must not be lost.
fn existing(run: &Run<'_>, copy: &Copy) -> Result<Option<Existing>> {
    if !run.workspace.project.is_user() && !run.workspace.project.is_there() {
        return Ok(None);
    }
    let Some(tree) = transaction::scan(run.workspace.project.roots(), &copy.at)? else { return Ok(None) };
    let metadata = tree.text("metadata.yaml").and_then(|text| Metadata::parse(text).ok());
    let times = run.workspace.project.rooted(&copy.at).map(|dir| input::times(&dir, &tree)).unwrap_or_default();
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

//! `sync`: brings the edits of all copies of a skill together, in one operation for each skill.

mod clash;

use serde_json::{Value, json};

use super::skills::{self, Skills};
use crate::cli;
use crate::client::detect;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::project::copies::{self, Copies, Merged, Wanted};
use crate::registry::CopyState;
use crate::report::Report;
use crate::skill::{printable, version::version};
use crate::system::env::Env;
use crate::transaction::consent;
use crate::transaction::operation::{self, Operation};

/// Runs `hefesto sync`. Errors: E-SKILL-001 for a name that no skill has; E-SYNC-001 where two copies were changed
/// differently and nobody decides; E-SYNC-002 where a client that is named has no copy to take; E-CREATE-005 where what
/// comes of it breaks a rule.
pub(super) fn sync(env: &mut Env, project: &Project, args: &cli::Sync, yes: bool) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    for id in args.from.iter().chain(match &args.on_conflict {
        cli::OnConflict::Ours(id) => Some(id),
        _ => None,
    }) {
        detect::one(&skills.settings.targets, id)?;
    }
    let mut operations = Vec::new();
    for skill in skills.named_or_all(&args.names)? {
        if !args.names.is_empty() || skill.all.iter().any(copies::Copy::is_own) {
            operations.extend(operation(env, &skills, args, &skill)?);
        }
    }
    if operations.is_empty() {
        let text = "Every copy is as it was installed; nothing to do.\n";
        return Ok(Report::done(json!({ "skills": [], "approved_by": null }), text));
    }
    let previews: Vec<String> = operations.iter().map(|operation| preview(env, project, operation)).collect();
    let consent = consent::ask(env, &previews.concat(), yes, skills.settings.gate_limit())?;
    let (mut synced, mut text, mut pending) = (Vec::new(), String::new(), false);
    for operation in &operations {
        let done = operation::carry_out(env, project, &consent, operation);
        let done = done.map_err(|error| skills::after(error, "done", synced.len()))?;
        pending |= done.pending;
        let why = operation.why.as_deref().unwrap_or_default();
        text.push_str(&format!("{} `{}`: {why}.\n", env.style.tick(), operation.name));
        text.push_str(&skills::lines(project, &operation.steps));
        text.push_str(&format!("  to undo: hefesto undo {}\n", done.run));
        synced.push(answer(project, operation, &done));
    }
    let data = json!({ "skills": synced, "approved_by": consent.by().word() });
    Ok(skills::finished(env, data, text, pending))
}

fn answer(project: &Project, operation: &Operation, done: &operation::Done) -> Value {
    let written = operation.steps.iter().find_map(|step| step.after.as_ref());
    let text = written.or_else(|| operation.settled.first().map(|(_, _, tree)| tree));
    json!({
        "name": operation.name,
        "copies": operation.json(project),
        "version": text.and_then(version),
        "why": operation.why,
        "backup": done.backup.as_deref().map(|path| project.display(path)),
        "run_id": done.run,
    })
}

/// What has to be done for one skill; none where nothing has to be.
fn operation(env: &mut Env, skills: &Skills<'_>, args: &cli::Sync, skill: &Copies) -> Result<Option<Operation>> {
    let Skills { project, settings, .. } = skills;
    let named = !args.names.is_empty();
    let states = skill.states(project.roots(), &settings.severities);
    let state_of = |state: CopyState| states.iter().flatten().any(|status| status.state == state);
    if !named && states.iter().flatten().all(|status| matches!(status.state, CopyState::Same | CopyState::Foreign)) {
        return Ok(None);
    }
    for copy in skill.own() {
        if let copies::Found::Unreadable(why) = &copy.found {
            let message = format!("{}/ cannot be read: {why}; nothing was written", project.display(&copy.at));
            return Err(Error::new(Code::Io, message));
        }
    }
    let merged = match &args.from {
        Some(from) => taken(project, skill, from)?,
        None => clash::merged(env, project, settings, args, skill)?,
    };
    let now = env.stamp();
    let text = copies::revise(
        merged.installed.as_ref(),
        merged.tree.clone(),
        copies::Revision { bump: args.revision.bump, now: &now },
    );
    let written = copies::write(skill, &text, &[]);
    if written.is_nothing() {
        return Ok(None);
    }
    skills.accept(&skill.name, &written.steps)?;
    let why = why(&merged, args, state_of(CopyState::Missing));
    Ok(Some(written.operation("sync", &skill.name, &now, why)))
}

/// The copy of one client, whatever the others say.
fn taken(project: &Project, skill: &Copies, from: &str) -> Result<Merged> {
    let wanted = Wanted { from: Some(from), first: None };
    skill.merge(project.roots(), wanted, &mut |_| crate::skill::three_way::Choice::Ours).ok_or_else(|| {
        Error::new(Code::SyncFrom, format!("`{}` has no copy for {from} that could be taken", skill.name))
            .suggest(format!("`hefesto status {}` names the copies there are.", skill.name))
    })
}

fn why(merged: &Merged, args: &cli::Sync, missing: bool) -> String {
    match (&args.from, &merged.edited[..]) {
        (Some(from), _) => format!("the copy of {from} for all"),
        (None, []) if missing => "missing copies are back".to_owned(),
        (None, []) => "every copy in the installed version".to_owned(),
        (None, [one]) => format!("the edit of {one} for all"),
        (None, several) if let cli::OnConflict::Ours(client) = &args.on_conflict => {
            format!("the edits of {} together, {client}'s where they differ", several.join(", "))
        }
        (None, several) => format!("the edits of {} together", several.join(", ")),
    }
}

fn preview(env: &Env, project: &Project, operation: &Operation) -> String {
    let mut text = operation.preview(env.err_style(), project);
    if let Some(why) = &operation.why {
        text.push_str(&format!("  {}\n", env.err_style().dim(&printable(why))));
    }
    text
}

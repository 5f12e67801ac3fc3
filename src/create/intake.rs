//! P1: the arguments or the wizard become a brief.

use serde_json::json;

use super::draft::{self, Brief, Source};
use super::{Resource, Run, attachments, checks, context, noted, questions, remembered, resource, targets, wizard};
use crate::error::{Code, Result, Warning};
use crate::memory::Facts;
use crate::memory::ring::Phase;
use crate::skill::fact;

/// Runs P1.
///
/// # Errors
/// E-CREATE-001/004/007/009, ERR-007, or whatever the wizard ends with.
pub(super) fn intake(run: &mut Run<'_>) -> Result<Source> {
    run.enter(Phase::Intake);
    let Brief { license, template, .. } = Brief::unfilled(run);
    checks::setting(run, "license", &license)?;
    checks::setting(run, "template", &template)?;
    let given = run.request.args.description.clone().unwrap_or_default();
    let wizard = given.trim().is_empty();
    let brief = if wizard {
        if !run.person() {
            return Err(checks::empty());
        }
        wizard::wizard(run, None)?
    } else {
        from_arguments(run, &given)?
    };
    leave(run, brief, wizard)
}

/// Runs P1 again with another description, after a draft was refused. The name is dropped with the old one, everything
/// else that was given stays.
pub(super) fn again(run: &mut Run<'_>, description: &str) -> Result<Source> {
    let state = run.state(Phase::Intake)?;
    run.roll_back_to(Phase::Preflight);
    run.enter(Phase::Intake);
    run.request.args.name = None;
    let wizard = state.as_ref().is_some_and(|state| state["wizard_mode_used"] == true);
    let before = state.and_then(|state| {
        let targets = draft::targets_of(&state, &run.workspace.settings.targets);
        Brief::from_state(&state, targets, fact::Facts::default())
    });
    let brief = match before {
        Some(before) => Brief { description: checks::description(run, description)?, name: None, ..before },
        None => from_arguments(run, description)?,
    };
    leave(run, brief, wizard)
}

fn from_arguments(run: &mut Run<'_>, sentence: &str) -> Result<Brief> {
    let args = run.request.args.clone();
    let description = checks::description(run, sentence)?;
    let name = args.name.as_deref().map(|name| checks::name(run, name)).transpose()?;
    let body = args.body.as_deref().map(|file| checks::body(run, file)).transpose()?;
    let resources = args.resource.iter().map(|spec| resource::read(run, spec)).collect::<Result<_>>()?;
    let attachments = attachments::take(run)?;
    let brief = Brief { description, name, body, resources, attachments, ..Brief::unfilled(run) };
    match targets::chosen(run, args.target.as_ref()) {
        Ok(targets) => Ok(Brief { targets, ..brief }),
        Err(error) => {
            wizard::keep_given(run, &brief);
            Err(error)
        }
    }
}

/// Leaves P1 with a brief: its state is the checkpoint, from which the run can be resumed.
///
/// # Errors
/// E-CREATE-015.
pub(super) fn leave(run: &mut Run<'_>, brief: Brief, wizard: bool) -> Result<Source> {
    let about = run.context.turn.as_ref().map(|turn| turn.asked.as_str());
    let initialisation = (about != Some(&brief.description)).then(|| context::begin_turn(run, &brief.description));
    let remembered = remembered::of_run(run, &brief.description);
    let background = remembered::background_of_run(run, &brief.description);
    let facts = run.repository();
    let mut brief = Brief { facts, remembered, background, ..brief };
    let hash = blake3::hash(brief.description.as_bytes()).to_hex().to_string();
    let said = same_input(run, &hash);
    noted::known(run, &brief.description, brief.name.as_deref(), said.as_deref());
    run.record.targets = brief.targets.iter().map(|target| target.id.clone()).collect();
    let selection = run.request.args.target.as_ref().map(ToString::to_string);
    let asked = questions::ask_open(run, &mut brief);
    let at = run.env.stamp();
    let state = json!({
        "description": brief.description,
        "target_cli": selection,
        "targets": run.record.targets.clone(),
        "template_name": brief.template,
        "raw_input": run.request.args.description,
        "raw_input_hash": hash,
        "input_hash": hash,
        "input_valid": true,
        "input_errors": [],
        "wizard_mode_used": wizard,
        "name": brief.name,
        "body": brief.body,
        "license": brief.license,
        "given": brief.attachments,
        "no_facts": run.request.args.no_facts,
        "remembered": brief.remembered,
        "background": brief.background,
        "resources": brief.resources.iter().map(Resource::json).collect::<Vec<_>>(),
        "initialisation": initialisation,
        "parsed_at": at,
    });
    let lines = brief
        .remembered
        .iter()
        .map(|one| format!("\"{}\" stands in the skill because {}", one.text, remembered::why(one)));
    let known = Facts {
        description: Some(brief.description.clone()),
        input_hash: Some(hash),
        remembered: lines.collect(),
        ..Facts::default()
    };
    run.checkpoint_with(&state, &known)?;
    noted::full(run);
    asked?; // what was answered until then is kept
    Ok(Source::Brief(Box::new(brief)))
}

/// Notes that the same description was given before, and gives the skill it made.
fn same_input(run: &mut Run<'_>, hash: &str) -> Option<String> {
    let Ok(Some(before)) = run.memory()?.same_input(hash, &run.id) else { return None };
    let made = before.skill.clone();
    let skill = before.skill.unwrap_or_else(|| "a skill".into());
    run.env.note(Warning::new(
        Code::SameInput,
        format!("the same description made `{skill}` on {} (run {}).", before.started_at, before.run_id),
    ));
    made
}

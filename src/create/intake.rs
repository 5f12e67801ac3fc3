//! P1: the arguments or the wizard become a brief.

use serde_json::json;

use super::again::{self, until_taken};
use super::compose::understand;
use super::draft::{self, Brief, Source};
use super::wizard::Step;
use super::{Resource, Run, attachments, checks, context, noted, questions, remembered, resource, targets, wizard};
use crate::error::{Code, Error, Result, Warning};
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
        Some(before) => {
            let description = until_taken(run, DESCRIPTION, description, checks::description)?;
            Brief { description, name: None, ..before }
        }
        None => from_arguments(run, description)?,
    };
    leave(run, brief, wizard)
}

/// What was given on the command line. What cannot be used is asked for again; where that comes to nothing, what was
/// taken until then is kept with the run.
fn from_arguments(run: &mut Run<'_>, sentence: &str) -> Result<Brief> {
    let (mut brief, mut step) = (Brief::unfilled(run), Step::Description);
    match take(run, sentence, &mut brief, &mut step) {
        Ok(()) => Ok(brief),
        Err(error) => {
            wizard::keep_given(run, &brief, step);
            Err(error)
        }
    }
}

fn take(run: &mut Run<'_>, sentence: &str, brief: &mut Brief, step: &mut Step) -> Result<()> {
    let args = run.request.args.clone();
    brief.description = until_taken(run, DESCRIPTION, sentence, checks::description)?;
    *step = Step::Name;
    if let Some(given) = &args.name {
        brief.name = Some(until_taken(run, NAME, given, checks::name)?);
    }
    *step = Step::Instructions;
    if let Some(given) = &args.body {
        brief.body = Some(until_taken(run, BODY, given, checks::body)?);
    }
    *step = Step::Resources;
    for given in &args.resource {
        brief.resources.push(until_taken(run, RESOURCE, given, resource::read)?);
    }
    brief.attachments = attachments::take(run)?;
    *step = Step::Targets;
    brief.targets = match targets::chosen(run, args.target.as_ref()) {
        Err(error) if error.code() == Code::CreateNoTarget && args.target.is_some() => {
            let given = again::instead(run, TARGETS, error)?;
            until_taken(run, TARGETS, &given, targets::typed)?
        }
        chosen => chosen?,
    };
    Ok(())
}

/// What is asked for again, and the flag that gives it.
const DESCRIPTION: (&str, &str) = ("Another description", "DESCRIPTION");
const NAME: (&str, &str) = ("Another name", "--name NAME");
const BODY: (&str, &str) = ("Another file with the instructions", "--body FILE");
const RESOURCE: (&str, &str) = ("Another resource KIND:PATH", "--resource KIND:PATH");
const TARGETS: (&str, &str) = ("Other targets, comma separated", "--target LIST");
const TEMPLATE: (&str, &str) = ("Another template", "--template NAME");
const PACK: (&str, &str) = ("Other packs, comma separated, or `none`", "--pack ID");

/// Back in P1 from a P2 that failed: another name, template, pack or description, as the error has it. Everything else
/// stays as it was given.
///
/// # Errors
/// The error, where nobody gives another one.
pub(super) fn corrected(run: &mut Run<'_>, error: Error) -> Result<Source> {
    let code = error.code();
    if !matches!(code, Code::CreateTemplate | Code::CreateNoName | Code::CreateInvalid | Code::CreateUnsafeInput) {
        return Err(error);
    }
    let state = run.state(Phase::Intake)?;
    let wizard = state.as_ref().is_some_and(|state| state["wizard_mode_used"] == true);
    let facts = run.repository();
    let known = state.and_then(|state| {
        let targets = draft::targets_of(&state, &run.workspace.settings.targets);
        Brief::from_state(&state, targets, facts)
    });
    let Some(mut brief) = known else { return Err(error) };
    match code {
        Code::CreateNoName => {
            let given = again::instead(run, NAME, error)?;
            brief.name = Some(until_taken(run, NAME, &given, checks::name)?);
        }
        Code::CreateTemplate if understand(run.env, &run.workspace.project, &brief).is_err() => {
            let given = again::instead(run, PACK, error)?;
            let ids = given.split([',', ' ']).filter(|id| !id.is_empty() && *id != "none");
            brief.attachments.packs.wanted = ids.map(str::to_owned).collect();
        }
        Code::CreateTemplate => brief.template = again::instead(run, TEMPLATE, error)?,
        _ => {
            let given = again::instead(run, DESCRIPTION, error)?;
            brief.description = until_taken(run, DESCRIPTION, &given, checks::description)?;
        }
    }
    checks::setting(run, "template", &brief.template)?;
    run.roll_back_to(Phase::Preflight);
    run.enter(Phase::Intake);
    leave(run, brief, wizard)
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

/// Keeps the answers that were given after P1 with what it left.
///
/// # Errors
/// E-CREATE-015.
pub(super) fn keep_answers(run: &mut Run<'_>, brief: &Brief) -> Result<()> {
    let Some(mut state) = run.state(Phase::Intake)? else { return Ok(()) };
    state["given"] = json!(brief.attachments);
    run.enter(Phase::Intake);
    run.checkpoint(&state)
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

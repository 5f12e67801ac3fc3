//! P1: the arguments or the wizard become a request.

use serde_json::json;

use super::ask::{self, until_taken};
use super::draft::{self, SkillRequest, Source};
use super::wizard::{self, Step};
use super::{Resource, Run, attachments, checks, context, notices, remembered, targets};
use crate::error::{Code, Error, Result};
use crate::memory::{Facts, ring::Phase};
use crate::rules::input::Field;

/// Runs P1. Errors: E-CREATE-001/004/007/009, ERR-007, or whatever the wizard ends with.
pub(super) fn intake(run: &mut Run<'_>) -> Result<Source> {
    run.enter(Phase::Intake);
    let SkillRequest { license, template, .. } = SkillRequest::unfilled(run);
    checks::admit(run, "license", Field::Answer, &license)?;
    checks::admit(run, "template", Field::Answer, &template)?;
    let given = run.args.description.clone().unwrap_or_default();
    let wizard = given.trim().is_empty();
    let request = if wizard {
        if !run.person() {
            return Err(checks::empty());
        }
        wizard::wizard(run, None)?
    } else {
        from_arguments(run, &given)?
    };
    leave(run, request, wizard)
}

/// Runs P1 again with another description, after a draft was refused. The old name is dropped, everything else is kept.
pub(super) fn again(run: &mut Run<'_>, description: &str) -> Result<Source> {
    let (before, wizard) = before(run)?;
    run.roll_back_to(Phase::Preflight);
    run.enter(Phase::Intake);
    run.args.name = None;
    let request = match before {
        Some(before) => {
            let description = until_taken(run, DESCRIPTION, description, checks::description)?;
            SkillRequest { description, name: None, ..before }
        }
        None => from_arguments(run, description)?,
    };
    leave(run, request, wizard)
}

/// The request that P1 left, with what the repository says, and whether the wizard made it.
pub(super) fn before(run: &mut Run<'_>) -> Result<(Option<SkillRequest>, bool)> {
    let (state, facts) = (run.state(Phase::Intake)?.unwrap_or_default(), run.repository());
    let targets = draft::targets_of(&state, &run.settings.targets);
    Ok((SkillRequest::from_state(&state, targets, facts), state["wizard_mode_used"] == true))
}

/// Reads the command line. Unusable arguments are asked for again; if that fails, what was accepted until then is kept
/// with the run.
fn from_arguments(run: &mut Run<'_>, sentence: &str) -> Result<SkillRequest> {
    let (mut request, mut step) = (SkillRequest::unfilled(run), Step::Description);
    match take(run, sentence, &mut request, &mut step) {
        Ok(()) => Ok(request),
        Err(error) => {
            wizard::keep(run, step, &request);
            Err(error)
        }
    }
}

fn take(run: &mut Run<'_>, sentence: &str, request: &mut SkillRequest, step: &mut Step) -> Result<()> {
    let args = run.args.clone();
    request.description = until_taken(run, DESCRIPTION, sentence, checks::description)?;
    *step = Step::Name;
    if let Some(given) = &args.name {
        request.name = Some(until_taken(run, NAME, given, checks::name)?);
    }
    *step = Step::Instructions;
    if let Some(given) = &args.body {
        request.body = Some(until_taken(run, BODY, given, checks::body)?);
    }
    *step = Step::Resources;
    for given in &args.resource {
        request.resources.push(until_taken(run, RESOURCE, given, attachments::read_resource)?);
    }
    request.attachments = attachments::take(run)?;
    *step = Step::Targets;
    request.targets = match targets::chosen(run, args.target.as_ref()) {
        Err(error) if error.code() == Code::CreateNoTarget && args.target.is_some() => {
            let given = ask::instead(run, TARGETS, error)?;
            until_taken(run, TARGETS, &given, targets::typed)?
        }
        chosen => chosen?,
    };
    Ok(())
}

/// The prompts for unusable arguments, each with its flag.
const DESCRIPTION: (&str, &str) = ("Another description", "DESCRIPTION");
const NAME: (&str, &str) = ("Another name", "--name NAME");
const BODY: (&str, &str) = ("Another file with the instructions", "--body FILE");
const RESOURCE: (&str, &str) = ("Another resource KIND:PATH", "--resource KIND:PATH");
const TARGETS: (&str, &str) = ("Other targets, comma separated", "--target LIST");
const TEMPLATE: (&str, &str) = ("Another template", "--template NAME");
const PACK: (&str, &str) = ("Other packs, comma separated, or `none`", "--pack ID");

/// Returns to P1 after P2 failed: asks for another name, template, pack or description, depending on the error.
/// Everything else is kept. Errors: the error, if nobody gives another one.
pub(super) fn corrected(run: &mut Run<'_>, error: Error) -> Result<Source> {
    let code = error.code();
    if !matches!(code, Code::CreateTemplate | Code::CreateNoName | Code::CreateInvalid | Code::CreateUnsafeInput) {
        return Err(error);
    }
    let (Some(mut request), wizard) = before(run)? else { return Err(error) };
    match code {
        Code::CreateNoName => {
            let given = ask::instead(run, NAME, error)?;
            request.name = Some(until_taken(run, NAME, &given, checks::name)?);
        }
        Code::CreateTemplate if super::generate::understand(run.env, &run.project, &request).is_err() => {
            let given = ask::instead(run, PACK, error)?;
            let ids = given.split([',', ' ']).filter(|id| !id.is_empty() && *id != "none");
            request.attachments.packs.wanted = ids.map(str::to_owned).collect();
        }
        Code::CreateTemplate => request.template = ask::instead(run, TEMPLATE, error)?,
        _ => {
            let given = ask::instead(run, DESCRIPTION, error)?;
            request.description = until_taken(run, DESCRIPTION, &given, checks::description)?;
        }
    }
    checks::admit(run, "template", Field::Answer, &request.template)?;
    run.roll_back_to(Phase::Preflight);
    run.enter(Phase::Intake);
    leave(run, request, wizard)
}

/// Leaves P1 with a request: its state is the checkpoint, from which the run can be resumed. Errors: E-CREATE-015.
pub(super) fn leave(run: &mut Run<'_>, request: SkillRequest, wizard: bool) -> Result<Source> {
    let about = run.context.turn.as_ref().map(|turn| turn.asked.as_str());
    let initialisation = (about != Some(&request.description)).then(|| context::begin_turn(run, &request.description));
    let remembered = remembered::of_run(run, &request.description);
    let background = remembered::background_of_run(run, &request.description);
    let facts = run.repository();
    let mut request = SkillRequest { facts, remembered, background, ..request };
    let hash = blake3::hash(request.description.as_bytes()).to_hex().to_string();
    let said = notices::same_input(run, &hash);
    notices::known(run, &request.description, request.name.as_deref(), said.as_deref());
    run.record.targets = request.targets.iter().map(|target| target.id.clone()).collect();
    let selection = run.args.target.as_ref().map(ToString::to_string);
    let asked = ask::ask_open(run, &mut request);
    let at = run.env.stamp();
    let state = json!({
        "description": request.description, "target_cli": selection, "targets": run.record.targets.clone(),
        "template_name": request.template, "raw_input": run.args.description, "raw_input_hash": hash,
        "input_hash": hash, "input_valid": true, "input_errors": [], "wizard_mode_used": wizard, "name": request.name,
        "body": request.body, "license": request.license, "given": request.attachments, "no_facts": run.args.no_facts,
        "remembered": request.remembered, "background": request.background,
        "resources": request.resources.iter().map(Resource::json).collect::<Vec<_>>(), "initialisation": initialisation,
        "parsed_at": at,
    });
    let lines = request
        .remembered
        .iter()
        .map(|one| format!("\"{}\" is in the skill because {}", one.text, remembered::why(one)));
    let known = Facts {
        description: Some(request.description.clone()),
        input_hash: Some(hash),
        remembered: lines.collect(),
        ..Facts::default()
    };
    run.checkpoint_with(&state, &known)?;
    notices::full(run);
    asked?; // the answers given before the error are kept
    Ok(Source::Request(Box::new(request)))
}

/// Adds answers given after P1 to its state. Errors: E-CREATE-015.
pub(super) fn keep_answers(run: &mut Run<'_>, request: &SkillRequest) -> Result<()> {
    let Some(mut state) = run.state(Phase::Intake)? else { return Ok(()) };
    state["given"] = json!(request.attachments);
    run.enter(Phase::Intake);
    run.checkpoint(&state)
}

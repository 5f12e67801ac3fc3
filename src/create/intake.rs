//! P1: the arguments or the wizard become a brief.

use serde_json::json;

use super::ask::Place;
use super::draft::{self, Brief, Source};
use super::{Given, Resource, Run, context, given, layout, validate, wizard};
use crate::client::target::{Selection, Target};
use crate::client::{detect, drafting};
use crate::error::{Code, Error, Result, Warning};
use crate::memory::Facts;
use crate::memory::ring::Phase;
use crate::rules;
use crate::rules::input::{self, Field};
use crate::skill::name::NotAName;
use crate::skill::{Name, printable, tree};
use crate::terminal::prompt::Question;

/// The longest description taken, in Unicode scalar values (RUN-6).
pub(super) const MAX_DESCRIPTION: usize = 2000;

/// Runs P1.
///
/// # Errors
/// E-CREATE-001/004/007/009, ERR-007, or whatever the wizard ends with.
pub(super) fn intake(run: &mut Run<'_>) -> Result<Source> {
    run.enter(Phase::Intake);
    let Brief { license, template, .. } = unfilled(run);
    settled(run, "license", &license)?;
    settled(run, "template", &template)?;
    let given = run.request.args.description.clone().unwrap_or_default();
    let wizard = given.trim().is_empty();
    let brief = if wizard {
        if !run.person() {
            return Err(empty());
        }
        wizard::wizard(run, None)?
    } else {
        from_arguments(run, &given)?
    };
    leave(run, brief, wizard)
}

/// Runs P1 again with another description, after a draft was refused: the first name is let go with it, everything
/// else that was given stays.
pub(super) fn again(run: &mut Run<'_>, description: &str) -> Result<Source> {
    let state = run.state(Phase::Intake)?;
    run.roll_back_to(Phase::Preflight);
    run.enter(Phase::Intake);
    run.request.args.name = None;
    let wizard = state.as_ref().is_some_and(|state| state["wizard_mode_used"] == true);
    let before = state.and_then(|state| Brief::from_state(&state, draft::targets_of(&state, &run.settings.targets)));
    let brief = match before {
        Some(before) => Brief { description: self::description(run, description)?, name: None, ..before },
        None => from_arguments(run, description)?,
    };
    leave(run, brief, wizard)
}

fn from_arguments(run: &mut Run<'_>, sentence: &str) -> Result<Brief> {
    let args = run.request.args.clone();
    let description = description(run, sentence)?;
    let name = args.name.as_deref().map(|name| name_as_given(run, name)).transpose()?;
    let body = args.body.as_deref().map(|file| body(run, file)).transpose()?;
    let resources = args.resource.iter().map(|spec| resource(run, spec)).collect::<Result<_>>()?;
    let given = given::take(run)?;
    let brief = Brief { description, name, body, resources, given, ..unfilled(run) };
    match chosen(run, args.target.as_ref()) {
        Ok(targets) => Ok(Brief { targets, ..brief }),
        Err(error) => {
            wizard::keep_given(run, &brief);
            Err(error)
        }
    }
}

/// A brief with everything that has a default.
pub(super) fn unfilled(run: &Run<'_>) -> Brief {
    let args = &run.request.args;
    Brief {
        description: String::new(),
        name: None,
        body: None,
        resources: Vec::new(),
        targets: Vec::new(),
        template: args.template.clone().unwrap_or_else(|| run.settings.template.value.clone()),
        license: args.license.clone().unwrap_or_else(|| run.settings.license.value.clone()),
        given: Given::default(),
    }
}

/// Checks what comes from flags, settings and git, before anything of it is kept.
///
/// # Errors
/// E-CREATE-009.
pub(super) fn settled(run: &mut Run<'_>, field: &str, text: &str) -> Result<()> {
    match input::refuse(text, Field::Answer) {
        Some(refusal) => Err(refused(run, field, text, &refusal)),
        None => Ok(()),
    }
}

/// Leaves P1 with a brief: its state is the checkpoint, and enough to go on from.
///
/// # Errors
/// E-CREATE-015.
pub(super) fn leave(run: &mut Run<'_>, brief: Brief, wizard: bool) -> Result<Source> {
    let hash = blake3::hash(brief.description.as_bytes()).to_hex().to_string();
    let said = same_input(run, &hash);
    context::tell(run, &brief.description, brief.name.as_deref(), said.as_deref());
    run.targets = brief.targets.iter().map(|target| target.id.clone()).collect();
    let selection = run.request.args.target.as_ref().map(ToString::to_string);
    let at = run.env.stamp();
    let state = json!({
        "description": brief.description,
        "target_cli": selection,
        "targets": run.targets.clone(),
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
        "given": brief.given,
        "resources": brief.resources.iter().map(Resource::json).collect::<Vec<_>>(),
        "parsed_at": at,
    });
    let facts = Facts { description: Some(brief.description.clone()), input_hash: Some(hash), ..Facts::default() };
    run.checkpoint_with(&state, &facts)?;
    Ok(Source::Brief(Box::new(brief)))
}

/// The same input again is noticed and said; it is nobody's error. The skill it made, if it is known.
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

fn empty() -> Error {
    Error::new(Code::CreateEmpty, "the description is empty").usage("hefesto create [OPTIONS] [DESCRIPTION]")
}

/// Checks a description as it was typed and returns it trimmed.
///
/// # Errors
/// E-CREATE-007, -001, -009.
pub(super) fn description(run: &mut Run<'_>, given: &str) -> Result<String> {
    let text = sized(given)?;
    match input::refuse(text, Field::Description) {
        Some(refusal) => Err(refused(run, "description", text, &refusal)),
        None => Ok(text.to_owned()),
    }
}

/// The description trimmed, if it is neither empty nor too long.
fn sized(given: &str) -> Result<&str> {
    let text = given.trim();
    if text.is_empty() {
        return Err(empty());
    }
    let length = text.chars().count();
    if length > MAX_DESCRIPTION {
        return Err(Error::new(
            Code::CreateTooLong,
            format!("the description has {length} characters; {MAX_DESCRIPTION} is the most"),
        )
        .usage("hefesto create [OPTIONS] [DESCRIPTION]"));
    }
    Ok(text)
}

/// As [`description`], without a project to log a refusal in.
pub(super) fn description_alone(given: &str) -> Result<String> {
    let text = sized(given)?;
    match input::refuse(text, Field::Description) {
        Some(refusal) => Err(refusal_error("description", &refusal)),
        None => Ok(text.to_owned()),
    }
}

/// Checks a name given as a flag: it is taken as it is, never silently changed. One that is only too long is
/// left to P3.
fn name_as_given(run: &mut Run<'_>, given: &str) -> Result<String> {
    if let Some(refusal) = input::refuse(given, Field::Name) {
        return Err(refused(run, "name", given, &refusal));
    }
    well_formed(given)
}

/// A name as it is, or ERR-007.
///
/// # Errors
/// ERR-007 with the nearest name that would do.
pub(super) fn well_formed(given: &str) -> Result<String> {
    match Name::parse(given) {
        Ok(_) | Err(NotAName::TooLong(_)) => Ok(given.to_owned()),
        Err(_) => Err(bad_name(given)),
    }
}

/// ERR-007 with the nearest name that would do.
pub(super) fn bad_name(given: &str) -> Error {
    let error = Error::new(Code::BadName, format!("{given:?} is not a skill name"));
    match Name::sanitise(given) {
        Some(name) => error.suggest(format!("Use `--name {name}`.")),
        None => error.suggest("Use lowercase letters, digits and single hyphens, for example `--name format-dates`."),
    }
}

/// E-CREATE-009, and a line in the log that does not hold the input.
pub(super) fn refused(run: &mut Run<'_>, field: &str, input: &str, refusal: &input::Refusal) -> Error {
    note_refused(run, field, input, refusal.kind);
    refusal_error(field, refusal)
}

/// E-CREATE-009 for a refused input.
pub(super) fn refusal_error(field: &str, refusal: &input::Refusal) -> Error {
    Error::new(
        Code::CreateUnsafeInput,
        format!(
            "the {field} is refused under {} (line {}, column {}): {}",
            refusal.kind, refusal.line, refusal.column, refusal.message
        ),
    )
    .suggest(refusal.suggestion.clone())
}

/// A line in the log that does not hold the input.
fn note_refused(run: &mut Run<'_>, field: &str, input: &str, rule: &str) {
    let event = crate::registry::oplog::Security::refused(&run.env.stamp(), field, input, rule);
    let line = event.line().unwrap_or_default();
    crate::registry::audit::append(run.env, &run.project, &line);
}

/// Reads `--body FILE|-`.
fn body(run: &mut Run<'_>, file: &str) -> Result<String> {
    let text = if file == "-" {
        crate::system::input::read_stdin(run.env)?
    } else {
        crate::system::input::read_given(&run.env.cwd.join(file))?
    };
    if let Some(Err(why)) = drafting::whole(&text).map(drafting::body) {
        return Err(Error::new(Code::CreateInvalid, format!("the body cannot stand for the whole skill: {why}"))
            .suggest(format!("Write it as `--brief` says, or leave the line `{}` out.", drafting::MARK)));
    }
    check_body(run, text)
}

/// Checks text that becomes the body.
///
/// # Errors
/// E-CREATE-009 for a secret, personal data, a private address or hidden characters.
pub(super) fn check_body(run: &mut Run<'_>, text: String) -> Result<String> {
    match input::refuse(&text, Field::Body) {
        Some(refusal) => Err(refused(run, "body", &text, &refusal)),
        None => Ok(text),
    }
}

/// Reads `KIND:PATH`.
///
/// # Errors
/// E-USAGE-001 for another form, E-IO-001 when the file cannot be read, E-CREATE-009 when its name or place is refused,
/// E-CREATE-005 when it holds what must not be kept.
pub(super) fn resource(run: &mut Run<'_>, spec: &str) -> Result<Resource> {
    let wrong = || {
        Error::new(Code::Usage, format!("`{}` is not KIND:PATH, e.g. `scripts:run.sh`", printable(spec)))
            .suggest("KIND is scripts, references or assets.")
            .usage("hefesto create ... --resource KIND:PATH")
    };
    if let Some(refusal) = secret(spec) {
        return Err(refused(run, "resource", spec, &refusal));
    }
    let (kind, path) = spec.split_once(':').ok_or_else(wrong)?;
    let kind = kind_of(kind).ok_or_else(wrong)?;
    let full = run.env.cwd.join(path);
    let bytes = crate::system::input::read_inside(&[&run.env.cwd, run.project.root()], &full)?;
    let name = full.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    make_resource(kind, &name, bytes)
        .and_then(|resource| keepable(run, [(resource.path.as_str(), &resource.blob)]).map(|()| resource))
}

/// Checks files before their content is kept with the run.
///
/// # Errors
/// E-CREATE-005 with every credential, piece of personal data and private address.
pub(super) fn keepable<'b>(
    run: &mut Run<'_>,
    files: impl IntoIterator<Item = (&'b str, &'b tree::Blob)>,
) -> Result<()> {
    let mut findings = Vec::new();
    for (path, blob) in files {
        let of_file = rules::unkeepable(path, blob);
        if let Some(first) = of_file.first() {
            note_refused(run, path, &String::from_utf8_lossy(&blob.bytes), &first.rule);
        }
        findings.extend(of_file);
    }
    if findings.is_empty() {
        return Ok(());
    }
    Err(validate::invalid(findings, Code::CreateInvalid))
}

/// Why a path or a name may not be kept: it holds a credential.
fn secret(path: &str) -> Option<input::Refusal> {
    input::refuse(path, Field::Answer).filter(|refusal| refusal.kind == "T0-HEFESTO-11.secret")
}

/// The directory of a kind of resource, by a whole word or a singular.
pub(super) fn kind_of(word: &str) -> Option<&'static str> {
    match word.trim().to_ascii_lowercase().as_str() {
        "scripts" | "script" => Some("scripts"),
        "references" | "reference" => Some("references"),
        "assets" | "asset" => Some("assets"),
        _ => None,
    }
}

/// A resource of this kind and file name; the name is one plain path component.
///
/// # Errors
/// E-CREATE-009 when the name is anything else.
pub(super) fn make_resource(kind: &'static str, name: &str, bytes: Vec<u8>) -> Result<Resource> {
    if let Some(refusal) = secret(name) {
        return Err(refusal_error("name of the resource", &refusal));
    }
    let plain = !name.is_empty()
        && name.len() <= 100
        && !name.starts_with(['.', '-'])
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
    if !plain {
        return Err(Error::new(
            Code::CreateUnsafeInput,
            format!("{name:?} is not a plain file name (T0-HEFESTO-11): no directories, no leading dot or hyphen"),
        )
        .suggest("Use letters, digits, `.`, `-` and `_`, for example `run.sh`."));
    }
    Ok(Resource { path: format!("{kind}/{name}"), blob: tree::Blob { bytes, executable: kind == "scripts" } })
}

/// The targets a selection stands for.
///
/// # Errors
/// E-CREATE-004 for an unknown id, or where nothing is detected and nobody can be asked.
pub(super) fn chosen(run: &mut Run<'_>, flag: Option<&Selection>) -> Result<Vec<Target>> {
    let from_settings: Selection = run.settings.target.value.parse().unwrap_or(Selection::All);
    match flag.unwrap_or(&from_settings).clone() {
        Selection::Named(ids) => named(run, &ids).map(|targets| layout::named(run, targets)),
        Selection::All => {
            let here = present(run);
            if here.is_empty() { menu(run) } else { Ok(layout::everything(run, here)) }
        }
    }
}

/// Everything detected, and what a person registered by hand.
pub(super) fn present(run: &Run<'_>) -> Vec<Target> {
    let manual = |id: &str| run.governed.manual(id);
    let found = |id: &str| run.found.iter().any(|found| found.target.id == id);
    run.settings.targets.iter().filter(|target| found(&target.id) || manual(&target.id)).cloned().collect()
}

/// Checks ids against the table.
///
/// # Errors
/// E-CREATE-004 naming the unknown ones and listing all, or when `agents` would be doubled.
pub(super) fn named(run: &mut Run<'_>, ids: &[String]) -> Result<Vec<Target>> {
    let targets = detect::named(&run.settings.targets, ids)?;
    for target in &targets {
        if run.found.iter().any(|found| found.target.id == target.id)
            || run.governed.manual(&target.id)
            || target.id == "agents"
        {
            continue;
        }
        let shared = layout::shares_named(run) && target.also_reads.iter().any(|dir| dir == ".agents/skills");
        let dir = run.project.told(if shared { ".agents/skills" } else { target.skills_dir.as_str() });
        run.env.note(Warning::new(
            Code::NoBinary,
            format!("{} was not detected; the skill goes to {dir} all the same.", target.title),
        ));
    }
    Ok(targets)
}

fn menu(run: &mut Run<'_>) -> Result<Vec<Target>> {
    if !run.person() || run.request.yes {
        return Err(Error::new(Code::CreateNoTarget, "no AI CLI was detected and no target is named").suggest(
            format!(
                "Name one: `hefesto create {} --target claude`. Known targets: {}.",
                quoted(run.request.args.description.as_deref().unwrap_or("...")),
                run.settings.targets.ids()
            ),
        ));
    }
    let mut ids: Vec<String> = run.settings.targets.iter().map(|target| target.id.clone()).collect();
    ids.sort_by_key(|id| id != "agents");
    run.env.say("No AI CLI was detected. Which ones is the skill for?");
    let title = |id: &String| run.settings.targets.get(id).map(|target| target.title.clone()).unwrap_or_default();
    let entries: Vec<String> = ids.iter().map(|id| format!("{} ({id})", title(id))).collect();
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    run.env.list(&entries);
    let question =
        Question { text: "Targets (numbers or ids, comma separated)", flag: "--target LIST", ..Question::default() };
    for _ in 0..run.env.prompter.attempts() {
        let limit = Some(run.wizard_limit());
        let line = run.ask(Place::Wizard, &Question { limit, ..question.clone() })?;
        let picked = picks(&line, &ids);
        if let (false, Ok(targets)) = (picked.is_empty(), named(run, &picked)) {
            return Ok(targets);
        }
        run.env.say(&format!("Choose from: {}", ids.join(", ")));
    }
    Err(run.not_understood(Place::Wizard, &question))
}

/// Turns numbers (1-based) into ids and leaves ids as they are.
pub(super) fn picks(line: &str, ids: &[String]) -> Vec<String> {
    line.split([',', ' '])
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(|word| {
            let number = word.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            number.and_then(|index| ids.get(index)).cloned().unwrap_or_else(|| word.to_ascii_lowercase())
        })
        .collect()
}

/// The text as a shell word that can be copied.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

//! Checks of the input, before any of it is stored.

use super::Run;
use crate::client::drafting;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::registry::{audit, oplog};
use crate::rules::input::{self, Field, Refusal};
use crate::skill::{Name, name::NotAName};
use crate::system::{self, env::Env};

/// The longest description taken, in Unicode scalar values (RUN-6).
pub(super) const MAX_DESCRIPTION: usize = 2000;

pub(super) fn empty() -> Error {
    Error::new(Code::CreateEmpty, "the description is empty").usage("hefesto create [OPTIONS] [DESCRIPTION]")
}

/// Checks an input before anything of it is kept.
/// Errors: E-CREATE-009, and a line in the log that does not hold the input.
pub(super) fn admit(run: &mut Run<'_>, field: &str, kind: Field, text: &str) -> Result<()> {
    admit_in(run.env, Some(&run.project), field, kind, text)
}

/// [`admit`] outside of a run, with the project to log a refusal in, if there is one.
pub(super) fn admit_in(env: &mut Env, project: Option<&Project>, field: &str, kind: Field, text: &str) -> Result<()> {
    let Some(refusal) = input::refuse(text, kind) else { return Ok(()) };
    if let Some(project) = project {
        note_refused(env, project, field, text, refusal.kind);
    }
    Err(refusal_error(field, &refusal))
}

/// Checks a description as it was typed and returns it trimmed. Errors: E-CREATE-007, -001, -009.
pub(super) fn description(run: &mut Run<'_>, given: &str) -> Result<String> {
    let text = sized(given)?;
    admit(run, "description", Field::Description, text)?;
    Ok(text.to_owned())
}

/// The trimmed description, if it is neither empty nor too long.
pub(super) fn sized(given: &str) -> Result<&str> {
    let text = given.trim();
    if text.is_empty() {
        return Err(empty());
    }
    let length = text.chars().count();
    if length > MAX_DESCRIPTION {
        let message = format!("the description has {length} characters; {MAX_DESCRIPTION} is the most");
        return Err(Error::new(Code::CreateTooLong, message).usage("hefesto create [OPTIONS] [DESCRIPTION]"));
    }
    Ok(text)
}

/// Checks a name given as a flag: it is taken as it is, never silently changed. One that is only too long is left to P3.
pub(super) fn name(run: &mut Run<'_>, given: &str) -> Result<String> {
    admit(run, "name", Field::Name, given)?;
    well_formed(given)
}

/// A name as it is. Errors: ERR-007 with the nearest valid name.
pub(super) fn well_formed(given: &str) -> Result<String> {
    match Name::parse(given) {
        Ok(_) | Err(NotAName::TooLong(_)) => Ok(given.to_owned()),
        Err(_) => Err(bad_name(given)),
    }
}

/// ERR-007 with the nearest valid name.
pub(super) fn bad_name(given: &str) -> Error {
    let error = Error::new(Code::BadName, format!("{given:?} is not a skill name"));
    match Name::sanitise(given) {
        Some(name) => error.suggest(format!("Use `--name {name}`.")),
        None => error.suggest("Use lowercase letters, digits and single hyphens, for example `--name format-dates`."),
    }
}

pub(super) fn refusal_error(field: &str, refusal: &Refusal) -> Error {
    let Refusal { kind, line, column, message, suggestion, .. } = refusal;
    let message = format!("the {field} is refused under {kind} (line {line}, column {column}): {message}");
    Error::new(Code::CreateUnsafeInput, message).suggest(suggestion.clone())
}

/// A line in the log that does not hold the input.
pub(super) fn note_refused(env: &mut Env, project: &Project, field: &str, input: &str, rule: &str) {
    let event = oplog::Security::refused(&env.stamp(), field, input, rule);
    audit::append(env, project, &event);
}

/// Reads `--body FILE|-`.
pub(super) fn body(run: &mut Run<'_>, file: &str) -> Result<String> {
    let text = match file {
        "-" => system::input::read_stdin(run.env)?,
        file => system::input::read_given(&run.env.cwd.join(file))?,
    };
    if let Some(Err(why)) = drafting::whole(&text).map(drafting::skill) {
        return Err(Error::new(Code::CreateInvalid, format!("the body cannot stand for the whole skill: {why}"))
            .suggest(format!("Write it as `--brief` says, or leave the line `{}` out.", drafting::MARK)));
    }
    check_body(run, text)
}

/// Checks text that becomes the body.
/// Errors: E-CREATE-009 for a secret, personal data, a private address or hidden characters.
pub(super) fn check_body(run: &mut Run<'_>, text: String) -> Result<String> {
    admit(run, "body", Field::Body, &text)?;
    Ok(text)
}

//! Asks a person again for an argument that cannot be used. Everything else that was
//! given is kept.

use super::{Run, ask::PromptKind};
use crate::error::{Code, Error, Result};
use crate::terminal::prompt::Question;

/// Parses an argument; if it is not usable, says why and asks again until it is. Enter stops.
/// Errors: The reason it is not usable, if nobody gives another one; timeouts and signals as at every prompt.
pub(super) fn until_taken<T>(
    run: &mut Run<'_>,
    (text, flag): (&str, &str),
    given: &str,
    mut take: impl FnMut(&mut Run<'_>, &str) -> Result<T>,
) -> Result<T> {
    let mut given = given.to_owned();
    loop {
        match take(run, &given) {
            Ok(taken) => return Ok(taken),
            Err(error) => given = instead(run, (text, flag), error)?,
        }
    }
}

/// Asks for a replacement of an argument that is not usable. Errors: As [`until_taken`].
pub(super) fn instead(run: &mut Run<'_>, (text, flag): (&str, &str), error: Error) -> Result<String> {
    if !run.mends() {
        return Err(error);
    }
    run.env.complain(&error);
    let text = format!("{text} (Enter: stop)");
    let question = Question { text: &text, limit: Some(run.wizard_limit()), flag, ..Question::default() };
    let decision = run.record.decision;
    match run.ask(PromptKind::Wizard, &question) {
        Ok(line) if !line.is_empty() => Ok(line),
        Err(other) if other.code() != Code::NobodyToAsk => Err(other),
        _ => {
            run.record.decision = decision;
            Err(error)
        }
    }
}

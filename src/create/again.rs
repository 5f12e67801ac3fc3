//! What was given and cannot be used is asked for again where a person is there: only that, and nothing else that was
//! given is lost.

use super::Run;
use super::ask::PromptKind;
use crate::error::{Code, Error, Result};
use crate::terminal::prompt::Question;

/// Takes what was given; where it cannot be used, says why and asks for it until it can be. Enter stops.
///
/// # Errors
/// Why it cannot be used, where nobody gives another one; silence and signals as at every prompt.
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

/// Another one of what cannot be used.
///
/// # Errors
/// As [`until_taken`].
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

//! The hint for an AI CLI that runs hefesto, when a person would have been asked.

use crate::cli;
use crate::client::host::Host;
use crate::error::{Code, Error, Result};
use crate::report::Report;
use crate::system::env::Env;

/// Adds a hint for the agent to the outcome of a `create`.
pub(super) fn add(env: &mut Env, args: &cli::Create, outcome: Result<Report>) -> Result<Report> {
    let Host::Agent(id) = Host::of(|name| env.var(name)) else { return outcome };
    let sentence = args.description.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let command =
        format!("hefesto create --brief {}", shell_words::quote(sentence.unwrap_or("what the skill should do")));
    let hint = format!(
        "Inside an AI CLI ({id}): `{command}` prints what to write; pipe the body back with `--body -`, and a person \
         approves it with `hefesto approve RUN`."
    );
    let own_text = args.body.is_some() || args.draft.is_some();
    match outcome {
        Ok(report) => {
            if !own_text && report.data["grade"]["gaps"].as_u64().is_some_and(|gaps| gaps > 0) {
                env.tell(&hint);
            }
            Ok(report)
        }
        Err(error) if !own_text && unanswered(&error) => {
            let suggestion = format!("{} {hint}", error.suggestion());
            Err(error.suggest(suggestion))
        }
        Err(error) => Err(error),
    }
}

/// Whether it ended because nobody was there.
fn unanswered(error: &Error) -> bool {
    matches!(error.code(), Code::CreateNotReady | Code::CreateEmpty | Code::NobodyToAsk | Code::CreateRejected)
}

//! One way to ask during a run: what is no answer becomes the coded error of where it was asked.

use std::time::Duration;

use super::Run;
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::prompt::{Answer, Question};

/// Where a question is asked; decides what silence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The wizard and other questions before the gate.
    Wizard,
    /// A collision.
    Collision,
    /// The gate itself.
    Gate,
}

impl Run<'_> {
    /// Asks one question and waits for a line.
    ///
    /// # Errors
    /// E-CREATE-012 on silence, E-SIGNAL-001 on a signal; at the end of input E-CREATE-011 at the gate,
    /// E-CREATE-003 at a collision, and E-USAGE-002 naming the flag elsewhere.
    pub fn ask(&mut self, place: Place, question: &Question<'_>) -> Result<String> {
        let answer = self.env.prompter.ask(question, &mut self.env.err);
        match answer.coded(Code::Io, "the answer cannot be read")? {
            Answer::Given(line) => Ok(line),
            Answer::TimedOut => Err(self.timed_out(place)),
            Answer::NobodyThere => Err(self.nobody(place, question)),
            Answer::Signal(signal) => {
                self.decision = "interrupted";
                Err(Error::new(Code::Interrupted, "interrupted; no changes made").exit(Exit::Signal(signal)))
            }
        }
    }

    /// The gate's limit: flag, else environment, file or default.
    pub fn gate_limit(&self) -> Duration {
        Duration::from_secs(self.request.args.gate_timeout.unwrap_or(self.settings.gate_timeout.value).into())
    }

    /// The wizard's limit per prompt.
    pub fn wizard_limit(&self) -> Duration {
        Duration::from_secs(self.settings.wizard_timeout.value.into())
    }

    fn timed_out(&mut self, place: Place) -> Error {
        self.decision = "timeout";
        let (limit, where_) = match place {
            Place::Wizard => (self.wizard_limit(), "the wizard"),
            Place::Collision => (self.gate_limit(), "the collision"),
            Place::Gate => (self.gate_limit(), "the gate"),
        };
        let message = format!("no answer at {where_} within {} seconds; no changes made", limit.as_secs());
        let error = Error::new(Code::CreateTimedOut, message);
        if place == Place::Wizard {
            error.suggest("Run the command again; a description given as an argument skips the wizard.")
        } else {
            error
        }
    }

    fn nobody(&mut self, place: Place, question: &Question<'_>) -> Error {
        self.decision = "nobody";
        match place {
            Place::Gate => Error::new(Code::CreateRejected, "nobody was there to approve; no changes made")
                .suggest("Answer `approve` in a terminal, or add `--yes` to approve with the command."),
            Place::Collision => {
                Error::new(Code::CreateExists, "the skill exists and nobody was there to decide; no changes made")
            }
            Place::Wizard => Error::new(Code::NobodyToAsk, format!("nobody was there to answer: {}", question.text))
                .suggest(format!("Give the answer with `{}`.", question.flag)),
        }
    }
}

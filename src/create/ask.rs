//! One way to ask during a run: what is no answer becomes the coded error of where it was asked.

use std::time::Duration;

use super::Run;
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::terminal::prompt::{Answer, Question};

/// Where a question is asked; decides what silence means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The wizard and other questions before the gate.
    Wizard,
    Collision,
    Gate,
}

impl Run<'_> {
    /// Asks one question and waits for a line.
    ///
    /// # Errors
    /// E-CREATE-012 on silence, E-SIGNAL-001 on a signal; at the end of input E-CREATE-011 at the gate,
    /// E-CREATE-003 at a collision, and E-USAGE-002 naming the flag elsewhere.
    pub fn ask(&mut self, place: Place, question: &Question<'_>) -> Result<String> {
        let answer = self.env.ask(question);
        match answer.coded(Code::Io, "the answer cannot be read")? {
            Answer::Given(line) => Ok(line),
            none => Err(self.unanswered(place, question, &none)),
        }
    }

    /// Asks until one of the question's choices is given, with `help` after each answer that is none, and gives its
    /// place among the choices.
    ///
    /// # Errors
    /// As [`Run::ask`]; scripted answers that are wrong three times in a row end it as if nobody was there.
    pub fn pick(&mut self, place: Place, question: &Question<'_>, help: &str) -> Result<usize> {
        let picked = self.env.pick(question, help);
        picked.coded(Code::Io, "the answer cannot be read")?.map_err(|none| self.unanswered(place, question, &none))
    }

    /// The error where a question is not asked again, because several scripted answers in a row were wrong.
    pub fn not_understood(&mut self, place: Place, question: &Question<'_>) -> Error {
        self.unanswered(place, question, &Answer::NotUnderstood)
    }

    fn unanswered(&mut self, place: Place, question: &Question<'_>, answer: &Answer) -> Error {
        match answer {
            Answer::TimedOut => self.timed_out(place),
            Answer::Signal(signal) => {
                self.decision = "interrupted";
                Error::new(Code::Interrupted, "interrupted; nothing was written").exit(Exit::Signal(*signal))
            }
            Answer::NotUnderstood => self.nobody(place, question, true),
            Answer::NobodyThere | Answer::Given(_) => self.nobody(place, question, false),
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
        Error::new(Code::CreateTimedOut, message).suggest(match place {
            Place::Wizard => "A description given as an argument skips the wizard.",
            Place::Collision => "`--gate-timeout SECS` gives more time, `--on-collision HOW` answers beforehand.",
            Place::Gate => "`--gate-timeout SECS` gives more time, `--yes` approves at once.",
        })
    }

    fn nobody(&mut self, place: Place, question: &Question<'_>, misunderstood: bool) -> Error {
        self.decision = "nobody";
        let why = match (misunderstood, place) {
            (true, _) => "the last three answers were not understood",
            (false, Place::Gate) => "nobody was there to approve",
            (false, Place::Collision) => "nobody was there to decide",
            (false, Place::Wizard) => "nobody was there to answer",
        };
        match place {
            Place::Gate => Error::new(Code::CreateRejected, format!("{why}; no changes made"))
                .suggest("Answer `approve` in a terminal, or add `--yes` to approve with the command."),
            Place::Collision => Error::new(Code::CreateExists, format!("the skill exists and {why}; no changes made")),
            Place::Wizard => Error::new(Code::NobodyToAsk, format!("{why}: {}", question.text))
                .suggest(format!("Give the answer with `{}`.", question.flag)),
        }
    }
}

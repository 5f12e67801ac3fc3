//! Asking during a run: a missing answer becomes a coded error.

use std::time::Duration;

use super::{Decision, Run};
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::terminal::prompt::{Answer, Question};

/// What a question is about; decides which error a missing answer becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptKind {
    /// The wizard and other questions before the gate.
    Wizard,
    Collision,
    Gate,
}

impl Run<'_> {
    /// Asks one question and waits for a line. Errors: E-CREATE-012 on silence, E-SIGNAL-001 on a signal; at the end of
    /// input E-CREATE-011 at the gate, E-CREATE-003 at a collision, and E-USAGE-002 naming the flag elsewhere.
    pub fn ask(&mut self, kind: PromptKind, question: &Question<'_>) -> Result<String> {
        let answer = self.env.ask(question);
        match answer.coded(Code::Io, "the answer cannot be read")? {
            Answer::Given(line) => Ok(line),
            none => Err(self.unanswered(kind, question, &none)),
        }
    }

    /// Asks until one of the question's choices is given, with `help` after each invalid answer, and returns its index
    /// in the choices.
    /// Errors: As [`Run::ask`]; scripted answers that are wrong three times in a row end it as if nobody was there.
    pub fn pick(&mut self, kind: PromptKind, question: &Question<'_>, help: &str) -> Result<usize> {
        let picked = self.env.pick(question, help);
        picked.coded(Code::Io, "the answer cannot be read")?.map_err(|none| self.unanswered(kind, question, &none))
    }

    /// As [`Run::pick`]; the choice `noted` may be followed by words of its own. Errors: As [`Run::pick`].
    pub fn pick_noted(
        &mut self,
        kind: PromptKind,
        question: &Question<'_>,
        noted: &str,
        help: &str,
    ) -> Result<(usize, String)> {
        let picked = self.env.pick_noted(question, noted, help);
        picked.coded(Code::Io, "the answer cannot be read")?.map_err(|none| self.unanswered(kind, question, &none))
    }

    /// The error after several wrong scripted answers in a row.
    pub fn not_understood(&mut self, kind: PromptKind, question: &Question<'_>) -> Error {
        self.unanswered(kind, question, &Answer::NotUnderstood)
    }

    fn unanswered(&mut self, kind: PromptKind, question: &Question<'_>, answer: &Answer) -> Error {
        match answer {
            Answer::TimedOut => self.timed_out(kind),
            Answer::Signal(signal) => {
                self.record.decision = Decision::Interrupted;
                Error::new(Code::Interrupted, "interrupted; nothing was written").exit(Exit::Signal(*signal))
            }
            Answer::NotUnderstood => self.nobody(kind, question, true),
            Answer::NobodyThere | Answer::Given(_) => self.nobody(kind, question, false),
        }
    }

    /// The gate's limit: flag, else environment, file or default.
    pub fn gate_limit(&self) -> Duration {
        Duration::from_secs(self.args.gate.gate_timeout.unwrap_or(self.settings.gate_timeout.value).into())
    }

    pub fn wizard_limit(&self) -> Duration {
        Duration::from_secs(self.settings.wizard_timeout.value.into())
    }

    fn timed_out(&mut self, kind: PromptKind) -> Error {
        self.record.decision = Decision::Timeout;
        let (limit, where_) = match kind {
            PromptKind::Wizard => (self.wizard_limit(), "the wizard"),
            PromptKind::Collision => (self.gate_limit(), "the collision"),
            PromptKind::Gate => (self.gate_limit(), "the gate"),
        };
        let message = format!("no answer at {where_} within {} seconds; no changes made", limit.as_secs());
        Error::new(Code::CreateTimedOut, message).suggest(match kind {
            PromptKind::Wizard => "A description given as an argument skips the wizard.",
            PromptKind::Collision => "`--gate-timeout SECS` gives more time, `--on-collision HOW` answers beforehand.",
            PromptKind::Gate => "`--gate-timeout SECS` gives more time, `--yes` approves at once.",
        })
    }

    fn nobody(&mut self, kind: PromptKind, question: &Question<'_>, misunderstood: bool) -> Error {
        self.record.decision = Decision::Nobody;
        let why = match (misunderstood, kind) {
            (true, _) => "the last three answers were not understood",
            (false, PromptKind::Gate) => "nobody was there to approve",
            (false, PromptKind::Collision) => "nobody was there to decide",
            (false, PromptKind::Wizard) => "nobody was there to answer",
        };
        match kind {
            PromptKind::Gate => Error::new(Code::CreateRejected, format!("{why}; no changes made"))
                .suggest("Answer `approve` in a terminal, or add `--yes` to approve with the command."),
            PromptKind::Collision => {
                Error::new(Code::CreateExists, format!("the skill exists and {why}; no changes made"))
            }
            PromptKind::Wizard => Error::new(Code::NobodyToAsk, format!("{why}: {}", question.text))
                .suggest(format!("Give the answer with `{}`.", question.flag)),
        }
    }
}

/// Parses an argument; if it is not usable, says why and asks again until it is. Enter stops.
/// Errors: the reason it is not usable, if nobody gives another one; timeouts and signals as at every prompt.
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
    if !run.asks_again() {
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

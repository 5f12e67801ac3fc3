//! Asking during a run: a missing answer becomes a coded error; the open questions of a task, and those of a drafter,
//! which only the author can answer.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Decision, Run, checks, draft::SkillRequest, generate::understand, remembered::Choice};
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::skill::body::{OpenQuestion, Remembered};
use crate::skill::{name::fold, printable};
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

/// How many open questions are asked at most.
const MOST: usize = 4;
/// The answer that refuses a proposed answer.
const LEFT_OUT: &str = "-";
/// How many words of a question form its key.
const KEY_WORDS: usize = 4;

/// Asks a person at a terminal the open questions of a task, and puts the answers into the request.
/// Errors: As every prompt of the wizard. What was answered until then is in the request.
pub(super) fn ask_open(run: &mut Run<'_>, request: &mut SkillRequest) -> Result<()> {
    let given = request.body.is_some() || run.args.template.is_some();
    if given || !run.attended() {
        return Ok(());
    }
    // An answer given for another request is proposed, not used unasked.
    let (offered, kept) =
        std::mem::take(&mut request.remembered).into_iter().partition(|one| one.if_asked && one.key.is_some());
    request.remembered = kept;
    let mut open = understand(run.env, &run.project, request)?.body.open;
    open.truncate(MOST);
    if open.is_empty() {
        return Ok(());
    }
    let said = "Open questions, one line each. Enter leaves one out, `skip` leaves out all that follow.";
    ask_each(run, said, (&open, &offered), &mut request.attachments.answers)
}

/// A person's answers to a drafter's questions.
pub(super) struct Answered {
    pub answers: BTreeMap<String, String>,
    /// The answered questions by key.
    pub asked: BTreeMap<String, String>,
    pub left_open: Vec<String>,
}

/// Asks the person the drafter's questions; `None` if nobody can be asked. Errors: As every prompt of the wizard.
pub(super) fn of_drafter(run: &mut Run<'_>, by: &str, questions: &[String]) -> Result<Option<Answered>> {
    if !run.asks() {
        return Ok(None);
    }
    let open = keyed(questions);
    let said = format!("{} asks before it writes. Enter leaves one out, `skip` all that follow.", printable(by));
    let mut answers = BTreeMap::new();
    ask_each(run, &said, (&open, &[]), &mut answers)?;
    let (asked, left_open): (Vec<_>, Vec<_>) = open.into_iter().partition(|one| answers.contains_key(&one.key));
    Ok(Some(Answered {
        answers,
        asked: asked.into_iter().map(|one| (one.key, one.ask)).collect(),
        left_open: left_open.into_iter().map(|one| one.ask).collect(),
    }))
}

/// The drafter's questions, each with a unique key.
pub(super) fn keyed(questions: &[String]) -> Vec<OpenQuestion> {
    let mut open: Vec<OpenQuestion> = Vec::new();
    for question in questions {
        let key = key_of(question);
        let alike = open.iter().filter(|other| other.key.starts_with(&key)).count();
        let key = if alike == 0 { key } else { format!("{key}-{}", alike + 1) };
        open.push(OpenQuestion { key, ask: printable(question) });
    }
    open
}

/// The key of a question that no pack asks: its first significant words.
fn key_of(question: &str) -> String {
    let words = fold(question).to_lowercase();
    let words = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| word.len() > 2);
    let telling = words.filter(|word| !crate::skill::sentence::empty(word));
    let key = telling.take(KEY_WORDS).collect::<Vec<_>>().join("-");
    if key.is_empty() { "answer".to_owned() } else { key }
}

fn ask_each(
    run: &mut Run<'_>,
    said: &str,
    (open, offered): (&[OpenQuestion], &[Remembered]),
    answers: &mut BTreeMap<String, String>,
) -> Result<()> {
    run.env.say(&run.env.err_style().fold(said, 0));
    for question in open {
        let known = offered.iter().find(|one| one.key.as_deref() == Some(&question.key));
        match one(run, question, known)?.as_deref() {
            Some("") => {}
            Some(LEFT_OUT) if known.is_some() => {
                let refused = known.map(|known| Choice::Refused { id: known.id.clone(), text: known.text.clone() });
                run.record.choices.extend(refused);
            }
            Some(answer) => _ = answers.insert(question.key.clone(), answer.to_owned()),
            None => break,
        }
    }
    Ok(())
}

/// Asks for one line; `None` skips the rest. An answer from another request is proposed.
fn one(run: &mut Run<'_>, open: &OpenQuestion, known: Option<&Remembered>) -> Result<Option<String>> {
    let flag = format!("--answer {}=TEXT", open.key);
    // A question is too long for the prompt of an editable line.
    run.env.say(&open.ask);
    if let Some(known) = known {
        let (text, because) = (printable(&known.text), printable(&known.because));
        run.env.say(&format!("Enter takes \"{text}\": {because}. `{LEFT_OUT}` refuses it for good."));
    }
    let default = known.map(|known| known.text.as_str());
    let limit = Some(run.wizard_limit());
    let question = Question { text: "Answer", flag: &flag, default, limit, ..Question::default() };
    for _ in 0..run.env.prompter.attempts() {
        let line = run.ask(PromptKind::Wizard, &question)?;
        if line.eq_ignore_ascii_case("skip") {
            return Ok(None);
        }
        match checks::admit(run, "answer", crate::rules::input::Field::Answer, &line) {
            Ok(()) => return Ok(Some(line)),
            Err(error) => run.env.complain(&error),
        }
    }
    Err(run.not_understood(PromptKind::Wizard, &question))
}

//! Questions only the author can answer, asked at a terminal: the open questions of a task, and those of a drafter.

use std::collections::BTreeMap;

use super::{Run, ask::PromptKind, checks, choices::Choice, compose::understand, draft::SkillRequest};
use crate::error::Result;
use crate::rules::input::Field;
use crate::skill::body::{OpenQuestion, Remembered};
use crate::skill::{name::fold, printable};
use crate::terminal::prompt::Question;

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
    ask(run, said, (&open, &offered), &mut request.attachments.answers)
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
    ask(run, &said, (&open, &[]), &mut answers)?;
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

fn ask(
    run: &mut Run<'_>,
    said: &str,
    (open, offered): (&[OpenQuestion], &[Remembered]),
    answers: &mut BTreeMap<String, String>,
) -> Result<()> {
    let said = run.env.err_style().fold(said, 0);
    run.env.say(&said);
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
    let said = run.env.err_style().fold(&open.ask, 2);
    run.env.say(&said);
    if let Some(known) = known {
        let (text, because) = (printable(&known.text), printable(&known.because));
        let said = format!("Enter takes \"{text}\": {because}. `{LEFT_OUT}` refuses it for good.");
        let said = run.env.err_style().fold(&said, 2);
        run.env.say(&said);
    }
    let default = known.map(|known| known.text.as_str());
    let question = Question { text: &open.key, flag: &flag, default, ..Question::default() };
    for _ in 0..run.env.prompter.attempts() {
        let limit = Some(run.wizard_limit());
        let line = run.ask(PromptKind::Wizard, &Question { limit, ..question.clone() })?;
        if line.eq_ignore_ascii_case("skip") {
            return Ok(None);
        }
        match checks::admit(run, "answer", Field::Answer, &line) {
            Ok(()) => return Ok(Some(line)),
            Err(error) => run.env.complain(&error),
        }
    }
    Err(run.not_understood(PromptKind::Wizard, &question))
}

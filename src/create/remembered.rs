//! Lines from the memory that go into the skill, shown at the gate with their reason, where they can be removed; what a
//! person chose at a collision or a merge, or refused, stored as facts, each with its subject.

use std::collections::BTreeMap;

use super::{Draft, Run, draft::SkillRequest, generate::compose, intake, observations};
use crate::config::Settings;
use crate::error::{Code, Result};
use crate::memory::turn::{self, Answer, AnswerKind, Fact, NoteKind, Notes, Request, SessionNote};
use crate::memory::{Memory, RunEvent, context, ring::Phase};
use crate::project::{DATABASE, Project};
use crate::rules::input::{self, Field};
use crate::rules::secrets;
use crate::skill::body::{OpenQuestion, Remembered};

/// What is remembered on the subject and was not rejected. An unreadable memory gives nothing.
pub(super) fn of(
    memory: Option<&Memory>,
    session: &[SessionNote],
    asked: &str,
    (now, person): (i64, bool),
) -> anyhow::Result<Vec<Remembered>> {
    let Some(memory) = memory else {
        return Ok(turn::bearing(asked, Notes { session, ..Notes::default() }, now));
    };
    let _snapshot = memory.snapshot()?;
    let (rejected, goals, observations) = (memory.rejected()?, memory.goals()?, memory.observations()?);
    let refused = refused(memory)?;
    let mut all = turn::bearing(asked, Notes { goals: &goals, observations: &observations, session }, now);
    all.extend(turn::answered(asked, &memory.answers()?, person));
    all.retain(|one| !(rejected.contains(&one.id) || one.if_asked && refused.contains(&one.id)));
    Ok(all)
}

/// [`of`] and [`background`] without a run (`--brief`): reads only.
pub(super) fn here(
    env: &crate::system::env::Env,
    project: &Project,
    settings: &Settings,
    session: &[SessionNote],
    asked: &str,
) -> (Vec<Remembered>, Vec<(String, String)>) {
    let now = env.now().as_millisecond();
    let memory = project.exists(DATABASE).then(|| Memory::look(&project.database())).and_then(anyhow::Result::ok);
    let remembered = of(memory.as_ref(), session, asked, (now, false)).unwrap_or_default();
    (remembered, background(memory.as_ref(), settings, session, asked))
}

/// Further background for a drafter: the entries of the session, and what conversations say on the subject, each with
/// its place.
fn background(
    memory: Option<&Memory>,
    settings: &Settings,
    session: &[SessionNote],
    asked: &str,
) -> Vec<(String, String)> {
    let _snapshot = memory.map(Memory::snapshot);
    let noted = session.iter().filter(|note| note.kind != NoteKind::Input);
    let noted = noted.map(|note| {
        let text = if note.kind == NoteKind::Reference { format!("see: {}", note.text) } else { note.text.clone() };
        (text, format!("session {}", note.session))
    });
    let said = memory.map(|memory| context::excerpts(memory, asked, settings.fifo_capacity.value));
    let said = said.and_then(anyhow::Result::ok).unwrap_or_default().into_iter();
    let said = said.map(|one| (one.text, format!("the {} in conversation {}", one.by, one.id)));
    let failed = memory.and_then(|memory| context::failed_before(memory, asked).ok().flatten());
    let tried =
        memory.zip(failed).map(|(memory, failed)| (observations::found_in_run(memory, &failed.run_id), failed.run_id));
    let tried = tried.into_iter().flat_map(|(found, run)| found.into_iter().map(move |text| failed_on(&text, &run)));
    let fit = |(text, _): &(String, String)| input::refuse(text, Field::Answer).is_none();
    noted.chain(said).chain(tried).filter(fit).collect()
}

/// [`background`] for a run.
pub(super) fn background_of_run(run: &Run<'_>, asked: &str) -> Vec<(String, String)> {
    let known = background(run.memory(), &run.settings, &run.context.session, asked);
    run.found_before().iter().map(|text| failed_on(text, &run.id)).chain(known).collect()
}

fn failed_on(text: &str, run: &str) -> (String, String) {
    (format!("an earlier draft failed on {text}"), format!("run {run}"))
}

/// [`of`] for a run. An unreadable memory is one warning.
pub(super) fn of_run(run: &mut Run<'_>, asked: &str) -> Vec<Remembered> {
    let now = run.env.now().as_millisecond();
    let person = run.person() && !run.yes;
    match of(run.memory(), &run.context.session, asked, (now, person)) {
        Ok(all) => all,
        Err(error) => {
            let said = format!("nothing from the memory is used in the skill: {error:#}");
            run.env.warn(Code::TurnPartial, said);
            Vec::new()
        }
    }
}

/// The answers to the questions of a request, and the remembered lines in use: answers given now come first, and those
/// given for another request are used only if their question is `open`.
pub(super) fn answers(
    request: &SkillRequest,
    open: impl FnOnce(&BTreeMap<String, String>) -> Vec<OpenQuestion>,
) -> (BTreeMap<String, String>, Vec<Remembered>) {
    let mut answers = request.attachments.answers.clone();
    let mut kept = request.remembered.clone();
    kept.retain(|one| one.key.as_ref().is_none_or(|key| !answers.contains_key(key)));
    let mut add = |one: &Remembered| answers.extend(one.key.clone().map(|key| (key, one.text.clone())));
    kept.iter().filter(|one| !one.if_asked).for_each(&mut add);
    if kept.iter().any(|one| one.if_asked && one.key.is_some()) {
        let open = open(&answers);
        let asked = |key: &String| open.iter().any(|question| question.key == *key);
        kept.retain(|one| !one.if_asked || one.key.as_ref().is_none_or(asked));
        kept.iter()
            .filter(|one| one.if_asked)
            .for_each(|one| answers.extend(one.key.clone().map(|key| (key, one.text.clone()))));
    }
    (answers, kept)
}

/// The lines added to a text by hand, without Markdown markers.
pub(super) fn added(before: &str, after: &str) -> Vec<String> {
    let known: Vec<&str> = before.lines().collect();
    let item = |line: &str| {
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let text =
            line.strip_prefix("- ").or_else(|| numbered.strip_prefix(". ").filter(|_| numbered.len() < line.len()));
        text.map(str::trim).filter(|text| !text.is_empty() && text.chars().count() <= LONGEST_ADDED).map(str::to_owned)
    };
    let new = after.lines().filter(|line| !known.contains(line) && !line.contains("[FILL IN"));
    new.filter_map(item).take(MOST_ADDED).collect()
}

/// What is remembered of the run: its answers, and the lines added by hand.
pub(super) fn learned(run: &mut Run<'_>, draft: &Draft) -> Vec<Answer> {
    let Ok(Some(state)) = run.state(Phase::Intake) else { return Vec::new() };
    let subject = state["description"].as_str().unwrap_or_default().to_owned();
    let known = |key: &str| draft.remembered.iter().any(|one| one.key.as_deref() == Some(key));
    let given: Vec<_> = draft.answers.iter().filter(|(key, _)| !known(key)).collect();
    let answers = given.into_iter().map(|(key, text)| (AnswerKind::Answer, key.clone(), text.clone()));
    let lines = std::mem::take(&mut run.record.added).into_iter();
    let lines = lines.filter(|line| draft.text.contains(line.as_str()));
    let lines = lines.map(|text| (AnswerKind::Edit, turn::LINE.to_owned(), text));
    let kept = answers.chain(lines).filter(|(_, _, text)| secrets::scan_memory(text).is_empty());
    let at = run.env.now().as_millisecond();
    kept.map(|(kind, key, text)| Answer {
        id: run.env.new_id(),
        kind,
        key,
        text,
        subject: subject.clone(),
        skill: draft.name.clone(),
        at,
    })
    .collect()
}

/// How many lines of an edit are remembered, and the longest in characters.
const MOST_ADDED: usize = 5;
const LONGEST_ADDED: usize = 300;

/// Each line with its reason, numbered as at the gate. Empty if there are none.
pub(super) fn shown(style: crate::terminal::ui::Style, remembered: &[Remembered]) -> String {
    if remembered.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", style.head("From the memory of this project"));
    for (number, one) in (1..).zip(remembered) {
        let asked = one.key.as_ref().map(|key| format!("{key}: ")).unwrap_or_default();
        let line = format!("  {number}. {asked}{}\n     because {}\n", one.text, why(one));
        text.push_str(&style.fold(&crate::skill::printable(&line), 5));
    }
    text.push_str(&style.fold("  `reject-memory N` takes one out for good.\n", 2));
    text
}

/// Why a line is in the skill, with its id.
pub(super) fn why(one: &Remembered) -> String {
    format!("{} ({})", one.because, one.id)
}

/// Removes one line from this skill and from all later ones. Errors: As P2.
pub(super) fn leave_out(run: &mut Run<'_>, draft: &Draft, index: usize) -> Result<Draft> {
    let Some(one) = draft.remembered.get(index).cloned() else { return Ok(draft.clone()) };
    let at = run.env.now().as_millisecond();
    run.note(RunEvent::Rejected { id: one.id.clone(), text: one.text.clone(), at });
    if let (Some(request), _) = intake::before(run)? {
        let with = SkillRequest { remembered: draft.remembered.clone(), ..request };
        let mut without = with.clone();
        without.remembered.retain(|other| other.id != one.id);
        let made = |run: &Run<'_>, request: &SkillRequest| compose(run.env, &run.project, &run.settings, request, None);
        if made(run, &with)?.text == draft.text {
            return Ok(Draft { resources: draft.resources.clone(), ..made(run, &without)? });
        }
    }
    Ok(without_line(draft, &one))
}

/// The draft without one line, if a person or an AI CLI wrote the rest of it. If the line is not in the text any more,
/// the text is unchanged.
fn without_line(draft: &Draft, one: &Remembered) -> Draft {
    let mut kept = draft.clone();
    kept.remembered.retain(|other| other.id != one.id);
    let begins = format!("- {} (", one.text.trim_end_matches('.'));
    let lines = draft.text.split_inclusive('\n').filter(|line| !line.starts_with(&begins));
    kept.text = lines.collect();
    if let Some(body) = &mut kept.body {
        body.forget(&one.id);
    }
    kept
}

const CHOSEN: &str = "chosen:";
const REFUSED: &str = "refused:";
/// The word for a collision in a key; a merge is named by the place that differs.
pub(super) const COLLISION: &str = "collision";

#[derive(Debug, Clone)]
pub(super) enum Choice {
    /// At a collision or a place of a merge: the skill, the question, and the answer.
    Chosen { skill: String, about: String, word: &'static str },
    /// A suggestion, by its id in the memory.
    Refused { id: String, text: String },
}

/// The last choice for this skill, or else for another one on the same subject: the skill and the answer.
pub(super) fn chosen_before(run: &Run<'_>, skill: &str, asked: &str, about: &str) -> Option<(String, String)> {
    let mut facts = run.memory()?.facts().ok()?;
    let request = Request::of(asked);
    facts.retain(|fact| {
        key_parts(&fact.key).is_some_and(|(of, named)| of == about && (named == skill || request.bears(&fact.text)))
    });
    facts.sort_by_key(|fact| (key_parts(&fact.key).is_some_and(|(_, named)| named == skill), fact.updated_at));
    let fact = facts.pop()?;
    let (_, named) = key_parts(&fact.key)?;
    Some((named.to_owned(), fact.text.rsplit_once(": ")?.1.to_owned()))
}

/// The question and the skill in the key of a choice.
fn key_parts(key: &str) -> Option<(&str, &str)> {
    let (name, about) = key.strip_prefix(CHOSEN)?.split_once(':')?;
    Some((about, name))
}

/// The ids of the suggestions that were refused.
pub(super) fn refused(memory: &Memory) -> anyhow::Result<Vec<String>> {
    let facts = memory.facts()?.into_iter();
    Ok(facts.filter_map(|fact| fact.key.strip_prefix(REFUSED).map(str::to_owned)).collect())
}

pub(super) fn chosen(run: &mut Run<'_>, skill: &str) -> Vec<Fact> {
    let state = run.state(Phase::Intake).ok().flatten().unwrap_or_default();
    let subject = state["description"].as_str().unwrap_or_default();
    let at = context::millis(&run.env.stamp());
    let choices = std::mem::take(&mut run.record.choices).into_iter();
    let facts = choices.map(|choice| {
        let (key, text) = match choice {
            Choice::Chosen { skill, about, word } => {
                let place = if about == COLLISION { String::new() } else { format!(", {about}") };
                (format!("{CHOSEN}{skill}:{about}"), format!("as for `{skill}` ({subject}){place}: {word}"))
            }
            Choice::Refused { id, text } => {
                (format!("{REFUSED}{id}"), format!("\"{text}\" is not offered any more (refused for `{skill}`)"))
            }
        };
        let source = format!("memory.db, from run {}", run.id);
        Fact { key, version: 1, text, source, importance: 0.5, updated_at: at, access_count: 0 }
    });
    facts.filter(|fact| secrets::scan_memory(&fact.text).is_empty()).collect()
}

//! `revise` at the gate: the AI CLI changes the text as a note says, and the result is shown as a difference.

use super::drafter::{self, Drafter, Failure};
use super::drafting::{self, Job, Usage};
use super::{Draft, Run, ask::PromptKind, checks, compose::compose, draft::SkillRequest};
use crate::config::DraftMode;
use crate::error::{Code, Error, Result};
use crate::memory::ring::Phase;
use crate::rules::input::Field;
use crate::skill::printable;
use crate::terminal::prompt::Question;

/// The longest note, in characters.
const MOST: usize = 2000;

/// The AI CLI that can be asked for a change: the one that wrote the text; at a terminal also another installed one,
/// unless the settings say `never`.
pub(super) fn available(run: &Run<'_>, draft: &Draft) -> Option<Drafter> {
    let allowed = run.args.draft.is_some() || run.attended() && run.settings.draft_mode.value != DraftMode::Never;
    drafter::who_wrote(run, draft).or_else(|| {
        let wanted = run.args.draft.clone().flatten();
        allowed.then(|| drafter::choose(run, wanted.as_deref()).ok()).flatten()
    })
}

/// Asks for a change. `None`, with the reason shown, if the text is unchanged.
/// Errors: those of the prompts, a signal, and a template that does not render.
pub(super) fn revise(run: &mut Run<'_>, present: &Draft, drafter: &Drafter, note: &str) -> Result<Option<Draft>> {
    let note = if note.is_empty() { ask(run, present.note.as_deref())? } else { note.to_owned() };
    if note.is_empty() {
        run.env.say("Nothing was requested; the text is unchanged.");
        return Ok(None);
    }
    if let Err(error) = checked(run, &note) {
        run.env.complain(&error);
        return Ok(None);
    }
    let Some(mut request) = request(run, present)? else {
        run.env.say("It is not known any more what the skill was made from; the text is unchanged. `edit` opens it.");
        return Ok(None);
    };
    request.attachments.answers.extend(present.answers.clone());
    let first = compose(run.env, &run.project, &run.settings, &request, None)?;
    let mut job = Job::revising(request, first, present, &note);
    let revised = drafting::ask_for_draft(run, &mut job, drafter, &mut Usage::default())?;
    let why = match revised {
        Ok(draft) if draft.text == present.text && draft.resources == present.resources => {
            run.env.say("It gave the same text again.");
            return Ok(None);
        }
        Ok(draft) => {
            let many = run.record.details.get("revisions").and_then(serde_json::Value::as_u64).unwrap_or_default();
            run.record.details.insert("revisions".into(), (many + 1).into());
            return Ok(Some(draft));
        }
        Err(Failure::Signal(signal)) => {
            keep_note(run, present, &note)?;
            return Err(drafting::interrupted(run, signal));
        }
        Err(Failure::Fails(why) | Failure::Unusable(why)) => why,
        Err(Failure::Asks(asked)) => format!("it asks: {}", asked.join(" ")),
    };
    let answered = job.with_answers(present);
    let kept = if answered.is_some() { "Only your answers are added." } else { "The text is unchanged." };
    let why = drafting::stopped(&drafting::shown_reason(&why));
    let said = run.env.err_style().fold(&format!("{}: {why} {kept}", printable(&drafter.title)), 2);
    run.env.say(&said);
    Ok(answered)
}

/// Asks what should change; Enter takes the note of an interrupted revision.
fn ask(run: &mut Run<'_>, interrupted: Option<&str>) -> Result<String> {
    let limit = Some(run.wizard_limit());
    let question =
        Question { text: "What should change?", limit, default: interrupted, flag: "--yes", ..Question::default() };
    run.ask(PromptKind::Gate, &question)
}

/// Stores the note with the run, in case it is resumed.
fn keep_note(run: &mut Run<'_>, present: &Draft, note: &str) -> Result<()> {
    let at = run.env.stamp();
    run.enter(Phase::Generate);
    run.checkpoint(&Draft { note: Some(note.to_owned()), ..present.clone() }.state(&at))?;
    run.enter(Phase::Approve);
    Ok(())
}

fn checked(run: &mut Run<'_>, note: &str) -> Result<()> {
    if note.chars().count() > MOST {
        return Err(Error::new(Code::Usage, format!("the note has more than {MOST} characters")));
    }
    checks::admit(run, "note", Field::Answer, note)
}

/// The request of the skill, from P1's checkpoint.
fn request(run: &mut Run<'_>, present: &Draft) -> Result<Option<SkillRequest>> {
    let state = run.state(Phase::Intake)?;
    let facts = run.repository();
    Ok(state.and_then(|state| SkillRequest::from_state(&state, present.targets.clone(), facts)))
}

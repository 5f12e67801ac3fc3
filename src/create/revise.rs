//! Changes at the gate: `revise`, the AI CLI changes the text as a note says, and the result is shown as a difference;
//! `edit`, SKILL.md in the person's editor; `expand`, more resources.

use super::draft::{SkillRequest, Source};
use super::drafter::{self, Drafter, Failure};
use super::drafting::{self, Job, Usage};
use super::generate::{self, compose};
use super::{Decision, Draft, Resource, Run, ask::PromptKind, attachments, checks, validate};
use crate::config::DraftMode;
use crate::error::{Code, Error, Exit, Result};
use crate::memory::ring::Phase;
use crate::skill::{body::with_file, frontmatter::head, printable, template};
use crate::terminal::prompt::{self, Edited, Question, Text};

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
    run.env.say(&format!("{}: {why} {kept}", printable(&drafter.title)));
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
    checks::admit(run, "note", crate::rules::input::Field::Answer, note)
}

/// The request of the skill, from P1's checkpoint.
fn request(run: &mut Run<'_>, present: &Draft) -> Result<Option<SkillRequest>> {
    let state = run.state(Phase::Intake)?;
    let facts = run.repository();
    Ok(state.and_then(|state| SkillRequest::from_state(&state, present.targets.clone(), facts)))
}

/// Opens SKILL.md in the person's editor until it is valid, discarded or unchanged. `None`: nothing changed.
/// Errors: E-CREATE-010 on `abort`; a timeout, a signal or the end of input, as at the gate.
pub(super) fn edit(run: &mut Run<'_>, draft: &Draft) -> Result<Option<Draft>> {
    let command = prompt::editor_command(|name| run.env.var(name)).to_owned();
    let temp = run.env.temp();
    let mut text = draft.text.clone();
    for tried in run.found_before() {
        run.env.say(&format!("An earlier draft failed on {}", printable(&tried)));
    }
    loop {
        let shown = Text { text: &text, extension: "md", line: template::first_gap_line(&text) };
        let edited = prompt::edit(&command, &run.env.search_path(), shown, &temp);
        let edited = match edited.unwrap_or_else(|error| Edited::Failed { why: error.to_string(), typed: None }) {
            Edited::Unchanged => {
                run.env.say("Unchanged.");
                return Ok(None);
            }
            Edited::Changed(edited) => edited,
            Edited::Failed { why, typed: Some(typed) } => {
                run.env.say(&format!("Nothing was edited: {why}. What you wrote is kept until you answer."));
                match again(run)? {
                    true => text = typed,
                    false => return Ok(None),
                }
                continue;
            }
            Edited::Failed { why, typed: None } => {
                run.env.say(&format!("Nothing was edited: {why}. Set VISUAL or EDITOR to another editor."));
                return Ok(None);
            }
            Edited::Signal(signal) => return Err(crate::transaction::interrupted(signal)),
        };
        let mut changed = draft.clone();
        changed.text.clone_from(&edited);
        changed.added_commands.retain(|command| edited.contains(command.as_str()));
        if let Some(head) = head(&edited) {
            changed.name.clone_from(&head.name);
            changed.metadata.name = head.name;
            changed.description.clone_from(&head.description);
            changed.metadata.description = head.description;
        }
        let findings = validate::errors(&changed, &run.settings.severities);
        if findings.is_empty() {
            return Ok(Some(changed));
        }
        run.found(&findings);
        let error = validate::invalid(findings);
        run.env.complain(&error);
        match again(run)? {
            true => text = edited,
            false => return Ok(None),
        }
    }
}

/// Whether the person goes on editing; if not, the draft stays as it was.
fn again(run: &mut Run<'_>) -> Result<bool> {
    let choices: &[&str] = &["retry-edit", "discard-changes", "abort"];
    let question = Question { text: "What now?", choices, limit: Some(run.wizard_limit()), ..Question::default() };
    match run.pick(PromptKind::Gate, &question, AGAIN_HELP)? {
        0 => Ok(true),
        1 => Ok(false),
        _ => {
            run.record.decision = Decision::EditAbort;
            Err(Error::new(Code::CreateCancelled, "the edit was aborted; no changes made").by_choice())
        }
    }
}

const AGAIN_HELP: &str = "\
retry-edit       open the editor again with what you wrote
discard-changes  go back to the gate with the text as it was
abort            end the run; nothing is written";

/// The kinds of resources, an existing file, and the end.
const KINDS: [&str; 5] = ["scripts", "references", "assets", "file", "done"];
const ONE: [&str; 3] = ["script", "reference", "asset"];

/// The longest text that may be typed as a resource, in bytes.
const LONGEST_TYPED: usize = 256 * 1024;

const HELP: &str = "\
scripts     type a script
references  type a reference
assets      add an existing file as an asset
file        add an existing file as KIND:PATH, e.g. scripts:run.sh
done        go back to the question above";

/// Adds resources until `done`. `None`: nothing was added. If the menu is left otherwise, what was added is kept with
/// the run. Errors: A timeout, a signal or the end of input, as at the gate.
pub(super) fn expand(run: &mut Run<'_>, draft: &Draft) -> Result<Option<Draft>> {
    let mut expanded = draft.clone();
    let left = menu(run, &mut expanded);
    let added = expanded.resources != draft.resources;
    if left.is_err() && added {
        run.roll_back_to(Phase::Intake);
        let _kept = generate::generate(run, Source::Draft(Box::new(expanded)));
        run.enter(Phase::Approve);
        return left.map(|()| None);
    }
    left.map(|()| added.then_some(expanded))
}

fn menu(run: &mut Run<'_>, expanded: &mut Draft) -> Result<()> {
    let question = Question { text: "Add what?", choices: &KINDS, default: Some("done"), ..prompt() };
    let mut wrong = 0;
    while wrong < run.env.prompter.attempts() {
        let answer = line(run, &question)?;
        let added = match prompt::choose(&answer, &KINDS) {
            prompt::Choice::Picked(4) => return Ok(()),
            prompt::Choice::Picked(3) => {
                let spec = line(run, &Question { text: "KIND:PATH (Enter: none)", ..prompt() })?;
                match spec.as_str() {
                    "" => continue,
                    spec => attachments::read_resource(run, spec).map(|resource| put(run, expanded, resource)),
                }
            }
            prompt::Choice::Picked(kind) => several(run, expanded, kind),
            _ if answer.contains(':') => {
                attachments::read_resource(run, &answer).map(|resource| put(run, expanded, resource))
            }
            _ => {
                run.env.say(&format!("{}\n{HELP}", prompt::wrong(&answer, &KINDS)));
                wrong += 1;
                continue;
            }
        };
        match added {
            Ok(()) => wrong = 0,
            Err(error) if repeatable(&error) => {
                run.env.complain(&error);
                wrong += 1;
            }
            Err(error) => return Err(error),
        }
    }
    Err(run.not_understood(PromptKind::Gate, &question))
}

/// Adds resources of one kind until the person wants no more.
fn several(run: &mut Run<'_>, draft: &mut Draft, kind: usize) -> Result<()> {
    let another = format!("Add another {}? [y/N]", ONE[kind]);
    loop {
        match one(run, KINDS[kind]) {
            Ok(Some(resource)) => put(run, draft, resource),
            Ok(None) => return Ok(()),
            Err(error) if repeatable(&error) => run.env.complain(&error),
            Err(error) => return Err(error),
        }
        let answer = line(run, &Question { text: &another, ..prompt() })?;
        if !matches!(prompt::choose(&answer, &["yes"]), prompt::Choice::Picked(_)) {
            return Ok(());
        }
    }
}

/// Whether another answer may be accepted.
fn repeatable(error: &Error) -> bool {
    matches!(error.exit_with(), Exit::Refused | Exit::Usage)
}

fn put(run: &mut Run<'_>, draft: &mut Draft, resource: Resource) {
    run.env.say(&format!("Added {}.", resource.path));
    let language = crate::skill::read(&draft.description).language;
    draft.text = with_file(&draft.text, &resource.path, language);
    draft.resources.retain(|known| known.path != resource.path);
    draft.resources.push(resource);
}

/// Asks for one resource: the path of an asset, or the name and the content of a text. `None`: Enter alone.
fn one(run: &mut Run<'_>, kind: &'static str) -> Result<Option<Resource>> {
    let text = if kind == "assets" { "Path of the file (Enter: none)" } else { "File name (Enter: none)" };
    let name = line(run, &Question { text, ..prompt() })?;
    if name.is_empty() {
        return Ok(None);
    }
    if kind == "assets" {
        return attachments::read_resource(run, &format!("assets:{name}")).map(Some);
    }
    attachments::make(kind, &name, Vec::new())?;
    run.env.say("Type the content; a line that is just END ends it.");
    let mut text = String::new();
    loop {
        let typed = line(run, &Question { text: "Line", verbatim: true, ..prompt() })?;
        if typed.trim() == "END" {
            break;
        }
        text.push_str(&typed);
        text.push('\n');
        if text.len() > LONGEST_TYPED {
            return Err(Error::new(Code::CreateInvalid, format!("more than {LONGEST_TYPED} bytes were typed"))
                .suggest("Save it as a file and add that with KIND:PATH."));
        }
    }
    let text = checks::check_body(run, text)?;
    attachments::make(kind, &name, text.into_bytes()).map(Some)
}

fn prompt() -> Question<'static> {
    Question { flag: "--resource KIND:PATH", ..Question::default() }
}

fn line(run: &mut Run<'_>, question: &Question<'_>) -> Result<String> {
    let limit = Some(run.wizard_limit());
    run.ask(PromptKind::Gate, &Question { limit, ..question.clone() })
}

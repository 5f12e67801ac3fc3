//! Changing the draft at the gate: more resources, or the text in the person's editor.

use super::ask::Place;
use super::intake;
use super::{Draft, Resource, Run, validate};
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::project::DESKS;
use crate::skill::head::head;
use crate::system::rooted::{self, HOME};
use crate::terminal::prompt::{self, Edited, Question};

/// The kinds of resources, what one of them is called, and the end.
const KINDS: [&str; 4] = ["scripts", "references", "assets", "done"];
const ONE: [&str; 3] = ["script", "reference", "asset"];

/// The longest text that is typed as a resource, in bytes.
const LONGEST_TYPED: usize = 256 * 1024;

/// What the first question of `expand` takes.
const HELP: &str = "\
KIND:PATH   add an existing file, e.g. scripts:run.sh
scripts     type a script; references and assets likewise
done        go back to the question above";

/// Adds resources until `done`. `None`: nothing was added.
///
/// # Errors
/// Silence, a signal or the end of input, as at the gate.
pub(super) fn expand(run: &mut Run<'_>, draft: &Draft) -> Result<Option<Draft>> {
    let mut expanded = draft.clone();
    let question = Question { text: "Add which kind, or KIND:PATH?", choices: &KINDS, ..prompt() };
    let mut wrong = 0;
    while wrong < run.env.prompter.attempts() {
        let answer = line(run, &question)?;
        let added = match prompt::choose(&answer, &KINDS) {
            prompt::Choice::Picked(3) => return Ok((expanded.resources != draft.resources).then_some(expanded)),
            prompt::Choice::Picked(kind) => several(run, &mut expanded, kind),
            _ if answer.contains(':') => {
                intake::resource(run, &answer).map(|resource| put(run, &mut expanded, resource))
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
    Err(run.not_understood(Place::Gate, &question))
}

/// Adds resources of one kind as long as another is wanted.
fn several(run: &mut Run<'_>, draft: &mut Draft, kind: usize) -> Result<()> {
    let another = format!("Add another {}? [y/N]", ONE[kind]);
    loop {
        match one(run, KINDS[kind]) {
            Ok(resource) => put(run, draft, resource),
            Err(error) if repeatable(&error) => run.env.complain(&error),
            Err(error) => return Err(error),
        }
        let answer = line(run, &Question { text: &another, ..prompt() })?;
        if !matches!(prompt::choose(&answer, &["yes"]), prompt::Choice::Picked(_)) {
            return Ok(());
        }
    }
}

/// Whether it is the answer's mistake, so that another answer may do.
fn repeatable(error: &Error) -> bool {
    matches!(error.exit_with(), Exit::Refused | Exit::Usage)
}

fn put(run: &mut Run<'_>, draft: &mut Draft, resource: Resource) {
    run.env.say(&format!("Added {}.", resource.path));
    draft.resources.retain(|known| known.path != resource.path);
    draft.resources.push(resource);
}

/// Asks for one resource: the path of an asset, or the name and the content of a text.
fn one(run: &mut Run<'_>, kind: &'static str) -> Result<Resource> {
    if kind == "assets" {
        let path = line(run, &Question { text: "Path of the file", ..prompt() })?;
        return intake::resource(run, &format!("assets:{path}"));
    }
    let name = line(run, &Question { text: "File name", ..prompt() })?;
    intake::make_resource(kind, &name, Vec::new())?;
    run.env.say("Type the content; a line that is just END ends it.");
    let mut text = String::new();
    loop {
        let typed = line(run, &Question { verbatim: true, ..prompt() })?;
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
    let text = intake::check_body(run, text)?;
    intake::make_resource(kind, &name, text.into_bytes())
}

fn prompt() -> Question<'static> {
    Question { flag: "--resource KIND:PATH", ..Question::default() }
}

fn line(run: &mut Run<'_>, question: &Question<'_>) -> Result<String> {
    let limit = Some(run.wizard_limit());
    run.ask(Place::Gate, &Question { limit, ..question.clone() })
}

/// Opens SKILL.md in the person's editor until it is valid, discarded or unchanged. `None`: nothing changed.
///
/// # Errors
/// E-CREATE-010 on `abort`; silence, a signal or the end of input, as at the gate.
pub(super) fn edit(run: &mut Run<'_>, draft: &Draft) -> Result<Option<Draft>> {
    let command = run.env.var("VISUAL").or_else(|| run.env.var("EDITOR")).unwrap_or("vi").to_owned();
    let at_home = run.project.is_dir(HOME);
    let directory = if at_home { run.project.rooted(DESKS) } else { rooted::anywhere(&run.env.temp()) };
    let directory = directory.coded(Code::Io, "there is no directory for the text that is edited")?;
    let mut text = draft.text.clone();
    loop {
        let ended = prompt::edit(&command, &run.env.search_path(), &text, &directory, "md");
        if at_home {
            prompt::clear(&directory);
        }
        let edited = match ended {
            Ok(Edited::Unchanged) => {
                run.env.say("Unchanged.");
                return Ok(None);
            }
            Ok(Edited::Changed(edited)) => edited,
            Ok(Edited::Signal(signal)) => return Err(crate::transaction::interrupted(signal)),
            Err(error) => {
                run.env.say(&format!("Nothing was edited: {error}. Set VISUAL or EDITOR to another editor."));
                return Ok(None);
            }
        };
        let mut changed = draft.clone();
        changed.text.clone_from(&edited);
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
        let error = validate::invalid(findings, Code::CreateInvalid);
        run.env.complain(&error);
        let question = Question {
            text: "What now?",
            choices: &["retry-edit", "discard-changes", "abort"],
            limit: Some(run.wizard_limit()),
            ..prompt()
        };
        match run.pick(Place::Gate, &question, "Answer retry-edit, discard-changes or abort.")? {
            0 => text = edited,
            1 => return Ok(None),
            _ => {
                run.decision = "edit_abort";
                return Err(Error::new(Code::CreateCancelled, "the edit was aborted; no changes made"));
            }
        }
    }
}

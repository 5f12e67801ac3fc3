//! `expand` at the gate: more resources.

use super::{Draft, Resource, Run, ask::PromptKind, checks, draft::Source, generate, resource};
use crate::error::{Code, Error, Exit, Result};
use crate::memory::ring::Phase;
use crate::terminal::prompt::{self, Question};

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
    let question = Question { text: "Add what?", choices: &KINDS, ..prompt() };
    let mut wrong = 0;
    while wrong < run.env.prompter.attempts() {
        let answer = line(run, &question)?;
        let added = match prompt::choose(&answer, &KINDS) {
            prompt::Choice::Picked(4) => return Ok(()),
            prompt::Choice::Picked(3) => {
                let spec = line(run, &Question { text: "KIND:PATH", ..prompt() })?;
                resource::read(run, &spec).map(|resource| put(run, expanded, resource))
            }
            prompt::Choice::Picked(kind) => several(run, expanded, kind),
            _ if answer.contains(':') => resource::read(run, &answer).map(|resource| put(run, expanded, resource)),
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

/// Whether another answer may be accepted.
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
        return resource::read(run, &format!("assets:{path}"));
    }
    let name = line(run, &Question { text: "File name", ..prompt() })?;
    resource::make(kind, &name, Vec::new())?;
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
    let text = checks::check_body(run, text)?;
    resource::make(kind, &name, text.into_bytes())
}

fn prompt() -> Question<'static> {
    Question { flag: "--resource KIND:PATH", ..Question::default() }
}

fn line(run: &mut Run<'_>, question: &Question<'_>) -> Result<String> {
    let limit = Some(run.wizard_limit());
    run.ask(PromptKind::Gate, &Question { limit, ..question.clone() })
}

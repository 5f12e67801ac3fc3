//! Changing the draft at the gate: more resources, or the text in the person's editor.

use super::ask::Place;
use super::intake;
use super::{Draft, Run, validate};
use crate::error::{Code, Exit, Result};
use crate::prompt::{self, Edited, Question};
use crate::skill::head::head;

/// Adds resources until `done`. `None`: nothing was added.
///
/// # Errors
/// Silence, a signal or the end of input, as at the gate.
pub(super) fn expand(run: &mut Run<'_>, draft: &Draft) -> Result<Option<Draft>> {
    let mut expanded = draft.clone();
    let mut again: Option<&'static str> = None;
    loop {
        let kind = match again.take() {
            Some(kind) => kind,
            None => {
                let choices = ["scripts", "references", "assets", "done"];
                let answer = line(run, "Add which kind?", &choices)?;
                match prompt::choose(&answer, &choices) {
                    prompt::Choice::Picked(3) => break,
                    prompt::Choice::Picked(index) => intake::kind_of(choices[index]).unwrap_or("references"),
                    _ => {
                        run.env.say("Answer scripts, references, assets or done.");
                        continue;
                    }
                }
            }
        };
        if let Err(error) = add(run, &mut expanded, kind) {
            if !matches!(error.exit_with(), Exit::Refused | Exit::Usage) {
                return Err(error);
            }
            run.env.complain(&error);
        }
        let answer = line(run, &format!("Another of {kind}?"), &["yes", "no"])?;
        if matches!(prompt::choose(&answer, &["yes", "no"]), prompt::Choice::Picked(0)) {
            again = Some(kind);
        }
    }
    Ok((expanded.resources != draft.resources).then_some(expanded))
}

fn add(run: &mut Run<'_>, draft: &mut Draft, kind: &'static str) -> Result<()> {
    let resource = if kind == "assets" {
        let path = line(run, "Path of the file", &[])?;
        intake::resource(run, &format!("assets:{path}"))?
    } else {
        let name = line(run, "File name", &[])?;
        intake::make_resource(kind, &name, Vec::new())?;
        run.env.say("Type the content; a line that is just END ends it.");
        let mut text = String::new();
        loop {
            let limit = Some(run.wizard_limit());
            let question = Question { limit, verbatim: true, flag: "--resource KIND:PATH", ..Question::default() };
            let typed = run.ask(Place::Gate, &question)?;
            if typed.trim() == "END" {
                break;
            }
            text.push_str(&typed);
            text.push('\n');
        }
        let text = intake::check_body(run, text)?;
        intake::make_resource(kind, &name, text.into_bytes())?
    };
    draft.resources.retain(|known| known.path != resource.path);
    draft.resources.push(resource);
    Ok(())
}

fn line(run: &mut Run<'_>, text: &str, choices: &[&str]) -> Result<String> {
    let limit = run.wizard_limit();
    run.ask(
        Place::Gate,
        &Question { text, choices, limit: Some(limit), flag: "--resource KIND:PATH", ..Question::default() },
    )
}

/// Opens SKILL.md in the person's editor until it is valid, discarded or unchanged. `None`: nothing changed.
///
/// # Errors
/// E-CREATE-010 on `abort`; silence, a signal or the end of input, as at the gate.
pub(super) fn edit(run: &mut Run<'_>, draft: &Draft) -> Result<Option<Draft>> {
    let command = run.env.var("VISUAL").or_else(|| run.env.var("EDITOR")).unwrap_or("vi").to_owned();
    let home = run.project.hefesto();
    let directory = if home.is_dir() { run.project.desks() } else { run.env.temp() };
    let mut text = draft.text.clone();
    loop {
        let ended = prompt::edit(&command, &run.env.search_path(), &text, &directory, "md");
        if home.is_dir() {
            prompt::clear(&directory);
        }
        let edited = match ended {
            Ok(Edited::Unchanged) => {
                run.env.say("Unchanged.");
                return Ok(None);
            }
            Ok(Edited::Changed(edited)) => edited,
            Ok(Edited::Signal(signal)) => return Err(crate::change::interrupted(signal)),
            Err(error) => {
                run.env.say(&format!("The editor `{command}` did not work: {error}. Set VISUAL or EDITOR."));
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
        let choices = ["retry-edit", "discard-changes", "abort"];
        loop {
            let answer = line(run, "What now?", &choices)?;
            match prompt::choose(&answer, &choices) {
                prompt::Choice::Picked(0) => {
                    text = edited;
                    break;
                }
                prompt::Choice::Picked(1) => return Ok(None),
                prompt::Choice::Picked(_) => {
                    run.decision = "edit_abort";
                    return Err(crate::error::Error::new(
                        Code::CreateCancelled,
                        "the edit was aborted; no changes made",
                    ));
                }
                _ => run.env.say("Answer retry-edit, discard-changes or abort."),
            }
        }
    }
}

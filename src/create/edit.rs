//! `edit` at the gate: SKILL.md in the person's editor.

use super::{Decision, Draft, Run, ask::PromptKind, validate};
use crate::error::{Code, Error, Result};
use crate::skill::{head::head, printable, template};
use crate::terminal::prompt::{self, Edited, Question, Text};

/// Opens SKILL.md in the person's editor until it is valid, discarded or unchanged. `None`: nothing changed.
/// Errors: E-CREATE-010 on `abort`; a timeout, a signal or the end of input, as at the gate.
pub(super) fn edit(run: &mut Run<'_>, draft: &Draft) -> Result<Option<Draft>> {
    let command = prompt::editor_command(|name| run.env.var(name)).to_owned();
    let temp = run.env.temp();
    let mut text = draft.text.clone();
    for tried in run.found_before() {
        let said = format!("An earlier draft failed on {}", printable(&tried));
        run.env.say(&said);
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
    match run.pick(PromptKind::Gate, &question, "Answer retry-edit, discard-changes or abort.")? {
        0 => Ok(true),
        1 => Ok(false),
        _ => {
            run.record.decision = Decision::EditAbort;
            Err(Error::new(Code::CreateCancelled, "the edit was aborted; no changes made").by_choice())
        }
    }
}

//! `edit NAME`: the text of a skill in the person's editor, then in every copy.

use serde_json::json;

use super::skills::{self, Skills};
use crate::cli;
use crate::error::{Code, Error, Result};
use crate::project::copies::{self, Copies, Written};
use crate::project::{Project, open};
use crate::report::{Report, Slashed};
use crate::skill::{Blob, Tree, template, version::version};
use crate::system::{env::Env, input};
use crate::terminal::prompt::{self, Edited, Question, Text};
use crate::transaction::{self, HOME, consent, operation};

const FILE: &str = "SKILL.md";

/// Runs `hefesto edit`. Errors: E-SKILL-001 if no skill has this name; E-SYNC-001 if two copies were changed
/// differently: run `sync` first; E-EDIT-001 if the editor fails; E-CREATE-005 if the text breaks a rule and nobody
/// goes on editing; those of the gate and of the transaction.
pub(super) fn edit(env: &mut Env, project: &Project, args: &cli::Edit, yes: bool) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let skill = skills.named(&args.name)?;
    let merged = skill.together(project.roots())?;
    let editing = Editing { skills: &skills, args, skill: &skill, merged: &merged };
    let mut typed = None;
    editing.installed(env, yes, &mut typed).map_err(|error| match typed {
        Some(text) => kept(env, project, &skill.name, &text, error),
        None => error,
    })
}

struct Editing<'e> {
    skills: &'e Skills<'e>,
    args: &'e cli::Edit,
    skill: &'e Copies,
    merged: &'e copies::Merged,
}

impl Editing<'_> {
    /// Has the text edited and writes every copy. What was typed last is left in `typed`, whatever comes of it.
    fn installed(&self, env: &mut Env, yes: bool, typed: &mut Option<String>) -> Result<Report> {
        let Self { skills, skill, merged, .. } = *self;
        let project = skills.project;
        let Some((tree, written)) = self.edited(env, typed)? else {
            let data = json!({
                "name": skill.name, "copies": [], "version": version(&merged.tree), "backup": null, "run_id": null,
                "approved_by": null,
            });
            return Ok(Report::done(data, "Unchanged; nothing to do.\n"));
        };
        let now = env.stamp();
        let operation = written.operation("edit", &skill.name, &now, "edited by hand".to_owned());
        let done = skills::carry_out(env, project, &operation, yes, skills.settings.gate_limit())?;
        let version = version(&tree);
        let data = json!({ "name": skill.name, "copies": operation.json(project), "version": version });
        let named = version.map(|version| format!(", version {version}")).unwrap_or_default();
        let mut text = format!("{} `{}` is edited{named}.\n", env.style.tick(), skill.name);
        text.push_str(&skills::lines(project, &operation.steps));
        text.push_str(skills::BACK);
        let left = tree.text(FILE).map_or(0, template::gaps);
        if left > 0 {
            let next = format!("hefesto edit {} opens the next", skill.name);
            text.push_str(&format!("Still marked [FILL IN: ...]: {left}; {next}.\n"));
        }
        Ok(done.report(env, data, text))
    }

    /// Opens the editor until the text is acceptable. None: nothing changed.
    fn edited(&self, env: &mut Env, typed: &mut Option<String>) -> Result<Option<(Tree, Written)>> {
        let Self { skills, args, skill, merged } = *self;
        let now = env.stamp();
        let revision = copies::Revision { bump: args.revision.bump, now: &now };
        let mut text = match &args.from {
            Some(path) => input::read_text_up_to(&env.cwd.join(path), input::MAX_TEXT)?,
            None => text_of(skill, &merged.tree)?,
        };
        loop {
            let mut tree = merged.tree.clone();
            let changed = opened(env, &text, typed)?;
            let same = changed.is_none();
            if let Some(changed) = changed {
                text = changed;
                *typed = Some(text.clone());
            }
            let executable = tree.get(FILE).is_some_and(|blob| blob.executable);
            tree.put_blob(FILE, Blob { bytes: text.clone().into_bytes(), executable });
            if same && tree == merged.tree {
                return Ok(None);
            }
            let installed = merged.installed.as_ref().unwrap_or(&merged.tree);
            let tree = copies::revise(Some(installed), tree, revision);
            let written = copies::write(skill, &tree, &[]);
            if written.is_nothing() {
                return Ok(None);
            }
            let Some(error) = skills.refusal(&skill.name, &written.steps) else {
                return Ok(Some((tree, written)));
            };
            let draft = args.from.as_ref().map_or_else(|| FILE.to_owned(), |path| path.slashed());
            let error = found_in(error, &draft);
            if !env.prompter.present() {
                return Err(error);
            }
            env.complain(&error);
            if !again(env, &skills.settings)? {
                return Err(error);
            }
        }
    }
}

/// The findings are about the text that was typed, which no copy holds.
fn found_in(error: Error, draft: &str) -> Error {
    let mut findings = error.all_findings().to_vec();
    for finding in findings.iter_mut().filter(|finding| finding.file.rsplit('/').next() == Some(FILE)) {
        draft.clone_into(&mut finding.file);
    }
    error.findings(findings)
}

/// Keeps what was typed and not installed, so that it is not lost; a text with a secret is kept nowhere.
fn kept(env: &mut Env, project: &Project, name: &str, text: &str, error: Error) -> Error {
    let cure = error.suggestion().to_owned();
    if crate::rules::masked(text) != text {
        return error.suggest(format!("{cure} What you wrote is not kept, as it seems to hold a secret."));
    }
    let stamp = env.now().strftime("%Y-%m-%dT%H-%M-%S").to_string();
    let at = format!("{HOME}/unsaved/{}-{stamp}", operation::called(name));
    // Two edits in one second must not replace each other.
    let holds = |at: &String| project.rooted(at).is_ok_and(|file| input::read_text(&file).is_ok_and(|all| all == text));
    let free = |at: &String| !project.exists(at) || holds(at);
    let more = (2..100).map(|n| format!("{at}-{n}.md"));
    let Some(at) = std::iter::once(format!("{at}.md")).chain(more).find(free) else { return error };
    let saved = open::lock(env, project, "edit").and_then(|lock| transaction::save(&lock, &at, text.as_bytes()));
    match saved {
        Ok(()) => {
            let shown = project.display(&at);
            let quoted = shell_words::quote(&shown).into_owned();
            found_in(error, &shown).suggest(format!(
                "{cure} What you wrote is kept in {shown}. To go on with it: hefesto edit {name} --from {quoted}"
            ))
        }
        Err(_) => error,
    }
}

fn text_of(skill: &Copies, tree: &Tree) -> Result<String> {
    tree.text(FILE).map(str::to_owned).ok_or_else(|| {
        Error::new(Code::ShowUnreadable, format!("SKILL.md of `{}` is missing or not UTF-8", skill.name))
    })
}

fn again(env: &mut Env, settings: &crate::config::Settings) -> Result<bool> {
    let limit = std::time::Duration::from_secs(settings.wizard_timeout.value.into());
    let choices: &[&str] = &["retry-edit", "abort"];
    let question = Question { text: "What now?", choices, limit: Some(limit), flag: "EDITOR", ..Question::default() };
    match consent::pick(env, &question, "Answer retry-edit or abort.", limit) {
        Ok(choice) => Ok(choice == 0),
        Err(error) if matches!(error.code(), Code::CreateTimedOut | Code::CreateRejected) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The text after editing; the editor opens at the first open question if it can. None: unchanged. What an editor that
/// failed left is in `typed`.
fn opened(env: &Env, text: &str, typed: &mut Option<String>) -> Result<Option<String>> {
    let named = env.var("VISUAL").or_else(|| env.var("EDITOR"));
    if named.is_none() && !(env.input_is_terminal || env.out_is_terminal || env.err_is_terminal) {
        return Err(Error::new(Code::EditFailed, "nothing was edited: no editor is named, and there is no terminal"));
    }
    let command = prompt::editor_command(|name| env.var(name));
    let shown = Text { text, extension: "md", line: template::first_gap_line(text) };
    match prompt::edit(command, &env.search_path(), shown, &env.temp()) {
        Ok(Edited::Unchanged) => Ok(None),
        Ok(Edited::Changed(edited)) => Ok(Some(edited)),
        Ok(Edited::Failed { why, typed: left }) => {
            *typed = left.or(typed.take());
            Err(Error::new(Code::EditFailed, format!("nothing was edited: {why}")))
        }
        Ok(Edited::Signal(signal)) => Err(transaction::interrupted(signal)),
        Err(error) => Err(Error::new(Code::EditFailed, "nothing was edited").because(error)),
    }
}

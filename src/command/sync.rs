//! `sync`: brings the edits of all copies of a skill together, and asks where two of them were changed differently.

use serde_json::{Value, json};

use super::skills::{self, Skills};
use crate::cli;
use crate::client::detect;
use crate::config::Settings;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::project::copies::{self, Clash, Copies, Merged, Wanted};
use crate::registry::CopyState;
use crate::report::Report;
use crate::skill::{printable, three_way::Choice, version::version};
use crate::system::env::Env;
use crate::terminal::{prompt::Question, ui};
use crate::transaction::consent;
use crate::transaction::operation::{self, Operation};

/// Runs `hefesto sync`. Errors: E-SKILL-001 for a name that no skill has; E-SYNC-001 where two copies were changed
/// differently and nobody decides; E-SYNC-002 where a client that is named has no copy to take; E-CREATE-005 where what
/// comes of it breaks a rule.
pub(super) fn sync(env: &mut Env, project: &Project, args: &cli::Sync, yes: bool) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    for id in args.from.iter().chain(match &args.on_conflict {
        cli::OnConflict::Ours(id) => Some(id),
        _ => None,
    }) {
        detect::one(&skills.settings.targets, id)?;
    }
    let (mut operations, mut torn) = (Vec::new(), Vec::new());
    for skill in skills.named_or_all(&args.names)? {
        if !args.names.is_empty() || skill.all.iter().any(copies::Copy::is_own) {
            let found = operation(env, &skills, args, &skill)?;
            if found.is_none() && skill.is_torn(project.roots()) {
                torn.push(format!(
                    "The copies of `{0}` differ: `hefesto sync {0}` brings them together.\n",
                    skill.name
                ));
            }
            operations.extend(found);
        }
    }
    if operations.is_empty() {
        let text = format!("Every copy is as it was installed; nothing to do.\n{}", torn.concat());
        return Ok(Report::done(json!({ "skills": [], "approved_by": null }), env.spelled(text)));
    }
    let previews: Vec<String> = operations.iter().map(|operation| preview(env, project, operation)).collect();
    let consent = consent::ask(env, &previews.concat(), yes, skills.settings.gate_limit())?;
    let (mut synced, mut text, mut pending) = (Vec::new(), String::new(), false);
    for operation in &operations {
        let done = operation::carry_out(env, project, &consent, operation);
        let done = done.map_err(|error| skills::after(error, "done", synced.len()))?;
        pending |= done.pending;
        let why = operation.why.as_deref().unwrap_or_default();
        text.push_str(&format!("{} `{}`: {why}.\n", env.style.tick(), operation.name));
        text.push_str(&skills::lines(project, &operation.steps));
        text.push_str(&format!("  to undo: hefesto undo {}\n", done.run));
        synced.push(answer(project, operation, &done));
    }
    let data = json!({ "skills": synced, "approved_by": consent.by().word() });
    Ok(skills::finished(env, data, text, pending))
}

fn answer(project: &Project, operation: &Operation, done: &operation::Done) -> Value {
    let written = operation.steps.iter().find_map(|step| step.after.as_ref());
    let text = written.or_else(|| operation.settled.first().map(|(_, _, tree)| tree));
    json!({
        "name": operation.name, "copies": operation.json(project), "version": text.and_then(version),
        "why": operation.why, "backup": done.backup.as_deref().map(|path| project.display(path)), "run_id": done.run,
    })
}

/// What has to be done for one skill; none where nothing has to be.
fn operation(env: &mut Env, skills: &Skills<'_>, args: &cli::Sync, skill: &Copies) -> Result<Option<Operation>> {
    let Skills { project, settings, .. } = skills;
    let named = !args.names.is_empty();
    let states = skill.states(project.roots(), &settings.severities);
    let state_of = |state: CopyState| states.iter().flatten().any(|status| status.state == state);
    if !named && states.iter().flatten().all(|status| matches!(status.state, CopyState::Same | CopyState::Foreign)) {
        return Ok(None);
    }
    for copy in skill.own() {
        if let copies::Found::Unreadable(why) = &copy.found {
            let message = format!("{}/ cannot be read: {why}; nothing was written", project.display(&copy.at));
            return Err(Error::new(Code::Io, message));
        }
    }
    let merged = match &args.from {
        Some(from) => taken(project, skill, from)?,
        None => merged_by_choice(env, project, settings, args, skill)?,
    };
    let now = env.stamp();
    let text = copies::revise(
        merged.installed.as_ref(),
        merged.tree.clone(),
        copies::Revision { bump: args.revision.bump, now: &now },
    );
    let written = copies::write(skill, &text, &[]);
    if written.is_nothing() {
        return Ok(None);
    }
    skills.accept(&skill.name, &written.steps)?;
    let why = why(&merged, args, state_of(CopyState::Missing));
    Ok(Some(written.operation("sync", &skill.name, &now, why)))
}

/// The copy of one client, whatever the others say.
fn taken(project: &Project, skill: &Copies, from: &str) -> Result<Merged> {
    let wanted = Wanted { from: Some(from), first: None };
    skill.merge(project.roots(), wanted, &mut |_| Choice::Ours).ok_or_else(|| {
        Error::new(Code::SyncFrom, format!("`{}` has no copy for {from} that could be taken", skill.name))
            .suggest(format!("`hefesto status {}` names the copies there are.", skill.name))
    })
}

fn why(merged: &Merged, args: &cli::Sync, missing: bool) -> String {
    match (&args.from, &merged.edited[..]) {
        (Some(from), _) => format!("the copy of {from} for all"),
        (None, []) if missing => "missing copies are back".to_owned(),
        (None, []) => "every copy in the installed version".to_owned(),
        (None, [one]) => format!("the edit of {one} for all"),
        (None, several) if let cli::OnConflict::Ours(client) = &args.on_conflict => {
            format!("the edits of {} together, {client}'s where they differ", several.join(", "))
        }
        (None, several) => format!("the edits of {} together", several.join(", ")),
    }
}

fn preview(env: &Env, project: &Project, operation: &Operation) -> String {
    let mut text = operation.preview(env.err_style(), project);
    if let Some(why) = &operation.why {
        text.push_str(&format!("  {}\n", env.err_style().dim(&printable(why))));
    }
    text
}

/// The text of all copies together. Errors: E-SYNC-001 where two copies clash and nobody decides; E-SYNC-002 where the
/// client whose text is to hold has no edit of its own; those of a question.
fn merged_by_choice(
    env: &mut Env,
    project: &Project,
    settings: &Settings,
    args: &cli::Sync,
    skill: &Copies,
) -> Result<Merged> {
    let first = match &args.on_conflict {
        cli::OnConflict::Ours(id) => Some(id.as_str()),
        _ => None,
    };
    let wanted = Wanted { from: None, first };
    let unreadable = || Error::new(Code::SyncFrom, format!("no copy of `{}` can be read", skill.name));
    let mut decided: Vec<(Clash, Choice)> = Vec::new();
    loop {
        // A decision may bring the next clash into another form: what was decided is kept, and only the rest is asked.
        let mut open: Option<Clash> = None;
        let (mut all, roots) = (0, project.roots());
        let merged = skill.merge(roots, wanted, &mut |clash| {
            all += 1;
            let known = decided.iter().find(|(known, _)| known == clash).map(|(_, choice)| *choice);
            if known.is_none() && open.is_none() {
                open = Some(clash.clone());
            }
            known.unwrap_or(Choice::Ours)
        });
        let merged = merged.ok_or_else(unreadable)?;
        let Some(clash) = open else { return Ok(merged) };
        let choice = match &args.on_conflict {
            cli::OnConflict::Ours(id) if clash.ours.contains(id) => Choice::Ours,
            // The other side is what was installed.
            cli::OnConflict::Ours(id) if clash.theirs == *id => Choice::Theirs,
            cli::OnConflict::Ours(id) => {
                let message =
                    format!("{}: the copy of {id} does not change it; nothing was written", named(skill, &clash));
                return Err(Error::new(Code::SyncFrom, message).suggest(format!("Say {}.", flags(&clash))));
            }
            cli::OnConflict::Ask if env.prompter.present() => ask(env, settings, skill, &clash)?,
            _ => return Err(clashing(skill, &clash, all)),
        };
        decided.push((clash, choice));
    }
}

fn sides(clash: &Clash) -> (String, &str) {
    let ours = if clash.ours.is_empty() { "installed".to_owned() } else { clash.ours.join("+") };
    (ours, &clash.theirs)
}

fn named(skill: &Copies, clash: &Clash) -> String {
    let (ours, theirs) = sides(clash);
    let place = format!("{} > {}", clash.conflict.path, clash.conflict.place);
    format!("`{}` was changed differently for {ours} and {theirs} in {}", skill.name, printable(&place))
}

fn clashing(skill: &Copies, clash: &Clash, all: usize) -> Error {
    let more = if all > 1 { format!(" (and in {})", ui::count(all - 1, "more place")) } else { String::new() };
    let cure = format!("say whose text holds: {}; `hefesto diff {}` shows both.", flags(clash), skill.name);
    Error::new(Code::SyncConflict, format!("{}{more}; nothing was written", named(skill, clash)))
        .suggest(format!("Run it in a terminal to decide each place, or {cure}"))
}

fn flags(clash: &Clash) -> String {
    let ours = clash.ours.iter().chain([&clash.theirs]).map(|id| format!("`--on-conflict ours={id}`"));
    let installed = clash.ours.is_empty().then(|| "`--from CLIENT` with a copy that was not edited".to_owned());
    ours.chain(installed).collect::<Vec<_>>().join(" or ")
}

fn ask(env: &mut Env, settings: &Settings, skill: &Copies, clash: &Clash) -> Result<Choice> {
    let (ours, theirs) = sides(clash);
    let style = env.err_style();
    let text = |side: &Option<String>| side.clone().unwrap_or_default();
    let shown = |who: &str, side: &Option<String>| match side {
        None => format!("{}\n  (removed)\n", style.head(who)),
        // Of files that are no text only the size is said, which may be the same.
        Some(new) if text(&clash.conflict.base) == *new => format!("{}\n  {new}", style.head(who)),
        Some(new) => format!("{}\n{}", style.head(who), ui::diff(style, &text(&clash.conflict.base), new, usize::MAX)),
    };
    env.say(&style.rule(&named(skill, clash)));
    env.say(shown(&ours, &clash.conflict.ours).trim_end());
    env.say(shown(theirs, &clash.conflict.theirs).trim_end());
    let mut choices = vec![ours.as_str(), theirs];
    if clash.conflict.both {
        choices.push("both");
    }
    let help = format!("Answer {} or cancel.", choices.join(", "));
    choices.push("cancel");
    let limit = settings.gate_limit();
    let question = Question::typed("Keep which?", limit, "--on-conflict ours=CLIENT");
    let question = Question { choices: &choices, ..question };
    match consent::pick(env, &question, &help, limit) {
        Ok(0) => Ok(Choice::Ours),
        Ok(1) => Ok(Choice::Theirs),
        Ok(at) if choices.get(at) == Some(&"both") => Ok(Choice::Both),
        Ok(_) => Err(Error::new(Code::CreateCancelled, "cancelled at a conflict; no changes made").by_choice()),
        // Nobody was there to decide.
        Err(error) if error.code() == Code::CreateRejected => Err(clashing(skill, clash, 1)),
        Err(error) => Err(error),
    }
}

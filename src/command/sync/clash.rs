//! Merging the copies of a skill, and asking a person where two of them were changed differently.

use crate::cli;
use crate::config::Settings;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::project::copies::{Clash, Copies, Merged, Wanted};
use crate::skill::{printable, three_way::Choice};
use crate::system::env::Env;
use crate::terminal::prompt::Question;
use crate::terminal::ui;
use crate::transaction::consent;

/// The text of all copies together. Errors: E-SYNC-001 where two copies clash and nobody decides; E-SYNC-002 where the
/// client whose text is to hold has no edit of its own; those of a question.
pub(super) fn merged(
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

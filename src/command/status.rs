//! `status`: what has become of each copy since it was installed, and what to do about it. Reads only.

use serde_json::{Value, json};

use super::{outdated, skills::Skills};
use crate::cli;
use crate::error::{Exit, Result};
use crate::project::Project;
use crate::project::copies::{self, Copies, CopyStatus};
use crate::registry::CopyState;
use crate::report::Report;
use crate::skill::printable_line;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

struct Seen {
    skill: Copies,
    states: Vec<Option<CopyStatus>>,
}

impl Seen {
    /// The copies that are listed: client, place, state.
    fn copies(&self) -> impl Iterator<Item = (&copies::Copy, &CopyStatus)> {
        self.skill.all.iter().zip(&self.states).filter_map(|(copy, status)| Some((copy, status.as_ref()?)))
    }

    fn is_same(&self) -> bool {
        self.copies().all(|(_, status)| status.state == CopyState::Same)
    }
}

/// Errors: E-PROJECT-001 when the project is not initialised, E-SKILL-001 for a name that no skill has.
pub(super) fn status(env: &mut Env, project: &Project, args: &cli::Status) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let mut meant = skills.named_or_all(&args.names)?;
    outdated::mark(env, &skills, &mut meant)?;
    let seen = meant.into_iter().map(|skill| {
        let states = skill.states(project.roots(), &skills.settings.severities);
        Seen { skill, states }
    });
    let seen: Vec<Seen> = seen.filter(|seen| seen.copies().next().is_some()).collect();
    let differing = seen.iter().filter(|seen| !seen.is_same()).count();
    let total: usize = seen.iter().map(|seen| seen.copies().count()).sum();
    let text = states(env.style, project, &seen, !args.names.is_empty() || env.volume > 0, total);
    let data =
        json!({ "skills": seen.iter().map(|seen| answer(project, seen)).collect::<Vec<_>>(), "differing": differing });
    let exit = if args.check && differing > 0 { Exit::Refused } else { Exit::Done };
    Ok(Report::done(data, env.spelled(text)).exit(exit))
}

fn answer(project: &Project, seen: &Seen) -> Value {
    let copies = seen.copies().map(|(copy, status)| {
        json!({
            "client": copy.target.id, "path": project.display(&copy.at), "state": status.state,
            "version": copy.base.as_ref().and_then(|base| base.copy.version.clone()), "what": status.what,
            "reason": status.reason, "action": status.action,
        })
    });
    json!({ "name": seen.skill.name, "copies": copies.collect::<Vec<_>>() })
}

/// The skills whose copies are not as they were installed or not of one text; with `every` the others too.
fn states(style: Style, project: &Project, all: &[Seen], every: bool, total: usize) -> String {
    if all.is_empty() {
        return "No skills.\n".to_owned();
    }
    let mut text = String::new();
    let to_tell = |seen: &&Seen| !seen.is_same() || seen.copies().any(|(_, status)| status.action.is_some());
    for seen in all.iter().filter(|seen| every || to_tell(seen)) {
        let name = &seen.skill.name;
        text.push_str(&format!("{}\n", style.head(&printable_line(name))));
        let mut actions: Vec<String> = Vec::new();
        for (copy, status) in seen.copies() {
            let word = format!("{:<9}", status.state.word());
            let word = match status.state {
                CopyState::Same => style.good(&word),
                CopyState::Invalid | CopyState::Missing => style.bad(&word),
                _ => style.odd(&word),
            };
            let place = style.path(&format!("{}/", printable_line(&project.shown(&copy.at))));
            text.push_str(
                &style.fold(&format!("  {word} {:<9} {place} {}\n", copy.target.id, printable_line(&status.what)), 4),
            );
            actions.extend(status.action.clone().filter(|action| !actions.contains(action)));
        }
        actions.dedup();
        for action in actions {
            text.push_str(&style.fold(&format!("  {}\n", printable_line(&action)), 4));
        }
    }
    let same = all.iter().filter(|seen| seen.is_same()).count();
    let others = all.len() - same;
    let skills = ui::count(all.len(), "skill");
    let copies = ui::count(total, "copy");
    if !text.is_empty() {
        text.push('\n');
    }
    let torn = all.iter().filter(|seen| seen.is_same() && to_tell(seen)).count();
    text.push_str(&match others {
        0 if torn > 0 => {
            let one = if torn == 1 { "one" } else { "some" };
            format!("{skills}, {copies}: all as they were installed, {one} with copies that differ.\n")
        }
        0 => format!("{} {skills}, {copies}: all as they were installed.\n", style.tick()),
        _ => format!("{skills}, {copies}: {} as installed, {} to look at.\n", ui::count(same, "skill"), others),
    });
    let unrecorded =
        |(copy, status): (&copies::Copy, &CopyStatus)| status.state == CopyState::Same && copy.base.is_none();
    if all.iter().any(|seen| seen.copies().any(unrecorded)) {
        let hint = "What was installed is not recorded here, as after a clone: `hefesto adopt --all` records what is \
                    there, so that later edits can be told and merged.\n";
        text.push_str(&style.fold(hint, 2));
    }
    text
}

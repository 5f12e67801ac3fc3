//! `why`: what each client makes of a skill, and why; or which skill each would choose for a prompt. Reads only.

mod prompt;
mod standing;
mod verdict;

use serde_json::json;

use crate::cli;
use crate::client::detect;
use crate::client::discovery::{Reach, Scope};
use crate::client::target::{SHARED, Target, Targets, client};
use crate::config;
use crate::error::{Code, Error, Result};
use crate::project::{Project, inventory};
use crate::report::Report;
use crate::skill::printable;
use crate::system::env::Env;
use crate::terminal::ui::Style;

use verdict::{State, Verdict};

/// Runs `hefesto why`. Errors: E-SKILL-001 for a name that no client could find, with the nearest; E-CREATE-004 for an
/// unknown `--cli`, E-CONFIG-001 for settings that cannot be read.
pub(super) fn why(env: &mut Env, project: &Project, args: &cli::Why) -> Result<Report> {
    let settings = config::load(env, project)?;
    let mut reach = Reach::new(env, project);
    if args.name.is_none() && args.prompt.is_none() {
        return Err(Error::new(Code::Usage, "neither a skill nor a prompt is named")
            .suggest(skills_here(project, &settings.targets, &mut reach, ""))
            .usage("hefesto why NAME | hefesto why --prompt TEXT"));
    }
    let asked = args.cli.as_deref().map(|id| detect::one(&settings.targets, id)).transpose()?;
    if let Some(name) = &args.name {
        known(project, &settings.targets, &mut reach, name)?;
    }
    let clients = match asked {
        Some(target) => vec![target.clone()],
        None => readers(env, project, &settings.targets, &mut reach, args.name.as_deref()),
    };
    if let Some(text) = &args.prompt {
        return Ok(prompt::report(env, &mut reach, &clients, text, args.name.as_deref()));
    }
    let name = args.name.as_deref().unwrap_or_default();
    let elsewhere = elsewhere(project, &settings.targets, &mut reach, name);
    let elsewhere = elsewhere.as_ref().map(|(scope, at)| (*scope, at.as_str()));
    let look = verdict::Look { targets: &settings.targets, name, elsewhere };
    let verdicts: Vec<Verdict> = clients.iter().map(|target| look.at(&mut reach, target)).collect();
    let data = json!({ "name": name, "clients": verdicts });
    Ok(Report::done(data, env.spelled(text(env.style, name, &verdicts))))
}

/// Refuses a name that nothing has.
fn known(project: &Project, targets: &Targets, reach: &mut Reach, name: &str) -> Result<()> {
    if targets.iter().any(|target| !reach.candidates(target, name).is_empty()) {
        return Ok(());
    }
    let message = format!("there is no skill {name:?} in any directory that a client reads");
    Err(Error::new(Code::NoSuchSkill, message).suggest(skills_here(project, targets, reach, name)))
}

/// What can be asked about instead of this name.
fn skills_here(project: &Project, targets: &Targets, reach: &mut Reach, name: &str) -> String {
    let mut names = inventory::directories(project, targets.iter());
    names.extend(reach.installed(targets.iter()).into_iter().map(|skill| skill.name));
    names.sort();
    names.dedup();
    inventory::other_names(name, &names)
}

/// A place of a skill that stands in none of the project's own directories.
fn elsewhere(project: &Project, targets: &Targets, reach: &mut Reach, name: &str) -> Option<(Scope, String)> {
    if !project.is_user() && targets.iter().any(|target| project.is_dir(&target.skill_dir(name))) {
        return None;
    }
    let mut all = targets.iter().flat_map(|target| reach.candidates(target, name)).collect::<Vec<_>>();
    all.sort_by_key(|one| one.dir.scope);
    let found = all.into_iter().find(|one| one.dir.scope != Scope::Project)?;
    Some((found.dir.scope, found.shown()))
}

/// The clients that are here, and those that have a copy of the skill in their own directory.
fn readers(env: &Env, project: &Project, targets: &Targets, reach: &mut Reach, name: Option<&str>) -> Vec<Target> {
    let here = detect::here(targets, &detect::places(env, project));
    let mut has_copy = |target: &Target| {
        name.is_some_and(|name| project.is_dir(&target.skill_dir(name)) || in_own_user_dir(reach, target, name))
    };
    let wanted = |target: &&Target| {
        let found = here.iter().any(|found| found.target.id == target.id);
        found || has_copy(target)
    };
    let all: Vec<Target> = targets.iter().filter(wanted).cloned().collect();
    // Who reads the shared directory is a client; the directory itself is none, unless clients without a target are here.
    let serves = here.iter().any(|found| found.target.id == SHARED);
    let others = all.iter().any(|target| target.id != SHARED);
    all.into_iter().filter(|target| target.id != SHARED || serves || !others).collect()
}

fn in_own_user_dir(reach: &mut Reach, target: &Target, name: &str) -> bool {
    let own = crate::client::target::reads(target).and_then(|known| known.own_user_dir());
    own.is_some_and(|own| {
        let own = format!("~/{}", own.home);
        reach.candidates(target, name).iter().any(|one| one.dir.scope == Scope::User && one.dir.shown == own)
    })
}

fn text(style: Style, name: &str, verdicts: &[Verdict]) -> String {
    if verdicts.is_empty() {
        return "No AI CLI was found here; `--cli ID` asks about one.\n".to_owned();
    }
    let mut text = String::new();
    for verdict in verdicts {
        let mark = match verdict.state {
            State::Listed => style.tick(),
            State::NotListed => style.cross(),
            _ => style.mark(),
        };
        let call = match verdict.state {
            State::NotListed | State::Twice | State::Other => String::new(),
            _ => verdict.call.as_ref().map(|call| format!(" ({call})")).unwrap_or_default(),
        };
        text.push_str(&style.fold(&format!("{mark} {}{call}\n", printable(&verdict.says)), 2));
        for cause in &verdict.causes {
            text.push_str(&style.fold(&format!("    cause: {}\n", printable(&cause.what)), 11));
            if let Some(cure) = &cause.cure {
                text.push_str(&style.fold(&format!("    cure:  {}\n", printable(cure)), 11));
            }
        }
    }
    if verdicts.iter().all(|verdict| client(verdict.client.as_str()).is_none()) {
        text.push_str(&format!("\nWhat these make of `{name}` is not known beyond the directories they read.\n"));
    }
    text
}

//! `why`: what each client makes of a skill, and why; with `--prompt` which skill each client's model would take for
//! it, and why not the one that was expected. Reads only.

mod standing;
mod verdict;

use serde_json::{Value, json};

use verdict::{Cause, State, Verdict};

use crate::client::detect;
use crate::client::discovery::{Reach, Scope, Standing};
use crate::client::target::{SHARED, Switch, Target, Targets, client};
use crate::error::{Code, Error, Result};
use crate::project::{Project, inventory};
use crate::report::Report;
use crate::skill::printable;
use crate::skill::ranking::{Index, Scored};
use crate::system::env::Env;
use crate::terminal::ui::Style;

/// Runs `hefesto why`. Errors: E-SKILL-001 for a name that no client could find, with the nearest; E-CREATE-004 for an
/// unknown `--cli`, E-CONFIG-001 for settings that cannot be read.
pub(super) fn why(env: &mut Env, project: &Project, args: &crate::cli::Why) -> Result<Report> {
    let settings = crate::config::load(env, project)?;
    let mut reach = Reach::new(env, project);
    if args.name.is_none() && args.prompt.is_none() {
        return Err(Error::new(Code::Usage, "neither a skill nor a prompt is named")
            .suggest(skills_here(project, &settings.targets, &mut reach, ""))
            .usage("hefesto why NAME | hefesto why --prompt TEXT"));
    }
    if args.prompt.as_ref().is_some_and(|prompt| prompt.trim().is_empty()) {
        return Err(Error::new(Code::Usage, "the prompt is empty").usage("hefesto why [NAME] --prompt TEXT"));
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
        return Ok(for_prompt(env, &mut reach, &clients, text, args.name.as_deref()));
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

const FIRST: usize = 3;

/// What a client's model has to choose from, the best first.
struct Choice<'t> {
    target: &'t Target,
    considered: usize,
    first: Vec<(Scored, Standing)>,
    /// The skill that was expected: its place among those that answer, from 1, and what keeps it from being the first.
    expected: Option<(Option<usize>, Option<Cause>)>,
}

fn for_prompt(env: &Env, reach: &mut Reach, clients: &[Target], prompt: &str, name: Option<&str>) -> Report {
    let choices: Vec<Choice<'_>> = clients.iter().map(|target| choice(reach, target, prompt, name)).collect();
    let data = json!({ "prompt": prompt, "name": name, "clients": choices.iter().map(row).collect::<Vec<_>>() });
    Report::done(data, env.spelled(choices_text(env.style, name, &choices)))
}

fn choice<'t>(reach: &mut Reach, target: &'t Target, prompt: &str, name: Option<&str>) -> Choice<'t> {
    let mut listed = reach.listed(target).to_vec();
    let offered = |reach: &Reach, one: &Standing| {
        let (switched, _) = reach.switched(target, &one.name, (&one.real, &one.real), one.scope);
        switched.is_none_or(|switched| switched.switch < Switch::Manual)
    };
    let withheld: Vec<String> = listed.iter().filter(|one| !offered(reach, one)).map(|one| one.name.clone()).collect();
    listed.retain(|one| !withheld.contains(&one.name));
    let skills: Vec<(&str, &str)> = listed.iter().map(|one| (one.name.as_str(), one.text.as_str())).collect();
    let all = Index::of(&skills).rank(prompt);
    let answers: Vec<&Scored> = all.iter().filter(|one| one.claims).collect();
    let first: Vec<(Scored, Standing)> =
        answers.iter().take(FIRST).filter_map(|one| Some(((*one).clone(), listed.get(one.index)?.clone()))).collect();
    let expected = name.map(|name| {
        let is_it = |one: &Scored| listed.get(one.index).is_some_and(|skill| skill.name == name);
        let place = answers.iter().position(|one| is_it(one)).map(|at| at + 1);
        let is_listed = listed.iter().any(|one| one.name == name);
        let scored = all.iter().find(|one| is_it(one));
        (place, behind(target, name, place, is_listed, scored, first.first()))
    });
    Choice { target, considered: listed.len(), first, expected }
}

/// Why a skill is not the first.
fn behind(
    target: &Target,
    name: &str,
    place: Option<usize>,
    is_listed: bool,
    scored: Option<&Scored>,
    first: Option<&(Scored, Standing)>,
) -> Option<Cause> {
    if place == Some(1) {
        return None;
    }
    if !is_listed {
        let what = format!("{} does not offer `{name}` to its model", target.title);
        return Some(Cause::new(what, format!("`hefesto why {name} --cli {}` says why.", target.id)));
    }
    let own: &[String] = scored.map(|scored| scored.words.as_slice()).unwrap_or_default();
    let said = match own {
        [] => format!("no word of the prompt points to `{name}`"),
        [one] => format!("only {one} points to `{name}`"),
        several => format!("only {} point to `{name}`", several.join(", ")),
    };
    let Some((best, winner)) = first else {
        let cure = "Put the words that people say into its description.";
        let too_little = if own.is_empty() { "" } else { ", which is too little" };
        return Some(Cause::new(format!("{said}{too_little}"), cure));
    };
    let missing: Vec<&str> = best.words.iter().filter(|word| !own.contains(word)).map(String::as_str).collect();
    if missing.is_empty() {
        let why = "where fewer other skills have them or they come earlier";
        let what = format!("the same words say more in `{}`, {why}", winner.name);
        return Some(Cause::new(what, format!("Say them in the first sentence of the description of `{name}`.")));
    }
    let cure =
        format!("Put {} into the description of `{name}`, or take them out of `{}`.", missing.join(", "), winner.name);
    Some(Cause::new(format!("{said}, and for `{}` also {}", winner.name, missing.join(", ")), cure))
}

fn row(choice: &Choice<'_>) -> Value {
    let first = choice.first.iter().map(|(scored, skill)| {
        json!({
            "name": skill.name, "path": skill.shown, "score": (scored.score * 1000.0).round() / 1000.0,
            "words": scored.words,
        })
    });
    let expected = choice.expected.as_ref().map(|(place, cause)| {
        json!({
            "place": place, "what": cause.as_ref().map(|cause| &cause.what),
            "cure": cause.as_ref().and_then(|cause| cause.cure.as_ref()),
        })
    });
    json!({
        "client": choice.target.id, "title": choice.target.title, "considered": choice.considered,
        "first": first.collect::<Vec<_>>(), "expected": expected,
    })
}

fn choices_text(style: Style, name: Option<&str>, choices: &[Choice<'_>]) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for choice in choices {
        let said = body(style, name, choice);
        match groups.iter_mut().find(|(known, _)| *known == said) {
            Some((_, titles)) => titles.push(&choice.target.title),
            None => groups.push((said, vec![&choice.target.title])),
        }
    }
    if groups.is_empty() {
        return "No AI CLI was found here; `--cli ID` asks about one.\n".to_owned();
    }
    groups.into_iter().map(|(said, titles)| format!("{}\n{said}", style.head(&titles.join(", ")))).collect()
}

fn body(style: Style, name: Option<&str>, choice: &Choice<'_>) -> String {
    let mut text = String::new();
    for (at, (scored, skill)) in choice.first.iter().enumerate() {
        let words = printable(&scored.words.join(", "));
        text.push_str(&format!("  {}. {} {:.2} ({words})\n", at + 1, printable(&skill.name), scored.score));
    }
    if choice.first.is_empty() {
        text.push_str(&match choice.considered {
            0 => "  it has no skill\n".to_owned(),
            1 => "  its only skill does not answer this\n".to_owned(),
            all => format!("  none of its {all} skills answers this\n"),
        });
    }
    if let (Some((_, Some(cause))), Some(name)) = (&choice.expected, name) {
        let what = printable(&cause.what);
        let place = if choice.first.is_empty() { "does not answer it" } else { "is not the first" };
        text.push_str(&style.fold(&format!("  {} `{}` {place}: {what}\n", style.mark(), printable(name)), 4));
        if let Some(cure) = &cause.cure {
            text.push_str(&style.fold(&format!("    {}\n", printable(cure)), 4));
        }
    }
    text
}

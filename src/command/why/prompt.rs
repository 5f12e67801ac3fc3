//! `why --prompt`: which skill each client's model would take for a prompt, and why not the one that was expected.

use serde_json::{Value, json};

use super::verdict::Cause;
use crate::client::discovery::{Reach, Standing};
use crate::client::target::{Switch, Target};
use crate::report::Report;
use crate::skill::printable;
use crate::skill::ranking::{Index, Scored};
use crate::system::env::Env;
use crate::terminal::ui::Style;

const FIRST: usize = 3;

/// What a client's model has to choose from, the best first.
struct Choice<'t> {
    target: &'t Target,
    considered: usize,
    first: Vec<(Scored, Standing)>,
    /// The skill that was expected: its place among those that answer, from 1, and what keeps it from being the first.
    expected: Option<(Option<usize>, Option<Cause>)>,
}

pub(super) fn report(env: &Env, reach: &mut Reach, clients: &[Target], prompt: &str, name: Option<&str>) -> Report {
    let choices: Vec<Choice<'_>> = clients.iter().map(|target| choice(reach, target, prompt, name)).collect();
    let data = json!({ "prompt": prompt, "name": name, "clients": choices.iter().map(row).collect::<Vec<_>>() });
    Report::done(data, env.spelled(text(env.style, name, &choices)))
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
        [] => format!("no word of the prompt speaks for `{name}`"),
        own => format!("only {} speaks for `{name}`", own.join(", ")),
    };
    let Some((best, winner)) = first else {
        let cure = "Put the words that people say into its description.";
        return Some(Cause::new(format!("{said}, which is too little"), cure));
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

fn text(style: Style, name: Option<&str>, choices: &[Choice<'_>]) -> String {
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
        text.push_str(&style.fold(&format!("  {} `{}` is not the first: {what}\n", style.mark(), printable(name)), 4));
        if let Some(cure) = &cause.cure {
            text.push_str(&style.fold(&format!("    {}\n", printable(cure)), 4));
        }
    }
    text
}

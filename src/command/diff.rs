//! `diff NAME [A [B]]`: what differs between copies, versions, and what was installed.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::cli;
use crate::client::adapt;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::project::copies::{self, Copies, Wanted};
use crate::report::Report;
use crate::skill::{Tree, diff::Diff, printable, printable_line, three_way::Choice};
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

/// From how many columns on a terminal holds two texts side by side.
const WIDE: usize = 120;

/// One text of a skill: what it is called, and its files with arguments written in one way.
type Side = (String, Tree);

/// Errors: E-SKILL-001 for a name that no skill has; E-VERSION-001 for a client or version there is not.
pub(super) fn diff(env: &mut Env, project: &Project, args: &cli::Diff) -> Result<Report> {
    let skill = super::skills::Skills::open(env, project)?.named(&args.name)?;
    let pairs: Vec<(Side, Side)> = match (&args.a, &args.b) {
        (Some(a), Some(b)) => vec![(side(project, &skill, a)?, side(project, &skill, b)?)],
        (Some(a), None) if copy(&skill, a).is_some() => vec![(installed(project, &skill)?, side(project, &skill, a)?)],
        (Some(a), None) => {
            let a = side(project, &skill, a)?;
            standing(&skill).into_iter().map(|copy| (a.clone(), copy)).collect()
        }
        _ => {
            let copies = standing(&skill);
            match installed(project, &skill) {
                Ok(base) if !skill.is_torn(project.roots()) => {
                    copies.into_iter().map(|copy| (base.clone(), copy)).collect()
                }
                Err(error) if copies.len() < 2 => return Err(error),
                // Where no one text was installed, the copies are compared with each other.
                _ => copies.iter().skip(1).map(|copy| (copies[0].clone(), copy.clone())).collect(),
            }
        }
    };
    let wide = args.side_by_side || (!args.unified && env.out_is_terminal && env.style.width >= WIDE);
    let style = env.style;
    let shown_text = |before: &str, after: &str| match wide {
        true => ui::side_by_side(style, before, after),
        false => ui::diff(style, before, after, usize::MAX),
    };
    let mut answers: Vec<Value> = Vec::new();
    let mut text = String::new();
    let mut shown: Vec<&Tree> = Vec::new();
    for ((from, before), (to, after)) in pairs.iter().filter(|((_, before), (_, after))| differ(before, after)) {
        if shown.contains(&after) && args.b.is_none() {
            text.push_str(&format!("{} says the same.\n", printable(to)));
        } else {
            text.push_str(&shown_pair(style, &shown_text, (from, before), (to, after)));
            shown.push(after);
        }
        answers.push(json!({ "from": from, "to": to, "files": files(before, after) }));
    }
    if answers.is_empty() {
        text.push_str("No difference.\n");
        text.push_str(&foreign(&skill));
    }
    Ok(Report::done(json!({ "name": skill.name, "differences": answers }), env.spelled(text)))
}

/// What is said of copies that others made, which are compared only where they are named.
fn foreign(skill: &Copies) -> String {
    let Some(own) = skill.own().next() else { return String::new() };
    let others = skill.all.iter().filter(|copy| !copy.is_own() && own.is_own());
    let differing = others.filter(|copy| copy.tree().zip(own.tree()).is_some_and(|(one, own)| differ(one, own)));
    let line = |copy: &copies::Copy| {
        let (name, own, other) = (&skill.name, &own.target.id, &copy.target.id);
        format!("The copy of {other} was not installed by hefesto and differs: `hefesto diff {name} {own} {other}`.\n")
    };
    differing.map(line).collect()
}

fn differ(before: &Tree, after: &Tree) -> bool {
    adapt::essence(before) != adapt::essence(after)
}

fn copy<'c>(skill: &'c Copies, id: &str) -> Option<&'c Tree> {
    skill.all.iter().find(|copy| copy.target.id == id)?.tree()
}

fn standing(skill: &Copies) -> Vec<Side> {
    skill.own().filter_map(|copy| Some((copy.target.id.clone(), adapt::neutral(copy.tree()?)))).collect()
}

fn installed(project: &Project, skill: &Copies) -> Result<Side> {
    let merged = skill.merge(project.roots(), Wanted::default(), &mut |_| Choice::Ours);
    let text = merged.and_then(|merged| merged.installed).ok_or_else(|| {
        Error::new(Code::NoSuchVersion, format!("it is not known what was installed of `{}`", skill.name))
            .suggest(format!("Name two clients: `hefesto diff {} claude gemini`.", skill.name))
    })?;
    Ok(("installed".to_owned(), text))
}

/// A client's copy, what was installed, or a version.
fn side(project: &Project, skill: &Copies, given: &str) -> Result<Side> {
    if let Some(tree) = copy(skill, given) {
        return Ok((given.to_owned(), adapt::neutral(tree)));
    }
    if given == "installed" {
        return installed(project, skill);
    }
    let wanted = given.trim_start_matches('@');
    let (_, text) = copies::version_of(project, &skill.name, wanted, None)?;
    Ok((format!("{}@{wanted}", skill.name), text))
}

fn differing<'t>(before: &'t Tree, after: &'t Tree) -> BTreeSet<&'t str> {
    let all = before.iter().chain(after.iter()).map(|(path, _)| path);
    all.filter(|path| before.get(path) != after.get(path)).collect()
}

/// A file on both sides, with secrets masked; none if it is not text.
fn texts(path: &str, before: &Tree, after: &Tree) -> Option<(String, String)> {
    let text = |tree: &Tree| match tree.get(path) {
        None => Some(String::new()),
        Some(_) => tree.text(path).map(crate::rules::masked),
    };
    text(before).zip(text(after))
}

fn files(before: &Tree, after: &Tree) -> Vec<Value> {
    let file = |path: &str| {
        let change = match (before.get(path), after.get(path)) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        let diff = texts(path, before, after).map(|(before, after)| Diff::between(&before, &after).text());
        json!({ "path": path, "change": change, "diff": diff })
    };
    differing(before, after).into_iter().map(file).collect()
}

fn shown_pair(
    style: Style,
    shown_text: &dyn Fn(&str, &str) -> String,
    (from, before): (&str, &Tree),
    (to, after): (&str, &Tree),
) -> String {
    let mut out = format!("{}\n", style.rule(&format!("{} -> {}", printable(from), printable(to))));
    for path in differing(before, after) {
        out.push_str(&format!("{}\n", style.head(&printable_line(path))));
        match texts(path, before, after) {
            Some((before, after)) => out.push_str(&shown_text(&before, &after)),
            None => out.push_str("  (not text)\n"),
        }
    }
    out
}

//! `outdated`: the skills whose template or domain pack is newer than their text. Reads only.

use serde_json::json;

use super::skills::Skills;
use crate::cli;
use crate::client::adapt;
use crate::error::Result;
use crate::memory::{Left, MadeFrom};
use crate::project::Project;
use crate::project::copies::{Copies, Ingredients, Newer};
use crate::report::Report;
use crate::skill::printable;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

pub(super) struct Outdated {
    pub(super) skill: Copies,
    pub(super) made_from: MadeFrom,
    /// Its template, its packs; none: there are only places left to the author.
    pub(super) newer: Vec<Newer>,
    /// Where an update left it to the author, and their text still stands.
    pub(super) left: Vec<Left>,
}

/// The skills among these that say something else than their template and packs say now, according to their recipes.
pub(super) fn find_outdated(env: &Env, skills: &Skills<'_>, among: Vec<Copies>) -> Result<Vec<Outdated>> {
    let Skills { project, known, .. } = skills;
    let made = among.into_iter().filter_map(|skill| {
        let made_from = known.made_from(skill.recipe()?)?.clone();
        Some((skill, made_from))
    });
    let made: Vec<(Copies, MadeFrom)> = made.collect();
    let now = Ingredients::of(env, project, made.iter().map(|(_, made_from)| made_from))?;
    let all = made.into_iter().map(|(skill, made_from)| Outdated {
        newer: now.newer(&made_from),
        left: left_of(&skill, &made_from),
        skill,
        made_from,
    });
    Ok(all.filter(|one| !one.newer.is_empty() || !one.left.is_empty()).collect())
}

fn left_of(skill: &Copies, made_from: &MadeFrom) -> Vec<Left> {
    let text = skill.own().find_map(|copy| copy.tree()).map(adapt::neutral);
    let text = text.as_ref().and_then(|tree| tree.text("SKILL.md")).unwrap_or_default();
    standing(&made_from.left, text).cloned().collect()
}

/// Adds to each of these skills what is newer than its text.
pub(super) fn mark(env: &Env, skills: &Skills<'_>, among: &mut [Copies]) -> Result<()> {
    let made = |skill: &Copies| skills.known.made_from(skill.recipe()?);
    let now = Ingredients::of(env, skills.project, among.iter().filter_map(made))?;
    for skill in among {
        skill.newer = made(skill).map(|made_from| now.newer(made_from)).unwrap_or_default();
    }
    Ok(())
}

/// Errors: E-PROJECT-001 when the project is not initialised, E-SKILL-001 if no skill has this name.
pub(super) fn outdated(env: &mut Env, project: &Project, args: &cli::Outdated) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let meant = skills.named_or_all(&args.names)?;
    let checked = meant.iter().filter(|skill| skill.recipe().is_some()).count();
    let all = find_outdated(env, &skills, meant)?;
    let left: Vec<&Outdated> = all.iter().filter(|one| !one.left.is_empty()).collect();
    let all: Vec<&Outdated> = all.iter().filter(|one| !one.newer.is_empty()).collect();
    let rows = all.iter().map(|one| {
        let name = printable(&one.skill.name);
        let how = match one.made_from.drafted {
            true => "not made again: a model wrote it".to_owned(),
            false => env.spelled(format!("`hefesto update {name}`")),
        };
        [name.clone(), printable(&Newer::text(&one.newer)), how]
    });
    let data =
        all.iter().map(|one| json!({ "name": one.skill.name, "newer": one.newer, "drafted": one.made_from.drafted }));
    let places = left.iter().map(|one| json!({ "name": one.skill.name, "places": one.left }));
    let data = json!({ "skills": data.collect::<Vec<_>>(), "left": places.collect::<Vec<_>>(), "checked": checked });
    let mut text = match all.len() {
        0 if checked == 0 => "No skill here was made from a template, so that none can be newer.\n".to_owned(),
        0 => format!("{} {}: no template or pack is newer.\n", env.style.tick(), ui::count(checked, "skill")),
        _ => ui::table(env.style, &["SKILL", "NEWER", "HOW"], rows),
    };
    for one in left {
        text.push_str(&format!("\n{}\n", printable(&one.skill.name)));
        text.push_str(&both_texts(env.style, &one.skill.name, &one.left));
    }
    Ok(Report::done(data, env.spelled(text)))
}

/// Those of the places left to the author where their text still stands instead of the newer one.
pub(super) fn standing<'l>(all: &'l [Left], text: &'l str) -> impl Iterator<Item = &'l Left> {
    let has = |side: &Option<String>| side.as_deref().map(|lines| text.contains(lines.trim_end()));
    all.iter().filter(move |left| has(&left.yours) != Some(false) && has(&left.newer) != Some(true))
}

/// The places with both texts, and how to take the newer one.
pub(super) fn both_texts(style: Style, name: &str, all: &[Left]) -> String {
    let mut text = String::new();
    for left in all {
        text.push_str(&style.fold(&format!("  left to you, as you changed it too: {}\n", printable(&left.place)), 4));
        for (whose, lines) in [("yours, which stays", &left.yours), ("newer", &left.newer)] {
            text.push_str(&format!("    {}\n", style.head(&format!("{whose}:"))));
            for line in lines.as_deref().unwrap_or("(no such lines)").lines() {
                text.push_str(format!("      {}", printable(line)).trim_end());
                text.push('\n');
            }
        }
    }
    if !all.is_empty() {
        text.push_str(&style.fold(&format!("  to take the newer text: {}\n", to_take_newer(name)), 4));
    }
    text
}

/// What is typed to take the newer text.
pub(super) fn to_take_newer(name: &str) -> String {
    format!("hefesto update {} --on-conflict newer", printable(name))
}

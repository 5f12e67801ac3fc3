//! `validate --fit`: what each client will see of a skill, beside the skills it already has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::place::Place;
use super::work::Checked;
use crate::env::Env;
use crate::project::Project;
use crate::reach::{Reach, Standing};
use crate::rules::fit::{self, Budget, Fit};
use crate::rules::{Profile, Subject};
use crate::skill;
use crate::skill::Tree;
use crate::target::{Client, Targets};
use crate::ui::{self, Style};

/// The fit of every skill that could be read: the data, and the tables for people.
pub(super) fn fits(
    env: &Env,
    project: &Project,
    targets: &Targets,
    profile: Profile,
    places: &[Place],
    checked: &[Checked],
) -> (Value, String) {
    let mut reach = Reach::new(env, project);
    let mut installed: BTreeMap<&str, BTreeMap<String, (usize, usize)>> = BTreeMap::new();
    let mut data = Vec::new();
    let mut text = String::new();
    for (place, one) in places.iter().zip(checked) {
        let Some(tree) = &one.tree else { continue };
        let clients = profile.clients().filter(|clients| !clients.is_empty()).unwrap_or_else(|| place.clients.clone());
        for client in &clients {
            installed.entry(client.id).or_insert_with(|| listed(&mut reach, targets, client));
        }
        let subject = Subject { directory: &one.name, prefix: &place.shown, tree, target: place.target.as_ref() };
        let fits = fit::fit(&subject, &clients);
        let empty = BTreeMap::new();
        let budgets: Vec<Budget> = clients
            .iter()
            .zip(&fits)
            .map(|(client, fit)| {
                budget(client, installed.get(client.id).unwrap_or(&empty), tree, &one.name, fit.loaded)
            })
            .collect();
        text.push_str(&table(env.style, &place.shown, &fits, &budgets));
        let rows: Vec<Value> = fits
            .iter()
            .zip(&budgets)
            .map(|(fit, budget)| {
                let mut row = json!(fit);
                row["budget"] = budget.json();
                row
            })
            .collect();
        data.push(json!({ "name": one.name, "path": place.shown, "clients": rows }));
    }
    (Value::Array(data), text)
}

/// What a client's list takes with this skill in it, where it loads the skill.
fn budget(
    client: &Client,
    installed: &BTreeMap<String, (usize, usize)>,
    tree: &Tree,
    name: &str,
    loaded: bool,
) -> Budget {
    let mut lines = installed.clone();
    match tree.get("SKILL.md").filter(|_| loaded).and_then(|blob| fit::listing(&blob.bytes, name, client)) {
        Some(listing) => lines.insert(name.to_owned(), (listing.chars(), listing.tokens())),
        None => lines.remove(name),
    };
    Budget::of(client, lines.into_values())
}

/// Characters and tokens of the line of each skill that a client already lists, by folder name.
fn listed(reach: &mut Reach, targets: &Targets, client: &Client) -> BTreeMap<String, (usize, usize)> {
    let Some(target) = targets.get(client.id) else { return BTreeMap::new() };
    let folder = |one: &Standing| one.shown.rsplit('/').next().unwrap_or_default().to_owned();
    reach.listed(target).into_iter().map(|one| (folder(&one), one.cost)).collect()
}

fn table(style: Style, shown: &str, fits: &[Fit], budgets: &[Budget]) -> String {
    let rows: Vec<Vec<String>> = fits
        .iter()
        .zip(budgets)
        .map(|(fit, budget)| {
            let sees = match (&fit.listing, fit.loaded) {
                (_, false) => "not loaded".to_owned(),
                (None, true) if !fit.read => "read in its own way".to_owned(),
                (None, true) => "not listed: called by name".to_owned(),
                (Some(_), true) if fit.listing_chars < fit.whole_chars => {
                    format!("{} of {} characters", fit.listing_chars, fit.whole_chars)
                }
                (Some(_), true) => format!("all {} characters", fit.whole_chars),
            };
            let limit = budget.limit.map_or(String::new(), |limit| format!(" of {limit}"));
            let over = if budget.over() { " (too many)" } else { "" };
            let used = format!(
                "{}: {}{limit} characters{over}, {}",
                ui::count(budget.skills, "skill"),
                budget.chars,
                skill::tokens::told(budget.tokens),
            );
            let ignored = if fit.ignored.is_empty() { "-".to_owned() } else { fit.ignored.join(", ") };
            vec![fit.client.to_owned(), skill::printable(&fit.name), sees, skill::printable(&ignored), used]
        })
        .collect();
    let mut text = format!("\n{}\n", style.head(&format!("What clients see of {}", skill::printable(shown))));
    text.push_str(&ui::table(style, &["CLIENT", "NAME", "DESCRIPTION", "IGNORES", "LIST"], &rows));
    for (reason, titles) in reasons(fits) {
        let who =
            if titles.len() == fits.len() && titles.len() > 1 { "all of them".to_owned() } else { titles.join(", ") };
        let line = if titles.iter().any(|title| reason.contains(title)) {
            reason.to_owned()
        } else {
            format!("{who}: {reason}")
        };
        text.push_str(&style.fold(&format!("  {}\n", skill::printable(&line)), 4));
    }
    text
}

/// Why the skill is not loaded, each reason once with the clients it holds for.
fn reasons(fits: &[Fit]) -> Vec<(&str, Vec<&str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for fit in fits.iter().filter(|fit| !fit.loaded) {
        for reason in &fit.reasons {
            match reasons.iter_mut().find(|(known, _)| known == reason) {
                Some((_, titles)) => titles.push(fit.title),
                None => reasons.push((reason, vec![fit.title])),
            }
        }
    }
    reasons
}

//! `validate --fit`: what each client will see of a skill, beside the skills it already has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::check::Checked;
use super::select::Selected;
use crate::client::discovery::{Reach, Standing};
use crate::client::target::{Client, Targets};
use crate::project::Project;
use crate::rules::fit::{self, Budget, Fit};
use crate::rules::{Profile, Subject};
use crate::skill;
use crate::skill::Tree;
use crate::system::env::Env;
use crate::terminal::ui::{self, Style};

/// The fit of every skill that could be read: the data, and the tables for people.
pub(super) fn fits(
    env: &Env,
    project: &Project,
    targets: &Targets,
    profile: Profile,
    selected: &[Selected],
    checked: &[Checked],
) -> (Value, String) {
    let mut reach = Reach::new(env, project);
    let mut installed: BTreeMap<&str, BTreeMap<String, (usize, usize)>> = BTreeMap::new();
    let mut data = Vec::new();
    let mut text = String::new();
    for (skill, one) in selected.iter().zip(checked) {
        let Some(tree) = &one.tree else { continue };
        let clients = profile.clients().filter(|clients| !clients.is_empty()).unwrap_or_else(|| skill.clients.clone());
        for client in &clients {
            installed.entry(client.id).or_insert_with(|| listed(&mut reach, targets, client));
        }
        let subject = Subject { directory: &one.name, prefix: &skill.shown, tree, target: skill.target.as_ref() };
        let fits = fit::fit(&subject, &clients);
        let empty = BTreeMap::new();
        let budgets: Vec<Budget> = clients
            .iter()
            .zip(&fits)
            .map(|(client, fit)| {
                budget(client, installed.get(client.id).unwrap_or(&empty), tree, &one.name, fit.loaded)
            })
            .collect();
        text.push_str(&table(env.style, &skill.shown, &fits, &budgets));
        let rows: Vec<Value> = fits
            .iter()
            .zip(&budgets)
            .map(|(fit, budget)| {
                let mut row = json!(fit);
                row["budget"] = budget.json();
                row
            })
            .collect();
        data.push(json!({ "name": one.name, "path": skill.shown, "clients": rows }));
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
                skill::tokens::describe(budget.tokens),
            );
            let ignored = if fit.ignored.is_empty() { "-".to_owned() } else { fit.ignored.join(", ") };
            vec![fit.client.to_owned(), skill::printable(&fit.name), sees, skill::printable(&ignored), used]
        })
        .collect();
    let mut text = format!("\n{}\n", style.head(&format!("What clients see of {}", skill::printable(shown))));
    text.push_str(&ui::table(style, &["CLIENT", "NAME", "DESCRIPTION", "IGNORES", "LIST"], &rows));
    let who = |titles: &[&str]| {
        if titles.len() == fits.len() && titles.len() > 1 { "all of them".to_owned() } else { titles.join(", ") }
    };
    let mut line = |line: String| text.push_str(&style.fold(&format!("  {}\n", skill::printable(&line)), 4));
    for (reason, titles) in grouped(fits.iter().flat_map(|fit| {
        let reasons = if fit.loaded { &[][..] } else { &fit.reasons };
        reasons.iter().map(|reason| (reason.clone(), fit.title))
    })) {
        let named = titles.iter().any(|title| reason.contains(title));
        line(if named { reason } else { format!("{}: {reason}", who(&titles)) });
    }
    for (end, titles) in grouped(fits.iter().filter_map(|fit| Some((end_of_cut(fit)?, fit.title)))) {
        line(format!("{}: of the description no more is shown than up to \"{end}\"", who(&titles)));
    }
    text
}

/// The last words a client shows of a description that it cuts.
fn end_of_cut(fit: &Fit) -> Option<String> {
    /// How much is shown of them, in characters.
    const SHOWN: usize = 40;
    let listing = fit.listing.as_ref().filter(|_| fit.loaded && fit.listing_chars < fit.whole_chars)?;
    let skipped = fit.listing_chars.saturating_sub(SHOWN);
    Some(format!("…{}", listing.chars().skip(skipped).collect::<String>().trim()))
}

/// What holds for several clients once, with their names.
fn grouped<'f>(all: impl Iterator<Item = (String, &'f str)>) -> Vec<(String, Vec<&'f str>)> {
    let mut once: Vec<(String, Vec<&str>)> = Vec::new();
    for (text, title) in all {
        match once.iter_mut().find(|(known, _)| *known == text) {
            Some((_, titles)) => titles.push(title),
            None => once.push((text, vec![title])),
        }
    }
    once
}

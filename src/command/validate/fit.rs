//! `validate --fit`: what each client will see of a skill, beside the skills it already has.

use serde_json::{Value, json};

use super::{check::Checked, select::Selected};
use crate::client::discovery::{Reach, Standing};
use crate::client::target::{Client, Target, Targets, Twice, reads};
use crate::rules::fit::{self, Budget, Fit};
use crate::rules::{Profile, Subject};
use crate::skill::{self, Tree};
use crate::system::{env::Env, rooted};
use crate::terminal::ui::{self, Style};

/// The fit of every readable skill: the data, and the tables for people.
pub(super) fn fits(
    env: &Env,
    project: &crate::project::Project,
    targets: &Targets,
    profile: Profile,
    selected: &[Selected],
    checked: &[Checked],
) -> (Value, String) {
    let mut reach = Reach::new(env, project);
    let mut data = Vec::new();
    let mut text = String::new();
    for (skill, one) in selected.iter().zip(checked) {
        let Some(tree) = &one.tree else { continue };
        let clients = profile.clients().filter(|clients| !clients.is_empty()).unwrap_or_else(|| skill.clients.clone());
        let subject = Subject { directory: &one.name, prefix: &skill.shown, tree, target: skill.target.as_ref() };
        let fits = fit::fit(&subject, &clients);
        let beside: Vec<Beside> = clients
            .iter()
            .zip(&fits)
            .map(|(client, fit)| Beside::of(&mut reach, targets.get(client.id), client, fit, skill, tree))
            .collect();
        text.push_str(&table(env.style, &skill.shown, &fits, &beside));
        let rows = fits.iter().zip(&beside).map(|(fit, beside)| {
            let mut row = json!(fit);
            row["budget"] = beside.budget.json();
            row["same_name"] = json!(beside.same_name);
            row
        });
        data.push(json!({ "name": one.name, "path": skill.shown, "clients": rows.collect::<Value>() }));
    }
    (Value::Array(data), text)
}

/// One client's list with the skill on it.
struct Beside {
    budget: Budget,
    /// What the client does with other skills of the same name, in sentences.
    same_name: Vec<String>,
}

impl Beside {
    fn of(
        reach: &mut Reach,
        target: Option<&Target>,
        client: &Client,
        fit: &Fit,
        skill: &Selected,
        tree: &Tree,
    ) -> Self {
        let real = rooted::anywhere(&skill.dir).and_then(|dir| dir.canonical()).ok();
        let is_it = |one: &Standing| real.as_ref() == Some(&one.real);
        let standing = target.and_then(|target| reach.found(target).iter().find(|one| is_it(one)).cloned());
        let same_name = match (target, &standing) {
            (Some(target), Some(own)) => reach.rival_messages(target, own),
            _ => Vec::new(),
        };
        // A skill outside the client's directories would replace one of its name.
        let listed = target.map(|target| reach.listed(target));
        let all = listed.iter().flat_map(|listed| listed.iter());
        let others = all.filter(|one| !is_it(one) && (standing.is_some() || one.name != fit.name));
        let hidden = standing.is_some() && others.clone().any(|one| one.name == fit.name) && !twice(target);
        let bytes = tree.get("SKILL.md").filter(|_| fit.loaded && !hidden).map(|blob| &blob.bytes);
        let own = bytes.and_then(|bytes| fit::listing(bytes, directory(skill), client));
        let own = own.map(|listing| (listing.chars(), listing.tokens()));
        Self { budget: Budget::of(client, others.map(|one| one.cost).chain(own)), same_name }
    }
}

fn directory(skill: &Selected) -> &str {
    skill.dir.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

/// Whether a client can list two skills of one name.
fn twice(target: Option<&Target>) -> bool {
    let twice = target.and_then(reads).map(|known| known.twice);
    matches!(twice, Some(Twice::Both | Twice::OnePerScope))
}

fn table(style: Style, shown: &str, fits: &[Fit], beside: &[Beside]) -> String {
    let rows = fits.iter().zip(beside).map(|(fit, Beside { budget, .. })| {
        let sees = match (&fit.listing, fit.loaded) {
            (_, false) => "not loaded".to_owned(),
            (None, true) if !fit.read => "read in its own way".to_owned(),
            (None, true) => "not listed: called by name".to_owned(),
            (Some(_), true) if fit.listing_chars < fit.whole_chars => {
                format!("{} of {} characters", fit.listing_chars, fit.whole_chars)
            }
            (Some(_), true) => format!("all {} characters", fit.whole_chars),
        };
        let amount = budget.amount().unwrap_or_else(|| format!("{} characters", budget.chars));
        let tokens = skill::tokens::describe(budget.tokens);
        let used = format!("{}: {amount}, {tokens}", ui::count(budget.skills, "skill"));
        let ignored = if fit.ignored.is_empty() { "-".to_owned() } else { fit.ignored.join(", ") };
        [fit.client.to_owned(), skill::printable(&fit.name), sees, skill::printable(&ignored), used]
    });
    let mut text = format!("\n{}\n", style.head(&format!("What clients see of {}", skill::printable(shown))));
    text.push_str(&ui::table(style, &["CLIENT", "NAME", "DESCRIPTION", "IGNORES", "LIST"], rows));
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
    for said in beside.iter().flat_map(|beside| &beside.same_name) {
        line(said.clone());
    }
    for (beyond, titles) in grouped(
        fits.iter().zip(beside).filter_map(|(fit, beside)| Some((beside.budget.beyond()?.to_owned(), fit.title))),
    ) {
        line(format!("{}: {beyond}", who(&titles)));
    }
    for (end, titles) in grouped(fits.iter().filter_map(|fit| Some((fit.end_of_cut()?, fit.title)))) {
        line(format!("{}: the description is shown only up to \"{end}\"", who(&titles)));
    }
    text
}

/// Merges equal lines of several clients into one with their names.
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

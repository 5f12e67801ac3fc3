//! `validate --fit`: what each client will see of a skill, beside the skills it already has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::place::Place;
use super::work::Checked;
use crate::project::Project;
use crate::rules::fit::{self, Fit};
use crate::rules::{Profile, Subject};
use crate::skill::Tree;
use crate::target::{Client, Targets};
use crate::ui::{self, Style};
use crate::{disk, skill};

/// What the skills a client has installed take of its list.
#[derive(Debug, Clone, Default)]
struct Installed {
    /// Characters and estimated tokens of each skill's line, by folder name.
    lines: BTreeMap<String, (usize, usize)>,
}

/// The fit of every skill that could be read: the data, and the tables for people.
pub(super) fn fits(
    style: Style,
    project: &Project,
    targets: &Targets,
    profile: Profile,
    places: &[Place],
    checked: &[Checked],
) -> (Value, String) {
    let mut installed: BTreeMap<&str, Installed> = BTreeMap::new();
    let mut data = Vec::new();
    let mut text = String::new();
    for (place, one) in places.iter().zip(checked) {
        let Some(tree) = &one.tree else { continue };
        let clients = profile.clients().filter(|clients| !clients.is_empty()).unwrap_or_else(|| place.clients.clone());
        for client in &clients {
            installed.entry(client.id).or_insert_with(|| listed(project, targets, client));
        }
        let subject = Subject { directory: &one.name, prefix: &place.shown, tree, target: place.target.as_ref() };
        let fits = fit::fit(&subject, &clients);
        let budgets: Vec<Budget> =
            clients.iter().map(|client| Budget::of(client, installed.get(client.id), tree, &one.name)).collect();
        text.push_str(&table(style, &place.shown, &fits, &budgets));
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

/// What a client's list takes with this skill in it.
struct Budget {
    limit: Option<usize>,
    basis: Option<&'static str>,
    skills: usize,
    chars: usize,
    tokens: usize,
}

impl Budget {
    fn of(client: &Client, installed: Option<&Installed>, tree: &Tree, name: &str) -> Self {
        let mut lines = installed.cloned().unwrap_or_default().lines;
        match tree.get("SKILL.md").and_then(|blob| fit::listing(&blob.bytes, name, client)) {
            Some(listing) => lines.insert(name.to_owned(), (listing.chars(), listing.tokens())),
            None => lines.remove(name),
        };
        Self {
            limit: client.budget.map(|budget| budget.chars),
            basis: client.budget.map(|budget| budget.basis),
            skills: lines.len(),
            chars: lines.values().map(|(chars, _)| chars).sum(),
            tokens: lines.values().map(|(_, tokens)| tokens).sum(),
        }
    }

    fn over(&self) -> bool {
        self.limit.is_some_and(|limit| self.chars > limit)
    }

    fn json(&self) -> Value {
        json!({
            "chars": self.limit, "basis": self.basis, "skills": self.skills, "used_chars": self.chars,
            "used_tokens": self.tokens, "over": self.over(),
        })
    }
}

/// What the skills take that a client already reads in this project.
fn listed(project: &Project, targets: &Targets, client: &Client) -> Installed {
    let mut installed = Installed::default();
    let Some(target) = targets.get(client.id) else { return installed };
    for dir in std::iter::once(&target.skills_dir).chain(&target.also_reads) {
        for name in disk::directories_in(project, dir) {
            let path = project.path(dir).join(&name).join("SKILL.md");
            let bytes = disk::read_at_most(&path, skill::frontmatter::MAX_FILE + 1).unwrap_or_default();
            if let Some(listing) = fit::listing(&bytes, &name, client) {
                installed.lines.entry(name).or_insert((listing.chars(), listing.tokens()));
            }
        }
    }
    installed
}

fn table(style: Style, shown: &str, fits: &[Fit], budgets: &[Budget]) -> String {
    let rows: Vec<Vec<String>> = fits
        .iter()
        .zip(budgets)
        .map(|(fit, budget)| {
            let sees = match (&fit.listing, fit.loaded) {
                (_, false) => "not loaded".to_owned(),
                (None, true) => "not listed: called by name".to_owned(),
                (Some(_), true) if fit.listing_chars < fit.whole_chars => {
                    format!("{} of {} characters", fit.listing_chars, fit.whole_chars)
                }
                (Some(_), true) => format!("all {} characters", fit.whole_chars),
            };
            let limit = budget.limit.map_or(String::new(), |limit| format!(" of {limit}"));
            let over = if budget.over() { " (too many)" } else { "" };
            let used = format!(
                "{}: {}{limit} characters{over}, ~{} tokens",
                ui::count(budget.skills, "skill"),
                budget.chars,
                budget.tokens,
            );
            let ignored = if fit.ignored.is_empty() { "-".to_owned() } else { fit.ignored.join(", ") };
            vec![fit.client.to_owned(), skill::printable(&fit.name), sees, skill::printable(&ignored), used]
        })
        .collect();
    let mut text = format!("\n{}\n", style.head(&format!("What clients see of {}", skill::printable(shown))));
    text.push_str(&ui::table(style, &["CLIENT", "NAME", "DESCRIPTION", "IGNORES", "LIST"], &rows));
    for fit in fits.iter().filter(|fit| !fit.loaded) {
        for reason in &fit.reasons {
            text.push_str(&style.fold(&format!("  {}\n", skill::printable(reason)), 4));
        }
    }
    text
}

//! Whether the skill will trigger: the most similar installed skill, clients that already have a skill of that name,
//! and the space it takes on each client's list.

use serde_json::{Value, json};

use super::{Action, Draft, Plan, PlannedCopy, Run};
use crate::client::discovery::{Beside, Reach, Scope, Standing};
use crate::client::target::{Layout, Target, Twice, client, reads};
use crate::error::{Code, Error, Result, Warning};
use crate::rules::fit::{self, Budget};
use crate::skill::{printable, ranking};
use crate::terminal::ui::{self, Style};

#[derive(Debug, Clone, Default)]
pub struct Trigger {
    others: usize,
    /// The installed skill that is nearest in words, by its name.
    nearest: Option<(String, ranking::Nearest)>,
    twins: Vec<Twin>,
    lists: Vec<(Target, Budget)>,
}

/// A skill of the same name in another directory that a client reads.
#[derive(Debug, Clone)]
struct Twin {
    client: String,
    path: String,
    scope: Scope,
    place: std::path::PathBuf,
    effect: String,
}

/// Examines everything that the clients of a plan, and other installed clients that would see the skill, read.
pub(super) fn trigger(run: &mut Run<'_>, plan: &Plan, draft: &Draft) -> Trigger {
    let mut reach = Reach::after(run.env, &run.project, std::rc::Rc::clone(&run.skill_cache));
    let here: Vec<String> = run.clients().into_iter().map(|client| client.row.id).collect();
    let targets = &run.settings.targets;
    let here: Vec<&Target> = here.iter().filter_map(|id| targets.get(id)).collect();
    let readers = readers(&here, plan, &reach);
    let mut trigger = Trigger::default();
    for reader in &readers {
        trigger.twins.extend(twins(&mut reach, reader, plan));
        if let Some(budget) = budget(&mut reach, reader, plan) {
            trigger.lists.push((reader.clone(), budget));
        }
    }
    let mut others = reach.installed(readers.iter());
    others.retain(|one| one.name != plan.name);
    let others: Vec<(&str, &str)> = others.iter().map(|one| (one.name.as_str(), one.text.as_str())).collect();
    trigger.others = others.len();
    trigger.nearest = ranking::nearest((&plan.name, &draft.description), &others).and_then(|words| {
        let (name, _) = others.get(words.index)?;
        Some(((*name).to_owned(), words))
    });
    for twin in &trigger.twins {
        let said = Warning::new(Code::TargetShadowed, twin.effect.clone());
        if !run.env.notes().contains(&said) {
            run.env.note(said);
        }
    }
    trigger
}

/// The clients that would see the skill: the plan's own, and others on this machine that read one of its directories.
fn readers(here: &[&Target], plan: &Plan, reach: &Reach) -> Vec<Target> {
    let planned = plan.entries.iter().map(|entry| &entry.target);
    let mut all: Vec<Target> = Vec::new();
    for target in planned.chain(here.iter().copied()) {
        let known = all.iter().any(|other| other.id == target.id);
        if !known && own_place(reach, target, plan).is_some() {
            all.push(target.clone());
        }
    }
    // The shared directory itself is no client.
    if all.iter().any(|target| target.id != "agents") {
        all.retain(|target| target.id != "agents");
    }
    all
}

/// The client's directory with the copy it would use from this plan: its rank, its path for display, and the plan's
/// entry.
fn own_place<'p>(reach: &Reach, target: &Target, plan: &'p Plan) -> Option<(usize, String, &'p PlannedCopy)> {
    reach.dirs(target).into_iter().enumerate().find_map(|(at, dir)| {
        let entry = plan.entries.iter().find(|entry| reach.holds(&dir, &plan.name, &entry.at))?;
        Some((at, format!("{}/{}", dir.shown, plan.name), entry))
    })
}

/// Other skills of this name that a client finds, and what it does with them.
fn twins(reach: &mut Reach, target: &Target, plan: &Plan) -> Vec<Twin> {
    let Some((own_rank, own, _)) = own_place(reach, target, plan) else { return Vec::new() };
    let scope = reach.scope();
    let dirs = reach.dirs(target);
    let (mut found, mut won): (Vec<Twin>, bool) = (Vec::new(), false);
    for other in reach.found(target).iter().filter(|other| other.name == plan.name) {
        let planned = dirs.iter().any(|dir| {
            other.shown == format!("{}/{}", dir.shown, plan.name)
                && plan.entries.iter().any(|entry| reach.holds(dir, &plan.name, &entry.at))
        });
        let beside = Beside::of(target, scope, other.scope);
        // A link that leads to a copy of the plan is that copy.
        let linked = beside != Beside::Complains && plan.entries.iter().any(|entry| reach.is_at(other, &entry.at));
        // If the directories of a scope count as one, only the first of them counts.
        let counted = beside == Beside::BothScopes && found.iter().any(|twin| twin.scope == other.scope);
        // Beside one that wins already, what becomes of the others is not about this skill.
        let beaten = won && matches!(beside, Beside::Hides | Beside::UserWins);
        if planned || linked || counted || beaten {
            continue;
        }
        let rank = dirs.iter().position(|dir| other.shown.starts_with(&format!("{}/", dir.shown))).unwrap_or(0);
        won |= rank < own_rank;
        let (title, path) = (&target.title, &other.shown);
        let (first, second) = if rank < own_rank { (path, &own) } else { (&own, path) };
        let effect = match beside {
            Beside::Uncallable => {
                let call = target.invoke.replace("NAME", &plan.name);
                format!("{title} would list it twice, as {path} is there too, and `{call}` would call neither.")
            }
            Beside::BothScopes => format!("{title} would list it twice, as {path} is there too."),
            Beside::Complains => format!("{title} would use {first} and complain of {second}."),
            Beside::Either => format!("{title} would use {own} or {path}, not always the same."),
            Beside::UserWins => {
                let winner = if rank < own_rank { other.scope } else { scope };
                format!("{title} would use {first}: {} win.", winner.skills())
            }
            Beside::Hides => format!("{title} would use {first} and hide {second}."),
        };
        let place = dirs.get(rank).map(|dir| dir.path.join(&plan.name)).unwrap_or_default();
        found.push(Twin { client: target.id.clone(), path: path.clone(), scope: other.scope, place, effect });
    }
    found
}

/// The space a client's list needs with this skill on it.
fn budget(reach: &mut Reach, target: &Target, plan: &Plan) -> Option<Budget> {
    let client = client(&target.id)?;
    let (_, _, entry) = own_place(reach, target, plan)?;
    let scope = reach.scope();
    let listing = fit::listing(entry.tree.text("SKILL.md")?.as_bytes(), &plan.name, client);
    let twice = reads(target).map_or(Twice::First, |known| known.twice);
    let listed = reach.listed(target);
    let beside_it = |one: &&Standing| {
        let planned = plan.entries.iter().any(|entry| reach.is_at(one, &entry.at));
        let beside = match twice {
            Twice::Both => !planned,
            Twice::OnePerScope => one.scope != scope,
            Twice::First | Twice::Complains | Twice::Either => false,
        };
        one.name != plan.name || beside
    };
    let own = listing.map(|listing| (listing.chars(), listing.tokens()));
    Some(Budget::of(client, listed.iter().filter(beside_it).map(|one| one.cost).chain(own)))
}

impl Trigger {
    /// Refuses a plan that would make a skill of this scope uncallable: a client would list two copies of it. Errors:
    /// E-CREATE-004 with the layout that works. A copy in the other scope is only a warning: this plan cannot fix it.
    pub(super) fn callable(&self, run: &Run<'_>, plan: &Plan) -> Result<()> {
        let own = if run.project.is_user() { Scope::User } else { Scope::Project };
        let broken = self.twins.iter().filter(|twin| twin.scope == own).find(|twin| {
            let Some(reader) = run.settings.targets.get(&twin.client) else { return false };
            let read = |dir: &String| *dir == reader.skills_dir || reader.also_reads.contains(dir);
            let adds = |entry: &PlannedCopy| entry.action == Action::Create && read(&entry.target.skills_dir);
            reads(reader).is_some_and(|known| known.twice == Twice::Both) && plan.entries.iter().any(adds)
        });
        let Some(twin) = broken else { return Ok(()) };
        let own_path = |target: &&Target| run.project.path(&target.skill_dir(&plan.name)) == twin.place;
        let owner = run.settings.targets.iter().find(own_path);
        let Some(owner) = owner else { return Ok(()) };
        let layout = if owner.id == "agents" { Layout::Shared } else { Layout::Native };
        Err(Error::new(Code::CreateNoTarget, twin.effect.trim_end_matches('.')).suggest(format!(
            "Use `--layout {}`, which writes where that copy is, or remove it first: `hefesto delete {} --cli {}`.",
            layout.word(),
            plan.name,
            owner.id
        )))
    }

    /// For the preview; empty if no other skill is installed and every list has room.
    pub(super) fn text(&self, style: Style) -> String {
        let tight = self.lists.iter().any(|(_, budget)| budget.over());
        if self.others == 0 && self.twins.is_empty() && !tight {
            return String::new();
        }
        let mut text = format!("\n{}\n", style.head("Reach"));
        let mut line = |mark: String, said: &str| {
            text.push_str(&style.fold(&format!("  {mark} {}\n", printable(said)), 4));
        };
        for twin in &self.twins {
            line(style.mark(), &twin.effect);
        }
        if let Some((name, words)) = &self.nearest {
            let of = ui::count(self.others, "other skill");
            let here = quoted(&words.here)
                .map(|words| format!(" A prompt with {words} points to this one."))
                .unwrap_or_default();
            let there =
                quoted(&words.there).map(|words| format!(" One with {words} points to `{name}`.")).unwrap_or_default();
            let both = words.shared.join(", ");
            line(style.mark(), &format!("Nearest of {of}: `{name}`, which shares the words {both}.{here}{there}"));
        }
        for (target, budget) in &self.lists {
            let Some(said) = budget.amount() else { continue };
            let said =
                format!("{} lists {}, this one included: {said}", target.title, ui::count(budget.skills, "skill"));
            match budget.beyond() {
                Some(beyond) => line(style.mark(), &format!("{said}; {beyond}")),
                None => line(style.tick(), &said),
            }
        }
        text
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "others": self.others,
            "nearest": self.nearest.as_ref().map(|(name, words)| json!({
                "name": name, "shared": words.shared, "here": words.here, "there": words.there,
            })),
            "same_name": self.twins.iter().map(|one| json!({
                "client": one.client, "path": one.path, "scope": one.scope, "effect": one.effect,
            })).collect::<Vec<_>>(),
            "lists": self.lists.iter().map(|(target, budget)| json!({
                "client": target.id, "budget": budget.json(),
            })).collect::<Vec<_>>(),
        })
    }
}

/// `"clean" or "sort"`; none for no words.
fn quoted(words: &[String]) -> Option<String> {
    let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    let (last, before) = words.split_last()?;
    Some(if before.is_empty() { last.clone() } else { format!("{} or {last}", before.join(", ")) })
}

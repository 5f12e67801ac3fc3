//! `update`: the text that a newer template or pack gives, merged with what the author made of the old one.

use serde_json::{Value, json};

use super::outdated::{self, Outdated};
use crate::cli;
use crate::client::adapt;
use crate::client::target::Target;
use crate::config::{self, Settings};
use crate::create::remake;
use crate::error::{Code, Error, Exit, Result};
use crate::memory::Recipe;
use crate::project::copies::{self, Known, Newer};
use crate::project::{Project, open};
use crate::report::Report;
use crate::skill::Tree;
use crate::skill::three_way::{self, Choice};
use crate::skill::version::version;
use crate::system::env::Env;
use crate::terminal::ui;
use crate::transaction::consent;
use crate::transaction::operation::{self, Operation};

/// One skill that changes.
struct Update {
    operation: Operation,
    newer: Vec<Newer>,
    version: Option<String>,
    /// The places where the author's text stays although the new one differs.
    kept: Vec<String>,
}

/// Runs `hefesto update`. Errors: E-SKILL-001 for a name that no skill has; E-UPDATE-001 for a named skill that cannot
/// be made again; E-SYNC-001 where its copies were changed differently; E-CREATE-005 where what comes of it breaks a
/// rule.
pub(super) fn update(env: &mut Env, project: &Project, args: &cli::Update, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let (_, registry) = open::enter_initialised(env, project)?;
    let known = Known::read(env, project, Some(registry));
    let skills = match &args.name {
        Some(name) => vec![copies::named(project, &settings.targets, &known, name)?],
        None => copies::whole(project, &settings.targets, &known),
    };
    if let (Some(name), Some(skill)) = (&args.name, skills.first()) {
        makeable(name, skill, &known)?;
    }
    let mut updates = Vec::new();
    for one in outdated::find(env, project, &known, skills)? {
        if one.made_from.drafted {
            env.tell(&format!("`{}` was written by a model and is not made again.", one.skill.name));
            continue;
        }
        updates.push(prepared(env, project, &settings, args, &known, &one)?);
    }
    if updates.is_empty() {
        let data = json!({ "skills": [], "approved_by": null });
        return Ok(Report::done(data, "No template or pack is newer than its skill; nothing to do.\n"));
    }
    let previews: Vec<String> = updates.iter().map(|update| preview(env, project, update)).collect();
    let consent = consent::ask(env, &previews.concat(), yes, settings.gate_limit())?;
    let (mut data, mut text, mut pending) = (Vec::new(), String::new(), false);
    for update in &updates {
        let done = operation::carry_out(env, project, &consent, &update.operation)?;
        pending |= done.pending;
        text.push_str(&said(env, project, update, &done.run));
        data.push(answer(project, update, &done));
    }
    let data = json!({ "skills": data, "approved_by": consent.by().word() });
    Ok(Report::done(data, env.spelled(text)).exit(if pending { Exit::FinishPending } else { Exit::Done }))
}

/// Refuses a skill that is asked for by its name and cannot be made again.
fn makeable(name: &str, skill: &copies::Copies, known: &Known) -> Result<()> {
    let made_from = skill.recipe().and_then(|run| known.made_from(run));
    let why = match made_from {
        Some(made_from) if made_from.drafted => "a model wrote it",
        Some(_) => return Ok(()),
        None => "it is not known what it was made from",
    };
    Err(Error::new(Code::UpdateUnmade, format!("`{name}` cannot be made again: {why}; nothing was written")))
}

/// What has to be done for one skill.
fn prepared(
    env: &mut Env,
    project: &Project,
    settings: &Settings,
    args: &cli::Update,
    known: &Known,
    one: &Outdated,
) -> Result<Update> {
    let skill = &one.skill;
    let unmade =
        || Error::new(Code::UpdateUnmade, format!("what `{}` was made from is not known any more", skill.name));
    let old = skill.recipe().and_then(|run| known.recipe(project, run)).ok_or_else(unmade)?;
    let merged = skill.together(project.roots())?;
    let targets: Vec<Target> = skill.own().map(|copy| copy.target.clone()).collect();
    let new = remake(env, project, settings, &old, (&skill.name, &targets))?;
    let mut kept: Vec<String> = Vec::new();
    let tree = with_new_text(&merged.tree, &old, &new, &mut |place| {
        if !kept.contains(&place) {
            kept.push(place);
        }
    });
    let now = env.stamp();
    let revision = copies::Revision { bump: args.revision.bump.into(), now: &now };
    let text = copies::revise(merged.installed.as_ref(), tree, revision);
    let mut written = copies::write(skill, &text, &[]);
    if let Some(error) =
        copies::unacceptable(&skill.name, &written.steps, |id| settings.targets.get(id), &settings.severities)
    {
        return Err(error);
    }
    // A copy that says it already follows the new recipe too.
    let stays = |copy: &&copies::Copy| {
        copy.tree().is_some()
            && written.steps.iter().all(|step| step.at != copy.at)
            && written.settled.iter().all(|(_, at, _)| *at != copy.at)
    };
    let settled: Vec<_> = skill.own().filter(stays).collect();
    let settled =
        settled.into_iter().filter_map(|copy| Some((copy.target.id.clone(), copy.at.clone(), copy.tree()?.clone())));
    let settled: Vec<_> = settled.collect();
    written.settled.extend(settled);
    let why = format!("made again from a newer {}", Newer::text(&one.newer));
    let mut operation = written.operation("update", &skill.name, &now, why);
    operation.recipe = Some(new);
    Ok(Update { operation, newer: one.newer.clone(), version: version(&text), kept })
}

/// The author's text with what is new in the other one; where both changed a place, the author's stays and the place is
/// told.
fn with_new_text(author: &Tree, old: &Recipe, new: &Recipe, keeps: &mut dyn FnMut(String)) -> Tree {
    let only = |text: &str| {
        let mut tree = Tree::new();
        tree.put("SKILL.md", text);
        tree
    };
    let mut merged = author.clone();
    let Some(text) = author.text("SKILL.md") else { return merged };
    let (base, ours, theirs) = (only(&old.text), only(text), only(&new.text));
    let text = three_way::merge(&adapt::neutral(&base), &ours, &adapt::neutral(&theirs), &mut |conflict| {
        keeps(conflict.place.clone());
        Choice::Ours
    });
    if let Some(text) = text.text("SKILL.md") {
        merged.put("SKILL.md", text);
    }
    merged
}

fn preview(env: &Env, project: &Project, update: &Update) -> String {
    let mut text = update.operation.preview(env.style, project);
    text.push_str(&format!("  newer: {}\n", Newer::text(&update.newer)));
    if update.operation.steps.is_empty() {
        text.push_str("  nothing of the text changes\n");
    }
    for place in &update.kept {
        text.push_str(&env.style.fold(&format!("  stays as you wrote it: {}\n", crate::skill::printable(place)), 4));
    }
    text
}

fn said(env: &Env, project: &Project, update: &Update, run: &str) -> String {
    let operation = &update.operation;
    let version = update.version.as_ref().map(|version| format!(", version {version}")).unwrap_or_default();
    let what = match operation.steps.len() {
        0 => "says already what the newer parts say".to_owned(),
        copies => format!("is up to date in {}{version}", ui::count(copies, "place")),
    };
    let mut text = format!("{} `{}` {what}.\n", env.style.tick(), operation.name);
    for step in &operation.steps {
        text.push_str(&format!("  {} {}/\n", step.word(), project.shown(&step.at)));
    }
    if !operation.steps.is_empty() {
        text.push_str(&format!("  to undo: hefesto undo {run}\n"));
    }
    text
}

fn answer(project: &Project, update: &Update, done: &operation::Done) -> Value {
    let newer = update.newer.iter().map(|newer| json!({ "kind": newer.kind, "id": newer.id }));
    json!({
        "name": update.operation.name,
        "copies": update.operation.json(project),
        "newer": newer.collect::<Vec<_>>(),
        "kept": update.kept,
        "version": update.version,
        "backup": done.backup.as_deref().map(|path| project.display(path)),
        "run_id": done.run,
    })
}

//! `update`: the text that a newer template or pack gives, merged with what the author made of the old one; places
//! that both changed differently are left to the author.

use serde_json::{Value, json};

use super::outdated::{Outdated, both_texts, find_outdated, standing, to_take_newer};
use super::skills::{self, Skills};
use crate::cli;
use crate::client::{adapt, target::Target};
use crate::error::{Code, Error, Result};
use crate::memory::{Left, Recipe};
use crate::project::Project;
use crate::project::copies::{self, Copies, Known, Newer};
use crate::report::Report;
use crate::skill::three_way::{self, Choice};
use crate::skill::{Tree, printable, version::version};
use crate::system::env::Env;
use crate::terminal::ui;
use crate::transaction::operation::{self, Operation};

struct Update {
    operation: Operation,
    newer: Vec<Newer>,
    version: Option<String>,
    /// The places where the author's text stays although the new one differs.
    kept: Vec<Left>,
}

/// Runs `hefesto update`. Errors: E-USAGE-001 without a name; E-SKILL-001 for a name that no skill has; E-UPDATE-001
/// for a named skill that cannot be made again; E-SYNC-001 where its copies were changed differently; E-CREATE-005
/// where what comes of it breaks a rule.
pub(super) fn update(env: &mut Env, project: &Project, args: &cli::Update, yes: bool) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let meant = skills.named_or_all(args.name.as_slice())?;
    match (&args.name, meant.first()) {
        (Some(name), Some(skill)) => makeable(name, skill, &skills.known)?,
        (None, _) if !args.all => return Err(unnamed(&find_outdated(env, &skills, meant)?)),
        _ => {}
    }
    let (mut updates, mut left) = (Vec::new(), String::new());
    for one in find_outdated(env, &skills, meant)? {
        if one.made_from.drafted {
            env.tell(&format!("`{}` was written by a model and is not made again.", one.skill.name));
        } else if one.newer.is_empty() && args.on_conflict == cli::Whose::Mine {
            left.push_str(&still_kept(&one.skill.name, &one.left));
        } else {
            updates.push(prepared(env, &skills, args, &one)?);
        }
    }
    if updates.is_empty() {
        let data = json!({ "skills": [], "approved_by": null, "dry_run": args.dry_run });
        let text = format!("No template or pack is newer than its skill; nothing to do.\n{left}");
        return Ok(Report::done(data, env.spelled(text)));
    }
    let previews: String = updates.iter().map(|update| preview(env, project, update)).collect();
    let previews = env.spelled(previews);
    if args.dry_run {
        let data: Vec<Value> = updates.iter().map(|update| answer(project, update, None)).collect();
        return Ok(Report::done(json!({ "skills": data, "approved_by": null, "dry_run": true }), previews));
    }
    let consent = crate::transaction::consent::ask(env, &previews, yes, skills.settings.gate_limit())?;
    let (mut data, mut text, mut pending) = (Vec::new(), String::new(), false);
    for update in &updates {
        let done = operation::carry_out(env, project, &consent, &update.operation)?;
        pending |= done.pending;
        text.push_str(&said(env, project, update, &done.run));
        data.push(answer(project, update, Some(&done)));
    }
    let data = json!({ "skills": data, "approved_by": consent.by().word(), "dry_run": false });
    Ok(skills::finished(env, data, text, pending))
}

/// Asks for a name, with the skills that have something newer.
fn unnamed(outdated: &[Outdated]) -> Error {
    let newer = outdated.iter().filter(|one| !one.newer.is_empty() && !one.made_from.drafted);
    let names: Vec<String> = newer.map(|one| format!("`hefesto update {}`", one.skill.name)).take(5).collect();
    let error = Error::new(Code::Usage, "no skill is named").usage("hefesto update NAME|--all");
    if names.is_empty() {
        error.suggest("No template or pack is newer than its skill: nothing to update.")
    } else {
        error.suggest(format!("{}, or `hefesto update --all`.", names.join(", ")))
    }
}

/// Refuses a skill that is asked for by its name and cannot be made again.
fn makeable(name: &str, skill: &Copies, known: &Known) -> Result<()> {
    let made_from = skill.recipe().and_then(|run| known.made_from(run));
    let why = match made_from {
        Some(made_from) if made_from.drafted => "a model wrote it",
        Some(_) => return Ok(()),
        None => "it is not known what it was made from",
    };
    let cure = format!("Bring in what is new by hand: `hefesto edit {name}`, with `hefesto templates show` beside it.");
    let message = format!("`{name}` cannot be made again: {why}; nothing was written");
    Err(Error::new(Code::UpdateUnmade, message).suggest(cure))
}

fn prepared(env: &mut Env, skills: &Skills<'_>, args: &cli::Update, one: &Outdated) -> Result<Update> {
    let Skills { project, settings, known, .. } = skills;
    let skill = &one.skill;
    let unmade =
        || Error::new(Code::UpdateUnmade, format!("what `{}` was made from is not known any more", skill.name));
    let old = skill.recipe().and_then(|run| known.recipe(project, run)).ok_or_else(unmade)?;
    let merged = skill.together(project.roots())?;
    let targets: Vec<Target> = skill.own().map(|copy| copy.target.clone()).collect();
    let mut new = crate::create::remake(env, project, settings, &old, (&skill.name, &targets))?;
    let (tree, kept) = merged_with_newer(&merged.tree, &old, &new, args.on_conflict == cli::Whose::Newer);
    new.made_from.left.clone_from(&kept);
    let now = env.stamp();
    let revision = copies::Revision { bump: args.revision.bump, now: &now };
    let text = copies::revise(merged.installed.as_ref(), tree, revision);
    let mut written = copies::write(skill, &text, &[]);
    skills.accept(&skill.name, &written.steps)?;
    // A copy that says it already follows the new recipe too.
    let stays = |copy: &&copies::Copy| {
        copy.tree().is_some()
            && written.steps.iter().all(|step| step.at != copy.at)
            && written.settled.iter().all(|(_, at, _)| *at != copy.at)
    };
    let files = |copy: &copies::Copy| Some((copy.target.id.clone(), copy.at.clone(), copy.tree()?.clone()));
    let settled: Vec<_> = skill.own().filter(stays).filter_map(files).collect();
    written.settled.extend(settled);
    let why = match &one.newer[..] {
        [] => "the newer text where it had been left to the author".to_owned(),
        newer => format!("made again from a newer {}", Newer::text(newer)),
    };
    let mut operation = written.operation("update", &skill.name, &now, why);
    operation.recipe = Some(new);
    Ok(Update { operation, newer: one.newer.clone(), version: version(&text), kept })
}

fn preview(env: &Env, project: &Project, update: &Update) -> String {
    let mut text = update.operation.preview(env.err_style(), project);
    if !update.newer.is_empty() {
        text.push_str(&format!("  newer: {}\n", Newer::text(&update.newer)));
    }
    if update.operation.steps.is_empty() {
        text.push_str("  nothing of the text changes\n");
    }
    text + &both_texts(env.err_style(), &update.operation.name, &update.kept)
}

fn said(env: &Env, project: &Project, update: &Update, run: &str) -> String {
    let operation = &update.operation;
    let version = update.version.as_ref().map(|version| format!(", version {version}")).unwrap_or_default();
    let (places, kept) = (ui::count(operation.steps.len(), "place"), update.kept.len());
    let what = match (operation.steps.len(), kept) {
        (0, 0) => "says already what the newer parts say".to_owned(),
        (0, _) => "stays as it is".to_owned(),
        (_, 0) => format!("is up to date in {places}{version}"),
        _ => format!("is written in {places}{version}"),
    };
    let left = match kept {
        0 => String::new(),
        _ => format!("; {} left to you", ui::count(kept, "newer text")),
    };
    let mark = if kept == 0 { env.style.tick() } else { env.style.mark() };
    let mut text = env.style.fold(&format!("{mark} `{}` {what}{left}.\n", operation.name), 2);
    text.push_str(&skills::lines(project, &operation.steps));
    if kept > 0 {
        text.push_str(&format!("  as you wrote it: {}\n", place_names(&update.kept)));
        text.push_str(&format!("  to see both: hefesto outdated {}\n", operation.name));
        text.push_str(&format!("  to take the newer text: {}\n", to_take_newer(&operation.name)));
    }
    if !operation.steps.is_empty() {
        text.push_str(&format!("  to undo: hefesto undo {run}\n"));
    }
    text
}

fn answer(project: &Project, update: &Update, done: Option<&operation::Done>) -> Value {
    json!({
        "name": update.operation.name, "copies": update.operation.json(project), "newer": update.newer,
        "kept": update.kept, "version": update.version,
        "backup": done.and_then(|done| done.backup.as_deref()).map(|path| project.display(path)),
        "run_id": done.map(|done| &done.run),
    })
}

/// The author's text with what is new, and the places where theirs stays.
fn merged_with_newer(author: &Tree, old: &Recipe, new: &Recipe, newer_holds: bool) -> (Tree, Vec<Left>) {
    let Some(text) = author.text("SKILL.md") else { return (author.clone(), Vec::new()) };
    let mut text = text.to_owned();
    let mut base = old.text.clone();
    if newer_holds {
        for left in &old.made_from.left {
            reopen(left, &mut base, &mut text);
        }
    }
    let mut kept: Vec<Left> = Vec::new();
    let only = |text: &str| {
        let mut tree = Tree::new();
        tree.put("SKILL.md", text);
        tree
    };
    let [base, newer] = [&base, &new.text].map(|text| adapt::neutral(&only(text)));
    let result = three_way::merge(&base, &only(&text), &newer, &mut |conflict| {
        if newer_holds {
            return Choice::Theirs;
        }
        let (place, yours, newer) = (conflict.place.clone(), conflict.ours.clone(), conflict.theirs.clone());
        kept.push(Left { place, yours, newer });
        Choice::Ours
    });
    let mut tree = author.clone();
    if let Some(text) = result.text("SKILL.md") {
        let before = standing(&old.made_from.left, text);
        let says = |left: &Left| left.newer.as_deref().is_none_or(|newer| new.text.contains(newer.trim_end()));
        kept.extend(before.filter(|left| says(left)).cloned());
        tree.put("SKILL.md", text);
    }
    (tree, kept)
}

/// Makes a place that was left to the author one that only the newer text changes.
fn reopen(left: &Left, base: &mut String, text: &mut String) {
    let yours = left.yours.as_deref().unwrap_or_default();
    match left.newer.as_deref() {
        Some(newer) if base.matches(newer).count() == 1 => *base = base.replace(newer, yours),
        None if text.matches(yours).count() == 1 => *text = text.replace(yours, ""),
        _ => {}
    }
}

fn place_names(all: &[Left]) -> String {
    all.iter().map(|left| printable(&left.place)).collect::<Vec<_>>().join(", ")
}

fn still_kept(name: &str, all: &[Left]) -> String {
    let name = printable(name);
    format!("`{name}` still keeps your text in {}: `hefesto outdated {name}` shows both.\n", place_names(all))
}

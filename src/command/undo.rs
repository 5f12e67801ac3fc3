//! `undo [RUN]`: reverses what a run did to installed skills, across all targets and the registry.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::memory::looked_into;
use super::runs::short;
use super::skills::{self, CarriedOut};
use crate::cli;
use crate::error::{Code, Coded, Error, Result};
use crate::memory::{Changed, Installed, InstalledCopy, Memory};
use crate::project::{DATABASE, Project, open};
use crate::registry::{BeforeRun, Op, Reversal};
use crate::report::Report;
use crate::skill::Tree;
use crate::system::env::Env;
use crate::transaction;
use crate::transaction::backup::{self, Archive};
use crate::transaction::consent;
use crate::transaction::operation::{self, FileStep, Operation, Step};

/// Runs `hefesto undo`. If a copy was edited since, it is named and nothing is done. Errors: E-UNDO-001 if there is
/// nothing to undo, E-UNDO-002 if a copy was edited since, E-UNDO-003 if the required backup is missing or damaged.
pub(super) fn undo(env: &mut Env, project: &Project, args: &cli::Undo, yes: bool) -> Result<Report> {
    let settings = crate::config::load(env, project)?;
    // A repair works without a registry, and so does its undo; without any run there is nothing to do.
    let initialised = if project.exists(DATABASE) {
        !open::enter(env, project)?.is_new()
    } else {
        open::enter_initialised(env, project)?;
        true
    };
    let Found { run, command, stamp, skill, changed, before: was, installed, again, earlier } =
        find(project, args.run.as_deref())?;
    let (kept, changed): (Vec<_>, Vec<_>) = changed.into_iter().partition(|one| one.action == Changed::KEEP);
    let (in_files, changed): (Vec<_>, Vec<_>) = changed.into_iter().partition(|one| FileStep::is_at(&one.at));
    let (steps, files) = reversed(project, &run, &changed, &in_files)?;
    let backup = changed.iter().find_map(|one| one.backup.clone());
    let empty = was.as_ref().map(BeforeRun::missing).unwrap_or_default();
    let skills = match &was {
        Some(BeforeRun::Several(all)) => all.iter().map(|(name, _)| name.clone()).collect(),
        _ => Vec::new(),
    };
    let ops = if initialised { operations(env, &skill, &steps, &kept, was, backup.as_deref()) } else { Vec::new() };
    // Copies the run did not change are not touched.
    let now = |one: &Changed| transaction::scan(project.roots(), &one.at).ok().flatten();
    let settled = kept.iter().filter_map(|one| Some((one.target.clone(), one.at.clone(), now(one)?))).collect();
    let operation = Operation {
        command: "undo",
        name: skill,
        skills,
        steps,
        files,
        settled,
        ops,
        keep_backup: true,
        empty,
        installed: (!installed.is_empty()).then_some(installed),
        why: Some(format!("{command} taken back (run {run})")),
        ..Operation::default()
    };
    let holds = again.map(|again| format!(", so the {again} holds again")).unwrap_or_default();
    let style = env.err_style();
    let what = style.dim(&format!("undoes the {command} of {stamp}{holds}"));
    let preview = format!("{}  {what}\n", operation.preview(style, project));
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let done = operation::carry_out(env, project, &consent, &operation)?;
    let data = json!({ "undone": run, "name": operation.name, "steps": operation.json(project) });
    let mut text = format!("{} The {command} is undone (run {run}){holds}.\n", env.style.tick());
    text.push_str(&skills::lines(project, &operation.steps));
    for file in &operation.files {
        text.push_str(&format!("  {} {}\n", file.word(), project.shown(&file.at)));
    }
    for (_, at, _) in &operation.settled {
        text.push_str(&format!("  keep {}/ as it is\n", project.shown(at)));
    }
    text.push_str("\nTo take that back: hefesto undo\n");
    if let Some((earlier, command)) = earlier {
        text.push_str(&format!("To go back further: hefesto undo {} (the {command} before it)\n", short(&earlier)));
    }
    Ok(CarriedOut::of(project, done, consent.by()).report(env, data, text))
}

/// The steps that bring back what was there before the run.
fn reversed(
    project: &Project,
    run: &str,
    changed: &[Changed],
    in_files: &[Changed],
) -> Result<(Vec<Step>, Vec<FileStep>)> {
    let (mut steps, mut files, mut edited) = (Vec::new(), Vec::new(), Vec::new());
    for one in in_files {
        let now = FileStep::now(project, &one.at);
        if now.as_deref().map(transaction::bytes_digest) != one.after {
            edited.push((project.display(&one.at), one));
            continue;
        }
        let after = one.before.as_ref().map(|digest| kept_copy(project, one, digest)).transpose()?;
        files.push(FileStep { target: one.target.clone(), at: one.at.clone(), before: now, after, copy: None });
    }
    let mut archives = BTreeMap::new();
    for one in changed {
        let now = transaction::scan(project.roots(), &one.at)?;
        if now.as_ref().map(Tree::digest) != one.after {
            edited.push((format!("{}/", project.display(&one.at)), one));
            continue;
        }
        let after = one.before.as_ref().map(|digest| before(project, one, digest, &mut archives)).transpose()?;
        steps.push(Step { target: one.target.clone(), at: one.at.clone(), before: now, after });
    }
    if edited.is_empty() {
        return Ok((steps, files));
    }
    let places: Vec<&str> = edited.iter().map(|(place, _)| place.as_str()).collect();
    let message =
        format!("{} changed since run {run}; undoing would lose that, so nothing was done", places.join(", "));
    let error = Error::new(Code::UndoEdited, message);
    Err(match edited.first().and_then(|(_, first)| instead(project, run, first)) {
        Some(cure) => error.suggest(cure),
        None => error,
    })
}

/// What to do where a copy changed after the run: by a later run, or by hand.
fn instead(project: &Project, run: &str, one: &Changed) -> Option<String> {
    let memory = looked_into(project).ok().flatten()?;
    let later = memory.provenance(&one.at).ok().flatten().map(|(later, _)| later).filter(|later| later != run);
    if let Some(later) = later {
        let of = memory.installed_by(&later).ok()?.pop()?;
        let taken_back = of.command == "undo" && of.why.is_some_and(|why| why.ends_with(&format!("(run {run})")));
        let id = short(&later);
        return Some(if taken_back {
            format!("It is undone already; `hefesto undo {id}` takes that back.")
        } else {
            format!("Undo the later {} first: `hefesto undo {id}`; `hefesto runs` lists the runs.", of.command)
        });
    }
    let name = shell_words::quote(one.at.rsplit('/').next()?);
    if FileStep::is_at(&one.at) {
        return None;
    }
    let shows = format!("`hefesto diff {name}` shows the edit");
    Some(match &one.backup {
        Some(file) => {
            let file = file.rsplit('/').next().unwrap_or(file);
            format!("{shows}; `hefesto restore {file}` gives it up and brings back what was there before the run.")
        }
        None => format!("{shows}; `hefesto delete {name}` removes the skill, with a backup."),
    })
}

/// What is recorded as installed after the undo: the state before the run, for every path it changed.
fn installed_before(memory: &Memory, run: &str) -> anyhow::Result<Vec<InstalledCopy>> {
    let rows = memory.installed_by(run)?;
    let before = |row: &Installed| {
        let known = memory.installed_before(row)?.map(|known| known.copy);
        Ok(known.unwrap_or_else(|| InstalledCopy { digest: None, version: None, recipe: None, ..row.copy.clone() }))
    };
    rows.iter().map(before).collect()
}

struct Found {
    run: String,
    command: String,
    stamp: String,
    skill: String,
    changed: Vec<Changed>,
    before: Option<BeforeRun>,
    installed: Vec<InstalledCopy>,
    /// The command that an undo took back, if the run is one.
    again: Option<String>,
    /// The run before it that changed something and was not undone, and its command.
    earlier: Option<(String, String)>,
}

fn find(project: &Project, wanted: Option<&str>) -> Result<Found> {
    let nothing = || Error::new(Code::UndoNothing, "no run here has changed a skill");
    let unreadable = "the memory cannot be read";
    let memory = looked_into(project)?.ok_or_else(nothing)?;
    let run = match wanted {
        None => memory.last_change().coded(Code::Io, unreadable)?.ok_or_else(nothing)?,
        Some(wanted) => {
            let none = || format!("no single run has an id that begins or ends with {wanted:?}");
            let found = memory.find_run(Some(wanted)).coded(Code::Io, unreadable)?;
            found.ok_or_else(|| Error::new(Code::NoSuchRun, none()))?.run_id
        }
    };
    let changed = memory.changes_of(&run).coded(Code::Io, unreadable)?;
    let known = memory.find_run(Some(&run)).coded(Code::Io, unreadable)?;
    let before = memory.registry_before(&run).coded(Code::Io, unreadable)?;
    let before = before.and_then(|text| serde_json::from_str(&text).ok());
    let installed = installed_before(&memory, &run).coded(Code::Io, unreadable)?;
    let why = memory.installed_by(&run).coded(Code::Io, unreadable)?.pop().and_then(|row| row.why).unwrap_or_default();
    let stamp = |known: &crate::memory::Run| known.ended_at.clone().unwrap_or_else(|| known.started_at.clone());
    match known.and_then(|known| Some((stamp(&known), known.command, known.skill?))) {
        Some((stamp, command, skill)) if !changed.is_empty() => {
            let is_undo = command == "undo";
            let again = why.split_once(" taken back").filter(|_| is_undo).map(|(command, _)| command.to_owned());
            let earlier = memory.change_before(&run).coded(Code::Io, unreadable)?;
            let earlier = earlier.filter(|(_, command)| !is_undo && command != "undo");
            Ok(Found { run, command, stamp, skill, changed, before, installed, again, earlier })
        }
        _ => Err(Error::new(Code::UndoNothing, format!("run {run} changed no skill"))),
    }
}

/// The earlier files from the archive, verified by their digest.
fn before(project: &Project, one: &Changed, digest: &str, archives: &mut BTreeMap<String, Archive>) -> Result<Tree> {
    let gone = |why: String| {
        let name = shell_words::quote(one.at.rsplit('/').next().unwrap_or_default());
        let error =
            Error::new(Code::UndoNoBackup, format!("what was in {}/ before cannot be brought back: {why}", one.at));
        error.suggest(format!(
            "`hefesto log {name}` lists the versions that are kept; `hefesto restore {name}@VERSION` brings one back."
        ))
    };
    let Some(path) = &one.backup else { return Err(gone("no backup was kept".into())) };
    if !archives.contains_key(path) {
        let at = project.rooted(path).map_err(|error| gone(format!("{path}: {error}")))?;
        let archive = backup::read_at(&at).map_err(|error| gone(format!("{path}: {}", error.message())))?;
        archives.insert(path.clone(), archive);
    }
    let tree = archives.get(path).and_then(|archive| archive.tree(&one.at));
    tree.filter(|tree| tree.digest() == digest).ok_or_else(|| gone(format!("{path} holds something else")))
}

/// The earlier content of a file from the copy beside it, verified by its digest.
fn kept_copy(project: &Project, one: &Changed, digest: &str) -> Result<Vec<u8>> {
    let copy = one.backup.as_ref().and_then(|copy| FileStep::now(project, copy));
    copy.filter(|bytes| transaction::bytes_digest(bytes) == *digest).ok_or_else(|| {
        let message = format!("what was in {} before cannot be brought back: its copy is gone", one.at);
        Error::new(Code::UndoNoBackup, message)
    })
}

/// The changes to the registry: only for directories with the skill's name, since a renamed folder had another one.
fn operations(
    env: &Env,
    skill: &str,
    steps: &[Step],
    kept: &[Changed],
    before: Option<BeforeRun>,
    backup: Option<&str>,
) -> Vec<Op> {
    let at = env.stamp();
    let mut ops: Vec<Op> =
        renamed(steps).into_iter().map(|(name, to)| Op::RenameSkill { name, to, at: at.clone() }).collect();
    let befores = match before {
        Some(BeforeRun::One(before)) => vec![(skill.to_owned(), before)],
        Some(BeforeRun::Several(all)) => all,
        None => {
            let (name, (removed, restored)) = (skill.to_owned(), ids(skill, steps));
            if !removed.is_empty() {
                ops.push(Op::RemoveSkill { name: name.clone(), clis: removed, at: at.clone(), backup: None });
            }
            if !restored.is_empty() {
                ops.push(Op::UpsertSkill { name, clis: restored, at });
            }
            return ops;
        }
    };
    for (name, before) in befores {
        let (mut removed, mut restored) = ids(&name, steps);
        // A remaining copy is registered as before.
        for one in kept.iter().filter(|one| one.at.rsplit('/').next() == Some(name.as_str())) {
            let was = before.skill.as_ref().is_some_and(|row| row.clis.contains(&one.target));
            if was { &mut restored } else { &mut removed }.push(one.target.clone());
        }
        let (at, backup) = (at.clone(), backup.map(str::to_owned));
        ops.push(Op::Reverse(Box::new(Reversal { name, removed, restored, at, before, backup })));
    }
    ops
}

/// The targets whose copies of a skill are removed, and those whose copies are restored.
fn ids(skill: &str, steps: &[Step]) -> (Vec<String>, Vec<String>) {
    let own = steps.iter().filter(|step| step.at.rsplit('/').next() == Some(skill) && !step.target.is_empty());
    let (gone, there): (Vec<&Step>, Vec<&Step>) = own.partition(|step| step.after.is_none());
    let ids = |steps: Vec<&Step>| steps.into_iter().map(|step| step.target.clone()).collect();
    (ids(gone), ids(there))
}

/// Renamed folders: the removed one and its replacement.
fn renamed(steps: &[Step]) -> BTreeSet<(String, String)> {
    let named = |step: &Step| step.at.rsplit_once('/').map(|(dir, name)| (dir.to_owned(), name.to_owned()));
    let gone = steps.iter().filter(|step| step.after.is_none()).filter_map(named);
    let pairs = gone.filter_map(|(dir, old)| {
        let made = |step: &&Step| step.before.is_none() && named(step).is_some_and(|(other, _)| other == dir);
        steps.iter().find(made).and_then(named).map(|(_, new)| (old, new))
    });
    pairs.collect()
}

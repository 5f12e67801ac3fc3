//! `restore NAME|FILE`: brings back what an archive holds, through the gate and one transaction.

mod source;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use serde_json::json;

use super::skills::{self, Skills};
use crate::cli;
use crate::client::target::{Target, Targets};
use crate::config;
use crate::error::{Code, Error, Result};
use crate::memory::InstalledCopy;
use crate::project::copies::{self, Copies, Version};
use crate::project::{Project, open};
use crate::registry::Op;
use crate::report::Report;
use crate::rules::{self, Severity, Subject};
use crate::skill::{Name, Tree, head::head, printable, rename::renamed};
use crate::system::env::Env;
use crate::transaction::operation::{self, Operation, Step};
use crate::transaction::{self, backup::Archive};

use source::Source;

/// Errors: E-RESTORE-001 where there is no such backup, E-RESTORE-002 where it holds nothing that belongs here.
pub(super) fn restore(env: &mut Env, project: &Project, args: &cli::Restore, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let entered = open::enter_initialised(env, project)?;
    if let Some((name, version)) = copies::at_version(&args.what) {
        let found = copies::version_of(project, name, version, None)?;
        let skills = Skills::of(env, project, settings, entered);
        return restore_version(env, &skills, (name, version), found, yes);
    }
    let source = source::find(env, project, &settings.targets, &args.what)?;
    let (mut skills, mut steps) = (BTreeSet::new(), Vec::new());
    for (file, archive) in &source.archives {
        for held in held(&settings.targets, &source, file, archive)? {
            let before = transaction::scan(project.roots(), &held.at)?;
            skills.insert(held.skill);
            if let Some(after) = held.tree.filter(|after| before.as_ref() != Some(after)) {
                steps.push(Step { target: held.target, at: held.at, before, after: Some(after) });
            }
        }
    }
    let from = source.shown();
    let name = match skills.first() {
        None => return Err(refused(&from, "holds no skill")),
        Some(one) if skills.len() == 1 => one.clone(),
        Some(_) => source.name.clone(),
    };
    for (step, tree) in steps.iter().filter(|_| !source.own).filter_map(|step| Some((step, step.after.as_ref()?))) {
        let (target, directory) = (settings.targets.get(&step.target), folder(step));
        acceptable(&Subject { directory, prefix: &step.at, tree, target })?;
    }
    if steps.is_empty() {
        let data = json!({
            "name": name, "skills": skills, "from": from, "restored": [], "backup": null, "run_id": null,
            "approved_by": null,
        });
        return Ok(Report::done(data, format!("`{name}` is as it was in the backup; nothing to do.\n")));
    }
    let operation = operation(&name, &skills, steps, &env.stamp());
    let done = skills::carry_out(env, project, &operation, yes, settings.gate_limit())?;
    let data = json!({ "name": name, "skills": skills, "from": from, "restored": operation.json(project) });
    let what = match skills.len() {
        1 => format!("`{}` is", printable(&name)),
        several => format!("{several} skills are"),
    };
    let mut text = format!("{} {what} restored.\n", env.style.tick());
    for step in &operation.steps {
        text.push_str(&format!("  {}/\n", project.shown(&step.at)));
    }
    if let Some(backup) = &done.backup {
        text.push_str(&format!("  what was there: {backup}\n"));
    }
    Ok(done.report(env, data, text))
}

/// Runs `hefesto restore NAME@VERSION`. Where no copy is left, those of the version come back.
fn restore_version(
    env: &mut Env,
    skills: &Skills<'_>,
    (name, version): (&str, &str),
    (found, text): (Version, Tree),
    yes: bool,
) -> Result<Report> {
    let Skills { project, settings, .. } = skills;
    // A version from before a rename comes back under the present name.
    let text = if found.name == name { text } else { renamed(&text, &found.name, name) };
    let none = || Copies { name: name.to_owned(), all: Vec::new(), newer: Vec::new() };
    let mut skill = skills.gather(&[name.to_owned()]).pop().unwrap_or_else(none);
    skill.all.retain(|copy| copy.tree().is_some());
    let then = |id: &str| found.copies.iter().any(|copy| copy.target == id && copy.digest.is_some());
    let gone = settings.targets.iter().filter(|target| skill.all.is_empty() && then(&target.id)).cloned();
    let more: Vec<_> = gone.collect();
    let written = copies::write(&skill, &text, &more);
    let from = format!("{name}@{version}");
    if written.steps.is_empty() {
        let data = json!({
            "name": name, "skills": [name], "from": from, "restored": [], "backup": null, "run_id": null, "approved_by": null,
        });
        return Ok(Report::done(data, format!("`{}` is as it was in {version}; nothing to do.\n", printable(name))));
    }
    skills.accept(name, &written.steps)?;
    let mut operation = written.operation("restore", name, &env.stamp(), format!("version {version} again"));
    // What it leaves follows the recipe of this version again.
    let recipe = found.copies.iter().find_map(|copy| copy.recipe.clone());
    let left = operation.left().into_iter().map(|copy| InstalledCopy { recipe: recipe.clone(), ..copy });
    operation.installed = Some(left.collect());
    let done = skills::carry_out(env, project, &operation, yes, settings.gate_limit())?;
    let data = json!({ "name": name, "skills": [name], "from": from, "restored": operation.json(project) });
    let mut said = format!("{} `{}` is in version {} again.\n", env.style.tick(), printable(name), printable(version));
    said.push_str(&skills::lines(project, &operation.steps));
    Ok(done.report(env, data, said))
}

fn operation(name: &str, skills: &BTreeSet<String>, steps: Vec<Step>, now: &str) -> Operation {
    let ids = |skill: &str| steps.iter().filter(|step| folder(step) == skill).map(|step| step.target.clone()).collect();
    let named = skills.iter().filter(|skill| Name::parse(skill).is_ok());
    let ops = named.map(|skill| Op::UpsertSkill { name: skill.clone(), clis: ids(skill), at: now.to_owned() });
    let ops = ops.filter(|op| !matches!(op, Op::UpsertSkill { clis, .. } if clis.is_empty())).collect();
    let several = if skills.len() > 1 { skills.iter().cloned().collect() } else { Vec::new() };
    Operation {
        command: "restore",
        name: operation::called(name),
        skills: several,
        steps,
        ops,
        keep_backup: true,
        ..Operation::default()
    }
}

/// The name of the skill's folder that a step is about.
fn folder(step: &Step) -> &str {
    step.at.rsplit('/').next().unwrap_or(&step.at)
}

struct Held {
    target: String,
    at: String,
    skill: String,
    tree: Option<Tree>,
}

/// The copies of an archive that are meant. Errors: E-RESTORE-002 where it holds what does not belong here.
fn held(targets: &Targets, source: &Source, file: &str, archive: &Archive) -> Result<Vec<Held>> {
    if let Some(path) = archive.stray() {
        return Err(refused(file, &format!("holds {path}, which belongs to no skill")));
    }
    if let Some(why) = archive.oddity().filter(|_| !source.own) {
        return Err(refused(file, &why));
    }
    let mut all = Vec::new();
    for root in archive.roots() {
        let (target, skill) = place_of(targets, root, source.own)
            .ok_or_else(|| refused(file, &format!("holds {root}, which is no skill of a known CLI")))?;
        if source.only.as_deref().is_some_and(|only| only != skill) {
            continue;
        }
        let tree = archive.tree(root);
        // What was taken here comes back as it was, however broken; what comes from elsewhere has to be a skill.
        let is_skill = |tree: &Tree| tree.text("SKILL.md").and_then(head).is_some_and(|head| head.name == skill);
        if !source.own && tree.as_ref().is_some_and(|tree| !is_skill(tree)) {
            return Err(refused(file, &format!("holds no SKILL.md in {root} that names {skill}")));
        }
        all.push(Held { target: target.id.clone(), at: root.to_owned(), skill: skill.to_owned(), tree });
    }
    Ok(all)
}

fn refused(file: &str, why: &str) -> Error {
    Error::new(Code::RestoreForeign, format!("{file} {}", printable(why)))
}

/// What comes from elsewhere is held to the rules, as everything is that is written here for the first time
/// (T0-HEFESTO-06).
fn acceptable(subject: &Subject<'_>) -> Result<()> {
    let mut findings = rules::check(subject);
    findings.retain(|finding| finding.severity == Severity::Error);
    let Some(first) = findings.first() else { return Ok(()) };
    let (message, fix) = (format!("{} [{}]", first.message, first.rule), first.fix.clone());
    Err(Error::new(Code::CreateInvalid, message).suggest(fix).findings(findings))
}

/// The target and the skill a directory belongs to. What was taken here may have a name that no skill may have.
fn place_of<'t, 'p>(targets: &'t Targets, at: &'p str, own: bool) -> Option<(&'t Target, &'p str)> {
    targets.iter().find_map(|target| {
        let name = at.strip_prefix(&target.skills_dir)?.strip_prefix('/')?;
        let takes = if own { is_component(name) } else { Name::parse(name).is_ok() };
        takes.then_some((target, name))
    })
}

/// Whether a text is the name of one file or folder, and no way to another.
fn is_component(name: &str) -> bool {
    Path::new(name).file_name() == Some(OsStr::new(name))
}

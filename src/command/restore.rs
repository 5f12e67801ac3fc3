//! `restore NAME|FILE`: brings back what an archive holds, through the gate and one transaction.

mod version;

use std::ffi::OsStr;
use std::path::Path;

use serde_json::json;

use super::backups::newest_first;
use super::help::nearest;
use crate::cli;
use crate::client::target::{Target, Targets};
use crate::config;
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::project::Project;
use crate::project::copies;
use crate::project::open;
use crate::registry::Op;
use crate::report::Report;
use crate::report::slashed::Slashed;
use crate::rules::finding::Severity;
use crate::rules::{self, Subject};
use crate::skill::head::head;
use crate::skill::{Name, printable};
use crate::system::env::Env;
use crate::system::rooted::{self, Rooted};
use crate::transaction::operation::{self, Operation, Step};
use crate::transaction::{self, backup, consent};

/// Runs `hefesto restore`.
/// Errors: E-RESTORE-001 where there is no such backup, E-RESTORE-002 where it holds nothing that belongs here.
pub(super) fn restore(env: &mut Env, project: &Project, args: &cli::Restore, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let (_, registry) = open::enter_initialised(env, project)?;
    if let Some((name, version)) = copies::at_version(&args.what) {
        return version::restore(env, project, &settings, registry, (name, version), yes);
    }
    let (at, own) = find(env, project, &args.what)?;
    let archive = backup::read_at(&at)?;
    let file = at.path();
    let refuse = |why: String| Error::new(Code::RestoreForeign, format!("{} {}", file.slashed(), printable(&why)));
    if let Some(path) = archive.stray() {
        return Err(refuse(format!("holds {path}, which belongs to no skill")));
    }
    if let Some(why) = archive.oddity().filter(|_| !own) {
        return Err(refuse(why));
    }
    let mut steps = Vec::new();
    let mut name = None;
    for root in archive.roots() {
        let (target, skill) = place_of(&settings.targets, root, own)
            .ok_or_else(|| refuse(format!("holds {root}, which is no skill of a known CLI")))?;
        // A run may have changed other skills with the one it was about, as where they link to it.
        if own && archive.roots().len() > 1 && !taken_for(&file, skill) {
            continue;
        }
        if name.as_deref().is_some_and(|known| known != skill) {
            return Err(refuse("holds several skills".to_owned()));
        }
        name = Some(skill.to_owned());
        let Some(after) = archive.tree(root) else { continue };
        // What was taken here comes back as it was, however broken; what comes from elsewhere has to be a skill.
        if !own && after.text("SKILL.md").and_then(head).is_none_or(|head| head.name != skill) {
            return Err(refuse(format!("holds no SKILL.md in {root} that names {skill}")));
        }
        let before = transaction::scan(project.roots(), root)?;
        if before.as_ref() != Some(&after) {
            steps.push(Step { target: target.id.clone(), at: root.to_owned(), before, after: Some(after) });
        }
    }
    let Some(name) = name else {
        return Err(refuse("holds no skill".to_owned()));
    };
    for (step, tree) in steps.iter().filter(|_| !own).filter_map(|step| Some((step, step.after.as_ref()?))) {
        let target = settings.targets.get(&step.target);
        acceptable(&Subject { directory: &name, prefix: &step.at, tree, target })?;
    }
    if steps.is_empty() {
        let data = json!({
            "name": name, "from": file.slashed(), "restored": [], "backup": null, "run_id": null, "approved_by": null,
        });
        return Ok(Report::done(data, format!("`{name}` is as it was in the backup; nothing to do.\n")));
    }
    let clis = steps.iter().map(|step| step.target.clone()).collect();
    let named = Name::parse(&name).is_ok();
    let op = Op::UpsertSkill { name: name.clone(), clis, at: env.stamp() };
    let ops = if named { vec![op] } else { Vec::new() };
    let called = operation::called(&name);
    let operation =
        Operation { command: "restore", name: called, steps, ops, keep_backup: true, ..Operation::default() };
    let preview = operation.preview(env.style, project);
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let done = operation::carry_out(env, project, &consent, &operation)?;
    let backup = done.backup.as_deref().map(|path| project.display(path));
    let data = json!({
        "name": name, "from": file.slashed(), "restored": operation.json(project), "backup": backup, "run_id": done.run,
        "approved_by": consent.by().word(),
    });
    let mut text = format!("{} `{}` is restored.\n", env.style.tick(), printable(&name));
    for step in &operation.steps {
        text.push_str(&format!("  {}/\n", project.shown(&step.at)));
    }
    if let Some(backup) = &backup {
        text.push_str(&format!("  what was there: {backup}\n"));
    }
    Ok(Report::done(data, env.spelled(text)).exit(if done.pending { Exit::FinishPending } else { Exit::Done }))
}

/// Whether a backup was taken under the name of this skill, or of none of those in it.
fn taken_for(file: &Path, skill: &str) -> bool {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.strip_prefix(skill)
        .and_then(|rest| rest.strip_prefix('-'))
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        || operation::called(skill) != skill
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

/// An archive by its file name or path, else the newest one of a skill; whether it is one of this project's backups.
fn find(env: &Env, project: &Project, what: &str) -> Result<(Rooted, bool)> {
    let all = newest_first(project)?;
    let file_name = |path: &str| path.rsplit('/').next().is_some_and(|name| name == what);
    if let Some(listed) =
        all.iter().find(|listed| listed.path == what || file_name(&listed.path) || listed.name == what)
    {
        return Ok((project.rooted(&listed.path).coded(Code::Io, "the project root cannot be opened")?, true));
    }
    let named = rooted::anywhere(&env.cwd.join(what)).ok().filter(|at| what.ends_with(".tar.gz") && at.is_file());
    if let Some(at) = named {
        let backups = project.rooted(".hefesto/backups").and_then(|backups| backups.canonical());
        let own = at.canonical().ok().zip(backups.ok());
        return Ok((at, own.is_some_and(|(path, backups)| path.parent() == Some(&*backups))));
    }
    let mut names: Vec<String> = all.into_iter().map(|listed| listed.name).collect();
    names.dedup();
    let error = Error::new(Code::RestoreNotFound, format!("there is no backup {what:?}"));
    Err(match nearest(what, &names) {
        Some(near) => error.suggest(format!("Did you mean `hefesto restore {near}`? `hefesto backups` lists them.")),
        None => error,
    })
}

//! `restore NAME|FILE`: brings back what an archive holds, through the gate and one transaction.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::json;

use super::backups::newest_first;
use super::skills::{self, Skills};
use super::{help::nearest, memory::looked_into};
use crate::cli;
use crate::client::target::{Target, Targets};
use crate::config;
use crate::error::{Code, Coded, Error, Result};
use crate::project::copies::{self, Copies, Version};
use crate::project::{Project, open};
use crate::registry::Op;
use crate::report::{Report, Slashed};
use crate::rules::{self, Severity, Subject};
use crate::skill::{Name, Tree, frontmatter::head, printable, rename::renamed};
use crate::system::env::Env;
use crate::system::rooted::{self, Rooted};
use crate::transaction;
use crate::transaction::backup::{self, Archive, Listed};
use crate::transaction::operation::{self, Operation, Step};

/// Errors: E-RESTORE-001 where there is no such backup, E-RESTORE-002 where it holds nothing that belongs here.
pub(super) fn restore(env: &mut Env, project: &Project, args: &cli::Restore, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let entered = open::enter_initialised(env, project)?;
    if let Some((name, version)) = copies::at_version(&args.what) {
        let found = copies::version_of(project, name, version, None)?;
        let skills = Skills::of(env, project, settings, entered);
        return restore_version(env, &skills, (name, version), found, yes);
    }
    let source = find(env, project, &settings.targets, &args.what)?;
    let Planned { skills, steps, settled } = planned(project, &settings.targets, &source)?;
    let from = source.shown();
    let name = match skills.first() {
        None => return Err(refused(&from, "holds no skill")),
        Some(one) if skills.len() == 1 => one.clone(),
        Some(_) => source.name.clone(),
    };
    for (step, tree) in steps.iter().filter(|_| !source.own).filter_map(|step| Some((step, step.after.as_ref()?))) {
        let (target, directory) = (settings.targets.get(&step.target), folder(&step.at));
        acceptable(&Subject { directory, prefix: &step.at, tree, target })?;
    }
    if steps.is_empty() && settled.is_empty() {
        let data = json!({
            "name": name, "skills": skills, "from": from, "restored": [], "backup": null, "run_id": null,
            "approved_by": null,
        });
        return Ok(Report::done(data, format!("`{name}` is as it was in the backup; nothing to do.\n")));
    }
    let operation = operation(&name, &skills, (steps, settled), &env.stamp());
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
    for (_, at, _) in &operation.settled {
        text.push_str(&format!("  {}/ (was so already)\n", project.shown(at)));
    }
    if let Some(backup) = &done.backup {
        text.push_str(&format!("  what was there: {backup}\n"));
    }
    text.push_str(skills::BACK);
    Ok(done.report(env, data, text))
}

/// The skills that a backup is about, the steps that bring its copies back, and the copies that are so already, but were
/// installed with another text.
#[derive(Default)]
struct Planned {
    skills: BTreeSet<String>,
    steps: Vec<Step>,
    settled: Vec<(String, String, Tree)>,
}

fn planned(project: &Project, targets: &Targets, source: &Source) -> Result<Planned> {
    let known = looked_into(project).ok().flatten().and_then(|memory| memory.bases().ok()).unwrap_or_default();
    let is_installed = |at: &str, tree: &Tree| {
        let base = known.iter().find(|base| base.copy.at == at);
        base.is_none_or(|base| base.copy.digest == Some(tree.digest()))
    };
    let mut planned = Planned::default();
    for (file, archive) in &source.archives {
        for held in held(targets, source, file, archive)? {
            planned.skills.insert(held.skill);
            let before = transaction::scan(project.roots(), &held.at)?;
            match held.tree {
                Some(after) if before.as_ref() != Some(&after) => {
                    planned.steps.push(Step { target: held.target, at: held.at, before, after: Some(after) });
                }
                Some(tree) if !is_installed(&held.at, &tree) => planned.settled.push((held.target, held.at, tree)),
                _ => {}
            }
        }
    }
    Ok(planned)
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
    let by_number = found.version.as_deref() == Some(version) && copies::has_namesake(project, name, &found);
    let others = match by_number {
        true => format!(
            "Another text had version {version} too: `hefesto log {name}` lists them, `{name}@RUN` names one.\n"
        ),
        false => String::new(),
    };
    if written.steps.is_empty() {
        let data = json!({
            "name": name, "skills": [name], "from": from, "restored": [], "backup": null, "run_id": null, "approved_by": null,
        });
        let said = format!("`{}` is as it was in {version}; nothing to do.\n{others}", printable(name));
        return Ok(Report::done(data, env.spelled(said)));
    }
    skills.accept(name, &written.steps)?;
    let mut operation = written.operation("restore", name, &env.stamp(), format!("version {version} again"));
    // What it leaves follows the recipe of this version again.
    let recipe = found.copies.iter().find_map(|copy| copy.recipe.clone());
    let left = operation.left().into_iter().map(|copy| crate::memory::InstalledCopy { recipe: recipe.clone(), ..copy });
    operation.installed = Some(left.collect());
    let done = skills::carry_out(env, project, &operation, yes, settings.gate_limit())?;
    let data = json!({ "name": name, "skills": [name], "from": from, "restored": operation.json(project) });
    let mut said = format!("{} `{}` is in version {} again.\n", env.style.tick(), printable(name), printable(version));
    said.push_str(&skills::lines(project, &operation.steps));
    said.push_str(&others);
    said.push_str(skills::BACK);
    Ok(done.report(env, data, said))
}

fn operation(
    name: &str,
    skills: &BTreeSet<String>,
    (steps, settled): (Vec<Step>, Vec<(String, String, Tree)>),
    now: &str,
) -> Operation {
    let written = steps.iter().map(|step| (&step.at, &step.target));
    let places: Vec<_> = written.chain(settled.iter().map(|(target, at, _)| (at, target))).collect();
    let ids = |skill: &str| {
        places.iter().filter(|(at, _)| folder(at) == skill).map(|(_, target)| (*target).clone()).collect()
    };
    let named = skills.iter().filter(|skill| Name::parse(skill).is_ok());
    let ops = named.map(|skill| Op::UpsertSkill { name: skill.clone(), clis: ids(skill), at: now.to_owned() });
    let ops = ops.filter(|op| !matches!(op, Op::UpsertSkill { clis, .. } if clis.is_empty())).collect();
    let several = if skills.len() > 1 { skills.iter().cloned().collect() } else { Vec::new() };
    Operation {
        command: "restore",
        name: operation::called(name),
        skills: several,
        steps,
        settled,
        ops,
        keep_backup: true,
        ..Operation::default()
    }
}

/// The name of the skill's folder at a path.
fn folder(at: &str) -> &str {
    at.rsplit('/').next().unwrap_or(at)
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
    Path::new(name).file_name() == Some(std::ffi::OsStr::new(name))
}

struct Source {
    /// With the file each was read from, as a person names it.
    archives: Vec<(String, Archive)>,
    /// What they are called together.
    name: String,
    /// Whether they were taken here.
    own: bool,
    /// The one skill that is meant, where it is not all of them.
    only: Option<String>,
}

impl Source {
    fn shown(&self) -> String {
        let files: Vec<&str> = self.archives.iter().map(|(file, _)| file.as_str()).collect();
        files.join(", ")
    }
}

/// An archive by its file name or path; else the newest one that holds a skill of this name, or that a run of this name
/// left. Errors: E-RESTORE-001 where there is none; E-IO-001 where it is damaged.
fn find(env: &Env, project: &Project, targets: &Targets, what: &str) -> Result<Source> {
    let all = newest_first(project)?;
    let given = rooted::anywhere(&env.cwd.join(what)).ok().filter(|at| what.ends_with(".tar.gz") && at.is_file());
    let inside = given.as_ref().filter(|at| in_backups(project, at)).and_then(|at| file_name(&at.path()));
    let is_file = |listed: &&Listed| {
        let file = listed.path.rsplit('/').next();
        listed.path == what || file == Some(what) || (inside.is_some() && file == inside.as_deref())
    };
    if let Some(listed) = all.iter().find(is_file) {
        let (file, archive) = read(project, listed)?;
        return Ok(whole(project, targets, listed, vec![(file, archive)]));
    }
    let mut called = None;
    for listed in &all {
        let (file, archive) = match read(project, listed) {
            Ok(read) => read,
            Err(error) if listed.name == what => return Err(error),
            Err(_) => continue,
        };
        let is_it = |root: &&str| place_of(targets, root, true).is_some_and(|(_, skill)| skill == what);
        if archive.roots().iter().any(is_it) {
            let (name, only) = (operation::called(what), Some(what.to_owned()));
            return Ok(Source { archives: vec![(file, archive)], name, own: true, only });
        }
        called = called.or(Some(listed).filter(|listed| listed.name == what));
    }
    if let Some(listed) = called {
        let archives = of_one_run(project, &all, listed)?;
        return Ok(whole(project, targets, listed, archives));
    }
    if let Some(at) = given {
        let name = file_name(&at.path()).unwrap_or_default();
        let name = operation::called(name.trim_end_matches(".tar.gz"));
        let archive = backup::read_at(&at)?;
        return Ok(Source { archives: vec![(at.path().slashed(), archive)], name, own: false, only: None });
    }
    let mut names: Vec<String> = all.into_iter().map(|listed| listed.name).collect();
    names.dedup();
    let error = Error::new(Code::RestoreNotFound, format!("there is no backup {what:?}"));
    let versions = copies::history(project, what).unwrap_or_default();
    let kept = versions.into_iter().find(|one| one.is_kept(project)).and_then(|one| one.version);
    if let Some(version) = kept {
        return Err(error.suggest(format!(
            "`hefesto restore {what}@{version}` brings back the version that was installed last; `hefesto log {what}` lists all."
        )));
    }
    Err(match nearest(what, &names) {
        Some(near) => error.suggest(format!("Did you mean `hefesto restore {near}`? `hefesto backups` lists them.")),
        None => error,
    })
}

fn read(project: &Project, listed: &Listed) -> Result<(String, Archive)> {
    let at = project.rooted(&listed.path).coded(Code::Io, "the project root cannot be opened")?;
    Ok((at.path().slashed(), backup::read_at(&at)?))
}

fn file_name(path: &Path) -> Option<String> {
    path.file_name().map(|name| name.to_string_lossy().into_owned())
}

fn in_backups(project: &Project, at: &Rooted) -> bool {
    let backups = project.rooted(".hefesto/backups").and_then(|backups| backups.canonical());
    let both = at.canonical().ok().zip(backups.ok());
    both.is_some_and(|(path, backups)| path.parent() == Some(&*backups))
}

/// Every archive of the run that left this one: a large collection has several.
fn of_one_run(project: &Project, all: &[Listed], listed: &Listed) -> Result<Vec<(String, Archive)>> {
    let run = run_of(project, listed);
    let is_beside = |other: &&Listed| {
        other.path == listed.path || (run.is_some() && other.name == listed.name && run_of(project, other) == run)
    };
    all.iter().filter(is_beside).map(|listed| read(project, listed)).collect()
}

/// The run that left an archive, and its command.
fn run_of(project: &Project, listed: &Listed) -> Option<(String, String)> {
    looked_into(project).ok().flatten()?.run_of_backup(&listed.path).ok().flatten()
}

/// Everything in archives that were taken here; where a run was about one skill and changed others with it, as where
/// they link to it, that one only.
fn whole(project: &Project, targets: &Targets, listed: &Listed, archives: Vec<(String, Archive)>) -> Source {
    let of_many = run_of(project, listed).is_some_and(|(_, command)| command == "adopt" || command == "convert");
    let names = |(_, archive): &(String, Archive)| {
        archive.roots().iter().filter_map(|root| Some(place_of(targets, root, true)?.1.to_owned())).collect::<Vec<_>>()
    };
    let own = archives.iter().flat_map(names).find(|skill| operation::called(skill) == listed.name);
    Source { archives, name: listed.name.clone(), own: true, only: own.filter(|_| !of_many) }
}

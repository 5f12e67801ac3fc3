//! Importing skills that others made (`adopt`, `convert`): checked, placed, shown, confirmed, and written in one
//! transaction.

mod answer;

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;
use serde_json::{Value, json};

use super::skills::Skills;
use crate::client::detect::{self, Found};
use crate::client::target::{SHARED, Selection, Target};
use crate::error::{Code, Error, Result};
use crate::memory::InstalledCopy;
use crate::project::copies::{self, Copies};
use crate::project::{Project, checkout, default_targets::Layouts};
use crate::registry::Op;
use crate::report::{Report, Slashed};
use crate::rules::{Finding, Severities, Subject};
use crate::skill::{Name, Tree, version::version};
use crate::system::env::Env;
use crate::transaction::operation::{self, Operation, Step};
use crate::transaction::{self, consent};

pub(super) struct Place<'p> {
    pub(super) skills: Skills<'p>,
    found: Vec<Found>,
}

impl<'p> Place<'p> {
    /// Errors: E-PROJECT-001 if the project is not initialised; those of the settings.
    pub(super) fn open(env: &mut Env, project: &'p Project) -> Result<Self> {
        let skills = Skills::open(env, project)?;
        let found = detect::here(&skills.settings.targets, &detect::places(env, project));
        Ok(Self { skills, found })
    }

    /// The targets of the copies: those of the flag, else those that `create` would choose.
    /// Errors: E-CREATE-004 for an unknown target, or if none is named and no AI CLI is detected.
    pub(super) fn targets(&self, env: &mut Env, flag: Option<&Selection>) -> Result<Vec<Target>> {
        let Skills { project, settings, governed, .. } = &self.skills;
        let here = self.found.iter().map(|found| found.target.id.clone()).collect();
        let served = self.found.iter().flat_map(|found| &found.serves).map(ToString::to_string).collect();
        let layouts = Layouts { project, settings, governed, here, served, flag: None };
        let set: Selection = settings.target.value.parse().unwrap_or(Selection::All);
        let laid = match flag.unwrap_or(&set) {
            Selection::Named(ids) => layouts.named(detect::named(&settings.targets, ids)?),
            Selection::All => layouts.all(layouts.present()),
        };
        if laid.targets.is_empty() {
            let known = settings.targets.ids();
            return Err(Error::new(Code::CreateNoTarget, "no AI CLI was detected and no target is named")
                .suggest(format!("Name where the copies go, as in `--target claude`. Known targets: {known}.")));
        }
        if let Some(line) = laid.told(project) {
            env.tell(&line);
        }
        Ok(laid.targets)
    }

    /// Adds skills from outside the project, with a copy of each for every target.
    pub(super) fn add(
        &self,
        batch: &mut Batch,
        targets: &[Target],
        read: Vec<(IncomingSkill, Tree)>,
        text: impl Fn(&Tree, &Target) -> Tree,
    ) {
        let names: BTreeSet<&String> = read.iter().map(|(skill, _)| &skill.name).collect();
        let names: Vec<String> = names.into_iter().cloned().collect();
        let standing = self.skills.gather(&names);
        for (skill, tree) in read {
            let there = names.binary_search(&skill.name).ok().and_then(|at| standing.get(at));
            match there.map(|there| self.copies(there, targets, |target| text(&tree, target))) {
                Some(Ok(copies)) => batch.skills.push(IncomingSkill { copies, ..skill }),
                Some(Err(why)) => batch.refused.push(Refused::new(&skill.name, &skill.shown, why)),
                None => {}
            }
        }
    }

    /// The copies of an imported skill, one for each target, or why there can be none.
    fn copies(
        &self,
        there: &Copies,
        targets: &[Target],
        text: impl Fn(&Target) -> Tree,
    ) -> Result<Vec<IncomingCopy>, String> {
        let standing = there.all.iter().filter(|copy| copy.tree().is_some()).map(|copy| &copy.target);
        let others = standing.filter(|target| !targets.iter().any(|one| one.id == target.id));
        let all: Vec<Target> = targets.iter().chain(others).cloned().collect();
        let double = detect::doubled(&all);
        if targets.iter().any(|target| target.id == SHARED || double.contains(&target.id)) && !double.is_empty() {
            return Err(format!("{}, so it would be there twice", detect::also_read(&double)));
        }
        let copy = |target: &Target| {
            let at = target.skill_dir(&there.name);
            let standing = there.all.iter().find(|copy| copy.target.id == target.id);
            let before = match standing.map(|copy| &copy.found) {
                Some(copies::Found::Files { tree, .. }) => Some(tree.clone()),
                Some(copies::Found::Unreadable(why)) => {
                    return Err(format!("{}/ cannot be read: {why}", self.skills.project.display(&at)));
                }
                Some(copies::Found::Nothing) | None => None,
            };
            let (after, base) = (text(target), standing.and_then(|copy| copy.base.as_ref()?.copy.digest.clone()));
            let installed = base.is_some() && base == before.as_ref().map(Tree::digest);
            Ok(IncomingCopy { target: target.clone(), at, before, after, installed })
        };
        targets.iter().map(copy).collect()
    }
}

#[derive(Debug)]
pub(super) struct IncomingCopy {
    pub(super) target: Target,
    /// The path relative to the root.
    pub(super) at: String,
    /// The files at that path before the import.
    pub(super) before: Option<Tree>,
    pub(super) after: Tree,
    /// Whether those files are recorded as installed.
    pub(super) installed: bool,
}

impl IncomingCopy {
    fn word(&self) -> &'static str {
        match &self.before {
            None => "create",
            Some(before) if *before == self.after => "keep",
            Some(_) => "replace",
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct IncomingSkill {
    pub(super) name: String,
    /// Its source, as the user would name it.
    pub(super) shown: String,
    pub(super) origin: Origin,
    pub(super) copies: Vec<IncomingCopy>,
    /// Copies that were installed before and do not change.
    pub(super) beside: Vec<InstalledCopy>,
    pub(super) notes: Vec<String>,
    /// Errors that do not prevent the import.
    pub(super) errors: Vec<Finding>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Origin {
    /// The absolute path of the file or folder; empty if it was in place already.
    path: String,
    remote: Option<String>,
    commit: Option<String>,
}

impl Origin {
    pub(super) fn of(path: &std::path::Path) -> Self {
        let checkout = checkout::checkout(path);
        let (remote, commit) = checkout.map(|one| (one.remote, one.commit)).unwrap_or_default();
        Self { path: path.slashed(), remote, commit }
    }

    /// The reason recorded in the log.
    fn why(&self) -> String {
        let Self { path, remote, commit } = self;
        let commit = commit.as_deref().and_then(|commit| commit.get(..12));
        match (path.as_str(), remote, commit) {
            ("", ..) => "as it stood there".to_owned(),
            (path, None, None) => format!("from {path}"),
            (path, Some(remote), None) => format!("from {path} ({remote})"),
            (path, None, Some(commit)) => format!("from {path} (commit {commit})"),
            (path, Some(remote), Some(commit)) => format!("from {path} ({remote} at {commit})"),
        }
    }

    fn json(&self) -> Value {
        let path = Some(&self.path).filter(|path| !path.is_empty());
        json!({ "path": path, "remote": self.remote, "commit": self.commit })
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Refused {
    pub(super) name: String,
    /// Its path, as the user would name it.
    pub(super) path: String,
    pub(super) why: String,
    pub(super) findings: Vec<Finding>,
}

impl Refused {
    pub(super) fn new(name: &str, path: &str, why: impl Into<String>) -> Self {
        Self { name: name.to_owned(), path: path.to_owned(), why: why.into(), findings: Vec::new() }
    }
}

#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) command: &'static str,
    /// The word for what is done with a skill.
    pub(super) done: &'static str,
    /// The title for several skills together.
    pub(super) title: String,
    pub(super) skills: Vec<IncomingSkill>,
    pub(super) refused: Vec<Refused>,
    /// Whether any error prevents the import, not only those that are forbidden in every skill.
    pub(super) strict: bool,
}

/// Checks the skills, asks, and writes the accepted ones. Errors: E-ADOPT-001 if none is accepted; E-CREATE-003 if
/// another skill has the path and nobody decides; those of the gate and of the transaction.
pub(super) fn bring_in(
    env: &mut Env,
    place: &Place<'_>,
    mut batch: Batch,
    args: &crate::cli::Incoming,
    yes: bool,
) -> Result<Report> {
    let done = |copy: &IncomingCopy| copy.installed && copy.before.as_ref() == Some(&copy.after);
    batch.skills.retain(|skill| !skill.copies.iter().all(done));
    let Skills { project, settings, .. } = &place.skills;
    judge(&mut batch, &settings.severities);
    let limit = settings.gate_limit();
    answer::resolve(env, project, &mut batch, args, yes, limit)?;
    if batch.skills.is_empty() {
        return answer::none(&batch, args.dry_run);
    }
    answer::note(env, &batch);
    let now = env.stamp();
    let operation = operation(place, &batch, &now);
    let preview = answer::preview(env.err_style(), project, &batch);
    if args.dry_run {
        return Ok(Report::done(answer::data(project, &batch, None, true), preview));
    }
    let consent = consent::ask(env, &preview, yes, limit)?;
    let done = operation::carry_out(env, project, &consent, &operation)?;
    Ok(answer::report(env, project, &batch, &done, consent.by()))
}

fn operation(place: &Place<'_>, batch: &Batch, now: &str) -> Operation {
    let names: Vec<String> = batch.skills.iter().map(|skill| skill.name.clone()).collect();
    let called = if let [name] = &names[..] { operation::called(name) } else { operation::called(&batch.title) };
    let mut operation = Operation { command: batch.command, name: called, keep_backup: true, ..Operation::default() };
    let (mut installed, mut new): (Vec<InstalledCopy>, Vec<&Target>) = (Vec::new(), Vec::new());
    for skill in &batch.skills {
        for copy in &skill.copies {
            let (id, at) = (copy.target.id.clone(), copy.at.clone());
            let (target, digest, version) = (id.clone(), Some(copy.after.digest()), version(&copy.after));
            let why = Some(skill.origin.why());
            installed.push(InstalledCopy { at: at.clone(), target, digest, version, why, recipe: None });
            if copy.before.as_ref() == Some(&copy.after) {
                operation.settled.push((id, at, copy.after.clone()));
            } else {
                let (before, after) = (copy.before.clone(), Some(copy.after.clone()));
                operation.steps.push(Step { target: id, at, before, after });
            }
            if !place.skills.governed.knows(&copy.target.id) && !new.iter().any(|target| target.id == copy.target.id) {
                new.push(&copy.target);
            }
        }
        installed.extend(skill.beside.iter().cloned());
        if Name::parse(&skill.name).is_ok() {
            let clis = skill.copies.iter().map(|copy| copy.target.id.clone()).collect();
            operation.ops.push(Op::UpsertSkill { name: skill.name.clone(), clis, at: now.to_owned() });
        }
    }
    let rows = new.into_iter().map(|target| detect::row(target, &place.found)).collect();
    operation.ops.insert(0, Op::UpsertClis { clis: rows });
    operation.installed = Some(installed);
    if names.len() > 1 {
        operation.skills = names;
    }
    operation
}

const SECURITY: &str = "T0-HEFESTO-11";

/// Moves skills that may not be imported to the refused ones.
fn judge(batch: &mut Batch, severities: &Severities) {
    let mut first: HashMap<String, String> = HashMap::new();
    for mut skill in std::mem::take(&mut batch.skills) {
        if let Some(other) = first.get(&skill.name) {
            let why = format!("{other} has the same name and comes first");
            batch.refused.push(Refused::new(&skill.name, &skill.shown, why));
            continue;
        }
        match fault(&skill).map(|why| (why, Vec::new())).or_else(|| {
            let findings = errors(&skill, severities);
            let (out, errors): (Vec<_>, Vec<_>) =
                findings.into_iter().partition(|one| batch.strict || one.rule.starts_with(SECURITY));
            skill.errors = errors;
            Some((summary(&out)?, out))
        }) {
            Some((why, findings)) => {
                batch.refused.push(Refused { findings, ..Refused::new(&skill.name, &skill.shown, why) });
            }
            None => {
                first.insert(skill.name.clone(), skill.shown.clone());
                batch.skills.push(skill);
            }
        }
    }
}

/// Why its files cannot be written; none if they can.
fn fault(skill: &IncomingSkill) -> Option<String> {
    let tree = &skill.copies.first()?.after;
    let wrong = tree.iter().find_map(|(path, _)| Some((path, transaction::check_path(path).err()?)));
    wrong.map(|(path, why)| format!("the path {path:?} in it {why}"))
}

/// Its errors for all clients that get a copy, without duplicates, with paths in the source folder.
fn errors(skill: &IncomingSkill, severities: &Severities) -> Vec<Finding> {
    let copies = skill.copies.iter().map(|copy| {
        let (tree, target) = (&copy.after, Some(&copy.target));
        Subject { directory: &skill.name, prefix: &copy.at, tree, target }
    });
    let mut found = copies::errors(copies, severities);
    for finding in &mut found {
        if let Some(below) = skill.copies.iter().find_map(|copy| finding.file.strip_prefix(&copy.at)) {
            finding.file = format!("{}{below}", skill.shown);
        }
    }
    found
}

fn summary(findings: &[Finding]) -> Option<String> {
    let first = findings.first()?;
    let more = if findings.len() > 1 { format!(" (and {} more)", findings.len() - 1) } else { String::new() };
    Some(format!("{} [{}] in {}:{}{more}", first.message, first.rule, first.file, first.line))
}

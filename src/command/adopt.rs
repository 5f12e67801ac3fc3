//! `adopt [PATH|NAME|--all]`: skills made by hand or by other tools are registered as they are, byte for byte: in
//! place, or copied from a path.

mod folder;

use super::incoming::{self, Batch, IncomingCopy, IncomingSkill, Origin, Place, Refused};
use super::skills::Skills;
use super::validate::select::{Selected, Selector};
use crate::cli;
use crate::client::detect;
use crate::client::target::{Selection, Target};
use crate::error::{Code, Error, Result};
use crate::memory::InstalledCopy;
use crate::project::Project;
use crate::project::copies::{Copies, Copy, Found};
use crate::registry::CopyState;
use crate::report::Report;
use crate::skill::Name;
use crate::system::env::Env;

/// Runs `hefesto adopt`. Errors: E-ADOPT-002 if a name or path has no skill; E-CREATE-004 for an unknown target; those
/// of [`incoming::bring_in`].
pub(super) fn adopt(env: &mut Env, project: &Project, args: &cli::Adopt, yes: bool) -> Result<Report> {
    let place = Place::open(env, project)?;
    let mut batch = Batch {
        command: "adopt",
        done: "adopted",
        title: "skills".to_owned(),
        skills: Vec::new(),
        refused: Vec::new(),
        strict: false,
    };
    match &args.what {
        None => {
            let wanted = filter(&place, args)?;
            for skill in place.skills.all() {
                in_place(&place, &skill, &|target| wanted(target), &mut batch);
            }
        }
        Some(what) => named(env, &place, args, what, &mut batch)?,
    }
    incoming::bring_in(env, &place, batch, &args.incoming, yes)
}

/// The clients whose copies are adopted in place.
fn filter<'p>(place: &'p Place<'_>, args: &cli::Adopt) -> Result<impl Fn(&Target) -> bool + use<'p>> {
    let named = match &args.incoming.target {
        Some(Selection::Named(ids)) => Some(detect::named(&place.skills.settings.targets, ids)?),
        Some(Selection::All) | None => None,
    };
    Ok(move |target: &Target| named.as_ref().is_none_or(|named| named.iter().any(|one| one.id == target.id)))
}

/// Resolves a name or a path: copies in CLIs' directories are adopted in place, everything else is copied.
fn named(env: &mut Env, place: &Place<'_>, args: &cli::Adopt, what: &str, batch: &mut Batch) -> Result<()> {
    let Skills { project, settings, .. } = &place.skills;
    let targets = &settings.targets;
    let selected = Selector::new(env, project, targets, None)?.of(env, &[what.to_owned()]);
    let selected = selected.map_err(|error| match error.code() {
        Code::ValidateNotFound => Error::new(Code::AdoptNothing, error.message())
            .suggest(error.suggestion().replace("hefesto validate", "hefesto adopt")),
        _ => error,
    })?;
    let is_copy = |skill: &Selected, at: Option<&String>| {
        let name = skill.dir.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        let in_dir = |target: &&Target| at.is_some_and(|at| *at == target.skill_dir(&name));
        let target = skill.target.as_ref().or_else(|| targets.iter().find(in_dir));
        target.map(|target| (name, target.id.clone()))
    };
    let (mut standing, mut elsewhere): (Vec<(String, String)>, Vec<Selected>) = (Vec::new(), Vec::new());
    for skill in selected {
        let at = project.reach(&skill.dir).and_then(|dir| dir.canonical()).ok();
        let at = at.and_then(|dir| project.relative(&dir));
        match is_copy(&skill, at.as_ref()) {
            Some(copy) => standing.push(copy),
            None => elsewhere.push(skill),
        }
    }
    let wanted = filter(place, args)?;
    let mut names: Vec<String> = standing.iter().map(|(name, _)| name.clone()).collect();
    names.sort();
    names.dedup();
    for skill in place.skills.gather(&names) {
        let meant = |target: &Target| {
            wanted(target) && standing.iter().any(|(name, id)| *name == skill.name && *id == target.id)
        };
        in_place(place, &skill, &meant, batch);
    }
    if elsewhere.is_empty() { Ok(()) } else { folder::copied(env, place, args, what, elsewhere, batch) }
}

/// Adds the copies of a skill that were never installed and match `wanted`.
fn in_place(place: &Place<'_>, skill: &Copies, wanted: &dyn Fn(&Target) -> bool, batch: &mut Batch) {
    let Skills { project, settings, .. } = &place.skills;
    let states = skill.states(project.roots(), &settings.severities);
    let new = |copy: &Copy, state: CopyState| match (&copy.found, state) {
        (Found::Nothing, _) => false,
        (Found::Unreadable(_), _) => !copy.is_own(),
        // Registered, but its installed state is unknown: it is recorded now.
        (Found::Files { .. }, state) => copy.base.is_none() && matches!(state, CopyState::Foreign | CopyState::Same),
    };
    let (mut coming, mut shown): (Vec<IncomingCopy>, Vec<String>) = (Vec::new(), Vec::new());
    for (copy, status) in skill.all.iter().zip(&states) {
        if !status.as_ref().is_some_and(|status| wanted(&copy.target) && new(copy, status.state)) {
            continue;
        }
        let path = project.display(&copy.at);
        let why = match &copy.found {
            Found::Unreadable(why) => format!("it cannot be read: {why}"),
            Found::Files { .. } if project.exists(&format!("{}/.git", copy.at)) => {
                "it is a git checkout of its own, which hefesto could not write; keep the checkout elsewhere and adopt its path".to_owned()
            }
            Found::Files { .. } if copy.is_no_skill() => format!(
                "it contains no SKILL.md; add one, or remove the folder with `hefesto delete {} --cli {}`",
                skill.name, copy.target.id
            ),
            Found::Files { tree, .. } => {
                let (target, at, tree) = (copy.target.clone(), copy.at.clone(), tree.clone());
                shown.push(path);
                coming.push(IncomingCopy { target, at, before: Some(tree.clone()), after: tree, installed: false });
                continue;
            }
            Found::Nothing => continue,
        };
        batch.refused.push(Refused::new(&skill.name, &path, why));
    }
    if coming.is_empty() {
        return;
    }
    let beside = skill.all.iter().filter(|copy| !coming.iter().any(|new| new.at == copy.at));
    let beside = beside.filter_map(|copy| Some(InstalledCopy { why: None, ..copy.base.as_ref()?.copy.clone() }));
    batch.skills.push(IncomingSkill {
        name: skill.name.clone(),
        shown: shown.swap_remove(0),
        origin: Origin::default(),
        beside: beside.collect(),
        copies: coming,
        notes: unlisted(&skill.name).into_iter().collect(),
        errors: Vec::new(),
    });
}

/// What is to be said of a skill that the registry cannot list under its name.
fn unlisted(name: &str) -> Option<String> {
    let other = Name::parse(name).is_err().then(|| Name::sanitise(name))??;
    Some(format!("`list` cannot name it: `{name}` is no skill name. `hefesto rename {name} {other}` gives it one."))
}

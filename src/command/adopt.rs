//! `adopt [PATH|NAME|--all]`: skills that others made are registered byte for byte, in place or copied from a path.

use std::path::Path;

use super::incoming::{self, Batch, IncomingCopy, IncomingSkill, Origin, Place, Refused};
use super::skills::Skills;
use super::validate::select::{Selected, Selector};
use crate::cli;
use crate::client::detect;
use crate::client::target::{Selection, Target};
use crate::error::{Code, Error, Result};
use crate::memory::InstalledCopy;
use crate::project::copies::{Copies, Copy, Found};
use crate::project::{Project, checkout};
use crate::registry::CopyState;
use crate::report::Report;
use crate::skill::{Name, Tree, frontmatter};
use crate::system::env::Env;
use crate::transaction::{Listings, Surveyed};

/// Runs `hefesto adopt`. Errors: E-ADOPT-002 if a name or path has no skill; E-CREATE-004 for an unknown target; those
/// of [`incoming::bring_in`].
pub(super) fn adopt(env: &mut Env, project: &Project, args: &cli::Adopt, yes: bool) -> Result<Report> {
    let place = Place::open(env, project)?;
    let mut batch = Batch { command: "adopt", done: "adopted", title: "skills".to_owned(), ..Batch::default() };
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
    if elsewhere.is_empty() { Ok(()) } else { copied(env, place, args, what, elsewhere, batch) }
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
        beside: beside.collect(),
        copies: coming,
        notes: unlisted(&skill.name).into_iter().collect(),
        ..IncomingSkill::default()
    });
}

/// What is to be said of a skill that the registry cannot list under its name.
fn unlisted(name: &str) -> Option<String> {
    let other = Name::parse(name).is_err().then(|| Name::sanitise(name))??;
    Some(format!("`list` cannot name it: `{name}` is no skill name. `hefesto rename {name} {other}` gives it one."))
}

/// Adds the skills in these folders, with copies for the chosen targets.
/// Errors: E-CREATE-004 for an unknown target, or if none is named and no AI CLI is installed.
fn copied(
    env: &mut Env,
    place: &Place<'_>,
    args: &cli::Adopt,
    what: &str,
    selected: Vec<Selected>,
    batch: &mut Batch,
) -> Result<()> {
    let targets = place.targets(env, args.incoming.target.as_ref())?;
    let (outer, inner) = nested(selected);
    if inner > 0 {
        env.tell(&format!("{} inside others come along as their files.", crate::terminal::ui::count(inner, "skill")));
    }
    if let Some(title) = Path::new(what).file_name().and_then(|name| name.to_str()) {
        title.clone_into(&mut batch.title);
    }
    let listings = Listings::default();
    let (read, refused): (Vec<_>, Vec<_>) = outer.iter().map(|skill| read(&listings, skill)).partition(Result::is_ok);
    batch.refused.extend(refused.into_iter().filter_map(Result::err));
    place.add(batch, &targets, read.into_iter().flatten().collect(), |tree, _| tree.clone());
    Ok(())
}

/// The skills inside no other skill, and the number of those inside one.
fn nested(mut selected: Vec<Selected>) -> (Vec<Selected>, usize) {
    selected.sort_by(|one, other| one.dir.cmp(&other.dir));
    let all = selected.len();
    let mut outer: Vec<Selected> = Vec::new();
    for skill in selected {
        if outer.last().is_none_or(|last| !skill.dir.starts_with(&last.dir)) {
            outer.push(skill);
        }
    }
    let inner = all - outer.len();
    (outer, inner)
}

fn read(listings: &Listings, skill: &Selected) -> Result<(IncomingSkill, Tree), Refused> {
    let Surveyed { dir, found } = listings.survey(&skill.dir);
    let folder = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let refused = |why: String| Refused::new(&folder, &skill.shown, why);
    let (tree, left_out) = match found {
        Ok(found) => found.ok_or_else(|| refused("it is gone".to_owned()))?,
        Err(error) => return Err(refused(format!("it cannot be read: {}", error.message()))),
    };
    if let Some(one) = left_out.first() {
        return Err(refused(format!("{}: {}", one.path, one.why)));
    }
    let name = called(&dir, &folder, &tree)
        .ok_or_else(|| refused("no skill name can be made from the folder name; rename the folder".to_owned()))?;
    let (shown, origin) = (skill.shown.clone(), Origin::of(&dir));
    Ok((IncomingSkill { name, shown, origin, ..IncomingSkill::default() }, tree))
}

/// The folder name of the copies: that of the source. The topmost folder of a checkout can have any name, so the
/// skill's own name is used there, and also if the folder's name is invalid.
fn called(dir: &Path, folder: &str, tree: &Tree) -> Option<String> {
    let own = tree.text("SKILL.md").and_then(|text| frontmatter::read(text.as_bytes()).ok()).and_then(|document| {
        let name = document.field("name")?.value.scalar()?.to_owned();
        Name::parse(&name).ok()
    });
    let of_folder = Name::parse(folder).ok();
    let top = checkout::checkout(dir).is_some_and(|checkout| checkout.root == dir);
    let first = if top { own.clone().or(of_folder) } else { of_folder.or(own) };
    first.or_else(|| Name::sanitise(folder)).map(|name| name.to_string())
}

//! Skills in a folder or a checkout anywhere, to be copied into the directories of CLIs.

use std::path::Path;

use super::super::incoming::{Batch, IncomingSkill, Origin, Place, Refused};
use super::super::validate::select::Selected;
use crate::cli;
use crate::error::Result;
use crate::project::checkout;
use crate::skill::{Name, Tree, frontmatter};
use crate::system::env::Env;
use crate::terminal::ui;
use crate::transaction::{Listings, Surveyed};

/// The skill read from a folder.
struct Folder {
    name: String,
    shown: String,
    tree: Tree,
    origin: Origin,
}

/// Adds the skills in these folders, with copies for the chosen targets.
/// Errors: E-CREATE-004 for an unknown target, or if none is named and no AI CLI is installed.
pub(super) fn copied(
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
        env.tell(&format!("{} inside others come along as their files.", ui::count(inner, "skill")));
    }
    if let Some(title) = Path::new(what).file_name().and_then(|name| name.to_str()) {
        title.clone_into(&mut batch.title);
    }
    let listings = Listings::default();
    let mut folders = Vec::new();
    for skill in &outer {
        match read(&listings, skill) {
            Ok(folder) => folders.push(folder),
            Err(refused) => batch.refused.push(refused),
        }
    }
    let mut names: Vec<String> = folders.iter().map(|folder| folder.name.clone()).collect();
    names.sort();
    names.dedup();
    let standing = place.skills.gather(&names);
    for Folder { name, shown, tree, origin } in folders {
        let there = names.binary_search(&name).ok().and_then(|at| standing.get(at));
        let Some(there) = there else { continue };
        match place.copies(there, &targets, |_| tree.clone()) {
            Ok(copies) => batch.skills.push(IncomingSkill {
                name,
                shown,
                origin,
                copies,
                beside: Vec::new(),
                notes: Vec::new(),
                errors: Vec::new(),
            }),
            Err(why) => batch.refused.push(Refused::new(&name, &shown, why)),
        }
    }
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

fn read(listings: &Listings, skill: &Selected) -> Result<Folder, Refused> {
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
    Ok(Folder { name, shown: skill.shown.clone(), tree, origin: Origin::of(&dir) })
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

//! The versions of a skill, newest first, under every name it had; and the template and packs newer than its text.

use std::collections::HashMap;

use super::gather::memory;
use super::{Copies, seq};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::{Ingredient, Installed, InstalledCopy, MadeFrom};
use crate::project::Project;
use crate::report::Slashed;
use crate::skill::Tree;
use crate::system::env::Env;
use crate::system::input;
use crate::transaction::objects;

/// A skill after one run.
#[derive(Debug, Clone)]
pub struct Version {
    /// Its name then.
    pub name: String,
    pub version: Option<String>,
    pub run: String,
    pub command: String,
    /// The time, RFC 3339 UTC.
    pub stamp: String,
    pub why: Option<String>,
    pub copies: Vec<InstalledCopy>,
    seq: i64,
}

impl Version {
    /// Whether the files of every copy are still stored.
    pub fn is_kept(&self, project: &Project) -> bool {
        let mut digests = self.copies.iter().filter_map(|copy| copy.digest.as_deref()).peekable();
        digests.peek().is_some() && digests.all(|digest| objects::has(project.roots(), digest))
    }

    /// The text with the common placeholder for arguments. None if it is not stored any more, or the copies are gone.
    pub fn text(&self, project: &Project, client: Option<&str>) -> Option<Tree> {
        let wanted = self.copies.iter().filter(|copy| client.is_none_or(|id| copy.target == id));
        let mut trees = wanted.filter_map(|copy| objects::read(project.roots(), copy.digest.as_deref()?));
        trees.next().map(|tree| crate::client::adapt::neutral(&tree))
    }
}

/// The present name of a skill that was renamed.
pub fn renamed_to(project: &Project, name: &str) -> Option<String> {
    let last = history(project, name).ok()?.into_iter().next()?;
    let renamed = last.command == "rename" || last.why.as_ref().is_some_and(|why| why.starts_with("rename taken back"));
    if !renamed || last.name != name || last.copies.iter().any(|copy| copy.digest.is_some()) {
        return None;
    }
    let rows = memory(project).ok()??.installed_by(&last.run).ok()?;
    let there = rows.into_iter().find(|row| row.copy.digest.is_some())?;
    there.copy.at.rsplit('/').next().map(str::to_owned)
}

/// Whether another text that is still stored has the number of this version.
pub fn has_namesake(project: &Project, name: &str, version: &Version) -> bool {
    let essence = |one: &Version| one.text(project, None).map(|text| crate::client::adapt::essence(&text));
    let own = essence(version);
    let others = history(project, name).unwrap_or_default().into_iter().filter(|one| one.version == version.version);
    others.into_iter().filter_map(|one| essence(&one)).any(|text| Some(text) != own)
}

/// Every known version of a skill, newest first.
/// Errors: E-IO-001 when the memory cannot be read; E-SKILL-001 when it knows no such skill.
pub fn history(project: &Project, name: &str) -> Result<Vec<Version>> {
    let unknown = || Error::new(Code::NoSuchSkill, format!("nothing is known of a skill {name:?}"));
    let unread = || format!("{} cannot be read", project.database().slashed());
    let memory = memory(project).coded_with(Code::Io, unread)?.ok_or_else(unknown)?;
    let mut versions: Vec<Version> = Vec::new();
    let (mut called, mut before) = (name.to_owned(), i64::MAX);
    // Each name only once, so that renames back and forth terminate.
    let mut names = vec![called.clone()];
    loop {
        let rows = memory.history(&called).coded_with(Code::Io, unread)?;
        for row in rows.into_iter().filter(|row| row.seq < before) {
            add(&mut versions, &called, row);
        }
        let Some(first) = versions.last().filter(|first| first.command == "rename" || first.command == "undo") else {
            break;
        };
        before = first.seq;
        let all = memory.installed_by(&first.run).coded_with(Code::Io, unread)?;
        let gone = all.iter().filter(|row| row.copy.digest.is_none()).filter_map(|row| row.copy.at.rsplit('/').next());
        let Some(former) = gone.map(str::to_owned).find(|former| !names.contains(former)) else { break };
        names.push(former.clone());
        called = former;
    }
    if versions.is_empty() { Err(unknown()) } else { Ok(versions) }
}

fn add(versions: &mut Vec<Version>, name: &str, row: Installed) {
    if versions.last().is_none_or(|last| last.seq != row.seq) {
        versions.push(Version {
            name: name.to_owned(),
            version: None,
            run: row.run,
            command: row.command,
            stamp: row.stamp,
            why: row.why,
            copies: Vec::new(),
            seq: row.seq,
        });
    }
    if let Some(last) = versions.last_mut() {
        last.version = last.version.take().or_else(|| row.copy.version.clone());
        last.copies.push(row.copy);
    }
}

/// The newest stored version with this number, and its text.
/// Errors: E-VERSION-001 if there is none, with the stored versions; those of [`history`].
pub fn version_of(project: &Project, name: &str, wanted: &str, client: Option<&str>) -> Result<(Version, Tree)> {
    let versions = history(project, name)?;
    let fits =
        |one: &&Version| one.version.as_deref() == Some(wanted) || (wanted.len() >= 8 && one.run.ends_with(wanted));
    let found = versions.iter().filter(fits).find_map(|one| Some((one.clone(), one.text(project, client)?)));
    found.ok_or_else(|| {
        let gone = versions.iter().any(|one| fits(&one));
        let why = if gone {
            "is not kept any more"
        } else {
            "was never installed here, and no client has a copy of that name"
        };
        let mut known: Vec<&str> =
            versions.iter().filter(|one| one.is_kept(project)).filter_map(|one| one.version.as_deref()).collect();
        let mut seen = std::collections::BTreeSet::new();
        known.retain(|version| seen.insert(*version));
        let error = Error::new(Code::NoSuchVersion, format!("version {wanted} of `{name}` {why}"));
        error.suggest(if known.is_empty() {
            format!("`hefesto log {name}` lists what was installed; `{name}@RUN` names it by its run.")
        } else {
            format!("Versions that are kept: {}.", known.join(", "))
        })
    })
}

/// Splits NAME@VERSION.
pub fn at_version(given: &str) -> Option<(&str, &str)> {
    given.split_once('@').filter(|(name, version)| !name.is_empty() && !version.is_empty() && !name.contains('/'))
}

/// The current templates and packs, by id and digest.
#[derive(Debug)]
pub struct Ingredients {
    packs: HashMap<String, String>,
    templates: HashMap<String, Option<String>>,
}

/// A template or pack newer than a skill's text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Newer {
    /// `template` or `pack`.
    pub kind: &'static str,
    pub id: String,
}

impl Newer {
    /// For people.
    pub fn text(all: &[Self]) -> String {
        all.iter().map(|one| format!("{} {}", one.kind, one.id)).collect::<Vec<_>>().join(", ")
    }
}

impl Ingredients {
    /// Reads the packs and the templates of these texts.
    pub fn of<'m>(env: &Env, project: &Project, made: impl Iterator<Item = &'m MadeFrom>) -> Result<Self> {
        let places = input::template_places(env, project);
        let sources = input::packs(&places)?;
        let (mut packs, mut templates) = (HashMap::new(), HashMap::new());
        for made in made {
            for one in &made.packs {
                let source = sources.iter().rfind(|source| source.id() == one.id);
                if let Some(source) = source.filter(|_| !packs.contains_key(&one.id)) {
                    packs.insert(one.id.clone(), source.digest());
                }
            }
            let id = &made.template.id;
            if !templates.contains_key(id) {
                let found = input::find_template(&places, id)?;
                templates.insert(id.clone(), found.map(|template| template.digest()));
            }
        }
        Ok(Self { packs, templates })
    }

    /// The parts of a text that changed since. A deleted one does not count.
    pub fn newer(&self, made: &MadeFrom) -> Vec<Newer> {
        let changed = |one: &Ingredient, now: Option<&String>| now.is_some_and(|now| *now != one.digest);
        let template = self.templates.get(&made.template.id).and_then(Option::as_ref);
        let template = changed(&made.template, template).then_some(("template", &made.template));
        let packs = made.packs.iter().filter(|one| changed(one, self.packs.get(&one.id))).map(|one| ("pack", one));
        template.into_iter().chain(packs).map(|(kind, one)| Newer { kind, id: one.id.clone() }).collect()
    }
}

impl Copies {
    /// The run whose recipe the skill follows.
    pub fn recipe(&self) -> Option<&str> {
        let newest = self.all.iter().filter(|copy| copy.base_digest().is_some() && recipe_of(copy).is_some());
        newest.max_by_key(|copy| seq(copy)).and_then(recipe_of)
    }
}

fn recipe_of(copy: &super::Copy) -> Option<&str> {
    copy.base.as_ref()?.copy.recipe.as_deref()
}

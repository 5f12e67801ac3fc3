//! What the clients find on this machine: the directories each of them reads, in both scopes, and the skills there.
//! Reads only.

mod candidates;
mod dirs;
mod held;
mod plugins;
mod same_name;
mod settings;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use serde::Serialize;

use crate::client::target::{Target, Twice, client, reads};
use crate::project::Project;
use crate::project::inventory::Seen;
use crate::rules::fit;
use crate::system::env::Env;
use crate::system::rooted::{self, Rooted};

pub use candidates::{Candidate, State};
pub use dirs::Dir;
use held::Held;
pub use plugins::Plugin;
pub use same_name::Beside;
pub use settings::Switched;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Project,
    /// The user's own, seen in every project.
    User,
    /// For everybody on the machine.
    System,
    /// Brought along by a plugin or an extension of the client.
    Plugin,
}

impl Scope {
    /// What its skills are called.
    pub fn skills(self) -> &'static str {
        match self {
            Self::Project => "the project's skills",
            Self::User => "the user's own skills",
            Self::System => "the skills for everybody on this machine",
            Self::Plugin => "the skills of plugins",
        }
    }
}

/// A skill as one client would list it, unless another one of the same name precedes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The name the client lists.
    pub name: String,
    /// The whole description, if any.
    pub description: String,
    /// The part of it the client shows.
    pub text: String,
    /// Characters and estimated tokens of its line in the list.
    pub cost: (usize, usize),
    /// Its folder for display.
    pub shown: String,
    /// Its folder with every link followed.
    pub real: PathBuf,
    pub scope: Scope,
    /// The plugin that brings it along.
    pub plugin: Option<Rc<Plugin>>,
}

/// A skill that at least one client lists, and all clients that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub name: String,
    /// The text by which it is chosen.
    pub text: String,
    /// The clients that list it, by target id.
    pub clients: Vec<String>,
    /// Its paths, without duplicates.
    pub places: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Its folder for display.
    pub path: String,
    pub scope: Scope,
}

/// A reader of the directories that caches what it reads.
pub struct Reach {
    /// Whose skills a command changes: a project's, or the user's own.
    own: Project,
    /// The project whose directories are looked at.
    here: Project,
    cwd: PathBuf,
    /// The directories above its root, once they were needed.
    above: OnceCell<Vec<PathBuf>>,
    home: Option<PathBuf>,
    vars: BTreeMap<OsString, OsString>,
    /// The skills by directory.
    held: BTreeMap<PathBuf, Vec<Held>>,
    /// The cache of files read.
    seen: Rc<Seen>,
    /// The skills a target's client finds, by the target's id.
    found: BTreeMap<String, Rc<[Standing]>>,
    listed: BTreeMap<String, Rc<[Standing]>>,
    /// Where the plugins of a target's client keep skills, by the target's id.
    plugins: RefCell<BTreeMap<String, Rc<[Dir]>>>,
    /// Where paths of the project lead.
    places: RefCell<BTreeMap<String, Option<PathBuf>>>,
}

impl Reach {
    /// A reader for a project and the environment's variables.
    pub fn new(env: &Env, project: &Project) -> Self {
        Self::after(env, project, Rc::default())
    }

    /// [`Reach::new`] with a cache: files that did not change are not read again.
    pub fn after(env: &Env, project: &Project, seen: Rc<Seen>) -> Self {
        // For the user's own skills the current project counts.
        let here = if project.is_user() {
            Project::find(&env.cwd, None, env.home().as_deref()).project
        } else {
            project.clone()
        };
        Self {
            own: project.clone(),
            here,
            cwd: env.cwd.clone(),
            above: OnceCell::new(),
            home: env.home(),
            vars: env.vars.clone(),
            held: BTreeMap::new(),
            seen,
            found: BTreeMap::new(),
            listed: BTreeMap::new(),
            plugins: RefCell::default(),
            places: RefCell::default(),
        }
    }

    /// The scope of the skills a command changes.
    pub fn scope(&self) -> Scope {
        if self.own.is_user() { Scope::User } else { Scope::Project }
    }

    /// Whether a skill's folder in this directory is the same as a command's path.
    pub fn holds(&self, dir: &Dir, name: &str, at: &str) -> bool {
        dir.scope == self.scope() && self.own.path(at) == dir.path.join(name)
    }

    /// Every skill a target's client finds, the winning one of a name first.
    pub fn found(&mut self, target: &Target) -> Rc<[Standing]> {
        if let Some(known) = self.found.get(&target.id) {
            return Rc::clone(known);
        }
        let found: Rc<[Standing]> = self.look(target).into();
        self.found.insert(target.id.clone(), Rc::clone(&found));
        found
    }

    fn look(&mut self, target: &Target) -> Vec<Standing> {
        let client = client(&target.id);
        let mut all = Vec::new();
        for dir in self.dirs(target) {
            for held in self.held(&dir) {
                if client.is_some_and(|client| !held.is_found_by(client)) {
                    continue;
                }
                let said = |key: &str| held.doc.field(key).and_then(|field| field.value.scalar()).unwrap_or_default();
                let description = said("description").to_owned();
                let folder = held.folder();
                let listing = match client {
                    Some(client) if fit::is_dropped(&held.doc, held.loose_colon, folder, client) => None,
                    Some(client) => fit::listing_of(&held.doc, folder, client),
                    None => Some(fit::Listing {
                        name: if said("name").is_empty() { folder.to_owned() } else { said("name").to_owned() },
                        text: description.clone(),
                        whole: description.chars().count(),
                    }),
                };
                let Some(mut listing) = listing else { continue };
                listing.name = dir.listed_name(&listing.name);
                all.push(Standing {
                    cost: (listing.chars(), listing.tokens()),
                    shown: format!("{}/{}", dir.shown, held.below),
                    real: held.real.clone(),
                    name: listing.name,
                    text: listing.text,
                    description,
                    scope: dir.scope,
                    plugin: dir.plugin.clone(),
                });
            }
        }
        all
    }

    /// The skills in a directory, read once.
    fn held(&mut self, dir: &Dir) -> &[Held] {
        if !self.held.contains_key(&dir.path) {
            let held = self.opened(dir).map(|opened| held::read_all(&opened, &self.seen)).unwrap_or_default();
            self.held.insert(dir.path.clone(), held);
        }
        self.held.get(&dir.path).map(Vec::as_slice).unwrap_or_default()
    }

    fn opened(&self, dir: &Dir) -> io::Result<Rooted> {
        match dir.scope {
            Scope::Project => self.here.reach(&dir.path),
            Scope::User | Scope::System | Scope::Plugin => rooted::anywhere(&dir.path),
        }
    }

    /// Whether a skill's folder, with links resolved, is at this path of the command's project.
    pub fn is_at(&self, one: &Standing, at: &str) -> bool {
        let mut places = self.places.borrow_mut();
        if !places.contains_key(at) {
            places.insert(at.to_owned(), self.own.rooted(at).and_then(|at| at.canonical()).ok());
        }
        places.get(at).is_some_and(|real| real.as_ref() == Some(&one.real))
    }

    /// The skills a target's client lists.
    pub fn listed(&mut self, target: &Target) -> Rc<[Standing]> {
        if let Some(known) = self.listed.get(&target.id) {
            return Rc::clone(known);
        }
        let twice = reads(target).map_or(Twice::First, |known| known.twice);
        let mut seen = BTreeSet::new();
        let mut first = |one: &&Standing| {
            seen.insert(match twice {
                Twice::Both => (one.name.clone(), Some(one.real.clone()), None),
                Twice::OnePerScope => (one.name.clone(), None, Some(one.scope)),
                Twice::First | Twice::Complains | Twice::Either => (one.name.clone(), None, None),
            })
        };
        let listed: Rc<[Standing]> = self.found(target).iter().filter(|one| first(one)).cloned().collect();
        self.listed.insert(target.id.clone(), Rc::clone(&listed));
        listed
    }

    /// The skills these targets' clients list, equal ones as one, by name.
    pub fn installed<'t>(&mut self, targets: impl Iterator<Item = &'t Target>) -> Vec<Installed> {
        let mut all: BTreeMap<(String, String), Installed> = BTreeMap::new();
        for target in targets {
            for one in self.listed(target).iter() {
                let skill = all.entry((one.name.clone(), one.description.clone())).or_insert_with(|| Installed {
                    name: one.name.clone(),
                    text: String::new(),
                    clients: Vec::new(),
                    places: Vec::new(),
                });
                if one.text.len() > skill.text.len() {
                    skill.text.clone_from(&one.text);
                }
                if !skill.clients.contains(&target.id) {
                    skill.clients.push(target.id.clone());
                }
                let place = Place { path: one.shown.clone(), scope: one.scope };
                if !skill.places.contains(&place) {
                    skill.places.push(place);
                }
            }
        }
        let mut all: Vec<Installed> = all.into_values().collect();
        all.iter_mut().for_each(|one| one.places.sort());
        all
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;

//! What the clients find on this machine: the directories each of them reads, in both scopes, and the skills there.
//! Reads only.

mod candidates;
mod dirs;
mod plugins;
mod settings;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use candidates::Held;
use serde::Serialize;

use crate::client::target::{Target, Twice, client, reads};
use crate::project::Project;
use crate::project::inventory::Seen;
use crate::rules::fit;
use crate::system::env::Env;
use crate::system::rooted::{self, Rooted};
pub use candidates::{Candidate, State};
pub use dirs::Dir;
pub use plugins::Plugin;

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
    pub name: String,
    pub description: String,
    /// The part of it the client shows.
    pub text: String,
    /// Characters and estimated tokens of its line in the list.
    pub cost: (usize, usize),
    pub shown: String,
    pub real: PathBuf,
    pub scope: Scope,
    pub plugin: Option<Rc<Plugin>>,
}

/// A skill that at least one client lists, and all clients that do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub name: String,
    pub text: String,
    /// The clients that list it, by target id.
    pub clients: Vec<String>,
    pub places: Vec<Place>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
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
    held: Vec<(PathBuf, Vec<Held>)>,
    seen: Rc<Seen>,
    /// The skills a target's client finds, by the target's id.
    found: Vec<(String, Rc<[Standing]>)>,
    listed: Vec<(String, Rc<[Standing]>)>,
    /// Where the plugins of a target's client keep skills, by the target's id.
    plugins: RefCell<Vec<(String, Vec<Dir>)>>,
    /// Where paths of the project lead.
    places: RefCell<BTreeMap<String, Option<PathBuf>>>,
}

impl Reach {
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
            held: Vec::new(),
            seen,
            found: Vec::new(),
            listed: Vec::new(),
            plugins: RefCell::default(),
            places: RefCell::default(),
        }
    }

    pub fn scope(&self) -> Scope {
        if self.own.is_user() { Scope::User } else { Scope::Project }
    }

    /// Whether a skill's folder in this directory is the same as a command's path.
    pub fn holds(&self, dir: &Dir, name: &str, at: &str) -> bool {
        dir.scope == self.scope() && self.own.path(at) == dir.path.join(name)
    }

    /// Every skill a target's client finds, the winning one of a name first.
    pub fn found(&mut self, target: &Target) -> Rc<[Standing]> {
        if let Some((_, known)) = self.found.iter().find(|(id, _)| *id == target.id) {
            return Rc::clone(known);
        }
        let found: Rc<[Standing]> = self.look(target).into();
        self.found.push((target.id.clone(), Rc::clone(&found)));
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

    fn held(&mut self, dir: &Dir) -> &[Held] {
        let known = self.held.iter().position(|(path, _)| *path == dir.path).unwrap_or_else(|| {
            let held = self.opened(dir).map(|opened| candidates::read_all(&opened, &self.seen)).unwrap_or_default();
            self.held.push((dir.path.clone(), held));
            self.held.len() - 1
        });
        self.held.get(known).map(|(_, held)| held.as_slice()).unwrap_or_default()
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
            let there = |at: Rooted| at.metadata().and_then(|_| at.canonical());
            places.insert(at.to_owned(), self.own.rooted(at).and_then(there).ok());
        }
        places.get(at).is_some_and(|real| real.as_ref() == Some(&one.real))
    }

    pub fn listed(&mut self, target: &Target) -> Rc<[Standing]> {
        if let Some((_, known)) = self.listed.iter().find(|(id, _)| *id == target.id) {
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
        self.listed.push((target.id.clone(), Rc::clone(&listed)));
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside {
    /// Both are listed, and invoking the name invokes neither.
    Uncallable,
    /// Both are listed, the project's and the user's.
    BothScopes,
    /// The first is used, and the client warns about the other.
    Complains,
    /// One of them is used, and not always the same.
    Either,
    /// The user's own is used, or the one for everybody on the machine before it.
    UserWins,
    Hides,
}

impl Beside {
    /// The outcome for two skills in these scopes with different paths.
    pub fn of(target: &Target, one: Scope, other: Scope) -> Self {
        let (twice, user_wins) = reads(target).map_or((Twice::First, false), |known| (known.twice, known.user_wins));
        match twice {
            Twice::Both => Self::Uncallable,
            Twice::OnePerScope if one != other => Self::BothScopes,
            Twice::Complains => Self::Complains,
            Twice::Either => Self::Either,
            Twice::First if user_wins && one != other => Self::UserWins,
            Twice::First | Twice::OnePerScope => Self::Hides,
        }
    }
}

impl Reach {
    /// The other skills of the same name that a target's client finds, in its order. A link to the same folder is the
    /// same skill, except for a client that warns about it all the same.
    pub fn rivals(&mut self, target: &Target, own: &Standing) -> Vec<(Standing, Beside)> {
        let mut found: Vec<(Standing, Beside)> = Vec::new();
        for other in self.found(target).iter().filter(|other| other.name == own.name) {
            let beside = Beside::of(target, own.scope, other.scope);
            let same = other.shown == own.shown || (other.real == own.real && beside != Beside::Complains);
            // If the directories of a scope count as one, only the first of them counts.
            let counted = beside == Beside::BothScopes && found.iter().any(|(known, _)| known.scope == other.scope);
            if !same && !counted {
                found.push((other.clone(), beside));
            }
        }
        found
    }

    pub fn rival_messages(&mut self, target: &Target, own: &Standing) -> Vec<String> {
        let order = self.found(target);
        let rank = |one: &Standing| order.iter().position(|known| known.shown == one.shown);
        let rivals = self.rivals(target, own);
        rivals
            .iter()
            .map(|(other, beside)| {
                let (title, own_path, path) = (&target.title, &own.shown, &other.shown);
                let (first, second) = if rank(other) < rank(own) { (path, own_path) } else { (own_path, path) };
                match beside {
                    Beside::Uncallable => {
                        let call = target.invoke.replace("NAME", &own.name);
                        format!("{title} lists it twice, as {path} is there too, and `{call}` calls neither.")
                    }
                    Beside::BothScopes => format!("{title} lists it twice, as {path} is there too."),
                    Beside::Complains => format!("{title} uses {first} and complains of {second}."),
                    Beside::Either => format!("{title} uses {own_path} or {path}, not always the same."),
                    Beside::UserWins => {
                        let winner = if rank(other) < rank(own) { other } else { own };
                        format!("{title} uses {first}: {} win.", winner.scope.skills())
                    }
                    Beside::Hides => format!("{title} uses {first} and hides {second}."),
                }
            })
            .collect()
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;

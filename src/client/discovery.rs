//! What the clients see on this machine: the directories each of them reads, in both scopes, and the skills that stand
//! there. Reads only.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::Serialize;

use crate::client::target::{Target, Twice, client, reads};
use crate::project::Project;
use crate::project::inventory::Seen;
use crate::rules::fit;
use crate::skill::frontmatter::{self, Document};
use crate::system::env::Env;
use crate::system::rooted::{self, Kind, Rooted};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Project,
    /// The user's own, seen in every project.
    User,
}

/// A directory a client reads skills from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dir {
    pub path: PathBuf,
    /// The same as people write it: below the project, below `~`, or absolute.
    pub shown: String,
    pub scope: Scope,
}

/// A skill as one client would list it, if no other of its name came before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The name the client lists.
    pub name: String,
    /// The whole description, where it has one.
    pub description: String,
    /// What the client shows of it.
    pub text: String,
    /// Characters and estimated tokens of its line in the list.
    pub cost: (usize, usize),
    /// Its folder as people write it.
    pub shown: String,
    /// Its folder with every link followed.
    pub real: PathBuf,
    pub scope: Scope,
}

/// A skill that at least one client lists, with everybody who does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    pub name: String,
    /// What it is chosen by.
    pub text: String,
    /// The clients that list it, by target id.
    pub clients: Vec<String>,
    /// Where it stands, each place once.
    pub places: Vec<Place>,
}

/// One place of a skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Its folder as people write it.
    pub path: String,
    pub scope: Scope,
}

/// Looks at the directories, each once.
pub struct Reach {
    /// Whose skills a command changes: a project's, or the user's own.
    own: Project,
    /// The project whose directories are looked at.
    here: Project,
    cwd: PathBuf,
    home: Option<PathBuf>,
    vars: BTreeMap<OsString, OsString>,
    /// What stands in a directory.
    held: BTreeMap<PathBuf, Vec<Held>>,
    /// The files that were read.
    seen: Rc<Seen>,
    /// What a target's client finds, by the target's id.
    found: BTreeMap<String, Vec<Standing>>,
    /// Where paths of the project lead.
    places: RefCell<BTreeMap<String, Option<PathBuf>>>,
}

/// A skill in a directory.
struct Held {
    folder: String,
    real: PathBuf,
    doc: Rc<Document>,
}

impl Reach {
    /// Looks from a project with the environment's variables.
    #[must_use]
    pub fn new(env: &Env, project: &Project) -> Self {
        Self::after(env, project, Rc::default())
    }

    /// As [`Reach::new`], where files were read before: what did not change since is not read again.
    #[must_use]
    pub fn after(env: &Env, project: &Project, seen: Rc<Seen>) -> Self {
        // The user's own skills are seen from the project the user stands in.
        let here = if project.is_user() {
            Project::find(&env.cwd, None, env.home().as_deref()).project
        } else {
            project.clone()
        };
        Self {
            own: project.clone(),
            here,
            cwd: env.cwd.clone(),
            home: env.home(),
            vars: env.vars.clone(),
            held: BTreeMap::new(),
            seen,
            found: BTreeMap::new(),
            places: RefCell::default(),
        }
    }

    /// The directories a target's client reads, the winning one first.
    #[must_use]
    pub fn dirs(&self, target: &Target) -> Vec<Dir> {
        let known = reads(target);
        let mut project: Vec<Dir> = match known {
            Some(known) => known.project.iter().map(|dir| self.below_root(dir)).collect(),
            None => {
                std::iter::once(&target.skills_dir).chain(&target.also_reads).map(|dir| self.own_dir(dir)).collect()
            }
        };
        let variable = |name: &str| {
            let value = self.vars.get(OsStr::new(name)).filter(|value| !value.is_empty())?;
            Some(self.cwd.join(value))
        };
        let user = known.map(|known| known.user).unwrap_or_default().iter();
        let user: Vec<Dir> = user
            .filter_map(|dir| dir.path(variable, self.home.as_deref()))
            .map(|path| Dir { shown: self.shown(&path), path, scope: Scope::User })
            .collect();
        if self.own.is_user() {
            // Somebody who stands at home has one directory and not two.
            project.retain(|dir| dir.scope == Scope::User || user.iter().all(|own| own.path != dir.path));
        }
        let all = match known {
            Some(known) if known.user_wins => [user, project].concat(),
            _ => [project, user].concat(),
        };
        let mut seen = BTreeSet::new();
        all.into_iter().filter(|dir| seen.insert(dir.path.clone())).collect()
    }

    /// The scope of the skills a command changes.
    #[must_use]
    pub fn scope(&self) -> Scope {
        if self.own.is_user() { Scope::User } else { Scope::Project }
    }

    /// Whether a skill's folder in one of these directories is what a command's path leads to.
    #[must_use]
    pub fn holds(&self, dir: &Dir, name: &str, at: &str) -> bool {
        dir.scope == self.scope() && self.own.path(at) == dir.path.join(name)
    }

    fn own_dir(&self, dir: &str) -> Dir {
        if !self.own.is_user() {
            return self.below_root(dir);
        }
        let path = self.own.path(dir);
        Dir { shown: self.shown(&path), path, scope: Scope::User }
    }

    fn below_root(&self, dir: &str) -> Dir {
        Dir { path: self.here.root().join(dir), shown: dir.to_owned(), scope: Scope::Project }
    }

    fn shown(&self, path: &Path) -> String {
        let below = self.home.as_deref().and_then(|home| path.strip_prefix(home).ok());
        below.map_or_else(|| path.display().to_string(), |below| format!("~/{}", below.display()))
    }

    /// Every skill a target's client finds, the winning one of a name first.
    pub fn found(&mut self, target: &Target) -> Vec<Standing> {
        if let Some(known) = self.found.get(&target.id) {
            return known.clone();
        }
        let found = self.look(target);
        self.found.insert(target.id.clone(), found.clone());
        found
    }

    fn look(&mut self, target: &Target) -> Vec<Standing> {
        let mut all = Vec::new();
        for dir in self.dirs(target) {
            let seen = &self.seen;
            let held = self.held.entry(dir.path.clone()).or_insert_with(|| {
                let opened = match dir.scope {
                    Scope::Project => self.here.reach(&dir.path),
                    Scope::User => rooted::anywhere(&dir.path),
                };
                opened.map(|dir| read_all(&dir, seen)).unwrap_or_default()
            });
            for Held { folder, real, doc } in held.iter() {
                let said = |key: &str| doc.field(key).and_then(|field| field.value.scalar()).unwrap_or_default();
                let description = said("description").to_owned();
                let listing = match client(&target.id) {
                    Some(client) => fit::listing_of(doc, folder, client),
                    None => Some(fit::Listing {
                        name: if said("name").is_empty() { folder.clone() } else { said("name").to_owned() },
                        text: description.clone(),
                        whole: description.chars().count(),
                    }),
                };
                let Some(listing) = listing else { continue };
                all.push(Standing {
                    cost: (listing.chars(), listing.tokens()),
                    shown: format!("{}/{folder}", dir.shown),
                    real: real.clone(),
                    name: listing.name,
                    text: listing.text,
                    description,
                    scope: dir.scope,
                });
            }
        }
        all
    }

    /// Whether a skill is, links followed, the folder at this path of what a command changes.
    #[must_use]
    pub fn is_at(&self, one: &Standing, at: &str) -> bool {
        let mut places = self.places.borrow_mut();
        if !places.contains_key(at) {
            places.insert(at.to_owned(), self.own.rooted(at).and_then(|at| at.canonical()).ok());
        }
        places.get(at).is_some_and(|real| real.as_ref() == Some(&one.real))
    }

    /// What a target's client lists of what it finds.
    pub fn listed(&mut self, target: &Target) -> Vec<Standing> {
        let twice = reads(target).map_or(Twice::First, |known| known.twice);
        let mut seen = BTreeSet::new();
        let mut all = self.found(target);
        all.retain(|one| {
            seen.insert(match twice {
                Twice::Both => (one.name.clone(), Some(one.real.clone()), None),
                Twice::OnePerScope => (one.name.clone(), None, Some(one.scope)),
                Twice::First | Twice::Complains | Twice::Either => (one.name.clone(), None, None),
            })
        });
        all
    }

    /// The skills these targets' clients list, equal ones as one, by name.
    pub fn installed<'t>(&mut self, targets: impl Iterator<Item = &'t Target>) -> Vec<Installed> {
        let mut all: BTreeMap<(String, String), Installed> = BTreeMap::new();
        for target in targets {
            for one in self.listed(target) {
                let skill = all.entry((one.name.clone(), one.description)).or_insert_with(|| Installed {
                    name: one.name,
                    text: String::new(),
                    clients: Vec::new(),
                    places: Vec::new(),
                });
                if one.text.len() > skill.text.len() {
                    skill.text = one.text;
                }
                if !skill.clients.contains(&target.id) {
                    skill.clients.push(target.id.clone());
                }
                let place = Place { path: one.shown, scope: one.scope };
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

/// The skills of a directory that can be read, by folder. What is no regular file is not opened.
fn read_all(dir: &Rooted, seen: &Seen) -> Vec<Held> {
    let (Ok(entries), Ok(real_dir)) = (dir.list(), dir.canonical()) else { return Vec::new() };
    let mut all: Vec<Held> = entries
        .into_iter()
        .filter_map(|(name, kind)| {
            let folder = name.into_string().ok().filter(|name| !name.starts_with('.'))?;
            let place = dir.join(&folder);
            let doc = seen.read(&place.join("SKILL.md"), frontmatter::MAX_FILE + 1)?.doc?;
            // Links on the way to the directory were followed once; only a link in it leads elsewhere.
            let linked = if kind == Kind::Link { place.canonical().ok() } else { None };
            let real = linked.unwrap_or_else(|| real_dir.join(&folder));
            Some(Held { folder, real, doc })
        })
        .collect();
    all.sort_by(|one, other| one.folder.cmp(&other.folder));
    all
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::client::target::Targets;

    fn put(root: &Path, dir: &str, name: &str, description: &str) {
        let dir = root.join(dir).join(name);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\nBody.\n"))
            .unwrap();
    }

    fn names(skills: &[Standing]) -> Vec<&str> {
        skills.iter().map(|one| one.shown.as_str()).collect()
    }

    #[test]
    fn a_name_in_two_places_is_listed_as_each_client_does() {
        let dir = tempfile::tempdir().unwrap();
        let (root, home) = (dir.path().join("project"), dir.path().join("home"));
        for below in [".claude/skills", ".codex/skills"] {
            put(&root, below, "x", "Here.");
            put(&home, below, "x", "There.");
        }
        let env = Env::made(root.clone(), &[("HOME", home.to_str().unwrap())], jiff::Timestamp::UNIX_EPOCH);
        let targets = Targets::with(Vec::new());
        let mut reach = Reach::new(&env, &Project::at(&root));
        let mut listed = |id: &str| reach.listed(targets.get(id).unwrap());
        assert_eq!(names(&listed("claude")), ["~/.claude/skills/x"]);
        assert_eq!(names(&listed("codex")), [".codex/skills/x", "~/.codex/skills/x"]);
        assert_eq!(names(&listed("copilot")), [".claude/skills/x"]);
        assert_eq!(names(&listed("cursor")), [".claude/skills/x", "~/.claude/skills/x"]);
        assert!(listed("gemini").is_empty());
        let all = reach.installed(targets.iter());
        let seen: Vec<_> = all.iter().map(|one| (one.text.as_str(), one.clients.join(" "), one.places.len())).collect();
        let here = ("Here.", "codex copilot opencode cursor".to_owned(), 2);
        assert_eq!(seen, [here, ("There.", "claude codex cursor".to_owned(), 2)]);
    }

    #[test]
    fn a_linked_directory_is_followed_to_the_folders_in_it() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "shared/skills", "x", "Here.");
        fs::create_dir_all(dir.path().join(".gemini")).unwrap();
        std::os::unix::fs::symlink("../shared/skills", dir.path().join(".gemini/skills")).unwrap();
        let env = Env::made(dir.path().into(), &[], jiff::Timestamp::UNIX_EPOCH);
        let mut reach = Reach::new(&env, &Project::at(dir.path()));
        let found = reach.found(Targets::with(Vec::new()).get("gemini").unwrap());
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(one.real, dir.path().canonicalize().unwrap().join("shared/skills/x"));
        assert!(reach.is_at(one, ".gemini/skills/x") && reach.is_at(one, "shared/skills/x"));
        assert!(!reach.is_at(one, ".gemini/skills/y"));
    }

    #[test]
    fn equal_copies_are_taken_apart_once_and_others_each() {
        let dir = tempfile::tempdir().unwrap();
        for (below, name, text) in
            [(".claude/skills", "x", "Here."), (".codex/skills", "x", "Here."), (".codex/skills", "y", "There.")]
        {
            put(dir.path(), below, name, text);
        }
        fs::create_dir_all(dir.path().join(".codex/skills/z")).unwrap();
        fs::write(dir.path().join(".codex/skills/z/SKILL.md"), "No head.").unwrap();
        let env = Env::made(dir.path().into(), &[], jiff::Timestamp::UNIX_EPOCH);
        let targets = Targets::with(Vec::new());
        let mut reach = Reach::new(&env, &Project::at(dir.path()));
        let before = reach.found(targets.get("codex").unwrap());
        let seen: Vec<_> = before.iter().map(|one| (one.name.as_str(), one.text.as_str())).collect();
        assert_eq!(seen, [("x", "Here."), ("y", "There.")]);
        assert_eq!(names(&reach.found(targets.get("claude").unwrap())), [".claude/skills/x"]);
        let doc = |below: &str| Rc::clone(&reach.held[&dir.path().join(below)][0].doc);
        assert!(Rc::ptr_eq(&doc(".claude/skills"), &doc(".codex/skills")));
        assert_eq!(reach.found(targets.get("codex").unwrap()), before);
    }

    #[test]
    fn a_link_to_the_same_skill_is_one_for_codex() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), ".agents/skills", "x", "Here.");
        fs::create_dir_all(dir.path().join(".codex/skills")).unwrap();
        std::os::unix::fs::symlink("../../.agents/skills/x", dir.path().join(".codex/skills/x")).unwrap();
        let env = Env::made(dir.path().into(), &[], jiff::Timestamp::UNIX_EPOCH);
        let mut reach = Reach::new(&env, &Project::at(dir.path()));
        let codex = Targets::with(Vec::new()).get("codex").cloned().unwrap();
        assert_eq!((reach.found(&codex).len(), reach.listed(&codex).len()), (2, 1));
        assert!(reach.found(&codex).iter().all(|one| reach.is_at(one, ".agents/skills/x")));
    }
}

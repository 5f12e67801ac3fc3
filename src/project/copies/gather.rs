//! Reads the copies of one skill or of all of them, each directory once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Copies, Copy, Found};
use crate::client::target::{Target, Targets};
use crate::error::{Code, Error, Result, Warning, chain};
use crate::memory::{Installed, MadeFrom, Memory, Recipe};
use crate::project::{DATABASE, Project, inventory};
use crate::registry::Registry;
use crate::report::Slashed;
use crate::transaction::{Listings, Surveyed};

/// Up to how many copies one worker suffices.
const FEW: usize = 16;

/// What the registry and the memory know of installed skills.
#[derive(Debug, Default)]
pub struct Known {
    /// The targets of each registered skill.
    registered: BTreeMap<String, Vec<String>>,
    bases: HashMap<String, Installed>,
    ingredients: HashMap<String, MadeFrom>,
}

impl Known {
    /// Reads the memory. If it cannot be read, nothing is known, with a warning.
    pub fn read(env: &mut crate::system::env::Env, project: &Project, registry: Option<&Registry>) -> Self {
        let read = |memory: Option<Memory>| match memory {
            Some(memory) => Ok((memory.bases()?, memory.ingredients()?)),
            None => Ok((Vec::new(), HashMap::new())),
        };
        let (bases, ingredients) = memory(project).and_then(read).unwrap_or_else(|error| {
            let path = project.database();
            let said =
                format!("{} cannot be read ({}): what was installed is not known.", path.slashed(), chain(&error));
            env.note_once(Warning::new(Code::MemoryDegraded, said));
            (Vec::new(), HashMap::new())
        });
        Self {
            registered: rows(registry),
            ingredients,
            bases: bases.into_iter().map(|base| (base.copy.at.clone(), base)).collect(),
        }
    }

    /// The same without warnings and changes, for a command that is about something else.
    pub fn glance(project: &Project, registry: Option<&Registry>) -> Self {
        let there = project.exists(DATABASE);
        let bases = there.then(|| Memory::look(&project.database()).and_then(|memory| memory.bases()));
        let bases = bases.and_then(Result::ok).unwrap_or_default();
        let bases = bases.into_iter().map(|base| (base.copy.at.clone(), base)).collect();
        Self { registered: rows(registry), bases, ingredients: HashMap::new() }
    }

    pub fn made_from(&self, run: &str) -> Option<&MadeFrom> {
        self.ingredients.get(run)
    }

    pub fn recipe(&self, project: &Project, run: &str) -> Option<Recipe> {
        memory(project).ok().flatten()?.recipe(run).ok().flatten()
    }

    fn registered(&self, name: &str, id: &str) -> bool {
        self.registered.get(name).is_some_and(|clis| clis.iter().any(|cli| cli == id))
    }

    fn installed(&self, at: &str) -> Option<&Installed> {
        self.bases.get(at).filter(|base| base.copy.digest.is_some())
    }
}

/// The registered skills with their targets, to be looked up by name.
fn rows(registry: Option<&Registry>) -> BTreeMap<String, Vec<String>> {
    let rows = registry.into_iter().flat_map(Registry::skills);
    rows.map(|row| (row.name.to_string(), row.clis.clone())).collect()
}

/// Opens the memory, if there is one, for looking; an older one is brought up to date, and nothing is swept.
pub(super) fn memory(project: &Project) -> anyhow::Result<Option<Memory>> {
    if !project.exists(DATABASE) {
        return Ok(None);
    }
    let path = project.database();
    Memory::look(&path).or_else(|_| Memory::open(&path, 0)).map(Some)
}

/// A skill with its copies.
/// Errors: E-SKILL-001 if there is no such skill, with the nearest name.
pub fn named(project: &Project, targets: &Targets, known: &Known, name: &str) -> Result<Copies> {
    let found = gather(project, targets, known, &[name.to_owned()]).pop();
    found.filter(|skill| !skill.all.is_empty()).ok_or_else(|| {
        let error = Error::new(Code::NoSuchSkill, format!("there is no skill {name:?}"));
        match super::renamed_to(project, name) {
            Some(now) => error.suggest(format!("It is called `{now}` now.")),
            None => error.suggest(inventory::other_names(name, &inventory::directories(project, targets.iter()))),
        }
    })
}

/// Every skill that is registered, was installed or is in a skills directory, by name.
pub fn whole(project: &Project, targets: &Targets, known: &Known) -> Vec<Copies> {
    let mut names: BTreeSet<String> = inventory::directories(project, targets.iter()).into_iter().collect();
    names.extend(known.registered.keys().cloned());
    gather(project, targets, known, &names.into_iter().collect::<Vec<_>>())
}

pub fn gather(project: &Project, targets: &Targets, known: &Known, names: &[String]) -> Vec<Copies> {
    let mut standing: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for target in targets.iter() {
        let listed = || inventory::directories_in(project, &target.skills_dir).into_iter().collect();
        standing.entry(&target.skills_dir).or_insert_with(listed);
    }
    let there =
        |target: &Target, name: &str| standing.get(target.skills_dir.as_str()).is_some_and(|all| all.contains(name));
    let wanted = |target: &Target, name: &str| there(target, name) || known.registered(name, &target.id);
    let places = names.iter().flat_map(|name| targets.iter().map(move |target| (name.as_str(), target)));
    let places: Vec<(&str, &Target)> = places.filter(|(name, target)| wanted(target, name)).collect();
    let mut all: Vec<Copies> =
        names.iter().map(|name| Copies { name: name.clone(), all: Vec::new(), newer: Vec::new() }).collect();
    let index: HashMap<&str, usize> = names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    for ((name, target), found) in places.iter().zip(read(project, &places)) {
        let at = target.skill_dir(name);
        let copy = Copy {
            registered: known.registered(name, &target.id),
            base: known.installed(&at).cloned(),
            past: Vec::new(),
            target: (*target).clone(),
            found,
            at,
        };
        if let Some(skill) = index.get(name).and_then(|at| all.get_mut(*at)) {
            skill.all.push(copy);
        }
    }
    add_past(project, &mut all);
    all
}

/// Adds what was installed before to the copies of each skill that were not all installed by one run.
fn add_past(project: &Project, all: &mut [Copies]) {
    let several = |skill: &&mut Copies| {
        let mut runs = skill.all.iter().filter_map(|copy| copy.base.as_ref()).map(|base| base.seq);
        let first = runs.next();
        runs.any(|run| Some(run) != first)
    };
    let mut skills = all.iter_mut().filter(several).peekable();
    if skills.peek().is_none() {
        return;
    }
    let Ok(memory) = Memory::look(&project.database()) else { return };
    for skill in skills {
        let rows = memory.history(&skill.name).unwrap_or_default();
        for copy in &mut skill.all {
            let Some(base) = &copy.base else { continue };
            copy.past = past(base, &rows);
        }
    }
}

/// The digests of what was installed at the place of a row before it, newest first. What was removed before the place
/// was filled anew does not count.
fn past(base: &Installed, rows: &[Installed]) -> Vec<String> {
    let mut anew = base.makes_anew();
    let mut digests = Vec::new();
    for row in rows.iter().filter(|row| row.copy.at == base.copy.at && row.seq < base.seq) {
        match &row.copy.digest {
            Some(digest) => digests.push(digest.clone()),
            None if anew => break,
            None => {}
        }
        anew = row.makes_anew();
    }
    digests
}

/// Reads these paths, on all cores if there are many.
fn read(project: &Project, places: &[(&str, &Target)]) -> Vec<Found> {
    let (listings, next) = (Listings::default(), AtomicUsize::new(0));
    let all = Mutex::new(vec![Found::Nothing; places.len()]);
    let work = || {
        loop {
            let from = next.fetch_add(FEW, Ordering::Relaxed);
            let Some(rest) = places.get(from..).filter(|rest| !rest.is_empty()) else { return };
            let some = rest.iter().take(FEW).map(|(name, target)| look(project, &listings, &target.skill_dir(name)));
            let some: Vec<Found> = some.collect();
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.iter_mut().skip(from).zip(some).for_each(|(slot, found)| *slot = found);
        }
    };
    let workers = places.len().div_ceil(FEW).min(std::thread::available_parallelism().map_or(1, usize::from));
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn look(project: &Project, listings: &Listings, at: &str) -> Found {
    let Surveyed { found, .. } = listings.survey(&project.path(at));
    match found {
        Ok(None) => Found::Nothing,
        Ok(Some((tree, left_out))) => match left_out.first() {
            Some(one) => Found::Unreadable(format!("{}: {}", one.path, one.why)),
            None => Found::Files { digest: tree.digest(), tree },
        },
        Err(_) if !project.exists(at) => Found::Nothing,
        Err(error) => Found::Unreadable(error.message()),
    }
}

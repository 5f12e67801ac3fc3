//! The copies of installed skills: their paths, what was installed, and the state of each.

mod gather;
mod history;
mod merge;
mod write;

pub use gather::{Known, gather, named, whole};
pub use history::{Ingredients, Newer, Version, at_version, has_namesake, history, renamed_to, version_of};
pub use merge::{Clash, Merged, Wanted};
pub use write::{Revision, Written, errors, revise, unacceptable, write};

use crate::client::adapt;
use crate::registry::{CopyState, Drift, Evidence, Kind, copy_state};
use crate::rules::{Severities, Subject};
use crate::skill::{Blob, Tree, metadata};
use crate::transaction::{Roots, objects};

/// What exists at the path of a copy.
#[derive(Debug, Clone)]
pub enum Found {
    Nothing,
    Files {
        tree: Tree,
        digest: String,
    },
    /// Something that is no readable skill; the reason.
    Unreadable(String),
}

#[derive(Debug, Clone)]
pub struct Copy {
    pub target: crate::client::target::Target,
    /// Its path relative to the root.
    pub at: String,
    pub found: Found,
    /// What was installed there last.
    pub base: Option<crate::memory::Installed>,
    /// The digests of what was installed there before, newest first, if other copies were not installed with it.
    pub past: Vec<String>,
    pub registered: bool,
}

impl Copy {
    pub fn tree(&self) -> Option<&Tree> {
        match &self.found {
            Found::Files { tree, .. } => Some(tree),
            _ => None,
        }
    }

    /// Whether hefesto installed or registered it.
    pub fn is_own(&self) -> bool {
        self.registered || self.base_digest().is_some()
    }

    /// Whether the folder contains no SKILL.md, in whatever case.
    pub fn is_no_skill(&self) -> bool {
        self.tree().is_some_and(|tree| tree.iter().all(|(path, _)| !path.eq_ignore_ascii_case("SKILL.md")))
    }

    fn digest(&self) -> Option<&str> {
        match &self.found {
            Found::Files { digest, .. } => Some(digest),
            _ => None,
        }
    }

    fn base_digest(&self) -> Option<&str> {
        self.base.as_ref()?.copy.digest.as_deref()
    }

    /// The files, if they are as installed and their archive is lost.
    pub fn unarchived(&self, roots: &Roots) -> Option<&Tree> {
        let digest = self.digest().filter(|digest| self.base_digest() == Some(digest))?;
        if objects::read(roots, digest).is_none() { self.tree() } else { None }
    }

    /// The installed files, if still stored.
    fn base_tree(&self, roots: &Roots) -> Option<Tree> {
        let digest = self.base_digest()?;
        match &self.found {
            Found::Files { tree, digest: found } if found == digest => Some(tree.clone()),
            _ => objects::read(roots, digest),
        }
    }
}

/// A skill with all its copies, in table order.
#[derive(Debug, Clone)]
pub struct Copies {
    pub name: String,
    pub all: Vec<Copy>,
    /// The template and packs newer than its text, if that was checked.
    pub newer: Vec<Newer>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyStatus {
    pub state: CopyState,
    /// The state in one sentence without its subject.
    pub what: String,
    /// For an outdated copy: `copy` if another copy has a later version, `source` if the template or a pack is newer.
    pub reason: Option<&'static str>,
    /// What to do about it, in one sentence.
    pub action: Option<String>,
}

impl Copies {
    /// The copies managed by hefesto; all of them if there are none.
    pub fn own(&self) -> impl Iterator<Item = &Copy> {
        let any = self.all.iter().any(Copy::is_own);
        self.all.iter().filter(move |copy| copy.is_own() || !any)
    }

    /// The state of each copy in order. None: nothing exists and nothing is expected.
    pub fn states(&self, roots: &Roots, severities: &Severities) -> Vec<Option<CopyStatus>> {
        let newest = self.latest(roots);
        let age = |copy: &Copy| newest.map_or(Age::Current, |newest| self.age(copy, newest, roots));
        let agree = || {
            let mut texts = self.own().filter_map(|copy| copy.tree()).map(|tree| adapt::essence(tree).digest());
            let first = texts.next();
            texts.all(|other| Some(other) == first)
        };
        let unknown =
            self.all.iter().any(|copy| copy.tree().is_some() && copy.registered && copy.base_digest().is_none());
        let agrees = unknown && agree();
        let status = |copy: &Copy| {
            let known = Evidence {
                registered: copy.registered,
                base: copy.base_digest(),
                found: copy.digest(),
                unreadable: matches!(copy.found, Found::Unreadable(_)),
                current: age(copy) != Age::Older,
                agrees,
            };
            let state = copy_state(&known, || copy.tree().is_some_and(|tree| self.is_valid(copy, tree, severities)))?;
            if state == CopyState::Same && !self.newer.is_empty() {
                return Some(self.behind_its_source());
            }
            if state == CopyState::Foreign && copy.is_no_skill() {
                return Some(self.no_skill(copy));
            }
            Some(CopyStatus {
                state,
                what: self.what(copy, state, newest),
                reason: (state == CopyState::Outdated).then_some("copy"),
                action: state.action(&self.name, &copy.target.id),
            })
        };
        let mut states: Vec<Option<CopyStatus>> = self.all.iter().map(status).collect();
        if states.iter().flatten().all(|status| status.state == CopyState::Same && status.action.is_none())
            && self.is_torn(roots)
        {
            for status in states.iter_mut().flatten() {
                status.what.push_str(", but not every copy says the same");
                status.action = Some(format!("`hefesto sync {}` asks which text holds.", self.name));
            }
        }
        let is_edited = |status: &CopyStatus| status.state == CopyState::Edited;
        if states.iter().flatten().filter(|status| is_edited(status)).count() > 1 {
            let name = &self.name;
            let action = format!(
                "`hefesto sync {name}` merges the edits and asks where they differ; `hefesto diff {name}` shows them."
            );
            for status in states.iter_mut().flatten().filter(|status| is_edited(status)) {
                status.action = Some(action.clone());
            }
        }
        states
    }

    /// The status of a folder that somebody else made and that is no skill.
    fn no_skill(&self, copy: &Copy) -> CopyStatus {
        CopyStatus {
            state: CopyState::Foreign,
            what: "was not installed by hefesto and contains no SKILL.md".to_owned(),
            reason: None,
            action: Some(format!(
                "Add a SKILL.md, then `hefesto adopt {0}`; or `hefesto delete {0} --cli {1}` removes the folder.",
                self.name, copy.target.id
            )),
        }
    }

    /// The status of an unedited copy whose template or pack is newer.
    fn behind_its_source(&self) -> CopyStatus {
        CopyStatus {
            state: CopyState::Outdated,
            what: format!(
                "is as it was installed, and {} {} newer",
                Newer::text(&self.newer),
                if self.newer.len() == 1 { "is" } else { "are" }
            ),
            reason: Some("source"),
            action: Some(format!("`hefesto update {}` brings what is new into your text.", self.name)),
        }
    }

    fn is_valid(&self, copy: &Copy, tree: &Tree, severities: &Severities) -> bool {
        let subject = Subject { directory: &self.name, prefix: &copy.at, tree, target: Some(&copy.target) };
        errors(std::iter::once(subject), severities).is_empty()
    }

    fn what(&self, copy: &Copy, state: CopyState, newest: Option<&Copy>) -> String {
        let version = copy.base.as_ref().and_then(|base| base.copy.version.as_deref());
        let installed = version.map(|version| format!(" (version {version})")).unwrap_or_default();
        match (state, &copy.found) {
            (CopyState::Invalid, Found::Unreadable(why)) => format!("cannot be read: {why}"),
            (CopyState::Same, _) if copy.base_digest().is_none() => "agrees with the other copies".to_owned(),
            (CopyState::Same, _) => format!("is as it was installed{installed}"),
            (CopyState::Edited, _) if copy.base_digest().is_none() => {
                "differs from another copy, and it is not known what was installed".to_owned()
            }
            (CopyState::Edited, _) => format!("was edited since it was installed{installed}"),
            (CopyState::Missing, _) => "is registered and not on disk".to_owned(),
            (CopyState::Foreign, _) => "was not installed by hefesto".to_owned(),
            (CopyState::Outdated, _) => {
                let of = newest.map(|newest| newest.target.id.as_str()).unwrap_or_default();
                format!("is an older version{installed} than the copy of {of}")
            }
            (CopyState::Invalid, _) => format!("was edited since it was installed{installed} and has errors"),
        }
    }
}

/// Sorts by a key that stands for every order of copies.
fn sort(copies: &mut [&Copy], key: &dyn Fn(&Copy) -> (bool, i64)) {
    copies.sort_by_key(|copy| key(copy));
}

fn seq(copy: &Copy) -> i64 {
    copy.base.as_ref().map_or(0, |base| base.seq)
}

/// How a copy's installed text is related to that of the latest copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// The same text, or one of which too little is stored to tell.
    Current,
    Older,
    /// Neither place ever had the other's text.
    Unrelated,
}

impl Copies {
    /// The installed text with the common placeholder for arguments: as stored, or from a copy that still has it.
    fn base_of(&self, copy: &Copy, roots: &Roots) -> Option<Tree> {
        let digest = copy.base_digest()?;
        copy.base_tree(roots).map(|tree| adapt::neutral(&tree)).or_else(|| {
            let shared = adapt::shared(self.own().map(|copy| &copy.target));
            let mut texts = self.own().filter_map(Copy::tree).map(adapt::neutral);
            texts.find(|text| adapt::adapted(text, &copy.target, shared).digest() == digest)
        })
    }

    fn latest(&self, roots: &Roots) -> Option<&Copy> {
        let mut known: Vec<&Copy> = self.all.iter().filter(|copy| copy.base_digest().is_some()).collect();
        sort(&mut known, &|copy| (false, -seq(copy)));
        known.into_iter().reduce(|latest, copy| {
            let earlier = |one: &Copy, other: &Copy| self.had(one, other, roots);
            if seq(latest) != seq(copy) && earlier(copy, latest) && !earlier(latest, copy) { copy } else { latest }
        })
    }

    fn age(&self, copy: &Copy, latest: &Copy, roots: &Roots) -> Age {
        if seq(copy) == seq(latest) || copy.base_digest().is_none() || copy.base_digest() == latest.base_digest() {
            return Age::Current;
        }
        match (self.base_of(copy, roots), self.base_of(latest, roots)) {
            (Some(one), Some(other)) if adapt::essence(&one) == adapt::essence(&other) => Age::Current,
            (Some(one), Some(other)) if text(&one) == text(&other) || self.had(latest, copy, roots) => Age::Older,
            (Some(_), Some(_)) => Age::Unrelated,
            // Nothing is reported about what is not stored any more.
            _ => Age::Current,
        }
    }

    /// Whether the place of a copy had the installed text of another one before its own.
    fn had(&self, copy: &Copy, other: &Copy, roots: &Roots) -> bool {
        if copy.past.is_empty() || copy.base_digest() == other.base_digest() {
            return false;
        }
        let base = |copy: &Copy| self.base_of(copy, roots).map(|tree| text(&tree));
        let Some(wanted) = base(other).filter(|wanted| base(copy).as_ref() != Some(wanted)) else { return false };
        let known = |digest: &String| Some(digest.as_str()) == other.base_digest();
        let same =
            |digest: &String| objects::read(roots, digest).is_some_and(|tree| text(&adapt::neutral(&tree)) == wanted);
        copy.past.iter().any(known) || copy.past.iter().any(same)
    }
}

/// The files without metadata.yaml, which says when and for which clients they were made.
fn text(tree: &Tree) -> Vec<(String, Blob)> {
    let files = tree.iter().filter(|(path, _)| *path != metadata::FILE);
    files.map(|(path, blob)| (path.to_owned(), blob.clone())).collect()
}

/// The differences in these skills, except missing copies and those never installed: these the registry alone tells.
pub fn drift(skills: &[Copies], roots: &Roots, severities: &Severities) -> Vec<Drift> {
    let mut all = Vec::new();
    for skill in skills {
        let states = skill.states(roots, severities);
        for (copy, status) in skill.all.iter().zip(states).filter_map(|(copy, status)| Some((copy, status?))) {
            let kind = match status.state {
                CopyState::Edited | CopyState::Invalid => Kind::EditedSkill,
                CopyState::Outdated => Kind::OutdatedSkill,
                CopyState::Same | CopyState::Missing | CopyState::Foreign => continue,
            };
            let cli = copy.target.id.clone();
            all.push(Drift {
                kind,
                skill: Some(skill.name.clone()),
                what: format!("`{}` for {cli} {}.", skill.name, status.what),
                action: status.action.clone().unwrap_or_default(),
                cli,
            });
        }
    }
    all
}

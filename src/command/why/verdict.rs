//! What one client makes of a skill of a name, from all the places where it could find one.

use serde::Serialize;

use super::standing;
use crate::client::discovery::{Beside, Candidate, Reach, Scope, Standing};
use crate::client::target::{Switch, Target, Targets, client, reads};

word_enum! {
    State {
        /// The model gets its description as it is written.
        Listed = "listed",
        /// The model gets another description than is written.
        Changed = "changed",
        NameOnly = "name_only",
        /// A person can call it; the model does not see it.
        Manual = "manual",
        Twice = "twice",
        /// The skill of that name that it lists is another.
        Other = "other",
        /// It cannot be said from here.
        Unknown = "unknown",
        NotListed = "not_listed",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Cause {
    pub(super) what: String,
    pub(super) cure: Option<String>,
}

impl Cause {
    pub(super) fn new(what: impl Into<String>, cure: impl Into<String>) -> Self {
        Self { what: what.into(), cure: Some(cure.into()) }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Verdict {
    pub(super) client: String,
    pub(super) title: String,
    #[serde(rename = "verdict")]
    pub(super) state: State,
    /// The same in one sentence without a full stop.
    pub(super) says: String,
    pub(super) path: Option<String>,
    /// Every folder of that name where it looks.
    pub(super) places: Vec<String>,
    pub(super) causes: Vec<Cause>,
    /// How a person calls the skill there.
    #[serde(skip)]
    pub(super) call: Option<String>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Look<'l> {
    pub(super) targets: &'l Targets,
    pub(super) name: &'l str,
    /// A place where it is, where that is none of the project's.
    pub(super) elsewhere: Option<(Scope, &'l str)>,
}

/// A state with its causes, as far as they are known by now.
type Found = (State, Vec<Cause>);

impl Look<'_> {
    pub(super) fn at(&self, reach: &mut Reach, target: &Target) -> Verdict {
        let candidates = reach.candidates(target, self.name);
        let is_one = |one: &Standing| candidates.iter().any(|candidate| candidate.shown() == one.shown);
        let standings: Vec<Standing> = reach.found(target).iter().filter(|one| is_one(one)).cloned().collect();
        let used = standings.first().cloned();
        // What a person means is the copy that hefesto looks after here.
        let meant = standings.iter().find(|one| one.scope == reach.scope()).or(used.as_ref()).cloned();
        let (state, causes) = match (&used, &meant) {
            (Some(used), Some(meant)) => {
                let (mut state, mut causes) = self.beside_others(reach, target, &candidates, meant);
                let (switched, more) = self.switched(reach, target, &candidates, used);
                causes.extend(more);
                state = state.max(switched);
                // What is lost of a description matters only where the model gets one.
                if !matches!(switched, State::Manual | State::NotListed) {
                    for (further, more) in [
                        standing::altered(target, &candidates, used, self.name),
                        standing::crowded(reach, target, used),
                    ] {
                        state = state.max(further);
                        causes.extend(more);
                    }
                }
                (state, causes)
            }
            _ => self.absent(reach, target, &candidates),
        };
        let path = used.as_ref().map(|used| used.shown.clone());
        let called = used.as_ref().map_or_else(|| self.name.to_owned(), |used| used.name.clone());
        Verdict {
            client: target.id.clone(),
            title: target.title.clone(),
            says: says(target, state, path.as_deref()),
            state,
            path,
            places: candidates.iter().map(Candidate::shown).collect(),
            causes,
            call: target.invoke.contains("NAME").then(|| target.invoke.replace("NAME", &called)),
        }
    }

    /// What others of its name do to the copy that is meant.
    fn beside_others(&self, reach: &mut Reach, target: &Target, candidates: &[Candidate], meant: &Standing) -> Found {
        let order = reach.found(target);
        let rank = |one: &Standing| order.iter().position(|known| known.shown == one.shown);
        let messages = reach.rival_messages(target, meant);
        let (mut state, mut causes) = (State::Listed, Vec::new());
        for ((other, beside), what) in reach.rivals(target, meant).into_iter().zip(messages) {
            let alike = standing::alike(candidates, &other.shown, &meant.shown);
            let effect = match beside {
                Beside::Uncallable | Beside::BothScopes => State::Twice,
                Beside::Complains if rank(&other) > rank(meant) || alike => State::Listed,
                Beside::UserWins if rank(&other) > rank(meant) || alike => continue,
                Beside::Hides if rank(&other) > rank(meant) || alike => continue,
                Beside::Either if alike => continue,
                Beside::Either => State::Unknown,
                Beside::Complains | Beside::UserWins | Beside::Hides => State::Other,
            };
            state = state.max(effect);
            causes.push(Cause::new(what, self.one_less(&other, meant, beside)));
        }
        for other in order.iter().filter(|one| candidates.iter().any(|candidate| candidate.shown() == one.shown)) {
            if let Some(plugin) = other.plugin.as_ref().filter(|_| other.name != meant.name) {
                let what = format!("the plugin {} brings another one, listed as `{}`", plugin.id, other.name);
                let cure = "Say in both descriptions when each is meant, or switch the plugin off.";
                causes.push(Cause::new(what, cure));
            }
        }
        (state, causes)
    }

    /// How two of one name become one, or alike.
    fn one_less(&self, other: &Standing, meant: &Standing, beside: Beside) -> String {
        let name = self.name;
        let managed = |one: &Standing| matches!(one.scope, Scope::Project | Scope::User);
        let at_home = |target: &Target| {
            let own = reads(target).and_then(|known| known.own_user_dir());
            own.map(|own| format!("~/{}/{name}", own.home))
        };
        let owns = |target: &Target, one: &Standing| match one.scope {
            Scope::User => at_home(target).as_ref() == Some(&one.shown) || one.shown.ends_with(&target.skill_dir(name)),
            _ => one.shown.ends_with(&target.skill_dir(name)),
        };
        let owner = |one: &Standing| self.targets.iter().find(|target| managed(one) && owns(target, one));
        if let Some(plugin) = other.plugin.as_ref().or(meant.plugin.as_ref()) {
            let other = "or give the other a name of its own with `hefesto rename`.";
            return format!("Keep one of them: switch {} off, {other}", plugin.id);
        }
        if !managed(other) || !managed(meant) {
            let laid = if managed(other) { meant } else { other };
            return format!("Give yours a name of its own with `hefesto rename`: {} is not yours.", laid.shown);
        }
        if other.scope != meant.scope {
            let user = if other.scope == Scope::User { other } else { meant };
            return match owner(user) {
                Some(target) => {
                    let delete = format!("`hefesto delete {name} --global --cli {}`", target.id);
                    format!("Keep one of them: {delete} takes {} away, after a backup.", user.shown)
                }
                None => format!("Keep one of them: remove or rename {}.", user.shown),
            };
        }
        match (beside, owner(other), owner(meant)) {
            (Beside::Hides | Beside::Either, Some(_), Some(_)) => {
                format!("`hefesto sync {name}` makes them alike; `hefesto diff {name}` shows how they differ.")
            }
            (_, Some(one), Some(two)) => {
                let delete = |of: &Target| format!("`hefesto delete {name} --cli {}`", of.id);
                format!("Keep one of them: {} or {}.", delete(one), delete(two))
            }
            _ => format!("Keep one of them: remove or rename {}.", other.shown),
        }
    }

    /// What the client's settings do to the copy it uses.
    fn switched(&self, reach: &Reach, target: &Target, candidates: &[Candidate], used: &Standing) -> Found {
        let folder = candidates.iter().find(|one| one.shown() == used.shown);
        let folder = folder.map_or_else(|| used.real.clone(), |one| one.dir.path.join(&one.below));
        let (switched, unread) = reach.switched(target, &used.name, (&folder, &used.real), used.scope);
        let mut causes: Vec<Cause> = Vec::new();
        let state = match switched {
            None => State::Listed,
            Some(switched) => {
                let what = format!("{} holds {}", switched.file, switched.setting);
                causes.push(Cause::new(what, format!("Take it out of {} to have the skill used.", switched.file)));
                match switched.switch {
                    Switch::On => State::Listed,
                    Switch::NameOnly => State::NameOnly,
                    Switch::Manual => State::Manual,
                    Switch::Off => State::NotListed,
                }
            }
        };
        causes.extend(unread.into_iter().map(|said| {
            let what = format!("{said}, so it is not known whether it switches the skill off");
            Cause::new(what, "Put the file right.")
        }));
        (state, causes)
    }

    /// The command that brings the skill to a client that has it nowhere.
    fn adding(&self, target: &Target) -> String {
        let (name, id) = (self.name, &target.id);
        match self.elsewhere {
            Some((Scope::User, _)) => format!("`hefesto add {name} --target {id} --global`"),
            Some((Scope::System | Scope::Plugin, at)) => format!("`hefesto adopt {at} --target {id}`"),
            Some((Scope::Project, _)) | None => format!("`hefesto add {name} --target {id}`"),
        }
    }

    /// Why the client lists nothing of that name.
    fn absent(&self, reach: &Reach, target: &Target, candidates: &[Candidate]) -> Found {
        let (mut state, mut causes) = (State::NotListed, Vec::new());
        for candidate in candidates {
            let (seen, cause) = standing::missed(target, candidate, self.name);
            state = state.min(seen);
            causes.push(cause);
        }
        if candidates.is_empty() {
            let dirs = reach.dirs(target).into_iter().filter(|dir| dir.plugin.is_none());
            let dirs: Vec<String> = dirs.map(|dir| dir.shown).collect();
            let what = format!("none of the directories it reads has it: {}", dirs.join(", "));
            causes.push(Cause::new(what, format!("{} puts it there.", self.adding(target))));
        }
        (state, causes)
    }
}

fn says(target: &Target, state: State, path: Option<&str>) -> String {
    let title = &target.title;
    let at = path.map(|path| format!(": {path}")).unwrap_or_default();
    if client(&target.id).is_none() && state == State::Listed {
        return format!("{title} reads the directory it is in{at}");
    }
    match state {
        State::Listed => format!("{title} lists it{at}"),
        State::Changed => format!("{title} lists it, but not as it is written{at}"),
        State::NameOnly => format!("{title} lists its name alone{at}"),
        State::Manual => format!("{title} does not offer it to the model; a person can call it{at}"),
        State::Twice => format!("{title} lists it twice"),
        State::Other => format!("{title} lists another skill of that name{at}"),
        State::Unknown => format!("{title}: it cannot be said whether it lists it{at}"),
        State::NotListed => format!("{title} does not list it"),
    }
}

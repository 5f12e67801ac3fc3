//! One place of a skill as one client reads it: why it is missed, and what is lost of it.

use super::verdict::{Cause, State};
use crate::client::discovery::{Candidate, Reach, Standing, State as Found};
use crate::client::target::{Beyond, Target, client};
use crate::rules::Subject;
use crate::rules::fit::{self, Budget, Fit};

/// Why a client does not list what is in a folder, and how certain that is.
pub(super) fn missed(target: &Target, candidate: &Candidate, name: &str) -> (State, Cause) {
    let (shown, title) = (candidate.shown(), &target.title);
    let not = |what: String, cure: String| (State::NotListed, Cause::new(what, cure));
    if let Some(variable) = candidate.dir.off {
        let what = format!("{shown} is left out, as {variable} is set");
        return not(what, format!("Unset {variable}."));
    }
    if let Some(plugin) = &candidate.dir.plugin
        && let Some(why) = &plugin.off
    {
        let what = format!("{shown} belongs to the plugin {}, which is not used: {why}", plugin.id);
        return not(what, format!("Switch the plugin on in {title}."));
    }
    let linked = match &candidate.state {
        Found::Empty => {
            return not(format!("{shown} holds no SKILL.md"), format!("Write it, or remove {shown}."));
        }
        Found::File(line) => {
            let path = line.as_deref().map(str::trim).filter(|line| line.contains('/'));
            let cure = match path {
                Some(path) => format!(
                    "It says `{path}`, so it was a link before a checkout without links (`core.symlinks`) made text of \
                     it: put the folder itself there."
                ),
                None => format!("Put the skill into a folder of that name, as {shown}/SKILL.md."),
            };
            return not(format!("{shown} is a file and no folder"), cure);
        }
        Found::Unreadable(why) => {
            return not(format!("{shown}/SKILL.md cannot be read: {why}"), "Make it a regular, readable file.".into());
        }
        Found::Link(why) if why == "it leads to nothing" => {
            return not(format!("{shown} is a link, and {why}"), "Put the folder itself there.".into());
        }
        Found::Link(why) => {
            let what = format!("{shown} {why}; the client follows it, hefesto does not");
            return (State::Unknown, Cause::new(what, "Put the folder itself there."));
        }
        Found::Skill { linked_file, .. } => *linked_file,
    };
    let Some(known) = client(&target.id) else {
        let what = format!("{shown} is nothing that {title} is known to list");
        return not(what, format!("`hefesto validate {shown}` says what is wrong."));
    };
    if linked && !known.linked_file {
        let what = format!("{shown}/SKILL.md is a link, and {title} reads regular files only");
        return not(what, "Put the file itself there.".into());
    }
    if candidate.is_nested() && !known.nested {
        let what = format!("{shown} lies below another folder, and {title} looks directly in {}", candidate.dir.shown);
        return not(what, format!("Move it to {}/{name}.", candidate.dir.shown));
    }
    read(target, candidate, name)
}

/// Why a client does not list a SKILL.md that it finds.
fn read(target: &Target, candidate: &Candidate, name: &str) -> (State, Cause) {
    let shown = candidate.shown();
    let Some(fit) = fitted(target, candidate) else {
        let what = format!("{shown}/SKILL.md cannot be read");
        return (State::NotListed, Cause::new(what, format!("`hefesto validate {shown}` says why.")));
    };
    if let Some(reason) = fit.reasons.first() {
        let profile = client(&target.id).map_or("", |client| client.profile);
        let validate = format!("`hefesto validate {shown} --profile {profile}`");
        let cure = format!("{validate} shows the line; `--fix` corrects what is certain.");
        return (State::NotListed, Cause::new(format!("{reason} ({shown})"), cure));
    }
    if !fit.read {
        let what = format!("the head of {shown}/SKILL.md is no YAML, and {} reads it in its own way", target.title);
        return (State::Unknown, Cause::new(what, format!("`hefesto validate {shown}` says what is wrong with it.")));
    }
    if hidden(candidate) {
        let what = format!("the head of {shown}/SKILL.md says `disable-model-invocation: true`");
        return (State::Manual, Cause::new(what, "Take that line out to have the model choose it."));
    }
    let what = format!("{shown}/SKILL.md has no description, and without one it is not offered to the model");
    (State::Manual, Cause::new(what, format!("Give it one: `hefesto edit {name}`.")))
}

fn hidden(candidate: &Candidate) -> bool {
    let Found::Skill { bytes, .. } = &candidate.state else { return false };
    let doc = crate::skill::frontmatter::examine(bytes).ok();
    doc.is_some_and(|(doc, _)| doc.field("disable-model-invocation").is_some_and(|field| fit::is_on(&field.value)))
}

fn is_described(candidate: &Candidate) -> bool {
    let Found::Skill { bytes, .. } = &candidate.state else { return false };
    let Ok((doc, _)) = crate::skill::frontmatter::examine(bytes) else { return true };
    let text = doc.field("description").and_then(|field| field.value.scalar());
    text.is_some_and(|text| !text.trim().is_empty())
}

/// What a client makes of the head of the copy that it uses, where that is not what is written there.
pub(super) fn altered(target: &Target, candidates: &[Candidate], used: &Standing, name: &str) -> (State, Vec<Cause>) {
    let candidate = candidates.iter().find(|candidate| candidate.shown() == used.shown);
    let Some(fit) = candidate.and_then(|candidate| fitted(target, candidate)) else {
        return (State::Listed, Vec::new());
    };
    let mut causes = Vec::new();
    if let Some(end) = fit.end_of_cut() {
        let (shown, whole) = (fit.listing_chars, fit.whole_chars);
        let what = format!("of the description it shows {shown} of {whole} characters, up to \"{end}\"");
        causes.push(Cause::new(what, "Say first when the skill is used, and shorten the rest."));
    }
    if candidate.is_some_and(|candidate| !is_described(candidate)) {
        let what = format!("{}/SKILL.md has no description, and the first line of its body stands for it", used.shown);
        causes.push(Cause::new(what, format!("Give it one: `hefesto edit {name}`.")));
    }
    let state = if causes.is_empty() { State::Listed } else { State::Changed };
    let other = candidate.filter(|candidate| used.name != candidate.dir.listed_name(candidate.dir.own_name(name)));
    if let Some(candidate) = other {
        let of = if used.name == candidate.dir.listed_name(candidate.folder()) { "folder's" } else { "head's" };
        let what = format!("it goes by the {of} name, `{}`", used.name);
        causes.push(Cause::new(what, "Give folder and head the same name."));
    }
    (state, causes)
}

/// Whether the SKILL.md of two of these places is the same but for the way arguments are written.
pub(super) fn alike(candidates: &[Candidate], one: &str, other: &str) -> bool {
    let text = |shown: &str| {
        candidates.iter().find(|candidate| candidate.shown() == shown).and_then(|candidate| match &candidate.state {
            Found::Skill { bytes, .. } => Some(String::from_utf8_lossy(bytes).replace("{{args}}", "$ARGUMENTS")),
            _ => None,
        })
    };
    text(one).is_some_and(|text_one| Some(text_one) == text(other))
}

fn fitted(target: &Target, candidate: &Candidate) -> Option<Fit> {
    let Found::Skill { bytes, .. } = &candidate.state else { return None };
    let mut tree = crate::skill::Tree::new();
    tree.put("SKILL.md", bytes.to_vec());
    let shown = candidate.shown();
    let subject = Subject { directory: candidate.folder(), prefix: &shown, tree: &tree, target: Some(target) };
    fit::fit(&subject, &[client(&target.id)?]).pop()
}

/// What becomes of the description of a skill where the client's list is too long.
pub(super) fn crowded(reach: &mut Reach, target: &Target, used: &Standing) -> (State, Vec<Cause>) {
    let Some((client, of)) = client(&target.id).and_then(|client| Some((client, client.budget?))) else {
        return (State::Listed, Vec::new());
    };
    let listed = reach.listed(target);
    let budget = Budget::of(client, listed.iter().map(|one| one.cost));
    let (Some(tight), Some(said)) = (budget.short().next(), budget.amount()) else {
        return (State::Listed, Vec::new());
    };
    let own_model = of.limits.first() == Some(tight);
    let (state, becomes) = match of.beyond {
        Beyond::LeastUsed => (State::Listed, "the skills used least are listed by name alone".to_owned()),
        Beyond::Evenly => {
            let state = if own_model { State::Changed } else { State::Listed };
            let share = of.available(tight) * 100 / budget.chars.max(1);
            (state, format!("every description is cut, to about {share} %"))
        }
        Beyond::InOrder => {
            let before = listed.iter().filter(|one| one.name <= used.name).map(|one| one.cost.0 + of.around);
            if before.sum::<usize>() <= of.available(tight) {
                return (State::Listed, Vec::new());
            }
            (State::NameOnly, "from here on in the order of the names only names are listed".to_owned())
        }
    };
    let what = format!("the list of {} skills takes {said}: {becomes}", budget.skills);
    let cure = "Shorten descriptions or remove skills; `hefesto validate --fit` shows what each takes.";
    (state, vec![Cause::new(what, cure)])
}

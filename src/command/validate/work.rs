//! Checks many skills on all cores: the answer is in the order of the question, and what is equal is checked once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use super::place::Place;
use crate::change;
use crate::env::Env;
use crate::finding::{Finding, Severity};
use crate::rules::{self, Checked, Policy, Profile, Severities, Subject};
use crate::skill::Tree;

/// From how many skills on a person at a terminal is shown how far it is.
const MANY: usize = 200;

/// How the skills are checked.
#[derive(Clone, Copy)]
pub(in crate::command) struct Ask<'a> {
    pub(in crate::command) profile: Profile,
    pub(in crate::command) severities: &'a Severities,
}

/// A skill and what was found in it.
pub(in crate::command) struct Judged {
    /// The name of its folder.
    pub(in crate::command) name: String,
    /// Its files, where the folder could be read.
    pub(in crate::command) tree: Option<Tree>,
    /// What was found.
    pub(in crate::command) checked: Checked,
}

impl Judged {
    /// Whether nothing found is an error; with `strict`, no warning either.
    pub(in crate::command) fn valid(&self, strict: bool) -> bool {
        let bad = |one: &Finding| one.severity == Severity::Error || (strict && one.severity == Severity::Warning);
        !self.checked.findings.iter().any(bad)
    }
}

/// What makes two skills the same question: content, folder, target, clients, depth.
type Key = (String, String, Option<String>, Vec<&'static str>, usize);
/// What was found, with the folder's name it was found under.
type Known = Mutex<HashMap<Key, (String, Checked)>>;

/// Checks them all. Trees are kept where they are asked for.
pub(in crate::command) fn check_all(env: &mut Env, ask: Ask<'_>, places: &[Place], keep: bool) -> Vec<Judged> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(places.len());
    let shows = env.err_is_terminal && !env.json && env.volume >= 0 && places.len() > MANY;
    let mut judged: Vec<Option<Judged>> = places.iter().map(|_| None).collect();
    let next = AtomicUsize::new(0);
    let known: Known = Mutex::default();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers {
            let (sender, next, known) = (sender.clone(), &next, &known);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(place) = places.get(index) else { break };
                    if sender.send((index, check(ask, place, known, keep))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (count, (index, one)) in receiver.into_iter().enumerate() {
            if let Some(slot) = judged.get_mut(index) {
                *slot = Some(one);
            }
            if shows && (count + 1).is_multiple_of(100) {
                let _closed = write!(env.err, "\r{} of {} skills checked", count + 1, places.len());
                let _closed = env.err.flush();
            }
        }
    });
    if shows {
        let _closed = write!(env.err, "\r\x1b[2K");
    }
    judged.into_iter().flatten().collect()
}

/// Checks one skill. A folder that cannot be read as a skill is a finding about that skill.
fn check(ask: Ask<'_>, place: &Place, known: &Known, keep: bool) -> Judged {
    let dir = place.dir.canonicalize().unwrap_or_else(|_| place.dir.clone());
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = dir.parent().unwrap_or(Path::new("/"));
    let (tree, left_out) = match change::survey(root, &name) {
        Ok(there) => there.unwrap_or_default(),
        Err(error) => {
            let findings = rules::unreadable(&place.shown, "", &error.message());
            return Judged { name, tree: None, checked: Checked { findings, suppressed: Vec::new() } };
        }
    };
    let key = (
        tree.digest(),
        name.clone(),
        place.target.as_ref().map(|target| target.id.clone()),
        place.clients.iter().map(|client| client.id).collect(),
        place.shown.matches('/').count(),
    );
    let found = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    let mut checked = match found {
        Some((shown, checked)) => moved(checked, &shown, &place.shown),
        None => {
            let subject =
                Subject { directory: &name, prefix: &place.shown, tree: &tree, target: place.target.as_ref() };
            let policy = Policy { profile: ask.profile, clients: &place.clients, severities: Some(ask.severities) };
            let checked = rules::check_for(&subject, &policy);
            known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (place.shown.clone(), checked.clone()));
            checked
        }
    };
    let left_out = left_out.iter().flat_map(|one| rules::unreadable(&place.shown, &one.path, &one.why));
    checked.findings.splice(0..0, left_out);
    Judged { name, tree: keep.then_some(tree), checked }
}

/// The same findings about an equal skill in another folder.
fn moved(mut checked: Checked, from: &str, to: &str) -> Checked {
    let suppressed = checked.suppressed.iter_mut().map(|one| &mut one.finding);
    for finding in checked.findings.iter_mut().chain(suppressed) {
        if let Some(below) = finding.file.strip_prefix(from) {
            finding.file = format!("{to}{below}");
        }
    }
    checked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::CLIENTS;

    #[test]
    fn equal_skills_are_answered_in_order_and_each_under_its_own_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut places = Vec::new();
        for number in 0..40 {
            let shown = format!("{number:02}/review");
            let at = dir.path().join(&shown);
            std::fs::create_dir_all(&at).unwrap();
            std::fs::write(at.join("SKILL.md"), "---\nname: review\ndescription: Reviews.\nautor: x\n---\nBody.\n")
                .unwrap();
            places.push(Place { shown, dir: at, target: None, clients: CLIENTS.iter().collect() });
        }
        let mut env = Env::made(dir.path().into(), &[], jiff::Timestamp::UNIX_EPOCH);
        let severities = Severities::default();
        let ask = Ask { profile: Profile::Default, severities: &severities };
        let judged = check_all(&mut env, ask, &places, false);
        assert_eq!(judged.len(), 40);
        for (place, one) in places.iter().zip(&judged) {
            let found: Vec<_> = one.checked.findings.iter().filter(|finding| finding.rule == "S3").collect();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].file, format!("{}/SKILL.md", place.shown));
        }
    }
}

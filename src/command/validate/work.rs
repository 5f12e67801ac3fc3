//! Checks many skills on all cores: the answer is in the order of the question, and what is equal is checked once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

use super::place::Place;
use crate::change;
use crate::env::Env;
use crate::finding::{Finding, Severity};
use crate::rules::{self, Policy, Profile, Quote, Severities, Subject, Suppressed};
use crate::skill::Tree;

/// From how many skills on a person at a terminal is shown how far it is.
const MANY: usize = 200;

/// How the skills are checked.
#[derive(Clone, Copy)]
pub(in crate::command) struct Ask<'a> {
    pub(in crate::command) profile: Profile,
    pub(in crate::command) severities: &'a Severities,
    /// Whether a warning makes a skill invalid.
    pub(in crate::command) strict: bool,
    /// Whether the files are kept.
    pub(in crate::command) keep: bool,
    /// Whether the lines of findings are wanted, and then, whether those of remarks are.
    pub(in crate::command) quotes: Option<bool>,
}

impl<'a> Ask<'a> {
    /// What is asked about the skill at a place.
    pub(super) fn policy(self, place: &'a Place) -> Policy<'a> {
        Policy { profile: self.profile, clients: &place.clients, severities: Some(self.severities) }
    }
}

/// A skill and what was found in it.
pub(in crate::command) struct Checked {
    /// The name of its folder.
    pub(in crate::command) name: String,
    /// The folder as the user named it; findings name files below it.
    pub(in crate::command) path: String,
    /// The folder, absolute and without links.
    pub(super) dir: PathBuf,
    /// [`Tree::digest`] of its files, by which copies are known; `None` where they could not be read.
    pub(super) digest: Option<String>,
    /// Its files, where they could be read and are kept.
    pub(in crate::command) tree: Option<Tree>,
    /// What was found.
    pub(in crate::command) findings: Vec<Finding>,
    /// What was found and is accepted by a comment in the skill.
    pub(in crate::command) suppressed: Vec<Suppressed>,
    /// The line of each finding that is to be quoted.
    pub(super) quotes: Vec<Option<Quote>>,
    /// Whether it is acceptable.
    pub(in crate::command) valid: bool,
}

impl Checked {
    /// The path of a finding's file inside the skill.
    pub(super) fn inside<'f>(&self, finding: &'f Finding) -> &'f str {
        let path = finding.file.strip_prefix(self.path.trim_end_matches('/')).unwrap_or(&finding.file);
        path.trim_start_matches('/')
    }

    /// A finding's file relative to the project's root where it lies there, else absolute.
    pub(super) fn file(&self, root: &Path, finding: &Finding) -> String {
        let file = self.dir.join(self.inside(finding));
        file.strip_prefix(root).unwrap_or(&file).to_string_lossy().trim_end_matches('/').to_owned()
    }
}

/// What makes two skills the same question: content, folder, target, clients, depth.
type Key = (String, String, Option<String>, Vec<&'static str>, usize);
/// What was found, with the folder's name it was found under.
type Known = Mutex<HashMap<Key, (String, rules::Checked)>>;

/// Checks them all.
pub(in crate::command) fn check_all(env: &mut Env, ask: Ask<'_>, places: &[Place]) -> Vec<Checked> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(places.len());
    let shows = env.err_is_terminal && !env.json && env.volume >= 0 && places.len() > MANY;
    let mut judged: Vec<Option<Checked>> = places.iter().map(|_| None).collect();
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
                    if sender.send((index, check(ask, place, known))).is_err() {
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
fn check(ask: Ask<'_>, place: &Place, known: &Known) -> Checked {
    let dir = place.dir.canonicalize().unwrap_or_else(|_| place.dir.clone());
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = dir.parent().unwrap_or(Path::new("/"));
    let (tree, digest, rules::Checked { findings, suppressed }) = match change::survey(root, &name) {
        Ok(there) => {
            let (tree, left_out) = there.unwrap_or_default();
            let digest = tree.digest();
            let mut found = judge(ask, place, &name, &tree, &digest, known);
            let left_out = left_out.iter().flat_map(|one| rules::unreadable(&place.shown, &one.path, &one.why));
            found.findings.splice(0..0, left_out);
            (Some(tree), Some(digest), found)
        }
        Err(error) => {
            let findings = rules::unreadable(&place.shown, "", &error.message());
            (None, None, rules::Checked { findings, suppressed: Vec::new() })
        }
    };
    let quotes = match (&tree, ask.quotes) {
        (Some(tree), Some(remarks)) => rules::quotes(&place.shown, tree, &findings, remarks),
        _ => vec![None; findings.len()],
    };
    let bad = |one: &Finding| one.severity == Severity::Error || (ask.strict && one.severity == Severity::Warning);
    let valid = !findings.iter().any(bad);
    let tree = tree.filter(|_| ask.keep);
    Checked { name, path: place.shown.clone(), dir, digest, tree, findings, suppressed, quotes, valid }
}

/// What is found in these files; what is known of equal ones is not looked for again.
fn judge(ask: Ask<'_>, place: &Place, name: &str, tree: &Tree, digest: &str, known: &Known) -> rules::Checked {
    let key = (
        digest.to_owned(),
        name.to_owned(),
        place.target.as_ref().map(|target| target.id.clone()),
        place.clients.iter().map(|client| client.id).collect(),
        place.shown.matches('/').count(),
    );
    let found = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
    if let Some((shown, checked)) = found {
        return moved(checked, &shown, &place.shown);
    }
    let subject = Subject { directory: name, prefix: &place.shown, tree, target: place.target.as_ref() };
    let checked = rules::check_for(&subject, &ask.policy(place));
    known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, (place.shown.clone(), checked.clone()));
    checked
}

/// The same findings about an equal skill in another folder.
fn moved(mut checked: rules::Checked, from: &str, to: &str) -> rules::Checked {
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
        let ask = Ask { profile: Profile::Default, severities: &severities, strict: false, keep: false, quotes: None };
        let judged = check_all(&mut env, ask, &places);
        assert_eq!(judged.len(), 40);
        for (place, one) in places.iter().zip(&judged) {
            let found: Vec<_> = one.findings.iter().filter(|finding| finding.rule == "S3").collect();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].file, format!("{}/SKILL.md", place.shown));
        }
    }
}

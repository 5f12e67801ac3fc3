//! Checks many skills on all cores; results keep the order of the input, and equal skills are checked once.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::select::Selected;
use crate::error::{Code, Error, Exit, Result};
use crate::rules::{self, Finding, Policy, Profile, Quote, Severities, Severity, Subject, Suppressed, Surroundings};
use crate::skill::Tree;
use crate::system::env::Env;
use crate::terminal::signal::Watch;
use crate::transaction::{LeftOut, Listings, Surveyed};

/// From how many skills on progress is shown at a terminal.
const MANY: usize = 200;
/// Up to how many skills one worker suffices.
const FEW: usize = 8;
/// Into how many parts the work of each worker is split, so that no worker runs long after the others.
const OFTEN: usize = 32;
/// The most skills a worker takes at once: few enough to show progress.
const MOST: usize = 64;
const NOTICED: Duration = Duration::from_millis(100);

#[derive(Clone, Copy)]
pub(in crate::command) struct Options<'a> {
    pub(in crate::command) profile: Profile,
    pub(in crate::command) severities: &'a Severities,
    /// Whether a warning makes a skill invalid.
    pub(in crate::command) strict: bool,
    pub(in crate::command) keep: bool,
    /// Whether the lines of findings are quoted; `Some(true)`: also those of remarks.
    pub(in crate::command) quotes: Option<bool>,
    /// The project of the installed skills.
    pub(in crate::command) project: Option<&'a Surroundings<'a>>,
}

impl<'a> Options<'a> {
    /// Whether a skill with these findings is acceptable.
    pub(super) fn accepts(self, findings: &[Finding]) -> bool {
        let bad = |one: &Finding| one.severity == Severity::Error || (self.strict && one.severity == Severity::Warning);
        !findings.iter().any(bad)
    }

    pub(super) fn policy(self, skill: &'a Selected) -> Policy<'a> {
        let project = self.project.filter(|_| skill.target.is_some());
        Policy { profile: self.profile, clients: &skill.clients, severities: Some(self.severities), project }
    }
}

pub(in crate::command) struct Checked {
    /// The name of its folder.
    pub(in crate::command) name: String,
    /// The folder as the user named it; findings name files below it.
    pub(in crate::command) path: String,
    /// The folder, absolute and without links.
    pub(super) dir: PathBuf,
    /// [`Tree::digest`] of its files, which identifies copies; `None` if no other folder has its name, or they could
    /// not be read.
    pub(super) digest: Option<String>,
    /// Its files, if they could be read and are kept.
    pub(in crate::command) tree: Option<Tree>,
    pub(in crate::command) findings: Vec<Finding>,
    /// Findings accepted by a comment in the skill.
    pub(in crate::command) suppressed: Vec<Suppressed>,
    pub(super) quotes: Vec<Option<Quote>>,
    /// See [`rules::Checked::read`].
    pub(in crate::command) read: bool,
    pub(in crate::command) valid: bool,
}

impl Checked {
    pub(super) fn inside<'f>(&self, finding: &'f Finding) -> &'f str {
        let path = finding.file.strip_prefix(self.path.trim_end_matches('/')).unwrap_or(&finding.file);
        path.trim_start_matches('/')
    }

    /// A finding's file: relative to the project's root if inside, else absolute.
    pub(super) fn file(&self, root: &Path, finding: &Finding) -> String {
        let file = self.dir.join(self.inside(finding));
        file.strip_prefix(root).unwrap_or(&file).to_string_lossy().trim_end_matches('/').to_owned()
    }
}

/// The inputs of a check: content, other files in the folder, its name, target, clients, depth.
type Key = (String, Vec<LeftOut>, String, Option<String>, Vec<&'static str>, usize);

#[derive(Default)]
struct Shared<'a> {
    listings: Listings,
    /// Names of more than one folder: only these can be copies of each other.
    names: HashSet<&'a std::ffi::OsStr>,
    first: Mutex<HashMap<Key, usize>>,
}

/// Checks all skills. Errors: E-SIGNAL-001 when a signal arrives while progress is shown; at any other time a signal
/// has its default action.
pub(in crate::command) fn check_all(
    env: &mut Env,
    options: Options<'_>,
    selected: &[Selected],
) -> Result<Vec<Checked>> {
    let workers = match selected.len().div_ceil(FEW) {
        0 | 1 => 1,
        most => std::thread::available_parallelism().map_or(1, usize::from).min(most),
    };
    let shows = env.err_is_terminal && !env.json && env.volume >= 0 && selected.len() > MANY;
    let mut seen = HashSet::new();
    let names = selected.iter().filter_map(|skill| skill.dir.file_name()).filter(|name| !seen.insert(*name)).collect();
    let shared = Shared { names, ..Shared::default() };
    if workers <= 1 && !shows {
        let judged = selected.iter().enumerate().map(|(number, skill)| Some(check(options, number, skill, &shared)));
        return Ok(fill_in_copies(judged.collect()));
    }
    let chunk = (selected.len() / (workers * OFTEN)).clamp(1, MOST);
    let next = AtomicUsize::new(0);
    let judged: Mutex<Vec<Option<(usize, Checked)>>> = Mutex::new(selected.iter().map(|_| None).collect());
    let work = |sender: Option<mpsc::Sender<usize>>| {
        loop {
            let from = next.fetch_add(chunk, Ordering::Relaxed);
            let Some(mine) = selected.get(from..).filter(|rest| !rest.is_empty()) else { return };
            let one = |(index, skill)| check(options, from + index, skill, &shared);
            let done: Vec<(usize, Checked)> = mine.iter().take(chunk).enumerate().map(one).collect();
            let count = done.len();
            let mut judged = judged.lock().unwrap_or_else(PoisonError::into_inner);
            judged.iter_mut().skip(from).zip(done).for_each(|(slot, one)| *slot = Some(one));
            drop(judged);
            if let Some(sender) = &sender {
                let _nobody_asks = sender.send(count);
            }
        }
    };
    // Without a signal watch the progress line may stay on the screen; that is no reason not to check.
    let watch = if shows { Watch::open().ok() } else { None };
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..if shows { workers } else { workers - 1 } {
            let sender = shows.then(|| sender.clone());
            scope.spawn(|| work(sender));
        }
        drop(sender);
        if !shows {
            work(None);
        } else if !show_progress(env, selected.len(), &receiver, watch.as_ref()) {
            next.store(selected.len(), Ordering::Relaxed);
        }
    });
    if let Some(signal) = watch.and_then(Watch::close) {
        return Err(Error::new(Code::Interrupted, "interrupted while skills were checked")
            .exit(Exit::Signal(signal))
            .suggest("Checking changes nothing. Run the command again when ready."));
    }
    Ok(fill_in_copies(judged.into_inner().unwrap_or_else(PoisonError::into_inner)))
}

/// Shows the progress until all skills are checked, then clears the line; returns whether no signal arrived.
fn show_progress(env: &mut Env, all: usize, receiver: &mpsc::Receiver<usize>, watch: Option<&Watch>) -> bool {
    let mut count = 0;
    let ended = loop {
        if watch.is_some_and(|watch| watch.received().is_some()) {
            break false;
        }
        match receiver.recv_timeout(NOTICED) {
            Ok(done) => count += done,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break true,
        }
        env.progress(Some(&format!("{count} of {all} skills checked")));
    };
    env.progress(None);
    ended
}

/// The results in order; copies get the findings of their equal, under their own paths.
fn fill_in_copies(judged: Vec<Option<(usize, Checked)>>) -> Vec<Checked> {
    let (firsts, mut all): (Vec<usize>, Vec<Checked>) = judged.into_iter().flatten().unzip();
    for (number, first) in firsts.into_iter().enumerate() {
        let Ok([known, one]) = all.get_disjoint_mut([first, number]) else { continue }; // the first of its kind
        one.findings.clone_from(&known.findings);
        one.suppressed.clone_from(&known.suppressed);
        one.quotes.clone_from(&known.quotes);
        (one.read, one.valid) = (known.read, known.valid);
        rename_files(one, &known.path);
    }
    all
}

/// Checks one skill, unless an equal one is checked: the number of the one that is. A folder that cannot be read as a
/// skill is a finding about that skill.
fn check(options: Options<'_>, number: usize, skill: &Selected, shared: &Shared<'_>) -> (usize, Checked) {
    let Surveyed { dir, found } = shared.listings.survey(&skill.dir);
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let blank = |findings| Checked {
        name: name.clone(),
        path: skill.shown.clone(),
        dir: dir.clone(),
        digest: None,
        tree: None,
        quotes: vec![None; Vec::len(&findings)],
        findings,
        suppressed: Vec::new(),
        read: false,
        valid: false,
    };
    let (tree, left_out) = match found {
        Ok(there) => there.unwrap_or_default(),
        Err(error) => return (number, blank(rules::unreadable(&skill.shown, "", &error.message()))),
    };
    let digest = skill.dir.file_name().filter(|name| shared.names.contains(name)).map(|_| tree.digest());
    let first = digest.clone().map_or(number, |digest| {
        let key = (
            digest,
            left_out.clone(),
            name.clone(),
            skill.target.as_ref().map(|target| target.id.clone()),
            skill.clients.iter().map(|client| client.id).collect(),
            skill.shown.matches('/').count(),
        );
        *shared.first.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(number)
    });
    let mut one = Checked { digest, ..blank(Vec::new()) };
    if first == number {
        let subject = Subject { directory: &name, prefix: &skill.shown, tree: &tree, target: skill.target.as_ref() };
        let left_out = left_out.iter().map(|one| (one.path.as_str(), one.why.as_str()));
        let checked = rules::check_folder(&subject, left_out, &options.policy(skill));
        let quotes = |remarks| rules::quotes(&skill.shown, &tree, &checked.open, &checked.findings, remarks);
        one.quotes = options.quotes.map_or_else(|| vec![None; checked.findings.len()], quotes);
        (one.findings, one.suppressed, one.read) = (checked.findings, checked.suppressed, checked.read);
        one.valid = options.accepts(&one.findings);
    }
    one.tree = options.keep.then_some(tree);
    (first, one)
}

/// Changes the paths of findings from an equal skill's folder to this one's.
fn rename_files(one: &mut Checked, from: &str) {
    let suppressed = one.suppressed.iter_mut().map(|one| &mut one.finding);
    for finding in one.findings.iter_mut().chain(suppressed) {
        if let Some(below) = finding.file.strip_prefix(from) {
            finding.file = format!("{}{below}", one.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::target::clients;

    #[test]
    fn equal_skills_are_answered_in_order_and_each_under_its_own_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut selected = Vec::new();
        for number in 0..40 {
            let shown = format!("{number:02}/review");
            let at = dir.path().join(&shown);
            std::fs::create_dir_all(&at).unwrap();
            std::fs::write(at.join("SKILL.md"), "---\nname: review\ndescription: Reviews.\nautor: x\n---\nBody.\n")
                .unwrap();
            selected.push(Selected { shown, dir: at, target: None, clients: clients().collect(), file: None });
        }
        let mut env = Env::made(dir.path().into(), &[], jiff::Timestamp::UNIX_EPOCH);
        let severities = Severities::default();
        let (profile, severities, quotes, project) = (Profile::Default, &severities, None, None);
        let options = Options { profile, severities, strict: false, keep: false, quotes, project };
        let judged = check_all(&mut env, options, &selected).unwrap();
        assert_eq!(judged.len(), 40);
        for (skill, one) in selected.iter().zip(&judged) {
            let found: Vec<_> = one.findings.iter().filter(|finding| finding.rule == "S3").collect();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].file, format!("{}/SKILL.md", skill.shown));
        }
    }
}

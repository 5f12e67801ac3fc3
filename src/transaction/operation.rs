//! Changing installed skills outside `create`: previewed, consented to, carried out in one transaction, remembered.

mod archives;
mod preview;

use serde_json::{Map, Value, json};

use crate::error::{Code, Coded, Error, Result, Warning, chain};
use crate::memory::{Changed, CommittedRun, InstalledCopy, Memory, Recipe};
use crate::project::Project;
use crate::project::open;
use crate::registry::Op;
use crate::report::slashed::Slashed;
use crate::skill::version::version;
use crate::skill::{Name, Tree};
use crate::system::env::Env;
use crate::terminal::signal::Watch;
use crate::transaction::consent::{By, Consent};
use crate::transaction::{self, Change, Intent, Was, objects};

use archives::Archives;

#[derive(Debug, Clone)]
pub struct Step {
    pub target: String,
    /// Where, relative to the root.
    pub at: String,
    /// What is there when the step is shown.
    pub before: Option<Tree>,
    /// What is there afterwards; `None`: nothing.
    pub after: Option<Tree>,
}

impl Step {
    pub fn word(&self) -> &'static str {
        word(&self.before, &self.after)
    }
}

/// What happens, as it is said on the screen, in JSON and in the database.
fn word<T>(before: &Option<T>, after: &Option<T>) -> &'static str {
    match (before, after) {
        (None, _) => "create",
        (Some(_), Some(_)) => "replace",
        (Some(_), None) => "remove",
    }
}

/// What happens to one file of hefesto's own, such as a command of an AI CLI.
#[derive(Debug, Clone)]
pub struct FileStep {
    pub target: String,
    /// Where, relative to the root. Unlike a skill's directory its name holds a dot.
    pub at: String,
    /// What is there when the step is shown.
    pub before: Option<Vec<u8>>,
    /// What is there afterwards; `None`: nothing.
    pub after: Option<Vec<u8>>,
    /// Where a copy of what was there is kept, relative to the root.
    pub copy: Option<String>,
}

impl FileStep {
    pub fn word(&self) -> &'static str {
        word(&self.before, &self.after)
    }

    /// Whether a place that a run changed is a file and not a skill's directory.
    pub fn is_at(at: &str) -> bool {
        at.rsplit('/').next().is_some_and(|name| name.contains('.'))
    }

    /// The bytes of the regular file there, if there is one; a link or a pipe is not opened.
    pub fn now(project: &Project, at: &str) -> Option<Vec<u8>> {
        let file = project.rooted(at).ok()?;
        let regular = matches!(file.entry_kind(), Ok(Some(crate::system::rooted::Kind::File)));
        if regular { file.read(usize::try_from(transaction::MAX_BYTES).unwrap_or(usize::MAX)).ok() } else { None }
    }

    fn changes(&self) -> Vec<Change> {
        let (at, was) = (self.at.clone(), self.before.as_deref().map(transaction::bytes_digest));
        let copy = self.copy.clone().zip(self.before.clone());
        let copy = copy.map(|(at, bytes)| Change::Write { at, bytes, was: Was::Absent });
        let own = match (was, self.after.clone()) {
            (None, Some(bytes)) => Some(Change::Write { at, bytes, was: Was::Absent }),
            (Some(was), Some(bytes)) => Some(Change::Write { at, bytes, was: Was::Bytes(was) }),
            (Some(was), None) => Some(Change::Erase { at, was }),
            (None, None) => None,
        };
        copy.into_iter().chain(own).collect()
    }
}

#[derive(Debug, Clone, Default)]
pub struct Operation {
    pub command: &'static str,
    /// The skill it is about; where they are several, what they are called together.
    pub name: String,
    /// The skills it is about, where they are several.
    pub skills: Vec<String>,
    pub steps: Vec<Step>,
    pub files: Vec<FileStep>,
    pub ops: Vec<Op>,
    /// Whether the archive of what is replaced stays.
    pub keep_backup: bool,
    /// Directories that go where they are empty afterwards, outermost first.
    pub empty: Vec<String>,
    /// Copies that stay as they are and from now on count as installed: target, place, files.
    pub settled: Vec<(String, String, Tree)>,
    /// What is kept beside what the steps leave, because it counts as installed.
    pub objects: Vec<Tree>,
    /// What counts as installed afterwards, where that is not what the steps leave.
    pub installed: Option<Vec<InstalledCopy>>,
    /// What it does to the text, in words.
    pub why: Option<String>,
    /// What the text is made from, where the operation makes it.
    pub recipe: Option<Recipe>,
}

/// What a run and a backup about a folder are called: its name, or the nearest one where no skill may have that name.
pub fn called(folder: &str) -> String {
    let name = Name::parse(folder).ok().or_else(|| Name::sanitise(folder));
    name.map_or_else(|| "skill".to_owned(), |name| name.to_string())
}

#[derive(Debug, Clone)]
pub struct Done {
    /// The run it is remembered as.
    pub run: String,
    /// The archive of what was replaced, relative to the root.
    pub backup: Option<String>,
    /// Whether the finishing is left to the next command.
    pub pending: bool,
}

impl Operation {
    pub fn json(&self, project: &Project) -> Value {
        let steps = self.steps.iter().map(|step| (&step.target, &step.at, step.word()));
        let files = self.files.iter().map(|file| (&file.target, &file.at, file.word()));
        steps
            .chain(files)
            .map(|(id, at, word)| json!({ "id": id, "path": project.display(at), "action": word }))
            .collect()
    }

    /// What it leaves of the copies it is about.
    pub fn left(&self) -> Vec<InstalledCopy> {
        let copy = |target: &str, at: &str, tree: Option<&Tree>| InstalledCopy {
            at: at.to_owned(),
            target: target.to_owned(),
            digest: tree.map(Tree::digest),
            version: tree.and_then(version),
            why: None,
            recipe: None,
        };
        let changed = self.steps.iter().map(|step| copy(&step.target, &step.at, step.after.as_ref()));
        changed.chain(self.settled.iter().map(|(target, at, tree)| copy(target, at, Some(tree)))).collect()
    }
}

/// Carries an operation out. Takes the consent: without one nothing can be changed.
/// Errors: E-TXN-001/-002/-003, E-CREATE-006/-014. Nothing has changed then.
pub fn carry_out(env: &mut Env, project: &Project, consent: &Consent, operation: &Operation) -> Result<Done> {
    let lock = open::lock(env, project, operation.command)?;
    check_unchanged(project, operation)?;
    let left = operation.steps.iter().filter_map(|step| step.after.as_ref());
    let settled = operation.settled.iter().map(|(_, _, tree)| tree);
    let kept_objects = objects::keeping(&lock, left.chain(settled).chain(&operation.objects))?;
    let archives = Archives::take(env, project, &lock, operation)?;
    let mut changes = operation.steps.iter().map(|step| change(step, &archives)).collect::<Result<Vec<_>>>()?;
    changes.extend(operation.files.iter().flat_map(FileStep::changes));
    changes.extend(kept_objects);
    let kept = archives.first().filter(|_| operation.keep_backup).map(str::to_owned);
    let ops: Vec<Op> = operation.ops.iter().map(|op| with_backup(op, kept.as_deref())).collect();
    let now = env.stamp();
    let steps = operation.steps.iter().map(|step| (step.target.clone(), step.at.clone()));
    let files = operation.files.iter().map(|file| (file.target.clone(), file.at.clone()));
    let settled = operation.settled.iter().map(|(target, at, _)| (target.clone(), at.clone()));
    let copies: Vec<_> = steps.chain(files).chain(settled).collect();
    let one = std::slice::from_ref(&operation.name);
    let before = open::before(&lock, if operation.skills.is_empty() { one } else { &operation.skills }, &copies)?;
    let run = env.new_id();
    let committed = CommittedRun {
        run: run.clone(),
        command: operation.command.into(),
        skill: operation.name.clone(),
        by: consent.by().word().into(),
        changed: changed(operation, &archives),
        before: serde_json::to_string(&before).unwrap_or_default(),
        installed: operation.installed.clone().unwrap_or_else(|| operation.left()),
        why: operation.why.clone(),
        recipe: operation.recipe.clone(),
    };
    let registry = open::registration(&ops, &now, Some(committed.clone()))
        .coded(Code::Bug, "the registry entry cannot be written down")?;
    // A project without a registry gets none from an operation that has nothing to enter.
    let registry = (!ops.is_empty() || project.exists("MEMORY.md")).then_some(registry);
    let intent = Intent { run: run.clone(), command: operation.command.into(), now, registry };
    let watch = Watch::open().coded(Code::WriteFailed, "cannot prepare for signals; nothing was written")?;
    let receipt = transaction::commit(&lock, intent, changes, &|_, value| open::register(&lock, value))?;
    env.late = Some(watch);
    let pending = open::told(env, &receipt, "done");
    if !operation.keep_backup {
        archives.discard(&lock)?;
    }
    transaction::prune(&lock, &operation.empty);
    let memory = remember(env, project, operation, &committed, consent.by(), kept.as_deref());
    // What cannot be given up now is given up by the next change, or by `memory prune`.
    if let Some(memory) = memory
        && let Ok(versions) = crate::config::look(env, project).map(|settings| settings.history_versions.value)
        && let Ok(surplus) = memory.surplus(&operation.name, versions)
    {
        objects::remove(&lock, surplus.iter().map(String::as_str));
    }
    drop(lock);
    Ok(Done { run, backup: kept, pending })
}

/// Refuses an operation whose copies are not what was shown.
fn check_unchanged(project: &Project, operation: &Operation) -> Result<()> {
    let settled = operation.settled.iter().map(|(_, at, tree)| (at, Some(tree)));
    for (at, before) in operation.steps.iter().map(|step| (&step.at, step.before.as_ref())).chain(settled) {
        if transaction::scan(project.roots(), at)?.as_ref() != before {
            let message = format!("{}/ changed after it was shown; nothing was written", project.display(at));
            return Err(Error::new(Code::Changed, message));
        }
    }
    Ok(())
}

/// The change of a step, with the backup of what it replaces or removes.
fn change(step: &Step, archives: &Archives) -> Result<Change> {
    let at = step.at.clone();
    Ok(match (&step.before, &step.after, archives.of(step)) {
        (Some(before), Some(tree), Some(backup)) => {
            Change::Replace { at, tree: tree.clone(), was: before.digest(), backup }
        }
        (Some(before), None, Some(backup)) => Change::Remove { at, was: before.digest(), backup },
        (None, Some(tree), _) => Change::Place { at, tree: tree.clone() },
        _ => return Err(Error::new(Code::Bug, "a step that does nothing")),
    })
}

fn with_backup(op: &Op, path: Option<&str>) -> Op {
    match op {
        Op::RemoveSkill { name, clis, at, .. } => {
            Op::RemoveSkill { name: name.clone(), clis: clis.clone(), at: at.clone(), backup: path.map(str::to_owned) }
        }
        other => other.clone(),
    }
}

/// What the operation changes, copy by copy, with digests of before and after.
fn changed(operation: &Operation, archives: &Archives) -> Vec<Changed> {
    let steps = operation.steps.iter().map(|step| Changed {
        at: step.at.clone(),
        target: step.target.clone(),
        action: step.word().to_owned(),
        before: step.before.as_ref().map(Tree::digest),
        after: step.after.as_ref().map(Tree::digest),
        backup: archives.of(step).filter(|_| operation.keep_backup).map(|backup| backup.path().to_owned()),
    });
    let files = operation.files.iter().map(|file| Changed {
        at: file.at.clone(),
        target: file.target.clone(),
        action: file.word().to_owned(),
        before: file.before.as_deref().map(transaction::bytes_digest),
        after: file.after.as_deref().map(transaction::bytes_digest),
        backup: file.copy.clone(),
    });
    let settled = operation.settled.iter().map(|(target, at, tree)| Changed {
        at: at.clone(),
        target: target.clone(),
        action: Changed::KEEP.to_owned(),
        before: Some(tree.digest()),
        after: Some(tree.digest()),
        backup: None,
    });
    steps.chain(files).chain(settled).collect()
}

/// Writes the run, its changes and its line in the log. None of that can undo what was done.
fn remember(
    env: &mut Env,
    project: &Project,
    operation: &Operation,
    committed: &CommittedRun,
    by: By,
    backup: Option<&str>,
) -> Option<Memory> {
    let at = env.stamp();
    let opened = Memory::record(&project.database(), env.now().as_millisecond());
    let remembered = opened.and_then(|mut memory| memory.committed(committed, &at).map(|()| memory));
    if let Err(error) = &remembered {
        let (path, why) = (project.database().slashed(), chain(error));
        let said = format!("the run is not recorded in {path} ({why}). Skills are not affected.");
        env.note(Warning::new(Code::MemoryDegraded, said));
    }
    let mut details = Map::new();
    if let Some(path) = backup {
        details.insert("backup".to_owned(), json!(path));
    }
    if by == By::Answers {
        details.insert("approved_by".to_owned(), json!(by.log_word()));
    }
    let entry = crate::registry::oplog::Entry {
        timestamp: at,
        operation: operation.command.into(),
        skill_name: Some(operation.name.clone()),
        decision: "approve".into(),
        user: env.var("USER").or_else(|| env.var("LOGNAME")).unwrap_or("user").to_owned(),
        target_clis: committed.targets(),
        response_time_seconds: None,
        success: true,
        error_message: None,
        run_id: Some(committed.run.clone()),
        details,
    };
    crate::registry::audit::append(env, project, &entry);
    remembered.ok()
}

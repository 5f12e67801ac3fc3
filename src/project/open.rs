//! Opens a project, as every command does first: recovers interrupted transactions, then checks constitution, registry
//! and standards.

mod governance;
mod registration;

use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use crate::client::target::{Target, Targets};
use crate::error::{Code, Coded, Error, Result, Warning};
use crate::project::Project;
use crate::registry::standards::Standards;
use crate::registry::{self, Op, Parsed, Registry};
use crate::report::Slashed;
use crate::system::env::Env;
use crate::system::rooted::{self, HOME, Kind, Refused, Rooted};
use crate::transaction::{self, Change, Intent, Lock, Outcome, Receipt, Recovered, Was};

use governance::{check_constitution, load_standards};
pub use governance::{copied, governance_files, require_constitution};
pub use registration::{before, register, register_with, registration};

/// How long to wait for another hefesto that is writing.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The `.gitignore` of `.hefesto/`.
const IGNORE: &str = "*\n!config.toml\n!templates/\n!templates/**\n";

#[derive(Debug, Clone)]
pub struct Governed {
    registry: Option<Registry>,
    foreign: Option<Vec<u8>>,
    standards: Standards,
}

impl Governed {
    /// Whether the project is not initialised: no MEMORY.md of ours.
    pub fn is_new(&self) -> bool {
        self.registry.is_none()
    }

    pub fn registry(&self) -> Option<&Registry> {
        self.registry.as_ref()
    }

    /// Whether a person registered this CLI although it was not detected.
    pub fn manual(&self, id: &str) -> bool {
        let row = self.registry.as_ref().and_then(|registry| registry.cli(id));
        row.is_some_and(|row| row.method == registry::Method::Manual)
    }

    pub fn knows(&self, id: &str) -> bool {
        self.registry.as_ref().is_some_and(|registry| registry.cli(id).is_some())
    }

    pub fn standards(&self) -> &Standards {
        &self.standards
    }
}

/// Opens a project for a command: recovers, checks the constitution (ERR-003, ERR-004), reads the registry (ERR-002).
/// Errors: ERR-004 when a rule is missing, ERR-002 when MEMORY.md must not be touched, E-TXN-001 when recovery has to
/// wait for another hefesto longer than ten seconds.
pub fn enter(env: &mut Env, project: &Project) -> Result<Governed> {
    recover(env, project)?;
    let bytes = read(project, "MEMORY.md", registry::MAX_BYTES)?;
    let parsed = bytes.as_deref().map(Registry::parse);
    let ours = matches!(parsed, Some(Parsed::Good(_) | Parsed::Damaged { .. }));
    check_constitution(env, project, ours)?;
    let standards = load_standards(project);
    let (registry, foreign) = match parsed {
        None => (None, None),
        Some(Parsed::Good(registry)) => (Some(*registry), None),
        Some(Parsed::Foreign(_)) => (None, bytes),
        Some(Parsed::Damaged { why, kept }) => {
            let before = bytes.unwrap_or_default();
            (Some(rebuild(env, project, &before, &why, *kept)?), None)
        }
        Some(refused) => {
            let path = project.memory_md().slashed();
            let bug = || Error::new(Code::Bug, "MEMORY.md is neither readable nor refused");
            return Err(refused.refusal(&path).unwrap_or_else(bug));
        }
    };
    Ok(Governed { registry, foreign, standards })
}

/// The registry of an initialised project, for commands that need one.
/// Errors: E-PROJECT-001 when the project is not initialised, and everything [`enter`] can fail with.
pub fn enter_initialised(env: &mut Env, project: &Project) -> Result<(Governed, Registry)> {
    // The directory of the user's own skills is created by `init`.
    let missing = match rooted::Root::open(project.root()) {
        _ if env.global => None,
        Err(error) if error.kind() == ErrorKind::NotFound => Some("there is no directory"),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Some("this is no directory:"),
        _ => None,
    };
    if let Some(what) = missing {
        let message = format!("{what} {}", project.root().slashed());
        return Err(Error::new(Code::NotInitialised, message).suggest("Check the path."));
    }
    let governed = enter(env, project)?;
    match governed.registry.clone() {
        Some(registry) => Ok((governed, registry)),
        None => {
            let root = project.root().slashed();
            Err(Error::new(Code::NotInitialised, format!("{root} is not initialised (WARN-002): run init first")))
        }
    }
}

/// Recovers interrupted transactions. If another command is running, it continues without waiting.
pub fn recover(env: &mut Env, project: &Project) -> Result<Vec<Recovered>> {
    if let Err(error) = sound(project) {
        let message = format!("{error}. Nothing in {HOME} is written, and interrupted commands are not ended.");
        env.note(Warning::new(Code::HomeRefused, message));
        return Ok(Vec::new());
    }
    let (waiting, littered) = transaction::left_behind(project.roots());
    if !waiting && !littered {
        return Ok(Vec::new());
    }
    let Some(lock) = Lock::try_now(project.roots())? else {
        if waiting {
            env.tell("Another hefesto is at work in this project.");
        }
        return Ok(Vec::new());
    };
    let recovered = transaction::recover(&lock, &|_, value| register(&lock, value))?;
    for one in &recovered {
        env.note(recovery_warning(one));
    }
    Ok(recovered)
}

pub fn recovery_warning(recovered: &Recovered) -> Warning {
    let Recovered { run, command, outcome, paths } = recovered;
    let ended = |what: &str| {
        let paths = if paths.is_empty() { String::new() } else { format!(" [{}]", paths.join(", ")) };
        (Code::Recovered, format!("an interrupted `{command}` (run {run}) {what}{paths}."))
    };
    let (code, message) = match outcome {
        Outcome::RolledBack => ended("was rolled back; it is as if it had never run"),
        Outcome::RolledForward => ended("was completed"),
        Outcome::Unfinished(why) => ended(&format!("cannot be ended yet ({why}); the next command tries again")),
        Outcome::Quarantined { file, why } => {
            let message = format!("the journal {run} cannot be acted upon: it {why}. It was put aside as {file}.");
            (Code::Recovered, message.replace('\n', "\\n"))
        }
        Outcome::Kept { file } => {
            let (paths, kept) = (paths.join(", "), "what was saved is in no backup and was kept as");
            (Code::EditKept, format!("{paths} was saved while `{command}` changed it: {kept} {file}."))
        }
        Outcome::Left { file, why } => {
            let left = format!("what it replaced cannot be removed ({why}). It lies in {file}");
            let message = format!("`{command}` (run {run}) is complete, but {left}; every later command tries again.");
            (Code::LeftBehind, message)
        }
    };
    Warning::new(code, message)
}

/// Says what a commit recovered and left. True if its last step was interrupted; the next command completes it.
pub fn told(env: &mut Env, receipt: &Receipt, done: &str) -> bool {
    for one in &receipt.recovered {
        env.note(recovery_warning(one));
    }
    if let Some(why) = &receipt.pending {
        env.note(Warning::new(Code::FinishPending, format!("{done}; the finishing was cut short: {why}")));
    }
    receipt.pending.is_some()
}

fn read(project: &Project, name: &str, most: usize) -> Result<Option<Vec<u8>>> {
    let path = project.path(name);
    let cannot = || format!("{} cannot be read", path.slashed());
    let absent = |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let found = project.rooted(name).and_then(|file| Ok(file.entry_kind()?.map(|kind| (file, kind))));
    match found {
        Ok(Some((file, Kind::File))) => file.head(most + 1).map(Some).coded(Code::Io, cannot()),
        Ok(Some(_)) => Err(Error::new(
            if name == "MEMORY.md" { Code::MemoryCorrupt } else { Code::ConstitutionInvalid },
            format!("{} is not a regular file; it was left as it is", path.slashed()),
        )
        .suggest("Move it away; hefesto writes a new one.")),
        Ok(None) => Ok(None),
        Err(error) if absent(&error) => Ok(None),
        Err(error) => Err(error).coded(Code::Io, cannot()),
    }
}

fn rebuild(
    env: &mut Env,
    project: &Project,
    before: &[u8],
    why: &[registry::Problem],
    kept: registry::Kept,
) -> Result<Registry> {
    let settings = crate::config::load(env, project)?;
    let found = crate::client::detect::here(&settings.targets, &crate::client::detect::places(env, project));
    let on_disk = crate::project::inventory::found(project, &settings.targets, &found);
    let rebuilt = Registry::rebuild(kept, &on_disk, registry::OURS, &env.stamp());
    let (backup, copy) = copied(env, project, "MEMORY.md", before);
    let write = Change::Write {
        at: "MEMORY.md".into(),
        bytes: rebuilt.render().into_bytes(),
        was: Was::Bytes(transaction::bytes_digest(before)),
    };
    let changes = copy.into_iter().chain([write]).collect();
    commit(env, project, "rebuild", changes)?;
    let first = why.first().map(|problem| format!(" (line {}: {})", problem.line, problem.what)).unwrap_or_default();
    env.note(Warning::new(
        Code::MemoryCorrupt,
        format!("MEMORY.md was damaged{first}; it was rebuilt from the skills on disk, the old one is {backup}."),
    ));
    Ok(rebuilt)
}

/// Makes small changes of hefesto's own outside a run.
pub fn commit(env: &mut Env, project: &Project, command: &str, changes: Vec<Change>) -> Result<()> {
    commit_with(env, project, command, changes, &[]).map(|_| ())
}

/// [`commit`] with changes to the registry. True if the last step was interrupted; the next command completes it.
pub fn commit_with(env: &mut Env, project: &Project, command: &str, changes: Vec<Change>, ops: &[Op]) -> Result<bool> {
    let lock = lock(env, project, command)?;
    let now = env.stamp();
    let registry = registration(ops, &now, None).coded(Code::Bug, "the registry entry cannot be written down")?;
    let intent =
        Intent { run: env.new_id(), command: command.into(), now, registry: (!ops.is_empty()).then_some(registry) };
    let receipt = transaction::commit(&lock, intent, changes, &|_, value| register(&lock, value))?;
    Ok(told(env, &receipt, "saved"))
}

/// Takes the project's lock; while waiting it says who has it.
/// Errors: E-TXN-001 after ten seconds.
pub fn lock(env: &mut Env, project: &Project, command: &str) -> Result<Lock> {
    let holder = format!("hefesto {command}, since {}", env.stamp());
    home(project)?;
    Lock::acquire(project.roots(), &holder, LOCK_TIMEOUT, &mut |other| env.tell(&format!("Waiting for {other} ...")))
}

/// Creates the root and `.hefesto/` (0700) with its own `.gitignore`, if they are missing.
/// Errors: E-CREATE-006 when they cannot be created, or something in `.hefesto/` is a link or of the wrong kind.
pub fn home(project: &Project) -> Result<()> {
    make_home(project).coded(Code::CreateUnwritable, format!("{} cannot be used", project.hefesto().slashed())).map_err(
        |error| error.suggest("Make that directory writable, or move away the named file in its place or in it."),
    )
}

#[expect(clippy::disallowed_methods, reason = "access to a root that is not there yet")]
fn make_home(project: &Project) -> io::Result<()> {
    let home = match project.rooted(HOME) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            std::fs::create_dir_all(project.root())?;
            project.rooted(HOME)?
        }
        home => home?,
    };
    home.make_dir(0o700)?;
    sound(project)?;
    let ignore = home.join(".gitignore");
    // An empty one was left by a killed command.
    if rooted::found(ignore.entry())?.is_some_and(|meta| meta.len() > 0) {
        return Ok(());
    }
    let mut file = ignore.append(0o644)?;
    file.write_all(IGNORE.as_bytes())?;
    crate::system::os::files::sync(&file)
}

const FILES: [&str; 7] =
    [".gitignore", "config.toml", "lock", "memory.db", "memory.db-journal", "memory.db-shm", "memory.db-wal"];

/// Checks that `.hefesto/`, if it exists, and everything directly in it have the right kind: a link or a pipe in a
/// clone would redirect writes.
/// Errors: a refusal that names the first wrong path, or the error of the operating system.
pub fn sound(project: &Project) -> io::Result<()> {
    let listed = rooted::found(project.rooted(HOME).and_then(|home| Ok((home.list()?, home))))?;
    let Some((mut entries, home)) = listed else { return Ok(()) };
    entries.sort();
    entries.iter().try_for_each(|(name, kind)| entry(&home, &name.to_string_lossy(), *kind))
}

fn entry(home: &Rooted, name: &str, kind: Kind) -> io::Result<()> {
    let why = match kind {
        Kind::Link => "is a symbolic link, and hefesto follows none there: remove it",
        Kind::Other => "is neither a file nor a directory: remove it",
        Kind::Dir if FILES.contains(&name) => "is a directory where a file belongs: move it away",
        _ => return Ok(()),
    };
    Err(Refused { path: home.join(name).path(), why }.into())
}

/// The files that initialise a project. Empty if it is initialised already. Existing files are not changed.
pub fn initialising(env: &Env, project: &Project, governed: &Governed) -> Result<Vec<Change>> {
    if !governed.is_new() {
        return Ok(Vec::new());
    }
    let mut changes = governance_files(project)?;
    let there = read(project, "MEMORY.md", registry::MAX_BYTES)?;
    if there.as_deref().map(Registry::parse).is_some_and(|parsed| matches!(parsed, Parsed::Good(_))) {
        return Ok(changes); // another run was faster
    }
    let now = env.stamp();
    let registry = match governed.foreign.as_deref().map(Registry::parse) {
        Some(Parsed::Foreign(kept)) => Registry::rebuild(*kept, &registry::Found::default(), registry::OURS, &now),
        _ => Registry::fresh(registry::OURS, &now),
    };
    changes.push(Change::Write {
        at: "MEMORY.md".into(),
        bytes: registry.render().into_bytes(),
        was: governed.foreign.as_deref().map_or(Was::Absent, |bytes| Was::Bytes(transaction::bytes_digest(bytes))),
    });
    Ok(changes)
}

/// The targets in a registry that the table knows.
pub fn registered(registry: &Registry, targets: &Targets) -> Vec<Target> {
    registry.clis().iter().filter_map(|row| targets.get(&row.id)).cloned().collect()
}

//! What every command does first: end what was interrupted, then see that constitution, registry and standards are in order.

use std::collections::HashMap;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::client::target::{Target, Targets};
use crate::error::{Code, Coded, Error, Result, Warning};
use crate::memory::{CommittedRun, Memory};
use crate::project::Project;
use crate::project::inventory;
use crate::registry::constitution;
use crate::registry::standards::{self, Standards};
use crate::registry::{self, BeforeRun, Op, Parsed, Registry};
use crate::system::durable;
use crate::system::env::Env;
use crate::system::rooted::{self, HOME, Kind, Refused, Rooted};
use crate::transaction::{self, Change, Intent, Lock, Outcome, Recovered, Was};

/// How long to wait for another hefesto that is writing.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// What of `.hefesto/` a repository may hold.
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

    /// The registry of an initialised project.
    pub fn registry(&self) -> Option<&Registry> {
        self.registry.as_ref()
    }

    /// Whether a person registered this CLI without its being detected.
    pub fn manual(&self, id: &str) -> bool {
        let row = self.registry.as_ref().and_then(|registry| registry.cli(id));
        row.is_some_and(|row| row.method == registry::Method::Manual)
    }

    /// Whether the registry has a row for this CLI.
    pub fn knows(&self, id: &str) -> bool {
        self.registry.as_ref().is_some_and(|registry| registry.cli(id).is_some())
    }

    pub fn standards(&self) -> &Standards {
        &self.standards
    }
}

/// Opens a project for a command: recovers, checks the constitution (ERR-003, ERR-004), reads the registry (ERR-002).
/// Errors: ERR-004 when a rule is missing, ERR-002 when MEMORY.md must not be touched, E-TXN-001 when recovery has to
/// wait
/// for another hefesto longer than ten seconds.
pub fn enter(env: &mut Env, project: &Project) -> Result<Governed> {
    recover(env, project)?;
    let bytes = read(project, "MEMORY.md", registry::MAX_BYTES)?;
    let parsed = bytes.as_deref().map(Registry::parse);
    let ours = matches!(parsed, Some(Parsed::Good(_) | Parsed::Damaged { .. }));
    constitution(env, project, ours)?;
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
            let path = project.memory_md().display().to_string();
            let bug = || Error::new(Code::Bug, "MEMORY.md is neither readable nor refused");
            return Err(refused.refusal(&path).unwrap_or_else(bug));
        }
    };
    Ok(Governed { registry, foreign, standards })
}

/// The registry of an initialised project, for commands that need one.
/// Errors: E-PROJECT-001 when the project is not initialised, and everything [`enter`] can fail with.
pub fn enter_initialised(env: &mut Env, project: &Project) -> Result<(Governed, Registry)> {
    // The directory of the user's own skills is made by `init`.
    let missing = match rooted::Root::open(project.root()) {
        _ if env.global => None,
        Err(error) if error.kind() == ErrorKind::NotFound => Some("there is no directory"),
        Err(error) if error.kind() == ErrorKind::NotADirectory => Some("this is no directory:"),
        _ => None,
    };
    if let Some(what) = missing {
        let message = format!("{what} {}", project.root().display());
        return Err(Error::new(Code::NotInitialised, message).suggest("Check the path."));
    }
    let governed = enter(env, project)?;
    match governed.registry.clone() {
        Some(registry) => Ok((governed, registry)),
        None => {
            let root = project.root().display();
            Err(Error::new(Code::NotInitialised, format!("{root} is not initialised (WARN-002): run init first")))
        }
    }
}

/// Ends what earlier commands left. A command that finds another one at work goes on without waiting.
/// Errors: when the journal cannot be read.
pub fn recover(env: &mut Env, project: &Project) -> Result<Vec<Recovered>> {
    if let Err(error) = sound(project) {
        let message = format!("{error}. Nothing in {HOME} is written, and interrupted commands are not ended.");
        env.note(Warning::new(Code::HomeRefused, message));
        return Ok(Vec::new());
    }
    let waiting = transaction::waiting(project.root());
    if !waiting && !transaction::littered(project.root()) {
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

/// What became of an interrupted command, as a note.
pub fn recovery_warning(recovered: &Recovered) -> Warning {
    let what = match &recovered.outcome {
        Outcome::RolledBack => "was rolled back; it is as if it had never run".to_owned(),
        Outcome::RolledForward => "was completed".to_owned(),
        Outcome::Quarantined { file, why } => {
            let message =
                format!("the journal {} cannot be acted upon: it {why}. It was put aside as {file}.", recovered.run);
            let message = message.replace('\n', "\\n");
            return Warning::new(Code::Recovered, message);
        }
        Outcome::Unfinished(why) => format!("cannot be ended yet ({why}); the next command tries again"),
        Outcome::Kept { file } => {
            let message = format!(
                "{} was saved while `{}` changed it: what was saved is in no backup and was kept as {file}.",
                recovered.paths.join(", "),
                recovered.command
            );
            return Warning::new(Code::EditKept, message);
        }
        Outcome::Left { file, why } => {
            let message = format!(
                "`{}` (run {}) is complete, but what it replaced cannot be removed ({why}). It lies in {file}; every later \
                 command tries again.",
                recovered.command, recovered.run
            );
            return Warning::new(Code::LeftBehind, message);
        }
    };
    let paths = if recovered.paths.is_empty() { String::new() } else { format!(" [{}]", recovered.paths.join(", ")) };
    Warning::new(
        Code::Recovered,
        format!("an interrupted `{}` (run {}) {what}{paths}.", recovered.command, recovered.run),
    )
}

fn read(project: &Project, name: &str, most: usize) -> Result<Option<Vec<u8>>> {
    let path = project.path(name);
    let cannot = || format!("{} cannot be read", path.display());
    let absent = |error: &io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    let found = project.rooted(name).and_then(|file| Ok(file.entry_kind()?.map(|kind| (file, kind))));
    match found {
        Ok(Some((file, Kind::File))) => file.head(most + 1).map(Some).coded(Code::Io, cannot()),
        Ok(Some(_)) => Err(Error::new(
            if name == "MEMORY.md" { Code::MemoryCorrupt } else { Code::ConstitutionInvalid },
            format!("{} is not a regular file; it was left as it is", path.display()),
        )
        .suggest("Move it away; hefesto writes a new one.")),
        Ok(None) => Ok(None),
        Err(error) if absent(&error) => Ok(None),
        Err(error) => Err(error).coded(Code::Io, cannot()),
    }
}

/// Whether commands may run here at all, for one that does not [`enter`].
/// Errors: ERR-004 when the constitution is there and invalid.
pub fn lawful(env: &mut Env, project: &Project) -> Result<()> {
    constitution(env, project, false)
}

fn constitution(env: &mut Env, project: &Project, ours: bool) -> Result<()> {
    let Some(bytes) = read(project, "CONSTITUTION.md", 1 << 20)? else {
        if ours {
            let write =
                Change::Write { at: "CONSTITUTION.md".into(), bytes: constitution::EMBEDDED.into(), was: Was::Absent };
            commit(env, project, "restore", vec![write])?;
            env.note(Warning::new(
                Code::ConstitutionMissing,
                "CONSTITUTION.md was missing; the embedded one was restored, with all eleven T0 rules.",
            ));
        }
        return Ok(());
    };
    let report = constitution::check(&String::from_utf8_lossy(&bytes));
    if !report.valid() {
        let backup = keep_aside(env, project, "CONSTITUTION.md", &bytes);
        let rules = report.missing.iter().map(|id| format!("rule {id} is missing"));
        let what = rules.chain(report.frontmatter.iter().cloned()).collect::<Vec<_>>().join("; ");
        let kept = backup.map(|path| format!(" A copy was kept as {path}.")).unwrap_or_default();
        return Err(Error::new(
            Code::ConstitutionInvalid,
            format!(
                "{} is invalid: {what}. Everything is blocked and the file was left as it is.{kept}",
                project.constitution().display()
            ),
        ));
    }
    for oddity in &report.oddities {
        env.note(Warning::new(Code::ConstitutionOddity, format!("CONSTITUTION.md: {oddity}")));
    }
    Ok(())
}

/// Where a copy of a governance file is kept, below `.hefesto/backups/`, and the change that writes it; no change
/// where a
/// copy of these very bytes is there already.
pub fn copied(env: &Env, project: &Project, name: &str, bytes: &[u8]) -> (String, Option<Change>) {
    const BACKUPS: &str = ".hefesto/backups";
    if let Some(known) = inventory::copy_of(project, BACKUPS, &format!("{name}.backup."), bytes) {
        return (known, None);
    }
    let at = format!("{BACKUPS}/{name}.backup.{}", env.now().strftime("%Y-%m-%dT%H-%M-%S"));
    let at = inventory::free_name(project, &at);
    (at.clone(), Some(Change::Write { at, bytes: bytes.to_vec(), was: Was::Absent }))
}

fn keep_aside(env: &mut Env, project: &Project, name: &str, bytes: &[u8]) -> Option<String> {
    let (at, change) = copied(env, project, name, bytes);
    match change {
        Some(write) => commit(env, project, "backup", vec![write]).ok().map(|()| at),
        None => Some(at),
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
    let on_disk = inventory::found(project, &settings.targets, &found);
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

/// [`commit`], with what the registry has to learn. Whether the finishing was cut short, which the next command
/// completes.
pub fn commit_with(env: &mut Env, project: &Project, command: &str, changes: Vec<Change>, ops: &[Op]) -> Result<bool> {
    let lock = lock(env, project, command)?;
    let now = env.stamp();
    let registry = registration(ops, &now, None).coded(Code::Bug, "the registry entry cannot be written down")?;
    let intent =
        Intent { run: env.new_id(), command: command.into(), now, registry: (!ops.is_empty()).then_some(registry) };
    let receipt = transaction::commit(&lock, intent, changes, &|_, value| register(&lock, value))?;
    for one in &receipt.recovered {
        env.note(recovery_warning(one));
    }
    let pending = receipt.pending.is_some();
    if let Some(why) = receipt.pending {
        env.note(Warning::new(Code::FinishPending, format!("saved; the finishing was cut short: {why}")));
    }
    Ok(pending)
}

/// Takes the project's lock, telling who has it while waiting.
/// Errors: E-TXN-001 after ten seconds.
pub fn lock(env: &mut Env, project: &Project, command: &str) -> Result<Lock> {
    let holder = format!("hefesto {command}, since {}", env.stamp());
    home(project)?;
    Lock::acquire(project.roots(), &holder, LOCK_TIMEOUT, &mut |other| env.tell(&format!("Waiting for {other} ...")))
}

/// Makes the root and `.hefesto/` (0700) with its own `.gitignore`, where they are missing.
/// Errors: E-CREATE-006 when they cannot be made, or something in `.hefesto/` is a link or of the wrong kind.
pub fn home(project: &Project) -> Result<()> {
    make_home(project).coded(Code::CreateUnwritable, format!("{} cannot be used", project.hefesto().display())).map_err(
        |error| {
            error.suggest(
                "Make that directory writable, or move away what lies in its place or in it and is named here.",
            )
        },
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
    // An empty one was begun by a command that was killed.
    if rooted::found(ignore.entry())?.is_some_and(|meta| meta.len() > 0) {
        return Ok(());
    }
    let mut file = ignore.append(0o644)?;
    file.write_all(IGNORE.as_bytes())?;
    durable::sync(&file)
}

/// What is a file in `.hefesto/`.
const FILES: [&str; 7] =
    [".gitignore", "config.toml", "lock", "memory.db", "memory.db-journal", "memory.db-shm", "memory.db-wal"];

/// Whether `.hefesto/`, where there is one, and everything directly in it are what they have to be: a link or a pipe
/// that
/// came with a clone leads what is written there somewhere else.
/// Errors: a refusal that names the first path in the way, or what the operating system says.
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

#[derive(Serialize, Deserialize)]
struct Registration {
    ops: Vec<Op>,
    now: String,
    #[serde(default)]
    committed: Option<CommittedRun>,
}

/// What a transaction keeps for the registry.
pub fn registration(ops: &[Op], now: &str, committed: Option<CommittedRun>) -> serde_json::Result<Value> {
    serde_json::to_value(Registration { ops: ops.to_vec(), now: now.into(), committed })
}

/// Enters committed changes into MEMORY.md, which is read again and changed in our rows only, and into the memory
/// database, whose failure never counts: the run is complete without it. Safe to repeat.
/// Errors: when MEMORY.md cannot be read, understood or written.
pub fn register(lock: &Lock, value: &Value) -> anyhow::Result<()> {
    register_with(lock, value, &mut |committed, now| {
        let database = Project::at(lock.root()).database();
        let at = now.parse().map_or(0, jiff::Timestamp::as_millisecond);
        let _degraded = Memory::open(&database, at).and_then(|mut memory| memory.recovered(committed, now));
    })
}

/// [`register`], by a command that has the memory database open already.
pub fn register_with(lock: &Lock, value: &Value, remember: &mut dyn FnMut(&CommittedRun, &str)) -> anyhow::Result<()> {
    let Registration { ops, now, committed } = serde_json::from_value(value.clone())?;
    let there = rooted::found(lock.roots().at("MEMORY.md").and_then(|file| file.read(registry::MAX_BYTES)))?;
    let missing = there.is_none();
    let before = there.unwrap_or_else(|| Registry::fresh(registry::OURS, &now).render().into());
    let after = registry::apply(&before, &ops, &now)
        .map_err(|_| anyhow::anyhow!("MEMORY.md is damaged and cannot take the entry"))?;
    if missing || after.as_bytes() != before {
        transaction::save(lock, "MEMORY.md", after.as_bytes())?;
    }
    if let Some(committed) = committed {
        remember(&committed, &now);
    }
    Ok(())
}

/// What there is of these skills before a run changes them: their rows, and the directories it would have to make for
/// the copies (target, place). To be asked under the lock.
/// Errors: when MEMORY.md exists and cannot be read: an undo would lose the rows in it.
pub fn before(lock: &Lock, names: &[String], copies: &[(String, String)]) -> Result<BeforeRun> {
    let read = lock.roots().at("MEMORY.md").and_then(|file| file.read(registry::MAX_BYTES));
    let bytes = rooted::found(read).coded(Code::Io, "MEMORY.md cannot be read; nothing was written")?;
    let registry = match bytes.map(|bytes| Registry::parse(&bytes)) {
        Some(Parsed::Good(registry)) => Some(registry),
        _ => None,
    };
    let of = |name: &str, copies: &[&(String, String)]| {
        let ids: Vec<String> = copies.iter().map(|(id, _)| id.clone()).collect();
        let mut before = registry.as_ref().map(|registry| registry.before(name, &ids)).unwrap_or_default();
        for (_, at) in copies {
            let above = at.match_indices('/').filter_map(|(end, _)| at.get(..end));
            for dir in above.filter(|dir| !lock.roots().at(dir).is_ok_and(|dir| dir.exists())) {
                if !before.missing.iter().any(|known| known == dir) {
                    before.missing.push(dir.to_owned());
                }
            }
        }
        before
    };
    Ok(match names {
        [name] => BeforeRun::One(of(name, &copies.iter().collect::<Vec<_>>())),
        names => {
            let mut by_name: HashMap<&str, Vec<&(String, String)>> = HashMap::new();
            for copy in copies {
                by_name.entry(copy.1.rsplit('/').next().unwrap_or_default()).or_default().push(copy);
            }
            let of = |name: &String| (name.clone(), of(name, by_name.get(name.as_str()).map_or(&[], Vec::as_slice)));
            BeforeRun::Several(names.iter().map(of).collect())
        }
    })
}

/// The files that make a project one of ours. Empty where it is one already. What a person has is kept to the byte.
/// Errors: when a file cannot be read.
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

/// The constitution and the standards, as far as they are missing.
/// Errors: E-IO-001 when it cannot be seen whether one is missing. Behind a link out of the project none is.
pub fn governance_files(project: &Project) -> Result<Vec<Change>> {
    let constitution = [("CONSTITUTION.md", constitution::EMBEDDED)];
    let mut missing = Vec::new();
    for (at, text) in constitution.into_iter().chain(standards::EMBEDDED.iter().copied()) {
        match project.rooted(at).and_then(|file| file.entry_kind()) {
            Ok(None) => missing.push(Change::Write { at: at.into(), bytes: text.into(), was: Was::Absent }),
            Err(error) if error.kind() != ErrorKind::NotADirectory && rooted::refused(&error).is_none() => {
                return Err(error).coded(Code::Io, format!("{at} cannot be looked for"));
            }
            _ => {}
        }
    }
    Ok(missing)
}

fn load_standards(project: &Project) -> Standards {
    let own = standards::names().filter_map(|at| {
        let bytes = project.head(at, 1 << 20).ok()?;
        Some((at.to_owned(), String::from_utf8(bytes).ok()?))
    });
    standards::load(&own.collect())
}

/// The targets a registry names, as far as the table knows them.
pub fn registered(registry: &Registry, targets: &Targets) -> Vec<Target> {
    registry.clis().iter().filter_map(|row| targets.get(&row.id)).cloned().collect()
}

//! Detects the AI CLIs on this machine: PATH first, then configuration directories. Runs nothing unless asked for
//! versions.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::client::target::{READERS, Reader, SHARED, Target, Targets};
use crate::error::{Code, Error, Result, Warning};
use crate::project::Project;
use crate::registry::{CliRow, Method, Status};
use crate::report::Slashed;
use crate::system::env::Env;
use crate::system::os::process::Group;
use crate::system::rooted::OpenedRoots;
use crate::system::search_path::Listed;
use crate::system::search_path::SearchPath;

/// The time limit of all version queries together: with everything around it, half a second.
pub const BUDGET: Duration = Duration::from_millis(450);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub target: Target,
    pub method: Method,
    /// Its binary, if on PATH.
    pub binary: Option<PathBuf>,
    /// The directory by which it was detected, if not on PATH.
    pub config_dir: Option<PathBuf>,
    /// Its version, if it was queried and answered in time.
    pub version: Option<String>,
    /// Whether it was detected only by a directory in the project, which hefesto may have created itself.
    pub only_in_project: bool,
    /// For the shared directory: the clients on this machine that read it.
    pub serves: Vec<&'static str>,
}

impl Found {
    fn by(method: Method, target: &Target) -> Self {
        let (binary, config_dir, version, serves) = (None, None, None, Vec::new());
        Self { target: target.clone(), method, binary, config_dir, version, only_in_project: false, serves }
    }

    /// Whether it was detected only by a directory although it is a program.
    pub fn lacks_binary(&self) -> bool {
        self.binary.is_none() && self.serves.is_empty()
    }

    /// The status in MEMORY.md. The shared directory has no binary that could be missing.
    pub fn status(&self) -> Status {
        if self.serves.is_empty() { status(self.method) } else { Status::Active }
    }
}

/// Where is searched. What stands in a directory is listed once.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub path: SearchPath,
    pub home: Option<PathBuf>,
    pub root: PathBuf,
    /// Whether it is about the user's own skills.
    pub user: bool,
    opened: OpenedRoots,
    listed: Listed,
}

impl Places {
    /// Whether a directory may hold a relative path: whether it lists where that begins.
    fn may_hold(&self, dir: &Path, path: &str) -> bool {
        match Path::new(path).components().next() {
            Some(Component::Normal(name)) => self.listed.may_hold(dir, name),
            _ => true,
        }
    }
}

pub fn places(env: &Env, project: &Project) -> Places {
    let (root, user) = (project.root().to_owned(), project.is_user());
    let (opened, listed) = (project.roots().opened_roots(), Listed::default());
    Places { path: env.search_path(), home: env.home(), root, user, opened, listed }
}

fn status(method: Method) -> Status {
    match method {
        Method::Path => Status::Active,
        Method::ConfigDirectory => Status::WarningNoPath,
        Method::Manual => Status::Manual,
    }
}

pub fn row(target: &Target, found: &[Found]) -> CliRow {
    let found = found.iter().find(|found| found.target.id == target.id && !found.only_in_project);
    let method = found.map_or(Method::Manual, |found| found.method);
    CliRow {
        id: target.id.clone(),
        method,
        skills_dir: target.skills_dir.clone(),
        version: found.and_then(|found| found.version.clone()),
        status: found.map_or(status(method), Found::status),
    }
}

/// The targets with these ids. Errors: E-CREATE-004 naming the unknown ones and listing all, or if `agents` is given
/// beside clients that read it anyway.
pub fn named(targets: &Targets, ids: &[String]) -> Result<Vec<Target>> {
    let unknown: Vec<&str> = ids.iter().filter(|id| targets.meant(id).is_none()).map(String::as_str).collect();
    if !unknown.is_empty() || ids.is_empty() {
        let what = if ids.is_empty() {
            "no target is named".into()
        } else {
            format!("unknown target: {}", unknown.join(", "))
        };
        let near: Vec<&str> = unknown.iter().filter_map(|id| targets.nearest(id)).collect();
        let near = if near.is_empty() { String::new() } else { format!("Did you mean `{}`? ", near.join("`, `")) };
        return Err(Error::new(Code::CreateNoTarget, what)
            .suggest(format!("{near}Known targets: {}. `all` means every detected one.", targets.ids())));
    }
    let mut named: Vec<Target> = Vec::new();
    for target in ids.iter().filter_map(|id| targets.meant(id)) {
        if !named.iter().any(|other| other.id == target.id) {
            named.push(target.clone());
        }
    }
    let double = doubled(&named);
    if !double.is_empty() {
        let alone: Vec<&str> =
            ids.iter().map(String::as_str).filter(|id| !double.iter().any(|two| two == id)).collect();
        let what = format!("{}, so the skill would be there twice", also_read(&double));
        return Err(Error::new(Code::CreateNoTarget, what)
            .suggest(format!("Use `--target {}`; it reaches them all.", alone.join(","))));
    }
    Ok(named)
}

pub fn also_read(ids: &[String]) -> String {
    let verb = if ids.len() == 1 { "reads" } else { "read" };
    format!("{} also {verb} the shared directory", ids.join(", "))
}

/// The target with an id.
/// Errors: E-CREATE-004 naming it and listing all.
pub fn one<'t>(targets: &'t Targets, id: &str) -> Result<&'t Target> {
    targets.meant(id).ok_or_else(|| {
        let near = targets.nearest(id).map(|near| format!("Did you mean `{near}`? ")).unwrap_or_default();
        Error::new(Code::CreateNoTarget, format!("unknown target: {id}"))
            .suggest(format!("{near}Known targets: {}.", targets.ids()))
    })
}

/// The ids among these that read the shared directory, if it is among them, too.
pub fn doubled(targets: &[Target]) -> Vec<String> {
    let Some(agents) = targets.iter().find(|target| target.id == SHARED) else { return Vec::new() };
    let readers = targets.iter().filter(|target| target.also_reads.contains(&agents.skills_dir));
    readers.map(|target| target.id.clone()).collect()
}

/// WARN-001 for a CLI without a binary on PATH.
pub fn no_binary(found: &Found) -> Warning {
    let dir = found.config_dir.as_deref().map(|dir| dir.slashed()).unwrap_or_default();
    Warning::new(Code::NoBinary, format!("{} was found by {dir} only; its binary is not on PATH.", found.target.title))
}

/// Finds the CLIs by PATH and directories only; nothing is executed.
pub fn here(targets: &Targets, places: &Places) -> Vec<Found> {
    targets.iter().filter_map(|target| find(target, places)).collect()
}

fn find(target: &Target, places: &Places) -> Option<Found> {
    if target.id == SHARED {
        return shared(target, places);
    }
    let outside = |path: &PathBuf| !places.path.in_project(path);
    let binary = target.binaries.iter().find_map(|name| places.path.find_listed(name).filter(outside));
    let at_home = if binary.is_none() { home_dir(target, places) } else { None };
    let only_in_project = binary.is_none() && at_home.is_none();
    let config_dir = if only_in_project { project_mark(target, places) } else { at_home };
    let method = match (&binary, &config_dir) {
        (Some(_), _) => Method::Path,
        (None, Some(_)) => Method::ConfigDirectory,
        (None, None) => return None,
    };
    Some(Found { binary, config_dir, only_in_project, ..Found::by(method, target) })
}

/// The shared directory, if a client on this machine is served through it.
fn shared(target: &Target, places: &Places) -> Option<Found> {
    let here = |reader: &&Reader| (reader.reads_home || !places.user) && at_home(reader.home_dirs, places).is_some();
    let readers: Vec<&Reader> = READERS.iter().filter(here).collect();
    let config_dir = at_home(readers.first()?.home_dirs, places);
    let serves = readers.iter().map(|reader| reader.title).collect();
    Some(Found { config_dir, serves, ..Found::by(Method::ConfigDirectory, target) })
}

#[expect(clippy::disallowed_methods, reason = "access to the home directory")]
fn at_home<S: AsRef<str>>(dirs: &[S], places: &Places) -> Option<PathBuf> {
    let home = places.home.as_ref()?;
    let listed = dirs.iter().map(AsRef::as_ref).filter(|dir| places.may_hold(home, dir));
    listed.map(|dir| home.join(dir)).find(|dir| dir.is_dir())
}

/// A configuration directory in the home directory. VS Code's extension counts for Copilot.
#[expect(clippy::disallowed_methods, reason = "access to the home directory")]
fn home_dir(target: &Target, places: &Places) -> Option<PathBuf> {
    let home = places.home.as_ref()?;
    at_home(&target.home_dirs, places).or_else(|| {
        let extensions = home.join(".vscode/extensions");
        let copilot = target.id == "copilot"
            && places.may_hold(home, ".vscode")
            && std::fs::read_dir(&extensions).is_ok_and(|entries| {
                entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("github.copilot"))
            });
        copilot.then_some(extensions)
    })
}

fn project_mark(target: &Target, places: &Places) -> Option<PathBuf> {
    let root = places.opened.at(&places.root).ok()?;
    let listed = target.project_marks.iter().filter(|mark| places.may_hold(&places.root, mark));
    let marks = listed.map(|mark| root.at(mark));
    marks.filter(|mark| matches!(mark.entry_kind(), Ok(Some(_)))).map(|mark| places.root.join(mark.below())).next()
}

/// Queries the versions of all binaries in parallel within [`BUDGET`]. One that does not answer in time has none.
pub fn versions(env: &Env, found: &mut [Found]) {
    let (vars, search) = (&env.vars, env.search_path().value());
    let deadline = Instant::now() + BUDGET;
    let (sender, receiver) = mpsc::channel();
    let mut asked = 0;
    for (index, cli) in found.iter().enumerate() {
        let Some(binary) = cli.binary.clone() else { continue };
        let (sender, mut command) = (sender.clone(), version_of(&binary, vars, &search));
        asked += 1;
        std::thread::spawn(move || {
            let _gone = sender.send((index, version(&mut command, deadline)));
        });
    }
    drop(sender);
    for _ in 0..asked {
        let left = deadline.saturating_duration_since(Instant::now()) + Duration::from_millis(30);
        match receiver.recv_timeout(left) {
            Ok((index, version)) => found[index].version = version,
            Err(_) => break,
        }
    }
}

/// `BINARY --version` in its own process group and in the root directory: a CLI may take settings from the directory it
/// is called in, and an interpreter is searched for on PATH.
#[expect(clippy::disallowed_methods, reason = "access to the AI CLIs, asked for their versions")]
fn version_of(binary: &Path, vars: &BTreeMap<OsString, OsString>, search: &OsStr) -> Command {
    let mut command = Command::new(binary);
    command.arg("--version").current_dir("/").env_clear().envs(vars).env("PATH", search).env_remove("PWD");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    Group::lead(&mut command);
    command
}

/// Runs it and kills its group at the deadline.
fn version(command: &mut Command, deadline: Instant) -> Option<String> {
    let mut child = command.spawn().ok()?;
    let exited = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.success(),
            Ok(None) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(5)),
            _ => {
                Group::of(&child).kill();
                let _reaped = child.wait();
                return None;
            }
        }
    };
    let mut text = Vec::new();
    let output = child.stdout.take()?;
    std::io::Read::read_to_end(&mut std::io::Read::take(output, 4096), &mut text).ok()?;
    if exited { semver(&String::from_utf8_lossy(&text)) } else { None }
}

pub fn semver(text: &str) -> Option<String> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
        let parts: Vec<&str> = word.split('.').collect();
        (parts.len() >= 3 && parts.iter().take(3).all(|part| !part.is_empty())).then(|| parts[..3].join("."))
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn search(dir: &Path, projects: &[&Path]) -> SearchPath {
        SearchPath::new(Some(dir.as_os_str()), None, projects)
    }

    fn stub(dir: &Path, name: &str, script: &str) {
        let path = dir.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn ids(found: &[Found]) -> Vec<(&str, Method)> {
        found.iter().map(|found| (found.target.id.as_str(), found.method)).collect()
    }

    #[test]
    fn the_path_beats_a_directory_and_a_bare_github_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (bin, home, root) = (dir.path().join("bin"), dir.path().join("home"), dir.path().join("root"));
        for made in [&bin, &home.join(".claude"), &home.join(".gemini"), &root.join(".github")] {
            std::fs::create_dir_all(made).unwrap();
        }
        stub(&bin, "claude", "exit 1");
        stub(&bin, "code", "exit 0");
        std::fs::write(bin.join("qwen"), "not executable").unwrap();
        let places = Places { path: search(&bin, &[]), home: Some(home.clone()), root, ..Places::default() };
        let targets = Targets::with(Vec::new());
        assert_eq!(ids(&here(&targets, &places)), [("claude", Method::Path), ("gemini", Method::ConfigDirectory)]);

        std::fs::create_dir_all(home.join(".vscode/extensions/github.copilot-1.2.3")).unwrap();
        let places = Places { listed: Listed::default(), ..places };
        assert!(ids(&here(&targets, &places)).contains(&("copilot", Method::ConfigDirectory)));
    }

    #[test]
    fn versions_are_asked_all_at_once_and_the_slow_have_none() {
        let dir = tempfile::tempdir().unwrap();
        stub(dir.path(), "claude", "echo '2.1.330 (Claude Code)'");
        stub(dir.path(), "gemini", "sleep 20");
        stub(dir.path(), "codex", "echo nothing of use");
        stub(dir.path(), "qwen", "exit 3");
        let places = Places { path: search(dir.path(), &[]), home: None, root: dir.path().into(), ..Places::default() };
        let mut found = here(&Targets::with(Vec::new()), &places);
        let start = Instant::now();
        versions(&Env::made("/".into(), &[("PATH", "/usr/bin:/bin")], jiff::Timestamp::UNIX_EPOCH), &mut found);
        assert!(start.elapsed() < Duration::from_secs(15), "the sleeper was not waited for");
        let versions: Vec<_> = found.iter().map(|found| found.version.as_deref()).collect();
        assert_eq!(&versions[1..], [None, None, None]);
    }

    #[test]
    fn a_version_is_three_numbers() {
        assert_eq!(semver("codex-cli 0.169.0").as_deref(), Some("0.169.0"));
        assert_eq!(semver("v1.2.3-beta.4").as_deref(), Some("1.2.3"));
        assert_eq!(semver("1.2"), None);
        assert_eq!(semver(""), None);
    }
}

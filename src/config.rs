//! Settings: flags beat environment beats project file beats user file beats default; each knows where it comes from.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Deserialize;

use crate::env::Env;
use crate::error::{Code, Coded, Error, Result};
use crate::project::Project;
use crate::rules::{Level, Severities};
use crate::target::{Arguments, Layout, Target, Targets};

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody said anything.
    Default,
    /// This file.
    File(PathBuf),
    /// This environment variable.
    Environment(&'static str),
    /// git's configuration.
    Git,
}

impl Origin {
    /// For people and for JSON.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Default => "default".into(),
            Self::File(path) => path.display().to_string(),
            Self::Environment(name) => (*name).to_owned(),
            Self::Git => "git user.name".into(),
        }
    }
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value in force.
    pub value: T,
    /// Where it comes from.
    pub origin: Origin,
}

/// Every setting in force.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Seconds the gate and a collision wait. 30–600 by file, 1–600 by environment.
    pub gate_timeout: Setting<u32>,
    /// Seconds a wizard prompt waits.
    pub wizard_timeout: Setting<u32>,
    /// Who is named as a skill's author.
    pub author: Setting<Option<String>>,
    /// The licence new skills get.
    pub license: Setting<String>,
    /// The template used where none is named.
    pub template: Setting<String>,
    /// Targets used where none is named; `all` is every detected one.
    pub target: Setting<String>,
    /// The program asked for a draft by `--draft=command`, with its arguments; empty where none is configured.
    pub draft_command: Setting<Vec<String>>,
    /// Seconds a draft may take, all questions together. 1–600.
    pub draft_timeout: Setting<u32>,
    /// Where short-term memory lies: `sqlite` or `redis`.
    pub stm_backend: Setting<String>,
    /// The address of the Redis server. May hold a password: show it by [`without_login`].
    pub stm_url: Setting<Option<String>>,
    /// Under which name this project's sessions lie on the Redis server; none is the name of its directory.
    pub stm_namespace: Setting<Option<String>>,
    /// Entries a session of short-term memory holds, 10–100,000.
    pub stm_entries: Setting<u64>,
    /// Bytes an entry of it takes, 1 KiB–10 MiB.
    pub stm_entry_bytes: Setting<u64>,
    /// Bytes a session of it holds, 64 KiB–100 MiB.
    pub stm_session_bytes: Setting<u64>,
    /// Hours an entry of it lives, 1–24 (seed 2 §4.3).
    pub stm_hours: Setting<u64>,
    /// How many conversations the memory keeps, 1–1000.
    pub fifo_capacity: Setting<usize>,
    /// Where copies go; none where nobody said.
    pub layout: Setting<Option<Layout>>,
    /// The target table with the configured ones.
    pub targets: Targets,
    /// How grave rules are to be, each with where it is set.
    pub rules: BTreeMap<String, Setting<Level>>,
    /// The same, as the rules take it.
    pub severities: Severities,
    /// What the files ask of rules and does not hold, in sentences.
    pub refused: Vec<String>,
    /// What git calls the author, once it was asked.
    git: OnceLock<Option<String>>,
}

impl Settings {
    /// The limits of short-term memory.
    #[must_use]
    pub fn stm_limits(&self) -> crate::stm::Limits {
        crate::stm::Limits {
            entries: self.stm_entries.value,
            entry_bytes: self.stm_entry_bytes.value,
            session_bytes: self.stm_session_bytes.value,
            hours: self.stm_hours.value,
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    gate_timeout: Option<i64>,
    wizard_timeout: Option<i64>,
    author: Option<String>,
    license: Option<String>,
    template: Option<String>,
    target: Option<String>,
    fifo: Option<Fifo>,
    #[serde(default)]
    stm: StmFile,
    layout: Option<String>,
    #[serde(default)]
    draft: Drafting,
    #[serde(default)]
    targets: BTreeMap<String, CustomTarget>,
    #[serde(default)]
    rules: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct StmFile {
    backend: Option<String>,
    url: Option<String>,
    namespace: Option<String>,
    entries: Option<i64>,
    entry_bytes: Option<i64>,
    session_bytes: Option<i64>,
    hours: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fifo {
    capacity: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Drafting {
    command: Option<Vec<String>>,
    timeout: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CustomTarget {
    title: Option<String>,
    skills_dir: String,
    #[serde(default)]
    binaries: Vec<String>,
    #[serde(default)]
    home_dirs: Vec<String>,
    #[serde(default)]
    project_marks: Vec<String>,
    #[serde(default)]
    also_reads: Vec<String>,
    arguments: Option<String>,
    invoke: Option<String>,
}

/// Reads every source.
///
/// # Errors
/// E-CONFIG-001 naming the file or variable and what is wrong with it.
pub fn load(env: &Env, project: &Project) -> Result<Settings> {
    let stm = crate::stm::Limits::default();
    let mut settings = Settings {
        gate_timeout: default(120),
        wizard_timeout: default(300),
        author: default(None),
        license: default("MIT".into()),
        template: default("base".into()),
        target: default("all".into()),
        draft_command: default(Vec::new()),
        draft_timeout: default(180),
        stm_backend: default("sqlite".into()),
        stm_url: default(None),
        stm_namespace: default(None),
        stm_entries: default(stm.entries),
        stm_entry_bytes: default(stm.entry_bytes),
        stm_session_bytes: default(stm.session_bytes),
        stm_hours: default(stm.hours),
        fifo_capacity: default(crate::fifo::CAPACITY),
        layout: default(None),
        targets: Targets::with(Vec::new()),
        rules: BTreeMap::new(),
        severities: Severities::default(),
        refused: Vec::new(),
        git: OnceLock::new(),
    };
    let mut custom = Vec::new();
    let user = env.hefesto_home().map(|dir| dir.join("config.toml"));
    let own = (!project.is_user()).then(|| project.config());
    for path in [user, own].into_iter().flatten() {
        if let Some(file) = read(&path)? {
            apply(&mut settings, &mut custom, &file, &path)?;
        }
    }
    settings.targets = crate::scope::targets(env, project, Targets::with(custom));
    if let Some(value) = env.vars.get(std::ffi::OsStr::new("HEFESTO_GATE_TIMEOUT")) {
        let seconds = value.to_str().and_then(|text| text.trim().parse().ok()).filter(|n| (1..=600).contains(n));
        let value = seconds.ok_or_else(|| {
            Error::new(Code::Config, format!("HEFESTO_GATE_TIMEOUT is {value:?}; it takes whole seconds from 1 to 600"))
        })?;
        settings.gate_timeout = Setting { value, origin: Origin::Environment("HEFESTO_GATE_TIMEOUT") };
    }
    if let Some(url) = env.var("HEFESTO_STM_URL") {
        settings.stm_url = Setting { value: Some(url.to_owned()), origin: Origin::Environment("HEFESTO_STM_URL") };
    }
    if settings.stm_backend.value == "redis" && settings.stm_url.value.is_none() {
        return Err(Error::new(Code::Config, "stm.backend is \"redis\" and stm.url says no server")
            .suggest("Set stm.url, such as \"unix:///run/redis.sock\" or \"redis://host:6379\", or HEFESTO_STM_URL."));
    }
    Ok(settings)
}

/// An address without what stands before its `@`, which may be a password.
#[must_use]
pub fn without_login(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://...@{place}"),
        _ => url.split('?').next().unwrap_or_default().to_owned(),
    }
}

fn default<T>(value: T) -> Setting<T> {
    Setting { value, origin: Origin::Default }
}

fn read(path: &Path) -> Result<Option<File>> {
    let absent = |error: &std::io::Error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory);
    match std::fs::metadata(path) {
        // Whatever else lies there is not opened: a pipe that nobody writes to would never end.
        Ok(meta) if !meta.is_file() => {
            return Err(Error::new(Code::Config, format!("{} is not a regular file", path.display()))
                .suggest("Move it away, or put a file of settings in its place."));
        }
        Err(error) if absent(&error) => return Ok(None),
        _ => {}
    }
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if absent(&error) => return Ok(None),
        Err(error) => {
            return Err(error)
                .coded(Code::Config, format!("{} cannot be read", path.display()))
                .map_err(|error| error.suggest("Check the permissions of the file and of its directory."));
        }
    };
    let file = toml::from_str(&text).map_err(|error| {
        Error::new(Code::Config, format!("{}: {}", path.display(), error.to_string().trim_end()))
            .suggest("Correct the file, or move it away: `hefesto config` then lists the settings there are.")
    })?;
    Ok(Some(file))
}

fn apply(settings: &mut Settings, custom: &mut Vec<Target>, file: &File, path: &Path) -> Result<()> {
    let origin = || Origin::File(path.to_owned());
    let seconds = |name: &str, value: i64| {
        u32::try_from(value).ok().filter(|n| (30..=600).contains(n)).ok_or_else(|| {
            Error::new(Code::Config, format!("{}: {name} is {value}; it takes 30 to 600 seconds", path.display()))
        })
    };
    if let Some(value) = file.gate_timeout {
        settings.gate_timeout = Setting { value: seconds("gate_timeout", value)?, origin: origin() };
    }
    if let Some(value) = file.wizard_timeout {
        settings.wizard_timeout = Setting { value: seconds("wizard_timeout", value)?, origin: origin() };
    }
    if let Some(value) = &file.author {
        settings.author = Setting { value: Some(value.clone()), origin: origin() };
    }
    for (value, setting) in [
        (&file.license, &mut settings.license),
        (&file.template, &mut settings.template),
        (&file.target, &mut settings.target),
    ] {
        if let Some(value) = value {
            *setting = Setting { value: value.clone(), origin: origin() };
        }
    }
    if let Some(word) = &file.layout {
        let layout = Layout::find(word).ok_or_else(|| {
            Error::new(Code::Config, format!("{}: layout is {word:?}; it is native or shared", path.display()))
        })?;
        settings.layout = Setting { value: Some(layout), origin: origin() };
    }
    if let Some(value) = file.draft.timeout {
        let value = u32::try_from(value).ok().filter(|n| (1..=600).contains(n)).ok_or_else(|| {
            Error::new(Code::Config, format!("{}: draft.timeout is {value}; it takes 1 to 600 seconds", path.display()))
        })?;
        settings.draft_timeout = Setting { value, origin: origin() };
    }
    if let Some(value) = &file.draft.command {
        if value.first().is_none_or(String::is_empty) {
            return Err(Error::new(Code::Config, format!("{}: draft.command names no program", path.display()))
                .suggest("Write the program and its arguments as a list: `command = [\"mycli\", \"--quiet\"]`."));
        }
        settings.draft_command = Setting { value: value.clone(), origin: origin() };
    }
    for (id, word) in &file.rules {
        let level = Level::named(word).ok_or_else(|| {
            Error::new(
                Code::Config,
                format!("{}: rules.{id} is {word:?}; it is off, info, warning or error", path.display()),
            )
        })?;
        match settings.severities.set(id, level) {
            Ok(rule) => {
                settings.rules.insert(rule.to_owned(), Setting { value: level, origin: origin() });
            }
            Err(why) => {
                settings.refused.push(format!("{}: rules.{id} = {word:?} is left aside: {}", path.display(), why.0));
            }
        }
    }
    if let Some(value) = &file.stm.backend {
        if !["sqlite", "redis"].contains(&value.as_str()) {
            let message = format!("{}: stm.backend is {value:?}; it is \"sqlite\" or \"redis\"", path.display());
            return Err(Error::new(Code::Config, message));
        }
        settings.stm_backend = Setting { value: value.clone(), origin: origin() };
    }
    if let Some(value) = &file.stm.url {
        settings.stm_url = Setting { value: Some(value.clone()), origin: origin() };
    }
    if let Some(value) = &file.stm.namespace {
        settings.stm_namespace = Setting { value: Some(value.clone()), origin: origin() };
    }
    for (name, value, (least, most), setting) in [
        ("entries", file.stm.entries, (10, 100_000), &mut settings.stm_entries),
        ("entry_bytes", file.stm.entry_bytes, (1 << 10, 10 << 20), &mut settings.stm_entry_bytes),
        ("session_bytes", file.stm.session_bytes, (64 << 10, 100 << 20), &mut settings.stm_session_bytes),
        ("hours", file.stm.hours, (1, 24), &mut settings.stm_hours),
    ] {
        let Some(value) = value else { continue };
        let value = u64::try_from(value).ok().filter(|n| (least..=most).contains(n)).ok_or_else(|| {
            let said = format!("{}: stm.{name} is {value}; it takes {least} to {most}", path.display());
            Error::new(Code::Config, said)
        })?;
        *setting = Setting { value, origin: origin() };
    }
    if let Some(value) = file.fifo.as_ref().and_then(|fifo| fifo.capacity) {
        let value = usize::try_from(value).ok().filter(|n| (1..=1000).contains(n)).ok_or_else(|| {
            Error::new(Code::Config, format!("{}: fifo.capacity is {value}; it takes 1 to 1000", path.display()))
        })?;
        settings.fifo_capacity = Setting { value, origin: origin() };
    }
    for (id, target) in &file.targets {
        custom.push(custom_target(id, target, path)?);
    }
    Ok(())
}

fn custom_target(id: &str, custom: &CustomTarget, path: &Path) -> Result<Target> {
    let wrong = |what: String| Err(Error::new(Code::Config, format!("{}: targets.{id}: {what}", path.display())));
    if !crate::skill::name::well_formed(id) || id == "all" {
        return wrong("an id is lowercase words joined by hyphens, and not `all`".into());
    }
    let mut parts = custom.skills_dir.split('/');
    let inside = parts.all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'));
    if !inside {
        return wrong(format!("skills_dir {:?} is not a path below the project", custom.skills_dir));
    }
    let first = custom.skills_dir.split('/').next().unwrap_or_default();
    if first == ".context" || [".hefesto", "MEMORY.md", "CONSTITUTION.md"].iter().any(|own| first.starts_with(own)) {
        return wrong(format!("skills_dir {:?} is where hefesto keeps its own", custom.skills_dir));
    }
    let arguments = match custom.arguments.as_deref() {
        None | Some("$ARGUMENTS") => Arguments::Dollar,
        Some("{{args}}") => Arguments::Braces,
        Some(other) => return wrong(format!("arguments is {other:?}; it is `$ARGUMENTS` or `{{{{args}}}}`")),
    };
    Ok(Target {
        id: id.to_owned(),
        title: custom.title.clone().unwrap_or_else(|| id.to_owned()),
        binaries: custom.binaries.clone(),
        home_dirs: custom.home_dirs.clone(),
        project_marks: custom.project_marks.clone(),
        skills_dir: custom.skills_dir.clone(),
        also_reads: custom.also_reads.clone(),
        arguments,
        invoke: custom.invoke.clone().unwrap_or_else(|| "/NAME".into()),
    })
}

/// Under which name this project's sessions lie on a shared server: the setting, else the name of its directory.
#[must_use]
pub fn stm_namespace(settings: &Settings, project: &Project) -> String {
    let directory = || project.root().file_name().map(|name| name.to_string_lossy().into_owned());
    settings.stm_namespace.value.clone().or_else(directory).unwrap_or_else(|| "project".to_owned())
}

/// The author in force: the setting, else git's `user.name` as seen from the project, else `user`. git is asked once.
#[must_use]
pub fn author(env: &Env, settings: &Settings, project: &Project) -> Setting<String> {
    if let Some(author) = &settings.author.value {
        return Setting { value: author.clone(), origin: settings.author.origin.clone() };
    }
    match settings.git.get_or_init(|| git_user(env, project)) {
        Some(value) => Setting { value: value.clone(), origin: Origin::Git },
        None => default("user".into()),
    }
}

#[expect(clippy::disallowed_methods, reason = "the door to git, asked for the author's name")]
fn git_user(env: &Env, project: &Project) -> Option<String> {
    let dir = project.root().ancestors().find(|dir| dir.is_dir()).unwrap_or(Path::new("/"));
    let git = std::process::Command::new("git")
        .args(["config", "--get", "user.name"])
        .current_dir(dir)
        .env_clear()
        .envs(&env.vars)
        .stdin(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .output();
    let name =
        git.ok().filter(|output| output.status.success()).and_then(|output| String::from_utf8(output.stdout).ok())?;
    let name = name.trim();
    (!name.is_empty() && !name.contains(char::is_control)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(file: &str, vars: &[(&str, &str)]) -> Result<Settings> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".hefesto")).unwrap();
        let project = Project::at(dir.path());
        std::fs::write(project.config(), file).unwrap();
        load(&Env::made(dir.path().into(), vars, jiff::Timestamp::UNIX_EPOCH), &project)
    }

    #[test]
    fn the_gate_waits_120_seconds_unless_told_otherwise() {
        assert_eq!(loaded("", &[]).unwrap().gate_timeout, default(120));
        assert_eq!(loaded("gate_timeout = 60", &[]).unwrap().gate_timeout.value, 60);
        let env = loaded("gate_timeout = 60", &[("HEFESTO_GATE_TIMEOUT", "1")]).unwrap().gate_timeout;
        assert_eq!(env, Setting { value: 1, origin: Origin::Environment("HEFESTO_GATE_TIMEOUT") });
    }

    #[test]
    fn git_is_asked_for_the_author_once_and_not_where_one_is_set() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (git, asked) = (dir.path().join("git"), dir.path().join("asked"));
        std::fs::write(&git, format!("#!/bin/sh\necho \"$@\" >> {}\necho Ana\n", asked.display())).unwrap();
        std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = dir.path().to_str().unwrap();
        let env = Env::made(dir.path().into(), &[("PATH", path)], jiff::Timestamp::UNIX_EPOCH);
        let project = Project::at(dir.path());
        let settings = load(&env, &project).unwrap();
        for _ in 0..2 {
            let ana = Setting { value: "Ana".to_owned(), origin: Origin::Git };
            assert_eq!(author(&env, &settings, &project), ana);
        }
        assert_eq!(std::fs::read_to_string(&asked).unwrap(), "config --get user.name\n");
        let set = loaded("author = \"Bea\"", &[("PATH", path)]).unwrap();
        assert_eq!(author(&env, &set, &project).value, "Bea");
        assert_eq!(std::fs::read_to_string(&asked).unwrap().lines().count(), 1);
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        for file in [
            "fifo.capacity = 0",
            "[fifo]\ncapacity = 1001",
            "fifo.size = 3",
            "layout = 'both'",
            "gate_timeout = 29",
            "gate_timeout = 601",
            "colour = 1",
            "targets.x.skills_dir = '../x'",
            "targets.x.skills_dir = '.hefesto/skills'",
            "targets.x.skills_dir = '.context/skills'",
            "targets.x.skills_dir = 'MEMORY.md.d/skills'",
            "= 1",
        ] {
            assert_eq!(loaded(file, &[]).unwrap_err().code(), Code::Config, "{file}");
        }
        for value in ["0", "601", "soon", ""] {
            assert_eq!(loaded("", &[("HEFESTO_GATE_TIMEOUT", value)]).unwrap_err().code(), Code::Config, "{value}");
        }
    }

    #[test]
    fn a_draft_has_a_command_and_a_time() {
        let settings = loaded("[draft]\ncommand = ['my', '-q']\ntimeout = 5", &[]).unwrap();
        assert_eq!((settings.draft_command.value, settings.draft_timeout.value), (vec!["my".into(), "-q".into()], 5));
        for file in ["[draft]\ncommand = []", "[draft]\ncommand = ['']", "[draft]\ntimeout = 0", "[draft]\nmodel = 'x'"]
        {
            assert_eq!(loaded(file, &[]).unwrap_err().code(), Code::Config, "{file}");
        }
    }

    #[test]
    fn rules_are_weighed_by_file_and_t0_is_left_as_it_is() {
        let settings = loaded("[rules]\ns16 = 'off'\n'T0-HEFESTO-03' = 'off'\nS99 = 'info'", &[]).unwrap();
        assert_eq!(settings.severities.level("S16"), Some(Level::Off));
        assert_eq!(settings.rules.keys().collect::<Vec<_>>(), ["S16"]);
        assert_eq!(settings.refused.len(), 2);
        assert_eq!(loaded("[rules]\nS16 = 'loud'", &[]).unwrap_err().code(), Code::Config);
    }

    #[test]
    fn short_term_memory_lies_in_sqlite_unless_told_otherwise() {
        assert_eq!(loaded("", &[]).unwrap().stm_backend, default("sqlite".into()));
        let file = "[stm]\nbackend = 'redis'\nurl = 'redis://:word@db:6379/0'";
        let settings = loaded(file, &[]).unwrap();
        assert_eq!((settings.stm_backend.value.as_str(), settings.stm_namespace.value), ("redis", None));
        let shown = without_login(&settings.stm_url.value.unwrap());
        assert_eq!(shown, "redis://...@db:6379/0");
        assert_eq!(without_login("unix:///run/redis.sock?pass=word"), "unix:///run/redis.sock");
        let env = loaded(file, &[("HEFESTO_STM_URL", "unix:///x")]).unwrap().stm_url;
        assert_eq!(env, Setting { value: Some("unix:///x".into()), origin: Origin::Environment("HEFESTO_STM_URL") });
        for wrong in ["stm.backend = 'redis'", "stm.backend = 'paper'", "stm.colour = 1"] {
            assert_eq!(loaded(wrong, &[]).unwrap_err().code(), Code::Config, "{wrong}");
        }
    }

    #[test]
    fn the_memory_keeps_twenty_conversations_unless_told_otherwise() {
        assert_eq!(loaded("", &[]).unwrap().fifo_capacity, default(20));
        assert_eq!(loaded("[fifo]\ncapacity = 1000", &[]).unwrap().fifo_capacity.value, 1000);
    }

    #[test]
    fn a_configured_target_joins_the_table() {
        let settings = loaded("[targets.zed]\nskills_dir = '.zed/skills'\narguments = '{{args}}'", &[]).unwrap();
        let zed = settings.targets.get("zed").unwrap();
        assert_eq!((zed.skill_dir("x").as_str(), zed.arguments), (".zed/skills/x", Arguments::Braces));
    }
}

//! Settings: flags beat environment beats project file beats user file beats default; each knows where it comes from.
//! What a project's file may set is in the table of `allowed`.

mod allowed;
mod author;
mod draft_mode;
mod file;
mod target;

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

pub use allowed::{Ignored, SETTINGS, Who, row};
pub use author::author;
pub use draft_mode::{DraftMode, keep};

use crate::client::target::{Layout, Targets};
use crate::error::{Code, Error, Result, Warning};
use crate::memory::Bounds;
use crate::project::Project;
use crate::report::slashed::Slashed;
use crate::rules::{Level, Severities};
use crate::system::env::Env;
use crate::system::rooted;
use file::Owner;

/// How many seconds the gate waits unless told otherwise.
pub const GATE_SECONDS: u32 = 120;
/// What the command line and the environment may say instead.
pub const GATE_RANGE: RangeInclusive<u32> = 1..=600;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(PathBuf),
    Environment(&'static str),
    Git,
}

impl Origin {
    /// For people and for JSON.
    pub fn text(&self) -> String {
        match self {
            Self::Default => "default".into(),
            Self::File(path) => path.slashed(),
            Self::Environment(name) => (*name).to_owned(),
            Self::Git => "git user.name".into(),
        }
    }
}

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

#[derive(Debug, Clone)]
pub struct Settings {
    /// Seconds the gate and a collision wait. 30–600 by file, 1–600 by environment.
    pub gate_timeout: Setting<u32>,
    /// Seconds a wizard prompt waits.
    pub wizard_timeout: Setting<u32>,
    /// The author of new skills.
    pub author: Setting<Option<String>>,
    /// The licence of new skills.
    pub license: Setting<String>,
    /// The default template.
    pub template: Setting<String>,
    /// The default targets; `all` is every detected one.
    pub target: Setting<String>,
    /// Whether a person at a terminal is asked about a draft.
    pub draft_mode: Setting<DraftMode>,
    /// The program for `--draft=command`, with its arguments; empty if none is configured.
    pub draft_command: Setting<Vec<String>>,
    /// Seconds a draft may take, all questions together. 1–600.
    pub draft_timeout: Setting<u32>,
    /// The back end of short-term memory: `sqlite` or `redis`.
    pub stm_backend: Setting<String>,
    /// The URL of the Redis server. It may contain a password: show it with [`without_login`].
    pub stm_url: Setting<Option<String>>,
    /// The namespace of this project's sessions on the Redis server; by default the name of its directory.
    pub stm_namespace: Setting<Option<String>>,
    /// Maximum entries of a session of short-term memory, 10–100,000.
    pub stm_entries: Setting<u64>,
    /// Maximum bytes of an entry, 1 KiB–10 MiB.
    pub stm_entry_bytes: Setting<u64>,
    /// Maximum bytes of a session, 64 KiB–100 MiB.
    pub stm_session_bytes: Setting<u64>,
    /// Lifetime of an entry in hours, 1–24 (STM-4).
    pub stm_hours: Setting<u64>,
    /// How many conversations the memory keeps, 1–1000.
    pub fifo_capacity: Setting<usize>,
    /// Events of a loop, 1–10,000 (OODA-2).
    pub ooda_events: Setting<usize>,
    /// Entities it caches, 1–10,000 (OODA-3).
    pub ooda_entities: Setting<usize>,
    /// Default lifetime of an entity in seconds, 1–86,400.
    pub ooda_entity_seconds: Setting<i64>,
    /// Seconds after which an event is stale, 60–604,800 (OODA-6).
    pub ooda_event_seconds: Setting<i64>,
    /// Events, and entities, of one context, 1–1000 (OODA-4).
    pub ooda_context: Setting<usize>,
    /// How many versions of a skill are kept, 1–1000.
    pub history_versions: Setting<u32>,
    /// How many tokens a turn has (TURN-2), 500–32,000.
    pub turn_tokens: Setting<usize>,
    /// How many days a run waits to be resumed, 1–365.
    pub wait_days: Setting<u16>,
    /// The layout of copies; none if not set.
    pub layout: Setting<Option<Layout>>,
    /// The target table with the configured ones.
    pub targets: Targets,
    /// The configured severities of rules, each with its origin.
    pub rules: BTreeMap<String, Setting<Level>>,
    /// The same in the form of `rules`.
    pub severities: Severities,
    /// Refused settings of rules, in sentences.
    pub refused: Vec<String>,
    /// Settings in the project's file that only the user may set.
    pub ignored: Vec<Ignored>,
    /// git's name of the author, once queried.
    git: OnceLock<Option<String>>,
}

impl Settings {
    /// The limits of the queue of conversations and of the loop.
    pub fn bounds(&self) -> Bounds {
        let ooda = crate::memory::ooda::Limits {
            events: self.ooda_events.value,
            entities: self.ooda_entities.value,
            ttl: self.ooda_entity_seconds.value,
            max_age: self.ooda_event_seconds.value,
            context: self.ooda_context.value,
        };
        Bounds { conversations: self.fifo_capacity.value, ooda }
    }

    /// How long to wait for an approval.
    pub fn gate_limit(&self) -> Duration {
        Duration::from_secs(self.gate_timeout.value.into())
    }

    /// The limits of short-term memory.
    pub fn stm_limits(&self) -> crate::memory::stm::Limits {
        crate::memory::stm::Limits {
            entries: self.stm_entries.value,
            entry_bytes: self.stm_entry_bytes.value,
            session_bytes: self.stm_session_bytes.value,
            hours: self.stm_hours.value,
        }
    }
}

/// Reads every source, and warns about settings the project's file may not set.
/// Errors: E-CONFIG-001 naming the file or variable and what is wrong with it.
pub fn load(env: &mut Env, project: &Project) -> Result<Settings> {
    let settings = look(env, project)?;
    for ignored in &settings.ignored {
        env.note_once(Warning::new(Code::SettingIgnored, ignored.text()));
    }
    Ok(settings)
}

/// Reads every source without warnings.
pub fn look(env: &Env, project: &Project) -> Result<Settings> {
    let mut settings = defaults();
    let mut custom = Vec::new();
    let user = env.hefesto_home().map(|dir| dir.join("config.toml"));
    let at_home = user.as_deref().and_then(|path| rooted::anywhere(path).ok()).map(|at| (at, Owner::User));
    let own = project.rooted(".hefesto/config.toml").ok().filter(|_| !project.is_user() && !project.is_detached());
    let own = own.map(|at| (at, Owner::Project(user.as_deref())));
    for (at, owner) in at_home.into_iter().chain(own) {
        if let Some(file) = file::read(&at, owner, &mut settings.ignored)? {
            file::apply(&mut settings, &mut custom, &file, &at.path(), owner)?;
        }
    }
    settings.targets = crate::project::scope::targets(env, project, Targets::with(custom));
    if let Some(value) = env.vars.get(std::ffi::OsStr::new("HEFESTO_GATE_TIMEOUT")) {
        let seconds = value.to_str().and_then(|text| text.trim().parse().ok()).filter(|n| GATE_RANGE.contains(n));
        let value = seconds.ok_or_else(|| {
            Error::new(
                Code::Config,
                format!(
                    "HEFESTO_GATE_TIMEOUT is {value:?}; it takes whole seconds from {} to {}",
                    GATE_RANGE.start(),
                    GATE_RANGE.end()
                ),
            )
        })?;
        settings.gate_timeout = Setting { value, origin: Origin::Environment("HEFESTO_GATE_TIMEOUT") };
    }
    if let Some(url) = env.var("HEFESTO_STM_URL") {
        settings.stm_url = Setting { value: Some(url.to_owned()), origin: Origin::Environment("HEFESTO_STM_URL") };
    }
    if let Some(name) = env.var("HEFESTO_STM_NAMESPACE") {
        let origin = Origin::Environment("HEFESTO_STM_NAMESPACE");
        settings.stm_namespace = Setting { value: Some(name.to_owned()), origin };
    }
    if settings.stm_backend.value == "redis" && settings.stm_url.value.is_none() {
        return Err(Error::new(Code::Config, "stm.backend is \"redis\" and stm.url says no server")
            .suggest("Set stm.url, such as \"unix:///run/redis.sock\" or \"redis://host:6379\", or HEFESTO_STM_URL."));
    }
    Ok(settings)
}

/// The settings where nobody says anything.
fn defaults() -> Settings {
    let (stm, bounds) = (crate::memory::stm::Limits::default(), Bounds::default());
    Settings {
        gate_timeout: default(GATE_SECONDS),
        wizard_timeout: default(300),
        author: default(None),
        license: default("MIT".into()),
        template: default("base".into()),
        target: default("all".into()),
        draft_mode: default(DraftMode::default()),
        draft_command: default(Vec::new()),
        draft_timeout: default(180),
        stm_backend: default("sqlite".into()),
        stm_url: default(None),
        stm_namespace: default(None),
        stm_entries: default(stm.entries),
        stm_entry_bytes: default(stm.entry_bytes),
        stm_session_bytes: default(stm.session_bytes),
        stm_hours: default(stm.hours),
        fifo_capacity: default(bounds.conversations),
        ooda_events: default(bounds.ooda.events),
        ooda_entities: default(bounds.ooda.entities),
        ooda_entity_seconds: default(bounds.ooda.ttl),
        ooda_event_seconds: default(bounds.ooda.max_age),
        ooda_context: default(bounds.ooda.context),
        history_versions: default(50),
        turn_tokens: default(crate::memory::turn::TOTAL),
        wait_days: default(14),
        layout: default(None),
        targets: Targets::with(Vec::new()),
        rules: BTreeMap::new(),
        severities: Severities::default(),
        refused: Vec::new(),
        ignored: Vec::new(),
        git: OnceLock::new(),
    }
}

/// A URL without the part before its `@`, which may be a password.
pub fn without_login(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, place))) => format!("{scheme}://...@{place}"),
        _ => url.split('?').next().unwrap_or_default().to_owned(),
    }
}

fn default<T>(value: T) -> Setting<T> {
    Setting { value, origin: Origin::Default }
}

/// The namespace of this project's sessions on a shared server: the setting, else the name of its directory.
pub fn stm_namespace(settings: &Settings, project: &Project) -> String {
    let directory = || project.root().file_name().map(|name| name.to_string_lossy().into_owned());
    settings.stm_namespace.value.clone().or_else(directory).unwrap_or_else(|| "project".to_owned())
}

#[cfg(test)]
mod tests;

//! Settings: flags beat environment beats project file beats user file beats default; each knows where it comes from.
//! What a project's file may set is in the table of `allowed`.

mod allowed;
mod author;
mod draft_mode;
mod file;

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

/// The settings; what values each takes is in [`SETTINGS`].
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long the gate and a collision wait.
    pub gate_timeout: Setting<u32>,
    /// How long a wizard prompt waits.
    pub wizard_timeout: Setting<u32>,
    pub author: Setting<Option<String>>,
    pub license: Setting<String>,
    pub template: Setting<String>,
    pub target: Setting<String>,
    pub draft_mode: Setting<DraftMode>,
    /// The program with its arguments; empty if none is configured.
    pub draft_command: Setting<Vec<String>>,
    /// For all questions of a draft together.
    pub draft_timeout: Setting<u32>,
    pub stm_backend: Setting<String>,
    /// The URL of the Redis server. It may contain a password: show it with [`without_login`].
    pub stm_url: Setting<Option<String>>,
    /// The namespace of this project's sessions on the Redis server; see [`stm_namespace`].
    pub stm_namespace: Setting<Option<String>>,
    pub stm_entries: Setting<u64>,
    pub stm_entry_bytes: Setting<u64>,
    pub stm_session_bytes: Setting<u64>,
    /// Lifetime of an entry (STM-4).
    pub stm_hours: Setting<u64>,
    pub fifo_capacity: Setting<usize>,
    /// Events of a loop (OODA-2), and entities it caches (OODA-3).
    pub ooda_events: Setting<usize>,
    pub ooda_entities: Setting<usize>,
    /// Lifetime of an entity, and the age from which an event is stale (OODA-6).
    pub ooda_entity_seconds: Setting<i64>,
    pub ooda_event_seconds: Setting<i64>,
    /// Events, and entities, of one context (OODA-4).
    pub ooda_context: Setting<usize>,
    pub history_versions: Setting<u32>,
    /// TURN-2.
    pub turn_tokens: Setting<usize>,
    /// How long a run waits to be resumed.
    pub wait_days: Setting<u16>,
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
            file::apply(&mut settings, &mut custom, file, &at.path(), owner)?;
        }
    }
    settings.targets = crate::project::scope::targets(env, project, Targets::with(custom));
    if let Some(value) = env.vars.get(std::ffi::OsStr::new("HEFESTO_GATE_TIMEOUT")) {
        let seconds = value.to_str().and_then(|text| text.trim().parse().ok()).filter(|n| GATE_RANGE.contains(n));
        let (least, most) = GATE_RANGE.into_inner();
        let wrong = || format!("HEFESTO_GATE_TIMEOUT is {value:?}; it takes whole seconds from {least} to {most}");
        let value = seconds.ok_or_else(|| Error::new(Code::Config, wrong()))?;
        settings.gate_timeout = Setting { value, origin: Origin::Environment("HEFESTO_GATE_TIMEOUT") };
    }
    let stm = [("HEFESTO_STM_URL", &mut settings.stm_url), ("HEFESTO_STM_NAMESPACE", &mut settings.stm_namespace)];
    for (name, setting) in stm {
        if let Some(value) = env.var(name) {
            *setting = Setting { value: Some(value.to_owned()), origin: Origin::Environment(name) };
        }
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

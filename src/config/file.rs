//! Reads a settings file and applies it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::Deserialize;

use super::allowed::{self, Ignored};
use super::target::{CustomTarget, custom_target};
use super::{DraftMode, Origin, Setting, Settings};
use crate::client::target::{Layout, Target, Targets};
use crate::error::{Code, Error, Result};
use crate::report::slashed::Slashed;
use crate::rules::Level;
use crate::system::rooted::{self, Rooted};

/// Tables of a settings file, in which every key may be left out.
macro_rules! tables {
    ($($name:ident { $($key:ident: $value:ty),+ })+) => {$(
        #[derive(Debug, Default, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        struct $name { $($key: Option<$value>),+ }
    )+};
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct File {
    gate_timeout: Option<i64>,
    wizard_timeout: Option<i64>,
    author: Option<String>,
    license: Option<String>,
    template: Option<String>,
    target: Option<String>,
    fifo: Fifo,
    ooda: OodaFile,
    history: History,
    runs: RunsFile,
    turn: TurnFile,
    stm: StmFile,
    layout: Option<String>,
    draft: Drafting,
    targets: BTreeMap<String, CustomTarget>,
    rules: BTreeMap<String, String>,
}

tables! {
    StmFile { backend: String, url: String, namespace: String, entries: i64, entry_bytes: i64, session_bytes: i64, hours: i64 }
    History { versions: i64 }
    RunsFile { wait_days: i64 }
    TurnFile { tokens: i64 }
    Fifo { capacity: i64 }
    OodaFile { events: i64, entities: i64, entity_seconds: i64, event_seconds: i64, context: i64 }
    Drafting { mode: String, command: Vec<String>, timeout: i64 }
}

/// The largest file that is read, in bytes.
const MOST: usize = 1 << 20;

/// The advice if something else is at the path of a file.
const REPLACE: &str = "Move it away, or put a file of settings in its place.";

#[derive(Debug, Clone, Copy)]
pub(super) enum Owner<'a> {
    User,
    /// The project's; the user's own is this one.
    Project(Option<&'a Path>),
}

/// Reads a settings file, if there is one. Settings a project may not set are removed and listed in `ignored`.
/// Errors: E-CONFIG-001 naming the file and what is wrong with it.
pub(super) fn read(at: &Rooted, owner: Owner<'_>, ignored: &mut Vec<Ignored>) -> Result<Option<File>> {
    let path = &at.path();
    let cannot = |cure: &str, error: io::Error| {
        let error = Error::new(Code::Config, format!("{} cannot be read", path.slashed())).because(error);
        Err(error.suggest(cure))
    };
    let bytes = match at.read(MOST) {
        Ok(bytes) => bytes,
        Err(error) => match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => return Ok(None),
            ErrorKind::FileTooLarge => return cannot("Correct the file, or move it away.", error),
            // A link in a project would lead to foreign settings; a pipe would block.
            ErrorKind::IsADirectory => return cannot(REPLACE, io::Error::other("it is not a regular file")),
            _ if rooted::refused(&error).is_some() => return cannot(REPLACE, error),
            _ => return cannot("Check the permissions of the file and of its directory.", error),
        },
    };
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::new(Code::Config, format!("{} is not UTF-8", path.slashed())).suggest("Save it as UTF-8.")
    })?;
    let wrong = |error: toml::de::Error| {
        Error::new(Code::Config, format!("{}: {}", path.slashed(), error.to_string().trim_end()))
            .suggest("Correct the file, or move it away: `hefesto config` then lists the settings there are.")
    };
    let file: File = toml::from_str(&text).map_err(wrong)?;
    let Owner::Project(user_file) = owner else { return Ok(Some(file)) };
    let mut table: toml::Table = toml::from_str(&text).map_err(wrong)?;
    *ignored = allowed::restrict(&mut table, path, user_file)?;
    if ignored.is_empty() { Ok(Some(file)) } else { table.try_into().map(Some).map_err(wrong) }
}

/// Applies the integers of a file.
fn numbers(settings: &mut Settings, file: &File, set: &At<'_>) -> Result<()> {
    let (stm, ooda) = (&file.stm, &file.ooda);
    set.number("gate_timeout", file.gate_timeout, (30, 600), &mut settings.gate_timeout)?;
    set.number("wizard_timeout", file.wizard_timeout, (30, 600), &mut settings.wizard_timeout)?;
    set.number("draft.timeout", file.draft.timeout, (1, 600), &mut settings.draft_timeout)?;
    set.number("history.versions", file.history.versions, (1, 1000), &mut settings.history_versions)?;
    set.number("runs.wait_days", file.runs.wait_days, (1, 365), &mut settings.wait_days)?;
    set.number("stm.entries", stm.entries, (10, 100_000), &mut settings.stm_entries)?;
    set.number("stm.entry_bytes", stm.entry_bytes, (1 << 10, 10 << 20), &mut settings.stm_entry_bytes)?;
    set.number("stm.session_bytes", stm.session_bytes, (64 << 10, 100 << 20), &mut settings.stm_session_bytes)?;
    set.number("stm.hours", stm.hours, (1, 24), &mut settings.stm_hours)?;
    set.number("fifo.capacity", file.fifo.capacity, (1, 1000), &mut settings.fifo_capacity)?;
    set.number("ooda.events", ooda.events, (1, 10_000), &mut settings.ooda_events)?;
    set.number("ooda.entities", ooda.entities, (1, 10_000), &mut settings.ooda_entities)?;
    set.number("ooda.entity_seconds", ooda.entity_seconds, (1, 86_400), &mut settings.ooda_entity_seconds)?;
    set.number("ooda.event_seconds", ooda.event_seconds, (60, 604_800), &mut settings.ooda_event_seconds)?;
    set.number("ooda.context", ooda.context, (1, 1000), &mut settings.ooda_context)?;
    set.number("turn.tokens", file.turn.tokens, (500, 32_000), &mut settings.turn_tokens)
}

/// The file of a setting.
struct At<'p>(&'p Path);

impl At<'_> {
    /// Applies a number, if given and within its bounds.
    fn number<T: TryFrom<i64>>(
        &self,
        name: &str,
        given: Option<i64>,
        (least, most): (i64, i64),
        setting: &mut Setting<T>,
    ) -> Result<()> {
        let Some(given) = given else { return Ok(()) };
        let value = T::try_from(given).ok().filter(|_| (least..=most).contains(&given));
        let value = value.ok_or_else(|| self.wrong(&format!("{name} is {given}; it takes {least} to {most}")))?;
        *setting = self.setting(value);
        Ok(())
    }

    fn set<T>(&self, given: Option<T>, setting: &mut Setting<T>) {
        if let Some(value) = given {
            *setting = self.setting(value);
        }
    }

    fn setting<T>(&self, value: T) -> Setting<T> {
        Setting { value, origin: Origin::File(self.0.to_owned()) }
    }

    fn wrong(&self, what: &str) -> Error {
        Error::new(Code::Config, format!("{}: {what}", self.0.slashed()))
    }
}

/// How many targets a file may configure.
const MOST_TARGETS: usize = 100;

/// Applies a file. `custom` are the targets configured so far.
/// Errors: E-CONFIG-001 naming the file and the invalid value.
pub(super) fn apply(
    settings: &mut Settings,
    custom: &mut Vec<Target>,
    file: File,
    path: &Path,
    owner: Owner<'_>,
) -> Result<()> {
    let at = At(path);
    numbers(settings, &file, &at)?;
    at.set(file.author.map(Some), &mut settings.author);
    at.set(file.license, &mut settings.license);
    at.set(file.template, &mut settings.template);
    at.set(file.target, &mut settings.target);
    at.set(file.stm.url.map(Some), &mut settings.stm_url);
    at.set(file.stm.namespace.map(Some), &mut settings.stm_namespace);
    if let Some(word) = &file.layout {
        let layout = word.parse::<Layout>();
        let layout = layout.map_err(|_| at.wrong(&format!("layout is {word:?}; it is native or shared")))?;
        settings.layout = at.setting(Some(layout));
    }
    if let Some(word) = &file.draft.mode {
        let mode = word.parse::<DraftMode>();
        let mode = mode.map_err(|_| at.wrong(&format!("draft.mode is {word:?}; it is ask, always or never")))?;
        settings.draft_mode = at.setting(mode);
    }
    if let Some(value) = file.draft.command {
        if value.first().is_none_or(String::is_empty) {
            return Err(at
                .wrong("draft.command names no program")
                .suggest("Write the program and its arguments as a list: `command = [\"mycli\", \"--quiet\"]`."));
        }
        settings.draft_command = at.setting(value);
    }
    if let Some(value) = file.stm.backend {
        if !["sqlite", "redis"].contains(&value.as_str()) {
            return Err(at.wrong(&format!("stm.backend is {value:?}; it is \"sqlite\" or \"redis\"")));
        }
        settings.stm_backend = at.setting(value);
    }
    for (id, word) in &file.rules {
        let level = Level::named(word)
            .ok_or_else(|| at.wrong(&format!("rules.{id} is {word:?}; it is off, info, warning or error")))?;
        match settings.severities.set(id, level) {
            Ok(rule) => drop(settings.rules.insert(rule.to_owned(), at.setting(level))),
            Err(why) => {
                settings.refused.push(format!("{}: rules.{id} = {word:?} is ignored: {}", path.slashed(), why.0));
            }
        }
    }
    if file.targets.len() > MOST_TARGETS {
        return Err(at.wrong(&format!("targets holds {}; {MOST_TARGETS} is the most", file.targets.len())));
    }
    for (id, target) in &file.targets {
        let builtin = Targets::with(custom.clone());
        let known = matches!(owner, Owner::Project(_)).then(|| builtin.get(id)).flatten();
        custom.push(custom_target(id, target, path, known)?);
    }
    Ok(())
}

//! Reads a settings file and applies it, the targets it defines included.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::str::FromStr;

use serde::Deserialize;

use super::allowed::{self, Ignored};
use super::{Origin, Setting, Settings};
use crate::client::target::{Arguments, Layout, Target, Targets};
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
    let not_utf8 =
        |_| Error::new(Code::Config, format!("{} is not UTF-8", path.slashed())).suggest("Save it as UTF-8.");
    let text = String::from_utf8(bytes).map_err(not_utf8)?;
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

    /// One of the words of `T`, which are `words`.
    fn word<T: FromStr>(&self, name: &str, given: Option<String>, words: &str) -> Result<Option<T>> {
        let wrong = |word: &str| self.wrong(&format!("{name} is {word:?}; it is {words}"));
        given.map(|word| word.parse().map_err(|_| wrong(&word))).transpose()
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
    let layout: Option<Layout> = at.word("layout", file.layout, "native or shared")?;
    at.set(layout.map(Some), &mut settings.layout);
    at.set(at.word("draft.mode", file.draft.mode, "ask, always or never")?, &mut settings.draft_mode);
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

/// Makes the target. `known` is the one with the same id that a project's file redefines: its programs and home
/// directories for detection do not change. Errors: E-CONFIG-001 naming the file, the target and the problem.
fn custom_target(id: &str, custom: &CustomTarget, path: &Path, known: Option<&Target>) -> Result<Target> {
    let wrong = |what: String| Err(Error::new(Code::Config, format!("{}: targets.{id}: {what}", path.slashed())));
    if !crate::skill::name::well_formed(id) || id == "all" {
        return wrong("an id is lowercase words joined by hyphens, and not `all`".into());
    }
    let dirs = [&custom.skills_dir].into_iter().chain(&custom.project_marks).chain(&custom.also_reads);
    if let Some(outside) = dirs.clone().find(|dir| !inside(dir)) {
        return wrong(format!("{outside:?} is not a path below the project"));
    }
    let first = custom.skills_dir.split('/').next().unwrap_or_default().to_ascii_lowercase();
    if first == ".context" || [".hefesto", "memory.md", "constitution.md"].iter().any(|own| first.starts_with(own)) {
        return wrong(format!("skills_dir {:?} is where hefesto keeps its own", custom.skills_dir));
    }
    if custom.skills_dir.split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
        return wrong(format!("skills_dir {:?} is where git keeps its own", custom.skills_dir));
    }
    let arguments = match custom.arguments.as_deref() {
        None | Some("$ARGUMENTS") => Arguments::Dollar,
        Some("{{args}}") => Arguments::Braces,
        Some(other) => return wrong(format!("arguments is {other:?}; it is `$ARGUMENTS` or `{{{{args}}}}`")),
    };
    Ok(Target {
        id: id.to_owned(),
        title: custom.title.clone().unwrap_or_else(|| id.to_owned()),
        binaries: known.map_or_else(|| custom.binaries.clone(), |known| known.binaries.clone()),
        home_dirs: known.map_or_else(|| custom.home_dirs.clone(), |known| known.home_dirs.clone()),
        project_marks: custom.project_marks.clone(),
        skills_dir: custom.skills_dir.clone(),
        also_reads: custom.also_reads.clone(),
        arguments,
        invoke: custom.invoke.clone().unwrap_or_else(|| "/NAME".into()),
    })
}

/// Whether a path lexically stays below its base directory.
fn inside(path: &str) -> bool {
    path.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}

//! The table of settings, and who may set each: a project's own file, or only the user.
//!
//! A project's file comes with the project, so its author may be a stranger. It may set texts, levels of rules, limits
//! within bounds and directories inside the project; only the user may set programs, servers and anything outside the
//! project. A setting that has no row here is refused in every file.

use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::error::{Code, Error, Result};
use crate::report::slashed::Slashed;
use crate::skill::printable;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The project's file and the user's.
    Project,
    /// Only the user's file; with the reason, which completes "because".
    User(&'static str),
}

impl Who {
    /// For people and for JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User(_) => "user",
        }
    }
}

const PROGRAM: Who = Who::User("it names a program");
const SENDS: Who = Who::User("it sends what is known here to another program");
const SERVER: Who = Who::User("it names a server or what is stored there");
const HOME: Who = Who::User("it is about directories outside the project");

/// Every setting: its key, with `*` for a name that the file chooses, who may set it, and the values it takes.
pub const SETTINGS: &[(&str, Who, &str)] = &[
    ("gate_timeout", Who::Project, "30-600 seconds (flag and environment: 1-600)"),
    ("wizard_timeout", Who::Project, "30-600 seconds"),
    ("author", Who::Project, ""),
    ("license", Who::Project, ""),
    ("template", Who::Project, ""),
    ("draft.mode", SENDS, "ask, always, never"),
    ("draft.command", PROGRAM, "the program of `create --draft=command`"),
    ("draft.timeout", Who::Project, "1-600 seconds"),
    ("stm.backend", SERVER, "sqlite, redis"),
    ("stm.url", SERVER, "redis://host:port, unix:///path"),
    ("stm.namespace", SERVER, ""),
    ("stm.entries", Who::Project, "10-100000 for each session"),
    ("stm.entry_bytes", Who::Project, "1024-10485760 bytes"),
    ("stm.session_bytes", Who::Project, "65536-104857600 bytes"),
    ("stm.hours", Who::Project, "1-24 hours"),
    ("target", Who::Project, "ids, comma separated, or all"),
    ("fifo.capacity", Who::Project, "1-1000 conversations"),
    ("ooda.events", Who::Project, "1-10000 for each loop"),
    ("ooda.entities", Who::Project, "1-10000 for each loop"),
    ("ooda.entity_seconds", Who::Project, "1-86400 seconds"),
    ("ooda.event_seconds", Who::Project, "60-604800 seconds"),
    ("ooda.context", Who::Project, "1-1000 events and entities"),
    ("history.versions", Who::Project, "1-1000 for each skill"),
    ("turn.tokens", Who::Project, "500-32000 tokens"),
    ("runs.wait_days", Who::Project, "1-365 days"),
    ("layout", Who::Project, "native, shared"),
    ("rules.*", Who::Project, "off, info, warning, error"),
    ("targets.*.title", Who::Project, ""),
    ("targets.*.skills_dir", Who::Project, "a directory below the project"),
    ("targets.*.project_marks", Who::Project, "paths below the project"),
    ("targets.*.also_reads", Who::Project, "directories below the project"),
    ("targets.*.arguments", Who::Project, "$ARGUMENTS, {{args}}"),
    ("targets.*.invoke", Who::Project, ""),
    ("targets.*.binaries", PROGRAM, "names on PATH, or absolute paths"),
    ("targets.*.home_dirs", HOME, "directories below the home directory"),
];

/// A setting of the project's file that is not used.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Ignored {
    pub file: PathBuf,
    pub key: String,
    /// Why a project may not set it.
    pub why: &'static str,
    /// The user's file in which it would count.
    pub user_file: Option<PathBuf>,
}

impl Ignored {
    pub fn text(&self) -> String {
        let Self { file, key, why, user_file } = self;
        let user = user_file.as_ref().map_or_else(|| "config.toml of HEFESTO_HOME".into(), |f| f.slashed());
        format!(
            "{}: {} is ignored, because {why} and a project may not. To allow it, set it in your own {user}.",
            file.slashed(),
            printable(key)
        )
    }
}

pub fn row(key: &[&str]) -> Option<&'static (&'static str, Who, &'static str)> {
    SETTINGS.iter().find(|(pattern, _, _)| {
        let parts: Vec<&str> = pattern.split('.').collect();
        parts.len() == key.len() && parts.iter().zip(key).all(|(part, name)| *part == "*" || part == name)
    })
}

/// Removes from a project's file what only the user may set; refuses unknown settings.
/// Errors: E-CONFIG-001 for an unknown key.
pub(super) fn restrict(table: &mut Table, file: &Path, user_file: Option<&Path>) -> Result<Vec<Ignored>> {
    let mut ignored = Vec::new();
    for key in keys(table, &[]) {
        let names: Vec<&str> = key.iter().map(String::as_str).collect();
        let Some((_, who, _)) = row(&names) else {
            let what = format!("{}: {} is no setting", file.slashed(), names.join("."));
            return Err(Error::new(Code::Config, what).suggest("`hefesto config` lists the settings there are."));
        };
        if let Who::User(why) = *who {
            remove(table, &names);
            let user_file = user_file.map(Path::to_owned);
            ignored.push(Ignored { file: file.to_owned(), key: names.join("."), why, user_file });
        }
    }
    Ok(ignored)
}

/// The keys of all values that are no tables.
pub(super) fn keys(table: &Table, above: &[String]) -> Vec<Vec<String>> {
    let below = table.iter().flat_map(|(name, value)| {
        let key: Vec<String> = above.iter().chain([name]).cloned().collect();
        match value {
            Value::Table(inner) => keys(inner, &key),
            _ => vec![key],
        }
    });
    below.collect()
}

fn remove(table: &mut Table, key: &[&str]) {
    match key {
        [] => {}
        [name] => drop(table.remove(*name)),
        [name, rest @ ..] => {
            if let Some(Value::Table(inner)) = table.get_mut(*name) {
                remove(inner, rest);
            }
        }
    }
}

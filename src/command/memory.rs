//! `memory`: inspecting the memory, and the operations of each store. Inspecting never writes.

/// The cells of a row of a table.
macro_rules! row {
    ($($cell:expr),+ $(,)?) => { vec![$($cell.to_string()),+] };
}

mod fifo;
mod inspect;
mod long;
mod maintenance;
mod ooda;
mod overview;
mod ring;
mod search;
mod stm;
mod tail;
mod turn;

use crate::error::{Code, Coded, Error, Result};
use crate::memory::{Bounds, Memory};
use crate::project::{DATABASE, Project, open};
use crate::report::{Report, Slashed};
use crate::system::env::Env;
use crate::system::input::{self, MAX_TEXT};
use crate::terminal::ui::{self, Style};
use crate::{cli, config};

/// Runs `hefesto memory …`.
pub(super) fn memory(env: &mut Env, project: &Project, command: &cli::Memory, yes: bool) -> Result<Report> {
    match command {
        cli::Memory::Inspect(args) => inspect::inspect(env, project, args.store, args.run.as_deref()),
        cli::Memory::Fifo(command) => fifo::fifo(env, project, command),
        cli::Memory::Search(args) => search::search(env, project, args),
        cli::Memory::Timeline(args) => search::timeline(env, project, args),
        cli::Memory::Tail(args) => tail::tail(env, project, args),
        cli::Memory::Stats { period } => search::stats(env, project, *period),
        cli::Memory::Doctor => maintenance::doctor(env, project),
        cli::Memory::Prune(args) => maintenance::prune(env, project, args, yes),
        cli::Memory::Vacuum => maintenance::vacuum(env, project),
        cli::Memory::Export(args) => maintenance::export(env, project, args),
        cli::Memory::Import(args) => maintenance::import(env, project, args),
        cli::Memory::Delete(args) => maintenance::delete(env, project, args, yes),
        cli::Memory::Facts(command) => long::facts(env, project, command, yes),
        cli::Memory::Redact(args) => maintenance::redact(env, project, args, yes),
        cli::Memory::Repair => super::repair::repair(env, project, yes),
        cli::Memory::Ring(command) => ring::ring(env.style, env.now().as_millisecond(), project, command),
        cli::Memory::Ooda(command) => ooda::ooda(env, project, command),
        cli::Memory::Stm(command) => stm::stm(env, project, command),
        cli::Memory::Turn(command) => turn::turn(env, project, command),
    }
}

fn unreadable(error: anyhow::Error) -> Error {
    Error::new(Code::Io, "the memory cannot be read").because(error)
}

fn unwritable(error: anyhow::Error) -> Error {
    Error::new(Code::Io, "the memory cannot be written").because(error)
}

/// A table with one row per item.
fn table<T>(style: Style, headings: &[&str], all: &[T], row: impl Fn(&T) -> Vec<String>) -> String {
    ui::table(style, headings, all.iter().map(row))
}

/// [`table`], or a line where there is nothing to list.
pub(super) fn table_or<T>(
    none: &str,
    style: Style,
    headings: &[&str],
    all: &[T],
    row: impl Fn(&T) -> Vec<String>,
) -> String {
    if all.is_empty() { format!("{none}\n") } else { table(style, headings, all, row) }
}

/// A count with its noun: `1 row`, `2 rows`.
fn many(n: u64, word: &str) -> String {
    ui::count(usize::try_from(n).unwrap_or(usize::MAX), word)
}

/// Reads the JSON of `--content`, or standard input if the flag is missing or `-`, up to a limit in bytes.
fn content(env: &mut Env, given: Option<&str>, most: u64) -> Result<serde_json::Value> {
    let (text, place) = match given {
        Some(text) if text != "-" => (text.to_owned(), "--content"),
        _ => (input::read_stdin_up_to(env, most)?, "standard input"),
    };
    if text.trim().is_empty() {
        let error = Error::new(Code::Usage, format!("{place} is empty: there is no content"));
        return Err(error.suggest("Give one JSON value, such as `--content '{\"note\": \"text\"}'`, or pipe it in."));
    }
    serde_json::from_str(&text).map_err(|error| {
        let place = format!("{place} is not JSON (line {}, column {})", error.line(), error.column());
        Error::new(Code::Usage, place).suggest("Give one JSON value, such as '{\"note\": \"text\"}'.")
    })
}

/// Opens the memory for reading; an empty one if there is none yet.
fn read(project: &Project) -> Result<Memory> {
    looked_into(project)?.map_or_else(|| Memory::in_memory().coded(Code::Bug, "an empty memory cannot be made"), Ok)
}

/// Opens the memory for reading. `None` if there is none yet.
pub(super) fn looked_into(project: &Project) -> Result<Option<Memory>> {
    let path = project.database();
    if !project.exists(DATABASE) {
        return Ok(None);
    }
    Memory::look(&path).map(Some).map_err(|error| unusable(project, "read").because(error))
}

fn unusable(project: &Project, what: &str) -> Error {
    Error::new(Code::Io, format!("{} cannot be {what}", project.database().slashed())).suggest(format!(
        "Skills are not affected. Move the file away to start afresh; how the last runs ended is in {} too.",
        project.log().slashed()
    ))
}

/// The bounds in the settings; the defaults if the settings are invalid, so that inspecting still works.
fn bounds(env: &Env, project: &Project) -> Bounds {
    config::look(env, project).map_or_else(|_| Bounds::default(), |settings| settings.bounds())
}

/// Opens the memory for writing, and creates it if there is none yet.
pub(super) fn opened(project: &Project, now: i64) -> Result<Memory> {
    open::home(project)?;
    let path = project.database();
    Memory::open(&path, now).map_err(|error| unusable(project, "opened for writing").because(error))
}

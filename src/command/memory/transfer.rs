//! `memory export` and `memory import`: the memory as JSON Lines.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde_json::json;

use super::inspect::UNREADABLE;
use super::{looked_into, opened};
use crate::cli::memory::{Export, Import, Stored};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::{Memory, Refused};
use crate::project::Project;
use crate::report::{Form, Report};
use crate::rules::secrets;
use crate::system::env::Env;
use crate::system::input;

/// The most an import may hold, in bytes.
const MOST: u64 = 256 << 20;

/// The text without its credentials; `None` where it holds none.
fn clean(text: &str) -> Option<String> {
    let (redacted, count) = secrets::redact(text);
    (count > 0).then(|| redacted.into_owned())
}

/// Runs `hefesto memory export`. To standard output it is the lines themselves; with `--json` the lines are in the answer's
/// `lines`.
///
/// # Errors
/// E-IO-001 when the database cannot be read, or the file is there already or cannot be written.
#[expect(clippy::disallowed_methods, reason = "access to the file an export is written to")]
pub(super) fn export(env: &mut Env, project: &Project, args: &Export) -> Result<Report> {
    let memory = match looked_into(project)? {
        Some(memory) => memory,
        None => Memory::in_memory().coded(Code::Bug, "an empty memory cannot be made")?,
    };
    let store = args.store.map(Stored::word);
    let at = env.stamp();
    let mut lines = Vec::new();
    let mut keep = |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    let (rows, redacted) = memory.export(store, &at, &clean, &mut keep).coded(Code::Io, UNREADABLE)?;
    let to_file = args.file != Path::new("-");
    let shown = args.file.display().to_string();
    let mut data = json!({ "file": to_file.then_some(&shown), "rows": rows, "redacted": redacted });
    if !to_file {
        if env.json {
            data["lines"] = json!(lines);
        }
        return Ok(Report::done(data, lines.join("\n") + "\n").form(Form::Json));
    }
    let path = env.cwd.join(&args.file);
    let unwritten = || format!("{shown} cannot be written");
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).coded(Code::Io, unwritten())?;
    let mut file = BufWriter::new(file);
    for line in &lines {
        writeln!(file, "{line}").coded(Code::Io, unwritten())?;
    }
    file.into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(|file| file.sync_all())
        .coded(Code::Io, unwritten())?;
    let left = if redacted > 0 {
        format!("; credentials were taken out of {redacted} of them or left out")
    } else {
        String::new()
    };
    Ok(Report::done(data, format!("{rows} rows are in {}{left}.\n", crate::skill::printable(&shown))))
}

/// Runs `hefesto memory import`.
///
/// # Errors
/// E-MEMORY-014 when the file is not what it should be; E-IO-001 when it cannot be read or the database cannot be written.
pub(super) fn import(env: &mut Env, project: &Project, args: &Import) -> Result<Report> {
    let text = if args.file == Path::new("-") {
        input::read_stdin_up_to(env, MOST)?
    } else {
        input::read_text_up_to(&env.cwd.join(&args.file), MOST)?
    };
    let done = opened(project)?.import(&text, &clean).map_err(|error| match error.downcast::<Refused>() {
        Ok(refused) => {
            let said = refused.to_string();
            Error::new(Code::ImportRefused, secrets::redact(&said).0)
        }
        Err(error) => Error::new(Code::Io, "the memory cannot be written").because(error),
    })?;
    let added: u64 = done.added.values().sum();
    let tables: serde_json::Map<String, serde_json::Value> =
        done.added.iter().map(|(table, count)| ((*table).to_owned(), json!(count))).collect();
    let data = json!({ "added": added, "kept": done.kept, "redacted": done.redacted, "tables": tables });
    let left = if done.redacted > 0 { format!(", {} held credentials", done.redacted) } else { String::new() };
    Ok(Report::done(data, format!("{added} rows are new, {} were here already{left}.\n", done.kept)))
}

//! `memory export` and `memory import`: the memory as JSON Lines.

use std::io::{BufWriter, Write};
use std::path::Path;

use serde_json::json;

use super::{many, opened, read, unreadable, unwritable};
use crate::cli::memory::{Export, Import, Stored};
use crate::config;
use crate::error::{Code, Coded, Error, Result};
use crate::memory::ImportError;
use crate::project::Project;
use crate::report::{Form, Report, Slashed};
use crate::rules::secrets;
use crate::skill::printable;
use crate::system::env::Env;
use crate::system::input;
use crate::system::os::files;

const MOST: u64 = 256 << 20;

/// The text with credentials redacted; `None` if it contains none.
fn clean(text: &str) -> Option<String> {
    let (redacted, count) = secrets::redact(text);
    (count > 0).then(|| redacted.into_owned())
}

/// Runs `hefesto memory export`. Standard output gets the lines themselves; with `--json` the lines are in the
/// answer's `lines`.
pub(super) fn export(env: &mut Env, project: &Project, args: &Export) -> Result<Report> {
    let store = args.store.map(Stored::word);
    if config::load(env, project)?.stm_backend.value == "redis" {
        let said = "an export holds what is in memory.db, and short-term memory is on the Redis server of `stm.url`";
        match args.store {
            Some(Stored::Stm) => {
                let cure = "`hefesto memory stm recall --session ID --json` gives the entries of a session.";
                return Err(Error::new(Code::StmUnreachable, said).suggest(cure));
            }
            None => env.warn(Code::Stateless, format!("{said}; its entries are left out")),
            Some(_) => {}
        }
    }
    let (lines, redacted) = read(project)?.export(store, &env.stamp(), &clean).map_err(unreadable)?;
    let rows = lines.len() as u64 - 1;
    let to_file = args.file != Path::new("-");
    let shown = args.file.slashed();
    let mut data = json!({ "file": to_file.then_some(&shown), "rows": rows, "redacted": redacted });
    if !to_file {
        if env.json {
            data["lines"] = json!(lines);
        }
        return Ok(Report::done(data, lines.join("\n") + "\n").form(Form::Json));
    }
    let path = env.cwd.join(&args.file);
    let unwritten = || format!("{shown} cannot be written");
    let file = files::make_private(&path).coded(Code::Io, unwritten())?;
    let mut file = BufWriter::new(file);
    for line in &lines {
        writeln!(file, "{line}").coded(Code::Io, unwritten())?;
    }
    file.into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(|file| files::sync(&file))
        .coded(Code::Io, unwritten())?;
    let left = match redacted {
        0 => String::new(),
        n => format!("; {n} held credentials, which are redacted or left out"),
    };
    let text = format!("{} exported to {}{left}.\n", many(rows, "row"), printable(&shown));
    Ok(Report::done(data, text))
}

pub(super) fn import(env: &mut Env, project: &Project, args: &Import) -> Result<Report> {
    let text = if args.file == Path::new("-") {
        input::read_stdin_up_to(env, MOST)?
    } else {
        input::read_text_up_to(&env.cwd.join(&args.file), MOST)?
    };
    let refused = |error: anyhow::Error| match error.downcast::<ImportError>() {
        Ok(refused) => Error::new(Code::ImportRefused, secrets::redact(&refused.to_string()).0),
        Err(error) => unwritable(error),
    };
    let done = opened(project, env.now().as_millisecond())?.import(&text, &clean).map_err(refused)?;
    let added: u64 = done.added.values().sum();
    let data = json!({ "added": added, "kept": done.kept, "redacted": done.redacted, "tables": done.added });
    let left = if done.redacted > 0 { format!(", {} held credentials", done.redacted) } else { String::new() };
    let text = format!("{} imported, {} already present{left}.\n", many(added, "row"), done.kept);
    Ok(Report::done(data, text))
}

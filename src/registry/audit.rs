//! The operation log: one JSON line per run, appended to `.hefesto/logs/operations.jsonl`.

use std::io::{self, Read, Seek, SeekFrom, Write};

use serde::Serialize;
use serde_json::Value;

use crate::project::{LOG, Project};
use crate::report::Slashed;
use crate::system::env::Env;
use crate::system::os::files;
use crate::system::os::files::sync_together;
use crate::system::rooted::HOME;

/// How much of the log's end is read to find its last run, in bytes.
const END: u64 = 64 * 1024;

/// Appends an entry as a line if the project has a `.hefesto/`. A failure is a warning and stops nothing.
pub fn append(env: &mut Env, project: &Project, entry: &impl Serialize) {
    if !project.is_dir(HOME) {
        return;
    }
    let line = serde_json::to_string(entry).map(|line| line + "\n").unwrap_or_default();
    if let Err(error) = write(project, &line)
        && env.volume > 0
    {
        env.say(&format!("The operation log {} cannot be written: {error}.", project.path(LOG).slashed()));
    }
}

fn write(project: &Project, line: &str) -> io::Result<()> {
    let (log, logs) = (project.rooted(LOG)?, project.rooted(".hefesto/logs")?);
    logs.make_dir(0o700)?;
    let new = !log.exists();
    let mut file = log.append(0o600)?;
    file.write_all(line.as_bytes())?;
    if !new {
        return files::sync(&file);
    }
    // Makes the directory entries of a new log and its directory durable, too.
    sync_together(&[&file, &logs.handle()?, &project.rooted(HOME)?.handle()?])
}

/// A run in the operation log.
pub struct Logged {
    pub run_id: String,
    /// When it ended, RFC 3339 UTC.
    pub at: String,
    /// What it was, and why it failed; none if it succeeded.
    pub failed: Option<String>,
}

/// The last run in the log. None if there is none, or the log cannot be read.
pub fn last(project: &Project) -> Option<Logged> {
    let mut file = project.rooted(LOG).ok()?.open().ok()?;
    let meta = file.metadata().ok()?;
    file.seek(SeekFrom::Start(meta.len().saturating_sub(END))).ok()?;
    let mut end = Vec::new();
    file.take(END).read_to_end(&mut end).ok()?;
    let text = String::from_utf8_lossy(&end);
    // The first line may be partial; the last may be incomplete.
    let line = text.lines().rev().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    line.filter_map(|line| logged(&line)).next()
}

fn logged(line: &Value) -> Option<Logged> {
    let word = |field: &str| line[field].as_str().map(str::to_owned);
    let (run_id, at, operation) = (word("run_id")?, word("timestamp")?, word("operation")?);
    let about = word("skill_name").map(|skill| format!(" of `{skill}`")).unwrap_or_default();
    let why = word("error_message").unwrap_or_else(|| "failed".into());
    let failed = (line["success"] == false).then(|| format!("{operation}{about}: {why}"));
    Some(Logged { run_id, at, failed })
}

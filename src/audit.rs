//! The operation log: one JSON line per run, appended to `.hefesto/logs/operations.jsonl`.

#![expect(clippy::disallowed_methods, reason = "the door to the operation log")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use serde_json::Value;

use crate::env::Env;
use crate::project::Project;

/// How much of the log's end is read to find its last run, in bytes.
const END: u64 = 64 * 1024;

/// Appends a line, where the project has a `.hefesto/`. A log that cannot be written is said and stops nothing.
pub fn append(env: &mut Env, project: &Project, line: &str) {
    // A link is not followed: what it leads to is not the project's.
    if !std::fs::symlink_metadata(project.hefesto()).is_ok_and(|meta| meta.is_dir()) {
        return;
    }
    let path = project.log();
    let new = std::fs::symlink_metadata(&path).is_err();
    // Neither a link is followed nor a pipe waited at.
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
    let written = path
        .parent()
        .map_or(Ok(()), |dir| DirBuilder::new().recursive(true).mode(0o700).create(dir))
        .and_then(|()| OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(&path))
        .and_then(|mut file| file.write_all(line.as_bytes()).and_then(|()| file.sync_data()))
        .and_then(|()| if new { sync_names(&path) } else { Ok(()) });
    if let Err(error) = written
        && env.volume > 0
    {
        env.say(&format!("The operation log {} cannot be written: {error}.", path.display()));
    }
}

/// A run as the operation log tells of it.
pub struct Logged {
    /// Its id.
    pub run_id: String,
    /// When it ended, RFC 3339 UTC.
    pub at: String,
    /// What it was, and why it failed; none where it went well.
    pub failed: Option<String>,
}

/// The last run in the log. None where there is none, or the log cannot be read.
#[must_use]
pub fn last(project: &Project) -> Option<Logged> {
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
    let mut file = OpenOptions::new().read(true).custom_flags(flags).open(project.log()).ok()?;
    let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    file.seek(SeekFrom::Start(meta.len().saturating_sub(END))).ok()?;
    let mut end = Vec::new();
    file.take(END).read_to_end(&mut end).ok()?;
    let text = String::from_utf8_lossy(&end);
    // The first line may be the rest of one; the last may never have been finished.
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

/// Makes the names of a new log and its directory durable.
fn sync_names(log: &Path) -> io::Result<()> {
    log.ancestors().skip(1).take(2).try_for_each(|dir| File::open(dir)?.sync_all())
}

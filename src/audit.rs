//! The operation log: one JSON line per run, appended to `.hefesto/logs/operations.jsonl`.

#![expect(clippy::disallowed_methods, reason = "the door to the operation log")]

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::env::Env;
use crate::project::Project;

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

/// Makes the names of a new log and its directory durable.
fn sync_names(log: &Path) -> io::Result<()> {
    log.ancestors().skip(1).take(2).try_for_each(|dir| File::open(dir)?.sync_all())
}

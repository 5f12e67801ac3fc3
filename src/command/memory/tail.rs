//! `memory tail`: the newest entries of all stores and, with `-f`, new ones until Ctrl-C. Polls the database for
//! changes.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::search::line;
use super::{UNREADABLE, read};
use crate::cli::memory::{Stored, Tail};
use crate::error::{Code, Coded, Exit, Result};
use crate::memory::{Memory, TimelineEntry};
use crate::project::{DATABASE, Project};
use crate::report::{Form, Report};
use crate::system::env::Env;
use crate::terminal::signal::Watch;
use crate::terminal::ui;

const EVERY: Duration = Duration::from_millis(75);

pub(super) fn tail(env: &mut Env, project: &Project, args: &Tail) -> Result<Report> {
    let watch = Watch::open().coded(Code::Io, "signals cannot be watched")?;
    let store = args.store.map(Stored::word);
    let all = read(project)?.timeline(store, i64::MIN).coded(Code::Io, UNREADABLE)?;
    let last: Vec<TimelineEntry> = all.get(all.len().saturating_sub(args.limit)..).unwrap_or_default().to_vec();
    if !args.follow {
        let data = json!({ "moments": last });
        return Ok(Report::done(data, last.iter().map(|one| line(env.style, one)).collect::<String>()));
    }
    let mut known: BTreeSet<TimelineEntry> = all.into_iter().collect();
    let (mut open, mut version, mut fresh) = (None, None, last);
    loop {
        if !fresh.is_empty() && !shown(env, &fresh) {
            // Standard output was closed.
            return Ok(Report::done(serde_json::Value::Null, ""));
        }
        if let Some(signal) = watch.within(EVERY) {
            return Ok(Report::done(serde_json::Value::Null, "").exit(Exit::Signal(signal)));
        }
        fresh = Vec::new();
        // A database that does not exist yet, or is busy, is queried again.
        if open.is_none() && project.exists(DATABASE) {
            open = Memory::follow(&project.database()).ok();
        }
        let Some(memory) = &open else { continue };
        let now = memory.data_version().ok();
        if now.is_none() || now == version {
            continue;
        }
        let Ok(all) = memory.timeline(store, i64::MIN) else { continue };
        version = now;
        let all: BTreeSet<TimelineEntry> = all.into_iter().collect();
        fresh = all.difference(&known).cloned().collect();
        known = all;
    }
}

/// Prints entries as they arrive: one line each, or one answer for all. False when standard output was closed.
fn shown(env: &mut Env, entries: &[TimelineEntry]) -> bool {
    let text = if env.json {
        let data = json!({ "moments": entries });
        ui::json("memory", Ok(Report::done(data, "")), env.notes(), env.other_root())
    } else {
        entries.iter().map(|one| line(env.style, one)).collect()
    };
    env.emit(&text, if env.json { Form::Json } else { Form::Text })
}

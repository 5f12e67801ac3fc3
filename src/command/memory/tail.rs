//! `memory tail`: the newest entries of all stores and, with `-f`, new ones until Ctrl-C. Polls the database for
//! changes.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};

use super::search::line;
use super::{read, unreadable};
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
    let all = read(project)?.timeline(store, i64::MIN).map_err(unreadable)?;
    let last: Vec<TimelineEntry> = all.get(all.len().saturating_sub(args.limit)..).unwrap_or_default().to_vec();
    if !args.follow {
        let data = json!({ "moments": last });
        return Ok(Report::done(data, last.iter().map(|one| line(env.style, one)).collect::<String>()));
    }
    let mut known: BTreeSet<TimelineEntry> = all.into_iter().collect();
    let (mut open, mut version, mut fresh) = (None, None, last);
    loop {
        let lines = fresh.iter().map(|one| line(env.style, one)).collect();
        let shown = (!fresh.is_empty()).then(|| (json!({ "moments": fresh }), lines));
        if let Some(end) = follow(env, &watch, EVERY, shown) {
            return Ok(end);
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

/// Prints what has come, as one answer or as its lines, and waits. The command ends when a signal arrives, or when
/// standard output was closed.
pub(super) fn follow(env: &mut Env, watch: &Watch, every: Duration, new: Option<(Value, String)>) -> Option<Report> {
    if let Some((data, lines)) = new {
        let answer = |env: &Env| ui::json("memory", Ok(Report::done(data, "")), env.notes(), env.other_root());
        let (text, form) = if env.json { (answer(env), Form::Json) } else { (lines, Form::Text) };
        if !env.emit(&text, form) {
            return Some(Report::done(Value::Null, ""));
        }
    }
    watch.within(every).map(|signal| Report::done(Value::Null, "").exit(Exit::Signal(signal)))
}

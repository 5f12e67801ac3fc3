//! `backups`: the archives there are, and what they are good for.

use serde_json::{Value, json};

use super::memory::looked_into;
use crate::backup::{self, Listed};
use crate::env::Env;
use crate::error::Result;
use crate::project::Project;
use crate::report::Report;
use crate::ui;

/// Runs `hefesto backups`. Every archive is read to say whether it is whole.
///
/// # Errors
/// E-IO-001 when the directory cannot be read.
pub(super) fn backups(env: &mut Env, project: &Project) -> Result<Report> {
    let memory = looked_into(project).ok().flatten();
    let mut rows = Vec::new();
    let mut data: Vec<Value> = Vec::new();
    for listed in newest_first(project)? {
        let archive = backup::read(&project.path(&listed.path));
        let whole = archive.is_ok();
        let run = memory.as_ref().and_then(|memory| memory.run_of_backup(&listed.path).ok().flatten());
        let why = run.as_ref().map_or("unknown", |(_, command)| command.as_str()).to_owned();
        let id = run.map(|(run, _)| run);
        let paths = archive.map(|archive| archive.roots().iter().map(ToString::to_string).collect::<Vec<_>>());
        data.push(json!({
            "name": listed.name, "at": listed.stamp, "why": why, "bytes": listed.bytes, "run_id": id,
            "verified": whole, "path": listed.path, "holds": paths.unwrap_or_default(),
        }));
        rows.push(vec![
            listed.name,
            listed.stamp,
            why,
            ui::size(listed.bytes),
            id.unwrap_or_else(|| "-".into()),
            if whole { "yes" } else { "DAMAGED" }.to_owned(),
        ]);
    }
    let text = if rows.is_empty() {
        "No backups.\n".to_owned()
    } else {
        ui::table(env.style, &["NAME", "WHEN", "WHY", "SIZE", "RUN", "WHOLE"], &rows)
    };
    Ok(Report::done(json!({ "backups": data }), text))
}

/// The archives, newest first.
pub(super) fn newest_first(project: &Project) -> Result<Vec<Listed>> {
    let mut all = backup::list(project.root())?;
    all.sort_by(|a, b| (&b.stamp, b.number, &a.name).cmp(&(&a.stamp, a.number, &b.name)));
    Ok(all)
}

//! `backups`: lists the archives, and whether each can be restored; removes old ones.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{memory::looked_into, runs::short};
use crate::cli;
use crate::config;
use crate::error::{Code, Coded, Result};
use crate::project::{Project, open};
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui;
use crate::transaction::backup::{self, Listed};
use crate::transaction::consent;

/// Every archive is read to say whether it is intact. Errors: E-IO-001 when the directory cannot be read.
pub(super) fn backups(env: &mut Env, project: &Project, args: &cli::Backups, yes: bool) -> Result<Report> {
    let pruned = args.prune.then(|| prune(env, project, args.keep, yes)).transpose()?;
    let mut report = listing(env, project)?;
    if let Some(pruned) = pruned {
        report.text = format!("{} removed.\n\n{}", ui::count(pruned.len(), "backup"), report.text);
        report.data["pruned"] = json!(pruned);
    }
    Ok(report)
}

/// Removes all but the newest archives of each skill: shows the plan first and asks for consent.
fn prune(env: &mut Env, project: &Project, keep: usize, yes: bool) -> Result<Vec<String>> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut plan = newest_first(project)?;
    plan.retain(|listed| {
        let count = seen.entry(listed.name.clone()).or_default();
        *count += 1;
        *count > keep
    });
    if plan.is_empty() {
        return Ok(Vec::new());
    }
    let bytes: u64 = plan.iter().map(|listed| listed.bytes).sum();
    let mut preview = format!("{}\n", env.err_style().rule("backups --prune"));
    for listed in &plan {
        preview.push_str(&format!("  remove {} ({})\n", project.display(&listed.path), ui::size(listed.bytes)));
    }
    let (backups, size) = (ui::count(plan.len(), "backup"), ui::size(bytes));
    let stay = if keep == 1 {
        "the newest of each skill stays".into()
    } else {
        format!("the newest {keep} of each skill stay")
    };
    preview.push_str(&format!("  {backups}, {size}; {stay}\n"));
    preview.push_str("  their contents cannot be restored or undone afterwards\n");
    let settings = config::load(env, project)?;
    consent::ask(env, &preview, yes, settings.gate_limit())?;
    let lock = open::lock(env, project, "backups")?;
    for listed in &plan {
        backup::remove(&lock, &listed.path)?;
    }
    Ok(plan.iter().map(|listed| project.display(&listed.path)).collect())
}

fn listing(env: &Env, project: &Project) -> Result<Report> {
    let memory = looked_into(project).ok().flatten();
    let mut rows = Vec::new();
    let mut data: Vec<Value> = Vec::new();
    for listed in newest_first(project)? {
        let opened = project.rooted(&listed.path).coded(Code::Io, "the project root cannot be opened");
        let archive = opened.and_then(|at| backup::read_at(&at));
        let whole = archive.is_ok();
        let run = memory.as_ref().and_then(|memory| memory.run_of_backup(&listed.path).ok().flatten());
        let why = run.as_ref().map_or("unknown", |(_, command)| command.as_str()).to_owned();
        let id = run.map(|(run, _)| run);
        let paths = archive.map(|archive| archive.roots().iter().map(ToString::to_string).collect::<Vec<_>>());
        data.push(json!({
            "name": listed.name, "at": listed.stamp, "why": why, "bytes": listed.bytes, "run_id": id,
            "verified": whole, "path": project.display(&listed.path), "holds": paths.unwrap_or_default(),
        }));
        rows.push(vec![
            listed.path.rsplit('/').next().unwrap_or_default().to_owned(),
            why,
            ui::size(listed.bytes),
            id.as_deref().map_or("-", short).to_owned(),
            if whole { "yes" } else { "DAMAGED" }.to_owned(),
        ]);
    }
    let text = if rows.is_empty() {
        "No backups.\n".to_owned()
    } else {
        let place = project.display(".hefesto/backups");
        let table = ui::table(env.style, &["FILE", "MADE BEFORE", "SIZE", "RUN", "INTACT"], &rows);
        format!("{table}\nIn {place}/. To bring one back: hefesto restore FILE\n")
    };
    Ok(Report::done(json!({ "backups": data }), env.spelled(text)))
}

pub(super) fn newest_first(project: &Project) -> Result<Vec<Listed>> {
    let mut all = backup::list(project.root())?;
    all.sort_by(|a, b| (&b.stamp, b.number, &a.name).cmp(&(&a.stamp, a.number, &b.name)));
    Ok(all)
}

//! `runs`: what was done here, newest first.

use serde_json::json;

use super::memory::looked_into;
use crate::env::Env;
use crate::error::{Code, Coded, Result};
use crate::project::Project;
use crate::report::Report;
use crate::ui;

/// How many runs the table shows.
const SHOWN: usize = 20;

/// Runs `hefesto runs`.
///
/// # Errors
/// E-IO-001 when the memory database cannot be read.
pub(super) fn runs(env: &mut Env, project: &Project) -> Result<Report> {
    let runs = match looked_into(project)? {
        Some(memory) => memory.runs(usize::MAX).coded(Code::Io, "the runs cannot be read")?,
        None => Vec::new(),
    };
    let rows: Vec<Vec<String>> = runs
        .iter()
        .take(SHOWN)
        .map(|run| {
            vec![
                run.run_id.clone(),
                run.command.clone(),
                run.started_at.clone(),
                run.status.clone(),
                run.skill.clone().unwrap_or_else(|| "-".into()),
                run.error.clone().unwrap_or_default(),
            ]
        })
        .collect();
    let mut text = if rows.is_empty() {
        "No runs yet.\n".to_owned()
    } else {
        ui::table(env.style, &["RUN", "COMMAND", "STARTED", "STATUS", "SKILL", "CODE"], &rows)
    };
    if runs.len() > SHOWN {
        text.push_str(&format!("... and {} more\n", runs.len() - SHOWN));
    }
    Ok(Report::done(json!({ "runs": runs }), text))
}

//! `memory inspect`: one screen on the memory, or one store of it. Never writes.

use serde_json::{Value, json};

use super::long;
use super::ring::{ring_json, ring_text, seen};
use crate::cli::Store;
use crate::env::Env;
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::report::Report;
use crate::ui::{self, Style};
use crate::working::Windows;

fn windows_text(style: Style, windows: &Windows) -> String {
    let mut text = String::new();
    for (name, fields) in windows.named() {
        text.push_str(&format!("{}\n", style.head(&format!("Window: {name}"))));
        for (field, value) in fields {
            let shown = match value {
                Value::String(long) if long.contains('\n') => {
                    format!("({} lines, {})", long.lines().count(), ui::size(long.len() as u64))
                }
                Value::String(line) => line.clone(),
                other => other.to_string(),
            };
            text.push_str(&format!("  {field:<22}{}\n", crate::skill::printable(&shown)));
        }
    }
    text
}

/// Runs `hefesto memory inspect`.
///
/// # Errors
/// E-MEMORY-001 when there is no such run, E-IO-001 when the database cannot be read.
pub(super) fn inspect(env: &mut Env, project: &Project, store: Option<Store>, run: Option<&str>) -> Result<Report> {
    if let (Some(Store::Fifo), Some(_)) = (store, run) {
        return Err(Error::new(Code::Usage, "`--run` belongs to the ring and the windows")
            .suggest("Leave `--run` out; `hefesto memory fifo show run_RUN` shows the conversation of one run."));
    }
    match store {
        Some(Store::Fifo) => super::fifo::inspect(env, project),
        Some(Store::Turn) => long::turns(env, project),
        Some(Store::Long) => long::long(env, project),
        Some(Store::Ring) => {
            let seen = seen(project, run)?;
            Ok(Report::done(ring_json(&seen), ring_text(env.style, &seen)))
        }
        Some(Store::Windows) => windows(env.style, project, run),
        Some(Store::Stm) => {
            let seen = seen(project, run)?;
            super::stm::inspect(env, project, run.and(seen.run_id()))
        }
        Some(Store::Ooda) => super::ooda::inspect(env, project, run),
        None => all(env.style, project, run),
    }
}

fn windows(style: Style, project: &Project, run: Option<&str>) -> Result<Report> {
    let seen = seen(project, run)?;
    let windows = Windows::of(&seen.view.memory);
    let data = json!({ "run_id": seen.run_id(), "windows": windows });
    Ok(Report::done(data, windows_text(style, &windows)))
}

/// One screen on all of it.
fn all(style: Style, project: &Project, run: Option<&str>) -> Result<Report> {
    let seen = seen(project, run)?;
    let windows = Windows::of(&seen.view.memory);
    match &seen.run {
        None => {
            let text = "No runs yet. `hefesto create` makes the first one.\n";
            let data = json!({ "run": null, "ring": ring_json(&seen), "windows": windows, "health": { "status": "healthy", "damaged": [] } });
            Ok(Report::done(data, text))
        }
        Some(run) => {
            let healthy = seen.view.damaged.is_empty();
            let mut text = format!(
                "Run {}: {}, started {}{}\n\n",
                run.run_id,
                run.status,
                run.started_at,
                run.skill.as_deref().map(|skill| format!(", skill {skill}")).unwrap_or_default()
            );
            text.push_str(&ring_text(style, &seen));
            text.push('\n');
            text.push_str(&windows_text(style, &windows));
            let health = if healthy {
                "healthy: every checksum holds"
            } else {
                "DAMAGED: `hefesto memory ring verify` lists the slots"
            };
            text.push_str(&format!("\nHealth: {health}\n"));
            let data = json!({
                "run": run,
                "ring": ring_json(&seen),
                "windows": windows,
                "health": { "status": if healthy { "healthy" } else { "critical" }, "damaged": seen.view.damaged },
            });
            Ok(Report::done(data, text))
        }
    }
}

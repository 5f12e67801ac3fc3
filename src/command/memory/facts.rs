//! `memory facts list` and `memory facts forget`: the facts learned in runs.

use serde_json::json;

use super::{maintenance, read, table, unreadable};
use crate::cli::memory::{Delete, Facts, Stored};
use crate::error::Result;
use crate::memory::turn::Fact;
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;
use crate::terminal::ui;

pub(super) fn facts(env: &mut Env, project: &Project, command: &Facts, yes: bool) -> Result<Report> {
    match command {
        Facts::List => list(env, project),
        Facts::Forget { id } => {
            maintenance::delete(env, project, &Delete { id: id.clone(), store: Some(Stored::Long) }, yes)
        }
    }
}

fn list(env: &Env, project: &Project) -> Result<Report> {
    let memory = read(project)?;
    let facts = memory.facts().map_err(unreadable)?;
    let answers = memory.answers().map_err(unreadable)?;
    let data = json!({ "facts": facts, "answers": answers });
    if facts.is_empty() && answers.is_empty() {
        return Ok(Report::done(data, env.spelled("No facts yet; `hefesto create` adds them.\n".into())));
    }
    let (style, now) = (env.style, env.now().as_millisecond());
    let mut text = String::new();
    if !answers.is_empty() {
        let headings = ["ANSWER", "WHEN", "SKILL", "KEY", "TEXT"];
        text.push_str(&table(style, &headings, &answers, |one| {
            row![format!("answer:{}", one.id), ui::ago(now, one.at), one.skill, one.key, one.text]
        }));
    }
    if !facts.is_empty() {
        let gap = if answers.is_empty() { "" } else { "\n" };
        let row = |one: &Fact| row![one.key, ui::ago(now, one.updated_at), one.text];
        text.push_str(&format!("{gap}{}", table(style, &["FACT", "WHEN", "WHAT"], &facts, row)));
    }
    Ok(Report::done(data, text))
}

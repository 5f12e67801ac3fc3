//! `runs`: lists the runs, newest first, and discards waiting ones.

use serde_json::json;

use super::memory::{looked_into, opened, table_or};
use crate::cli;
use crate::error::{Code, Coded, Error, Result};
use crate::memory::{Memory, Run, Status};
use crate::project::Project;
use crate::report::Report;
use crate::system::env::Env;

const SHOWN: usize = 20;

/// How many characters of a run's id are shown: its random end.
const SHORT: usize = 8;

/// Errors: E-IO-001 when the memory database cannot be read; with `--discard`, E-RESUME-001 if no such run waits.
pub(super) fn runs(env: &mut Env, project: &Project, args: &cli::Runs) -> Result<Report> {
    let memory = looked_into(project)?;
    let discarded =
        args.discard.as_ref().map(|wanted| discard(env, project, memory.as_ref(), wanted.as_deref(), args.all));
    let discarded = discarded.transpose()?;
    let runs = looked_into(project)?.map(|memory| memory.runs(usize::MAX)).transpose();
    let runs = runs.coded(Code::Io, "the runs cannot be read")?.unwrap_or_default();
    if let Some(discarded) = discarded {
        let mut text: String = discarded.iter().map(|run| format!("Discarded run {}.\n", short(run))).collect();
        if discarded.is_empty() {
            text.push_str("No run waits.\n");
        }
        return Ok(Report::done(json!({ "runs": runs, "discarded": discarded }), text));
    }
    let headings = ["RUN", "COMMAND", "STARTED", "STATUS", "SKILL"];
    let shown = runs.get(..SHOWN).unwrap_or(&runs);
    let mut text = table_or("No runs yet.", env.style, &headings, shown, row);
    if runs.len() > SHOWN {
        text.push_str(&format!("... and {} more\n", runs.len() - SHOWN));
    }
    Ok(Report::done(json!({ "runs": runs }), text))
}

fn row(run: &Run) -> Vec<String> {
    let status = [Some(run.status.as_str()), run.error.as_deref()];
    vec![
        short(&run.run_id).to_owned(),
        run.command.clone(),
        run.started_at.get(..16).unwrap_or(&run.started_at).replace('T', " "),
        status.into_iter().flatten().collect::<Vec<_>>().join(" "),
        run.skill.clone().unwrap_or_else(|| "-".into()),
    ]
}

/// The end of a run's id; every command accepts it for the full id.
pub(super) fn short(run: &str) -> &str {
    run.len().checked_sub(SHORT).and_then(|from| run.get(from..)).unwrap_or(run)
}

fn discard(
    env: &Env,
    project: &Project,
    memory: Option<&Memory>,
    wanted: Option<&str>,
    all: bool,
) -> Result<Vec<String>> {
    let waiting =
        memory.map(Memory::waiting).transpose().coded(Code::Io, "the runs cannot be read")?.unwrap_or_default();
    let nothing = |message: String, cure: &str| Err(Error::new(Code::ResumeNothing, message).suggest(cure));
    let named = |wanted: &str| memory.and_then(|memory| memory.find_run(Some(wanted)).ok().flatten());
    let chosen: Vec<String> = match wanted.map(|wanted| (wanted, named(wanted))) {
        None if !all => {
            return Err(Error::new(Code::Usage, "`--discard` names no run")
                .suggest("Name one as `hefesto runs` shows it, or add `--all`.")
                .usage("hefesto runs --discard <RUN>|--all"));
        }
        None => waiting.into_iter().map(|run| run.run_id).collect(),
        Some((_, Some(run))) if run.status == Status::Paused.word() => vec![run.run_id],
        Some((wanted, Some(run))) => {
            let message = format!("run {wanted} is {} and does not wait", run.status);
            return nothing(message, "`hefesto runs` shows which runs are paused.");
        }
        Some((wanted, None)) => {
            return nothing(format!("there is no run {wanted:?}, or several match"), "`hefesto runs` lists them.");
        }
    };
    if chosen.is_empty() {
        return Ok(chosen);
    }
    let mut memory = opened(project, env.now().as_millisecond())?;
    memory.discard(&chosen, env.now()).coded(Code::Io, "the run cannot be discarded")
}

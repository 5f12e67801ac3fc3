//! P0: finds the project, recovers interrupted runs, checks that the run may work there, and detects the AI CLIs.

use serde_json::json;

use super::run::{Opened, Request, Run};
use super::{context, joined_session, notices, run_store::Durable};
use crate::cli::OnCollision;
use crate::config;
use crate::error::{Code, Error, Exit, Result};
use crate::project::open::{self as project_open, Governed};
use crate::project::{DATABASE, Project};
use crate::registry::standards::Source;
use crate::report::slashed::Slashed;
use crate::system::{env::Env, input};
use crate::terminal::prompt::{Answer, Question};

/// Runs P0. Errors: ERR-004, E-CREATE-000, E-CONFIG-001. Nothing has been written then, except what recovery completed.
pub(super) fn preflight(env: &mut Env, request: Request) -> Result<Run<'_>> {
    let started = env.stamp();
    check_flags(&request)?;
    let opened = open(env, &request, false).inspect_err(|error| context::not_begun(env, &request, error))?;
    let notes = match &request.args.session {
        Some(id) => joined_session::entries(env, &opened.project, &opened.settings, id)
            .inspect_err(|error| context::not_begun(env, &request, error))?,
        None => Vec::new(),
    };
    let stored = context::asked(&request);
    let mut run = Run::begin(env, request, opened, stored.as_deref());
    run.context.session = notes;
    let asked = run.args.description.clone().unwrap_or_default();
    let initialisation = context::begin_turn(&mut run, &asked);
    notices::waiting(&mut run);
    let clients: Vec<String> = run.clients().into_iter().map(|client| client.row.id).collect();
    let at = run.env.stamp();
    run.checkpoint(&json!({
        "context_loaded": true, "constitution_valid": true, "memory_valid": !run.governed.is_new(),
        "t0_rules_count": run.governed.standards().count, "standards_loaded": run.governed.standards().count,
        "standards_source": run.governed.standards().source, "detected_clis": clients, "execution_start": started,
        "initialisation": initialisation, "loaded_at": at,
    }))?;
    Ok(run)
}

/// Opens the project for a run: recovery, governance, memory and a lane. A run that is resumed was confirmed when it
/// began.
pub(super) fn open(env: &mut Env, request: &Request, resumed: bool) -> Result<Opened> {
    let watch = env.watch();
    let project = request.scope.project(env)?;
    let settings = config::load(env, &project)?;
    let governed = project_open::enter(env, &project)?;
    if !resumed {
        may_work_here(env, &project, request, &governed)?;
    }
    if governed.standards().source == Source::Embedded && !governed.is_new() {
        env.warn(Code::StandardsEmbedded, "no `.context/standards/` here; the embedded standards are used.");
    }
    for (name, version) in input::outdated_templates(&project) {
        env.warn(
            Code::TemplateOutdated,
            format!("template `{name}` was written for hefesto {version}; compare it with the built-in one."),
        );
    }
    let held = Durable::open(env, &project, !governed.is_new() || project.exists(DATABASE));
    Ok(Opened { project, settings, governed, held, watch })
}

/// Refuses flags that exclude each other.
fn check_flags(request: &Request) -> Result<()> {
    let args = &request.args;
    if args.gate.rename_to.is_some() && args.gate.on_collision != Some(OnCollision::Rename) {
        return Err(Error::new(Code::Usage, "`--rename-to` goes with `--on-collision rename`")
            .suggest("Add `--on-collision rename`, or leave `--rename-to` out."));
    }
    Ok(())
}

/// An uninitialised project needs `--init`, `--yes` or a person's consent before anything is written in it.
fn may_work_here(env: &mut Env, project: &Project, request: &Request, governed: &Governed) -> Result<()> {
    if !governed.is_new() || request.args.dry_run {
        return Ok(());
    }
    let root = project.root().slashed();
    if request.yes || request.args.init {
        env.tell(&format!("{root} is not initialised; it will be with this skill."));
        return Ok(());
    }
    let not_ready = |exit| Error::new(Code::CreateNotReady, format!("{root} is not initialised (WARN-002)")).exit(exit);
    if !env.prompter.present() {
        return Err(not_ready(Exit::Declined));
    }
    env.say(&format!("{root} is not initialised."));
    let text = "Initialise it with this skill?";
    let limit = Some(std::time::Duration::from_secs(300));
    let question =
        Question { text, choices: &["yes", "no"], default: Some("yes"), limit, flag: "--init", ..Question::default() };
    match env.pick(&question, "Answer yes or no.") {
        Ok(Ok(0)) => Ok(()),
        Ok(Err(Answer::Signal(signal))) => {
            Err(Error::new(Code::Interrupted, "interrupted; nothing was written").exit(Exit::Signal(signal)))
        }
        Ok(Err(Answer::TimedOut)) => {
            Err(Error::new(Code::CreateTimedOut, "no answer within 300 seconds; no changes made"))
        }
        Ok(_) | Err(_) => Err(not_ready(Exit::Declined)),
    }
}

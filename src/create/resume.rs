//! Resuming a waiting run after the last phase it completed. The gate always asks again.

mod fork;

use serde_json::Value;

use super::close::close;
use super::draft::{self, SkillRequest, Source};
use super::{Draft, Request, Run, advance, context, intake, notices, preflight, remembered, wizard};
use crate::cli;
use crate::client::target::{Target, Targets};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::{Memory, ring::Phase};
use crate::project::scope::Scope;
use crate::report::Report;
use crate::system::env::Env;

/// `resume [RUN]` and `approve RUN`. Errors: E-RESUME-001 if no run waits, or not that one; otherwise as `create`.
pub fn resume(env: &mut Env, args: &cli::Resume, yes: bool, scope: Scope) -> Result<Report> {
    if args.fork {
        return fork::fork(env, args, yes, scope);
    }
    let request = request(args, yes, scope);
    let opened = preflight::open(env, &request, true)?;
    let id = waiting(opened.held.as_ref().map(|held| &held.memory), args.run.as_deref())?;
    let mut run = Run::resume(env, request, opened, &id)?;
    let outcome = resume_phase(&mut run, &format!("Resuming run {id}"));
    close(run, outcome)
}

fn request(args: &cli::Resume, yes: bool, scope: Scope) -> Request {
    Request { args: cli::Create { gate: args.gate.clone(), ..cli::Create::default() }, yes, scope }
}

fn waiting(memory: Option<&Memory>, wanted: Option<&str>) -> Result<String> {
    let all = memory.map_or_else(|| Ok(Vec::new()), Memory::waiting).coded(Code::Io, "the memory cannot be read")?;
    let fits = |id: &str| wanted.is_none_or(|wanted| id.starts_with(wanted) || id.ends_with(wanted));
    let mut fitting = all.iter().filter(|run| run.command == "create" && fits(&run.run_id));
    match (fitting.next(), wanted.and(fitting.next())) {
        (Some(run), None) => Ok(run.run_id.clone()),
        (Some(_), Some(_)) => {
            Err(Error::new(Code::ResumeNothing, "several waiting runs match this id").suggest(listed(&all)))
        }
        (None, _) => {
            let what = wanted.map(|wanted| format!(" with the id {wanted:?}")).unwrap_or_default();
            Err(Error::new(Code::ResumeNothing, format!("no run{what} is waiting")).suggest(listed(&all)))
        }
    }
}

fn listed(all: &[crate::memory::Run]) -> String {
    if all.is_empty() {
        return "`hefesto runs` lists the runs; `hefesto create` begins one.".into();
    }
    let lines = all.iter().map(|run| format!("{} ({})", run.run_id, run.started_at));
    format!("Waiting, newest first: {}.", lines.collect::<Vec<_>>().join(", "))
}

/// Continues after the last completed phase. Lines rejected since then are left out.
fn resume_phase(run: &mut Run<'_>, heading: &str) -> Result<Report> {
    let heading = run.env.err_style().head(heading);
    run.env.tell(&heading);
    let intake_state = run.state(Phase::Intake)?;
    let asked = intake_state.as_ref().and_then(|state| state["description"].as_str()).unwrap_or_default();
    context::begin_turn(run, asked);
    run.request.args.no_facts = intake_state.as_ref().is_some_and(|state| state["no_facts"] == true);
    let targets = match &intake_state {
        Some(state) => known(state, &run.workspace.settings.targets)?,
        None => Vec::new(),
    };
    run.record.targets = targets.iter().map(|target| target.id.clone()).collect();
    let draft = run.state(Phase::Generate)?.and_then(|state| Draft::from_state(&state, targets.clone()));
    if let Some(draft) = draft {
        return advance(run, Source::Draft(Box::new(draft)));
    }
    let facts = run.repository();
    if let Some(mut request) = intake_state.and_then(|state| SkillRequest::from_state(&state, targets, facts)) {
        let rejected = run.memory().and_then(|memory| memory.rejected().ok()).unwrap_or_default();
        request.remembered.retain(|one| !rejected.contains(&one.id));
        request.background = remembered::background_of_run(run, &request.description);
        notices::failed(run, &request.description);
        return advance(run, Source::Request(Box::new(request)));
    }
    let kept = run.wizard_answers();
    run.enter(Phase::Intake);
    let request = wizard::wizard(run, kept.as_ref())?;
    let source = intake::leave(run, request, true)?;
    advance(run, source)
}

/// The targets of the run. One that is no longer configured is named, not left out.
fn known(state: &Value, all: &Targets) -> Result<Vec<Target>> {
    let targets = draft::targets_of(state, all);
    let ids = state["targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
    match ids.into_iter().find(|id| all.get(id).is_none()) {
        Some(id) => {
            Err(Error::new(Code::CreateNoTarget, format!("the run is for {id:?}, which is no target any more"))
                .suggest(format!("Configure it again in `.hefesto/config.toml`. Known targets: {}.", all.ids())))
        }
        None => Ok(targets),
    }
}

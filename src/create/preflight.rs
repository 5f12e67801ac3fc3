//! How a run begins. P0 finds the project, recovers interrupted runs, checks that the run may work there, and detects
//! the AI CLIs. `resume` takes a waiting run up after the last phase it completed; the gate always asks again.

use serde_json::{Value, json};

use super::draft::{self, SkillRequest, Source};
use super::run::{Opened, Request, Run};
use super::{Draft, advance, context, finish::close, intake, notices, remembered, run_store::Durable, wizard};
use crate::cli;
use crate::client::target::{Target, Targets};
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::memory::ring::{Checkpoint, Phase};
use crate::memory::{self, Facts, Memory, RunEvent, Status};
use crate::project::open::{self as project_open, Governed};
use crate::project::{DATABASE, Project, scope::Scope};
use crate::report::{Report, slashed::Slashed};
use crate::system::{env::Env, input};
use crate::terminal::prompt::{Answer, Question};

/// Runs P0. Errors: ERR-004, E-CREATE-000, E-CONFIG-001. Nothing has been written then, except what recovery completed.
pub(super) fn preflight(env: &mut Env, request: Request) -> Result<Run<'_>> {
    let started = env.stamp();
    check_flags(&request)?;
    let opened = open(env, &request, false).inspect_err(|error| context::not_begun(env, &request, error))?;
    let notes = match &request.args.session {
        Some(id) => context::joined_session(env, &opened.project, &opened.settings, id)
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
    let settings = crate::config::load(env, &project)?;
    let governed = project_open::enter(env, &project)?;
    if !resumed {
        may_work_here(env, &project, request, &governed)?;
    }
    if governed.standards().source == crate::registry::standards::Source::Embedded && !governed.is_new() {
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
    if args.gate.rename_to.is_some() && args.gate.on_collision != Some(cli::OnCollision::Rename) {
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

/// `resume [RUN]` and `approve RUN`. Errors: E-RESUME-001 if no run waits, or not that one; otherwise as `create`.
pub fn resume(env: &mut Env, args: &cli::Resume, yes: bool, scope: Scope) -> Result<Report> {
    if args.fork {
        return fork(env, args, yes, scope);
    }
    let request = request(args, yes, scope);
    let opened = open(env, &request, true)?;
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

fn listed(all: &[memory::Run]) -> String {
    if all.is_empty() {
        return "`hefesto runs` lists the runs; `hefesto create` begins one.".into();
    }
    let lines = all.iter().map(|run| format!("{} ({})", run.run_id, run.started_at));
    format!("Waiting, newest first: {}.", lines.collect::<Vec<_>>().join(", "))
}

/// Continues after the last completed phase. Lines rejected since then are left out.
fn resume_phase(run: &mut Run<'_>, heading: &str) -> Result<Report> {
    run.env.tell(&run.env.err_style().head(heading));
    let intake_state = run.state(Phase::Intake)?;
    let asked = intake_state.as_ref().and_then(|state| state["description"].as_str()).unwrap_or_default();
    context::begin_turn(run, asked);
    run.args.no_facts = intake_state.as_ref().is_some_and(|state| state["no_facts"] == true);
    let targets = match &intake_state {
        Some(state) => known(state, &run.settings.targets)?,
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

/// Begins a new run with the checkpoints of another one, up to the phase it shall begin with. The other run is
/// unchanged, and the gate asks as always. Errors: E-RESUME-001 if there is no such run, E-MEMORY-001 if its
/// checkpoints are gone, E-CREATE-015 if one is damaged; otherwise as `create`.
fn fork(env: &mut Env, args: &cli::Resume, yes: bool, scope: Scope) -> Result<Report> {
    let from = args.from.unwrap_or(Phase::Generate);
    if !(Phase::Generate..=Phase::Approve).contains(&from) {
        return Err(Error::new(Code::Usage, format!("a run cannot be forked from {from}"))
            .suggest("It begins with P2, P3 or P4: the request is given, and the gate is asked again.")
            .usage("hefesto resume RUN --fork --from P2"));
    }
    let request = request(args, yes, scope);
    let opened = open(env, &request, true)?;
    let memory = opened.held.as_ref().map(|held| &held.memory);
    let (source, kept) = checkpoints(memory, args.run.as_deref(), from)?;
    let mut run = Run::begin(env, request, opened, source.description.as_deref());
    for one in &kept {
        let state = one.value();
        let text = |key: &str| state[key].as_str().map(str::to_owned);
        let facts = match one.phase {
            Phase::Intake => {
                Facts { description: text("description"), input_hash: text("input_hash"), ..Facts::default() }
            }
            Phase::Generate => Facts { skill: text("skill_name"), targets: source.targets.clone(), ..Facts::default() },
            _ => Facts::default(),
        };
        let at = run.env.now();
        run.note(RunEvent::Passed { phase: one.phase, data: one.data.clone(), at, facts });
        run.phase = one.phase;
    }
    let heading = format!("Run {}, forked from {} of run {}", run.id, from, source.run_id);
    let outcome = resume_phase(&mut run, &heading);
    close(run, outcome)
}

/// The named run, and its checkpoints before a phase.
fn checkpoints(memory: Option<&Memory>, wanted: Option<&str>, from: Phase) -> Result<(memory::Run, Vec<Checkpoint>)> {
    let none = || {
        let what = wanted.map(|wanted| format!(" with the id {wanted:?}")).unwrap_or_default();
        Error::new(Code::ResumeNothing, format!("there is no run{what} of `create` that could be forked"))
            .suggest("`hefesto runs` lists the runs.")
    };
    let memory = memory.ok_or_else(none)?;
    let found = memory.find_run(wanted).coded(Code::Io, "the memory cannot be read")?;
    let source = found.filter(|run| run.command == "create").ok_or_else(none)?;
    if source.status == Status::Running.word() {
        return Err(Error::new(Code::StillNeeded, format!("run {} is running", source.run_id)));
    }
    let mut kept = memory.checkpoints_of(&source).map_err(|error| {
        Error::new(Code::CreateMemory, format!("run {} cannot be forked", source.run_id)).because(error)
    })?;
    kept.retain(|one| one.phase < from);
    let needed = if from == Phase::Generate { Phase::Intake } else { Phase::Generate };
    if ![Phase::Intake, needed].iter().all(|phase| kept.iter().any(|one| one.phase == *phase)) {
        let said = format!("{needed} of run {} is not in the ring any more", source.run_id);
        return Err(Error::new(Code::PhaseNotInitialized, said)
            .suggest("Sixteen slots hold the last two runs; begin anew with `hefesto create`."));
    }
    Ok((source, kept))
}

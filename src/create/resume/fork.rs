//! `resume RUN --fork`: a new run that begins with the checkpoints of an earlier one.

use super::{request, resume_phase};
use crate::cli;
use crate::create::{Request, Run, close, preflight};
use crate::error::{Code, Coded, Error, Result};
use crate::memory::ring::{Checkpoint, Phase};
use crate::memory::{Facts, Memory, RunEvent, Status};
use crate::project::scope::Scope;
use crate::report::Report;
use crate::system::env::Env;

/// Begins a new run with the checkpoints of another one, up to the phase it shall begin with. The other run is
/// unchanged, and the gate asks as always. Errors: E-RESUME-001 if there is no such run, E-MEMORY-001 if its
/// checkpoints are gone, E-CREATE-015 if one is damaged; otherwise as `create`.
pub(super) fn fork(env: &mut Env, args: &cli::Resume, yes: bool, scope: Scope) -> Result<Report> {
    let from = args.from.unwrap_or(Phase::Generate);
    if !(Phase::Generate..=Phase::Approve).contains(&from) {
        return Err(Error::new(Code::Usage, format!("a run cannot be forked from {from}"))
            .suggest("It begins with P2, P3 or P4: the request is given, and the gate is asked again.")
            .usage("hefesto resume RUN --fork --from P2"));
    }
    let request: Request = request(args, yes, scope);
    let opened = preflight::open(env, &request, true)?;
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
    close::close(run, outcome)
}

/// The named run, and its checkpoints before a phase.
fn checkpoints(
    memory: Option<&Memory>,
    wanted: Option<&str>,
    from: Phase,
) -> Result<(crate::memory::Run, Vec<Checkpoint>)> {
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

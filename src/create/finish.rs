//! P6: the answer, with what was made, where, how to use it, and what to do next. And how a run ends: its status, what
//! is remembered of it, and its line in the operation log.

use serde_json::{Value, json};

use super::{Decision, Proposal, Run, context, generate, persist::Receipt, preview};
use crate::error::{Error, Exit, Result};
use crate::memory::{Ending, Status, ring::Phase};
use crate::registry::{audit, oplog};
use crate::report::Report;

/// Runs P6. Errors: E-CREATE-015 when the working memory's integrity is broken.
pub(super) fn finish(run: &mut Run<'_>, receipt: &Receipt) -> Result<Report> {
    run.enter(Phase::Finish);
    context::learn(run, receipt);
    let plan = &receipt.proposal.plan;
    let at = run.env.stamp();
    run.checkpoint(&json!({
        "final_state": "success", "skill_created": plan.name,
        "target_clis": plan.written().map(|entry| &entry.target.id).collect::<Vec<_>>(), "completed_at": at,
    }))?;
    let mut data = answer(run, &receipt.proposal);
    data["backup"] = json!(receipt.backup);
    data["approved_by"] = json!(receipt.by.word());
    let text = preview::success(run.env.style, &receipt.proposal, receipt.backup.as_deref());
    let text = run.env.spelled(text);
    let exit = if receipt.pending { Exit::FinishPending } else { Exit::Done };
    Ok(Report::done(data, text).exit(exit))
}

/// Ends a dry run: the same answer, nothing written.
pub(super) fn shown(run: &mut Run<'_>, proposal: &Proposal) -> Result<Report> {
    run.record.decision = Decision::DryRun;
    let mut data = answer(run, proposal);
    data["dry_run"] = json!(true);
    let mut text =
        run.record.understood.as_ref().map(|found| generate::understood_text(run.env.style, found)).unwrap_or_default();
    text.push_str(&preview::preview(run.env.style, proposal, None, run.initialises().as_deref()));
    text.push_str(&format!(
        "\nNothing was written (dry run).\nDigest: {0}\nTo write exactly this: the same command with `--approve {0}` in place of `--dry-run`.\n",
        proposal.plan.digest()
    ));
    if proposal.draft.drafted_by.is_some() {
        text.push_str("Another draft would differ, and its digest with it.\n");
    }
    Ok(Report::done(data, text))
}

/// The answer when every copy is installed already.
pub(super) fn in_place(run: &Run<'_>, proposal: &Proposal) -> Report {
    let places: String = proposal.plan.entries.iter().map(|entry| format!("  {}/\n", entry.display_path)).collect();
    let text = format!("Nothing to do: `{}` is there as it was approved.\n{places}", proposal.plan.name);
    Report::done(answer(run, proposal), text)
}

fn answer(run: &Run<'_>, proposal: &Proposal) -> Value {
    let Proposal { plan, draft, grade, trigger, .. } = proposal;
    let mut data = json!({
        "run_id": run.id, "name": draft.name, "description": draft.description, "category": draft.category,
        "tags": draft.tags, "template": draft.template, "targets": plan.targets_json(),
        "files_created": plan.files(), "backup": null, "approved_by": null, "grade": grade, "digest": plan.digest(),
        "phases": run.record.phases, "working_memory": run.memory_report(), "reach": trigger.json(),
    });
    if let Some(by) = &draft.drafted_by {
        data["drafted_by"] = json!(by);
        data["added_commands"] = json!(draft.added_commands);
        data["amended"] = json!(draft.amended);
    }
    if let Some(body) = &draft.body {
        data["body"] = json!({
            "packs": body.packs, "questions": body.open, "lines": body.content(), "specific": body.specific(),
        });
    }
    if !draft.remembered.is_empty() {
        data["remembered"] = json!(draft.remembered);
    }
    if let Some(understood) = &run.record.understood {
        data["explain"] = generate::understood_json(understood);
    }
    data
}

/// Ends the run: on an error the memory is rolled back to the previous phase; log and database record how it ended.
/// Errors: the run's own.
pub(super) fn close(mut run: Run<'_>, outcome: Result<Report>) -> Result<Report> {
    let (status, code) = match &outcome {
        Ok(_) if run.args.dry_run => (Status::DryRun, None),
        Ok(_) => (Status::Done, None),
        Err(error) => {
            let status = match failed_status(&run, error.exit_with()) {
                Status::Paused if !can_resume(&mut run) => Status::Declined,
                status => status,
            };
            run.record_phase(if status == Status::Failed { "failed" } else { "declined" });
            if status == Status::Failed
                && let Some(before) = run.phase.before()
            {
                run.roll_back_to(before);
            }
            (status, Some(error.code().to_string()))
        }
    };
    let (episode, facts, answers) = match run.context.learned.take() {
        Some((episode, facts, answers)) => (Some(episode), facts, answers),
        None => (context::ended(&mut run, status, outcome.as_ref().err()), Vec::new(), Vec::new()),
    };
    let waits = status == Status::Paused;
    if waits && !run.args.dry_run {
        run.settle();
    }
    let (id, at, phases) = (run.id.clone(), run.env.now(), std::mem::take(&mut run.record.phases));
    let phase = outcome.is_err().then_some(run.phase);
    let (error, episode, facts, answers) = (code.as_deref(), episode.as_ref(), &facts, &answers);
    let ending = Ending { status, at, phase, error, phases: &phases, episode, facts, answers };
    run.remember(|memory| memory.durably(|held| held.write_pending(&id).and_then(|()| held.memory.end(&id, &ending))));
    let task = phase.unwrap_or(Phase::Finish).label();
    run.with_sessions(|stm, key| {
        stm.task(key, task, status.word())?;
        if waits { Ok(()) } else { stm.end_run(key) }
    });
    log(&mut run, &outcome);
    let waits = waits && run.memory().is_some();
    outcome.map_err(|error| if waits { with_way_to_continue(&run, error) } else { error })
}

fn failed_status(run: &Run<'_>, exit: Exit) -> Status {
    match exit {
        Exit::TimedOut | Exit::Signal(_) => Status::Paused,
        // Only a person ends a run by declining it. Without a person it waits, and so does one that was resumed.
        Exit::Declined if run.record.decision == Decision::Nobody => Status::Paused,
        Exit::Declined if run.resumed && !run.record.decision.declines() => Status::Paused,
        Exit::Declined => Status::Declined,
        // A resumed run can be resumed again once the obstacle is gone.
        Exit::Refused | Exit::Busy | Exit::RolledBack if run.resumed => Status::Paused,
        _ => Status::Failed,
    }
}

/// Whether there is anything to resume: at least a description.
fn can_resume(run: &mut Run<'_>) -> bool {
    run.resumed || run.record.described || !matches!(run.state(Phase::Intake), Ok(None))
}

fn with_way_to_continue(run: &Run<'_>, error: Error) -> Error {
    let how = match (run.record.decision, run.phase) {
        (Decision::Nobody, Phase::Approve) => format!("Continue with `hefesto approve {}` in a terminal", run.id),
        _ => format!("Continue with `hefesto resume {}`", run.id),
    };
    let suggestion = match error.exit_with() {
        Exit::Signal(_) => format!("{how}."),
        _ => format!("{how}. {}", error.suggestion()),
    };
    error.suggest(suggestion)
}

fn log(run: &mut Run<'_>, outcome: &Result<Report>) {
    if !run.project.is_dir(crate::system::rooted::HOME) {
        return;
    }
    let failed = |error: &Error| format!("[{}] exit {}", error.code(), error.exit_with().number());
    let entry = oplog::Entry {
        timestamp: run.env.stamp(),
        operation: "create".into(),
        skill_name: run.record.skill.clone(),
        decision: run.record.decision.word().into(),
        user: run.env.var("USER").or_else(|| run.env.var("LOGNAME")).unwrap_or("user").to_owned(),
        target_clis: run.record.targets.clone(),
        response_time_seconds: run.record.response_seconds,
        success: outcome.is_ok(),
        error_message: outcome.as_ref().err().map(failed),
        run_id: Some(run.id.clone()),
        details: run.record.details.clone(),
    };
    audit::append(run.env, &run.project, &entry);
}

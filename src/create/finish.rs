//! P6: the answer: what was made, where, how to use it, and what to do next.

use serde_json::{Value, json};

use super::{Decision, Proposal, Run, context, explain, persist::Receipt, preview};
use crate::error::{Exit, Result};
use crate::memory::ring::Phase;
use crate::report::Report;

/// Runs P6. Errors: E-CREATE-015 when the working memory's integrity is broken.
pub(super) fn finish(run: &mut Run<'_>, receipt: &Receipt) -> Result<Report> {
    run.enter(Phase::Finish);
    context::learn(run, receipt);
    let plan = &receipt.proposal.plan;
    let at = run.env.stamp();
    run.checkpoint(&json!({
        "final_state": "success",
        "skill_created": plan.name,
        "target_clis": plan.written().map(|entry| &entry.target.id).collect::<Vec<_>>(),
        "completed_at": at,
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
    let mut text = run.record.understood.as_ref().map(|found| explain::text(run.env.style, found)).unwrap_or_default();
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
        data["explain"] = explain::json(understood);
    }
    data
}

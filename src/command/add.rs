//! `add NAME --target LIST`: installs the current text of a skill for more clients.

use serde_json::json;

use crate::cli;
use crate::client::detect;
use crate::client::target::{Selection, Target};
use crate::config::{self, Settings};
use crate::error::{Code, Error, Exit, Result};
use crate::project::Project;
use crate::project::copies::{self, Copies, Known, Wanted};
use crate::project::open::{self, Governed};
use crate::registry::Op;
use crate::report::Report;
use crate::skill::three_way::Choice;
use crate::system::env::Env;
use crate::transaction::{consent, operation};

/// Runs `hefesto add`.
/// Errors: E-SKILL-001 for a name that no skill has; E-CREATE-004 for an unknown target, or one that would have the
/// skill twice;
/// E-ADD-001 if the copies differ; E-CREATE-005 if the text breaks a rule of the new client.
pub(super) fn add(env: &mut Env, project: &Project, args: &cli::Add, yes: bool) -> Result<Report> {
    let settings = config::load(env, project)?;
    let (governed, registry) = open::enter_initialised(env, project)?;
    let known = Known::read(env, project, Some(registry));
    let skill = copies::named(project, &settings.targets, &known, &args.name)?;
    let found = detect::here(&settings.targets, &detect::places(env, project));
    let wanted = match &args.target {
        Selection::Named(ids) => detect::named(&settings.targets, ids)?,
        Selection::All => found.iter().map(|found| found.target.clone()).collect(),
    };
    let there = |target: &Target| skill.all.iter().any(|copy| copy.target.id == target.id && copy.tree().is_some());
    let more: Vec<Target> = wanted.into_iter().filter(|target| !there(target)).collect();
    if more.is_empty() {
        let data = json!({ "name": skill.name, "copies": [], "run_id": null, "approved_by": null });
        return Ok(Report::done(data, format!("`{}` is there already; nothing to do.\n", skill.name)));
    }
    laid_out(&skill, &more)?;
    let text = agreed(project, &skill)?;
    let mut written = copies::write(&skill, &text, &more);
    written.steps.retain(|step| more.iter().any(|target| target.id == step.target));
    written.settled.clear();
    if let Some(error) = refused(&skill, &written, &settings) {
        return Err(error);
    }
    let now = env.stamp();
    let ids: Vec<&str> = more.iter().map(|target| target.id.as_str()).collect();
    let mut operation = written.operation("add", &skill.name, &now, format!("added for {}", ids.join(", ")));
    let new = more.iter().filter(|target| !knows(&governed, target));
    operation.ops.insert(0, Op::UpsertClis { clis: new.map(|target| detect::row(target, &found)).collect() });
    let preview = operation.preview(env.err_style(), project);
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let done = operation::carry_out(env, project, &consent, &operation)?;
    let data = json!({
        "name": skill.name, "copies": operation.json(project), "run_id": done.run, "approved_by": consent.by().word(),
    });
    let mut text = format!("{} `{}` is there for {} too.\n", env.style.tick(), skill.name, ids.join(", "));
    for (step, target) in operation.steps.iter().zip(&more) {
        let call = target.invoke.replace("NAME", &skill.name);
        text.push_str(&format!("  {}/ (in {}: {call})\n", project.shown(&step.at), target.title));
    }
    text.push_str("\nTo take it back: hefesto undo\n");
    Ok(Report::done(data, env.spelled(text)).exit(if done.pending { Exit::FinishPending } else { Exit::Done }))
}

fn knows(governed: &Governed, target: &Target) -> bool {
    governed.knows(&target.id)
}

/// The text shared by all copies.
pub(super) fn agreed(project: &Project, skill: &Copies) -> Result<crate::skill::Tree> {
    let merged = skill.merge(project.roots(), Wanted::default(), &mut |_| Choice::Ours);
    let merged =
        merged.ok_or_else(|| Error::new(Code::ShowUnreadable, format!("no copy of `{}` can be read", skill.name)))?;
    let present = skill.own().find_map(copies::Copy::tree).map(crate::client::adapt::neutral);
    let text = present.unwrap_or(merged.tree);
    if skill.agree() {
        return Ok(text);
    }
    let ids: Vec<&str> = skill.own().filter(|copy| copy.tree().is_some()).map(|copy| copy.target.id.as_str()).collect();
    Err(Error::new(
        Code::AddDiffer,
        format!("the copies of `{}` differ ({}); nothing was written", skill.name, ids.join(", ")),
    )
    .suggest(format!("Bring them together first: `hefesto sync {}`.", skill.name)))
}

/// Refuses targets by which a client would read the skill twice, from the shared directory and from its own.
fn laid_out(skill: &Copies, more: &[Target]) -> Result<()> {
    let all: Vec<Target> = skill.own().map(|copy| copy.target.clone()).chain(more.iter().cloned()).collect();
    let double: Vec<String> = detect::doubled(&all);
    let new = |id: &String| more.iter().any(|target| target.id == *id || target.id == "agents");
    if !double.iter().any(new) {
        return Ok(());
    }
    let message = format!("{}, so `{}` would be there twice", detect::also_read(&double), skill.name);
    let error = Error::new(Code::CreateNoTarget, message);
    Err(if more.iter().any(|target| target.id == "agents") {
        error.suggest(format!(
            "Leave `agents` out, or delete those copies first: `hefesto delete {} --cli {}`.",
            skill.name,
            double.join(",")
        ))
    } else {
        error.suggest("It has the skill already, from the shared directory.")
    })
}

fn refused(skill: &Copies, written: &copies::Written, settings: &Settings) -> Option<Error> {
    copies::unacceptable(&skill.name, &written.steps, |id| settings.targets.get(id), &settings.severities)
}

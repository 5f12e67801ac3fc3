//! `add NAME --target LIST`: installs the current text of a skill for more clients.

use serde_json::json;

use super::skills::{self, Skills};
use crate::cli;
use crate::client::detect;
use crate::client::target::{Selection, Target};
use crate::error::{Code, Error, Result};
use crate::project::Project;
use crate::project::copies::{self, Copies, Wanted};
use crate::registry::Op;
use crate::report::Report;
use crate::skill::three_way::Choice;
use crate::system::env::Env;

/// Errors: E-SKILL-001 for a name that no skill has; E-CREATE-004 for an unknown target, or one that would have the
/// skill twice; E-ADD-001 if the copies differ; E-CREATE-005 if the text breaks a rule of the new client.
pub(super) fn add(env: &mut Env, project: &Project, args: &cli::Add, yes: bool) -> Result<Report> {
    let skills = Skills::open(env, project)?;
    let skill = skills.named(&args.name)?;
    let targets = &skills.settings.targets;
    let found = detect::here(targets, &detect::places(env, project));
    let wanted = match &args.target {
        Selection::Named(ids) => detect::named(targets, ids)?,
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
    skills.accept(&skill.name, &written.steps)?;
    let now = env.stamp();
    let ids: Vec<&str> = more.iter().map(|target| target.id.as_str()).collect();
    let mut operation = written.operation("add", &skill.name, &now, format!("added for {}", ids.join(", ")));
    let new = more.iter().filter(|target| !skills.governed.knows(&target.id));
    operation.ops.insert(0, Op::UpsertClis { clis: new.map(|target| detect::row(target, &found)).collect() });
    let done = skills::carry_out(env, project, &operation, yes, skills.settings.gate_limit())?;
    let data = json!({
        "name": skill.name, "copies": operation.json(project), "run_id": done.run, "approved_by": done.approved_by,
    });
    let mut text = format!("{} `{}` is there for {} too.\n", env.style.tick(), skill.name, ids.join(", "));
    for (step, target) in operation.steps.iter().zip(&more) {
        let call = target.invoke.replace("NAME", &skill.name);
        text.push_str(&format!("  {}/ (in {}: {call})\n", project.shown(&step.at), target.title));
    }
    text.push_str(skills::BACK);
    Ok(skills::finished(env, data, text, done.pending))
}

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
    let (name, ids) = (&skill.name, ids.join(", "));
    Err(Error::new(Code::AddDiffer, format!("the copies of `{name}` differ ({ids}); nothing was written"))
        .suggest(format!("Bring them together first: `hefesto sync {name}`.")))
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
    let delete = format!("`hefesto delete {} --cli {}`", skill.name, double.join(","));
    Err(match more.iter().any(|target| target.id == "agents") {
        true => error.suggest(format!("Leave `agents` out, or delete those copies first: {delete}.")),
        false => error.suggest("It has the skill already, from the shared directory."),
    })
}

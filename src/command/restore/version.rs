//! `restore NAME@VERSION`: every copy says again what it said in a version that is kept.

use serde_json::json;

use crate::config::Settings;
use crate::error::{Exit, Result};
use crate::memory::InstalledCopy;
use crate::project::Project;
use crate::project::copies::{self, Known, Version};
use crate::registry::Registry;
use crate::report::Report;
use crate::skill::printable;
use crate::skill::rename::renamed;
use crate::system::env::Env;
use crate::transaction::consent;
use crate::transaction::operation::{self, Operation};

/// Runs `hefesto restore NAME@VERSION`. Where no copy is left, those of the version come back.
pub(super) fn restore(
    env: &mut Env,
    project: &Project,
    settings: &Settings,
    registry: Registry,
    (name, version): (&str, &str),
    yes: bool,
) -> Result<Report> {
    let (found, text) = copies::version_of(project, name, version, None)?;
    // A version from before a rename comes back under the present name.
    let text = if found.name == name { text } else { renamed(&text, &found.name, name) };
    let known = Known::read(env, project, Some(registry));
    let skill = copies::gather(project, &settings.targets, &known, &[name.to_owned()]).pop();
    let mut skill =
        skill.unwrap_or_else(|| copies::Copies { name: name.to_owned(), all: Vec::new(), newer: Vec::new() });
    skill.all.retain(|copy| copy.tree().is_some());
    let then = |id: &str| found.copies.iter().any(|copy| copy.target == id && copy.digest.is_some());
    let gone = settings.targets.iter().filter(|target| skill.all.is_empty() && then(&target.id)).cloned();
    let more: Vec<_> = gone.collect();
    let written = copies::write(&skill, &text, &more);
    let from = format!("{name}@{version}");
    if written.steps.is_empty() {
        let data = json!({
            "name": name, "skills": [name], "from": from, "restored": [], "backup": null, "run_id": null, "approved_by": null,
        });
        return Ok(Report::done(data, format!("`{}` is as it was in {version}; nothing to do.\n", printable(name))));
    }
    let target_of = |id: &str| settings.targets.get(id);
    if let Some(error) = copies::unacceptable(name, &written.steps, target_of, &settings.severities) {
        return Err(error);
    }
    let mut operation = written.operation("restore", name, &env.stamp(), format!("version {version} again"));
    operation.installed = Some(following(&operation, &found));
    let preview = operation.preview(env.err_style(), project);
    let consent = consent::ask(env, &preview, yes, settings.gate_limit())?;
    let done = operation::carry_out(env, project, &consent, &operation)?;
    let backup = done.backup.as_deref().map(|path| project.display(path));
    let data = json!({
        "name": name, "skills": [name], "from": from, "restored": operation.json(project), "backup": backup, "run_id": done.run,
        "approved_by": consent.by().word(),
    });
    let mut said = format!("{} `{}` is in version {} again.\n", env.style.tick(), printable(name), printable(version));
    for step in &operation.steps {
        said.push_str(&format!("  {} {}/\n", step.word(), project.shown(&step.at)));
    }
    Ok(Report::done(data, env.spelled(said)).exit(if done.pending { Exit::FinishPending } else { Exit::Done }))
}

/// What the operation leaves, which follows the recipe of this version again.
fn following(operation: &Operation, version: &Version) -> Vec<InstalledCopy> {
    let recipe = version.copies.iter().find_map(|copy| copy.recipe.clone());
    operation.left().into_iter().map(|copy| InstalledCopy { recipe: recipe.clone(), ..copy }).collect()
}

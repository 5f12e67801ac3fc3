//! `restore NAME@VERSION`: every copy says again what it said in a version that is kept.

use serde_json::json;

use super::super::skills::{self, Skills};
use crate::error::Result;
use crate::memory::InstalledCopy;
use crate::project::copies::{self, Version};
use crate::report::Report;
use crate::skill::{Tree, printable, rename::renamed};
use crate::system::env::Env;
use crate::transaction::operation::Operation;

/// Runs `hefesto restore NAME@VERSION`. Where no copy is left, those of the version come back.
pub(super) fn restore(
    env: &mut Env,
    skills: &Skills<'_>,
    (name, version): (&str, &str),
    (found, text): (Version, Tree),
    yes: bool,
) -> Result<Report> {
    let Skills { project, settings, .. } = skills;
    // A version from before a rename comes back under the present name.
    let text = if found.name == name { text } else { renamed(&text, &found.name, name) };
    let skill = skills.gather(&[name.to_owned()]).pop();
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
    skills.accept(name, &written.steps)?;
    let mut operation = written.operation("restore", name, &env.stamp(), format!("version {version} again"));
    operation.installed = Some(following(&operation, &found));
    let done = skills::carry_out(env, project, &operation, yes, settings.gate_limit())?;
    let data = json!({ "name": name, "skills": [name], "from": from, "restored": operation.json(project) });
    let mut said = format!("{} `{}` is in version {} again.\n", env.style.tick(), printable(name), printable(version));
    said.push_str(&skills::lines(project, &operation.steps));
    Ok(done.report(env, data, said))
}

/// What the operation leaves, which follows the recipe of this version again.
fn following(operation: &Operation, version: &Version) -> Vec<InstalledCopy> {
    let recipe = version.copies.iter().find_map(|copy| copy.recipe.clone());
    operation.left().into_iter().map(|copy| InstalledCopy { recipe: recipe.clone(), ..copy }).collect()
}

//! What whoever writes the body has to know: for a drafter, and for `--brief`.

use super::Draft;
use super::draft::Brief;
use crate::client::detect;
use crate::client::drafting::Assignment;
use crate::config::Settings;
use crate::project::{Project, inventory};
use crate::skill::template;
use crate::system::env::Env;

/// How many of the skills that are here are named.
const MOST_OTHERS: usize = 40;

/// What a body is wanted for. `known` is the context of a turn, as `memory turn context` shows it.
#[must_use]
pub(super) fn assignment(
    env: &Env,
    project: &Project,
    settings: &Settings,
    draft: &Draft,
    wanted: &Brief,
    known: &str,
) -> Assignment {
    let found = detect::here(&settings.targets, &detect::places(env, project));
    let read = draft.targets.iter().chain(found.iter().map(|found| &found.target));
    let mut others: Vec<String> = read
        .flat_map(|target| inventory::skills_in(project, &target.skills_dir))
        .map(|name| name.to_string())
        .collect();
    others.sort();
    others.dedup();
    others.retain(|name| *name != draft.name);
    others.truncate(MOST_OTHERS);
    let outline = draft.text.find("\n## ").and_then(|at| draft.text.get(at + 1..)).unwrap_or(&draft.text).to_owned();
    Assignment {
        name: draft.name.clone(),
        description: wanted.description.clone(),
        facts: wanted.attachments.facts(),
        sources: wanted.attachments.cited(),
        category: draft.category.clone(),
        tags: draft.tags.clone(),
        targets: draft.targets.iter().map(|target| target.title.clone()).collect(),
        resources: draft.resources.iter().map(|resource| resource.path.clone()).collect(),
        others,
        known: known.to_owned(),
        gaps: template::questions(&outline).into_iter().map(str::to_owned).collect(),
        outline,
    }
}

//! Where the copies go: each client's own directory, or one copy in the shared directory for all who read it.

use super::Run;
use crate::cli;
use crate::client::target::{Layout, Target};

/// The shared directory's id in the target table.
const SHARED: &str = "agents";

/// The layout a person asked for: the flag, else the settings.
fn asked(run: &Run<'_>) -> Option<Layout> {
    let flag = run.request.args.layout.map(|layout| match layout {
        cli::Layout::Native => Layout::Native,
        cli::Layout::Shared => Layout::Shared,
    });
    flag.or(run.settings.layout.value)
}

/// Whether targets that are named go to the shared directory where their clients read it.
pub(super) fn shares_named(run: &Run<'_>) -> bool {
    asked(run) == Some(Layout::Shared)
}

/// Lays out targets that were named: as named, unless the shared layout is asked for.
pub(super) fn named(run: &mut Run<'_>, targets: Vec<Target>) -> Vec<Target> {
    if shares_named(run) { shared(run, targets) } else { targets }
}

/// Lays out everything that is here: shared where that is asked for or the project already keeps skills that way, else
/// native. A shared directory that was registered by hand counts as one in use.
pub(super) fn everything(run: &mut Run<'_>, mut here: Vec<Target>) -> Vec<Target> {
    let registered = here.iter().any(|target| target.id == SHARED);
    let in_use = || run.settings.targets.get(SHARED).is_some_and(|dir| run.project.is_dir(&dir.skills_dir));
    match asked(run) {
        Some(Layout::Shared) => shared(run, here),
        None if registered || in_use() => shared(run, here),
        Some(Layout::Native) | None => {
            if here.iter().any(|target| target.id != SHARED) {
                here.retain(|target| target.id != SHARED);
            }
            here
        }
    }
}

/// One copy in the shared directory, and one for each client that does not read it.
fn shared(run: &mut Run<'_>, targets: Vec<Target>) -> Vec<Target> {
    let Some(agents) = run.settings.targets.get(SHARED).cloned() else { return targets };
    let (readers, mut laid): (Vec<Target>, Vec<Target>) =
        targets.into_iter().partition(|target| target.also_reads.contains(&agents.skills_dir));
    if !readers.is_empty() {
        let ids: Vec<&str> = readers.iter().map(|target| target.id.as_str()).collect();
        run.env.tell(&format!("One copy in {} serves {}.", run.project.told(&agents.skills_dir), ids.join(", ")));
    }
    if !laid.iter().any(|target| target.id == SHARED) {
        laid.push(agents);
    }
    laid
}

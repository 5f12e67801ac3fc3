//! The answers of the last run that made a skill.

use super::Run;
use crate::client::target::Target;
use crate::config::Origin;
use crate::memory::ring::Phase;
use crate::skill::printable;

/// What the wizard proposes again.
#[derive(Debug, Clone, Default)]
pub(super) struct LastRun {
    id: String,
    targets: Vec<String>,
    license: Option<String>,
}

impl LastRun {
    /// Empty if there is none or the memory cannot be read.
    pub(super) fn find(run: &Run<'_>) -> Self {
        let Some(memory) = run.memory() else { return Self::default() };
        let Ok(Some(last)) = memory.last_done("create", &run.id) else { return Self::default() };
        let state = memory.get_state(last.lane, &last.run_id, Phase::Intake).ok().map(|checkpoint| checkpoint.value());
        let license = state.and_then(|state| state["license"].as_str().map(str::to_owned));
        let targets = last.targets.unwrap_or_default();
        Self {
            id: last.run_id,
            targets: targets.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect(),
            license,
        }
    }

    /// The targets, if all of them are still installed and they are a selection of those installed.
    pub(super) fn targets(&self, run: &mut Run<'_>, present: &[Target]) -> Option<Vec<Target>> {
        let ids = &self.targets;
        let same: Vec<Target> = present.iter().filter(|target| ids.contains(&target.id)).cloned().collect();
        if same.is_empty() || same.len() != ids.len() || same.len() == present.len() {
            return None;
        }
        run.env.say(&format!("As in the last run ({}), the proposed targets are {}.", self.id, ids.join(", ")));
        Some(same)
    }

    /// Uses the licence of the last run if neither a flag nor a setting names one.
    pub(super) fn license(&self, run: &mut Run<'_>) {
        let free = run.args.license.is_none() && matches!(run.settings.license.origin, Origin::Default);
        if let (true, Some(license)) = (free, &self.license)
            && *license != run.settings.license.value
        {
            let (shown, id) = (printable(license), &self.id);
            let said = format!("The licence is {shown}, as in the last run ({id}); `--license ID` chooses another.");
            run.env.say(&said);
            run.args.license = Some(license.clone());
        }
    }
}

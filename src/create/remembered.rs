//! What was answered in the last run that made a skill: the wizard proposes it again, and says so.

use super::Run;
use crate::client::target::Target;
use crate::config::Origin;
use crate::memory::ring::Phase;

/// The answers of the last run.
#[derive(Debug, Clone, Default)]
pub(super) struct Before {
    run: String,
    targets: Vec<String>,
    license: Option<String>,
}

/// Looks the last run up. Nothing where there is none or the memory cannot say.
pub(super) fn before(run: &Run<'_>) -> Before {
    let Some(memory) = run.memory() else { return Before::default() };
    let Ok(Some(last)) = memory.last_done("create", &run.id) else { return Before::default() };
    let state = memory.get_state(last.lane, &last.run_id, Phase::Intake).ok().map(|checkpoint| checkpoint.value());
    let license = state.and_then(|state| state["license"].as_str().map(str::to_owned));
    let targets = last.targets.unwrap_or_default();
    Before {
        run: last.run_id,
        targets: targets.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect(),
        license,
    }
}

impl Before {
    /// The targets, where all of them are here still and they are not simply all there are.
    pub(super) fn targets(&self, run: &mut Run<'_>, present: &[Target]) -> Option<Vec<Target>> {
        let ids = &self.targets;
        let same: Vec<Target> = present.iter().filter(|target| ids.contains(&target.id)).cloned().collect();
        if same.is_empty() || same.len() != ids.len() || same.len() == present.len() {
            return None;
        }
        run.env.say(&format!("Proposed as in the last run ({}): the targets {}.", self.run, ids.join(", ")));
        Some(same)
    }

    /// Takes the licence over, where neither a flag nor a setting names one.
    pub(super) fn license(&self, run: &mut Run<'_>) {
        let free = run.request.args.license.is_none() && matches!(run.settings.license.origin, Origin::Default);
        if let (true, Some(license)) = (free, &self.license)
            && *license != run.settings.license.value
        {
            let license_shown = crate::skill::printable(license);
            run.env.say(&format!(
                "The licence is {license_shown}, as in the last run ({}); `--license ID` chooses another.",
                self.run
            ));
            run.request.args.license = Some(license.clone());
        }
    }
}

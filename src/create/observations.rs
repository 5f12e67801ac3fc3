//! What P0 and P1 observe is cached in the run's loop, and the later phases read it from there (OODA-3). What
//! has expired is observed again.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Run, context};
use crate::client::detect;
use crate::memory::{RunEvent, context::InstalledSkill};
use crate::project::{Project, facts};
use crate::registry::CliRow;
use crate::rules::secrets;
use crate::skill::fact::Facts;

const CLIENTS: &str = "clients";
const SKILLS: &str = "skills";
const REPOSITORY: &str = "repository";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Present {
    pub row: CliRow,
    /// For the shared directory: the clients on this machine that read it.
    pub serves: Vec<String>,
}

impl Run<'_> {
    /// The AI CLIs on this machine, cached.
    pub(super) fn clients(&mut self) -> Vec<Present> {
        self.observed(CLIENTS).unwrap_or_else(|| self.observe_clients())
    }

    /// Detects the AI CLIs on this machine now.
    pub(super) fn observe_clients(&mut self) -> Vec<Present> {
        let found = detect::here(&self.settings.targets, &detect::places(self.env, &self.project));
        let present = found.iter().map(|one| Present {
            row: detect::row(&one.target, &found),
            serves: one.serves.iter().map(|title| (*title).to_owned()).collect(),
        });
        self.observe(CLIENTS, present.collect(), false)
    }

    /// The installed skills, cached.
    pub(super) fn skills(&mut self) -> Vec<InstalledSkill> {
        self.observed(SKILLS).unwrap_or_else(|| {
            let here = context::installed(self.env, &self.project, &self.settings);
            self.observe_skills(here)
        })
    }

    /// Caches the skills installed now, with credentials redacted.
    pub(super) fn observe_skills(&mut self, here: Vec<InstalledSkill>) -> Vec<InstalledSkill> {
        let clean = |text: &str| secrets::redact(text).0.into_owned();
        let here = here.into_iter().map(|skill| InstalledSkill {
            description: clean(&skill.description),
            questions: skill.questions.iter().map(|text| clean(text)).collect(),
            others: skill.others.iter().map(|(place, text)| (place.clone(), clean(text))).collect(),
            ..skill
        });
        self.observe(SKILLS, here.collect(), false)
    }

    /// The facts of the repository when the run began; none with `--no-facts`.
    pub(super) fn repository(&mut self) -> Facts {
        let known: Option<Option<Facts>> = self.observed(REPOSITORY);
        let known = known.unwrap_or_else(|| {
            let said = said(&self.project, self.args.no_facts);
            self.observe(REPOSITORY, Some(said).filter(|said| *said != Facts::default()), true)
        });
        known.unwrap_or_default()
    }

    fn observed<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        let now = self.env.now().as_millisecond();
        serde_json::from_value(self.memory.observed(&self.id, key, now)?).ok()
    }

    /// Caches an observation; `lasting` until the run ends, else as long as the settings say.
    fn observe<T: Serialize>(&mut self, key: &'static str, seen: T, lasting: bool) -> T {
        let at = self.env.now().as_millisecond();
        if let Ok(value) = serde_json::to_value(&seen) {
            self.note(RunEvent::Observed { key, value, lasting, at });
        }
        seen
    }
}

pub(super) fn said(project: &Project, left_out: bool) -> Facts {
    if left_out { Facts::default() } else { facts::facts(project).facts }
}

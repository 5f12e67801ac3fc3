//! What P0 and P1 observe is cached in the run's loop (OODA-3); what has expired is observed again. Findings that made
//! drafts invalid are events of the loop (OODA-2), which later edits, drafts and attempts are shown.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{Run, context};
use crate::client::detect;
use crate::memory::ooda::{ObservationEvent, Source};
use crate::memory::{Memory, RunEvent, context::InstalledSkill};
use crate::project::{Project, facts};
use crate::rules::finding::{Finding, Severity};
use crate::rules::secrets;
use crate::skill::fact::Facts;

const CLIENTS: &str = "clients";
const SKILLS: &str = "skills";
const REPOSITORY: &str = "repository";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Present {
    pub row: crate::registry::CliRow,
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
            let said = facts_of(&self.project, self.args.no_facts);
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

pub(super) fn facts_of(project: &Project, left_out: bool) -> Facts {
    if left_out { Facts::default() } else { facts::facts(project).facts }
}

/// Prefix of the description of such an event.
const FOUND: &str = "P3 validate found ";

impl Run<'_> {
    /// Records the findings of an invalid draft, the most severe last: of equal urgency the newest comes first.
    pub(super) fn found(&mut self, findings: &[Finding]) {
        let at = self.env.now().as_millisecond();
        let events = findings.iter().rev().map(|one| event(&self.id, one, at)).collect();
        self.note(RunEvent::Events(events));
    }

    /// The findings of earlier drafts of this run.
    pub(super) fn found_before(&self) -> Vec<String> {
        said(self.memory.events(&self.id).iter().map(|event| event.description.as_str()))
    }
}

/// The findings of an ended run: its epoch is flushed, so they are in the summary.
pub(super) fn found_in_run(memory: &Memory, run: &str) -> Vec<String> {
    let Ok(Some(epoch)) = memory.epoch(Some(run)) else { return Vec::new() };
    let summary = epoch.summary.unwrap_or_default();
    said(summary["key_events"].as_array().into_iter().flatten().filter_map(Value::as_str))
}

fn said<'t>(descriptions: impl Iterator<Item = &'t str>) -> Vec<String> {
    descriptions.filter_map(|text| text.strip_prefix(FOUND)).map(str::to_owned).collect()
}

fn event(run: &str, finding: &Finding, at: i64) -> ObservationEvent {
    let Finding { rule, file, line, message, fix, severity, .. } = finding;
    let clean = |text: &str| secrets::redact(text).0.into_owned();
    let place = format!("{file}:{line}");
    let payload = json!({
        "rule": rule, "place": place, "severity": severity.word(), "message": clean(message), "fix": clean(fix),
    });
    ObservationEvent {
        event_id: format!("{run}-{rule}-{place}"),
        source: Source::System,
        description: clean(&format!("{FOUND}{rule} at {place}: {message}. {fix}")),
        payload: match payload {
            Value::Object(fields) => fields,
            _ => Map::new(),
        },
        at,
        priority: urgency(*severity),
    }
}

fn urgency(severity: Severity) -> u32 {
    match severity {
        Severity::Error => 8,
        Severity::Warning => 4,
        Severity::Info => 2,
    }
}

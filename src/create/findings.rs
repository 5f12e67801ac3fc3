//! Findings that made drafts invalid, stored as events of the run's loop (OODA-2): the next edit, the next draft and
//! the next attempt at the same skill are shown them.

use serde_json::{Map, Value, json};

use super::Run;
use crate::memory::ooda::{ObservationEvent, Source};
use crate::memory::{Memory, RunEvent};
use crate::rules::finding::{Finding, Severity};
use crate::rules::secrets;

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
pub(super) fn of_run(memory: &Memory, run: &str) -> Vec<String> {
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

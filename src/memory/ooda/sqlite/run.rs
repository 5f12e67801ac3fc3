//! One run is one epoch: its phases are the nodes of one graph, and their results are its events. Written in the
//! transaction of the phase's checkpoint, so that the two always agree.

use rusqlite::Transaction;
use serde_json::{Value, json};

use super::{add, keep, rows, sum_up};
use crate::memory::Facts;
use crate::memory::ooda::{CachedEntity, Limits, NodeStatus, ObservationEvent};
use crate::memory::ring::Phase;

/// The priority of a failed phase's event; a successful one has 0.
const FAILURE: u32 = 9;

fn dag(run: &str) -> String {
    format!("create:{run}")
}

fn node(phase: Phase) -> String {
    format!("{} {}", phase.label(), phase.name())
}

/// Opens a run's epoch with P0 running.
pub(in crate::memory) fn begun(tx: &Transaction<'_>, run: &str, now: i64) -> anyhow::Result<()> {
    rows::open(tx, run, Some(run), now)?;
    rows::register(tx, run, &dag(run), &Phase::ALL.map(node), Some(Phase::Preflight.index()))
}

/// A phase is done: the next one runs, later ones are pending again.
pub(in crate::memory) fn passed(
    tx: &Transaction<'_>,
    run: &str,
    phase: Phase,
    facts: &Facts,
    limits: Limits,
    now: i64,
) -> anyhow::Result<()> {
    let (dag, at) = (dag(run), phase.index());
    if !rows::advance(tx, run, &dag, at)? {
        for other in Phase::ALL.into_iter().skip(at) {
            let status = match other.index() - at {
                0 => NodeStatus::Completed,
                1 => NodeStatus::Running,
                _ => NodeStatus::Pending,
            };
            rows::set_node(tx, run, &dag, &node(other), status)?;
        }
    }
    tell(tx, run, &format!("{} done", node(phase)), 0, limits, now)?;
    let known = [
        ("description", &facts.description),
        ("skill", &facts.skill),
        ("targets", &facts.targets),
        ("approved_by", &facts.approved_by),
        ("digest", &facts.digest),
    ];
    for (key, value) in known {
        let Some(value) = value else { continue };
        observed(tx, run, (key, &json!(value)), None, limits, now)?;
    }
    Ok(())
}

pub(in crate::memory) fn observed(
    tx: &Transaction<'_>,
    run: &str,
    (key, value): (&str, &Value),
    ttl_seconds: Option<i64>,
    limits: Limits,
    now: i64,
) -> anyhow::Result<()> {
    let (key, value) = (key.to_owned(), value.clone());
    let entity = CachedEntity { key, value, ttl_seconds, created: now, source_event_id: None };
    keep(tx, run, &entity, limits).map(|_gone| ())
}

/// The ring was rolled back to a phase: later phases are pending again.
pub(in crate::memory) fn undone(tx: &Transaction<'_>, run: &str, phase: Phase) -> anyhow::Result<()> {
    let live = rows::known(tx, run)?.is_some_and(|epoch| epoch.flushed_at.is_none());
    if live {
        for later in Phase::ALL.into_iter().filter(|later| *later > phase) {
            rows::set_node(tx, run, &dag(run), &node(later), NodeStatus::Pending)?;
        }
    }
    Ok(())
}

/// A waiting run is resumed after this phase.
pub(in crate::memory) fn taken_up(
    tx: &Transaction<'_>,
    run: &str,
    last: Option<Phase>,
    limits: Limits,
    now: i64,
) -> anyhow::Result<()> {
    let next = last.map_or(0, |last| last.index() + 1);
    if let Some(next) = Phase::ALL.get(next) {
        rows::set_node(tx, run, &dag(run), &node(*next), NodeStatus::Running)?;
    }
    tell(tx, run, "taken up again", 0, limits, now)
}

/// A run has ended, or waits. A waiting one keeps its epoch; otherwise it is summarised and cleared.
pub(in crate::memory) fn ended(
    tx: &Transaction<'_>,
    run: &str,
    (at, error, waits): (Option<(Phase, NodeStatus)>, Option<&str>, bool),
    limits: Limits,
    now: i64,
) -> anyhow::Result<()> {
    let Some(epoch) = rows::known(tx, run)?.filter(|epoch| epoch.flushed_at.is_none()) else { return Ok(()) };
    if let Some((phase, status)) = at {
        rows::set_node(tx, run, &dag(run), &node(phase), status)?;
        let (what, urgency) = match status {
            NodeStatus::Failed => ("failed", FAILURE),
            NodeStatus::Parked => ("waits", 1),
            _ => ("decided", 1),
        };
        let code = error.map(|code| format!(": {code}")).unwrap_or_default();
        tell(tx, run, &format!("{} {what}{code}", node(phase)), urgency, limits, now)?;
    }
    if !waits {
        return sum_up(tx, &epoch, now).map(|_summary| ());
    }
    // A run that died or was interrupted left its phase as running.
    for dag in rows::dags(tx, run)? {
        for (node, _) in dag.nodes().filter(|(_, status)| *status == NodeStatus::Running) {
            rows::set_node(tx, run, dag.id(), node, NodeStatus::Parked)?;
        }
    }
    Ok(())
}

fn tell(tx: &Transaction<'_>, run: &str, what: &str, priority: u32, limits: Limits, now: i64) -> anyhow::Result<()> {
    let counts = rows::counts(tx, run)?;
    let seen = counts.processed + 1;
    let event = ObservationEvent {
        event_id: format!("{run}-{seen}"),
        description: what.to_owned(),
        at: now,
        priority,
        ..ObservationEvent::default()
    };
    add(tx, run, counts, &event, limits, now).map(|_gone| ())
}

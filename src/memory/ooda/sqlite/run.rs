//! One run is one epoch: its phases are the nodes of one graph, and their results are its events. Written in the
//! transaction of the phase's checkpoint, so that the two always agree.

use serde_json::{Value, json};

use super::{add, keep, rows, sum_up};
use crate::memory::Facts;
use crate::memory::ooda::{CachedEntity, NodeStatus, ObservationEvent};
use crate::memory::ring::Phase;
use crate::memory::run::RunTx;

/// The priority of a failed phase's event; a successful one has 0.
const FAILURE: u32 = 9;

fn dag(run: &str) -> String {
    format!("create:{run}")
}

fn node(phase: Phase) -> String {
    format!("{} {}", phase.label(), phase.name())
}

/// Opens a run's epoch with P0 running.
pub(in crate::memory) fn begun(RunTx { tx, run, now, .. }: RunTx<'_>) -> anyhow::Result<()> {
    rows::open(tx, run, Some(run), now)?;
    rows::register(tx, run, &dag(run), &Phase::ALL.map(node), Some(Phase::Preflight.index()))
}

/// A phase is done: the next one runs, later ones are pending again.
pub(in crate::memory) fn passed(at: RunTx<'_>, phase: Phase, facts: &Facts) -> anyhow::Result<()> {
    if !rows::advance(at.tx, at.run, &dag(at.run), phase.index())? {
        for other in Phase::ALL.into_iter().skip(phase.index()) {
            let status = match other.index() - phase.index() {
                0 => NodeStatus::Completed,
                1 => NodeStatus::Running,
                _ => NodeStatus::Pending,
            };
            set(at, other, status)?;
        }
    }
    tell(at, &format!("{} done", node(phase)), 0)?;
    let known = [
        ("description", &facts.description),
        ("skill", &facts.skill),
        ("targets", &facts.targets),
        ("approved_by", &facts.approved_by),
        ("digest", &facts.digest),
    ];
    for (key, value) in known {
        let Some(value) = value else { continue };
        observed(at, key, json!(value), None)?;
    }
    Ok(())
}

pub(in crate::memory) fn observed(at: RunTx<'_>, key: &str, value: Value, ttl: Option<i64>) -> anyhow::Result<()> {
    let (key, created) = (key.to_owned(), at.now);
    let entity = CachedEntity { key, value, ttl_seconds: ttl, created, source_event_id: None };
    keep(at.tx, at.run, &entity, at.bounds.ooda).map(drop)
}

/// The ring was rolled back to a phase: later phases are pending again.
pub(in crate::memory) fn undone(tx: &rusqlite::Transaction<'_>, run: &str, phase: Phase) -> anyhow::Result<()> {
    if rows::epoch(tx, Some(run))?.is_some_and(|epoch| epoch.flushed_at.is_none()) {
        for later in Phase::ALL.into_iter().filter(|later| *later > phase) {
            rows::set_node(tx, run, &dag(run), &node(later), NodeStatus::Pending)?;
        }
    }
    Ok(())
}

/// A waiting run is resumed after this phase.
pub(in crate::memory) fn taken_up(at: RunTx<'_>, last: Option<Phase>) -> anyhow::Result<()> {
    if let Some(next) = Phase::ALL.get(last.map_or(0, |last| last.index() + 1)) {
        set(at, *next, NodeStatus::Running)?;
    }
    tell(at, "taken up again", 0)
}

/// A run has ended, or waits. A waiting one keeps its epoch; otherwise it is summarised and cleared.
pub(in crate::memory) fn ended(
    at: RunTx<'_>,
    ended_in: Option<(Phase, NodeStatus)>,
    error: Option<&str>,
    waits: bool,
) -> anyhow::Result<()> {
    let RunTx { tx, run, now, .. } = at;
    let Some(epoch) = rows::epoch(tx, Some(run))?.filter(|epoch| epoch.flushed_at.is_none()) else { return Ok(()) };
    if let Some((phase, status)) = ended_in {
        set(at, phase, status)?;
        let (what, urgency) = match status {
            NodeStatus::Failed => ("failed", FAILURE),
            NodeStatus::Parked => ("waits", 1),
            _ => ("decided", 1),
        };
        let code = error.map(|code| format!(": {code}")).unwrap_or_default();
        tell(at, &format!("{} {what}{code}", node(phase)), urgency)?;
    }
    if !waits {
        return sum_up(tx, &epoch, now).map(drop);
    }
    // A run that died or was interrupted left its phase as running.
    for dag in rows::dags(tx, run)? {
        for (node, _) in dag.nodes.iter().filter(|(_, status)| *status == NodeStatus::Running) {
            rows::set_node(tx, run, &dag.id, node, NodeStatus::Parked)?;
        }
    }
    Ok(())
}

fn set(at: RunTx<'_>, phase: Phase, status: NodeStatus) -> anyhow::Result<()> {
    rows::set_node(at.tx, at.run, &dag(at.run), &node(phase), status)
}

fn tell(at: RunTx<'_>, what: &str, priority: u32) -> anyhow::Result<()> {
    let queue = rows::queue(at.tx, at.run)?;
    let event_id = format!("{}-{}", at.run, queue.processed + 1);
    let (description, now) = (what.to_owned(), at.now);
    let event = ObservationEvent { event_id, description, at: now, priority, ..ObservationEvent::default() };
    add(at.tx, at.run, queue, &event, at.bounds.ooda, now).map(drop)
}

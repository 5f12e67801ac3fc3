//! `memory ring …`: slots, markers, checksums, and rolling back.

use serde_json::{Map, Value, json};

use super::{looked_into, opened, read, unreadable};
use crate::cli::{OfRun, Ring};
use crate::error::{Code, Coded, Error, Exit, Result};
use crate::memory::ring::{CAPACITY, Checkpoint, MemoryError, Phase};
use crate::memory::{LaneView, Memory, Run};
use crate::project::Project;
use crate::report::{Form, Report};
use crate::terminal::ui::{self, Style};

pub(super) fn ring(style: Style, now: i64, project: &Project, command: &Ring) -> Result<Report> {
    match command {
        Ring::Show(of) => {
            let view = run_view(project, of.run.as_deref())?;
            Ok(Report::done(ring_json(&view), ring_text(style, now, &view)))
        }
        Ring::Get { phase, dropped, of } => get(project, phase, *dropped, of),
        Ring::Verify => verify(style, project),
        Ring::Diff { from, to, of } => diff(style, project, from, to, of),
        Ring::Rollback { phase, run } => rollback(style, now, project, phase, run),
    }
}

pub(super) struct RunView {
    pub(super) run: Option<Run>,
    pub(super) lane: LaneView,
}

impl RunView {
    pub(super) fn run_id(&self) -> Option<&str> {
        self.run.as_ref().map(|run| run.run_id.as_str())
    }
}

pub(super) fn run_view(project: &Project, wanted: Option<&str>) -> Result<RunView> {
    let Some(memory) = looked_into(project)? else {
        if let Some(wanted) = wanted {
            return Err(no_such_run(wanted));
        }
        let empty = Memory::in_memory().and_then(|memory| memory.lane_view(0, ""));
        let empty = empty.coded(Code::Bug, "the memory cannot be read")?;
        return Ok(RunView { run: None, lane: empty });
    };
    let run = memory.find_run(wanted).map_err(unreadable)?;
    if let (None, Some(wanted)) = (&run, wanted) {
        return Err(no_such_run(wanted));
    }
    let (number, id) = run.as_ref().map(|run| (run.lane, run.run_id.as_str())).unwrap_or_default();
    let lane = memory.lane_view(number, id).map_err(unreadable)?;
    Ok(RunView { run, lane })
}

pub(super) fn no_such_run(wanted: &str) -> Error {
    Error::new(Code::NoSuchRun, format!("no run, or more than one, has the id {wanted:?}"))
}

fn phase_of(word: &str) -> Result<Phase> {
    word.parse().map_err(|message: String| {
        Error::new(Code::Usage, message).suggest("`hefesto memory ring show` lists the phases that were kept.")
    })
}

fn coded(error: anyhow::Error) -> Error {
    let code = match error.downcast_ref::<MemoryError>() {
        Some(MemoryError::PhaseNotInitialized(_)) => Code::PhaseNotInitialized,
        Some(MemoryError::IntegrityCheckFailed { .. }) => Code::IntegrityCheckFailed,
        Some(MemoryError::NothingToRollback(_)) => Code::NothingToRollback,
        None => return unreadable(error),
    };
    Error::new(code, error.to_string())
}

pub(super) fn ring_json(view: &RunView) -> Value {
    let memory = &view.lane.memory;
    let lane = memory.lane;
    let slot = |(slot, checkpoint): (usize, &Checkpoint)| {
        json!({
            "slot": slot,
            "run_id": checkpoint.run,
            "phase": checkpoint.phase,
            "seq": checkpoint.seq,
            "at": checkpoint.at,
            "bytes": checkpoint.data.len(),
            "checksum": checkpoint.checksum,
            "ok": checkpoint.intact(lane, slot),
            "stale": memory.is_stale(checkpoint),
        })
    };
    let slots: Vec<Value> = memory.used().map(slot).collect();
    let markers: Map<String, Value> =
        Phase::ALL.iter().map(|phase| (phase.label().to_owned(), json!(memory.slot_of(*phase)))).collect();
    json!({
        "lane": lane,
        "capacity": CAPACITY,
        "write_head": memory.write_head,
        "slots": slots,
        "markers": markers,
        "run_id": view.run_id(),
    })
}

pub(super) fn ring_text(style: Style, now: i64, view: &RunView) -> String {
    let memory = &view.lane.memory;
    let row = |slot: usize| {
        let head = if slot == memory.write_head { "<- write head" } else { "" };
        let Some(checkpoint) = memory.get(slot) else { return row![slot, "", "", "", "", "", head] };
        let state = match checkpoint.intact(memory.lane, slot) {
            false => "DAMAGED",
            true if memory.is_stale(checkpoint) => "stale",
            true => "ok",
        };
        let phase = format!("{} {}", checkpoint.phase, checkpoint.phase.name());
        let run = &checkpoint.run[checkpoint.run.len().saturating_sub(8)..];
        let pushed = checkpoint.at.parse::<jiff::Timestamp>().map(|at| ui::ago(now, at.as_millisecond()));
        row![slot, phase, run, ui::size(checkpoint.data.len() as u64), pushed.unwrap_or_default(), state, head]
    };
    let headings = ["SLOT", "PHASE", "RUN", "SIZE", "PUSHED", "STATE", ""];
    let mut text = ui::table(style, &headings, (0..CAPACITY).map(row));
    let marker = |phase: Phase| memory.slot_of(phase).map_or_else(|| "-".into(), |slot| slot.to_string());
    let markers = Phase::ALL.map(|phase| format!("{phase}={}", marker(phase)));
    let said =
        format!("\nLane {}, markers of run {}: {}\n", memory.lane, view.run_id().unwrap_or("-"), markers.join(" "));
    text.push_str(&style.fold(&said, 2));
    text
}

fn get(project: &Project, phase: &str, dropped: bool, of: &OfRun) -> Result<Report> {
    let phase = phase_of(phase)?;
    let view = run_view(project, of.run.as_deref())?;
    let memory = &view.lane.memory;
    let checkpoint = match memory.get_state(phase) {
        Err(MemoryError::PhaseNotInitialized(_)) if dropped => memory.dropped_state(phase),
        Err(MemoryError::PhaseNotInitialized(_)) => None,
        found => Some(found.map_err(|error| coded(error.into()))?),
    };
    let checkpoint = checkpoint.ok_or_else(|| absent(project, &view, phase))?;
    let state = checkpoint.value();
    let text = serde_json::to_string_pretty(&state).unwrap_or_default();
    let mut data = json!({
        "run_id": checkpoint.run,
        "phase": phase,
        "slot": checkpoint.slot,
        "seq": checkpoint.seq,
        "at": checkpoint.at,
        "checksum": checkpoint.checksum,
        "state": state,
    });
    if memory.is_stale(checkpoint) {
        data["dropped"] = json!(true);
    }
    Ok(Report::done(data, format!("{text}\n")).form(Form::Json))
}

/// Says which phases a run has where it does not have this one, and which run has it.
fn absent(project: &Project, view: &RunView, phase: Phase) -> Error {
    let error = coded(MemoryError::PhaseNotInitialized(phase).into());
    let Some(run) = &view.run else { return error.suggest("`hefesto create` makes the first run.") };
    let memory = &view.lane.memory;
    let has: Vec<&str> =
        Phase::ALL.iter().filter(|one| memory.slot_of(**one).is_some()).map(|one| one.label()).collect();
    let has = if has.is_empty() { "no phase".to_owned() } else { has.join(", ") };
    let ended = format!("{}: run {} ({}) has {has}", error.message(), run.run_id, run.status);
    let mut others: Vec<_> = memory.used().map(|(_, one)| one).filter(|one| one.phase == phase).collect();
    others.sort_by_key(|one| std::cmp::Reverse(one.seq));
    let has_it = |id: &str| run_view(project, Some(id)).is_ok_and(|view| view.lane.memory.get_state(phase).is_ok());
    let other = others.into_iter().find(|one| one.run != run.run_id && has_it(&one.run));
    Error::new(error.code(), ended).suggest(match other {
        Some(one) => format!("The newest run that has {phase}: `hefesto memory ring get {phase} --run {}`.", one.run),
        None => "`hefesto memory ring show` lists what there is.".into(),
    })
}

fn verify(style: Style, project: &Project) -> Result<Report> {
    let (checked, damaged) = read(project)?.verify().map_err(unreadable)?;
    let data = json!({ "checked": checked, "damaged": damaged });
    if damaged.is_empty() {
        return Ok(Report::done(data, format!("{} {checked} slots checked, all intact.\n", style.tick())));
    }
    let mut text = format!("{} {} of {checked} slots are damaged:\n", style.mark(), damaged.len());
    for one in &damaged {
        text.push_str(&format!("  lane {}, slot {}: {} of run {}\n", one.lane, one.slot, one.phase, one.run_id));
    }
    Ok(Report::done(data, text).exit(Exit::Refused))
}

fn diff(style: Style, project: &Project, from: &str, to: &str, of: &OfRun) -> Result<Report> {
    let (from, to) = (phase_of(from)?, phase_of(to)?);
    let view = run_view(project, of.run.as_deref())?;
    let pretty = |phase: Phase| {
        let checkpoint = view.lane.memory.get_state(phase).map_err(|error| match error {
            MemoryError::PhaseNotInitialized(_) => absent(project, &view, phase),
            error => coded(error.into()),
        })?;
        Ok::<_, Error>(serde_json::to_string_pretty(&checkpoint.value()).unwrap_or_default() + "\n")
    };
    let (old, new) = (pretty(from)?, pretty(to)?);
    let difference = crate::skill::diff::Diff::between(&old, &new);
    let data = json!({
        "run_id": view.run_id(),
        "from": from,
        "to": to,
        "added": difference.added,
        "removed": difference.removed,
        "diff": difference.text(),
    });
    Ok(Report::done(data, ui::diff(style, &old, &new, usize::MAX)))
}

fn rollback(style: Style, now: i64, project: &Project, phase: &str, run: &str) -> Result<Report> {
    let phase = phase_of(phase)?;
    let before = run_view(project, Some(run))?;
    let Some(run) = before.run else { return Err(no_such_run(run)) };
    let mut memory = opened(project, now)?;
    memory.rollback_to(run.lane, &run.run_id, phase).map_err(coded)?;
    drop(memory);
    let after = run_view(project, Some(&run.run_id))?;
    let text = format!("Rolled back to {phase}.\n\n{}", ring_text(style, now, &after));
    Ok(Report::done(ring_json(&after), text))
}

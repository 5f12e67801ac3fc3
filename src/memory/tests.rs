//! The database in use: what survives the process, and which changes by hand are detected.

use super::*;
use crate::memory::ring::{MemoryError, Phase};

pub(super) const AT: jiff::Timestamp = jiff::Timestamp::constant(1_770_285_600, 0); // 2026-02-05T10:00:00Z

fn begun(memory: &mut Memory, run: &str, lane: u32) {
    memory.begin(NewRun { id: run, command: "create", at: AT, lane, asked: None, who: Some(("user", "cli")) }).unwrap();
}

pub(super) fn full_run(memory: &mut Memory, run: &str) -> Vec<usize> {
    begun(memory, run, 0);
    Phase::ALL.iter().map(|phase| memory.push_state(0, run, *phase, &format!("\"{phase}\""), AT).unwrap()).collect()
}

#[test]
fn a_row_changed_by_hand_is_found() {
    for change in [
        "UPDATE wm_slots SET data = '\"P9\"' WHERE slot = 2",
        "UPDATE wm_slots SET phase = 'P3' WHERE slot = 2",
        "UPDATE wm_slots SET run_id = '2' WHERE slot = 2",
        "UPDATE wm_slots SET seq = seq + 1 WHERE slot = 2",
    ] {
        let mut memory = Memory::in_memory().unwrap();
        full_run(&mut memory, "1");
        memory.db.execute_batch(change).unwrap();
        let (checked, damaged) = memory.verify().unwrap();
        assert_eq!((checked, damaged.len()), (7, 1), "{change}");
        let error = memory.get_state(0, "1", Phase::Generate).unwrap_err();
        let damage = MemoryError::IntegrityCheckFailed { phase: Phase::Generate, slot: 2 };
        assert_eq!(error.downcast_ref(), Some(&damage), "{change}");
    }
}

#[test]
fn looking_leaves_nothing_beside_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a b%c#d.db");
    full_run(&mut Memory::open(&path, 0).unwrap(), "1");
    let files = || std::fs::read_dir(dir.path()).unwrap().count();
    assert_eq!(files(), 1, "everything is in the file once the last process is done");
    assert_eq!(Memory::look(&path).unwrap().get_state(0, "1", Phase::Finish).unwrap().slot, 6);
    assert_eq!(files(), 1);
    let mut busy = Memory::open(&path, 0).unwrap();
    busy.push_state(0, "1", Phase::Finish, "\"again\"", AT).unwrap();
    assert_eq!(Memory::look(&path).unwrap().get_state(0, "1", Phase::Finish).unwrap().data, "\"again\"");
}

#[test]
fn the_same_input_is_recognised_once_it_was_done() {
    let mut memory = Memory::in_memory().unwrap();
    begun(&mut memory, "1", 0);
    let facts = Facts { description: Some("d".into()), input_hash: Some("h".into()), ..Facts::default() };
    let passed = RunEvent::Passed { phase: Phase::Intake, data: "1".into(), at: AT, facts };
    memory.note("1", 0, &[passed]).unwrap();
    assert_eq!(memory.same_input("h", "2").unwrap(), None);
    memory.end("1", &Ending::of(Status::Done, AT)).unwrap();
    assert_eq!(memory.same_input("h", "2").unwrap().map(|run| run.run_id).as_deref(), Some("1"));
    assert_eq!(memory.same_input("h", "1").unwrap(), None, "a run is not its own precedent");
}

#[test]
fn a_run_that_was_only_noted_is_written_as_if_the_database_had_been_there() {
    let mut notes = BufferedRun::of("1");
    notes.begin(NewRun { id: "1", command: "create", at: AT, lane: 0, asked: None, who: Some(("hefesto", "cli")) });
    let later = |phase: Phase| AT + jiff::SignedDuration::from_secs(phase.index() as i64);
    let passed = |phase, facts| RunEvent::Passed { phase, data: format!("\"{phase}\""), at: later(phase), facts };
    notes.keep(passed(Phase::Preflight, Facts { description: Some("d".into()), ..Facts::default() }));
    for phase in &Phase::ALL[1..4] {
        notes.keep(passed(*phase, Facts::default()));
    }
    notes.keep(passed(Phase::Approve, Facts { approved_by: Some("flag".into()), ..Facts::default() }));
    notes.keep(RunEvent::Answered("{}".into()));
    assert_eq!(notes.get_state(Phase::Approve).unwrap().data, "\"P4\"");
    assert!(notes.get_state(Phase::Persist).is_err());
    assert_eq!(notes.lane_view().memory.write_head, 5);
    let mut after = Memory::in_memory().unwrap();
    full_run(&mut after, "0");
    after.catch_up(&notes, 0).unwrap();
    assert_eq!(after.answers_of("1").unwrap().as_deref(), Some("{}"));
    assert_eq!(after.get_state(0, "1", Phase::Preflight).unwrap().slot, 7);
    assert_eq!(after.get_state(0, "1", Phase::Approve).unwrap().data, "\"P4\"");
    assert!(after.get_state(0, "1", Phase::Persist).is_err());
    assert_eq!(after.find_run(Some("1")).unwrap().and_then(|run| run.description).as_deref(), Some("d"));
    let said = after.messages("run_1").unwrap();
    let said: Vec<(&str, i64)> = said.iter().map(|one| (one.content.as_str(), one.timestamp)).collect();
    let at = |phase| later(phase).as_millisecond();
    assert_eq!(said, [("d", at(Phase::Preflight)), ("Approved by flag.", at(Phase::Approve))], "each at its own time");
    let conversation = after.conversation("run_1").unwrap().unwrap();
    assert_eq!((conversation.message_count, conversation.updated_at), (2, at(Phase::Approve)));
}

#[test]
fn whose_slot_is_written_over_has_no_marker_any_more() {
    let mut memory = Memory::in_memory().unwrap();
    for run in ["1", "2", "3"] {
        full_run(&mut memory, run);
    }
    let markers = |run: &str| -> i64 {
        let sql = "SELECT count(*) FROM wm_markers WHERE run_id = ?1";
        memory.db.query_row(sql, [run], |row| row.get(0)).unwrap()
    };
    assert_eq!(["1", "2", "3"].map(markers), [2, 7, 7], "sixteen slots, sixteen markers");
}

#[test]
fn what_a_run_no_longer_needs_is_given_back_when_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    let mut memory = Memory::open(&path, 0).unwrap();
    begun(&mut memory, "1", 0);
    let much = "INSERT INTO blobs(hash, data) SELECT value, hex(zeroblob(4000)) FROM json_each('[1,2,3,4,5,6,7,8,9]')";
    for hash in 0..20 {
        memory.db.execute(&much.replace("value", &format!("value || 'of{hash}'")), []).unwrap();
    }
    let full = memory.size().unwrap();
    memory.db.execute("DELETE FROM blobs", []).unwrap();
    assert_eq!(memory.size().unwrap(), full, "deleting alone gives nothing back");
    let ending = Ending::of(Status::Done, AT);
    memory.end("1", &ending).unwrap();
    assert!(memory.size().unwrap() < full / 2, "{full} before, {} after", memory.size().unwrap());
    drop(memory);
    assert!(std::fs::metadata(&path).unwrap().len() < full / 2);
}

#[test]
fn two_hundred_runs_are_remembered() {
    let mut memory = Memory::in_memory().unwrap();
    for n in 0..205 {
        begun(&mut memory, &format!("{n:04}"), 0);
    }
    let runs = memory.runs(1000).unwrap();
    assert_eq!((runs.len(), runs.last().map(|run| run.run_id.as_str())), (200, Some("0005")));
}

#[test]
fn a_waiting_run_is_taken_up_by_one() {
    let mut memory = Memory::in_memory().unwrap();
    begun(&mut memory, "1", 0);
    for phase in &Phase::ALL[..3] {
        memory.push_state(0, "1", *phase, &format!("\"{phase}\""), AT).unwrap();
    }
    assert_eq!(memory.take_up("1", 0, AT).unwrap(), None, "it runs");
    memory.end("1", &Ending::of(Status::Paused, AT)).unwrap();
    full_run(&mut memory, "2");
    full_run(&mut memory, "3");
    memory.db.execute("UPDATE wm_aside SET data = '\"other\"' WHERE phase = 'P1'", []).unwrap();
    assert!(memory.take_up("1", 0, AT).unwrap_err().is::<MemoryError>());
    assert_eq!(memory.waiting().unwrap().len(), 1, "a damaged one still waits");
    memory.db.execute("UPDATE wm_aside SET data = '\"P1\"' WHERE phase = 'P1'", []).unwrap();
    assert_eq!(memory.take_up("1", 0, AT).unwrap().as_deref(), Some(&Phase::ALL[..3]));
    assert_eq!(memory.take_up("1", 1, AT).unwrap(), None, "somebody was faster");
    assert_eq!(memory.get_state(0, "1", Phase::Intake).unwrap().data, "\"P1\"");
    assert_eq!(memory.take_up("4", 0, AT).unwrap(), None);
}

#[test]
fn changes_are_in_the_order_they_happened() {
    let mut memory = Memory::in_memory().unwrap();
    let changed = [Changed { at: ".claude/skills/x".into(), ..Changed::default() }];
    for run in ["b", "a"] {
        begun(&mut memory, run, 0);
        let committed =
            CommittedRun { run: run.into(), changed: changed.to_vec(), before: run.into(), ..CommittedRun::default() };
        memory.committed(&committed, "2026-02-05T10:00:00Z").unwrap();
    }
    assert_eq!(memory.last_change().unwrap().as_deref(), Some("a"));
    assert_eq!(memory.provenance(".claude/skills/x").unwrap().map(|(run, _)| run).as_deref(), Some("a"));
    assert_eq!(memory.registry_before("b").unwrap().as_deref(), Some("b"));
}

#[test]
fn o24_what_is_not_committed_is_flushed_once_all_the_same() {
    let mut memory = Memory::in_memory().unwrap();
    begun(&mut memory, "1", 0);
    memory.push_state(0, "1", Phase::Preflight, "1", AT).unwrap();
    let ending = Ending::of(Status::Done, AT);
    let full = "CREATE TRIGGER full BEFORE DELETE ON ooda_events BEGIN SELECT RAISE(ABORT, 'full'); END";
    memory.db.execute_batch(full).unwrap();
    assert!(memory.end("1", &ending).is_err());
    assert_eq!(memory.epoch(Some("1")).unwrap().unwrap().flushed_at, None);
    assert_eq!(memory.runs(1).unwrap()[0].status, "running", "the run and its epoch never disagree");
    memory.db.execute_batch("DROP TRIGGER full").unwrap();
    memory.end("1", &ending).unwrap();
    let summary = memory.epoch(Some("1")).unwrap().unwrap().summary.unwrap();
    assert_eq!(summary["total_events_processed"], 1);
    memory.end("1", &ending).unwrap();
    assert_eq!(memory.epoch(Some("1")).unwrap().unwrap().summary.unwrap(), summary);
}

//! The ring, case by case: R1 to R24. What a run leaves in its sixteen slots, what is got back, and what never is.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::rc::Rc;

use hefesto::memory::ring::{Checkpoint, MemoryError, Phase, WorkingMemory};
use hefesto::memory::{Lane, Memory, NewRun};
use hefesto::system::rooted;
use hefesto::terminal::prompt::Answer;
use serde_json::{Value, json};

use crate::seed::{BACKUP, LONG, overwritten, retried};
use crate::support::held::{self, Held};
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, Said, World};

const AT: &str = "2026-02-05T10:00:00Z";

fn ring(world: &World) -> Value {
    world.data(&["memory", "ring", "show"])
}

fn get(world: &World, phase: &str, run: &str) -> Said {
    world.run(&["memory", "ring", "get", phase, "--run", run])
}

/// Seven slots that follow one another, from this one on.
fn from(first: u64) -> Vec<Option<u64>> {
    (first..first + 7).map(|slot| Some(slot % 16)).collect()
}

/// So many skills, one after another; the ids of their runs.
fn skills(world: &World, names: &[&str]) -> Vec<String> {
    let made = |(minute, name): (usize, &&str)| {
        world.at(&format!("2026-02-05T10:{minute:02}:00Z"));
        world.create(&["Review pull requests", "--name", name, "--yes"]).is(0);
        world.newest()
    };
    names.iter().enumerate().map(made).collect()
}

/// A ring on its own, with these phases pushed.
fn pushed(phases: &[Phase]) -> WorkingMemory {
    let mut memory = WorkingMemory::fresh(0, "run");
    for phase in phases {
        memory.push_state(*phase, &format!("{{\"of\":\"{phase}\"}}"), AT);
    }
    memory
}

fn slots(memory: &WorkingMemory) -> Vec<Option<usize>> {
    Phase::ALL.iter().map(|phase| memory.slot_of(*phase)).collect()
}

#[test]
fn r01_a_run_fills_slots_0_to_6_and_leaves_the_head_at_7() {
    let world = World::two();
    let said = world.create_by(&[EMAIL, "--json"], ["approve"]);
    let data = said.data();
    let memory = &data["working_memory"];
    assert_eq!((&memory["slots_used"], &memory["write_head"], &memory["lane"]), (&json!(7), &json!(7), &json!(0)));
    let phases: Vec<_> = data["phases"].as_array().unwrap().iter().map(|one| one["phase"].as_str().unwrap()).collect();
    assert_eq!(phases, ["preflight", "intake", "generate", "validate", "approve", "persist", "finish"]);
    assert_eq!(world.markers(), from(0));
    assert_eq!((ring(&world)["slots"].as_array().unwrap().len(), &ring(&world)["capacity"]), (7, &json!(16)));
}

#[test]
fn r02_the_second_run_uses_slots_7_to_13() {
    let world = World::two();
    skills(&world, &["one", "two"]);
    assert_eq!(world.markers(), from(7));
    assert_eq!(ring(&world)["write_head"], 14);
}

#[test]
fn r03_the_third_run_wraps_and_what_it_overwrites_is_no_checkpoint_any_more() {
    let world = World::two();
    let runs = skills(&world, &["one", "two", "three"]);
    assert_eq!(world.markers(), from(14));
    assert_eq!((&ring(&world)["write_head"], ring(&world)["slots"].as_array().unwrap().len()), (&json!(5), 16));
    assert_eq!(world.data(&["memory", "ring", "verify"])["checked"], 16);
    for phase in ["P0", "P1", "P2", "P3", "P4"] {
        get(&world, phase, &runs[0]).fails("E-MEMORY-001", 1);
    }
    for phase in ["P5", "P6"] {
        get(&world, phase, &runs[0]).is(0);
    }
    get(&world, "P0", &runs[1]).is(0);
}

#[test]
fn r04_a_phase_that_was_never_pushed_is_not_initialised() {
    let world = World::two();
    world.create(&[EMAIL, "--template", "nope"]).fails("E-CREATE-008", 1);
    let failed = world.newest();
    for phase in ["P2", "P3", "P4", "P5", "P6"] {
        let said = world.run(&["memory", "ring", "get", phase]);
        said.fails("E-MEMORY-001", 1).says("PhaseNotInitialized");
        said.says(&format!("run {failed} (failed) has P0, P1\n")).says("`hefesto memory ring show` lists");
    }
    let done = skills(&world, &["one"]).remove(0);
    world.create(&[EMAIL, "--template", "nope"]).fails("E-CREATE-008", 1);
    let said = world.run(&["memory", "ring", "get", "P2"]);
    said.fails("E-MEMORY-001", 1).says(&format!("`hefesto memory ring get P2 --run {done}`"));
}

#[test]
fn r05_one_flipped_byte_fails_the_integrity_check_and_nothing_is_returned() {
    let world = World::holding_the_skill();
    let data: String =
        world.database().query_row("SELECT data FROM wm_slots WHERE slot = 2", [], |row| row.get(0)).unwrap();
    let mut bytes = data.into_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'e').unwrap();
    bytes[at] ^= 1;
    let flipped = String::from_utf8(bytes).unwrap();
    world.run(&["memory", "ring", "get", "P2"]).is(0);
    world.database().execute("UPDATE wm_slots SET data = ?1 WHERE slot = 2", [&flipped]).unwrap();
    let said = world.run(&["memory", "ring", "get", "P2"]);
    said.fails("E-MEMORY-002", 1).says("IntegrityCheckFailed").says("slot 2").never_says(NAME);
    assert_eq!(world.run(&["memory", "ring", "get", "P2", "--json"]).json()["data"], Value::Null);
    world.run(&["memory", "ring", "verify"]).is(1);
    world.run(&["memory", "ring", "get", "P1"]).is(0);
}

#[test]
fn r06_two_rows_that_changed_places_both_fail() {
    let world = World::holding_the_skill();
    world
        .database()
        .execute_batch(
            "CREATE TEMP TABLE t AS SELECT * FROM wm_slots WHERE slot IN (1, 2);
             UPDATE wm_slots SET (run_id, phase, seq, at, data, checksum) =
               (SELECT run_id, phase, seq, at, data, checksum FROM t WHERE t.slot = 3 - wm_slots.slot)
             WHERE slot IN (1, 2);",
        )
        .unwrap();
    for phase in ["P1", "P2"] {
        world.run(&["memory", "ring", "get", phase]).fails("E-MEMORY-002", 1);
    }
    let verified = world.run(&["memory", "ring", "verify", "--json"]);
    assert_eq!(verified.is(1).json()["data"]["damaged"].as_array().unwrap().len(), 2);
}

#[test]
fn r07_a_rollback_to_p1_after_p3_leaves_p2_and_p3_unset_and_the_head_at_2() {
    let mut memory = pushed(&Phase::ALL[..4]);
    memory.rollback_to(Phase::Intake).unwrap();
    assert_eq!(slots(&memory), [Some(0), Some(1), None, None, None, None, None]);
    assert_eq!(memory.write_head, 2);
    let world = World::holding_the_skill();
    let rolled = world.data(&["memory", "ring", "rollback", "P1", "--run", &world.newest()]);
    assert_eq!((&rolled["write_head"], &rolled["markers"]["P2"]), (&json!(2), &Value::Null));
    assert_eq!(&world.markers()[..3], [Some(0), Some(1), None]);
}

#[test]
fn r08_a_rollback_to_an_unset_phase_has_nothing_to_roll_back() {
    let world = World::two();
    world.create(&[EMAIL, "--template", "nope"]).is(1);
    let (run, before) = (world.newest(), ring(&world));
    world.run(&["memory", "ring", "rollback", "P4", "--run", &run]).fails("E-MEMORY-003", 1).says("NothingToRollback");
    assert_eq!(ring(&world), before, "nothing moved");
}

#[test]
fn r09_what_is_pushed_after_a_rollback_to_p1_lands_in_slot_2() {
    let mut memory = pushed(&Phase::ALL[..4]);
    memory.rollback_to(Phase::Intake).unwrap();
    assert_eq!(memory.push_state(Phase::Generate, "{}", AT), 2);
}

#[test]
fn r10_what_a_rollback_restores_is_byte_for_byte_what_was_pushed() {
    let world = World::holding_the_skill();
    let (run, before) = (world.newest(), world.run(&["memory", "ring", "get", "P1"]).out);
    world.run(&["memory", "ring", "rollback", "P1", "--run", &run]).is(0);
    assert_eq!(world.run(&["memory", "ring", "get", "P1"]).out, before);
    let mut memory = pushed(&Phase::ALL[..3]);
    let before = memory.get_state(Phase::Intake).unwrap().clone();
    assert_eq!(memory.rollback_to(Phase::Intake).unwrap(), &before);
}

#[test]
fn r11_twenty_rounds_at_the_gate_leave_p0_to_p3_readable() {
    let mut memory = pushed(&Phase::ALL[..4]);
    for round in 0..20 {
        memory.push_state(Phase::Approve, &format!("{{\"round\":{round}}}"), AT);
        for phase in &Phase::ALL[..4] {
            let of = format!("{{\"of\":\"{phase}\"}}");
            assert_eq!(memory.get_state(*phase).map(|one| one.data.as_str()), Ok(of.as_str()), "round {round}");
        }
    }
    // The same through the program: a person who edits twenty times.
    let world = World::two();
    let editor = world.script("editor", "echo once more >> \"$1\"");
    world.set("EDITOR", &editor);
    let lines: Vec<&str> = std::iter::repeat_n("edit", 20).chain(["approve"]).collect();
    world.create_by(&[EMAIL], Person::saying(&lines)).is(0);
    assert_eq!(world.skill(CLAUDE).matches("once more").count(), 20);
    for phase in Phase::ALL {
        world.run(&["memory", "ring", "get", phase.label()]).is(0);
    }
}

#[test]
fn r12_of_two_pushes_of_a_phase_the_newest_is_got() {
    let mut memory = pushed(&Phase::ALL[..3]);
    memory.push_state(Phase::Generate, "{\"again\":true}", AT);
    assert_eq!(memory.get_state(Phase::Generate).unwrap().data, "{\"again\":true}");
    assert_eq!(memory.slot_of(Phase::Generate), Some(3));
    let stale: Vec<usize> = memory.used().filter(|(_, one)| memory.is_stale(one)).map(|(slot, _)| slot).collect();
    assert_eq!(stale, [2]);
}

#[test]
fn r13_a_second_run_beside_a_live_one_gets_lane_1() {
    let world = World::two();
    let second: Rc<RefCell<Value>> = Rc::default();
    let (keep, root, home) = (Rc::clone(&second), world.root(), world.outside());
    let beside = move || {
        let args = ["create", "Sort the mail", "--yes", "--json"];
        let ran = held::command(&root, &home, &args).stdout(Stdio::piped()).output().unwrap();
        *keep.borrow_mut() = serde_json::from_slice(&ran.stdout).unwrap();
    };
    let said = world.create_by(&[EMAIL, "--json"], Person::default().does(beside, "approve"));
    let lane = |answer: &Value| answer["data"]["working_memory"]["lane"].clone();
    assert_eq!((lane(&said.is(0).json()), lane(&second.borrow())), (json!(0), json!(1)));
    assert_eq!(second.borrow()["data"]["working_memory"]["write_head"], 7);
    let verified = world.data(&["memory", "ring", "verify"]);
    assert_eq!(verified, json!({ "checked": 14, "damaged": [] }));
}

#[test]
fn r14_a_rollback_in_lane_1_leaves_lane_0_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let at: jiff::Timestamp = AT.parse().unwrap();
    let mut memory = Memory::open(&dir.path().join("memory.db"), 0).unwrap();
    let lanes = [0, 1].map(|_| Lane::acquire(&rooted::anywhere(&dir.path().join("lanes")).unwrap()).unwrap());
    for (run, lane) in ["a", "b"].into_iter().zip(&lanes) {
        memory.begin(NewRun { id: run, command: "create", at, lane: lane.number(), asked: None, who: None }).unwrap();
        for phase in &Phase::ALL[..4] {
            memory.push_state(lane.number(), run, *phase, &format!("\"{run}\""), at).unwrap();
        }
    }
    let zero = |memory: &Memory| {
        let view = memory.lane_view(0, "a").unwrap();
        assert_eq!(view.damaged, []);
        let held: BTreeMap<usize, Checkpoint> = view.memory.used().map(|(slot, one)| (slot, one.clone())).collect();
        (held, view.memory.write_head, view.memory.markers)
    };
    let before = zero(&memory);
    memory.rollback_to(1, "b", Phase::Preflight).unwrap();
    memory.push_state(1, "b", Phase::Intake, "\"b2\"", at).unwrap();
    assert_eq!(zero(&memory), before);
    assert_eq!(memory.lane_view(1, "b").unwrap().memory.write_head, 2);
}

#[test]
fn r15_64_kib_lie_in_the_slot_and_one_byte_more_in_a_blob() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    let at: jiff::Timestamp = AT.parse().unwrap();
    let mut memory = Memory::open(&path, 0).unwrap();
    memory.begin(NewRun { id: "1", command: "create", at, lane: 0, asked: None, who: None }).unwrap();
    let db = rusqlite::Connection::open(&path).unwrap();
    let blobs = || db.query_row("SELECT count(*) FROM blobs", [], |row| row.get::<_, i64>(0)).unwrap();
    for (bytes, kept) in [(64 * 1024, 0), (64 * 1024 + 1, 1), (65 * 1024, 2)] {
        let state = format!("\"{}\"", "x".repeat(bytes - 2));
        memory.push_state(0, "1", Phase::Generate, &state, at).unwrap();
        assert_eq!(blobs(), kept, "{bytes} bytes");
        assert_eq!(memory.get_state(0, "1", Phase::Generate).unwrap().data, state);
    }
    db.execute("UPDATE blobs SET data = replace(data, 'xx', 'xy')", []).unwrap();
    let error = memory.get_state(0, "1", Phase::Generate).unwrap_err();
    let damage = MemoryError::IntegrityCheckFailed { phase: Phase::Generate, slot: 2 };
    assert_eq!(error.downcast_ref(), Some(&damage));
    for _ in 0..16 {
        memory.push_state(0, "1", Phase::Generate, "1", at).unwrap();
    }
    assert_eq!(blobs(), 0, "a blob is let go with its last slot");
}

#[test]
fn r16_each_window_shows_what_its_slots_hold() {
    let world = World::holding_the_skill();
    let windows = world.data(&["memory", "inspect", "windows"])["windows"].clone();
    let mut seen = 0;
    for (window, phases) in [("input", vec!["P1"]), ("processing", vec!["P3", "P2"]), ("approval", vec!["P5", "P4"])] {
        let states: Vec<Value> = phases.iter().map(|phase| world.state(phase)).collect();
        for (field, shown) in windows[window].as_object().unwrap() {
            let held = states.iter().find_map(|state| state.get(field)).unwrap_or(&Value::Null);
            assert_eq!(shown, held, "{window}.{field}");
            seen += usize::from(!shown.is_null());
        }
    }
    assert!(seen >= 15, "{seen} fields have something in them");
}

#[test]
fn r17_a_name_of_73_characters_is_refused_at_p3_and_tried_again() {
    let (world, said, held) = retried();
    said.says("ERROR [E-CREATE-005]").says("73").says("64");
    let phases: Vec<(u64, &str)> = held.iter().map(|(slot, phase, _)| (*slot, phase.as_str())).collect();
    assert_eq!(phases, [(0, "P0"), (1, "P1"), (2, "P2"), (3, "P3")]);
    assert_eq!(held[3].2["validation_passed"], false);
    assert_eq!(world.markers(), from(0), "P2 of the second try lies in slot 2");
    assert_eq!(world.state("P3")["validation_passed"], true);
}

#[test]
fn r18_an_overwritten_collision_keeps_its_backup_in_p4() {
    let (world, _) = overwritten();
    let state = world.state("P4");
    assert_eq!((&state["collision_detected"], &state["action_chosen"]), (&json!(true), &json!("overwrite")));
    assert_eq!(state["collision_details"]["existing_path"], ".claude/skills/validate-email-addresses/");
    assert_eq!(state["backup_path"], BACKUP);
    assert!(world.path(BACKUP).is_file());
    assert_eq!(world.data(&["memory", "inspect", "windows"])["windows"]["approval"]["backup_path"], BACKUP);
}

#[test]
fn r19_an_error_at_each_phase_restores_the_one_before() {
    // P0: there is no run yet, so nothing is left of it.
    let world = World::two();
    world.write("CONSTITUTION.md", world.read("CONSTITUTION.md").replace("### T0-HEFESTO-11", "### Removed"));
    world.create(&[EMAIL]).fails("ERR-004", 1);
    assert!(!world.exists(".hefesto/memory.db") && !world.exists(CLAUDE) && !world.exists(GEMINI));

    let fails = |phase: u64, code: &str, args: &[&str], person: fn(&World) -> Person, harm: fn(&World)| {
        let world = World::two();
        harm(&world);
        let said = world.create_by(args, person(&world));
        assert!(said.err.contains(&format!("ERROR [{code}]")), "P{phase}\n{}", said.err);
        assert!(phase == 5 || said.changes_nothing().err.contains(code));
        let upto: Vec<Option<u64>> = (0..7).map(|at| (at < phase).then_some(at)).collect();
        assert_eq!(world.markers(), upto, "P{phase}: the marker of P{} is the last", phase - 1);
        assert_eq!(ring(&world)["write_head"], phase, "P{phase}");
        let inspected = world.data(&["memory", "inspect"]);
        assert_eq!(inspected["verdict"]["stopped_in"], format!("P{phase}"), "{inspected}");
        assert_eq!(world.data(&["runs"])["runs"][0]["status"], "failed");
        world.run(&["memory", "ring", "verify"]).is(0);
        assert!(!world.exists(CLAUDE) && !world.read("MEMORY.md").contains(NAME));
        // The next run begins where this one stopped.
        fs::remove_dir_all(world.path(".gemini")).unwrap();
        world.at("2026-02-05T11:00:00Z").create(&[EMAIL, "--target", "claude", "--yes"]).is(0);
        assert_eq!(world.markers(), from(phase));
    };
    let nobody: fn(&World) -> Person = |_| Person::nobody();
    let long = "a".repeat(2001);
    fails(1, "E-CREATE-001", &[&long], nobody, |_| ());
    fails(2, "E-CREATE-008", &[EMAIL, "--template", "nope"], nobody, |_| ());
    fails(3, "E-CREATE-005", &[EMAIL, "--name", LONG], nobody, |_| ());
    fails(4, "E-CREATE-006", &[EMAIL], nobody, |world| {
        fs::remove_dir_all(world.path(".gemini/skills")).unwrap();
        world.write(".gemini/skills", "a file");
    });
    let meanwhile: fn(&World) -> Person = |world| {
        let action = world.meanwhile(|root| fs::create_dir_all(root.join(GEMINI)).unwrap());
        Person::default().does(action, "approve")
    };
    fails(5, "E-TXN-002", &[EMAIL], meanwhile, |_| ());

    // P6: all is committed by then, so the run is done; what cannot be finished is a warning, and P5 can be read.
    let world = World::two();
    let full = world.meanwhile(|root| {
        let full = "CREATE TRIGGER full BEFORE INSERT ON wm_slots WHEN NEW.phase = 'P6'
                    BEGIN SELECT RAISE(ABORT, 'full'); END";
        rusqlite::Connection::open(root.join(".hefesto/memory.db")).unwrap().execute_batch(full).unwrap();
    });
    world.create_by(&[EMAIL], Person::default().does(full, "approve")).is(0).says("WARN-007");
    world.database().execute_batch("DROP TRIGGER full").unwrap();
    let p5: String =
        world.database().query_row("SELECT data FROM wm_slots WHERE phase = 'P5'", [], |row| row.get(0)).unwrap();
    assert!(p5.contains("\"persistence_success\":true") && world.exists(CLAUDE), "{p5}");
    assert_eq!(&world.markers()[4..], [Some(4), Some(5), None]);
}

#[test]
fn r20_the_difference_of_two_checkpoints_shows_what_an_edit_changed() {
    let world = World::holding_the_skill();
    let old = world.newest();
    let body = world.skill(CLAUDE).replace("# ", "# Edited ");
    let editor = world.script("editor", &format!("cat > \"$1\" <<'END'\n{body}\nEND"));
    world.set("EDITOR", &editor).at("2026-02-05T10:01:00Z");
    world.create_by(&[EMAIL, "--on-collision", "overwrite"], ["edit", "approve"]).is(0);
    let state =
        |run: &str| world.data(&["memory", "ring", "get", "P2", "--run", run])["state"]["skill_content"].clone();
    assert_ne!(state(&old), state(&world.newest()));
    let same = world.data(&["memory", "ring", "diff", "P2", "generate"]);
    assert_eq!((&same["added"], &same["diff"]), (&json!(0), &json!("")));
    let diff = world.data(&["memory", "ring", "diff", "P1", "P2"]);
    assert!(diff["added"].as_u64().unwrap() > 0 && diff["diff"].as_str().unwrap().contains("+  \"skill_name\""));
}

#[test]
fn r21_what_goes_on_from_a_checkpoint_elsewhere_leaves_its_source_as_it_was() {
    let world = World::two();
    world.create_by(&[EMAIL], Person::default().ends(Answer::TimedOut)).is(4);
    let waiting = world.newest();
    let source = ring(&world)["slots"].clone();
    assert_eq!(source.as_array().unwrap().len(), 4);
    let done = world.run(&["resume", &waiting, "--yes", "--json"]).is(0).json()["data"]["working_memory"].clone();
    assert_eq!(done["markers"]["P0"], 4, "the checkpoints are copied forward");
    let after = ring(&world)["slots"].as_array().unwrap()[..4].to_vec();
    for (before, now) in source.as_array().unwrap().iter().zip(&after) {
        assert_eq!((&before["checksum"], &before["seq"]), (&now["checksum"], &now["seq"]));
        assert_eq!((&now["ok"], &now["stale"]), (&json!(true), &json!(true)));
    }
}

#[test]
fn r22_a_run_killed_in_any_phase_goes_on_where_it_was() {
    for phase in Phase::ALL {
        let world = World::two();
        let held = Held::pushing(&world, phase, &["create", EMAIL, "--yes"]);
        held.kill();
        let said = world.run(&["runs", "--json"]);
        let run = said.is(0).json()["data"]["runs"][0].clone();
        // It died without a word; what is committed on disk is remembered as done at once.
        let left = if phase < Phase::Persist { "running" } else { "done" };
        assert_eq!(run["status"], left, "{phase}");
        let id = run["run_id"].as_str().unwrap();
        match phase {
            // Nothing was asked of it yet: a wizard would, and nobody is there.
            Phase::Preflight | Phase::Intake => {
                world.run(&["resume", id, "--yes"]).fails("E-USAGE-002", 3).says("Continue with");
                let wizard = Person::saying(&[EMAIL, "", "", "", "", "continue", "approve"]);
                let goes_on = world.run_by(&["resume", id], wizard);
                assert!(goes_on.exit.number() == 0 && world.exists(CLAUDE), "{phase}\n{}", goes_on.err);
            }
            Phase::Generate | Phase::Validate | Phase::Approve => {
                world.run(&["resume", id, "--yes"]).is(0);
                assert!(world.exists(CLAUDE) && world.exists(GEMINI), "{phase}");
                assert_eq!(world.newest(), id, "{phase}: it is the same run");
            }
            // Everything is in place by then: the next command closes it.
            Phase::Persist | Phase::Finish => {
                assert!(world.exists(CLAUDE) && world.exists(GEMINI), "{phase}");
                world.run(&["recover"]).is(0);
                assert_eq!(world.data(&["runs"])["runs"][0]["status"], "done", "{phase}");
                world.run(&["resume", id]).fails("E-RESUME-001", 1);
            }
        }
        world.run(&["memory", "doctor"]).is(0);
    }
}

#[test]
fn r23_the_times_of_a_lane_never_go_back_while_the_clock_does_not() {
    let world = World::two();
    skills(&world, &["one", "two", "three"]);
    let mut slots = ring(&world)["slots"].as_array().unwrap().clone();
    slots.sort_by_key(|slot| slot["seq"].as_u64());
    let seqs: Vec<u64> = slots.iter().map(|slot| slot["seq"].as_u64().unwrap()).collect();
    assert!(seqs.windows(2).all(|two| two[0] + 1 == two[1]) && seqs.len() == 16, "{seqs:?}");
    let times: Vec<&str> = slots.iter().map(|slot| slot["at"].as_str().unwrap()).collect();
    assert!(times.is_sorted() && times[0] < times[15], "{times:?}");
    // A sequence number never comes again, a rollback included.
    let mut memory = pushed(&Phase::ALL);
    memory.rollback_to(Phase::Preflight).unwrap();
    memory.push_state(Phase::Intake, "{}", AT);
    assert_eq!(memory.get_state(Phase::Intake).unwrap().seq, 8);
}

#[test]
fn r24_the_answer_in_json_has_exactly_these_fields() {
    let world = World::holding_the_skill();
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys.join(" ")
    };
    for shown in [ring(&world), world.data(&["memory", "inspect", "ring"])] {
        assert_eq!(keys(&shown), "capacity lane markers run_id slots write_head");
        assert_eq!(keys(&shown["slots"][0]), "at bytes checksum ok phase run_id seq slot stale");
        assert_eq!(keys(&shown["markers"]), "P0 P1 P2 P3 P4 P5 P6");
    }
    let got = world.data(&["memory", "ring", "get", "P0"]);
    assert_eq!(keys(&got), "at checksum phase run_id seq slot state");
    assert_eq!(keys(&world.data(&["memory", "ring", "diff", "P0", "P1"])), "added diff from removed run_id to");
    assert_eq!(keys(&world.data(&["memory", "ring", "verify"])), "checked damaged");
}

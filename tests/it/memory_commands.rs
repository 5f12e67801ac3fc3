//! `memory …`: what the working memory shows of a run, in text and JSON, its errors, and that looking changes nothing.

use serde_json::{Value, json};

use crate::memory_whole::LOOKING;
use crate::support::world::{self, EMAIL, NAME, World, holds};

const RING: [&str; 3] = ["memory", "ring", "show"];
/// Flips one byte of what P2 left.
fn damaged() -> World {
    let world = World::holding_the_skill();
    let db = world.database();
    let data: String = db.query_row("SELECT data FROM wm_slots WHERE slot = 2", [], |row| row.get(0)).unwrap();
    let mut bytes = data.into_bytes();
    let at = bytes.iter().rposition(|byte| *byte == b'e').unwrap();
    bytes[at] ^= 1;
    let data = String::from_utf8(bytes).unwrap();
    assert_eq!(db.execute("UPDATE wm_slots SET data = ?1 WHERE slot = 2", [data]).unwrap(), 1);
    world
}

/// The ids of the runs, newest first.
fn runs(world: &World) -> Vec<String> {
    let data = world.data(&["runs"]);
    data["runs"].as_array().unwrap().iter().map(|run| run["run_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn show_has_the_slots_and_get_takes_a_phase_by_number_and_by_name() {
    // Show has the slots the markers and the write head.
    let world = World::holding_the_skill();
    let ring = world.data(&RING);
    assert_eq!((&ring["lane"], &ring["capacity"], &ring["write_head"]), (&json!(0), &json!(16), &json!(7)));
    assert_eq!(ring["markers"], json!({ "P0": 0, "P1": 1, "P2": 2, "P3": 3, "P4": 4, "P5": 5, "P6": 6 }));
    assert_eq!(ring["run_id"], runs(&world)[0].as_str());
    let slots = ring["slots"].as_array().unwrap();
    assert_eq!(slots.len(), 7);
    for (number, slot) in slots.iter().enumerate() {
        assert_eq!((&slot["slot"], &slot["phase"]), (&json!(number), &json!(format!("P{number}"))));
        assert_eq!((&slot["ok"], &slot["stale"], &slot["seq"]), (&json!(true), &json!(false), &json!(number + 1)));
        assert_eq!((&slot["at"], &slot["run_id"]), (&json!("2026-02-05T10:00:00Z"), &ring["run_id"]));
        assert!(slot["bytes"].as_u64().unwrap() > 10 && slot["checksum"].as_str().unwrap().len() == 64);
    }
    assert_eq!(world.data(&["memory", "inspect", "ring"]), ring);
    let text = world.run(&RING).out;
    assert!(text.contains("P2 generate") && text.contains("<- write head"), "{text}");
    assert!(text.contains("P0=0 P1=1 P2=2 P3=3 P4=4 P5=5 P6=6"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("<- write head")).count(), 1);
    // Get takes a phase by number and by name.
    let by_number = world.data(&["memory", "ring", "get", "P2"]);
    assert_eq!(by_number["state"]["skill_name"], NAME);
    assert_eq!((&by_number["phase"], &by_number["slot"], &by_number["seq"]), (&json!("P2"), &json!(2), &json!(3)));
    for word in ["generate", "p2", "2", "PHASE-2"] {
        assert_eq!(world.data(&["memory", "ring", "get", word]), by_number);
    }
    let text = world.run(&["memory", "ring", "get", "P2"]).out;
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), by_number["state"], "the text is the state");
    world.run(&["memory", "ring", "get", "P7"]).fails("E-USAGE-001", 2);
    // Inspect is one screen on everything.
    let all = world.data(&["memory", "inspect"]);
    assert_eq!((&all["health"]["status"], &all["run"]["status"]), (&json!("healthy"), &json!("done")));
    assert_eq!((&all["ring"]["write_head"], &all["windows"]["input"]["description"]), (&json!(7), &json!(EMAIL)));
    let text = world.run(&["memory", "inspect"]).out;
    assert!(text.contains("Health: healthy") && text.contains(&runs(&world)[0]), "{text}");
}

#[test]
fn windows_and_differences_are_shown_and_a_rollback_moves_the_head_behind_the_slot() {
    // The windows show what the run was given made and told.
    let world = World::holding_the_skill();
    let windows = world.data(&["memory", "inspect", "windows"])["windows"].clone();
    assert_eq!(windows["input"]["description"], EMAIL);
    assert_eq!(windows["input"]["template_name"], "base");
    assert_eq!(windows["input"]["target_cli"], Value::Null);
    assert_eq!(windows["processing"]["skill_name"], NAME);
    assert_eq!(windows["processing"]["validation_passed"], true);
    assert_eq!(windows["approval"]["human_gate_response"], "approve");
    assert_eq!(windows["approval"]["collision_detected"], false);
    let text = world.run(&["memory", "inspect", "windows"]).out;
    holds(&text, &["Window: input", "Window: processing", "Window: approval", EMAIL]);
    // Diff shows what differs between two phases.
    let data = world.data(&["memory", "ring", "diff", "P3", "P4"]);
    assert_eq!((&data["from"], &data["to"]), (&json!("P3"), &json!("P4")));
    assert!(data["added"].as_u64().unwrap() > 0 && data["removed"].as_u64().unwrap() > 0);
    let text = world.run(&["memory", "ring", "diff", "P3", "P4"]).out;
    assert!(text.contains("+  \"human_gate_response\": \"approve\""));
    assert!(text.contains("-  \"validation_passed\": true"));
    assert_eq!(world.data(&["memory", "ring", "diff", "P3", "validate"])["diff"], "");
    world.run(&["memory", "ring", "diff", "P3", "P9"]).fails("E-USAGE-001", 2);
    // Rollback clears the later markers and moves the head behind the slot.
    let run = runs(&world)[0].clone();
    let before = world.picture();
    assert!(world.run(&["memory", "ring", "rollback", "P2", "--run", &run]).ok().out.starts_with("Rolled back to P2."));
    assert_eq!(world.markers(), [Some(0), Some(1), Some(2), None, None, None, None]);
    let ring = world.data(&RING);
    assert_eq!(ring["write_head"], 3);
    assert_eq!((&ring["slots"][3]["stale"], &ring["slots"][2]["stale"]), (&json!(true), &json!(false)));
    world.run(&["memory", "ring", "get", "P3"]).fails("E-MEMORY-001", 1);
    world.run(&["memory", "ring", "rollback", "P5", "--run", &run]).fails("E-MEMORY-003", 1);
    world.run(&["memory", "ring", "rollback", "P1"]).fails("E-USAGE-001", 2);
    assert_eq!(world.data(&["memory", "ring", "rollback", "0", "--run", &run])["write_head"], 1);
    assert_eq!(world.picture(), before, "the skill files are not the memory's");
}

#[test]
fn a_flipped_byte_is_found_by_verify_get_and_rollback() {
    let world = damaged();
    let run = runs(&world)[0].clone();
    world.run(&["memory", "ring", "verify"]).exits(1).shows("1 of 7 slots are damaged").shows("lane 0, slot 2: P2");
    let json = world.run(&["memory", "ring", "verify", "--json"]).exits(1);
    let data = json.json()["data"].clone();
    assert_eq!((&data["checked"], &data["damaged"][0]["slot"]), (&json!(7), &json!(2)));
    world.run(&["memory", "ring", "get", "P2"]).fails("E-MEMORY-002", 1).says("IntegrityCheckFailed");
    world.run(&["memory", "ring", "diff", "P1", "P2"]).fails("E-MEMORY-002", 1);
    world.run(&["memory", "ring", "rollback", "P2", "--run", &run]).fails("E-MEMORY-002", 1);
    assert_eq!(world.markers(), (0..7).map(Some).collect::<Vec<_>>(), "nothing was rolled back");
    assert_eq!(world.data(&RING)["slots"][2]["ok"], false);
    assert!(world.run(&RING).out.contains("DAMAGED"));
    assert_eq!(world.data(&["memory", "inspect"])["health"]["status"], "critical");
    assert_eq!(world.state("P1")["description"], EMAIL, "the others are sound");
    let error = world.run(&["memory", "ring", "get", "P2", "--json"]).json()["error"].clone();
    assert_eq!((&error["code"], &error["exit"]), (&json!("E-MEMORY-002"), &json!(1)));
}

#[test]
fn an_exchanged_row_is_damage_too() {
    for sql in [
        "UPDATE wm_slots SET phase = 'P3' WHERE slot = 2",
        "UPDATE wm_slots SET seq = 99 WHERE slot = 2",
        "UPDATE wm_slots SET run_id = 'another' WHERE slot = 2",
        "UPDATE wm_slots SET at = '2020-01-01T00:00:00Z' WHERE slot = 2",
        "UPDATE wm_slots SET checksum = '' WHERE slot = 2",
        "UPDATE wm_slots SET data = '' WHERE slot = 2",
    ] {
        let world = World::holding_the_skill();
        assert_eq!(world.database().execute(sql, []).unwrap(), 1);
        world.run(&["memory", "ring", "verify"]).is(1);
        assert_eq!(world.run(&["memory", "ring", "get", "P2"]).exit.number(), 1, "{sql}");
    }
}

#[test]
fn a_failed_run_is_no_damage() {
    let world = World::two();
    world.run(&["create", EMAIL, "--template", "nope"]).fails("E-CREATE-008", 1);
    world.run(&["create", EMAIL]).is(3);
    world.run(&["memory", "ring", "verify"]).is(0);
}

#[test]
fn a_run_is_named_by_a_unique_part_of_its_id() {
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:05:00Z").create(&["Review pull requests", "--yes"]).is(0);
    let ids = runs(&world);
    let get = |run: &str| world.data(&["memory", "ring", "get", "P1", "--run", run])["state"]["description"].clone();
    assert_eq!(get(&ids[1]), EMAIL);
    assert_eq!(get(&ids[1][ids[1].len() - 8..]), EMAIL, "the end, as the table shows it");
    let begin = (1..26).find(|length| !ids[0].starts_with(&ids[1][..*length])).unwrap();
    assert_eq!(get(&ids[1][..begin]), EMAIL);
    assert_eq!(world.data(&["memory", "ring", "get", "P1"])["state"]["description"], "Review pull requests");
    assert_eq!(world.data(&["memory", "ring", "show", "--run", &ids[1]])["markers"]["P6"], 6);
    assert_eq!(world.data(&["memory", "ring", "show", "--run", &ids[0]])["markers"]["P0"], 7);
    for unknown in ["ffff", &ids[0][..3], ""] {
        world.run(&["memory", "ring", "get", "P1", "--run", unknown]).fails("E-MEMORY-004", 1);
        world.run(&["memory", "inspect", "--run", unknown]).fails("E-MEMORY-004", 1);
        world.run(&["memory", "ring", "rollback", "P1", "--run", unknown]).fails("E-MEMORY-004", 1);
    }
}

#[test]
fn without_a_database_everything_is_empty_and_nothing_is_made() {
    for world in [World::bare(&[]), World::two()] {
        let before = world::picture(&world.root(), &[]);
        let ring = world.data(&RING);
        assert_eq!((&ring["run_id"], &ring["write_head"]), (&Value::Null, &json!(0)));
        assert_eq!(ring["slots"], json!([]));
        assert_eq!(world.data(&["memory", "ring", "verify"])["checked"], 0);
        assert!(world.run(&["memory", "inspect"]).is(0).out.starts_with("No runs yet."));
        world.run(&["memory", "ring", "get", "P0"]).fails("E-MEMORY-001", 1);
        world.run(&["memory", "ring", "diff", "P0", "P1"]).fails("E-MEMORY-001", 1);
        world.run(&["memory", "ring", "rollback", "P0", "--run", "x"]).fails("E-MEMORY-004", 1);
        world.run(&["memory", "ring", "show", "--run", "x"]).fails("E-MEMORY-004", 1);
        assert_eq!(world::picture(&world.root(), &[]), before);
    }
}

#[test]
fn a_file_that_is_no_database_is_named_and_left_alone() {
    let world = World::two();
    let text = "no database".repeat(300);
    world.write(".hefesto/memory.db", &text);
    // The context of a turn goes on without the memory, and says so.
    for line in LOOKING.lines().filter(|line| !line.starts_with("memory turn context")) {
        world.run(&line.split(' ').collect::<Vec<_>>()).fails("E-IO-001", 1).says("memory.db");
    }
    assert_eq!(world.read(".hefesto/memory.db"), text);
}

#[test]
fn what_is_refused_names_the_way_on() {
    let world = World::holding_the_skill();
    world.run(&["memory", "export", "out.jsonl"]).is(0);
    world.run(&["memory", "export", "out.jsonl"]).fails("E-IO-001", 1).says("out.jsonl is there already");
    world.run(&["memory", "facts", "forget", "nope"]).fails("E-MEMORY-011", 1).says("hefesto memory facts list");
    world
        .run(&["memory", "redact", "--regex", "(a"])
        .fails("E-MEMORY-015", 1)
        .says("unclosed group")
        .says("leave out `--regex`");
    world.run(&["memory", "ring", "diff", "P1", "P9"]).fails("E-USAGE-001", 2).never_says("ring get");
    world
        .run(&["memory", "prune", "--older-than", "soon"])
        .fails("E-USAGE-001", 2)
        .says("is no duration")
        .never_says("2026");
    world
        .run(&["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", ""])
        .fails("E-USAGE-001", 2)
        .says("--content is empty");
    world.run(&["memory", "stm", "recall", "--session", "nope"]).is(0).shows("hefesto memory stm sessions");
}

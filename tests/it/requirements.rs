//! Every numbered requirement of docs/design.md has a test that runs `create`, and here stands which.

use crate::support::world;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use world::{EMAIL, World};

/// The requirements, and for each the file and the test that holds it.
const HELD: &[(&str, &str, &str)] = &[
    ("RUN-1", "memory_cases/ring.rs", "r01_a_run_fills_slots_0_to_6_and_leaves_the_head_at_7"),
    ("RUN-2", "seed.rs", "an_error_at_phase_n_rolls_memory_and_files_back_to_n_minus_1"),
    ("RUN-3", "create/start.rs", "another_description_starts_again_with_the_first_phase"),
    ("RUN-4", "create/gate.rs", "the_limit_is_120_seconds_unless_flag_environment_or_file_say_otherwise"),
    ("RUN-5", "create/collision.rs", "a_backup_that_cannot_be_made_leaves_the_original"),
    ("RUN-6", "create/start.rs", "two_thousand_characters_of_several_bytes_are_taken"),
    ("RUN-7", "create/persist.rs", "every_end_leaves_one_line_in_the_log"),
    ("RUN-8", "memory_skill.rs", "a_run_that_is_done_can_be_forked_and_stays_as_it_is"),
    ("RING-1", "memory_cases/ring.rs", "r03_the_third_run_wraps_and_what_it_overwrites_is_no_checkpoint_any_more"),
    ("RING-2", "memory_cases/ring.rs", "r02_the_second_run_uses_slots_7_to_13"),
    ("RING-3", "memory_views.rs", "the_views_are_written_together_or_not_at_all"),
    ("RING-4", "memory_cases/ring.rs", "r05_one_flipped_byte_fails_the_integrity_check_and_nothing_is_returned"),
    ("RING-5", "memory_failed.rs", "the_state_of_a_phase_that_failed_can_be_read_until_the_next_run"),
    ("RING-6", "memory_cases/ring.rs", "r16_each_window_shows_what_its_slots_hold"),
    ("RING-7", "memory_cases/ring.rs", "r11_twenty_rounds_at_the_gate_leave_p0_to_p3_readable"),
    ("RING-8", "memory_cases/ring.rs", "r13_a_second_run_beside_a_live_one_gets_lane_1"),
    ("STM-1", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-2", "memory_skill.rs", "a_run_that_joins_a_session_takes_what_was_asked_for_in_it_until_it_ends"),
    ("STM-3", "memory_views.rs", "a_run_that_is_done_is_closed_everywhere"),
    ("STM-4", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-5", "memory_views.rs", "a_run_that_is_done_is_closed_everywhere"),
    ("STM-6", "memory_stm.rs", "s25_a_memory_that_cannot_be_used_does_not_stop_a_run_and_is_said_once"),
    ("STM-7", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-8", "requirements.rs", "a_session_that_a_run_joins_makes_room_and_keeps_what_is_urgent"),
    ("STM-9", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-10", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-11", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-12", "memory_stm.rs", "s25_a_memory_that_cannot_be_used_does_not_stop_a_run_and_is_said_once"),
    ("STM-13", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-14", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-15", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("STM-16", "requirements.rs", "the_session_of_a_run_keeps_what_short_term_memory_promises"),
    ("FIFO-1", "requirements.rs", "runs_are_conversations_of_the_queue"),
    ("FIFO-2", "create/resume.rs", "a_full_queue_of_conversations_is_said_and_a_discard_frees_it"),
    ("FIFO-3", "requirements.rs", "runs_are_conversations_of_the_queue"),
    ("FIFO-4", "requirements.rs", "runs_are_conversations_of_the_queue"),
    ("FIFO-5", "requirements.rs", "runs_are_conversations_of_the_queue"),
    ("FIFO-6", "memory_views.rs", "the_views_are_written_together_or_not_at_all"),
    ("OODA-1", "memory_ooda.rs", "a_run_that_is_done_has_a_summary_and_its_graph"),
    ("OODA-2", "memory_ooda.rs", "the_settings_say_how_much_a_loop_keeps"),
    ("OODA-3", "memory_loop.rs", "the_later_phases_read_what_p0_observed_and_look_again_where_it_was_evicted"),
    ("OODA-4", "memory_ooda.rs", "the_settings_say_how_much_a_loop_keeps"),
    ("OODA-5", "memory_loop.rs", "what_a_draft_was_not_valid_for_is_told_at_the_next_try_until_one_succeeds"),
    ("OODA-6", "memory_ooda.rs", "the_settings_say_how_much_a_loop_keeps"),
    ("OODA-7", "memory_ooda.rs", "a_run_that_waits_keeps_its_epoch_and_nobody_else_flushes_it"),
    ("TURN-1", "memory_turn.rs", "every_create_is_a_turn_with_eleven_phases_and_the_runs_seven"),
    ("TURN-2", "memory_skill.rs", "the_context_is_about_the_request_and_says_nothing_twice"),
    ("TURN-3", "memory_loop.rs", "the_context_of_a_turn_is_about_what_the_wizard_was_told"),
    ("TURN-4", "memory_turn.rs", "a_waiting_run_is_said_and_its_resumption_continues_the_turn"),
    ("TURN-5", "memory_skill.rs", "the_context_is_about_the_request_and_says_nothing_twice"),
    ("TURN-6", "memory_turn.rs", "a_skill_is_a_fact_whose_version_counts_its_changes"),
    ("TURN-7", "memory_skill.rs", "goals_and_observations_of_the_subject_are_lines_of_the_skill_with_their_reason"),
    ("TURN-8", "memory_turn.rs", "every_create_is_a_turn_with_eleven_phases_and_the_runs_seven"),
    ("TURN-9", "memory_turn.rs", "a_context_says_where_every_line_is_from_and_is_the_same_twice"),
    ("TURN-10", "memory_skill.rs", "a_run_that_joins_a_session_takes_what_was_asked_for_in_it_until_it_ends"),
    ("TURN-11", "memory_turn.rs", "every_create_is_a_turn_with_eleven_phases_and_the_runs_seven"),
    ("TURN-12", "memory_turn.rs", "a_project_whose_memory_is_gone_is_told_what_the_files_say"),
    ("TURN-13", "memory_turn.rs", "every_create_is_a_turn_with_eleven_phases_and_the_runs_seven"),
    ("TURN-14", "memory_turn.rs", "two_copies_that_differ_are_resolved_and_flagged"),
    ("TURN-15", "memory_turn.rs", "a_context_says_where_every_line_is_from_and_is_the_same_twice"),
    ("TURN-16", "memory_skill.rs", "a_line_that_is_rejected_at_the_gate_is_in_no_skill_any_more"),
    ("TURN-17", "memory_skill.rs", "what_was_answered_for_a_like_request_is_offered_to_a_person_only"),
];

/// What a test calls to run `create`.
const RUNS: &[&str] = &["create", "holding_the_skill()", "approved(", "skills(&world", "EMAIL"];

fn read(at: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(at)).unwrap()
}

#[test]
fn every_requirement_names_a_test_that_runs_create() {
    let design = read("docs/design.md");
    let rows = design.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let wanted: Vec<&str> = rows.map(|(id, _)| id).filter(|id| id.contains('-') && *id == id.to_uppercase()).collect();
    let known: BTreeSet<&str> = HELD.iter().map(|(id, _, _)| *id).collect();
    assert!(wanted.len() > 60, "{wanted:?}");
    assert_eq!(wanted.iter().copied().collect::<BTreeSet<_>>(), known);
    assert_eq!((wanted.len(), HELD.len()), (known.len(), known.len()), "each once");
    for (id, file, test) in HELD {
        let text = read(&format!("tests/it/{file}"));
        let from = text.find(&format!("\nfn {test}(")).unwrap_or_else(|| panic!("{id}: {file} has no test {test}"));
        assert!(text[..from].trim_end().ends_with("#[test]"), "{id}: {test} is no test");
        let body = &text[from + 1..];
        let body = &body[..body.find("\n}\n").unwrap_or(body.len())];
        assert!(RUNS.iter().any(|call| body.contains(call)), "{id}: {test} runs no create");
    }
}

fn stm(world: &World, args: &[&str]) -> Value {
    world.data(&[&["memory", "stm"], args].concat())
}

#[test]
fn the_session_of_a_run_keeps_what_short_term_memory_promises() {
    let world = World::two();
    world.create(&[EMAIL]).is(3);
    let run = world.newest();
    let own = ["--session", run.as_str()];
    let store = |content: &str| {
        let args = ["store", "--category", "user_input", "--priority", "high", "--content", content];
        stm(&world, &[&args[..], &own].concat())["id"].as_str().unwrap().to_owned()
    };
    let (first, second) = (store(r#"{"input": "first"}"#), store(r#"{"input": "second"}"#));
    assert_ne!(first, second);
    let recalled = stm(&world, &[&["recall"][..], &own].concat())["entries"].clone();
    let entries = recalled.as_array().unwrap();
    // STM-7, STM-1: the newest first, each whole.
    assert_eq!((&entries[0]["id"], &entries[1]["id"]), (&json!(second), &json!(first)));
    for one in entries {
        let whole =
            ["id", "category", "actor", "embodiment", "content", "metadata"].iter().all(|key| !one[key].is_null());
        assert!(whole && one["embodiment"] == "cli", "{one}");
        assert!(!one["metadata"]["expires_at"].is_null() && !one["metadata"]["priority"].is_null(), "{one}");
    }
    assert!(entries.iter().any(|one| one["category"] == "active_task"), "the run's own state: {recalled}");
    // STM-9: from another session it is forbidden, and logged.
    stm(&world, &["store", "--session", "other", "--category", "user_input", "--content", "1"]);
    let from_elsewhere = ["memory", "stm", "recall", "--session", "other", "--id", &first];
    assert!(world.run(&from_elsewhere).is(1).err.contains("403"));
    assert_eq!(world.logged()["event"], "session_forbidden");
    // STM-11: a secret is refused with its rule.
    let secret = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    let args = ["memory", "stm", "store", "--session", &run, "--category", "user_input", "--content"];
    let said = world.run(&[&args[..], &[&format!("\"{secret}\"")]].concat());
    said.fails("E-MEMORY-010", 1).says("github-token").never_says(&secret);
    // STM-13: the id of the run's session is taken for everybody else.
    let other = stm(&world, &["open", "--session", &run, "--actor", "builder"]);
    assert_eq!(other["collided_with"], run.as_str());
    // STM-10: another embodiment does not see it.
    world.set("CI", "true");
    assert_eq!(stm(&world, &[&["recall"][..], &own].concat())["entries"], json!([]));
    world.set("CI", "");
    // STM-14, STM-15: it is counted.
    let stats = stm(&world, &["stats"]);
    assert!(stats.to_string().contains("user_input") && stats.to_string().contains("latency"), "{stats}");
    // STM-16, STM-4: what changed can be followed; what ended is gone after five minutes.
    assert!(!stm(&world, &[&["tail"][..], &own].concat())["entries"].as_array().unwrap().is_empty());
    world.run_by(&["approve", &run], ["approve"]).is(0);
    assert_eq!(stm(&world, &[&["recall"][..], &own].concat())["entries"], json!([]));
    let left = || -> i64 {
        let count = "SELECT count(*) FROM stm_entries WHERE content LIKE '%second%'";
        world.database().query_row(count, [], |row| row.get(0)).unwrap()
    };
    assert!(left() > 0);
    world.at("2026-02-05T10:06:00Z");
    world.create(&["Merge PDF files", "--dry-run"]).is(0);
    assert_eq!(left(), 0);
}

#[test]
fn a_session_that_a_run_joins_makes_room_and_keeps_what_is_urgent() {
    let world = World::two();
    world.write(".hefesto/config.toml", "[stm]\nentries = 10\n");
    let store = |priority: &str, text: &str| {
        let content = json!({ "input": text }).to_string();
        let args = ["store", "--session", "s", "--category", "user_input", "--priority", priority, "--content"];
        stm(&world, &[&args[..], &[&content]].concat());
    };
    store("high", "Keep merged cells apart");
    (0..12).for_each(|number| store("low", &format!("Look at sheet {number}")));
    let brief = world.data(&["create", "Extract tables from PDF files", "--brief", "--session", "s"]);
    let brief = brief["brief"].as_str().unwrap();
    assert!(brief.contains("Keep merged cells apart") && brief.contains("Look at sheet 3"), "{brief}");
    assert!(!brief.contains("Look at sheet 2"), "the oldest of low priority went\n{brief}");
    world.create(&["Extract tables from PDF files", "--session", "s", "--yes"]).is(0);
}

#[test]
fn runs_are_conversations_of_the_queue() {
    let world = World::two();
    world.write(".hefesto/config.toml", "[fifo]\ncapacity = 2\n");
    let asked = ["Merge PDF files with merge_pages.py", "Split PDF files with merge_pages.py", "Sort CSV rows"];
    for (one, day) in asked.iter().zip(["2026-02-05", "2026-02-06", "2026-02-07"]) {
        world.at(&format!("{day}T10:00:00Z"));
        world.create(&[one, "--yes"]).is(0);
    }
    let fifo = |args: &[&str]| world.data(&[&["memory", "fifo"], args].concat());
    let titles = |found: &Value| -> Vec<String> {
        let all = found["conversations"].as_array().unwrap().iter();
        all.map(|one| one["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&fifo(&["recent"])), [asked[2], asked[1]]);
    assert_eq!(fifo(&["evictions"])["evictions"].as_array().unwrap().len(), 1);
    assert!(world.data(&["memory", "inspect", "long"])["patterns"].to_string().contains("merge_pages.py"));
    assert!(fifo(&["entities", "--type", "file"])["entities"].to_string().contains("merge_pages.py"));
    assert!(fifo(&["search", "Sort"])["results"].to_string().contains(asked[2]));
    assert_eq!(titles(&fifo(&["range", "--from", "2026-02-06", "--to", "2026-02-06"])), [asked[1]]);
}

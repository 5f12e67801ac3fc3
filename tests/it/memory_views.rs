//! One run afterwards: ring, epoch, session, conversation and turn say the same of it, however it ends; and of one that
//! failed what was asked, in which phase it stopped, with which data, what to do.

use std::fs;

use hefesto::memory::ring::Phase;
use hefesto::terminal::prompt::Answer;
use serde_json::{Value, json};

use crate::support::held::Held;
use crate::support::world::{CLAUDE, EMAIL, NAME, Person, World, holds};

fn conversation(world: &World, run: &str) -> Value {
    world.data(&["memory", "fifo", "show", &format!("run_{run}")])
}

/// Role and beginning of each message.
fn said(conversation: &Value) -> Vec<(String, String)> {
    let messages = conversation["messages"].as_array().unwrap().iter();
    messages.map(|one| (one["role"].as_str().unwrap().into(), one["content"].as_str().unwrap().into())).collect()
}

fn session(world: &World) -> Value {
    world.data(&["memory", "stm", "sessions"])["sessions"][0].clone()
}

#[test]
fn a_run_that_is_done_is_closed_everywhere() {
    let world = World::holding_the_skill();
    let run = world.newest();
    let talk = conversation(&world, &run);
    assert_eq!(talk["conversation"]["is_active"], false);
    assert_eq!(talk["conversation"]["title"], EMAIL);
    let told: Vec<String> = said(&talk).into_iter().map(|(role, text)| format!("{role}: {text}")).collect();
    assert_eq!(
        told,
        [
            format!("user: {EMAIL}"),
            format!("assistant: Drafted `{NAME}` for claude,gemini."),
            "user: Approved by flag.".to_owned(),
            "system: done.".to_owned(),
        ]
    );
    assert!(talk["conversation"]["summary"].as_str().unwrap().contains(NAME));
    assert_eq!(world.data(&["memory", "ooda", "dag"])["flushed"], true);
    let turn = world.data(&["memory", "turn", "show"]);
    assert_eq!((&turn["turn"]["run_id"], &turn["turn"]["status"]), (&json!(run), &json!("done")));
    let long = world.data(&["memory", "inspect", "long"]);
    assert_eq!(long["episodes"][0]["run_id"], run.as_str());
    assert_eq!(long["facts"].as_array().unwrap().len(), 1);
    let session = session(&world);
    assert_eq!((&session["session_id"], &session["state"]), (&json!(run), &json!("ended")));
    let recalled = world.data(&["memory", "stm", "recall", "--session", &run]);
    assert_eq!(recalled["entries"], json!([]), "what has ended is not recalled");
}

#[test]
fn a_run_that_waits_stays_open_everywhere_and_goes_on() {
    let world = World::two();
    world.create(&[EMAIL]).is(3);
    let run = world.newest();
    assert_eq!(session(&world)["state"], "open");
    let task = world.data(&["memory", "stm", "recall", "--session", &run]);
    assert_eq!(task["entries"][0]["content"]["data"], json!({ "task_id": run, "phase": "P4", "status": "paused" }));
    let talk = conversation(&world, &run);
    assert_eq!(talk["conversation"]["is_active"], json!(true));
    assert_eq!(talk["conversation"]["pinned_by_run"], json!(run));
    assert_eq!(world.data(&["memory", "ooda", "dag"])["decision"], json!({ "do": "park" }));
    // A day and more later it is still there: its session stays open as long as it waits.
    world.at("2026-02-06T11:00:00Z");
    world.run(&["approve", &run, "--yes"]).is(0);
    assert_eq!(session(&world)["state"], "ended");
    let talk = conversation(&world, &run);
    assert_eq!(talk["conversation"]["pinned_by_run"], Value::Null);
    assert!(said(&talk).contains(&("system".into(), "Taken up again.".into())));
    assert_eq!(said(&talk).iter().filter(|(_, text)| text == EMAIL).count(), 1, "it was asked once");
}

#[test]
fn a_run_that_failed_says_so_everywhere() {
    let world = World::two();
    world.create(&[EMAIL, "--name", &"a".repeat(65), "--yes"]).is(1);
    let run = world.newest();
    let talk = conversation(&world, &run);
    assert_eq!(said(&talk).last().unwrap().1, "failed in P3 validate with E-CREATE-005.");
    let dag = world.data(&["memory", "ooda", "dag"]);
    assert_eq!(dag["dags"][0]["failed_node_ids"], json!(["P3 validate"]));
    assert_eq!(dag["decision"], json!({ "do": "replan" }));
    let summary = world.data(&["memory", "ooda", "epochs"])["epochs"][0]["summary"].clone();
    assert_eq!(summary["key_events"][0], "P3 validate failed: E-CREATE-005");
    assert_eq!(session(&world)["state"], "ended");
    let long = world.data(&["memory", "inspect", "long"]);
    assert_eq!(long["episodes"][0]["kind"], json!("failed"));
    assert_eq!(long["episodes"][0]["error_code"], json!("E-CREATE-005"));
}

#[test]
fn a_run_in_a_new_project_takes_its_views_along() {
    let world = World::bare(&["claude"]);
    world.create(&[EMAIL, "--yes"]).is(0);
    let run = world.newest();
    let talk = conversation(&world, &run);
    assert_eq!(said(&talk).iter().filter(|(_, text)| text == EMAIL).count(), 1);
    assert_eq!(session(&world)["session_id"], run.as_str());
    assert_eq!(world.data(&["memory", "ooda", "dag"])["flushed"], true);
    let turns = world.data(&["memory", "turn", "list"])["turns"].clone();
    assert_eq!((turns.as_array().unwrap().len(), &turns[0]["status"]), (1, &json!("done")));
    assert_eq!(turns[0]["run_id"], run.as_str());
    assert_eq!(world.data(&["memory", "turn", "trace"])["spans"].as_array().unwrap().len(), 18);
    assert_eq!(world.data(&["memory", "inspect", "long"])["episodes"][0]["kind"], "done");
}

#[test]
fn a_process_that_died_after_its_commit_is_closed_by_the_next() {
    let world = World::holding_the_skill();
    let run = world.newest();
    // As it stands when the process dies between the commit of its files and its own end.
    let db = world.database();
    let reopened = "UPDATE epochs SET flushed_at = NULL, summary = NULL;
        UPDATE stm_sessions SET ended_at = NULL;
        UPDATE conversations SET is_active = 1, pinned_by_run = 'x', summary = NULL;";
    db.execute_batch(&reopened.replace("'x'", &format!("'{run}'"))).unwrap();
    drop(db);
    world.create(&["Review pull requests", "--yes"]).is(0);
    let talk = conversation(&world, &run);
    assert_eq!(talk["conversation"]["is_active"], json!(false));
    assert_eq!(talk["conversation"]["pinned_by_run"], Value::Null);
    assert_eq!(world.data(&["memory", "ooda", "dag", "--run", &run])["flushed"], true);
    let sessions = world.data(&["memory", "stm", "sessions"]);
    assert!(sessions["sessions"].as_array().unwrap().iter().all(|one| one["state"] == "ended"), "{sessions}");
}

#[test]
fn the_views_are_written_together_or_not_at_all() {
    for (event, table) in
        [("INSERT", "ooda_events"), ("INSERT", "messages"), ("UPDATE", "stm_entries"), ("INSERT", "wm_slots")]
    {
        let world = World::two();
        let full = format!(
            "CREATE TRIGGER full BEFORE {event} ON {table} WHEN (SELECT count(*) FROM {table}) >= 1
             BEGIN SELECT RAISE(ABORT, 'full'); END"
        );
        let full = world.meanwhile(move |root| {
            rusqlite::Connection::open(root.join(".hefesto/memory.db")).unwrap().execute_batch(&full).unwrap();
        });
        world.create_by(&[EMAIL], Person::default().does(full, "approve")).is(0).says("WARN-007");
        let db = world.database();
        let phases = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        let slots = phases("SELECT count(*) FROM wm_slots");
        let completed = phases("SELECT count(*) FROM ooda_nodes WHERE status = 'completed'");
        assert_eq!(slots, completed, "{table}: ring and graph disagree");
        let tasks = phases("SELECT count(*) FROM stm_entries");
        assert!(tasks <= 1, "{table}");
    }
}

fn inspected(world: &World) -> Value {
    world.data(&["memory", "inspect"])
}

fn screen(world: &World) -> String {
    world.run(&["memory", "inspect"]).is(0).out.clone()
}

#[test]
fn a_run_that_fails_in_p1_keeps_what_was_asked() {
    let world = World::two();
    world.create(&[EMAIL, "--name", "Not A Name", "--yes"]).fails("ERR-007", 1);
    let seen = inspected(&world);
    assert_eq!((&seen["run"]["description"], &seen["verdict"]["stopped_in"]), (&json!(EMAIL), &json!("P1")));
    assert!(screen(&world).contains(&format!("asked    {EMAIL}")), "{}", screen(&world));
    // What is too long is kept as far as P1 would have taken it.
    let long = "word ".repeat(500);
    world.create(&[&long, "--yes"]).fails("E-CREATE-001", 1);
    let kept = inspected(&world)["run"]["description"].as_str().unwrap().to_owned();
    assert!(long.starts_with(kept.strip_suffix("...").unwrap()) && kept.chars().count() == 2003, "{kept}");
    // A wizard that was left before it was told anything has nothing to show.
    world.create_by(&[], ["cancel"]).fails("E-CREATE-010", 3);
    assert_eq!(inspected(&world)["run"]["description"], Value::Null);
}

#[test]
fn what_was_refused_is_withheld_and_the_rule_is_named() {
    let token = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    for (asked, kind, secret) in [
        (format!("Call the service with {token}"), "secret", token.as_str()),
        ("Valida o CPF 529.982.247-25 do cliente".to_owned(), "pii", "529.982.247-25"),
        ("Print $(cat /etc/passwd) in a report".to_owned(), "injection", "/etc/passwd"),
    ] {
        let world = World::two();
        world.create(&[&asked, "--yes"]).fails("E-CREATE-009", 1);
        let rule = format!("T0-HEFESTO-11.{kind}");
        assert_eq!(inspected(&world)["run"]["description"], format!("[REDACTED:{rule}]"));
        let text = screen(&world);
        assert!(text.contains("withheld") && text.contains(&rule) && text.contains("in P1 intake"), "{text}");
        world.is_nowhere(secret);
    }
}

#[test]
fn a_run_that_p0_keeps_from_beginning_is_found_where_there_is_a_memory() {
    let world = World::holding_the_skill();
    let made = world.newest();
    world.write("CONSTITUTION.md", world.read("CONSTITUTION.md").replace("### T0-HEFESTO-11", "### Removed"));
    world.create(&["Sort the mail", "--yes"]).fails("ERR-004", 1);
    let seen = inspected(&world);
    assert_ne!(seen["run"]["run_id"], made.as_str());
    assert_eq!((&seen["run"]["status"], &seen["run"]["error"]), (&json!("failed"), &json!("ERR-004")));
    assert_eq!((&seen["run"]["description"], &seen["verdict"]["stopped_in"]), (&json!("Sort the mail"), &json!("P0")));
    let text = screen(&world);
    holds(&text, &["failed in P0 preflight", "asked    Sort the mail", "ERR-004", "do       "]);
    world.run(&["restore-constitution", "--force"]).is(0);
    world.run(&["memory", "doctor"]).is(0);
    world.run(&["memory", "ring", "verify"]).is(0);
    assert_eq!(world.data(&["memory", "ring", "get", "P2", "--run", &made])["run_id"], made.as_str());
    // Settings that cannot be read stop a run at P0 too, and do not keep anybody from looking why.
    world.write(".hefesto/config.toml", "gate_timeout = [");
    world.create(&["Sort the post", "--yes"]).fails("E-CONFIG-001", 2);
    let text = screen(&world);
    holds(&text, &["asked    Sort the post", "E-CONFIG-001", "the settings cannot be used"]);
}

#[test]
fn a_run_killed_in_p0_or_p1_says_what_it_was_asked() {
    for phase in [Phase::Preflight, Phase::Intake] {
        let world = World::two();
        Held::pushing(&world, phase, &["create", EMAIL, "--yes"]).kill();
        let seen = inspected(&world);
        assert_eq!(seen["run"]["status"], json!("running"), "{phase}");
        assert_eq!(seen["run"]["description"], json!(EMAIL), "{phase}");
        assert!(screen(&world).contains("died in "), "{}", screen(&world));
    }
}

#[test]
fn only_an_approved_run_names_a_backup() {
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:01:00Z");
    let backup = |world: &World| {
        let window = world.data(&["memory", "inspect", "windows"])["windows"]["approval"].clone();
        assert_eq!((&window["collision_detected"], &window["action_chosen"]), (&json!(true), &json!("overwrite")));
        window["backup_path"].clone()
    };
    world.create(&[EMAIL, "--on-collision", "overwrite", "--dry-run"]).is(0);
    assert_eq!(backup(&world), Value::Null);
    assert!(!world.run(&["memory", "inspect"]).out.contains("backup_path"));
    world.create(&[EMAIL, "--on-collision", "overwrite", "--yes"]).is(0);
    assert!(world.path(backup(&world).as_str().unwrap()).is_file());
}

#[test]
fn a_screen_names_a_phase_that_is_there() {
    let world = World::two();
    let named = |world: &World, store: &str| {
        let text = world.run(&["memory", "inspect", store]).is(0).out.clone();
        let line = text.lines().find(|line| line.contains("memory ring get"));
        line.map(|line| line.split_whitespace().nth(4).unwrap().to_owned())
    };
    for store in ["ring", "windows"] {
        assert_eq!(named(&world, store), None, "nothing is there yet");
    }
    world.create(&[EMAIL, "--template", "nope"]).fails("E-CREATE-008", 1);
    for store in ["ring", "windows"] {
        assert_eq!(named(&world, store).as_deref(), Some("P1"), "{store}");
    }
    world.run(&["memory", "ring", "get", "P1"]).is(0);
    world.create_by(&[EMAIL], Person::default().ends(Answer::TimedOut)).is(4);
    for store in ["ring", "windows"] {
        assert_eq!(named(&world, store).as_deref(), Some("P2"), "{store}");
    }
    assert!(!world.exists(CLAUDE));
}

#[test]
fn the_state_of_a_phase_that_failed_can_be_read_until_the_next_run() {
    let world = World::two();
    world.create(&[EMAIL, "--name", &"a".repeat(65), "--yes"]).fails("E-CREATE-005", 1);
    let run = world.newest();
    let get = ["memory", "ring", "get", "P3", "--run", &run];
    world.run(&get).fails("E-MEMORY-001", 1);
    let state = world.data(&[&get[..], &["--dropped"]].concat());
    assert_eq!((&state["dropped"], &state["state"]["validation_passed"]), (&json!(true), &json!(false)));
    assert_eq!(world.data(&["memory", "ring", "get", "P2", "--run", &run, "--dropped"])["dropped"], Value::Null);
    assert!(
        screen(&world).contains(&format!("hefesto memory ring get P3 --dropped --run {run}")),
        "{}",
        screen(&world)
    );
    world.create(&[EMAIL, "--yes"]).is(0);
    world.run(&[&get[..], &["--dropped"]].concat()).fails("E-MEMORY-001", 1);
}

#[test]
fn a_run_the_memory_could_not_take_is_named_from_the_operation_log() {
    let world = World::holding_the_skill();
    let made = world.newest();
    assert!(!screen(&world).contains("operation log"), "{}", screen(&world));
    // A database that cannot be used.
    let (file, aside) = (world.path(".hefesto/memory.db"), world.path(".hefesto/aside"));
    fs::rename(&file, &aside).unwrap();
    fs::write(&file, "garbage").unwrap();
    world.at("2026-02-05T10:01:00Z");
    world.create(&["Sort the mail", "--template", "nope"]).fails("E-CREATE-008", 1).says("WARN-007");
    fs::rename(&aside, &file).unwrap();
    let logged = world.logged()["run_id"].as_str().unwrap().to_owned();
    let seen = inspected(&world);
    assert_eq!((&seen["run"]["run_id"], &seen["health"]["status"]), (&json!(made), &json!("warning")));
    let text = screen(&world);
    let first = text.split("\n\n").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(first.contains("operation log has it"), "{text}");
    assert!(first.contains(&logged), "{text}");
    assert!(first.contains("[E-CREATE-008]"), "{text}");
    assert!(!world.run(&["memory", "inspect", "--run", &made]).out.contains("operation log"));
    // The next one that is remembered is the newest again.
    world.at("2026-02-05T10:02:00Z").create(&["Sort the mail", "--template", "nope"]).is(1);
    assert!(!screen(&world).contains("operation log"), "{}", screen(&world));
}

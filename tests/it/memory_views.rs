//! One run, five views: ring, epoch, session, conversation and turn say the same of it, however it ends.

use crate::support::world;

use serde_json::{Value, json};
use world::{EMAIL, NAME, Person, World};

/// The run that was remembered last.
fn newest(world: &World) -> String {
    world.data(&["runs"])["runs"][0]["run_id"].as_str().unwrap().to_owned()
}

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
    let run = newest(&world);
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
    let run = newest(&world);
    assert_eq!(session(&world)["state"], "open");
    let task = world.data(&["memory", "stm", "recall", "--session", &run]);
    assert_eq!(task["entries"][0]["content"]["data"], json!({ "task_id": run, "phase": "P4", "status": "paused" }));
    let talk = conversation(&world, &run);
    assert_eq!(
        (&talk["conversation"]["is_active"], &talk["conversation"]["pinned_by_run"]),
        (&json!(true), &json!(run))
    );
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
    let run = newest(&world);
    let talk = conversation(&world, &run);
    assert_eq!(said(&talk).last().unwrap().1, "failed in P3 validate with E-CREATE-005.");
    assert_eq!(world.data(&["memory", "ooda", "dag"])["dags"][0]["failed_node_ids"], json!(["P3 validate"]));
    assert_eq!(session(&world)["state"], "ended");
    let long = world.data(&["memory", "inspect", "long"]);
    assert_eq!(
        (&long["episodes"][0]["kind"], &long["episodes"][0]["error_code"]),
        (&json!("failed"), &json!("E-CREATE-005"))
    );
}

#[test]
fn a_run_in_a_new_project_takes_its_views_along() {
    let world = World::bare(&["claude"]);
    world.create(&[EMAIL, "--yes"]).is(0);
    let run = newest(&world);
    let talk = conversation(&world, &run);
    assert_eq!(said(&talk).iter().filter(|(_, text)| text == EMAIL).count(), 1);
    assert_eq!(session(&world)["session_id"], run.as_str());
    assert_eq!(world.data(&["memory", "ooda", "dag"])["flushed"], true);
    assert_eq!(world.data(&["memory", "turn", "show"])["turn"]["run_id"], run.as_str());
}

#[test]
fn a_process_that_died_after_its_commit_is_closed_by_the_next() {
    let world = World::holding_the_skill();
    let run = newest(&world);
    // As it stands when the process dies between the commit of its files and its own end.
    let db = world.database();
    let reopened = "UPDATE epochs SET flushed_at = NULL, summary = NULL;
        UPDATE stm_sessions SET ended_at = NULL;
        UPDATE conversations SET is_active = 1, pinned_by_run = 'x', summary = NULL;";
    db.execute_batch(&reopened.replace("'x'", &format!("'{run}'"))).unwrap();
    drop(db);
    world.create(&["Review pull requests", "--yes"]).is(0);
    let talk = conversation(&world, &run);
    assert_eq!(
        (&talk["conversation"]["is_active"], &talk["conversation"]["pinned_by_run"]),
        (&json!(false), &Value::Null)
    );
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

#[test]
fn thirty_secrets_in_a_description_reach_no_store() {
    let world = World::two();
    let body = "x9Yk2LmQ7RtV4wZb8NcD1FgH6JpS3TuA5EoI";
    for number in 0..30 {
        let secret = format!("gh{}_{}{:02}", "p", &body[2..], number);
        world.create(&[&format!("Call the service with {secret} every day"), "--yes"]).is(1).never_says(&secret);
        for (path, text) in world.files() {
            assert!(!text.contains(&secret), "{path}");
        }
        for file in ["memory.db", "memory.db-wal"] {
            let bytes = std::fs::read(world.path(&format!(".hefesto/{file}"))).unwrap_or_default();
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{file}");
        }
    }
}

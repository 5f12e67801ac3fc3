//! `memory ooda …`: the live memory of a loop through the program, and what a run leaves in it.

use crate::support::world;

use serde_json::{Value, json};
use world::World;

fn ooda(world: &World, args: &[&str]) -> Value {
    world.data(&[&["memory", "ooda"], args].concat())
}

fn refused(world: &World, args: &[&str]) -> (i32, String) {
    let said = world.run(&[&["memory", "ooda"], args].concat());
    (i32::from(said.exit.number()), said.err)
}

#[test]
fn a_run_that_is_done_has_a_summary_and_its_graph() {
    let world = World::holding_the_skill();
    let dag = ooda(&world, &["dag"]);
    assert_eq!(dag["flushed"], true);
    assert_eq!(dag["dags"][0]["completion_percentage"], 100.0);
    assert_eq!(dag["decision"], json!({ "do": "complete" }));
    let epochs = ooda(&world, &["epochs"]);
    let summary = &epochs["epochs"][0]["summary"];
    assert_eq!(summary["completed_dags"].as_array().unwrap().len(), 1);
    assert_eq!(summary["key_events"][0], "P6 finish done");
    assert_eq!(summary["key_entities"]["skill"], world::NAME);
}

#[test]
fn a_run_that_waits_keeps_its_epoch_and_nobody_else_flushes_it() {
    let world = World::two();
    world.run(&["create", world::EMAIL]).is(3);
    let dag = ooda(&world, &["dag"]);
    assert_eq!(dag["flushed"], false);
    assert_eq!(dag["dags"][0]["node_statuses"]["P4 approve"], "parked");
    assert_eq!(dag["decision"], json!({ "do": "park" }));
    let epoch = dag["epoch_id"].as_str().unwrap();
    let (exit, said) = refused(&world, &["flush", "--epoch", epoch]);
    assert_eq!(exit, 1);
    assert!(said.contains("E-MEMORY-042"), "{said}");
    world.run(&["approve", epoch, "--yes"]);
    let dag = ooda(&world, &["dag", "--run", epoch]);
    assert_eq!((&dag["flushed"], &dag["dags"][0]["completed_count"]), (&json!(true), &json!(7)));
}

#[test]
fn a_run_that_failed_says_where() {
    let world = World::two();
    world.run(&["create", world::EMAIL, "--name", &"a".repeat(65), "--yes"]).is(1);
    let dag = ooda(&world, &["dag"]);
    assert_eq!(dag["dags"][0]["failed_node_ids"], json!(["P3 validate"]));
    assert_eq!(dag["decision"], json!({ "do": "replan" }));
    let epochs = ooda(&world, &["epochs"]);
    assert_eq!(epochs["epochs"][0]["summary"]["key_events"][0], "P3 validate failed: E-CREATE-005");
}

#[test]
fn an_agent_uses_it_without_a_run() {
    let world = World::two();
    ooda(&world, &["register", "build", "--node", "fetch", "--node", "compile"]);
    let done = ooda(&world, &["update", "--dag", "build", "--node", "fetch", "--status", "completed"]);
    assert_eq!(done["dag"]["completion_percentage"], 50.0);
    assert_eq!(done["decision"], json!({ "do": "continue", "node": "compile" }));
    let done = ooda(&world, &["update", "--dag", "build", "--node", "compile", "--status", "completed"]);
    assert_eq!(
        (&done["dag"]["estimated_remaining_steps"], &done["decision"]),
        (&json!(0), &json!({ "do": "complete" }))
    );
    ooda(&world, &["push", "--content", r#"{"event_id":"e1","description":"disk full","priority":5}"#]);
    ooda(&world, &["push", "--content", r#"{"description":"net down","source":"webhook"}"#]);
    ooda(&world, &["cache", "api_id", "--content", "\"a1b2\"", "--event", "e1"]);
    assert_eq!(ooda(&world, &["get", "api_id"])["entity"]["value"], "a1b2");
    assert_eq!(ooda(&world, &["get", "nothing"])["entity"], Value::Null);
    let slice = ooda(&world, &["context", "disk"]);
    assert_eq!(slice["recent_events"].as_array().unwrap().len(), 1);
    assert_eq!(slice["total_events_in_history"], 2);
    assert_eq!(ooda(&world, &["events", "--source", "webhook"])["total"], 1);
    let summary = ooda(&world, &["flush"]);
    assert_eq!(summary["summary"]["key_events"], json!(["disk full", "net down"]));
    let again = ooda(&world, &["flush"]);
    assert_eq!(again["summary"]["total_events_processed"], 0);
    assert_eq!(ooda(&world, &["context"])["dag_snapshots"], json!([]));
    let ended = ooda(&world, &["dag"]);
    assert_eq!((&ended["flushed"], &ended["decision"]), (&json!(true), &json!({ "do": "complete" })));
    assert_eq!(ended["dags"][0]["node_statuses"], json!({ "fetch": "completed", "compile": "completed" }));
}

#[test]
fn the_settings_say_how_much_a_loop_keeps() {
    let world = World::two();
    world.write(
        ".hefesto/config.toml",
        "[ooda]\nevents = 2\nentities = 1\nentity_seconds = 60\nevent_seconds = 60\ncontext = 1\n",
    );
    world.create(&[world::EMAIL]).is(3);
    let run = world.newest();
    let epoch = ["--epoch", run.as_str()];
    let events = ooda(&world, &[&["events"], &epoch[..]].concat());
    assert_eq!(events["total"], 2, "the newest two of a run's events\n{events}");
    let slice = ooda(&world, &[&["context"], &epoch[..]].concat());
    assert_eq!((slice["total_entities_cached"].as_u64(), &slice["truncated"]), (Some(1), &json!(true)), "{slice}");
    assert_eq!(slice["recent_events"].as_array().unwrap().len(), 1);
    let limits = world.data(&["memory", "inspect"])["limits"].clone();
    let limit =
        |what: &str| limits.as_array().unwrap().iter().find(|one| one["what"] == what).unwrap()["limit"].clone();
    assert_eq!((limit("events"), limit("entities")), (json!(2), json!(1)));
    ooda(&world, &["push", "--content", r#"{"description":"disk full"}"#]);
    assert_eq!(ooda(&world, &["cache", "k", "--content", "1"])["entity"]["ttl_seconds"], 60);
    world.at("2026-02-05T10:02:00Z");
    assert!(ooda(&world, &["evict"])["evicted"].as_u64() >= Some(2), "an event and an entity are out of date");
    let set = world.data(&["config"])["settings"].clone();
    let events = set.as_array().unwrap().iter().find(|one| one["name"] == "ooda.events").unwrap().clone();
    assert_eq!((&events["value"], &events["set_by"]), (&json!("2"), &json!("project")));
}

#[test]
fn a_ttl_of_zero_is_never_readable_and_eviction_counts() {
    let world = World::two();
    ooda(&world, &["cache", "k", "--content", "1", "--ttl", "0"]);
    assert_eq!(ooda(&world, &["evict"])["evicted"], 1);
    ooda(&world, &["cache", "k", "--content", "1", "--ttl", "-5"]);
    assert_eq!(ooda(&world, &["get", "k"])["entity"], Value::Null);
    assert_eq!(ooda(&world, &["evict"])["evicted"], 0, "reading removed it");
}

#[test]
fn what_is_wrong_is_said() {
    let world = World::two();
    for (args, exit, word) in [
        (vec!["push", "--content", "{}"], 2, "description"),
        (vec!["push", "--content", "[1"], 2, "is not JSON"),
        (vec!["push", "--content", r#"{"description":"d","source":"moon"}"#], 2, "webhook"),
        (vec!["push", "--content", r#"{"description":"d","priority":-1}"#], 2, "priority"),
        (vec!["push", "--content", r#"{"description":"d","extra":1}"#], 2, "extra"),
        (vec!["update", "--dag", "d", "--node", "n", "--status", "done"], 2, "parked"),
        (vec!["dag", "--epoch", "nothing"], 1, "E-MEMORY-040"),
    ] {
        let (found, said) = refused(&world, &args);
        assert_eq!(found, exit, "{args:?}: {said}");
        assert!(said.contains(word), "{args:?}: {said}");
    }
}

#[test]
fn a_credential_is_refused_and_not_echoed() {
    let world = World::two();
    let secret = format!("gh{}_{}", "p", "x9Yk2LmQ7RtV4wZb8NcD1FgH6JpS3TuA5EoI");
    let content = json!({ "description": format!("use {secret}") }).to_string();
    let (exit, said) = refused(&world, &["push", "--content", &content]);
    assert_eq!(exit, 1);
    assert!(said.contains("E-MEMORY-010") && !said.contains(&secret), "{said}");
    for file in [".hefesto/memory.db", ".hefesto/memory.db-wal"] {
        let bytes = std::fs::read(world.path(file)).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{file}");
    }
}

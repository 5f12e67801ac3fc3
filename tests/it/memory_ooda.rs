//! `memory ooda …`: the live memory of a loop through the program, what a run observes and leaves in it, and that the
//! later phases and the next try read it from there.

use std::fs;

use serde_json::{Value, json};

use crate::support::world::{self, EMAIL, GEMINI, Person, World};

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
    world.run(&["create", EMAIL]).is(3);
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
fn the_settings_say_how_much_a_loop_keeps() {
    let world = World::two();
    world.write(
        ".hefesto/config.toml",
        "[ooda]\nevents = 2\nentities = 1\nentity_seconds = 60\nevent_seconds = 60\ncontext = 1\n",
    );
    world.create(&[EMAIL]).is(3);
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
fn an_agent_uses_it_without_a_run() {
    // What is wrong is said.
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
    // A ttl of zero is never readable and eviction counts.
    ooda(&world, &["cache", "k", "--content", "1", "--ttl", "0"]);
    assert_eq!(ooda(&world, &["evict"])["evicted"], 1);
    ooda(&world, &["cache", "k", "--content", "1", "--ttl", "-5"]);
    assert_eq!(ooda(&world, &["get", "k"])["entity"], Value::Null);
    assert_eq!(ooda(&world, &["evict"])["evicted"], 0, "reading removed it");
    ooda(&world, &["register", "build", "--node", "fetch", "--node", "compile"]);
    let done = ooda(&world, &["update", "--dag", "build", "--node", "fetch", "--status", "completed"]);
    assert_eq!(done["dag"]["completion_percentage"], 50.0);
    assert_eq!(done["decision"], json!({ "do": "continue", "node": "compile" }));
    let done = ooda(&world, &["update", "--dag", "build", "--node", "compile", "--status", "completed"]);
    assert_eq!(done["dag"]["estimated_remaining_steps"], json!(0));
    assert_eq!(done["decision"], json!({ "do": "complete" }));
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

/// The answers of the wizard up to the gate, with `all` targets; in between a client is removed.
fn wizard_without_gemini(world: &World) -> Person {
    let stub = world.outside().join("bin/gemini");
    Person::saying(&[EMAIL])
        .does(move || fs::remove_file(stub).unwrap(), "")
        .then(&["", "", "all", "continue", "approve"])
}

#[test]
fn the_later_phases_read_what_p0_observed_and_look_again_where_it_was_evicted() {
    let world = World::two();
    world.create_by(&[], wizard_without_gemini(&world)).is(0);
    assert!(world.exists(GEMINI), "P0 saw it, and P1 reads that from the loop");

    // Where there is room for one thing, the rest is observed again.
    let (roomy, narrow) = (World::two(), World::two());
    narrow.write(".hefesto/config.toml", "[ooda]\nentities = 1\n");
    for world in [&roomy, &narrow] {
        world.create_by(&[EMAIL], ["approve"]).is(0);
    }
    let skill = format!("{GEMINI}/SKILL.md");
    assert_eq!(narrow.read(&skill), roomy.read(&skill));
}

#[test]
fn a_run_that_waits_holds_what_it_observed_and_one_that_is_done_does_not() {
    let world = World::holding_the_skill();
    world.write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"1.0.0\"\n");
    world.create(&["Merge PDF files"]).is(3);
    let run = world.newest();
    let cached = |key: &str| world.data(&["memory", "ooda", "get", key, "--epoch", &run])["entity"]["value"].clone();
    assert_eq!(cached("clients")[0]["row"]["id"], json!("claude"));
    assert_eq!(cached("skills")[0]["name"], json!(world::NAME));
    assert!(cached("repository")["all"].as_array().is_some_and(|all| !all.is_empty()), "{}", cached("repository"));
    // What the repository said then holds for the run, whatever it says now.
    let first = cached("repository");
    world.write("Cargo.toml", "[package]\nname = \"other\"\nversion = \"2.0.0\"\n");
    world.run_by(&["resume"], Person::default().ends(hefesto::terminal::prompt::Answer::TimedOut)).is(4);
    assert_eq!(cached("repository"), first);
    world.run_by(&["approve", &run], ["approve"]).is(0);
    let summary = world.data(&["memory", "ooda", "epochs"])["epochs"][0]["summary"].clone();
    assert_eq!(summary["key_entities"]["skill"], "merge-pdf-files");
    assert_eq!(cached("clients"), Value::Null);
}

const LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

#[test]
fn what_a_draft_was_not_valid_for_is_told_at_the_next_try_until_one_succeeds() {
    let world = World::two();
    world.create(&[EMAIL, "--name", LONG, "--yes"]).fails("E-CREATE-005", 1);
    let failed = world.newest();
    let summary = world.data(&["memory", "ooda", "epochs"])["epochs"][0]["summary"].clone();
    let found: Vec<&str> = summary["key_events"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(found[0], "P3 validate failed: E-CREATE-005");
    assert!(found[1].starts_with("P3 validate found ") && found[1].contains("SKILL.md:"), "{found:#?}");
    let told = "the last try, on 5 February, failed on ";
    let said = world.create(&["Validate an email address using regex patterns", "--dry-run"]);
    let why = ["memory", "inspect", "ooda", "--run", &failed];
    said.is(0).says(told).says(&format!("; `hefesto {}` says why.\n", why.join(" "))).never_says("SKILL.md:");
    let shown = world.run(&why).is(0).out.clone();
    assert!(shown.contains(found[1].split(". ").next().unwrap()), "{shown}");
    let brief = world.data(&["create", EMAIL, "--brief"])["brief"].as_str().unwrap().to_owned();
    let line = format!("an earlier draft failed on {}", found[1].strip_prefix("P3 validate found ").unwrap());
    assert!(brief.contains(&line), "{brief}");
    world.run(&["resume", &failed, "--fork", "--yes"]).fails("E-CREATE-005", 1).says(told);
    assert_eq!(
        world.data(&["memory", "ooda", "events", "--epoch", &failed])["total"],
        0,
        "a flushed epoch has nothing"
    );
    world.create(&[EMAIL, "--yes"]).is(0);
    world.create(&[EMAIL, "--name", "other", "--dry-run"]).is(0).never_says(told);
}

#[test]
fn the_next_edit_is_told_what_an_earlier_draft_of_the_run_failed_on() {
    let world = World::two();
    world.set("VISUAL", "true");
    let person = Person::saying(&["Validate postal addresses", "edit", "reject"]);
    world.create_by(&[EMAIL, "--name", LONG], person).is(3).says("An earlier draft failed on ");
    let editor = world.script("spoil", "sed -i 's/^name: .*/name: Not A Name/' \"$1\"");
    world.set("VISUAL", &editor);
    let person = Person::saying(&["edit", "discard-changes", "edit", "discard-changes", "reject"]);
    let said = world.create_by(&[EMAIL], person);
    let (first, second) = said.is(3).err.split_once("discard-changes").unwrap();
    let told = "An earlier draft failed on ";
    assert!(!first.contains(told) && second.contains(told), "{}", said.err);
}

#[test]
fn the_context_of_a_turn_is_about_what_the_wizard_was_told() {
    let (typed, asked) = (World::two(), World::two());
    for world in [&typed, &asked] {
        world.data(&["memory", "turn", "goal", "Use pdfplumber for every PDF."]);
        world.data(&["memory", "turn", "goal", "Format Go code with tabs."]);
    }
    let pdf = "Extract tables from PDF files";
    typed.create_by(&[pdf], ["approve"]).is(0);
    asked.create_by(&[], [pdf, "", "", "", "", "continue", "approve"]).is(0);
    let turn = |world: &World| world.data(&["memory", "turn", "show"]);
    assert_eq!(turn(&asked)["source_breakdown"], turn(&typed)["source_breakdown"]);
    assert_eq!(asked.state("P1")["initialisation"]["context_hash"], turn(&asked)["turn"]["context_hash"]);
    assert_eq!(typed.state("P1")["initialisation"], Value::Null, "it was about that from the start");
    let turns: i64 = asked.database().query_row("SELECT count(*) FROM turns", [], |row| row.get(0)).unwrap();
    assert_eq!(turns, 1);
}

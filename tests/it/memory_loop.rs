//! What a run observes and what fails in it is in its loop, and the later phases and the next try read it from there.

use crate::support::world;

use std::fs;

use serde_json::{Value, json};
use world::{EMAIL, GEMINI, Person, World};

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
    assert_eq!(
        (&cached("clients")[0]["row"]["id"], &cached("skills")[0]["name"]),
        (&json!("claude"), &json!(world::NAME))
    );
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

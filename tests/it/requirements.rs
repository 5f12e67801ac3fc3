//! Every numbered requirement of docs/design.md has a test that runs `create`, and `fixtures/requirements.txt` says which.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::world::{EMAIL, World};

/// The requirements, and for each the file and the test that holds it.
const HELD: &str = include_str!("../../fixtures/requirements.txt");

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
    let held: Vec<[&str; 3]> =
        HELD.lines().map(|line| line.split(' ').collect::<Vec<_>>().try_into().unwrap()).collect();
    let known: BTreeSet<&str> = held.iter().map(|[id, ..]| *id).collect();
    assert!(wanted.len() > 60, "{wanted:?}");
    assert_eq!(wanted.iter().copied().collect::<BTreeSet<_>>(), known);
    assert_eq!((wanted.len(), held.len()), (known.len(), known.len()), "each once");
    for [id, file, test] in held {
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

//! Many at once, case by case: P1 to P6. No failure, no lost write, nobody who waits for the dead.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;

use hefesto::memory::ring::Phase;
use hefesto::memory::{Memory, NewRun};
use serde_json::json;

use crate::support::held::{self, Held};
use crate::support::world::{CLAUDE, EMAIL, GEMINI, World};

/// How many there are at once.
const MANY: u32 = 32;
/// How often each of them pushes.
const EACH: u32 = 10;
/// Where a child of these tests writes, and which of them it is.
const CHILD: &str = "HEFESTO_TEST_CHILD";

/// This very test program again, doing only one child's work.
pub(crate) fn child(work: &str, path: &Path, number: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", &format!("memory_cases::{work}"), "--ignored", "--nocapture"])
        .env(CHILD, format!("{number} {}", path.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a child was told: the database, and its number. None where nobody is its parent.
pub(crate) fn told() -> Option<(u32, String)> {
    let told = std::env::var(CHILD).ok()?;
    let (number, path) = told.split_once(' ')?;
    Some((number.parse().ok()?, path.to_owned()))
}

/// A run in a lane of its own, for pushing.
pub(crate) fn begun(path: impl AsRef<Path>, run: &str, lane: u32) -> Memory {
    let mut memory = Memory::open(path.as_ref(), 0).unwrap();
    memory.begin(NewRun { id: run, command: "create", at: at(), lane, asked: None, who: None }).unwrap();
    memory
}

pub(crate) fn push(memory: &mut Memory, lane: u32, run: &str, data: &str) {
    memory.push_state(lane, run, Phase::Generate, data, at()).unwrap();
}

fn at() -> jiff::Timestamp {
    "2026-02-05T10:00:00Z".parse().unwrap()
}

#[test]
#[ignore = "the work of one child of p1"]
fn writer() {
    let Some((number, path)) = told() else { return };
    let mut memory = begun(path, &number.to_string(), number);
    for _ in 0..EACH {
        push(&mut memory, number, &number.to_string(), "1");
    }
}

#[test]
fn p1_thirty_two_processes_that_write_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    let children: Vec<Child> = (0..MANY).map(|number| child("parallel::writer", &path, number)).collect();
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let memory = Memory::look(&path).unwrap();
    for number in 0..MANY {
        let view = memory.lane_view(number, &number.to_string()).unwrap();
        assert_eq!((view.memory.next_seq, view.damaged.len()), (u64::from(EACH) + 1, 0), "writer {number}");
        let events = memory.events(&number.to_string(), None, 0).unwrap();
        assert_eq!(events.len(), EACH as usize, "writer {number}");
    }
}

#[test]
fn p2_thirty_two_creators_in_one_project_all_succeed() {
    let world = World::two();
    let names: Vec<String> = (0..MANY).map(|number| format!("skill-{number:02}")).collect();
    let children: Vec<Child> = names
        .iter()
        .map(|name| {
            let args = ["create", EMAIL, "--name", name, "--yes", "--json"];
            let mut command = held::command(&world.root(), &world.outside(), &args);
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    let mut runs = BTreeSet::new();
    for child in children {
        let done = child.wait_with_output().unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        assert!(done.status.success(), "{said}");
        let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(answer["data"]["working_memory"]["slots_used"], 7, "{said}");
        runs.insert(answer["data"]["run_id"].as_str().unwrap().to_owned());
    }
    assert_eq!(runs.len(), names.len());
    let remembered = world.data(&["runs"])["runs"].as_array().unwrap().clone();
    assert!(remembered.iter().all(|run| run["status"] == "done"), "{remembered:?}");
    let rows = world.rows();
    for name in &names {
        assert!(world.exists(&format!(".claude/skills/{name}")) && world.exists(&format!(".gemini/skills/{name}")));
        assert!(rows.iter().any(|row| row.starts_with(&format!("| {name} "))), "{name} is not in the registry");
    }
    assert_eq!(world.database().query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, u32>(0)).unwrap(), MANY);
    world.run(&["memory", "doctor"]).is(0);
    world.nothing_left_over();
}

#[test]
fn p3_who_reads_beside_a_writer_sees_all_of_a_commit_or_nothing() {
    let world = World::holding_the_skill();
    let counted = |sql: &str| world.database().query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    let held = Held::pushing(&world, Phase::Validate, &["create", "Sort the mail", "--yes"]);
    // P0 to P2 of the new run are committed; P3 is written and is not.
    assert_eq!(counted("SELECT write_head FROM wm_lanes"), 10);
    assert_eq!(counted("SELECT count(*) FROM wm_slots"), 10);
    held.kill();
    let writer = world.database();
    writer.execute_batch("BEGIN IMMEDIATE; DELETE FROM wm_slots; UPDATE wm_lanes SET write_head = 0").unwrap();
    let ring = world.data(&["memory", "ring", "show"]);
    assert_eq!((&ring["write_head"], ring["slots"].as_array().unwrap().len()), (&json!(10), 10));
    assert_eq!(world.data(&["memory", "ring", "verify"])["checked"], 10);
    assert_eq!(world.data(&["memory", "inspect"])["run"]["status"], "running");
    writer.execute_batch("ROLLBACK").unwrap();
}

#[test]
fn p4_what_was_read_before_another_wrote_never_keeps_a_writer_from_writing() {
    const THREADS: u32 = 8;
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("memory.db");
    let start = Barrier::new(THREADS as usize);
    drop(Memory::open(&path, 0).unwrap());
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let (path, start) = (&path, &start);
            scope.spawn(move || {
                let run = number.to_string();
                let mut memory = begun(path, &run, number);
                start.wait();
                for _ in 0..25 {
                    push(&mut memory, number, &run, "1");
                    // Each of them reads first and writes then, inside its transaction.
                    memory.get_state(number, &run, Phase::Generate).unwrap();
                    memory.rollback_to(number, &run, Phase::Generate).unwrap();
                }
            });
        }
    });
    assert_eq!(Memory::look(&path).unwrap().verify().unwrap().1, []);
}

#[test]
fn p5_whoever_is_killed_lets_go_of_everything_it_held() {
    let world = World::two();
    // Inside P5 it holds the project, its lane and the database.
    let held = Held::pushing(&world, Phase::Persist, &["create", EMAIL, "--yes"]);
    held.kill();
    let next = world.create(&["Sort the mail", "--yes", "--json"]);
    assert_eq!(next.is(0).json()["data"]["working_memory"]["lane"], 0, "the dead run's lane is free");
    next.never_says("Waiting for").never_says("WARN-007");
    assert!(world.exists(CLAUDE) && world.exists(GEMINI), "what it had committed is complete");
    world.run(&["memory", "doctor"]).is(0);
}

#[test]
#[ignore = "the work of one child of p6"]
fn opener() {
    let Some((number, path)) = told() else { return };
    begun(path, &number.to_string(), number);
}

/// The tables of the first schema, with one run in them.
const FIRST: &str = include_str!("first.sql");

#[test]
fn p6_of_many_who_bring_a_database_up_to_date_one_does_it_and_all_go_on() {
    let dir = tempfile::tempdir().unwrap();
    // One that is not there yet, one whose tables were never made, and two of the first schema.
    for (name, mode) in [("none.db", None), ("empty.db", None), ("log.db", Some("WAL")), ("journal.db", Some("DELETE"))]
    {
        let path = dir.path().join(name);
        if name == "empty.db" {
            std::fs::write(&path, "").unwrap();
        }
        // Whoever comes finds the file held, and so all of them begin at the same moment.
        let holder = mode.map(|mode| {
            let db = rusqlite::Connection::open(&path).unwrap();
            db.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(())).unwrap();
            db.execute_batch(FIRST).unwrap();
            db.execute_batch("BEGIN IMMEDIATE").unwrap();
            db
        });
        let children: Vec<Child> = (0..MANY / 2).map(|number| child("parallel::opener", &path, number)).collect();
        if let Some(db) = &holder {
            std::thread::sleep(std::time::Duration::from_millis(400));
            db.execute_batch("ROLLBACK").unwrap();
        }
        for child in children {
            let done = child.wait_with_output().unwrap();
            assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        }
        let memory = Memory::look(&path).unwrap();
        let older = usize::from(mode.is_some());
        assert_eq!(memory.runs(100).unwrap().len(), MANY as usize / 2 + older, "{name}");
        if older == 1 {
            let first = memory.find_run(Some("first")).unwrap().unwrap();
            assert_eq!(first.skill.as_deref(), Some("review-code"));
            assert_eq!(first.description.as_deref(), Some("Review code"));
            assert_eq!(memory.last_change().unwrap().as_deref(), Some("first"), "{name}");
        }
        let checks = memory.examine(20, 0, false).unwrap();
        assert!(checks.iter().all(|check| check.ok), "{name}: {checks:?}");
    }
}

#[test]
fn p6_two_commands_meet_in_a_project_of_the_first_schema_and_both_are_done() {
    let world = World::two();
    let older = world.database();
    older.execute_batch(&format!("PRAGMA journal_mode = WAL; {FIRST}")).unwrap();
    older.execute_batch("BEGIN IMMEDIATE").unwrap();
    let children: Vec<Child> = ["Sort the mail", "Review pull requests"]
        .iter()
        .map(|sentence| {
            let args = ["create", sentence, "--yes", "--json"];
            let mut command = held::command(&world.root(), &world.outside(), &args);
            command.stdout(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    std::thread::sleep(std::time::Duration::from_millis(400));
    older.execute_batch("ROLLBACK").unwrap();
    for child in children {
        let said = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(answer["ok"], json!(true), "{said}");
        assert_eq!(answer["data"]["working_memory"]["slots_used"], json!(7), "{said}");
        let warned = answer["warnings"].as_array().unwrap();
        assert!(!warned.iter().any(|one| one["code"] == "WARN-007"), "{said}");
    }
    let runs = world.data(&["runs"])["runs"].as_array().unwrap().clone();
    let of: BTreeSet<&str> = runs.iter().filter_map(|run| run["description"].as_str()).collect();
    assert_eq!(of, BTreeSet::from(["Review code", "Review pull requests", "Sort the mail"]));
    assert!(runs.iter().all(|run| run["status"] == "done"), "{runs:?}");
    world.run(&["memory", "doctor"]).is(0);
}

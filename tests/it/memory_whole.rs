//! `memory …` for all stores at once: what a failed run left to be read, the examination, searching, the timeline,
//! moving a memory, and forgetting so that nothing is left in the file.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::rc::Rc;
use std::time::SystemTime;

use hefesto::terminal::prompt::Answer;
use serde_json::{Value, json};

use crate::support::held;
use crate::support::world::{self, EMAIL, NAME, Person, World, holds};

const TALK: &str = r#"{"conversation_id": "talk", "title": "Fix the login of carol", "messages": [{"role": "user", "content": "carol@example.org sees `a.py` fail"}]}"#;

/// A skill that was made, a run that failed, a conversation, an entry of a session, an observation.
fn lived_in() -> World {
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:05:00Z").create(&["Extract text from PDF files", "--name", "Bad--Name", "--yes"]);
    world.run(&["memory", "fifo", "add", "--content", TALK]).is(0);
    let entry = r#"{"who": "carol"}"#;
    world.run(&["memory", "stm", "store", "--session", "s1", "--category", "user_input", "--content", entry]).is(0);
    world.run(&["memory", "turn", "observe", "carol waits for the answer"]).is(0);
    world
}

/// Whether a text is in any file of the memory, the log included.
fn in_the_files(world: &World, text: &str) -> bool {
    ["memory.db", "memory.db-wal", "memory.db-shm", "memory.db-journal"].iter().any(|name| {
        let bytes = fs::read(world.path(&format!(".hefesto/{name}"))).unwrap_or_default();
        bytes.windows(text.len()).any(|window| window.eq_ignore_ascii_case(text.as_bytes()))
    })
}

fn failed_checks(world: &World) -> Vec<String> {
    let said = world.run(&["memory", "doctor", "--json"]);
    let checks = said.json()["data"]["checks"].as_array().unwrap().clone();
    let failed: Vec<String> =
        checks.iter().filter(|one| one["ok"] == false).map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    said.is(u8::from(!failed.is_empty()));
    failed
}

#[test]
fn what_happened_is_told_on_screens_of_one_frame_and_counted() {
    // Inspect tells what happened to a failed run where with what and what to do.
    let world = lived_in();
    let all = world.data(&["memory", "inspect"]);
    assert_eq!((&all["run"]["status"], &all["run"]["error"]), (&json!("failed"), &json!("ERR-007")));
    assert_eq!(all["verdict"]["stopped_in"], "P1");
    assert!(all["verdict"]["what"].as_str().unwrap().contains("\"Bad--Name\" is not a skill name"), "{all}");
    assert_eq!(all["verdict"]["cure"], "Use `--name bad-name`.");
    let text = world.run(&["memory", "inspect"]).is(0).out.clone();
    holds(
        &text,
        &["failed in P1 intake", "ERR-007", "Use `--name bad-name`.", "P0 preflight", "hefesto explain ERR-007"],
    );
    assert!(text.contains("2 of 20") && text.contains("healthy"), "{text}");
    assert!(all["limits"].as_array().unwrap().iter().any(|one| one["what"] == "episodes" && one["used"] == 2));
    // The screens of all stores have one frame.
    for (store, title) in [
        ("ring", "Ring: 8 slots of 16"),
        ("windows", "Windows: run "),
        ("stm", "Short-term memory: "),
        ("fifo", "Conversation queue: "),
        ("ooda", "Live memory of the loop"),
        ("turn", "Turns: the newest 2 turns"),
        ("long", "Long-term memory: 2 episodes, 1 fact"),
    ] {
        let shown = world.run(&["memory", "inspect", store]).is(0).out.clone();
        let title = title.replace(" of 16", "");
        assert!(shown.starts_with(&title) && shown.lines().nth(1) == Some(""), "{store}\n{shown}");
        let (_, more) = shown.rsplit_once("\nMore\n").unwrap_or_else(|| panic!("{store}\n{shown}"));
        assert!(more.lines().all(|line| line.starts_with("  hefesto memory ")), "{store}\n{shown}");
        // Every command it names that needs nothing more is one.
        for line in more.lines().filter(|line| !line.contains("WORD") && !line.contains("DESCRIPTION")) {
            let words: Vec<&str> = line.split_whitespace().skip(1).collect();
            assert_ne!(world.run(&words).exit.number(), 2, "{line}");
        }
    }
    // Stats count what happened in the period and nothing else.
    let stats = world.data(&["memory", "stats", "--period", "day"]);
    assert_eq!((&stats["outcomes"], &stats["errors"]), (&json!({"done": 1, "failed": 1}), &json!({"ERR-007": 1})));
    let later = world.at("2026-03-05T10:00:00Z").data(&["memory", "stats", "--period", "week"]);
    assert_eq!((&later["runs"], &later["stores"]), (&json!(0), &json!([])));
    assert_eq!(world.data(&["memory", "stats", "--period", "all"])["runs"], 2);
}

/// What the screen says of the newest run.
fn story(world: &World) -> String {
    world.run(&["memory", "inspect"]).is(0).out.clone()
}

#[test]
fn inspect_alone_says_of_each_failure_what_happened_where_and_what_to_do() {
    let two = World::two;
    // What cannot be valid.
    let world = two();
    world.create(&[EMAIL, "--name", &"a".repeat(65), "--yes"]).is(1);
    let told = story(&world);
    for part in
        ["failed in P3 validate", "E-CREATE-005", "exceeds 64 characters (65)", "P2 generate   done", "hefesto explain"]
    {
        assert!(told.contains(part), "{part}\n{told}");
    }
    // What cannot be written: the whole cure, with the command that works.
    let world = two();
    fs::remove_dir_all(world.path(".gemini")).unwrap();
    world.write(".gemini", "a file");
    world.create(&[EMAIL, "--target", "claude,gemini", "--yes"]).is(1);
    let told = story(&world);
    for part in
        ["failed in P4 approve", "E-CREATE-006", ".gemini: is not a directory", "--target claude", "`hefesto -C"]
    {
        assert!(told.contains(part), "{part}\n{told}");
    }
    // Nobody answered in time: it waits, and nothing was declined.
    let world = two();
    world.create_by(&[EMAIL], Person::default().ends(Answer::TimedOut)).is(4);
    let (told, run) = (story(&world), world.newest());
    holds(&told, &["paused in P4 approve", "E-CREATE-012", "Nothing is lost", "P4 approve    waits"]);
    assert!(told.contains(&format!("hefesto resume {run}")) && !told.contains("declined"), "{told}");
    // Killed at the gate: no word of its end, and no process.
    let killed = "UPDATE runs SET status = 'running', ended_at = NULL, error = NULL; DELETE FROM wm_aside;
        DELETE FROM run_phases";
    world.database().execute_batch(killed).unwrap();
    let told = story(&world);
    holds(&told, &["died in P4 approve", "Its process is gone", "Nothing is lost", "P4 approve    died"]);
    assert!(told.contains(&format!("hefesto resume {run}")), "{told}");
    // The skill is there already.
    let world = World::holding_the_skill();
    world.create(&[EMAIL, "--yes"]).is(3);
    let told = story(&world);
    holds(
        &told,
        &["declined in P4 approve", "E-CREATE-003", ".gemini/skills/validate-email-addresses", "--on-collision"],
    );
}

#[test]
fn a_run_that_is_at_work_is_not_called_dead() {
    let world = World::two();
    let held: Rc<RefCell<String>> = Rc::default();
    let (keep, root, bin) = (Rc::clone(&held), world.root(), env!("CARGO_BIN_EXE_hefesto"));
    let look = move || {
        let seen = Command::new(bin).arg("-C").arg(&root).args(["memory", "inspect"]).output().unwrap();
        *keep.borrow_mut() = String::from_utf8(seen.stdout).unwrap();
    };
    world.create_by(&[EMAIL], Person::default().does(look, "approve")).is(0);
    let told = held.borrow();
    assert!(told.contains(": running in P4 approve") && !told.contains("process is gone"), "{told}");
}

#[test]
fn a_search_looks_in_every_store_and_the_timeline_is_in_order() {
    // A sound memory is called sound and a failed run is no damage.
    assert_eq!(failed_checks(&lived_in()), [""; 0]);
    let bare = World::two();
    assert_eq!(bare.run(&["memory", "doctor", "--json"]).is(0).json()["data"]["ok"], true);
    // A search looks in every store and a miss is an answer.
    let world = lived_in();
    let found = world.data(&["memory", "search", "CAROL"]);
    let stores: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|one| one["store"].as_str().unwrap()).collect();
    for store in ["fifo", "stm", "turn"] {
        assert!(stores.contains(&store), "{store}: {stores:?}");
    }
    let only = world.data(&["memory", "search", "carol answer", "--store", "turn"]);
    assert_eq!(only["results"].as_array().unwrap().len(), 1);
    assert!(only["results"][0]["snippet"].as_str().unwrap().contains("carol waits"));
    assert_eq!(world.data(&["memory", "search", "nowhere-to-be-found"])["results"], json!([]));
    for odd in ["%", "_", "\"", "*", "'", "c"] {
        world.data(&["memory", "search", odd]);
    }
    world.run(&["memory", "search", " "]).fails("E-USAGE-001", 2);
    // The timeline is in order and can be asked around something.
    let all = world.data(&["memory", "timeline", "--limit", "1000"])["moments"].as_array().unwrap().clone();
    let times: Vec<&str> = all.iter().map(|one| one["at"].as_str().unwrap()).collect();
    assert!(times.is_sorted() && times.len() > 20, "{times:?}");
    let around = world.data(&["memory", "timeline", "--around", "talk", "--limit", "5"]);
    assert!(around["moments"].as_array().unwrap().iter().any(|one| one["id"] == "talk"), "{around}");
    let late = world.data(&["memory", "timeline", "--since", "1m", "--limit", "1000"]);
    assert!(late["moments"].as_array().unwrap().iter().all(|one| one["at"].as_str().unwrap() >= "2026-02-05T10:04"));
    world.run(&["memory", "timeline", "--around", "nobody"]).fails("E-MEMORY-011", 1);
    world.run(&["memory", "timeline", "--since", "soon"]).fails("E-USAGE-001", 2);
}

#[test]
fn the_doctor_finds_each_kind_of_damage() {
    for (check, harm) in [
        ("checksums", "UPDATE wm_slots SET at = '2026-01-01T00:00:00Z' WHERE slot = 2"),
        ("counters", "UPDATE conversations SET message_count = 9"),
        ("counters", "UPDATE stm_sessions SET entries = 7"),
        ("orphans", "INSERT INTO run_phases VALUES ('nobody', 'intake', 'done', 1)"),
        ("references", "PRAGMA foreign_keys = OFF; DELETE FROM stm_sessions"),
        ("search index", "INSERT INTO fifo_words(fifo_words) VALUES ('delete-all')"),
        ("agreement", "UPDATE epochs SET flushed_at = NULL"),
        ("agreement", "UPDATE turns SET status = 'running'"),
    ] {
        let world = lived_in();
        world.database().execute_batch(harm).unwrap();
        assert!(failed_checks(&world).contains(&check.to_owned()), "{check}: {harm}\n{:?}", failed_checks(&world));
    }
}

#[test]
fn a_dry_prune_counts_what_a_real_one_removes_and_changes_nothing() {
    let world = lived_in();
    world.at("2026-06-05T10:00:00Z");
    let dry = world.data(&["memory", "prune"]);
    assert_eq!(dry["dry_run"], true);
    assert!(dry["total"].as_u64().unwrap() > 10 && dry["bytes"].as_u64().unwrap() > 1000, "{dry}");
    assert_eq!(world.data(&["memory", "prune"])["rows"], dry["rows"]);
    let done = world.data(&["memory", "prune", "--yes"]);
    assert_eq!((&done["rows"], &done["bytes"], &done["dry_run"]), (&dry["rows"], &dry["bytes"], &json!(false)));
    assert_eq!(world.data(&["memory", "prune"])["total"], 0);
    assert_eq!(failed_checks(&world), [""; 0]);
    assert_eq!(world.data(&["runs"])["runs"], json!([]));
}

#[test]
fn what_still_runs_or_waits_is_never_pruned() {
    let world = World::two();
    world.create(&["Review pull requests"]);
    let run = world.newest();
    world.at("2027-02-05T10:00:00Z");
    world.run(&["memory", "prune", "--older-than", "1d", "--yes"]).is(0);
    assert_eq!(world.newest(), run);
    world.run(&["approve", &run, "--yes"]).is(0);
}

#[test]
fn vacuum_gives_back_what_was_forgotten() {
    let world = World::two();
    let text = "word ".repeat(40_000);
    let talk = json!({ "conversation_id": "long", "title": "Long", "messages": [{ "role": "user", "content": text }] });
    world.run(&["memory", "fifo", "add", "--content", &talk.to_string()]).is(0);
    world.run(&["memory", "delete", "long", "--yes"]).is(0);
    let sizes = world.data(&["memory", "vacuum"]);
    assert!(sizes["freed"].as_u64().unwrap() > 200_000, "{sizes}");
    let file = fs::metadata(world.path(".hefesto/memory.db")).unwrap().len();
    assert_eq!(sizes["bytes_after"], file);
    let log = fs::metadata(world.path(".hefesto/memory.db-wal")).map_or(0, |meta| meta.len());
    assert_eq!(log, 0);
}

#[test]
fn an_export_makes_the_same_memory_elsewhere_and_twice_is_once() {
    let (here, there) = (lived_in(), World::two());
    here.run(&["memory", "export", "out.jsonl"]).is(0);
    here.run(&["memory", "export", "out.jsonl"]).fails("E-IO-001", 1);
    let lines = here.read("out.jsonl");
    let head: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let kept = here.data(&["memory", "fifo", "recent"])["conversations"].as_array().unwrap().len();
    assert_eq!((&head["hefesto_memory"], &head["counts"]["conversations"]), (&json!(1), &json!(kept)));
    there.write("in.jsonl", &lines);
    let first = there.data(&["memory", "import", "in.jsonl"]);
    assert_eq!(first["added"].as_u64().unwrap() as usize, lines.lines().count() - 1, "{first}");
    let again = there.data(&["memory", "import", "in.jsonl"]);
    assert_eq!((&again["added"], &again["kept"]), (&json!(0), &first["added"]));
    assert_eq!(failed_checks(&there), [""; 0]);
    for looking in [
        &["memory", "fifo", "show", "talk"][..],
        &["memory", "turn", "show"],
        &["memory", "ring", "show"],
        &["memory", "inspect", "long"],
    ] {
        let (ours, theirs) = (here.data(looking), there.data(looking));
        if looking[1] != "fifo" {
            assert_eq!(ours, theirs, "{looking:?}");
        }
        assert_eq!(ours["messages"], theirs["messages"]);
    }
}

#[test]
fn an_import_takes_all_or_nothing_and_refuses_what_is_newer() {
    let (here, there) = (lived_in(), World::two());
    here.run(&["memory", "export", "out.jsonl"]).is(0);
    let good = here.read("out.jsonl");
    let cut: String = good.lines().take(9).map(|line| format!("{line}\n")).collect();
    let newer = good.replacen("\"hefesto_memory\":1", "\"hefesto_memory\":2", 1);
    let future = good.replacen("\"schema\":", "\"schema\":9", 1);
    let forged = good.replace("\"checksum\":\"", "\"checksum\":\"0");
    let column = good.replace("\"subject\":", "\"subject; DROP TABLE runs\":");
    for (name, bad) in [
        ("cut", cut),
        ("newer", newer),
        ("future", future),
        ("forged", forged),
        ("column", column),
        ("notes", "hello".into()),
    ] {
        there.write("in.jsonl", &bad);
        let said = there.run(&["memory", "import", "in.jsonl"]);
        assert!(said.exit.number() == 1 && said.err.contains("E-MEMORY-014"), "{name}: {}", said.err);
        assert_eq!(there.data(&["memory", "timeline"])["moments"], json!([]), "{name}");
    }
}

#[test]
fn delete_shows_what_it_is_and_asks() {
    let world = lived_in();
    world.run(&["memory", "delete", "talk"]).fails("E-CREATE-011", 3).says("Fix the login of carol");
    world.run(&["memory", "fifo", "show", "talk"]).is(0);
    world.run(&["memory", "delete", "talk", "--yes"]).is(0);
    world.run(&["memory", "delete", "talk", "--yes"]).fails("E-MEMORY-011", 1);
    world.run(&["memory", "delete", "s1", "--yes"]).is(0);
    assert!(
        !in_the_files(&world, "Fix the login") || {
            world.run(&["memory", "vacuum"]).is(0);
            !in_the_files(&world, "Fix the login")
        }
    );
    let run = world.newest();
    world.run(&["memory", "delete", &run, "--yes"]).is(0);
    assert_ne!(world.newest(), run);
    assert_eq!(failed_checks(&world), [""; 0]);
}

#[test]
fn what_is_redacted_is_in_no_byte_of_the_files() {
    let world = lived_in();
    let big = format!("{{\"note\": \"{} carol\"}}", "x".repeat(70_000));
    let db = world.database();
    drop(db);
    world.run(&["memory", "stm", "store", "--session", "s1", "--category", "active_task", "--content", &big]).is(0);
    world.create(&["Review the notes of carol", "--yes"]).is(0);
    assert!(in_the_files(&world, "carol"));
    world.run(&["memory", "redact", "--regex", "(?i)carol"]).fails("E-CREATE-011", 3).never_says("carol");
    assert!(in_the_files(&world, "carol"));
    let done = world.data(&["memory", "redact", "--regex", "(?i)carol", "--yes"]);
    for store in ["ring", "stm", "fifo", "turn", "long"] {
        assert!(done["matches"][store].as_u64().unwrap() > 0, "{store}: {done}");
    }
    assert!(done["resealed"].as_u64().unwrap() > 0);
    assert!(!in_the_files(&world, "carol"), "{done}");
    assert_eq!(failed_checks(&world), [""; 0]);
    assert_eq!(world.data(&["memory", "search", "carol"])["results"], json!([]));
    assert_eq!(world.data(&["memory", "redact", "--regex", "(?i)carol", "--yes"])["total"], 0);
    assert!(world.state("P1")["description"].as_str().unwrap().contains("[REDACTED]"));
    for bad in ["a*", "("] {
        world.run(&["memory", "redact", "--regex", bad, "--yes"]).fails("E-MEMORY-015", 1);
    }
}

/// Every way to look, one a line.
pub(crate) const LOOKING: &str = include_str!("../../fixtures/commands/looking.txt");

/// Every file of `.hefesto/` with its bytes, mode and time of change.
fn still(world: &World) -> BTreeMap<String, (String, SystemTime)> {
    let changed = |path: &String| fs::metadata(world.path(".hefesto").join(path)).unwrap().modified().unwrap();
    let all = world::picture(&world.path(".hefesto"), &[]).into_iter();
    all.map(|(path, state)| (path.clone(), (state, changed(&path)))).collect()
}

#[test]
fn looking_at_all_of_it_changes_neither_bytes_nor_times() {
    for log in [false, true] {
        let world = lived_in();
        if log {
            world.create(&["Sort the mail", "--yes"]).is(0);
        } else {
            world.write_log_back();
        }
        assert_eq!(world.exists(".hefesto/memory.db-wal"), log);
        let (before, outside) = (still(&world), world.picture());
        for line in LOOKING.lines() {
            let args: Vec<&str> = line.split(' ').collect();
            world.run(&args).is(0);
            world.run(&[&args[..], &["--json"]].concat()).is(0);
            assert!(still(&world) == before, "{line} changed something");
        }
        world.run(&["memory", "fifo", "delete", "nope"]).fails("E-MEMORY-030", 1);
        assert!(still(&world) == before && world.picture() == outside);
        let exported = world.run(&["memory", "export"]).ok().out;
        assert!(exported.contains(NAME) && exported.contains(EMAIL));
    }
}

#[test]
fn tail_f_shows_what_comes_until_ctrl_c_or_nobody_reads_it() {
    let world = lived_in();
    let tail = ["memory", "tail", "-f", "--store", "turn", "--limit", "1"];
    let (child, mut lines) = held::following(&world, &tail);
    assert!(lines.next().unwrap().unwrap().contains("carol waits"));
    for note in ["the first that comes", "the second that comes"] {
        world.run(&["memory", "turn", "observe", note]).is(0);
        assert!(lines.next().unwrap().unwrap().contains(note));
    }
    held::interrupted(child);
    let (mut child, mut lines) = held::following(&world, &tail);
    assert!(lines.next().unwrap().is_ok());
    drop(lines);
    world.run(&["memory", "turn", "observe", "nobody reads this"]).is(0);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

//! `memory stm …` as a person and a script see it: who writes, what is refused, what is kept of a refusal, `tail -f`.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::held;
#[cfg(feature = "redis")]
use crate::support::redis;
use crate::support::world::{self, EMAIL, Said, World};

const STM: [&str; 2] = ["memory", "stm"];

fn ask(world: &World, args: &[&str]) -> Said {
    world.run(&[&STM, args].concat())
}

#[track_caller]
fn data(world: &World, args: &[&str]) -> Value {
    world.data(&[&STM, args].concat())
}

/// Stores a content in a session; the entry's id.
#[track_caller]
fn stored(world: &World, session: &str, content: &str) -> String {
    let args = ["store", "--session", session, "--category", "user_input", "--content", content];
    data(world, &args)["id"].as_str().unwrap().to_owned()
}

#[track_caller]
fn contents(world: &World, session: &str) -> Vec<Value> {
    let found = data(world, &["recall", "--session", session]);
    found["entries"].as_array().unwrap().iter().map(|entry| entry["content"].clone()).collect()
}

#[test]
fn an_entry_is_stored_recalled_updated_and_seen() {
    let world = World::two();
    let args =
        ["store", "--session", "s1", "--category", "active_task", "--priority", "high", "--tag", "ui", "--tag", "w5"];
    let entry = data(&world, &[&args[..], &["--content", r#"{"data":{"step":1}}"#]].concat());
    assert_eq!((&entry["tier"], &entry["actor"], &entry["embodiment"]), (&json!("STM"), &json!("user"), &json!("cli")));
    assert_eq!(
        entry["metadata"],
        json!({
            "created_at": "2026-02-05T10:00:00.000Z",
            "expires_at": "2026-02-06T09:59:59.999Z",
            "priority": "high",
            "volatile": true,
        })
    );
    world.at("2026-02-05T10:05:00Z");
    let id = entry["id"].as_str().unwrap();
    let updated =
        data(&world, &["update", "--session", "s1", "--id", id, "--content", r#"{"data":{"status":"done"}}"#]);
    assert_eq!(updated["content"], json!({ "data": { "step": 1, "status": "done" } }));
    assert_eq!(updated["metadata"], entry["metadata"]);
    let found = data(&world, &["recall", "--session", "s1", "--tag", "ui", "--category", "active_task,user_input"]);
    assert_eq!((&found["total_matches"], &found["entries"][0]), (&json!(1), &updated));
    assert_eq!(data(&world, &["recall", "--session", "s1", "--since", "1m"])["total_matches"], 0);
    ask(&world, &["recall", "--session", "s1"]).ok().shows("5 min ago").shows("active_task");
    let seen = world.data(&["memory", "inspect", "stm"]);
    assert_eq!((&seen["backend"], &seen["sessions"][0]["entries"]), (&json!("sqlite"), &json!(1)));
    assert_eq!(seen["limits"], json!({ "entries": 1000, "bytes": 10_485_760 }));
}

#[test]
fn s16_s17_s18_an_ended_session_is_empty_at_once_and_off_the_disk_after_five_minutes() {
    let world = World::two();
    stored(&world, "s1", r#""a word nobody else says""#);
    let ended = data(&world, &["end", "--session", "s1"]);
    assert_eq!((&ended["state"], &ended["purge_after"]), (&json!("ended"), &json!("2026-02-05T10:05:00.000Z")));
    assert_eq!(contents(&world, "s1"), [] as [Value; 0]);
    assert_eq!(data(&world, &["recall", "--session", "s1", "--include-expired"])["total_matches"], 1);
    let count =
        || -> i64 { world.database().query_row("SELECT count(*) FROM stm_entries", [], |row| row.get(0)).unwrap() };
    world.at("2026-02-05T10:04:59Z");
    assert_eq!(data(&world, &["sweep"])["entries_purged"], 0);
    assert_eq!(count(), 1);
    world.at("2026-02-05T10:05:00Z");
    data(&world, &["recall", "--session", "another"]);
    assert_eq!(data(&world, &["sweep"])["entries_purged"], 0, "the first command had done it");
    assert_eq!(count(), 0);
    world.database().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let bytes = std::fs::read(world.path(".hefesto/memory.db")).unwrap();
    assert!(!bytes.windows(20).any(|part| part == b"a word nobody else s"), "it is still in the file");
}

#[test]
fn s22_content_that_is_too_large_is_refused() {
    let stage = |bytes: usize| {
        let world = World::two();
        let args = ["memory", "stm", "store", "--session", "s1", "--category", "system_state"];
        let mut command = held::command(&world.root(), &world.outside(), &args);
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let text = format!("\"{}\"", "x".repeat(bytes - 2));
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let done = child.wait_with_output().unwrap();
        (done.status.code(), String::from_utf8(done.stderr).unwrap())
    };
    assert_eq!(stage(1 << 20).0, Some(0));
    let (exit, said) = stage((1 << 20) + 1);
    assert!(exit == Some(1) && said.contains("ContentTooLarge") && said.contains("E-MEMORY-021"), "{said}");
}

#[test]
fn s23_without_a_session_it_is_a_usage_error_and_anothers_entry_is_403_and_an_event() {
    let world = World::two();
    let id = stored(&world, "a", "1");
    stored(&world, "b", "2");
    for args in [
        &["recall"][..],
        &["store", "--category", "user_input", "--content", "1"],
        &["update", "--content", "1"],
        &["prune"],
        &["purge"],
        &["end"],
        &["tail"],
        &["recall", "--session", ""],
        &["store", "--session", "a", "--category", "dreams", "--content", "1"],
        &["store", "--session", "a", "--category", "user_input", "--content", "{"],
        &["stats", "--period", "soon"],
    ] {
        ask(&world, args).is(2);
    }
    for args in [
        &["recall", "--session", "b", "--id", &id][..],
        &["update", "--session", "b", "--id", &id, "--content", "9"],
        &["purge", "--session", "b", "--id", &id],
    ] {
        ask(&world, args).exits(1).says("403").says("E-MEMORY-023");
        let event = world.logged();
        assert_eq!((&event["event"], &event["pattern_detected"]), (&json!("session_forbidden"), &json!("403")));
    }
    let events: i64 = world
        .database()
        .query_row("SELECT count(*) FROM security_events WHERE kind = 'session_forbidden'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(events, 3);
    assert_eq!(contents(&world, "a"), [json!(1)]);
}

#[test]
fn s24_agents_see_their_own_and_a_person_finds_what_there_is_once() {
    let world = World::two();
    world.set("CLAUDECODE", "1");
    let entry = data(&world, &["store", "--session", "s1", "--category", "user_input", "--content", "1"]);
    assert_eq!((&entry["actor"], &entry["embodiment"]), (&json!("agent"), &json!("claude")));
    world.set("CLAUDECODE", "").set("CI", "true");
    assert_eq!(contents(&world, "s1"), [] as [Value; 0]);
    world.set("CI", "");
    assert_eq!(contents(&world, "s1"), [json!(1)]);
    // Where there are two of that name, the own one is meant; the other must be named.
    data(&world, &["store", "--session", "s1", "--embodiment", "cli", "--category", "user_input", "--content", "2"]);
    assert_eq!(contents(&world, "s1"), [json!(2)]);
    let named = data(&world, &["recall", "--session", "s1", "--embodiment", "claude"]);
    assert_eq!(named["entries"][0]["content"], 1);
}

#[test]
fn a_session_id_that_is_taken_gets_another_and_the_log_says_so() {
    let world = World::two();
    let first = data(&world, &["open", "--session", "wave_5", "--actor", "foreman"]);
    assert_eq!((&first["is_new"], &first["session_id"]), (&json!(true), &json!("wave_5")));
    assert_eq!(data(&world, &["open", "--session", "wave_5", "--actor", "foreman"])["is_new"], false);
    let answer = ask(&world, &["open", "--session", "wave_5", "--actor", "builder", "--json"]).ok().json();
    let given = answer["data"]["session_id"].as_str().unwrap().to_owned();
    assert!(given.starts_with("wave_5-") && answer["data"]["collided_with"] == "wave_5", "{answer}");
    assert_eq!(answer["warnings"][0]["code"], "WARN-020");
    let log = world.logged();
    assert_eq!((&log["operation"], &log["decision"]), (&json!("stm_open"), &json!("session_id_collision")));
    assert_eq!((&log["details"]["asked"], &log["details"]["given"]), (&json!("wave_5"), &json!(given)));
    assert!(data(&world, &["open"])["session_id"].as_str().unwrap().len() == 26);
}

#[test]
fn a_secret_is_told_by_rule_and_place_and_is_nowhere_on_disk() {
    let world = World::two();
    let token = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    let content = format!(r#"{{"data":{{"header":"{token}"}}}}"#);
    let said = ask(&world, &["store", "--session", "s1", "--category", "user_input", "--content", &content]).exits(1);
    said.says("E-MEMORY-010").says("(github-token) at /data/header");
    assert_eq!(world.logged()["pattern_detected"], "github-token");
    let hash: String = world.database().query_row("SELECT hash8 FROM security_events", [], |row| row.get(0)).unwrap();
    assert!(hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    world.is_nowhere(&token[8..20]);
    assert!(!said.err.contains(&token[8..20]));
}

#[test]
fn s25_a_memory_that_cannot_be_used_does_not_stop_a_run_and_is_said_once() {
    let world = World::two();
    world.write(".hefesto/memory.db", "this is no database");
    let said = world.create(&[EMAIL, "--yes"]).ok();
    assert_eq!(said.err.matches("WARN-007").count(), 1, "{}", said.err);
    // Who asks for the operation itself is told that it did not happen.
    ask(&world, &["store", "--session", "s1", "--category", "user_input", "--content", "1"]).is(1);
}

#[test]
fn stats_say_how_it_does() {
    let world = World::two();
    for n in 0..3 {
        stored(&world, "s1", &n.to_string());
    }
    data(&world, &["recall", "--session", "s1"]);
    world.at("2026-02-05T10:30:00Z");
    data(&world, &["end", "--session", "s1"]);
    let stats = data(&world, &["stats", "--period", "2h"]);
    assert_eq!((&stats["metrics"]["stored"], &stats["metrics"]["retrievals"]), (&json!(3), &json!(1)));
    assert_eq!(stats["metrics"]["expiry_rate_percent"], 100);
    assert_eq!(stats["analytics"]["average_session_length_ms"], 30 * 60 * 1000);
    assert_eq!(stats["analytics"]["categories"], json!([{ "category": "user_input", "count": 3 }]));
    assert_eq!(stats["analytics"]["peaks"], json!([{ "hour": "2026-02-05T10:00:00.000Z", "count": 4 }]));
    assert_eq!(stats["health"]["level"], "healthy");
    assert_eq!(data(&world, &["stats", "--period", "1s"])["metrics"]["stored"], 3, "the hour is the smallest part");
    world.at("2026-02-05T14:00:00Z");
    assert_eq!(data(&world, &["stats", "--period", "1h"])["metrics"]["stored"], 0);
}

/// What was there, then what comes, then Ctrl-C.
fn followed(world: &World) {
    stored(world, "s1", r#""first""#);
    let (child, mut lines) = held::following(world, &["memory", "stm", "tail", "--session", "s1", "-f", "--json"]);
    for (content, then) in [("first", Some(r#""second""#)), ("second", Some(r#""third""#)), ("third", None)] {
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let entries = answer["data"]["entries"].as_array().unwrap();
        assert_eq!(entries.iter().map(|one| &one["content"]).collect::<Vec<_>>(), [&json!(content)]);
        if let Some(then) = then {
            stored(world, "s1", then);
        }
    }
    held::interrupted(child);
    let last: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!((&last["ok"], &last["data"]), (&json!(true), &Value::Null));
}

#[test]
fn tail_f_shows_what_comes_until_ctrl_c_or_nobody_reads_it() {
    followed(&World::two());
    let world = World::two();
    stored(&world, "s1", r#""first""#);
    let (mut child, mut lines) = held::following(&world, &["memory", "stm", "tail", "--session", "s1", "-f"]);
    assert!(lines.next().unwrap().unwrap().contains("\"first\""));
    drop(lines);
    stored(&world, "s1", r#""second""#);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(not(feature = "redis"))]
#[test]
fn a_build_without_redis_says_so() {
    let world = World::two();
    let user = world.home(".config/hefesto/config.toml");
    world::write(&user, "[stm]\nbackend = 'redis'\nurl = 'redis://:word@db.acme.io:6379'\n");
    let said = ask(&world, &["sessions"]).exits(1);
    said.says("E-MEMORY-026").says("--features redis");
    assert!(!said.err.contains("word"), "{}", said.err);
    let shown = world.run(&["config"]);
    assert!(shown.out.contains("redis://...@db.acme.io:6379") && !shown.out.contains("word"), "{}", shown.out);
}

#[test]
fn an_ended_session_is_found_by_nothing_and_deleted_by_every_command_that_opens_the_memory() {
    // An ended session is found by nothing.
    let world = World::two();
    let seen = |world: &World| -> Vec<usize> {
        let found = world.data(&["memory", "search", "wombat"])["results"].as_array().unwrap().len();
        let moments = world.data(&["memory", "timeline", "--store", "stm"])["moments"].as_array().unwrap().len();
        let exported = world.data(&["memory", "export", "-"])["lines"].to_string().matches("wombat").count();
        let inspected = world.data(&["memory", "inspect", "stm"])["sessions"].as_array().unwrap().len();
        vec![found, moments, exported, inspected]
    };
    stored(&world, "s1", r#""the wombat""#);
    assert_eq!(seen(&world), [1, 2, 1, 1]);
    data(&world, &["end", "--session", "s1"]);
    assert_eq!(seen(&world), [0, 0, 0, 0]);
    // Every command that opens the memory deletes what ended.
    let count =
        || -> i64 { world.database().query_row("SELECT count(*) FROM stm_entries", [], |row| row.get(0)).unwrap() };
    world.at("2026-02-05T10:04:59Z").data(&["memory", "turn", "goal", "one"]);
    assert_eq!(count(), 1);
    world.at("2026-02-05T10:05:00Z").data(&["memory", "turn", "goal", "two"]);
    assert_eq!(count(), 0);
}

#[test]
fn a_recall_is_counted_without_waiting_for_the_disk() {
    let world = World::two();
    stored(&world, "s1", "1");
    let file = || std::fs::read(world.path(".hefesto/memory.db")).unwrap();
    let before = file();
    assert_eq!(contents(&world, "s1"), [json!(1)]);
    assert!(file() == before, "the log was written back");
    assert_eq!(data(&world, &["stats"])["metrics"]["retrievals"], 1);
    stored(&world, "s1", "2");
    assert!(file() != before, "the next write does that");
    let bare = World::two();
    std::fs::remove_dir_all(bare.path(".hefesto")).unwrap();
    assert_eq!(contents(&bare, "s1"), [] as [Value; 0]);
    assert!(!bare.exists(".hefesto"), "nothing is made where there is nothing to read");
}

#[test]
fn the_latency_of_a_recall_is_the_one_it_told() {
    let world = World::two();
    let ran = |args: &[&str]| -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hefesto"));
        let done = command.arg("-C").arg(world.root()).args(STM).args(args).arg("--json").output().unwrap();
        serde_json::from_slice::<Value>(&done.stdout).unwrap()["data"].clone()
    };
    ran(&["store", "--session", "s1", "--category", "user_input", "--content", "1"]);
    let took = ran(&["recall", "--session", "s1"])["took_us"].clone();
    assert!(took.as_u64().unwrap() > 0);
    let health = ran(&["stats"])["health"]["indicators"].clone();
    let read = health.as_array().unwrap().iter().find(|one| one["name"] == "read_latency_us").unwrap().clone();
    assert_eq!(read["value"], took);
}

/// A server and a world that uses it; none, and said, where there is no such program.
#[cfg(feature = "redis")]
fn on_redis() -> Option<(redis::Server, World)> {
    let Some(server) = redis::Server::start() else {
        eprintln!("SKIPPED: there is no redis-server on PATH, Redis is not tested");
        return None;
    };
    let world = World::two();
    let config = format!("[stm]\nbackend = 'redis'\nurl = '{}'\nnamespace = 'team'\n", server.url());
    world::write(&world.home(".config/hefesto/config.toml"), config);
    Some((server, world))
}

#[cfg(feature = "redis")]
#[test]
fn on_redis_the_commands_over_all_stores_act_there_or_refuse() {
    let Some((_server, world)) = on_redis() else { return };
    world.at("2126-02-05T10:00:00Z");
    let id = stored(&world, "a", r#"{"who":"the wombat"}"#);
    stored(&world, "b", r#""another one""#);
    let hits = |word: &str| world.data(&["memory", "search", word])["results"].as_array().unwrap().clone();
    assert_eq!((hits("wombat").len(), &hits("wombat")[0]["id"]), (1, &json!(id)));
    assert_eq!(world.data(&["memory", "timeline", "--store", "stm"])["moments"].as_array().unwrap().len(), 4);
    world.run(&["memory", "export", "-", "--store", "stm"]).fails("E-MEMORY-026", 1);
    world.run(&["memory", "export", "-"]).is(0).says("are left out");
    let redacted = world.data(&["memory", "redact", "wombat", "--yes"]);
    assert_eq!(redacted["matches"]["stm"], 1);
    assert_eq!(contents(&world, "a"), [json!({ "who": "the [REDACTED]" })]);
    world.data(&["memory", "delete", &id, "--yes"]);
    assert_eq!(contents(&world, "a"), [] as [Value; 0]);
    world.data(&["memory", "delete", "b", "--yes"]);
    assert_eq!(data(&world, &["sessions"])["total"], 1);
    world.run(&["memory", "delete", "b", "--yes"]).fails("E-MEMORY-011", 1);
}

#[cfg(feature = "redis")]
#[test]
fn on_redis_two_projects_share_a_session_and_tail_f_follows_it() {
    let Some(server) = redis::Server::start() else {
        eprintln!("SKIPPED: there is no redis-server on PATH, Redis is not tested");
        return;
    };
    let (one, other) = (World::two(), World::two());
    // The server deletes by its own clock: what is stored must not be over by then.
    let now = "2126-02-05T10:00:00Z";
    for world in [&one, &other] {
        let config = format!("[stm]\nbackend = 'redis'\nurl = '{}'\nnamespace = 'team'\n", server.url());
        world::write(&world.at(now).home(".config/hefesto/config.toml"), config);
    }
    stored(&one, "shared", r#"{"from":"one"}"#);
    assert_eq!(contents(&other, "shared"), [json!({ "from": "one" })]);
    assert_eq!(data(&other, &["sessions"])["backend"], "redis");
    followed(&one);
    drop(server);
    ask(&one, &["recall", "--session", "shared"]).exits(1).says("E-MEMORY-026");
}

#[test]
fn a_project_sets_its_own_limits_and_everything_keeps_them() {
    let world = World::two();
    world.write(".hefesto/config.toml", "[stm]\nentries = 10\nentry_bytes = 1024\nsession_bytes = 65536\nhours = 2\n");
    let store = |content: &str| {
        let args = ["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", content];
        world.run(&[&args[..], &["--json"]].concat())
    };
    for number in 0..12 {
        store(&format!("{{\"n\":{number}}}")).is(0);
    }
    let long = format!("\"{}\"", "x".repeat(1023));
    store(&long).is(1);
    let refused = store(&long).json()["error"].clone();
    assert_eq!(refused["code"], "E-MEMORY-021");
    assert!(refused["message"].as_str().unwrap().contains("an entry takes 1024"), "{refused}");
    let entries = world.data(&["memory", "stm", "recall", "--session", "s"])["entries"].as_array().unwrap().clone();
    assert_eq!(entries.len(), 10);
    assert!(
        entries[0]["metadata"]["expires_at"].as_str().unwrap().starts_with("2026-02-05T11:59:59"),
        "{}",
        entries[0]
    );
    world.at("2026-02-05T12:00:00Z");
    assert_eq!(world.data(&["memory", "stm", "recall", "--session", "s"])["entries"].as_array().unwrap().len(), 0);
    let shown = world.data(&["memory", "inspect", "stm"])["limits"].clone();
    assert_eq!((&shown["entries"], &shown["bytes"]), (&10.into(), &65_536.into()));
    let limits = world.data(&["memory", "inspect"])["limits"].as_array().unwrap().clone();
    assert!(limits.iter().any(|one| one["store"] == "stm" && one["limit"] == 10), "{limits:?}");
    let settings = world.data(&["config"])["settings"].as_array().unwrap().clone();
    let set = settings.iter().find(|one| one["name"] == "stm.hours").unwrap();
    assert!(set["value"] == "2" && set["origin"].as_str().unwrap().ends_with("config.toml"), "{set}");
    for wrong in ["hours = 25", "hours = 0", "entries = 9", "entry_bytes = -1", "session_bytes = 1"] {
        world.write(".hefesto/config.toml", format!("[stm]\n{wrong}\n"));
        world.run(&["config"]).fails("E-CONFIG-001", 2).says(wrong.split(' ').next().unwrap());
    }
}

#[test]
fn the_doctor_measures_sessions_by_the_limits_in_force() {
    let world = World::two();
    for number in 0..12 {
        let content = format!("{{\"n\":{number}}}");
        let args = ["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", &content];
        world.run(&args).is(0);
    }
    world.run(&["memory", "doctor"]).is(0);
    world.write(".hefesto/config.toml", "[stm]\nentries = 10\n");
    world.run(&["memory", "doctor"]).is(1).shows("session s holds 12 entries");
}

#[cfg(feature = "redis")]
#[test]
fn a_process_that_was_suspended_stores_on_redis_once_what_it_was_asked_to() {
    use rustix::process::{Pid, Signal, kill_process};

    let Some((server, world)) = on_redis() else { return };
    let starts = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hefesto"));
        command.env("HOME", world.home("")).arg("-C").arg(world.root()).args(STM).args(args).arg("--json");
        command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    };
    let answer = |child: std::process::Child| -> Value {
        serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
    };
    // All answers are late, those on the way to the server too; then only those to what is written.
    for late in ["ALL", "WRITE"] {
        let args = ["store", "--session", late, "--category", "user_input", "--content", "1"];
        assert_eq!(server.ask(&["CLIENT", "PAUSE", "700", late]), "OK");
        let child = starts(&args);
        let pid = Pid::from_child(&child);
        std::thread::sleep(std::time::Duration::from_millis(300));
        kill_process(pid, Signal::STOP).unwrap();
        kill_process(pid, Signal::CONT).unwrap();
        let stored = answer(child);
        assert_eq!(stored["ok"], true, "{stored}");
        let found = answer(starts(&["sessions"]));
        let session =
            found["data"]["sessions"].as_array().unwrap().iter().find(|one| one["session_id"] == late).unwrap();
        assert_eq!(session["entries"], 1, "{session}");
    }
}

//! Thirty credentials, offered to every way in: none is in the database, its log, an export, the operation log, or anything
//! that was said.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]

#[path = "support/world.rs"]
mod world;

use serde_json::json;
use world::{Person, World, picture};

const NOISE: &str = "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErViO";

/// Ten kinds, each three times, put together here so that no file of this project holds one.
fn planted() -> Vec<String> {
    let mut all = Vec::new();
    for turn in 0..3 {
        let noise: String = NOISE.chars().cycle().skip(turn * 7).take(40).collect();
        let upper = noise.to_uppercase();
        all.extend([
            format!("{}{}", "gh", ["p_", &noise[..36]].concat()),
            format!("{}{}", "gl", ["pat-", &noise[..20]].concat()),
            format!("{}{}", "AI", ["za", &noise[..35]].concat()),
            format!("{}{}", "sk", ["_live_", &noise[..24]].concat()),
            format!("{}{}", "np", ["m_", &noise[..36]].concat()),
            format!("{}{}", "sk", ["-proj-", &noise].concat()),
            format!("{}{}", "sk", ["-ant-api03-", &noise].concat()),
            format!("{}{}", "AK", ["IA", &upper[..16]].concat()),
            format!("{}{}", "xo", ["xb-123456789012-", &noise[..24]].concat()),
            format!("{}{}", "ey", ["JhbGciOiJIUzI1NiJ9.ey", "JzdWIiOiIxMjM0In0.", &noise].concat()),
        ]);
    }
    assert_eq!(all.len(), 30);
    all
}

#[test]
fn thirty_planted_secrets_are_found_nowhere() {
    let world = World::two();
    let planted = planted();
    let mut said = String::new();
    let mut ask = |args: &[&str]| {
        let one = world.run(args, Person::nobody());
        said.push_str(&one.out);
        said.push_str(&one.err);
        one.exit.number()
    };
    for (at, secret) in planted.iter().enumerate() {
        let note = json!({ "note": secret }).to_string();
        let stored = ask(&["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", &note]);
        assert_eq!(stored, 1, "number {at} was stored");
        let talk = json!({ "conversation_id": format!("talk-{at}"), "title": format!("A {secret}"),
            "messages": [{ "role": "user", "content": format!("use {secret} here") }] });
        assert_eq!(ask(&["memory", "fifo", "add", "--content", &talk.to_string()]), 0);
        ask(&["memory", "fifo", "update", &format!("talk-{at}"), "--summary", secret]);
        ask(&["memory", "turn", "observe", &format!("seen {secret}")]);
        ask(&["memory", "turn", "goal", &format!("rotate {secret}")]);
        ask(&["memory", "ooda", "push", "--content", &json!({ "description": secret }).to_string()]);
        ask(&["memory", "ooda", "cache", "key", "--content", &json!(secret).to_string()]);
        ask(&["create", &format!("Deploy with {secret}"), "--yes"]);
    }
    ask(&["memory", "export"]);
    ask(&["memory", "export", "out.jsonl"]);
    ask(&["memory", "timeline", "--limit", "100000"]);
    for (at, secret) in planted.iter().enumerate() {
        assert!(!said.contains(secret.as_str()), "number {at} was said");
        for (path, bytes) in picture(&world.root(), &[]) {
            assert!(!bytes.contains(secret.as_str()), "number {at} is in {path}");
        }
        for entry in walkdir::WalkDir::new(world.root()) {
            let entry = entry.unwrap();
            let bytes = if entry.file_type().is_file() { std::fs::read(entry.path()).unwrap() } else { Vec::new() };
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "number {at} is in {}", entry.path().display());
        }
    }
    assert_eq!(world.run(&["memory", "doctor"], Person::nobody()).exit.number(), 0);
}

#[test]
fn a_secret_that_is_in_the_database_already_does_not_leave_with_an_export() {
    let world = World::two();
    let secret = planted().swap_remove(0);
    world.data(&["memory", "turn", "observe", "a note"]);
    world.database().execute("UPDATE observations SET content = ?1", [&secret]).unwrap();
    let answer = world.data(&["memory", "export"]);
    assert_eq!(answer["redacted"], 1);
    assert!(!answer.to_string().contains(&secret));
    let line = format!("{}\n", answer["lines"].as_array().unwrap()[0].as_str().unwrap());
    assert!(line.contains("\"observations\":1"));
}

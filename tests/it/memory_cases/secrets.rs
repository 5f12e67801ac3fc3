//! Secrets, case by case: X1 to X8. Thirty credentials are offered to every way in: none is in the database, its log,
//! an export, the operation log, or anything that was said.

use serde_json::{Value, json};

use crate::support::held::Held;
use crate::support::world::World;

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
fn x1_a_session_refuses_it_and_keeps_the_rule_and_a_digest() {
    let world = World::two();
    let secret = planted().swap_remove(0);
    let note = json!({ "note": &secret }).to_string();
    let store = ["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", &note];
    world.run(&store).fails("E-MEMORY-010", 1).never_says(&secret);
    assert_eq!(world.data(&["memory", "stm", "sessions"])["sessions"], json!([]));
    let kept = "SELECT kind || ' ' || rule || ' ' || hash8 FROM security_events";
    let kept: String = world.database().query_row(kept, [], |row| row.get(0)).unwrap();
    let words: Vec<&str> = kept.split(' ').collect();
    assert_eq!((words[0], words[2].len()), ("secret_rejected", 8), "{kept}");
    world.is_nowhere(&secret);
}

#[test]
fn x2_a_conversation_keeps_its_place_only() {
    let world = World::two();
    let secret = planted().swap_remove(1);
    let talk = json!({ "conversation_id": "talk", "title": format!("A {secret} b"),
        "messages": [{ "role": "user", "content": format!("use {secret} here") }] });
    world.data(&["memory", "fifo", "add", "--content", &talk.to_string()]);
    let shown = world.data(&["memory", "fifo", "show", "talk"]);
    let content = shown["messages"][0]["content"].as_str().unwrap();
    assert!(content.starts_with("use [REDACTED:") && content.ends_with("] here"), "{content}");
    assert!(shown["conversation"]["title"].as_str().unwrap().starts_with("A [REDACTED:"), "{shown}");
    world.is_nowhere(&secret);
}

#[test]
fn x3_an_event_and_an_entity_of_the_loop_do_not_hold_it() {
    let world = World::two();
    let secret = planted().swap_remove(2);
    let event = json!({ "description": format!("seen {secret}"), "payload": { "token": &secret } }).to_string();
    world.run(&["memory", "ooda", "push", "--content", &event]).fails("E-MEMORY-010", 1).never_says(&secret);
    let value = json!({ "token": &secret }).to_string();
    world.run(&["memory", "ooda", "cache", "key", "--content", &value]).fails("E-MEMORY-010", 1).never_says(&secret);
    for shown in ["events", "context"] {
        assert!(!world.data(&["memory", "ooda", shown]).to_string().contains(&secret), "{shown}");
    }
    world.is_nowhere(&secret);
}

#[test]
fn x4_an_observation_and_a_goal_do_not_hold_it() {
    let world = World::two();
    let secret = planted().swap_remove(3);
    for verb in ["observe", "goal"] {
        world.run(&["memory", "turn", verb, &format!("rotate {secret}")]).fails("E-MEMORY-010", 1).never_says(&secret);
    }
    let context = world.data(&["memory", "turn", "context", "rotate the token"]);
    assert!(!context.to_string().contains(&secret));
    world.is_nowhere(&secret);
}

#[test]
fn x5_a_description_is_refused_and_its_run_remembers_nothing_of_it() {
    let world = World::two();
    let secret = planted().swap_remove(4);
    world.create(&[&format!("Deploy with {secret}"), "--yes"]).fails("E-CREATE-009", 1).never_says(&secret);
    let verdict = world.data(&["memory", "inspect"])["verdict"].clone();
    assert!(!verdict.is_null() && !verdict.to_string().contains(&secret), "{verdict}");
    world.is_nowhere(&secret);
}

#[test]
fn x8_nothing_of_it_is_left_by_a_process_that_was_killed_with_it_in_hand() {
    let world = World::two();
    let planted = planted();
    let talk = |secret: &str| {
        json!({ "conversation_id": "t", "title": secret, "messages": [{ "role": "user", "content": secret }] })
            .to_string()
    };
    for (place, verb, content) in [
        ("AFTER INSERT ON messages", &["memory", "fifo", "add", "--content"][..], talk(&planted[6])),
        ("AFTER INSERT ON conversations", &["memory", "fifo", "add", "--content"], talk(&planted[7])),
        ("AFTER INSERT ON ooda_events", &["create"], "Validate email addresses".to_owned()),
    ] {
        let args = [verb, &[content.as_str()]].concat();
        Held::at(&world, place, &args).kill();
        for secret in &planted[5..8] {
            world.is_nowhere(secret);
        }
        world.run(&["memory", "doctor"]).is(0);
    }
    let answer: Value = world.data(&["memory", "export"]);
    assert!(planted.iter().all(|secret| !answer.to_string().contains(secret.as_str())));
}

#[test]
fn x7_thirty_planted_secrets_are_found_nowhere() {
    let world = World::two();
    let planted = planted();
    let mut said = String::new();
    let mut ask = |args: &[&str]| {
        let one = world.run(args);
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
        world.is_nowhere(secret);
    }
    assert_eq!(world.run(&["memory", "doctor"]).exit.number(), 0);
}

#[test]
fn x6_a_secret_that_is_in_the_database_already_does_not_leave_with_an_export() {
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

#[test]
fn x9_a_value_under_the_name_of_a_credential_is_one_however_simple() {
    let world = World::two();
    for content in [
        r#"{"password":"hunter2hunter2"}"#,
        r#"{"api_key":"abcd1234abcd1234"}"#,
        r#"{"headers":{"Authorization":"Basic dXNlcjpwYXNzd29yZA=="}}"#,
        r#""curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZA=='""#,
    ] {
        let store = ["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", content];
        world.run(&store).fails("E-MEMORY-010", 1);
        let cache = ["memory", "ooda", "cache", "k", "--content", content];
        world.run(&cache).fails("E-MEMORY-010", 1);
        let talk =
            json!({ "conversation_id": "t", "title": "t", "messages": [{ "role": "user", "content": content }] });
        world.data(&["memory", "fifo", "add", "--content", &talk.to_string()]);
        world.data(&["memory", "fifo", "delete", "t"]);
    }
    for value in ["hunter2hunter2", "abcd1234abcd1234", "dXNlcjpwYXNzd29yZA"] {
        world.is_nowhere(value);
    }
}

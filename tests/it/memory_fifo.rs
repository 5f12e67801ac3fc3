//! `memory fifo …`: what the queue of conversations keeps, finds, evicts and refuses, from outside.

use serde_json::{Value, json};

use crate::support::world::{Said, World};

fn ask(world: &World, args: &[&str]) -> Said {
    world.run(&[&["memory", "fifo"], args].concat())
}

fn data(world: &World, args: &[&str]) -> Value {
    ask(world, &[args, &["--json"]].concat()).data()
}

fn add(world: &World, id: &str, title: &str, said: &str) -> Value {
    let message = json!({ "role": "user", "content": said });
    let content = json!({ "conversation_id": id, "title": title, "messages": [message] }).to_string();
    data(world, &["add", "--content", &content])
}

/// So many conversations, one a minute: `conv_000` …
fn filled(count: usize) -> World {
    let world = World::bare(&[]);
    for n in 0..count {
        world.at(&format!("2026-02-05T10:{n:02}:00Z"));
        add(&world, &format!("conv_{n:03}"), &format!("Conversation {n}"), &format!("about `file_{n}.py`"));
    }
    world
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["conversation_id"].as_str().unwrap()).collect()
}

#[test]
fn f10_the_twenty_first_evicts_the_oldest() {
    let world = filled(21);
    let recent = data(&world, &["recent", "--limit", "100"]);
    let ids = ids(&recent["conversations"]);
    assert_eq!((ids.len(), ids.first(), ids.last()), (20, Some(&"conv_020"), Some(&"conv_001")));
    let log = data(&world, &["evictions"]);
    assert_eq!(log["evictions"][0]["conversation_id"], "conv_000");
    assert_eq!(log["evictions"][0]["event_type"], "conversation_evicted");
    ask(&world, &["show", "conv_000"]).fails("E-MEMORY-030", 1);
}

#[test]
fn f24_the_queue_says_how_full_it_is() {
    let world = World::bare(&[]);
    let queue = |world: &World| data(world, &["stats"])["queue"].clone();
    assert_eq!(queue(&world), json!({ "count": 0, "capacity": 20, "available": 20, "at_capacity": false }));
    assert!(!world.exists(".hefesto"), "looking makes nothing");
    add(&world, "a", "A", "x");
    world.write(".hefesto/config.toml", "[fifo]\ncapacity = 2\n");
    assert_eq!(queue(&world), json!({ "count": 1, "capacity": 2, "available": 1, "at_capacity": false }));
    add(&world, "b", "B", "x");
    assert_eq!(queue(&world)["at_capacity"], true);
    assert_eq!(add(&world, "c", "C", "x")["evicted"], json!(["a"]));
    let text = ask(&world, &["stats"]).out;
    assert!(text.contains("[####################] 2 of 2; the next one evicts the oldest"), "{text}");
    world.write(".hefesto/config.toml", "[fifo]\ncapacity = 0\n");
    ask(&world, &["stats"]).fails("E-CONFIG-001", 2);
}

#[test]
fn f37_f39_an_unknown_one_changes_nothing_and_deleting_is_for_good() {
    // F37 activating an unknown one changes nothing.
    let world = filled(2);
    data(&world, &["activate", "conv_001"]);
    ask(&world, &["activate", "nope"]).fails("E-MEMORY-030", 1);
    assert_eq!(data(&world, &["stats"])["active"], "conv_001");
    // F39 deleting is for good and deleting nothing is nothing.
    assert_eq!(data(&world, &["delete", "conv_000"]), json!({ "conversation_id": "conv_000", "deleted": true }));
    ask(&world, &["delete", "conv_000"]).fails("E-MEMORY-030", 1);
    assert_eq!(data(&world, &["search", "file_0.py"])["results"], json!([]));
    assert_eq!(ids(&data(&world, &["recent"])["conversations"]), ["conv_001"]);
}

#[test]
fn f04_f27_a_conversation_is_stored_and_shown_and_a_text_is_read_without_being_kept() {
    // F27 a text is read without being kept.
    let world = World::bare(&[]);
    let text = "In `src/pay.py` the `PayService` calls charge_card() with `order_id` under TDD";
    let found = data(&world, &["extract", "--text", text]);
    let found: Vec<(&str, &str, f64)> = found["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (one["type"].as_str().unwrap(), one["name"].as_str().unwrap(), one["relevance_score"].as_f64().unwrap())
        })
        .collect();
    assert_eq!(
        found,
        [
            ("file", "src/pay.py", 1.0),
            ("class", "PayService", 1.0),
            ("method", "charge_card", 0.6),
            ("variable", "order_id", 1.0),
            ("concept", "TDD", 0.6),
        ]
    );
    assert!(!world.exists(".hefesto"));
    assert_eq!(ask(&world, &["extract", "--text", "nothing of the kind"]).is(0).out, "No entities.\n");
    ask(&world, &["extract"]).fails("E-USAGE-001", 2);
    // What is no conversation is refused with its reason.
    ask(&world, &["add", "--content", "{"]).fails("E-USAGE-001", 2);
    ask(&world, &["add", "--content", "{}"]).fails("E-MEMORY-033", 1).says("title");
    let robot = r#"{"title":"t","messages":[{"role":"robot","content":"x"}]}"#;
    ask(&world, &["add", "--content", robot]).fails("E-MEMORY-033", 1).says("robot");
    // F04 a conversation is stored and shown.
    let content = r#"{"conversation_id":"conv_1","title":"Implement Phase 1","tags":["stm"],
        "messages":[{"role":"user","content":"Start Phase 1"},{"role":"assistant","content":"Creating Tier 1..."}]}"#;
    let stored = data(&world, &["add", "--content", content]);
    assert_eq!((&stored["conversation"]["message_count"], &stored["evicted"]), (&json!(2), &json!([])));
    let shown = data(&world, &["show", "conv_1"]);
    assert_eq!(shown["conversation"]["created_at"], "2026-02-05T10:00:00Z");
    assert_eq!(
        shown["messages"][1],
        json!({
            "role": "assistant", "content": "Creating Tier 1...", "timestamp": "2026-02-05T10:00:00Z",
        })
    );
    let text = ask(&world, &["show", "conv_1"]).out;
    assert!(text.contains("Implement Phase 1"), "{text}");
    assert!(text.contains("Creating Tier 1..."), "{text}");
    assert!(text.contains("stm"), "{text}");
    // What steers a terminal is spelled out.
    add(&world, "c", "red \u{1b}[31m", "bell \u{7} \u{202e}");
    for args in [vec!["show", "c"], vec!["recent"], vec!["search", "bell"], vec!["search", "red"]] {
        let out = ask(&world, &args).is(0).out.clone();
        assert!(!out.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{args:?}: {out:?}");
    }
}

#[test]
fn f08_f22_what_is_named_is_changed_and_messages_are_appended() {
    // Extracting twice counts once.
    let world = filled(1);
    let known = data(&world, &["entities"]);
    let again = data(&world, &["extract", "conv_000"]);
    assert_eq!(again["entities"][0]["new"], false);
    assert_eq!(data(&world, &["entities"]), known);
    assert_eq!(known["entities"][0]["access_count"], 1);
    ask(&world, &["extract", "nope"]).fails("E-MEMORY-030", 1);
    // F08 update changes what it names.
    let changed = data(&world, &["update", "conv_000", "--title", "New", "--tag", "a", "--tag", "b"]);
    assert_eq!(changed["conversation"]["title"], json!("New"));
    assert_eq!(changed["conversation"]["tags"], json!(["a", "b"]));
    assert_eq!(data(&world, &["update", "conv_000", "--summary", "S"])["conversation"]["tags"], json!(["a", "b"]));
    ask(&world, &["update", "conv_000"]).fails("E-USAGE-001", 2);
    ask(&world, &["update", "nope", "--title", "x"]).fails("E-MEMORY-030", 1);
    // F22 messages are appended from the flag.
    let two = r#"[{"role":"assistant","content":"see `b.md`"},{"role":"tool","content":"done"}]"#;
    assert_eq!(data(&world, &["append", "conv_000", "--content", two])["conversation"]["message_count"], 3);
    assert_eq!(data(&world, &["find", "--type", "file", "--name", "b.md"])["conversations"][0]["message_count"], 3);
    ask(&world, &["append", "nope", "--content", two]).fails("E-MEMORY-030", 1);
}

#[test]
fn f17_f19_f30_f31_a_range_has_both_ends_and_a_search_finds_words_parts_and_nothing() {
    // F19 f31 a range is by day or by second with both ends.
    let world = filled(3);
    let range = |args: &[&str]| data(&world, &[&["range"], args].concat());
    let one = range(&["--from", "2026-02-05T10:01:00Z", "--to", "2026-02-05T10:01:00Z"]);
    assert_eq!(ids(&one["conversations"]), ["conv_001"]);
    assert_eq!(ids(&range(&["--from", "2026-02-05", "--to", "2026-02-05"])["conversations"]).len(), 3);
    assert_eq!(ids(&range(&["--from", "2026-02-05T12:01:30+02:00"])["conversations"]), ["conv_002"]);
    assert_eq!(range(&["--to", "2026-02-04"])["conversations"], json!([]));
    ask(&world, &["range"]).fails("E-USAGE-001", 2);
    ask(&world, &["range", "--from", "soon"]).fails("E-USAGE-001", 2);
    ask(&world, &["range", "--from", "2026-02-06", "--to", "2026-02-05"]).fails("E-USAGE-001", 2);
    // Inspect shows the queue and its conversations.
    data(&world, &["activate", "conv_001"]);
    world.at("2026-02-05T12:02:00Z");
    let shown = world.run(&["memory", "inspect", "fifo"]);
    shown.is(0).shows("Conversations  [###-----------------] 3 of 20\n");
    shown.shows("conv_002      Conversation 2  1         2 h ago\n");
    let json = world.run(&["memory", "inspect", "fifo", "--json"]).json()["data"].clone();
    assert_eq!(ids(&json["conversations"]), ["conv_002", "conv_001", "conv_000"]);
    assert_eq!((&json["messages"]["by_role"]["user"], &json["entities"]["total"]), (&json!(3), &json!(3)));
    world.run(&["memory", "inspect", "fifo", "--run", "x"]).fails("E-USAGE-001", 2);
    // F17 f30 a search finds words parts and nothing.
    add(&world, "search_1", "TDD enforcement", "Enforce it in every commit");
    let search = |typed: &str| data(&world, &["search", typed])["results"].clone();
    assert_eq!(ids(&search("tdd")), ["search_1"]);
    assert_eq!(search("commit")[0]["excerpt"], "Enforce it in every commit");
    assert_eq!(search("nforce")[0]["matched"], "part");
    assert_eq!(search("xyzzy"), json!([]));
    assert_eq!(ids(&search("file_")).len(), 3);
    assert_eq!(search("file%"), json!([]));
    ask(&world, &["search", " "]).fails("E-USAGE-001", 2);
    let text = ask(&world, &["search", "commit"]).out;
    assert!(text.starts_with("TDD enforcement  search_1, just now\n  Enforce it"), "{text}");
}

#[test]
fn f20_entities_outlive_their_conversations() {
    let world = World::bare(&[]);
    world.write(".hefesto/config.toml", "[fifo]\ncapacity = 2\n");
    for id in ["a", "b", "c"] {
        add(&world, id, "Fix it", "see `common_file.py`");
    }
    let known = data(&world, &["entities", "--type", "file"])["entities"][0].clone();
    assert_eq!(known["entity_name"], "common_file.py");
    let counts = (&known["conversation_count"], &known["access_count"], &known["pattern_count"]);
    assert_eq!(counts, (&json!(2), &json!(3), &json!(1)));
    assert_eq!(data(&world, &["entities", "--type", "class"])["entities"], json!([]));
    ask(&world, &["entities", "--type", "thing"]).fails("E-USAGE-001", 2);
}

#[test]
fn f11_f41_a_duplicate_id_evicts_nothing_and_the_active_one_stays() {
    // F41 a duplicate id evicts nothing.
    let world = filled(20);
    let content = r#"{"conversation_id":"conv_007","title":"Again"}"#;
    ask(&world, &["add", "--content", content]).fails("E-MEMORY-031", 1);
    assert_eq!(data(&world, &["stats"])["queue"]["count"], 20);
    assert_eq!(data(&world, &["evictions"])["evictions"], json!([]));
    // F11 the active one stays.
    data(&world, &["activate", "conv_000"]);
    assert_eq!(add(&world, "more", "More", "x")["evicted"], json!(["conv_001"]));
    assert_eq!(data(&world, &["stats"])["active"], "conv_000");
}

#[test]
fn f42_a_queue_of_needed_conversations_is_full() {
    let world = World::bare(&[]);
    world.write(".hefesto/config.toml", "[fifo]\ncapacity = 1\n");
    data(&world, &["add", "--content", r#"{"conversation_id":"a","title":"A","is_active":true}"#]);
    ask(&world, &["add", "--content", r#"{"title":"B"}"#]).fails("E-MEMORY-032", 1).says("FifoFull");
    assert_eq!(ids(&data(&world, &["recent"])["conversations"]), ["a"]);
}

#[test]
fn no_credential_reaches_the_file_or_the_screen() {
    let world = World::bare(&[]);
    let token = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    let content = json!({
        "conversation_id": "c", "title": format!("Token {token}"), "tags": [token],
        "messages": [{ "role": "user", "content": format!("use {token} in `a.py`") }],
    });
    let said = ask(&world, &["add", "--content", &content.to_string()]);
    said.is(0).never_says(&token);
    said.shows("3 credentials redacted");
    ask(&world, &["update", "c", "--summary", &token]).is(0).never_says(&token);
    for args in [vec!["show", "c"], vec!["search", &token], vec!["search", &token, "--json"], vec!["show", &token]] {
        ask(&world, &args).never_says(&token);
    }
    world.is_nowhere(&token);
    assert_eq!(data(&world, &["show", "c"])["messages"][0]["content"], "use [REDACTED:github-token] in `a.py`");
}

//! Every answer has the shape that `hefesto schema` says: a session of all commands, each answer held against its
//! schema.

use std::ffi::OsString;
use std::path::Path;

use hefesto::schema;
use hefesto::system::env::Env;
use serde_json::Value;

use crate::support::world::Caught;

/// One command in the project, its answer as JSON.
fn answer(dir: &Path, words: &[&str], minute: u32) -> Value {
    let now = format!("2026-02-05T{:02}:{:02}:00Z", 10 + minute / 60, minute % 60).parse().unwrap();
    let home = dir.join("home");
    let mut env = Env::made(dir.join("project"), &[("HOME", home.to_str().unwrap()), ("PATH", "")], now);
    let heard = Caught::default();
    env.set_streams(Box::new(heard.clone()), Box::new(std::io::sink()));
    let args = ["hefesto", "-C", ".", "--json"].iter().chain(words).map(OsString::from);
    hefesto::run(args, &mut env);
    let text = heard.text();
    assert_eq!(text.lines().count(), 1, "{words:?} answers with one line: {text}");
    serde_json::from_str(&text).unwrap()
}

/// What a validator of JSON Schema says of an answer.
fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    let validator = jsonschema::draft202012::new(schema).map_err(|error| error.to_string())?;
    let wrong: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ")) }
}

const TALK: &str = r#"{"conversation_id": "talk", "title": "Fix the login", "messages": [{"role": "user", "content": "`a.py` fails"}]}"#;
const REPLY: &str = r#"{"role": "assistant", "content": "Look at `check_token()`"}"#;

#[test]
fn every_answer_fits_its_schema() {
    let dir = tempfile::tempdir().unwrap();
    for made in ["project", "home"] {
        std::fs::create_dir(dir.path().join(made)).unwrap();
    }
    let loose = dir.path().join("project/loose/Mend-Me");
    std::fs::create_dir_all(&loose).unwrap();
    std::fs::write(loose.join("SKILL.md"), "---\nname: Mend-Me\ndescription: x\n---\n\nText.\n").unwrap();
    let email = "Validate email addresses using regex patterns";
    let name = "validate-email-addresses";
    let at = format!("{name}@1.0.0");
    let session: &[(&str, &[&str])] = &[
        ("init", &["init", "--target", "claude,gemini"]),
        ("init", &["init"]),
        ("create brief", &["create", email, "--brief"]),
        ("create", &["create", email, "--dry-run"]),
        ("create", &["create", email, "--dry-run", "--explain"]),
        ("create", &["create", email, "--yes"]),
        ("create", &["create", email, "--yes"]),
        ("create", &["create", email, "--yes", "--on-collision", "overwrite"]),
        ("create", &["create", "Review pull requests"]),
        ("runs", &["runs"]),
        ("resume", &["resume", "--yes"]),
        ("approve", &["approve"]),
        ("detect", &["detect"]),
        ("validate", &["validate"]),
        ("validate", &["validate", "--fit", "--profile", "portable"]),
        ("validate", &["validate", "nope"]),
        ("grade", &["grade", name]),
        ("facts", &["facts"]),
        ("facts", &["facts", "find flaky tests"]),
        ("match", &["match", "email addresses"]),
        ("why", &["why", name]),
        ("why", &["why", "nope"]),
        ("why prompt", &["why", name, "--prompt", "email addresses"]),
        ("validate", &["validate", "--fix"]),
        ("validate", &["validate", "loose", "--fix", "--dry-run"]),
        ("validate", &["validate", "loose", "--fix", "--yes"]),
        ("list", &["list", "--check-sync"]),
        ("show", &["show", name]),
        ("status", &["status"]),
        ("status", &["status", name, "--check"]),
        ("outdated", &["outdated"]),
        ("update", &["update", "--all", "--yes"]),
        ("update", &["update", "nope"]),
        ("sync", &["sync"]),
        ("sync", &["sync", name, "--from", "gemini", "--yes"]),
        ("log", &["log", name]),
        ("log", &["log", "nope"]),
        ("diff", &["diff", name, "claude", "gemini"]),
        ("diff", &["diff", name]),
        ("show", &["show", &at]),
        ("restore", &["restore", &at, "--yes"]),
        ("edit", &["edit", name, "--yes"]),
        ("add", &["add", name, "--target", "codex", "--yes"]),
        ("adopt", &["adopt", "loose", "--dry-run"]),
        ("adopt", &["adopt", "loose", "--target", "claude", "--yes"]),
        ("adopt", &["adopt", "--all"]),
        ("convert", &["convert", "CONSTITUTION.md", "--dry-run"]),
        ("pack", &["pack", name, "--as", "claude"]),
        ("pack", &["pack", name, "--check"]),
        ("rename", &["rename", name, "check-addresses", "--yes"]),
        ("rename", &["rename", "check-addresses", name, "--yes"]),
        ("delete", &["delete", name, "--cli", "codex", "--yes"]),
        ("backups", &["backups"]),
        ("undo", &["undo", "--yes"]),
        ("delete", &["delete", name, "--yes"]),
        ("restore", &["restore", name, "--yes"]),
        ("restore", &["restore", name, "--yes"]),
        ("recover", &["recover"]),
        ("memory inspect", &["memory", "inspect"]),
        ("memory inspect ring", &["memory", "inspect", "ring"]),
        ("memory inspect windows", &["memory", "inspect", "windows"]),
        ("memory inspect stm", &["memory", "inspect", "stm"]),
        ("memory stm open", &["memory", "stm", "open", "--session", "s"]),
        (
            "memory stm store",
            &["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", "{\"a\":1}"],
        ),
        ("memory stm recall", &["memory", "stm", "recall", "--session", "s"]),
        ("memory stm update", &["memory", "stm", "update", "--session", "s", "--content", "{\"b\":2}"]),
        ("memory inspect stm", &["memory", "inspect", "stm"]),
        ("memory stm tail", &["memory", "stm", "tail", "--session", "s"]),
        ("memory stm prune", &["memory", "stm", "prune", "--session", "s"]),
        ("memory stm stats", &["memory", "stm", "stats", "--period", "7d"]),
        ("memory stm end", &["memory", "stm", "end", "--session", "s"]),
        ("memory stm sessions", &["memory", "stm", "sessions"]),
        ("memory stm purge", &["memory", "stm", "purge", "--session", "s"]),
        ("memory stm sweep", &["memory", "stm", "sweep"]),
        ("memory inspect turn", &["memory", "inspect", "turn"]),
        ("memory inspect long", &["memory", "inspect", "long"]),
        ("memory turn observe", &["memory", "turn", "observe", "A note", "--type", "risk_alert"]),
        (
            "memory turn observe",
            &["memory", "turn", "observe", "--content", "{\"content\": \"x\", \"confidence\": 0.25}"],
        ),
        ("memory turn goal", &["memory", "turn", "goal", "A goal", "--due", "2026-12-01"]),
        ("memory turn list", &["memory", "turn", "list"]),
        ("memory turn show", &["memory", "turn", "show"]),
        ("memory turn budget", &["memory", "turn", "budget"]),
        ("memory turn trace", &["memory", "turn", "trace"]),
        ("memory turn context", &["memory", "turn", "context", email]),
        ("memory inspect turn", &["memory", "inspect", "turn"]),
        ("memory ring show", &["memory", "ring", "show"]),
        ("memory ring get", &["memory", "ring", "get", "P9"]),
        ("memory ring verify", &["memory", "ring", "verify"]),
        ("memory ooda dag", &["memory", "ooda", "dag"]),
        ("memory ooda register", &["memory", "ooda", "register", "d", "--node", "a", "--node", "b", "--node", "c"]),
        ("memory ooda update", &["memory", "ooda", "update", "--dag", "d", "--node", "a", "--status", "completed"]),
        ("memory ooda push", &["memory", "ooda", "push", "--content", r#"{"description":"seen"}"#]),
        ("memory ooda cache", &["memory", "ooda", "cache", "key", "--content", "[1]"]),
        ("memory ooda get", &["memory", "ooda", "get", "key"]),
        ("memory ooda get", &["memory", "ooda", "get", "none"]),
        ("memory ooda events", &["memory", "ooda", "events"]),
        ("memory ooda events", &["memory", "ooda", "events", "--evicted"]),
        ("memory ooda context", &["memory", "ooda", "context", "seen"]),
        ("memory inspect ooda", &["memory", "inspect", "ooda"]),
        ("memory ooda evict", &["memory", "ooda", "evict"]),
        ("memory ooda flush", &["memory", "ooda", "flush"]),
        ("memory ooda epochs", &["memory", "ooda", "epochs"]),
        ("memory fifo add", &["memory", "fifo", "add", "--content", TALK]),
        ("memory fifo append", &["memory", "fifo", "append", "talk", "--content", REPLY]),
        ("memory fifo recent", &["memory", "fifo", "recent"]),
        ("memory fifo show", &["memory", "fifo", "show", "talk"]),
        ("memory fifo update", &["memory", "fifo", "update", "talk", "--summary", "done"]),
        ("memory fifo activate", &["memory", "fifo", "activate", "talk"]),
        ("memory fifo extract", &["memory", "fifo", "extract", "talk"]),
        ("memory fifo extract", &["memory", "fifo", "extract", "--text", "see a.py"]),
        ("memory fifo search", &["memory", "fifo", "search", "login"]),
        ("memory fifo entities", &["memory", "fifo", "entities"]),
        ("memory fifo find", &["memory", "fifo", "find", "--type", "file", "--name", "a.py"]),
        ("memory fifo range", &["memory", "fifo", "range", "--to", "2026-12-31"]),
        ("memory fifo stats", &["memory", "fifo", "stats"]),
        ("memory fifo evictions", &["memory", "fifo", "evictions"]),
        ("memory inspect fifo", &["memory", "inspect", "fifo"]),
        ("memory search", &["memory", "search", "login"]),
        ("memory timeline", &["memory", "timeline", "--since", "2h"]),
        ("memory tail", &["memory", "tail"]),
        ("memory stats", &["memory", "stats"]),
        ("memory doctor", &["memory", "doctor"]),
        ("memory prune", &["memory", "prune", "--older-than", "0s"]),
        ("memory export", &["memory", "export"]),
        ("memory export", &["memory", "export", "out.jsonl"]),
        ("memory import", &["memory", "import", "out.jsonl"]),
        ("memory redact", &["memory", "redact", "check_token", "--yes"]),
        ("memory delete", &["memory", "delete", "talk", "--yes"]),
        ("memory facts list", &["memory", "facts", "list"]),
        ("memory facts forget", &["memory", "facts", "forget", "skill:validate-email-addresses", "--yes"]),
        ("memory vacuum", &["memory", "vacuum"]),
        ("memory fifo delete", &["memory", "fifo", "delete", "talk"]),
        ("repair", &["repair", "--yes"]),
        ("memory repair", &["memory", "repair", "--yes"]),
        ("explain", &["explain"]),
        ("explain", &["explain", "E-CREATE-003"]),
        ("explain", &["explain", "T0-HEFESTO-11"]),
        ("templates list", &["templates", "list"]),
        ("templates new", &["templates", "new", "own", "--yes"]),
        ("templates show", &["templates", "show", "own"]),
        ("templates show", &["templates", "show", "--variables"]),
        ("templates check", &["templates", "check"]),
        ("config", &["config"]),
        ("schema", &["schema"]),
        ("restore-constitution", &["restore-constitution", "--force"]),
        ("completions", &["completions", "bash"]),
        ("man", &["man"]),
        ("help", &["help", "create"]),
    ];
    let mut asked: Vec<&str> = Vec::new();
    let mut good = 0;
    for (minute, (command, words)) in (0..).zip(session) {
        let answer = answer(dir.path(), words, minute);
        let schema = schema::of(command).unwrap();
        fits(&schema, &answer).unwrap_or_else(|why| panic!("{words:?}: {why}\n{answer}"));
        assert_eq!(answer["ok"].as_bool(), Some(answer["error"].is_null()), "{words:?}");
        good += usize::from(answer["ok"] == true);
        asked.push(command);
    }
    assert_eq!(
        session.len() - good,
        10,
        "a collision, no editor, no history, nobody at the gate, nothing to approve, no such skill (three times), no such phase, no such conversation"
    );
    let of_a_run = ["memory ring get", "memory ring diff", "memory ring rollback"];
    let run = answer(dir.path(), &["runs"], 700)["data"]["runs"]
        .as_array()
        .and_then(|runs| runs.iter().find(|run| run["command"] == "create").cloned())
        .and_then(|run| run["run_id"].as_str().map(str::to_owned))
        .unwrap();
    for (command, words) in [
        ("memory ring get", vec!["memory", "ring", "get", "P6", "--run", &run]),
        ("memory ring diff", vec!["memory", "ring", "diff", "P1", "P2", "--run", &run]),
        ("memory ring rollback", vec!["memory", "ring", "rollback", "P1", "--run", &run]),
    ] {
        let answer = answer(dir.path(), &words, 701);
        assert_eq!(answer["ok"], true, "{words:?}: {answer}");
        fits(&schema::of(command).unwrap(), &answer).unwrap_or_else(|why| panic!("{words:?}: {why}"));
    }
    for command in schema::commands() {
        let schema = schema::of(command).unwrap();
        jsonschema::meta::validate(&schema).unwrap_or_else(|why| panic!("{command}: {why}"));
        assert!(fits(&schema, &serde_json::json!({})).is_err(), "{command}: everything fits");
        assert!(asked.contains(&command) || of_a_run.contains(&command), "{command} was never asked");
    }
}

#[test]
fn another_name_of_a_command_has_its_schema() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("project")).unwrap();
    let schemas = |word: &str| answer(dir.path(), &["schema", word], 0)["data"]["schemas"].clone();
    assert!(schemas("add")["add"].is_object());
    assert_eq!(schemas("adapt"), schemas("add"));
}

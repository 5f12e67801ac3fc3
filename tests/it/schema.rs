//! Every answer has the shape that `hefesto schema` says: a session of all commands, each answer held against its
//! schema.

use hefesto::schema;
use serde_json::Value;

use crate::support::world::{Person, World};

/// One command in the project, its answer as JSON.
fn answer(world: &World, words: &[impl AsRef<str>], minute: u32) -> Value {
    world.at(&format!("2026-02-05T{:02}:{:02}:00Z", 10 + minute / 60, minute % 60));
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let text = world.called(&["-C", ".", "--json"], &words, Person::nobody()).out;
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

/// The commands in their order, one a line: the name of the answer's schema, and what is typed.
const SESSION: &str = include_str!("../../fixtures/commands/session.txt");

#[test]
fn every_answer_fits_its_schema() {
    let world = World::bare(&[]);
    world.write_skill("loose/Mend-Me", "---\nname: Mend-Me\ndescription: x\n---\n\nText.\n");
    let mut asked: Vec<&str> = Vec::new();
    let mut good = 0;
    for (minute, line) in (0..).zip(SESSION.lines()) {
        let (command, typed) = line.split_once(": ").unwrap();
        let words = shell_words::split(typed).unwrap();
        let answer = answer(&world, &words, minute);
        let schema = schema::of(command).unwrap();
        fits(&schema, &answer).unwrap_or_else(|why| panic!("{words:?}: {why}\n{answer}"));
        assert_eq!(answer["ok"].as_bool(), Some(answer["error"].is_null()), "{words:?}");
        good += usize::from(answer["ok"] == true);
        asked.push(command);
    }
    assert_eq!(
        SESSION.lines().count() - good,
        10,
        "a collision, no editor, no history, nobody at the gate, nothing to approve, no such skill (three times), no such phase, no such conversation"
    );
    let of_a_run = ["memory ring get", "memory ring diff", "memory ring rollback"];
    let run = answer(&world, &["runs"], 700)["data"]["runs"]
        .as_array()
        .and_then(|runs| runs.iter().find(|run| run["command"] == "create").cloned())
        .and_then(|run| run["run_id"].as_str().map(str::to_owned))
        .unwrap();
    for (command, words) in [
        ("memory ring get", vec!["memory", "ring", "get", "P6", "--run", &run]),
        ("memory ring diff", vec!["memory", "ring", "diff", "P1", "P2", "--run", &run]),
        ("memory ring rollback", vec!["memory", "ring", "rollback", "P1", "--run", &run]),
    ] {
        let answer = answer(&world, &words, 701);
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
    let world = World::bare(&[]);
    let schemas = |word: &str| answer(&world, &["schema", word], 0)["data"]["schemas"].clone();
    assert!(schemas("add")["add"].is_object());
    assert_eq!(schemas("adapt"), schemas("add"));
}

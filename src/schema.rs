//! The schema of every `--json` answer, in the two tables of `schema/`; `hefesto schema` prints it as JSON Schema.
//!
//! A field of a table is `name: type`, with `name?` for a field that may be missing. A type is `text`, `number`
//! (whole), `decimal`, `flag`, `any`, `map`, the name of a record, `[type]` for a list, and `type|null` for a value
//! that may be null.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

/// The records in answers, and the `data` of every command: its words, its fields.
static RECORDS: LazyLock<Vec<Entry>> = LazyLock::new(|| entries(include_str!("schema/records.txt")));
static ANSWERS: LazyLock<Vec<Entry>> = LazyLock::new(|| entries(include_str!("schema/answers.txt")));

type Entry = (&'static str, String);

/// The entries of a table: names, separated by ` | `, at the start of a line; their fields on the indented lines below.
fn entries(table: &'static str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for line in table.lines() {
        if !line.starts_with(' ') {
            names = line.split(" | ").collect();
            entries.extend(names.iter().map(|name| (*name, String::new())));
            continue;
        }
        let named = entries.len().saturating_sub(names.len());
        for (_, fields) in entries.iter_mut().skip(named) {
            if !fields.is_empty() {
                fields.push(' ');
            }
            fields.push_str(line.trim());
        }
    }
    entries
}

/// The commands with their own answer, in the order of the table.
pub fn commands() -> impl Iterator<Item = &'static str> {
    ANSWERS.iter().map(|(command, _)| *command)
}

/// The JSON Schema of a command's full answer. `None` for an unknown command.
pub fn of(command: &str) -> Option<Value> {
    let (words, fields) = ANSWERS.iter().find(|(words, _)| *words == command)?;
    let verb = words.split(' ').next().unwrap_or(words);
    let data = json!({ "oneOf": [object(fields), { "type": "null" }] });
    Some(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("hefesto {words} --json"),
        "type": "object",
        "properties": {
            "schema": { "const": "hefesto/1" },
            "command": { "const": verb },
            "ok": { "type": "boolean" },
            "data": data,
            "warnings": { "type": "array", "items": record("warning") },
            "error": { "oneOf": [record("error"), { "type": "null" }] },
            "root": { "type": "string" },
        },
        "required": ["schema", "command", "ok", "data", "warnings", "error"],
        "additionalProperties": false,
    }))
}

fn record(name: &str) -> Value {
    RECORDS.iter().find(|(known, _)| *known == name).map_or(Value::Null, |(_, fields)| object(fields))
}

fn object(fields: &str) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for field in fields.split(',').map(str::trim).filter(|field| !field.is_empty()) {
        let Some((name, kind)) = field.split_once(':') else { continue };
        let (name, optional) = match name.strip_suffix('?') {
            Some(name) => (name, true),
            None => (name, false),
        };
        properties.insert(name.to_owned(), kind_of(kind.trim()));
        if !optional {
            required.push(name);
        }
    }
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn kind_of(kind: &str) -> Value {
    if let Some(kind) = kind.strip_suffix("|null") {
        return json!({ "oneOf": [kind_of(kind), { "type": "null" }] });
    }
    if let Some(item) = kind.strip_prefix('[').and_then(|kind| kind.strip_suffix(']')) {
        return json!({ "type": "array", "items": kind_of(item) });
    }
    match kind {
        "text" => json!({ "type": "string" }),
        "number" => json!({ "type": "integer" }),
        "decimal" => json!({ "type": "number" }),
        "flag" => json!({ "type": "boolean" }),
        "map" => json!({ "type": "object" }),
        "any" => json!({}),
        name => record(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_in_the_table_is_known() {
        const PLAIN: [&str; 6] = ["text", "number", "decimal", "flag", "any", "map"];
        let known = |kind: &str| PLAIN.contains(&kind) || RECORDS.iter().any(|(name, _)| *name == kind);
        for (name, fields) in RECORDS.iter().chain(ANSWERS.iter()) {
            for field in fields.split(", ").filter(|field| !field.is_empty()) {
                let (_, kind) = field.split_once(": ").unwrap_or_else(|| panic!("{name}: {field}"));
                let kind = kind.trim_end_matches("|null").trim_start_matches('[').trim_end_matches(']');
                assert!(known(kind.trim_end_matches("|null")), "{name}: {field}");
            }
        }
        assert_eq!(of("nope"), None);
    }

    #[test]
    fn a_field_may_be_missing_or_null() {
        let schema = object("a: text, b?: [number|null]");
        assert_eq!(schema["required"], json!(["a"]));
        assert_eq!(schema["properties"]["b"]["items"]["oneOf"][0]["type"], "integer");
    }
}

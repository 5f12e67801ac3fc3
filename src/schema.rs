//! The shape of every `--json` answer, as one table; `hefesto schema` prints it as JSON Schema.
//!
//! A line of the table is `name: type`, with `name?` for a field that may be missing. A type is `text`, `number` (whole),
//! `real`, `flag`, `any`, `map`, the name of a record, `[type]` for a list, and `type|null` for a value that may be null.

use serde_json::{Map, Value, json};

/// The records that answers are made of: name, fields.
const RECORDS: &[(&str, &str)] = &[
    (
        "finding",
        "layer: text, rule: text, severity: text, file: text, line: number, column: number, message: text, why: text, \
         fix: text, client: text|null",
    ),
    ("warning", "code: text, message: text"),
    ("error", "code: text, message: text, suggestion: text, exit: number, findings: [finding]"),
    ("place", "id: text, path: text, action: text"),
    ("grade", "verdict: text, critical: number, warnings: number, gaps: number"),
    ("phase", "phase: text, status: text, ms: number"),
    (
        "markers",
        "P0: number|null, P1: number|null, P2: number|null, P3: number|null, P4: number|null, P5: number|null, P6: number|null",
    ),
    ("working_memory", "lane: number, write_head: number, slots_used: number, markers: markers"),
    ("cli", "id: text, method: text, skills_dir: text, version: text|null, status: text"),
    ("skill_row", "name: text, clis: [text], created: text, modified: text"),
    (
        "detected",
        "id: text, title: text, method: text, status: text, binary: text|null, config_dir: text|null, version: text|null, \
         skills_dir: text, new: flag",
    ),
    ("totals", "skills: number, clis: number, active: number"),
    ("drift", "kind: text, cli: text, skill: text|null, what: text, action: text"),
    ("checked", "name: text, path: text, verdict: text, findings: [finding]"),
    ("summary", "total: number, valid: number, invalid: number, errors: number, warnings: number"),
    ("file", "path: text, bytes: number, executable: flag"),
    (
        "backup",
        "name: text, at: text, why: text, bytes: number, run_id: text|null, verified: flag, path: text, holds: [text]",
    ),
    (
        "run",
        "run_id: text, command: text, status: text, started_at: text, ended_at: text|null, description: text|null, \
         skill: text|null, targets: text|null, approved_by: text|null, error: text|null",
    ),
    ("recovered", "run: text, command: text, outcome: text, detail: map|null, paths: [text]"),
    (
        "slot",
        "slot: number, run_id: text, phase: text, seq: number, at: text, bytes: number, checksum: text, ok: flag, stale: flag",
    ),
    ("ring", "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null"),
    ("windows", "input: map, processing: map, approval: map"),
    ("damage", "lane: number, slot: number, run_id: text, phase: text"),
    ("health", "status: text, damaged: [damage]"),
    (
        "dag",
        "dag_id: text, total_nodes: number, completed_count: number, failed_count: number, pending_count: number, \
         running_count: number, parked_count: number, node_statuses: map, completion_percentage: real, \
         failed_node_ids: [text], estimated_remaining_steps: number",
    ),
    ("event", "event_id: text, source: text, description: text, payload: map, timestamp_utc: text, priority: number"),
    ("entity", "key: text, value: any, ttl_seconds: number|null, created_utc: text, source_event_id: text|null"),
    ("evicted_event", "epoch_id: text, event_id: text, description: text, evicted_utc: text, why: text"),
    ("epoch", "epoch_id: text, run_id: text|null, opened_utc: text, flushed_utc: text|null, summary: map|null"),
    ("standing", "epoch_id: text|null, dags: [dag], decision: map|null, flushed: flag"),
    (
        "context_slice",
        "dag_snapshots: [dag], recent_events: [event], cached_entities: map, total_events_in_history: number, \
         total_entities_cached: number, truncated: flag",
    ),
    ("setting", "name: text, value: text, origin: text"),
    ("files", "project: text, user: text|null"),
    ("code", "code: text, when: text"),
    ("rule", "rule: text, title: text"),
];

const CREATE: &str = "run_id: text, name: text, description: text, category: text, tags: [text], template: text, \
    targets: [place], files_created: [text], backup: text|null, approved_by: text|null, grade: grade, digest: text, \
    phases: [phase], working_memory: working_memory, dry_run?: flag, drafted_by?: text";

/// The `data` of every command: its words, its fields.
const ANSWERS: &[(&str, &str)] = &[
    ("create", CREATE),
    ("create brief", "name: text, brief: text, command: text"),
    ("resume", CREATE),
    ("approve", CREATE),
    (
        "init",
        "root: text, initialized: flag, created: [text], clis: [cli], standards?: number, since?: text, skills?: number, \
         commands?: [place]",
    ),
    ("detect", "clis: [detected], not_found: [text], supported: number"),
    ("validate", "skills: [checked], summary: summary, profile: text"),
    (
        "list",
        "root: text, clis: [cli], skills: [skill_row], initialized: text, last_updated: text, version: text, \
         totals: totals, drift?: [drift]",
    ),
    (
        "show",
        "name: text, places: [text], clis: [text], metadata: map, body: text, files: [file], created: text|null, \
         modified: text|null",
    ),
    ("delete", "name: text, deleted: [place], backup: text|null, run_id: text, approved_by: text"),
    (
        "restore",
        "name: text, from: text, restored: [place], backup: text|null, run_id: text|null, approved_by: text|null",
    ),
    ("backups", "backups: [backup], pruned?: [text]"),
    ("undo", "undone: text, name: text, steps: [place], backup: text|null, run_id: text, approved_by: text"),
    ("runs", "runs: [run]"),
    ("recover", "recovered: [recovered], put_aside: [text]"),
    ("memory inspect", "run: run|null, ring: ring, windows: windows, health: health"),
    (
        "memory inspect ring",
        "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null",
    ),
    ("memory inspect windows", "run_id: text|null, windows: windows"),
    (
        "memory ring show",
        "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null",
    ),
    ("memory ring get", "run_id: text, phase: text, slot: number, seq: number, at: text, checksum: text, state: any"),
    ("memory ring verify", "checked: number, damaged: [damage]"),
    ("memory ring diff", "run_id: text|null, from: text, to: text, added: number, removed: number, diff: text"),
    (
        "memory ring rollback",
        "lane: number, capacity: number, write_head: number, slots: [slot], markers: markers, run_id: text|null",
    ),
    ("memory inspect ooda", "dag: standing, context: context_slice, summary: map|null"),
    ("memory ooda dag", "epoch_id: text|null, dags: [dag], decision: map|null, flushed: flag"),
    ("memory ooda register", "epoch_id: text, dag: dag"),
    ("memory ooda update", "epoch_id: text, dag: dag"),
    ("memory ooda push", "epoch_id: text, event: event, evicted: [text]"),
    ("memory ooda events", "events?: [event], total?: number, evicted?: [evicted_event]"),
    ("memory ooda cache", "epoch_id: text, entity: entity, evicted: [text]"),
    ("memory ooda get", "key: text, entity: entity|null"),
    (
        "memory ooda context",
        "dag_snapshots: [dag], recent_events: [event], cached_entities: map, total_events_in_history: number, \
         total_entities_cached: number, truncated: flag",
    ),
    ("memory ooda flush", "summary: map"),
    ("memory ooda evict", "evicted: number"),
    ("memory ooda epochs", "epochs: [epoch]"),
    ("memory repair", "repaired: flag, backup: text|null, approved_by: text|null"),
    (
        "explain",
        "codes?: [code], rules?: [rule], code?: text, when?: text, cause?: text, example?: text, cure?: text, exit?: number, \
         rule?: text, layer?: text, severity?: text, title?: text, why?: text, fix?: text, source?: text, enforced?: text",
    ),
    ("config", "project: text, files: files, settings: [setting]"),
    ("schema", "schemas: map"),
    ("restore-constitution", "restored: flag, backup: text|null, version?: text"),
    ("completions", "shell: text, script: text"),
    ("man", "page: text"),
    ("help", "text: text"),
];

/// The commands that have an answer of their own, in the order of the table.
pub fn commands() -> impl Iterator<Item = &'static str> {
    ANSWERS.iter().map(|(command, _)| *command)
}

/// The JSON Schema of a command's whole answer. `None` for a command there is not.
#[must_use]
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
        },
        "required": ["schema", "command", "ok", "data", "warnings", "error"],
        "additionalProperties": false,
    }))
}

fn record(name: &str) -> Value {
    RECORDS.iter().find(|(known, _)| *known == name).map_or(json!(false), |(_, fields)| object(fields))
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
        "real" => json!({ "type": "number" }),
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
        for command in commands() {
            let text = of(command).unwrap().to_string();
            assert!(!text.contains("\"items\":false") && !text.contains(":false,\"type\""), "{command}");
            assert!(!text.contains("[false,"), "{command}");
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

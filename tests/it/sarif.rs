//! `validate --format sarif` writes what SARIF 2.1.0 asks for, with fingerprints that stay when lines move; no format
//! writes a secret.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::stage::Stage;

/// What the standard says of the objects that are written: its section, its properties (`!`: required) and their types.
/// A property that is not in the table is one the standard does not know.
const OBJECTS: &str = include_str!("../../fixtures/sarif.txt");

fn holds(kind: &str, value: &Value, at: &str) {
    if let Some(item) = kind.strip_prefix('[') {
        let list = value.as_array().unwrap_or_else(|| panic!("{at} is no list"));
        list.iter().enumerate().for_each(|(index, one)| holds(item, one, &format!("{at}/{index}")));
        return;
    }
    let text = value.as_str().unwrap_or_default();
    let good = match kind {
        "text" => !text.is_empty(),
        "texts" => value.as_object().is_some_and(|map| !map.is_empty() && map.values().all(Value::is_string)),
        "flag" => value.is_boolean(),
        "number" => value.is_i64(),
        "index" => value.is_u64(),
        "place" => value.as_u64().is_some_and(|number| number >= 1),
        "bag" => value.is_object(),
        "level" => ["none", "note", "warning", "error"].contains(&text),
        "uri" => text.starts_with("https://"),
        "reference" => {
            !text.is_empty()
                && !text.starts_with('/')
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~/%:".contains(&b))
        }
        kind if kind.starts_with('=') => text == &kind[1..],
        kind => return object(kind, value, at),
    };
    assert!(good, "{at} is no {kind}: {value}");
}

fn object(kind: &str, value: &Value, at: &str) {
    let row = OBJECTS.lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(' ')?.split_once(": "));
    let (section, properties) = row.unwrap_or_else(|| panic!("no object {kind}"));
    let map = value.as_object().unwrap_or_else(|| panic!("{at} is no object (section {section})"));
    let known: Vec<(&str, &str)> = properties.split(", ").map(|one| one.split_once(' ').unwrap()).collect();
    for (name, kind) in &known {
        match map.get(name.trim_end_matches('!')) {
            Some(value) => holds(kind, value, &format!("{at}/{name}")),
            None => assert!(!name.ends_with('!'), "{at} lacks {name} (section {section})"),
        }
    }
    for name in map.keys() {
        assert!(known.iter().any(|(known, _)| known.trim_end_matches('!') == name), "{at}: {name} is not in {section}");
    }
}

fn log(stage: &Stage, args: &[&str], exit: i32) -> Value {
    let ran = stage.hefesto(&[&["validate", "--format", "sarif"], args].concat(), b"");
    assert_eq!(ran.exit, Some(exit), "{ran:?}");
    ran.json()
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

/// Rule and fingerprint of every result.
fn prints(log: &Value) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    results(log).iter().map(|one| (text(&one["ruleId"]), text(&one["partialFingerprints"]["hefesto/v1"]))).collect()
}

const SKILL: &str = "---\nname: Bad Name\ndescription: Tést.\nmetadata: {v: 1}\n---\n\nSee [a](missing.md) and [b](gone.md).\n\nUse 10.0.0.5 and https://wiki.corp.internal/x now.\n";

fn staged(text: &str) -> Stage {
    let stage = Stage::new(&[]);
    let dir = stage.project().join("skills/bad näme");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("SKILL.md"), text).unwrap();
    stage
}

#[test]
fn the_log_is_what_the_standard_describes() {
    let stage = staged(SKILL);
    let log = log(&stage, &["skills"], 1);
    object("log", &log, "");
    let run = &log["runs"][0];
    assert_eq!(run["invocations"][0]["exitCode"], 1);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids.len(), rules.len());
    assert!(results(&log).len() > 5, "{log:#}");
    for result in results(&log) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "skills/bad%20n%C3%A4me/SKILL.md");
        let region = &place["region"];
        assert!(region["endColumn"].as_u64().is_none_or(|end| end > region["startColumn"].as_u64().unwrap()));
    }
    let name = results(&log).iter().find(|result| result["ruleId"] == "T0-HEFESTO-07").unwrap();
    let region = &name["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 2);
    assert_eq!(region["startColumn"], 7);
    assert_eq!(region["endColumn"], 15);
}

#[test]
fn a_clean_tree_has_a_log_without_results() {
    let stage = Stage::new(&[]);
    let log = log(&stage, &[], 0);
    object("log", &log, "");
    assert_eq!(results(&log).len(), 0);
}

#[test]
fn fingerprints_stay_when_lines_move_and_differ_where_findings_do() {
    let before = prints(&log(&staged(SKILL), &["skills"], 1));
    assert_eq!(before.len(), results(&log(&staged(SKILL), &["skills"], 1)).len(), "each finding has its own");
    let moved = SKILL.replace("\n\nSee", "\n\nA new paragraph.\n\nSee").replace("Use 10", "  Use  10");
    assert_eq!(prints(&log(&staged(&moved), &["skills"], 1)), before);
    let other = SKILL.replace("Bad Name", "Worse Name");
    let after = prints(&log(&staged(&other), &["skills"], 1));
    let changed: BTreeSet<&str> = before.difference(&after).map(|(rule, _)| rule.as_str()).collect();
    assert_eq!(changed, BTreeSet::from(["S7", "T0-HEFESTO-07"]));
}

#[test]
fn no_secret_is_written() {
    let key = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    let stage =
        staged(&format!("{SKILL}\nUse {key} here.\n").replace("metadata", &format!("license: MIT # {key}\nmetadata")));
    for format in ["sarif", "github", "text"] {
        let ran = stage.hefesto(&["validate", "skills", "-v", "--format", format], b"");
        assert!(ran.stdout.contains("T0-HEFESTO-11.secret") && !ran.stdout.contains(&key[..8]), "{}", ran.stdout);
    }
    let secret = format!("---\nname: x\nlicence: MIT\nmetadata: {{v: 1, w: {key}}}\n---\n\n{key}\n");
    stage.write("skills/bad näme/SKILL.md", secret);
    for args in [["validate", "skills", "--fix", "--dry-run", "-v"], ["validate", "skills", "--fix", "--yes", "--json"]]
    {
        let ran = stage.hefesto(&args, b"");
        let said = ran.stdout + &ran.stderr;
        assert!(said.contains("license") && said.contains("ghp_...") && !said.contains(&key[..8]), "{said}");
    }
}

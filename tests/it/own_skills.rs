//! Skills such as people write, `fixtures/own-skills/`: their verdicts are those of the specification's text, long ones
//! are reported, and what they say about credentials is no finding.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::stage::Stage;

/// The skills that are none under the specification, and the clause that says so.
const INVALID: &[(&str, &str)] = &[
    ("write-release-notes", "name field: lowercase letters, numbers and hyphens only, and the name of the folder"),
    ("triage-reports", "SKILL.md format: YAML frontmatter; YAML 1.2.2, section 7.3.3: a plain scalar holds no `: `"),
];
/// The skills whose SKILL.md has 500 lines or more; progressive disclosure asks for fewer.
const LONG: &[&str] = &["call-orders-api", "translate-messages"];
/// The skills that speak of credentials: masked, as patterns, as variables, as what every machine has.
const OF_CREDENTIALS: &[&str] = &[
    "call-orders-api", "configure-ci", "read-logs", "review-authentication", "rotate-credentials", "scan-for-secrets",
    "set-up-database",
];

fn own() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/own-skills")
}

/// What `validate` answers about all of them, by their folders.
fn answered(arguments: &[&str]) -> BTreeMap<String, Value> {
    let own = own().display().to_string();
    let args = [&["--json", "validate", &own], arguments].concat();
    let ran = Stage::new(&[]).hefesto(&args, b"").exits(1);
    let answer = ran.json();
    let skills = answer["data"]["skills"].as_array().unwrap();
    skills.iter().map(|one| (one["name"].as_str().unwrap().to_owned(), one.clone())).collect()
}

/// Where a rule found something in a skill: gravity and message.
fn reported(skill: &Value, rule: &str) -> Vec<(String, String)> {
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    let findings = skill["findings"].as_array().unwrap().iter();
    findings.filter(|one| one["rule"] == rule).map(|one| (text(one, "severity"), text(one, "message"))).collect()
}

/// Whether a skill is valid, read here from the specification's own sentences with another reader of YAML.
fn by_the_specification(skill: &Path) -> bool {
    let text = fs::read_to_string(skill.join("SKILL.md")).unwrap();
    let front = text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).expect("frontmatter").0;
    let Ok(fields) = serde_yaml::from_str::<BTreeMap<String, serde_yaml::Value>>(front) else { return false };
    let field = |key: &str| fields.get(key).and_then(|value| value.as_str()).unwrap_or("").to_owned();
    let (name, description) = (field("name"), field("description"));
    let allowed = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
    (1..=64).contains(&name.chars().count())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
        && skill.file_name().unwrap() == name.as_str()
        && (1..=1024).contains(&description.chars().count())
        && fields.keys().all(|key| allowed.contains(&key.as_str()))
}

#[test]
fn verdicts_are_those_of_the_specification_and_no_credential_is_seen_where_none_is() {
    let (strict, every) = (answered(&["--profile", "spec"]), answered(&[]));
    assert!(strict.len() >= 20 && strict.keys().eq(every.keys()), "{:?}", strict.keys());
    let mut lengths = BTreeSet::new();
    for (name, skill) in &strict {
        let stated = !INVALID.iter().any(|(invalid, _)| invalid == name);
        assert_eq!(by_the_specification(&own().join(name)), stated, "{name}: the verdict stated here");
        let verdict = if stated { "valid" } else { "invalid" };
        assert_eq!(skill["verdict"], verdict, "{name}: {}", skill["findings"]);

        let lines = fs::read_to_string(own().join(name).join("SKILL.md")).unwrap().lines().count();
        lengths.insert(lines);
        let long = LONG.contains(&name.as_str());
        assert_eq!(long, lines >= 500, "{name}: {lines}");
        let wanted: Vec<_> = long
            .then(|| ("warning".to_owned(), format!("SKILL.md has {lines} lines; keep it under 500")))
            .into_iter()
            .collect();
        assert_eq!(reported(skill, "S16"), wanted, "{name}");
        let wanted: Vec<_> = long
            .then(|| ("error".to_owned(), format!("SKILL.md has {lines} lines; T0-HEFESTO-03 allows 500")))
            .into_iter()
            .collect();
        let of_length =
            reported(&every[name], "T0-HEFESTO-03").into_iter().filter(|(_, message)| message.contains(" lines;"));
        assert_eq!(of_length.collect::<Vec<_>>(), wanted, "{name}");

        for rule in ["T0-HEFESTO-11.secret", "T0-HEFESTO-11.pii", "T0-HEFESTO-11.private-url"] {
            assert_eq!(reported(&every[name], rule), [], "{name}");
        }
    }
    assert!(lengths.len() >= 10 && lengths.first() < Some(&10) && lengths.last() > Some(&550), "{lengths:?}");
    for name in OF_CREDENTIALS {
        assert!(strict.contains_key(*name), "{name}");
    }
    for (name, clause) in INVALID {
        let mut errors = strict[*name]["findings"].as_array().unwrap().iter().filter(|one| one["severity"] == "error");
        assert!(errors.any(|one| one["rule"].as_str().unwrap().starts_with('S')), "{name}: {clause}");
    }
}

#[test]
fn a_credential_put_into_any_of_them_is_seen() {
    let value = ["gh", "p_", "Zk3uR8vQ1xW7pL2mT9bN4cY6dF0gH5jSaErV"].concat();
    for name in OF_CREDENTIALS {
        let text = fs::read_to_string(own().join(name).join("SKILL.md")).unwrap();
        assert_eq!(hefesto::rules::secrets::scan(&text), [], "{name}");
        let with = format!("{text}\nUse `{value}`.\n");
        assert_eq!(hefesto::rules::secrets::scan(&with).len(), 1, "{name}");
    }
}

//! The scenarios, each a directory below `fixtures/`, through the program as it is installed.
//!
//! `fixtures/README.md` describes a case. `HEFESTO_UPDATE=1 cargo test --test it cases::` rewrites the expectations;
//! read them before you keep them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::support::case::{self, Case};
use crate::support::stage::{Stage, snapshot};

fn cases() -> Vec<Case> {
    case::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"))
}

#[test]
fn every_case_is_as_promised() {
    let update = std::env::var_os("HEFESTO_UPDATE").is_some();
    let only = std::env::var("HEFESTO_CASE").unwrap_or_default();
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.name.contains(&only)).collect();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let checked = std::panic::catch_unwind(|| case.check(update));
                    let checked = checked.unwrap_or_else(|_| Err("the case itself cannot be run".into()));
                    if let Err(why) = checked {
                        failed.lock().unwrap().insert(case.name.clone(), why);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    let listed: String = failed.iter().map(|(name, why)| format!("\n=== {name}\n{why}")).collect();
    assert!(failed.is_empty(), "{} of {} cases fail:\n{listed}", failed.len(), cases.len());
}

#[test]
fn every_code_and_exit_that_needs_no_terminal_has_a_case() {
    let (mut codes, mut exits) = (String::new(), BTreeSet::new());
    for case in cases() {
        for name in ["json", "stderr", "stderr.contains"] {
            codes += &case.file(name).unwrap_or_default();
        }
        exits.extend(case.file("exit").unwrap_or("0".into()).split_whitespace().map(str::to_owned));
    }
    for number in 0..=14 {
        let code = format!("E-CREATE-{number:03}");
        assert!(codes.contains(&code), "no case ends with {code}");
    }
    for exit in ["0", "1", "2", "3", "4", "5", "6"] {
        assert!(exits.contains(exit), "no case ends with exit {exit}");
    }
}

/// An initialised project with these AI CLIs.
fn initialised(stubs: &[&str]) -> Stage {
    let stage = Stage::new(stubs);
    done(&stage, &["init"]);
    stage
}

/// Runs a command that must end well, and returns what it says with `--json`.
#[track_caller]
fn done(stage: &Stage, args: &[&str]) -> Value {
    let ran = stage.hefesto(&[&["--json"], args].concat(), b"");
    assert_eq!(ran.exit, Some(0), "{args:?}: {ran:?}");
    ran.json()["data"].take()
}

/// The text between the fences.
fn front(skill: &str) -> &str {
    skill.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).expect("frontmatter").0
}

#[test]
fn a_long_description_is_shortened_in_front_and_kept_in_the_body() {
    let stage = initialised(&["claude"]);
    let part = "Prüfe die Größe jedes Eintrags und nenne, was fehlt. ";
    let mut text = part.repeat(2000 / part.chars().count() + 1).chars().take(1999).collect::<String>();
    text.push('!');
    assert_eq!(text.chars().count(), 2000);
    let data = done(&stage, &["create", &text, "--name", "long-one", "--yes"]);
    let description = data["description"].as_str().unwrap();
    assert!(description.chars().count() <= 1024, "{}", description.chars().count());
    let skill = stage.read(".claude/skills/long-one/SKILL.md");
    let (_, body) = skill.split_once("\n---\n").unwrap();
    assert!(body.contains(&text), "the whole text is not in the body");
}

#[test]
fn hostile_descriptions_are_data() {
    let stage = initialised(&["claude", "gemini"]);
    let hostile = [
        "Check the \"quoted\" and 'single' names: all of them",
        "Check the list\nwith a second line: and # a hash",
        "Check the fence\n---\nname: evil\n---\nafter it",
        "Check {{SKILL_BODY}} and {{UNKNOWN}} and {{{{X}}}} and {% if true %}x{% endif %} and {# note #}",
        "Check that $1 and $$ and %s and \\n and C:\\temp stay",
        "Check naïve Größe, 日本語, emoji 🎉 and é (combined e\u{301})",
        "- Check: [a, b], {c: d}, &anchor, *alias, !tag, |, ? and @ `code`",
        "Check null, ~, true, 0x1f, 1e3, 2026-02-05 and yes",
        "Check this # comment",
    ];
    for (index, text) in hostile.iter().enumerate() {
        let name = format!("hostile-{index}");
        let data = done(&stage, &["create", "--name", &name, "--yes", "--", text]);
        let described = data["description"].as_str().unwrap();
        for cli in ["claude", "gemini"] {
            let dir = format!(".{cli}/skills/{name}");
            let skill = stage.read(&format!("{dir}/SKILL.md"));
            let sidecar = stage.read(&format!("{dir}/metadata.yaml"));
            for yaml in [front(&skill), &sidecar] {
                let one: BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(yaml).unwrap();
                let other: BTreeMap<String, Value> = serde_saphyr::from_str(yaml).unwrap();
                assert_eq!(one["description"].as_str(), Some(described), "{text:?}\n{yaml}");
                assert_eq!(other["description"].as_str(), Some(described), "{text:?}\n{yaml}");
                assert_eq!(one["name"].as_str(), Some(name.as_str()), "{yaml}");
            }
            let words = text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
            let lost: Vec<&str> = words.skip(1).filter(|word| !skill.contains(word.trim_end_matches('.'))).collect();
            assert!(lost.is_empty(), "{text:?} lost {lost:?} in\n{skill}");
        }
    }
    let summary = &done(&stage, &["validate"])["summary"];
    assert_eq!((&summary["total"], &summary["invalid"]), (&Value::from(18), &Value::from(0)), "{summary}");
}

#[test]
fn names_and_categories_of_the_documents() {
    // Names of the documents.
    let stage = initialised(&["claude"]);
    for (text, name) in [
        ("Validate email addresses using regex patterns", "validate-email-addresses"),
        ("Validate email with improved patterns", "validate-email-patterns"),
        ("Run Jest tests with coverage reporting", "run-jest-tests"),
        ("Validate email using regex", "validate-email-regex"),
        ("Skill for code refactoring with inline comments", "code-refactoring-comments"),
        ("Database migration skill", "database-migration"),
        ("Authentication skill", "authentication-skill"),
        ("Applies Chain-of-Thought (CoT) for step-by-step reasoning", "chain-of-thought"),
        ("Code Review!", "code-review"),
        ("API Docs v2", "api-docs-v2"),
        ("Uma skill para padronizar commits seguindo conventional commits", "conventional-commits"),
    ] {
        assert_eq!(done(&stage, &["create", text, "--dry-run"])["name"], name, "{text}");
    }
    // Categories by whole words.
    for (text, category) in [
        ("Run Jest tests with coverage reporting", "testing"),
        ("Deploy containers with Docker", "devops"),
        ("Format source files with prettier", "development"),
        ("Review pull requests", "review"),
        ("Write a README guide", "documentation"),
        ("Find vulnerabilities in web forms", "security"),
        ("Validate email addresses using regex patterns", "development"),
        ("Improve express checkout latest information", "development"),
    ] {
        assert_eq!(done(&stage, &["create", text, "--dry-run"])["category"], category, "{text}");
    }
}

#[test]
fn the_same_command_makes_the_same_bytes() {
    let trees: Vec<_> = ["C.UTF-8", "C"]
        .iter()
        .map(|locale| {
            let mut stage = Stage::new(&["claude=2.1.330", "gemini=0.61.0"]);
            stage.unset("HEFESTO_NOW");
            stage.set("SOURCE_DATE_EPOCH", "1700000000");
            stage.set("LANG", locale);
            done(&stage, &["init"]);
            done(&stage, &["create", "Validate email addresses using regex patterns", "--yes"]);
            done(&stage, &["create", "Run Jest tests with coverage reporting", "--yes"]);
            snapshot(&stage.project(), &|path| !path.starts_with(".hefesto"))
        })
        .collect();
    assert!(trees[0].len() >= 13, "{:?}", trees[0].keys());
    assert_eq!(trees[0], trees[1]);
}

#[test]
fn every_copy_is_what_the_specification_allows() {
    let clis = ["claude", "gemini", "codex", "copilot", "opencode", "cursor", "qwen"];
    let stage = initialised(&clis);
    let mut tags = Vec::new();
    for text in ["Validate email addresses using regex patterns", "Deploy to staging", "Summarise meeting notes"] {
        let data = done(&stage, &["create", text, "--yes"]);
        assert_eq!(data["targets"].as_array().map(Vec::len), Some(clis.len()));
        tags.push(data["tags"].as_array().map_or(0, Vec::len));
        for target in data["targets"].as_array().unwrap() {
            let skill = stage.read(&format!("{}/SKILL.md", target["path"].as_str().unwrap()));
            let fields: BTreeMap<String, serde_yaml::Value> = serde_yaml::from_str(front(&skill)).unwrap();
            let allowed = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];
            assert!(fields.keys().all(|key| allowed.contains(&key.as_str())), "{fields:?}");
            let metadata: BTreeMap<String, String> = serde_yaml::from_value(fields["metadata"].clone()).unwrap();
            assert!(!metadata.is_empty());
            assert!(skill.lines().count() <= 500);
        }
    }
    assert!(tags.iter().all(|count| (3..=8).contains(count)), "{tags:?}");
    let answer = done(&stage, &["validate", "--strict"]);
    let summary = &answer["summary"];
    assert_eq!((&summary["total"], &summary["errors"]), (&Value::from(21), &Value::from(0)), "{answer}");
}

#[test]
fn adapting_twice_changes_nothing_more() {
    use hefesto::client::target::Arguments;
    use hefesto::skill::template::adapt;
    let text = "Take $ARGUMENTS, then {{args}}, then $ARGUMENTS again; $1 stays.\n";
    for arguments in [Arguments::Dollar, Arguments::Braces] {
        let once = adapt(text, arguments);
        assert_eq!(adapt(&once, arguments), once);
    }
    assert!(!adapt(text, Arguments::Braces).contains("$ARGUMENTS"));
    assert!(!adapt(text, Arguments::Dollar).contains("{{args}}"));
}

#[test]
fn many_commands_leave_a_sound_registry() {
    let stage = initialised(&["claude", "gemini"]);
    for round in 0..8 {
        let name = format!("skill-{}", round % 3);
        done(&stage, &["create", "Review pull requests", "--name", &name, "--yes"]);
        let listed = done(&stage, &["list", "--check-sync"]);
        assert_eq!(listed["skills"][0]["name"], name.as_str(), "round {round}: {listed}");
        assert_eq!(listed["drift"], Value::Array(Vec::new()), "round {round}");
        done(&stage, &["delete", &name, "--yes", "--backup", "false"]);
    }
    assert_eq!(done(&stage, &["list"])["totals"]["skills"], 0);
    let left = snapshot(&stage.project(), &|path| path.contains("backup") || path.contains("txn"));
    assert!(left.keys().all(|path| path.ends_with('/')), "{:?}", left.keys());
}

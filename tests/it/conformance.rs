//! The conformance suite against hefesto itself: every verdict, and every finding at its place, in one run.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use hefesto::rules::finding::{Finding, Severity};
use hefesto::rules::{self, Policy, Profile, Subject};
use hefesto::transaction::survey;

use crate::support::conformance as suite;
use crate::support::example::example;
use crate::support::stage::Stage;
use crate::support::world;

use suite::{Case, Expected, Verdict};

/// The rules the suite is about: the specification's, the files' own, and what is never allowed.
const ABOUT: &[&str] = &["S", "W-VALIDATE-001", "T0-HEFESTO-05", "T0-HEFESTO-11"];

fn cases() -> Vec<Case> {
    suite::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance")).unwrap()
}

/// What hefesto finds in a skill's folder.
#[derive(Debug)]
struct Found {
    /// Under every rule.
    all: Vec<Finding>,
    /// Under the specification's own text, read strictly.
    strict: Vec<Finding>,
}

fn findings(skill: &Path) -> Found {
    let directory = skill.file_name().unwrap().to_str().unwrap();
    let (tree, left_out) = match survey(skill.parent().unwrap(), directory) {
        Ok(there) => there.unwrap_or_default(),
        Err(error) => return Found { all: rules::unreadable("", "", &error.message()), strict: Vec::new() },
    };
    let subject = Subject { directory, prefix: "", tree: &tree, target: None };
    let of = |profile| {
        let left_out = left_out.iter().map(|one| (one.path.as_str(), one.why.as_str()));
        rules::check_folder(&subject, left_out, &Policy { profile, ..Policy::default() }).findings
    };
    Found { all: of(Profile::Default), strict: of(Profile::Spec) }
}

fn verdict(found: &Found) -> Verdict {
    match found.strict.iter().any(|finding| finding.severity == Severity::Error) {
        true => Verdict::Invalid,
        false => Verdict::Valid,
    }
}

/// As the suite writes it: as grave as the specification, read strictly, makes it.
fn reported(found: &Found) -> BTreeSet<Expected> {
    let others = found.all.iter().filter(|finding| !found.strict.iter().any(|one| one.rule == finding.rule));
    found
        .strict
        .iter()
        .chain(others)
        .filter(|finding| ABOUT.iter().any(|rule| finding.rule.starts_with(rule)))
        .map(|finding| Expected {
            file: finding.file.clone(),
            line: finding.line,
            column: finding.column,
            rule: finding.rule.clone(),
            severity: finding.severity.word().to_owned(),
        })
        .collect()
}

#[test]
fn every_case_has_its_verdict_and_all_of_its_findings() {
    let (mut wrong, filled) = (Vec::new(), tempfile::tempdir().unwrap());
    for case in cases() {
        let found = findings(&case.laid(filled.path()).unwrap());
        let (reported, wanted) = (reported(&found), case.findings.iter().cloned().collect::<BTreeSet<_>>());
        let verdict = verdict(&found);
        if verdict != case.verdict {
            wrong.push(format!("{}: {verdict:?}, not {:?}", case.id, case.verdict));
        }
        for missing in wanted.difference(&reported) {
            wrong.push(format!("{}: not reported: {missing:?}", case.id));
        }
        for more in reported.difference(&wanted) {
            wrong.push(format!("{}: reported besides: {more:?}", case.id));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_suite_is_large_and_says_what_it_rests_on() {
    let cases = cases();
    assert!(cases.len() >= 750, "{}", cases.len());
    assert!(cases.iter().filter(|case| case.decided).count() >= 380);
    for case in &cases {
        assert!(case.about.len() > 5 && case.clause.len() > 10, "{}", case.id);
        assert_eq!(case.decided, case.why.is_none(), "{}: what is not decided says why it was chosen", case.id);
        assert!(fs::symlink_metadata(case.skill()).unwrap().is_dir(), "{}", case.id);
    }
    let rules: BTreeSet<&str> = cases.iter().flat_map(|case| &case.findings).map(|one| one.rule.as_str()).collect();
    let of_specification = |rule: &str| rule.strip_prefix('S').is_some_and(|rest| rest.starts_with(char::is_numeric));
    for (rule, _) in rules::checked_rules().into_iter().filter(|(rule, _)| of_specification(rule)) {
        assert!(rules.contains(rule), "no case breaks {rule}");
    }
}

/// The groups on what a skill may hold, and the rule each is about.
const SECURITY: &[(&str, &str)] = &[
    ("secrets", "T0-HEFESTO-11.secret"),
    ("personal-data", "T0-HEFESTO-11.pii"),
    ("addresses", "T0-HEFESTO-11.private-url"),
    ("hidden-text", "T0-HEFESTO-11.hidden-text"),
    ("injection", "T0-HEFESTO-11.injection"),
    ("remote-exec", "T0-HEFESTO-11.remote-exec"),
    ("privileges", "T0-HEFESTO-11"),
];

#[test]
fn every_security_rule_has_malign_cases_and_harmless_ones() {
    let cases = cases();
    for (group, rule) in SECURITY {
        let of_group: Vec<&Case> = cases.iter().filter(|case| case.id.split('/').next() == Some(group)).collect();
        let (malign, harmless): (Vec<&Case>, Vec<&Case>) =
            of_group.iter().partition(|case| case.findings.iter().any(|one| one.rule == *rule));
        assert!(malign.len() >= 8 && harmless.len() >= 4, "{group}: {} and {}", malign.len(), harmless.len());
        for case in of_group {
            assert!(case.clause.starts_with(&format!("{rule}: ")), "{}: {}", case.id, case.clause);
        }
        for case in harmless {
            assert!(case.decided && case.verdict == Verdict::Valid, "{}", case.id);
            assert!(case.findings.iter().all(|one| one.severity != "error"), "{}", case.id);
        }
    }
}

#[test]
fn every_format_of_a_credential_has_a_case_and_is_known_by_its_name() {
    let cases = cases();
    let records =
        include_str!("../../src/rules/secrets/formats.txt").lines().filter(|line| line.matches(" | ").count() == 3);
    let (mut formats, filled) = (0, tempfile::tempdir().unwrap());
    for record in records.filter(|line| !line.starts_with('#')) {
        let (id, title) = (record.split(" | ").next().unwrap(), record.rsplit(" | ").next().unwrap());
        let wanted = format!("secrets/{id}");
        let case = cases.iter().find(|case| case.id == wanted).unwrap_or_else(|| panic!("no case {wanted}"));
        let found = findings(&case.laid(filled.path()).unwrap()).all;
        let reported =
            found.iter().filter(|one| one.rule == "T0-HEFESTO-11.secret" && one.message.contains(title)).count();
        assert_eq!(reported, case.fill.len(), "{wanted}: {found:?}");
        formats += 1;
    }
    assert!(formats >= 195, "{formats}");
}

#[test]
fn no_file_of_the_suite_holds_a_credential_whole() {
    for case in cases() {
        for entry in walkdir::WalkDir::new(&case.dir).into_iter().map(Result::unwrap) {
            if entry.file_type().is_file()
                && let Ok(text) = fs::read_to_string(entry.path())
            {
                assert_eq!(rules::secrets::scan(&text), Vec::new(), "{}", entry.path().display());
            }
        }
    }
}

#[test]
fn what_is_to_be_filled_in_is_filled_in_and_nothing_else_is_changed() {
    let filled = tempfile::tempdir().unwrap();
    let mode = |path: &Path| std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions());
    let mut copies = 0;
    for case in cases() {
        let skill = case.laid(filled.path()).unwrap();
        if case.fill.is_empty() {
            assert_eq!(skill, case.skill());
            continue;
        }
        assert!(skill.starts_with(filled.path()) && skill.ends_with(&case.folder), "{}", case.id);
        let mut whole = String::new();
        for entry in walkdir::WalkDir::new(case.skill()).into_iter().map(Result::unwrap) {
            let to = skill.join(entry.path().strip_prefix(case.skill()).unwrap());
            if entry.file_type().is_file() {
                whole += &fs::read_to_string(&to).unwrap();
                assert_eq!(mode(entry.path()), mode(&to), "{}", case.id);
            }
        }
        for (name, pieces) in &case.fill {
            assert!(pieces.len() > 1 && whole.contains(&pieces.concat()), "{}: {name}", case.id);
            assert!(!whole.contains(&format!("{{{{{name}}}}}")), "{}: {name}", case.id);
        }
        copies += 1;
    }
    assert!(copies > 200, "{copies}");
}

#[test]
fn a_pipe_a_circle_and_two_spellings_are_cases_no_archive_can_hold() {
    let dir = tempfile::tempdir().unwrap();
    let skill = dir.path().join("dates");
    fs::create_dir(&skill).unwrap();
    let text = "---\nname: dates\ndescription: Formats dates. Use when asked.\n---\nYear first.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    world::pipe(&skill.join("pipe"));
    std::os::unix::fs::symlink(".", skill.join("circle")).unwrap();
    let found = findings(&skill);
    for file in ["circle", "pipe"] {
        assert!(found.all.iter().any(|one| one.rule == "T0-HEFESTO-05" && one.file == file), "{file}: {:?}", found.all);
    }
    assert_eq!(verdict(&found), Verdict::Valid, "SKILL.md is read all the same");
    fs::remove_file(skill.join("pipe")).unwrap();
    fs::write(skill.join("skill.md"), "no frontmatter").unwrap();
    assert_eq!(verdict(&findings(&skill)), Verdict::Valid, "only SKILL.md is read");
}

#[test]
fn the_program_finds_what_the_library_finds() {
    let chosen =
        ["name/every-fault", "yaml/duplicates-and-more", "fields/everything-wrong", "encoding/cr-only-and-fault"];
    for case in cases().into_iter().filter(|case| chosen.contains(&case.id.as_str())) {
        let mut reported = run(&case, &[]);
        reported.extend(run(&case, &["--profile", "spec"]));
        for wanted in &case.findings {
            let place = (wanted.rule.clone(), wanted.line as u64, wanted.column as u64);
            assert!(reported.contains(&place), "{}: {place:?} not in {reported:?}", case.id);
        }
    }
}

#[test]
fn a_skill_file_that_is_a_pipe_is_reported_once_and_the_runner_judges_it_and_what_is_no_folder() {
    let suite = tempfile::tempdir().unwrap();
    let case = |id: &str| {
        let dir = suite.path().join("files").join(id);
        fs::create_dir_all(&dir).unwrap();
        let clause = "Agent Skills specification, directory structure";
        let text =
            format!("about = \"x\"\nclause = \"{clause}\"\ndecided = true\nverdict = \"invalid\"\nfolder = \"a\"\n");
        fs::write(dir.join("expect.toml"), text).unwrap();
        dir.join("a")
    };
    let (pipe, circle) = (case("pipe"), case("circle"));
    fs::create_dir(&pipe).unwrap();
    world::pipe(&pipe.join("SKILL.md"));
    std::os::unix::fs::symlink("a", &circle).unwrap();
    let found = findings(&pipe);
    let rules = |found: &[Finding]| found.iter().map(|one| one.rule.clone()).collect::<Vec<_>>();
    assert_eq!((rules(&found.all), rules(&found.strict)), (vec!["T0-HEFESTO-05".into()], vec!["S1".into()]));
    assert!(found.strict.iter().all(|one| one.message.contains("neither a file nor a directory")), "{found:?}");
    let (text, exit) = matrix(&["--suite", suite.path().to_str().unwrap()]);
    assert!(text.contains("[1] ok 2, WRONG 0") && exit == Some(0), "{text}");
}

/// The runner's answer about one case, and its exit.
fn matrix(arguments: &[&str]) -> (String, Option<i32>) {
    let runner = example("conformance");
    let output = Command::new(runner).args(arguments).output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

#[test]
fn the_runner_tells_right_wrong_crashed_and_hanging_validators_apart() {
    let validators = [
        "test -d {}",
        "false {}",
        "sh -c 'kill -9 $$'",
        "sh -c 'echo \"Traceback (most recent call last)\" >&2; false'",
    ];
    let mut arguments = vec!["--only", "name/uppercase-first"];
    arguments.extend(validators.iter().flat_map(|command| ["--validator", command]));
    let (text, exit) = matrix(&arguments);
    let line = text.lines().find(|line| line.contains("name/uppercase-first")).unwrap_or_else(|| panic!("{text}"));
    assert_eq!(line.split_whitespace().take(4).collect::<Vec<_>>(), ["WRONG", "ok", "crash", "crash"], "{text}");
    assert!(text.contains("[1] ok 0, WRONG 1, other 0, crash 0, hang 0"), "{text}");
    assert_eq!(exit, Some(1));
    let (text, exit) = matrix(&["--only", "name/unicode-han", "--validator", "false {}"]);
    assert!(text.contains("other 1") && exit == Some(0), "another choice where nothing is decided is no fault: {text}");
    let (text, exit) = matrix(&["--only", "name/one-character", "--timeout", "1", "--validator", "sleep 600"]);
    assert!(text.contains("hang 1") && exit == Some(1), "{text}");
    let (text, exit) = matrix(&["--wrong"]);
    assert!(text.contains("WRONG 0, other 0, crash 0, hang 0") && exit == Some(0), "{text}");
}

/// Rule, line and column of everything the program finds in a case's skill.
fn run(case: &Case, with: &[&str]) -> BTreeSet<(String, u64, u64)> {
    let skill = case.skill();
    let args = [&["--json", "validate", skill.to_str().unwrap()], with].concat();
    let ran = Stage::new(&[]).hefesto(&args, b"").exits(1);
    let answer = ran.json();
    let findings = answer["data"]["skills"][0]["findings"].as_array().unwrap().iter();
    let number = |one: &serde_json::Value, key: &str| one[key].as_u64().unwrap();
    let place = |one: &serde_json::Value| {
        (one["rule"].as_str().unwrap().to_owned(), number(one, "line"), number(one, "column"))
    };
    findings.map(place).collect()
}

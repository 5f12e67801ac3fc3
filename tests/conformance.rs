//! The conformance suite against hefesto itself: every verdict, and every finding at its place, in one run.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(dead_code, reason = "the runner reads more of a case than this test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hefesto::change::survey;
use hefesto::finding::{Finding, Severity};
use hefesto::rules::{self, Policy, Profile, Subject};

#[path = "support/conformance.rs"]
mod suite;

use suite::{Case, Expected, Verdict};

/// The rules the suite is about: the specification's, the files' own, and what is never allowed.
const ABOUT: &[&str] = &["S", "W-VALIDATE-001", "T0-HEFESTO-05", "T0-HEFESTO-11"];

fn cases() -> Vec<Case> {
    suite::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/conformance")).unwrap()
}

/// What hefesto finds in a skill's folder.
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
    let mut all = rules::check(&subject);
    all.extend(left_out.iter().flat_map(|one| rules::unreadable("", &one.path, &one.why)));
    let policy = Policy { profile: Profile::Spec, ..Policy::default() };
    Found { all, strict: rules::check_for(&subject, &policy).findings }
}

fn verdict(found: &Found) -> Verdict {
    match found.strict.iter().any(|finding| finding.severity == Severity::Error) {
        true => Verdict::Invalid,
        false => Verdict::Valid,
    }
}

/// As the suite writes it: as grave as the specification, read strictly, makes it.
fn told(found: &Found) -> BTreeSet<Expected> {
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
    let mut wrong = Vec::new();
    for case in cases() {
        let found = findings(&case.skill());
        let (told, wanted) = (told(&found), case.findings.iter().cloned().collect::<BTreeSet<_>>());
        let verdict = verdict(&found);
        if verdict != case.verdict {
            wrong.push(format!("{}: {verdict:?}, not {:?}", case.id, case.verdict));
        }
        for missing in wanted.difference(&told) {
            wrong.push(format!("{}: not told: {missing:?}", case.id));
        }
        for more in told.difference(&wanted) {
            wrong.push(format!("{}: told besides: {more:?}", case.id));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_suite_is_large_and_says_what_it_rests_on() {
    let cases = cases();
    assert!(cases.len() >= 220, "{}", cases.len());
    assert!(cases.iter().filter(|case| case.decided).count() >= 150);
    for case in &cases {
        assert!(case.about.len() > 5 && case.clause.len() > 10, "{}", case.id);
        assert_eq!(case.decided, case.why.is_none(), "{}: what is not decided says why it was chosen", case.id);
        assert!(fs::symlink_metadata(case.skill()).unwrap().is_dir(), "{}", case.id);
    }
    let rules: BTreeSet<&str> = cases.iter().flat_map(|case| &case.findings).map(|one| one.rule.as_str()).collect();
    for (rule, _) in rules::checked_rules().into_iter().filter(|(rule, _)| rule.starts_with('S')) {
        assert!(rules.contains(rule), "no case breaks {rule}");
    }
}

#[test]
fn a_pipe_a_circle_and_two_spellings_are_cases_no_archive_can_hold() {
    let dir = tempfile::tempdir().unwrap();
    let skill = dir.path().join("dates");
    fs::create_dir(&skill).unwrap();
    let text = "---\nname: dates\ndescription: Formats dates. Use when asked.\n---\nYear first.\n";
    fs::write(skill.join("SKILL.md"), text).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, skill.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
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
        let told: BTreeSet<(String, u64, u64)> = run(&case.dir, &case.folder);
        for wanted in &case.findings {
            let place = (wanted.rule.clone(), wanted.line as u64, wanted.column as u64);
            assert!(told.contains(&place), "{}: {place:?} not in {told:?}", case.id);
        }
    }
}

/// The runner's answer about one case, and its exit.
fn matrix(arguments: &[&str]) -> (String, Option<i32>) {
    let runner = Path::new(env!("CARGO_BIN_EXE_hefesto")).parent().unwrap().join("examples/conformance");
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

fn run(cwd: &Path, skill: &str) -> BTreeSet<(String, u64, u64)> {
    let home: PathBuf = tempfile::tempdir().unwrap().keep();
    let output = Command::new(env!("CARGO_BIN_EXE_hefesto"))
        .args(["--json", "validate", &format!("./{skill}")])
        .current_dir(cwd)
        .env_clear()
        .env("HOME", &home)
        .output()
        .unwrap();
    fs::remove_dir_all(home).unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["data"]["skills"][0]["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            let number = |key: &str| one[key].as_u64().unwrap();
            (one["rule"].as_str().unwrap().to_owned(), number("line"), number("column"))
        })
        .collect()
}

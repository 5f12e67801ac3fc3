//! What a project's own files cannot make hefesto do: run a program, name a server, reach outside the project.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::support::stage::{Ran, Stage};
use crate::support::world::holds;

const SENTENCE: &str = "Validate email addresses using regex patterns";

/// The commands that look for programs, or that read settings that name some.
const COMMANDS: &str = include_str!("../../fixtures/commands/trusted.txt");

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A clone that holds programs of every name hefesto looks for. Each leaves `$HOME/ran` behind when it is run.
fn hostile() -> Stage {
    let stage = Stage::new(&["claude"]);
    for dir in ["", "node_modules/.bin/"] {
        for name in ["run.sh", "gemini", "codex", "qwen", "git", "less", "vi"] {
            script(&stage.project().join(format!("{dir}{name}")), "echo \"$0\" >> \"$HOME/ran\"; echo 9.9.9");
        }
    }
    stage
}

#[track_caller]
fn nothing_ran(stage: &Stage, what: &str) {
    let ran = fs::read_to_string(stage.home().join("ran")).unwrap_or_default();
    assert_eq!(ran, "", "{what} ran a program of the project");
}

#[track_caller]
fn every_command(stage: &Stage) {
    for command in COMMANDS.lines() {
        let ran = stage.hefesto(&shell_words::split(command).unwrap(), b"");
        assert!(ran.exit.is_some_and(|exit| exit <= 3), "{command}: {ran:?}");
        nothing_ran(stage, command);
    }
}

#[test]
fn a_program_named_by_the_projects_settings_is_never_run() {
    let stage = hostile();
    stage.write(".hefesto/config.toml", "[draft]\ncommand = [\"/proc/self/cwd/run.sh\"]\n\
         [targets.evil]\nskills_dir = \".evil/skills\"\nbinaries = [\"/proc/self/cwd/run.sh\", \"run.sh\", \"./run.sh\"]\n\
         [targets.claude]\nskills_dir = \".claude/skills\"\nbinaries = [\"/proc/self/cwd/run.sh\"]\n",
    );
    every_command(&stage);
}

#[test]
fn a_program_inside_the_project_is_never_run_whatever_path_says() {
    let mut stage = hostile();
    let (path, inside) = (stage.masked("x"), stage.project().join("node_modules/.bin"));
    assert_eq!(path, "x");
    let bin = stage.home().parent().unwrap().join("bin");
    std::os::unix::fs::symlink(&inside, stage.home().join("tools")).unwrap();
    let linked = stage.home().join("tools");
    for first in ["", ".", "./node_modules/.bin", inside.to_str().unwrap(), linked.to_str().unwrap()] {
        stage.set("PATH", &format!("{first}:{}:/usr/bin:/bin:", bin.display()));
        every_command(&stage);
    }
}

#[test]
fn an_interpreter_of_the_project_does_not_run_a_program_of_the_users() {
    let mut stage = hostile();
    script(&stage.project().join("node"), "echo node >> \"$HOME/ran\"; echo 9.9.9");
    let bin = stage.home().parent().unwrap().join("bin");
    fs::write(bin.join("codex"), "#!/usr/bin/env node\n").unwrap();
    fs::set_permissions(bin.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
    stage.stubs(&["gemini!pwd > \"$HOME/cwd\"; echo 1.2.3"]);
    stage.set("PATH", &format!(".:{}:/usr/bin:/bin", bin.display()));
    stage.hefesto(&["detect"], b"").exits(0);
    nothing_ran(&stage, "detect");
    assert_eq!(fs::read_to_string(stage.home().join("cwd")).unwrap(), "/\n", "it was asked inside the project");
}

fn warnings(ran: &Ran, code: &str) -> Vec<String> {
    let answer = ran.json();
    let all = answer["warnings"].as_array().unwrap().clone();
    all.iter().filter(|one| one["code"] == code).map(|one| one["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_ignored_is_named_with_its_file_its_key_and_where_it_would_count() {
    let stage = hostile();
    stage.write(
        ".hefesto/config.toml",
        "stm.url = \"redis://evil.acme.io\"\n[targets.evil]\nskills_dir = \".evil/skills\"\nbinaries = [\"sh\"]\n",
    );
    let ran = stage.hefesto(&["detect", "--json"], b"");
    let said = warnings(&ran, "WARN-040");
    assert_eq!(said.len(), 2, "{ran:?}");
    for (said, key) in said.iter().zip(["stm.url", "targets.evil.binaries"]) {
        holds(said, &["[PROJECT]/.hefesto/config.toml", key, "[HOME]/.config/hefesto/config.toml"]);
    }
    let config = stage.hefesto(&["config", "--json"], b"").json();
    let keys: Vec<&str> =
        config["data"]["ignored"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["stm.url", "targets.evil.binaries"]);
    let shown = stage.hefesto(&["config"], b"");
    assert!(shown.stdout.contains("Ignored: targets.evil.binaries (it names a program)"), "{}", shown.stdout);
    // The same in the user's own file counts.
    let user = stage.home().join(".config/hefesto");
    fs::create_dir_all(&user).unwrap();
    fs::write(user.join("config.toml"), "[targets.evil]\nskills_dir = \".evil/skills\"\nbinaries = [\"sh\"]\n")
        .unwrap();
    let found = stage.hefesto(&["detect", "--json"], b"").json();
    let ids = found["data"]["clis"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap());
    assert_eq!(ids.collect::<Vec<_>>(), ["claude", "evil"], "{found}");
}

fn from_home(stage: &Stage, line: &str) -> Ran {
    stage.shell(&format!("cd \"$HOME\" && {line}"))
}

#[test]
fn the_home_directory_is_no_project_unless_it_is_named() {
    let stage = Stage::new(&["claude"]);
    for line in ["hefesto create 'Review SQL migrations' --yes", "hefesto init --yes", "hefesto list"] {
        let ran = from_home(&stage, line).exits(1);
        assert!(ran.stderr.contains("E-CREATE-000") && ran.stderr.contains("--global"), "{ran:?}");
    }
    for line in ["hefesto detect", "hefesto config", "hefesto validate", "hefesto match 'review this'"] {
        assert_eq!(from_home(&stage, line).exit, Some(0), "{line}");
    }
    assert_eq!(fs::read_dir(stage.home()).unwrap().count(), 0, "something was made in the home directory");
    assert_eq!(from_home(&stage, "hefesto -C ~ init --yes").exit, Some(0));
    // From then on a directory below is still its own project, and says that the home directory is skipped.
    let below =
        from_home(&stage, "mkdir src && cd src && hefesto create 'Review SQL migrations' --yes --json").exits(0);
    assert!(stage.home().join("src/.claude/skills/review-sql-migrations").is_dir());
    assert_eq!(warnings(&below, "WARN-041").len(), 1, "{below:?}");
}

#[test]
fn every_answer_names_a_root_that_is_elsewhere_and_its_paths_can_be_pasted() {
    let stage = Stage::new(&["claude"]);
    assert_eq!(stage.hefesto(&["create", SENTENCE, "--name", "one", "--yes"], b"").exit, Some(0));
    fs::create_dir_all(stage.project().join("a b/c")).unwrap();
    let listed = stage.shell("cd 'a b/c' && hefesto list --json");
    let answer = listed.json();
    assert_eq!(answer["root"], "[PROJECT]");
    assert!(stage.shell("cd 'a b/c' && hefesto list").stderr.contains("Project: [PROJECT]\n"));
    assert!(!stage.shell("hefesto list").stderr.contains("Project:"));
    for (stands, way) in [("a b/c", "../.."), ("..", "project")] {
        let here = format!("cd '{stands}' && hefesto {}", if stands == ".." { "-C project " } else { "" });
        let deleted = stage.shell(&format!("{here}delete one --yes"));
        assert!(deleted.stdout.contains(&format!("  {way}/.claude/skills/one/\n")), "{deleted:?}");
        let hint = deleted.stdout.split(", or tar ").nth(1).unwrap().trim_end().strip_suffix(')').unwrap();
        assert_eq!(stage.shell(&format!("cd '{stands}' && tar {hint}")).exit, Some(0), "{hint}");
        assert!(stage.project().join(".claude/skills/one/SKILL.md").is_file(), "{hint}");
    }
    let made = stage.shell("cd 'a b/c' && hefesto create 'Review SQL migrations' --name two --yes");
    assert!(made.stdout.contains("  ../../.claude/skills/two/SKILL.md"), "{made:?}");
}

#[test]
fn a_file_of_answers_is_no_person() {
    let stage = Stage::new(&["claude"]);
    let last = || {
        let log = stage.read(".hefesto/logs/operations.jsonl");
        serde_json::from_str::<Value>(log.lines().last().unwrap()).unwrap()["details"]["approved_by"].clone()
    };
    let args = ["create", SENTENCE, "--name", "one", "--init", "--answers", "-", "--json"];
    let made = stage.hefesto(&args, b"approve\n").json();
    assert_eq!((&made["data"]["approved_by"], last()), (&"flag".into(), "answers".into()), "{made}");
    let deleted = stage.hefesto(&["delete", "one", "--answers", "-", "--json"], b"one\nyes\n");
    let deleted = deleted.json();
    assert_eq!((&deleted["data"]["approved_by"], last()), (&"flag".into(), "answers".into()), "{deleted}");
}

#[test]
fn detect_answers_where_nothing_can_be_written() {
    let stage = Stage::new(&["claude"]);
    assert_eq!(stage.hefesto(&["init", "--yes"], b"").exit, Some(0));
    // A file in its place keeps even root from writing below `.hefesto`.
    fs::remove_dir_all(stage.project().join(".hefesto")).unwrap();
    stage.write(".hefesto", "");
    stage.stubs(&["gemini=1.2.3"]);
    let ran = stage.hefesto(&["detect", "--json"], b"").exits(0);
    assert!(warnings(&ran, "ERR-001").iter().any(|said| said.contains("nothing is recorded")), "{ran:?}");
}

//! `init --with-commands`, through the program as it is installed: hefesto's own command in every AI CLI.

use crate::support::stage;

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;
use stage::{Ran, Stage, snapshot};

const ALL: &[&str] = &["claude", "gemini", "codex", "copilot", "opencode", "cursor", "qwen"];
const FILES: &[&str] = &[
    ".claude/skills/hefesto-create/SKILL.md",
    ".codex/skills/hefesto-create/SKILL.md",
    ".cursor/skills/hefesto-create/SKILL.md",
    ".gemini/commands/hefesto.create.toml",
    ".github/skills/hefesto-create/SKILL.md",
    ".opencode/commands/hefesto.create.md",
    ".qwen/commands/hefesto.create.md",
];
const TOML: &str = ".gemini/commands/hefesto.create.toml";
const SKILL: &str = ".claude/skills/hefesto-create/SKILL.md";

fn installed(stage: &Stage) -> Ran {
    stage.hefesto(&["init", "--with-commands"], b"").exits(0)
}

/// The project's files but MEMORY.md and `.hefesto/`.
fn files(stage: &Stage) -> BTreeMap<String, Vec<u8>> {
    snapshot(&stage.project(), &|path| !path.starts_with(".hefesto") && path != "MEMORY.md")
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn each_cli_gets_it_in_its_own_form_once() {
    let stage = Stage::new(ALL);
    let ran = installed(&stage);
    let mut own: Vec<String> = files(&stage).into_keys().filter(|path| path.contains("hefesto")).collect();
    own.retain(|path| !path.ends_with("metadata.yaml"));
    assert_eq!(own, FILES);
    for call in ["/hefesto-create", "$hefesto-create", "/hefesto.create"] {
        assert!(ran.stdout.contains(call), "{}", ran.stdout);
    }
    let text = fs::read_to_string(stage.project().join(TOML)).unwrap();
    let command: Value = toml::from_str(&text).unwrap();
    assert!(command["description"].as_str().unwrap().starts_with("Creates an Agent Skill"), "{command}");
    assert!(command["prompt"].as_str().unwrap().contains("{{args}} ("), "{command}");
    let list = json(&stage.hefesto(&["list", "--check-sync", "--json"], b""));
    let skill = &list["data"]["skills"][0];
    assert_eq!(skill["name"], "hefesto-create");
    assert_eq!(skill["clis"], serde_json::json!(["claude", "codex", "copilot", "cursor"]));
    assert_eq!(list["data"]["drift"], serde_json::json!([]));
    stage.hefesto(&["validate", "--strict"], b"").exits(0);

    let before = files(&stage);
    let again = json(&stage.hefesto(&["init", "--with-commands", "--json"], b""));
    assert_eq!(files(&stage), before);
    let words = again["data"]["commands"].as_array().unwrap().iter().map(|one| one["action"].clone());
    assert!(words.clone().count() == 7 && words.clone().all(|word| word == "present"), "{again}");
}

#[test]
fn without_the_flag_there_is_none() {
    let stage = Stage::new(&["claude", "gemini"]);
    stage.hefesto(&["init"], b"").exits(0);
    assert!(!files(&stage).keys().any(|path| path.contains("hefesto")), "{:?}", files(&stage));
}

#[test]
fn undo_takes_it_all_back_unless_it_was_edited() {
    let stage = Stage::new(ALL);
    assert_eq!(stage.hefesto(&["init"], b"").exit, Some(0));
    let before = files(&stage);
    installed(&stage);
    let installed = files(&stage);
    fs::write(stage.project().join(TOML), "prompt = 'mine'\n").unwrap();
    let ran = stage.hefesto(&["undo", "--yes"], b"");
    assert!(ran.exit == Some(1) && ran.stderr.contains(TOML), "{ran:?}");
    fs::write(stage.project().join(TOML), &installed[TOML][installed[TOML].len() - text(&installed[TOML])..]).unwrap();
    stage.hefesto(&["undo", "--yes"], b"").exits(0);
    assert_eq!(files(&stage).into_keys().collect::<Vec<_>>(), before.into_keys().collect::<Vec<_>>());
}

#[test]
fn a_pipe_or_a_link_in_its_place_is_neither_opened_nor_replaced() {
    for made in ["mkfifo", "ln -s /etc/hostname"] {
        let stage = Stage::new(&["gemini"]);
        stage.shell(&format!("mkdir -p .gemini/commands; {made} {TOML}"));
        let ran = stage.hefesto(&["init", "--with-commands"], b"");
        assert!(ran.stderr.contains(TOML) && !ran.stdout.contains("installed "), "{made}: {ran:?}");
        assert!(!stage.project().join(TOML).symlink_metadata().unwrap().is_file());
    }
}

/// How many bytes of a leaf are the file's own: the snapshot puts the mode in front of them.
fn text(leaf: &[u8]) -> usize {
    let at = leaf.windows(11).position(|bytes| bytes == b"description").unwrap();
    leaf.len() - at
}

#[test]
fn what_is_not_hefestos_is_replaced_only_by_a_person_and_comes_back() {
    let stage = Stage::new(&["claude", "gemini"]);
    for (at, text) in [(TOML, "prompt = 'mine'\n"), (SKILL, "mine\n")] {
        let path = stage.project().join(at);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let read = |at: &str| fs::read_to_string(stage.project().join(at)).unwrap();
    let ran = stage.hefesto(&["init", "--with-commands", "--yes"], b"").exits(0);
    assert!(ran.stderr.matches("WARN-031").count() == 2, "{}", ran.stderr);
    assert_eq!((read(TOML).as_str(), read(SKILL).as_str()), ("prompt = 'mine'\n", "mine\n"));

    let ran = stage.hefesto(&["init", "--with-commands", "--answers", "-"], b"reject\n");
    assert_eq!((ran.exit, read(SKILL).as_str()), (Some(3), "mine\n"), "{ran:?}");
    stage.hefesto(&["init", "--with-commands", "--answers", "-"], b"approve\n").exits(0);
    assert!(read(TOML).starts_with("description = ") && read(SKILL).contains("hefesto create --brief"));
    assert_eq!(read(&format!("{TOML}.backup.2026-02-05T10-00-00")), "prompt = 'mine'\n");

    stage.hefesto(&["undo", "--yes"], b"").exits(0);
    assert_eq!((read(TOML).as_str(), read(SKILL).as_str()), ("prompt = 'mine'\n", "mine\n"));
}

//! What hefesto installs of itself: its command in every AI CLI, `init --with-commands`, and its plugin, `dist/plugin/`,
//! whose skills are valid, say what the program does, and are packed alike each time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use hefesto::cli::Cli;
use serde_json::{Value, json};

use crate::support::stage::{Ran, Stage, snapshot};

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
    let text = stage.read(TOML);
    let command: Value = toml::from_str(&text).unwrap();
    assert!(command["description"].as_str().unwrap().starts_with("Creates an Agent Skill"), "{command}");
    assert!(command["prompt"].as_str().unwrap().contains("{{args}} ("), "{command}");
    let list = stage.hefesto(&["list", "--check-sync", "--json"], b"").json();
    let skill = &list["data"]["skills"][0];
    assert_eq!(skill["name"], "hefesto-create");
    assert_eq!(skill["clis"], serde_json::json!(["claude", "codex", "copilot", "cursor"]));
    assert_eq!(list["data"]["drift"], serde_json::json!([]));
    stage.hefesto(&["validate", "--strict"], b"").exits(0);

    let before = files(&stage);
    let again = stage.hefesto(&["init", "--with-commands", "--json"], b"").json();
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
    stage.write(TOML, "prompt = 'mine'\n");
    let ran = stage.hefesto(&["undo", "--yes"], b"");
    assert!(ran.exit == Some(1) && ran.stderr.contains(TOML), "{ran:?}");
    fs::write(stage.project().join(TOML), &installed[TOML][installed[TOML].len() - length(&installed[TOML])..])
        .unwrap();
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
fn length(leaf: &[u8]) -> usize {
    let at = leaf.windows(11).position(|bytes| bytes == b"description").unwrap();
    leaf.len() - at
}

#[test]
fn what_is_not_hefestos_is_replaced_only_by_a_person_and_comes_back() {
    let stage = Stage::new(&["claude", "gemini"]);
    for (at, text) in [(TOML, "prompt = 'mine'\n"), (SKILL, "mine\n")] {
        stage.write(at, text);
    }
    let ran = stage.hefesto(&["init", "--with-commands", "--yes"], b"").exits(0);
    assert!(ran.stderr.matches("WARN-031").count() == 2, "{}", ran.stderr);
    assert_eq!((stage.read(TOML).as_str(), stage.read(SKILL).as_str()), ("prompt = 'mine'\n", "mine\n"));

    let ran = stage.hefesto(&["init", "--with-commands", "--answers", "-"], b"reject\n");
    assert_eq!((ran.exit, stage.read(SKILL).as_str()), (Some(3), "mine\n"), "{ran:?}");
    stage.hefesto(&["init", "--with-commands", "--answers", "-"], b"approve\n").exits(0);
    assert!(stage.read(TOML).starts_with("description = ") && stage.read(SKILL).contains("hefesto create --brief"));
    assert_eq!(stage.read(&format!("{TOML}.backup.2026-02-05T10-00-00")), "prompt = 'mine'\n");

    stage.hefesto(&["undo", "--yes"], b"").exits(0);
    assert_eq!((stage.read(TOML).as_str(), stage.read(SKILL).as_str()), ("prompt = 'mine'\n", "mine\n"));
}

const NAMES: [&str; 3] = ["hefesto-create", "hefesto-status", "hefesto-why"];

fn skills() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("dist/plugin/skills")
}

fn text(name: &str) -> String {
    fs::read_to_string(skills().join(name).join("SKILL.md")).unwrap()
}

/// What a text has in backticks, and the lines of its fenced code.
fn code(text: &str) -> Vec<String> {
    let (mut found, mut prose, mut fenced) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        match (line.starts_with("```"), fenced) {
            (true, _) => fenced = !fenced,
            (false, true) => found.push(line.to_owned()),
            (false, false) => prose.push_str(&format!("{} ", line.trim())),
        }
    }
    found.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
    found
}

#[test]
fn its_skill_for_creating_is_the_one_that_init_installs() {
    let stage = Stage::new(&["claude"]);
    assert_eq!(stage.hefesto(&["init", "--with-commands"], b"").exit, Some(0));
    let installed = stage.read(".claude/skills/hefesto-create/SKILL.md");
    if std::env::var_os("HEFESTO_UPDATE").is_some() {
        fs::write(skills().join("hefesto-create/SKILL.md"), &installed).unwrap();
    }
    assert!(text("hefesto-create") == installed, "HEFESTO_UPDATE=1 cargo test --test it own::");
}

#[test]
fn its_skills_are_valid_for_everybody_without_a_warning() {
    let stage = Stage::new(&[]);
    let folder = skills().display().to_string();
    for profile in ["spec", "strict", "portable", "claude-code", "codex"] {
        let ran = stage.hefesto(&["validate", "--strict", "--profile", profile, &folder], b"");
        assert!(ran.exit == Some(0) && ran.stdout.contains("3 valid"), "{profile}: {ran:?}");
    }
}

#[test]
fn every_command_and_flag_they_name_exists() {
    for name in NAMES {
        let text = text(name);
        let code = code(&text);
        let mut flags = BTreeSet::from(["--".to_owned()]);
        let commands: Vec<&String> = code.iter().filter(|code| code.starts_with("hefesto ")).collect();
        assert!(commands.len() >= 5, "{name}: {commands:?}");
        for command in commands {
            let words = shell_words::split(command).unwrap();
            match Cli::try_parse_from(&words) {
                // Of the verb alone nothing but its name is said.
                Err(error) if words.len() > 2 => panic!("{name}: `{command}`: {error}"),
                _ => {}
            }
            let mut cli = Cli::command();
            cli.build();
            let verb = cli.find_subcommand(&words[1]).unwrap();
            let all = verb.get_arguments().chain(cli.get_arguments());
            flags.extend(all.filter_map(|argument| argument.get_long()).map(|long| format!("--{long}")));
        }
        for flag in code.iter().filter(|code| code.starts_with("--")) {
            let flag = flag.split(' ').next().unwrap();
            assert!(flags.contains(flag), "{name}: none of its commands has {flag}");
        }
    }
}

#[test]
fn what_they_say_of_exits_and_answers_is_so() {
    let stage = Stage::new(&["claude", "gemini"]);
    let data = |args: &[&str], exit: i32| {
        let ran = stage.hefesto(args, b"");
        assert_eq!(ran.exit, Some(exit), "{ran:?}");
        ran.json()["data"].take()
    };
    data(&["create", "Sort the mail", "--init", "--yes", "--json"], 0);
    let edited = stage.project().join(".claude/skills/sort-mail/SKILL.md");
    fs::write(&edited, format!("{}\nMine.\n", fs::read_to_string(&edited).unwrap())).unwrap();
    let copy = &data(&["status", "--json"], 0)["skills"][0]["copies"][0];
    assert_eq!((&copy["client"], &copy["state"]), (&json!("claude"), &json!("edited")));
    assert!(copy["path"].is_string() && copy["action"].as_str().unwrap().contains("hefesto sync sort-mail"), "{copy}");
    data(&["status", "--check", "--json"], 1);
    data(&["sync", "sort-mail", "--json"], 3);
    assert_eq!(data(&["status", "--json"], 0)["skills"][0]["copies"][1]["state"], "same", "nothing was written");

    let client = &data(&["why", "sort-mail", "--cli", "codex", "--json"], 0)["clients"][0];
    assert_eq!(client["verdict"], "not_listed");
    assert!(client["says"].is_string() && client["causes"][0]["cure"].is_string(), "{client}");
    let client = &data(&["why", "sort-mail", "--prompt", "water the plants", "--json"], 0)["clients"][0];
    assert!(client["first"].is_array() && client["expected"]["what"].is_string(), "{client}");
    data(&["why", "sort-post", "--json"], 1);
    data(&["why", "sort-mail", "--cli", "nobody", "--json"], 1);
    data(&["sync", "sort-mail", "--yes", "--json"], 0);
    data(&["add", "sort-mail", "--target", "codex", "--json"], 3);
}

#[test]
fn they_name_every_state_and_verdict_that_the_documents_name() {
    let life = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/life.md")).unwrap();
    for (header, name) in [("| state | means |", "hefesto-status"), ("| verdict (JSON) | means |", "hefesto-why")] {
        let rows = life.split_once(header).unwrap().1.lines().skip(2).take_while(|line| line.starts_with('|'));
        let words: Vec<&str> = rows.map(|row| row.split('`').nth(1).unwrap()).collect();
        assert!(words.len() >= 6, "{words:?}");
        for word in words {
            assert!(text(name).contains(&format!("\n| `{word}` |")), "{name}: {word}");
        }
    }
}

#[test]
fn each_form_is_packed_alike_wherever_that_is() {
    let packed = |user: &str| {
        let stage = Stage::new(&[]);
        fs::write(stage.home().join(".gitconfig"), format!("[user]\n\tname = {user}\n")).unwrap();
        let folder = skills().display().to_string();
        for args in [&["init", "--target", "claude"][..], &["adopt", &folder, "--target", "claude", "--yes"]] {
            stage.hefesto(args, b"").exits(0);
        }
        ["plugin", "claude", "codex", "gemini"].map(|form| {
            stage.hefesto(&[&["pack"], &NAMES[..], &["--as", form, "--name", "hefesto"]].concat(), b"").exits(0);
            snapshot(&stage.project().join(format!("hefesto-{form}")), &|_| true)
        })
    };
    let forms = packed("ana");
    assert_eq!(forms, packed("rui"), "the author is the one of the skills");
    for (files, manifest) in forms
        .iter()
        .zip(["plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json", "gemini-extension.json"])
    {
        let bytes = &files[manifest];
        let start = bytes.iter().position(|byte| *byte == b'{').unwrap();
        let manifest: Value = serde_json::from_slice(&bytes[start..]).unwrap();
        assert_eq!((&manifest["name"], &manifest["version"]), (&json!("hefesto"), &json!(env!("CARGO_PKG_VERSION"))));
        for name in NAMES {
            assert!(files.contains_key(&format!("skills/{name}/SKILL.md")), "{name}");
        }
    }
    for name in NAMES {
        assert!(text(name).contains(concat!("\n  version: \"", env!("CARGO_PKG_VERSION"), "\"\n")), "{name}");
    }
}

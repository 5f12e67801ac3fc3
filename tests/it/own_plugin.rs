//! hefesto's own plugin, `dist/plugin/`: its skills are valid, say what the program does, and are packed alike each time.

use crate::support::stage;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, Parser};
use hefesto::cli::Cli;
use serde_json::{Value, json};
use stage::Stage;

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
    let installed = fs::read_to_string(stage.project().join(".claude/skills/hefesto-create/SKILL.md")).unwrap();
    if std::env::var_os("HEFESTO_UPDATE").is_some() {
        fs::write(skills().join("hefesto-create/SKILL.md"), &installed).unwrap();
    }
    assert!(text("hefesto-create") == installed, "HEFESTO_UPDATE=1 cargo test --test it own_plugin::");
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
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["data"].take()
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
            stage::snapshot(&stage.project().join(format!("hefesto-{form}")), &|_| true)
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

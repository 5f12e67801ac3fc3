//! The documents say what the program knows. `HEFESTO_UPDATE=1 cargo test --test documents` writes them anew.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use hefesto::error::{Code, Kind};
use hefesto::rules::{self, Enforced};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Compares a document with what it should say, or writes it.
fn holds(path: &str, wanted: &str) {
    let file = root().join(path);
    if std::env::var_os("HEFESTO_UPDATE").is_some() {
        fs::write(&file, wanted).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    let first = there.lines().zip(wanted.lines()).position(|(one, other)| one != other);
    let line = first.unwrap_or_else(|| there.lines().count().min(wanted.lines().count())) + 1;
    assert!(there == wanted, "{path} is out of date from line {line}: HEFESTO_UPDATE=1 cargo test --test documents");
}

/// As it may stand in a Markdown sentence: `<name>` outside of code would be taken for a tag.
fn prose(text: &str) -> String {
    let parts = text
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 0 { part.replace('<', "\\<").replace('*', "\\*") } else { format!("`{part}`") });
    parts.collect()
}

fn example(text: &mut String, example: &str) {
    let fence = "`".repeat(if example.contains("```") { 4 } else { 3 });
    writeln!(text, "{fence}text\n{example}\n{fence}\n").unwrap();
}

#[test]
fn errors_md_is_the_table_of_codes() {
    let mut text = String::from(
        "# Codes\n\n\
         Every code hefesto prints, with the exit it ends with, its cause, an example and the cure. The same text as\n\
         `hefesto explain CODE`; this file is written from the table in `src/error/code.rs`.\n\n\
         The exit is the code's own; a few depend on when it happens, and then the text says so. Warnings and remarks\n\
         end nothing.\n\n\
         | code | exit | when |\n|---|---|---|\n",
    );
    let exit = |code: Code| match code.kind() {
        Kind::Error => code.entry().exit.number().to_string(),
        Kind::Warning | Kind::Info => "-".to_owned(),
    };
    for code in Code::ALL {
        let (entry, exit) = (code.entry(), exit(*code));
        let anchor = entry.id.to_ascii_lowercase();
        writeln!(text, "| [{}](#{anchor}) | {exit} | {} |", entry.id, prose(entry.when).replace('|', "\\|")).unwrap();
    }
    for code in Code::ALL {
        let entry = code.entry();
        write!(text, "\n## {}\n\n{}\n\n{}\n\n", entry.id, prose(entry.when), prose(entry.cause)).unwrap();
        example(&mut text, entry.example);
        writeln!(text, "What to do: {}", prose(entry.cure)).unwrap();
    }
    holds("docs/errors.md", &text);
}

#[test]
fn rules_md_is_the_table_of_rules() {
    let mut text = String::from(
        "# Rules\n\n\
         Every rule a skill is checked by, or the program works by. The same text as `hefesto explain RULE`; this file\n\
         is written from the table in `src/rules/table.rs`. Only an error makes a skill invalid.\n\n\
         `hefesto validate --profile PROFILE` asks for the rules of one reader: `spec` for the specification's own text\n\
         (and T0-HEFESTO-11), `strict` for that and every T0 rule, the name of a client for what that client drops,\n\
         `portable` for what any of them drops. Without a profile every rule is asked, for the clients a skill is\n\
         installed for; what one of several clients would drop is then a warning.\n\n\
         A project weighs rules in `.hefesto/config.toml`, a part such as `T0-HEFESTO-11.pii` like a rule; T0 rules are\n\
         never lowered:\n\n\
         ```toml\n[rules]\nS16 = \"off\"\n\"QUALITY-04.verb\" = \"warning\"\n```\n\n\
         A skill says what it accepts, and why. The comment speaks for the next line that is not blank; as the first line\n\
         of the body it speaks for all of SKILL.md:\n\n\
         ```markdown\n<!-- hefesto: ignore S17, QUALITY-03 reason: the guide is made by the build -->\n```\n\n\
         | rule | gravest finding | asks | held by |\n|---|---|---|---|\n",
    );
    for rule in rules::RULES {
        let held = match rule.enforced {
            Enforced::OnFiles => "the files of every skill",
            Enforced::ByProcedure => "the way the program works",
        };
        let anchor: String = rule.id.to_ascii_lowercase().replace('.', "");
        let title = prose(rule.title).replace('|', "\\|");
        writeln!(text, "| [{}](#{anchor}) | {} | {title} | {held} |", rule.id, rule.severity.word()).unwrap();
    }
    for rule in rules::RULES {
        write!(text, "\n## {}\n\n{}. {}\n\n", rule.id, prose(rule.title), prose(rule.why)).unwrap();
        example(&mut text, rule.example);
        writeln!(text, "What to do: {} (Source: {}.)", prose(rule.fix), prose(rule.source)).unwrap();
    }
    holds("docs/rules.md", &text);
}

#[test]
fn architecture_md_names_every_room_and_no_other() {
    let text = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let named: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |").map(|(room, _)| room.to_owned()))
        .collect();
    let there: BTreeSet<String> = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".rs").to_owned())
        .collect();
    assert_eq!(named, there);
}

#[test]
fn the_version_is_in_the_changelog() {
    let text = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    assert!(text.contains(&format!("## [{}]", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn every_path_the_documents_name_is_there() {
    let mut wrong = Vec::new();
    for document in ["README.md", "CONTRIBUTING.md", "docs/architecture.md"] {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for named in text.split('`').skip(1).step_by(2) {
            let ours =
                ["src/", "tests/", "docs/", "templates/", "benches/", ".ci/"].iter().any(|dir| named.starts_with(dir));
            if ours && !named.contains(['*', ' ', '<']) && !root().join(named).exists() {
                wrong.push(format!("{document} names {named}, which is not there"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

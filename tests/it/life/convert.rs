//! `convert`: commands, rules, prompts and instructions of AI CLIs become skills, and nothing of them is lost.

use std::fs;

use serde_json::json;

use super::{states, yes};
use crate::support::world::World;

const COMMAND: &str = "---\ndescription: Fixes an issue of the tracker.\nargument-hint: [issue-number] [priority]\n\
    allowed-tools: Bash(git status:*), Read\nmodel: opus\n---\n\n## Context\n\n- Status: !`git status`\n\n\
    Fix issue $ARGUMENTS, first word $1.\nSee @docs/style.md.\n";
const RULE: &str = "---\ndescription: React conventions\nglobs: *.tsx,src/**/*.{ts,js}\nalwaysApply: false\n---\n\n\
    - Components are functions.\n- No default exports.\n";
const TOML: &str =
    "description = \"Writes a plan.\"\nprompt = \"\"\"\nPlan {{args}}.\n\nRecent work: !{git log -5}\n\"\"\"\n";
const PROMPT: &str =
    "---\ndescription: Drafts a pull request.\nargument-hint: FILES=<paths>\n---\n\nDraft it for $FILES.\n";
const INSTRUCTIONS: &str = "---\napplyTo: \"**/*.py,**/*.pyi\"\n---\n# Python style\n\nUse type hints.\n";
const COPILOT: &str = "---\ndescription: Explains code.\nmode: agent\ntools: ['search']\n---\nExplain ${input:what}.\n";

const SOURCES: &[(&str, &str, &str)] = &[
    (".claude/commands/git/fix-issue.md", "git-fix-issue", COMMAND),
    (".cursor/rules/react.mdc", "react", RULE),
    (".gemini/commands/plan.toml", "plan", TOML),
    (".codex/prompts/draftpr.md", "draftpr", PROMPT),
    (".github/instructions/python.instructions.md", "python", INSTRUCTIONS),
    (".github/prompts/explain.prompt.md", "explain", COPILOT),
    (".github/copilot-instructions.md", "copilot-instructions", "We use tabs.\r\nNever spaces.\r\n"),
];

fn holding_sources() -> World {
    let world = World::two();
    for (at, _, text) in SOURCES {
        world.write(at, text);
    }
    world
}

#[test]
fn every_line_of_every_source_is_in_its_skill() {
    let world = holding_sources();
    let before = world.files();
    let files: Vec<&str> = SOURCES.iter().map(|(at, ..)| *at).collect();
    let data = world.data(&[&["convert", "--yes", "--target", "claude,gemini"], &files[..]].concat());
    assert_eq!(data["refused"], json!([]), "{data}");
    for (at, name, source) in SOURCES {
        assert_eq!(states(&world, name), ["claude same", "gemini same"]);
        let skill = world.skill(&format!(".claude/skills/{name}"));
        let original = format!(".claude/skills/{name}/references/original.{}", at.rsplit('.').next().unwrap());
        let kept = if world.exists(&original) { world.read(&original) } else { String::new() };
        let plain = kept.replace("\r\n", "\n");
        for line in source.lines().filter(|line| !line.trim().is_empty() && *line != "---") {
            let said = skill.contains(&line.replace("{{args}}", "$ARGUMENTS"));
            let value = line.split_once(": ").or_else(|| line.split_once(" = ")).map_or(line, |(_, value)| value);
            let parts = value.trim_matches('"').split(',').all(|part| skill.contains(part.trim()));
            let markup = ["prompt = \"\"\"", "\"\"\"", "alwaysApply: false"].contains(&line);
            assert!(said || parts || markup || plain.contains(line), "{at}: {line:?} is lost\n{skill}");
        }
        assert_eq!(world.read(at), *source, "the source stays");
    }
    let claude = world.skill(".claude/skills/git-fix-issue");
    assert!(claude.contains("Input: $ARGUMENTS (arguments: ") && claude.contains("- Status: `git status`"), "{claude}");
    assert!(world.skill(".gemini/skills/plan").contains("Plan {{args}}."));
    assert!(
        world
            .read(".claude/skills/react/SKILL.md")
            .contains("Use when working on files that match *.tsx, src/**/*.{ts,js}.")
    );
    assert!(!world.exists(".claude/skills/react/references"), "nothing of it has no place");
    assert_eq!(world.read(".claude/skills/git-fix-issue/references/original.md"), COMMAND);
    world.run(&["validate"]).is(0);
    assert!(world.data(&["show", "plan"])["origin"].as_str().unwrap().ends_with(".gemini/commands/plan.toml"));
    yes(world.at("2026-02-05T11:00:00Z"), &["undo"]).is(0);
    assert_eq!(world.files(), before);
}

#[test]
fn a_directory_means_its_files_and_a_wrong_one_stays_out() {
    let world = holding_sources();
    world.write(".claude/commands/empty.md", "---\ndescription: Nothing.\n---\n");
    world.write(".claude/commands/notes.txt", "no command");
    let said = world.run_by(&["convert", ".claude/commands", "--target", "claude"], ["approve"]);
    said.is(0).says("WARN-051").says("contains no instructions").says("`model`");
    assert_eq!(states(&world, "git-fix-issue"), ["claude same"]);
    let before = world.picture();
    world.write("empty/notes.txt", "no command");
    yes(&world, &["convert", "empty"]).fails("E-ADOPT-001", 1).says("has no command, rule, prompt or instruction");
    fs::remove_dir_all(world.path("empty")).unwrap();
    for file in [".claude/commands/notes.txt", ".claude/commands/empty.md", "nowhere.md"] {
        yes(&world, &["convert", file]).fails("E-ADOPT-001", 1);
    }
    world.run(&["convert"]).is(2);
    world.run(&["convert", ".cursor/rules/react.mdc"]).fails("E-CREATE-011", 3);
    let dry = world.data(&["convert", ".cursor/rules/react.mdc", "--dry-run"]);
    assert_eq!((&dry["dry_run"], &dry["skills"][0]["name"]), (&json!(true), &json!("react")));
    world.unchanged_since(&before);
}

#[test]
fn what_breaks_a_rule_is_no_skill_and_a_skill_of_that_name_is_asked_about() {
    let world = World::two();
    let token = concat!("ghp_", "A9fK3mQ7xT2vB8nL5cR1wZ6yD4sG0hJ2eU8p");
    world.write("leak.md", format!("Use {token}.\n"));
    yes(&world, &["convert", "leak.md"])
        .fails("E-ADOPT-001", 1)
        .says("T0-HEFESTO-11.secret")
        .never_says(token)
        .changes_nothing();
    world.write("sort.md", "Sort the mail.\n");
    yes(&world, &["convert", "sort.md"]).is(0);
    world.write("sort.md", "Sort the post.\n");
    yes(&world, &["convert", "sort.md"]).fails("E-CREATE-003", 3);
    yes(&world, &["convert", "sort.md", "--on-collision", "overwrite"]).is(0);
    assert!(world.skill(".gemini/skills/sort").contains("Sort the post."));
}

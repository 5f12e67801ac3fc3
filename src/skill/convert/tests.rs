//! Sources as people write them, and the skills they become.

use super::*;

fn made(path: &str, text: &str) -> (String, Converted) {
    let converted = convert(path, text).unwrap();
    (converted.tree.text("SKILL.md").unwrap().to_owned(), converted)
}

#[test]
fn a_path_tells_the_kind_and_gives_the_name() {
    for (path, kind, name) in [
        ("p/.claude/commands/git/commit.md", SourceKind::Command, "git-commit"),
        (".cursor/rules/React Rules.mdc", SourceKind::Rule, "react-rules"),
        ("/h/.gemini/commands/plan.toml", SourceKind::TomlCommand, "plan"),
        ("/h/.codex/prompts/draftpr.md", SourceKind::Command, "draftpr"),
        (".github/instructions/ts.instructions.md", SourceKind::Instructions, "ts"),
        (".github/copilot-instructions.md", SourceKind::Instructions, "copilot-instructions"),
        (".github/prompts/review.prompt.md", SourceKind::Prompt, "review"),
        ("elsewhere/deep/fix.md", SourceKind::Command, "fix"),
    ] {
        assert_eq!(SourceKind::of(path), Some(kind), "{path}");
        assert_eq!(kind.name(path).map(|name| name.to_string()).as_deref(), Some(name), "{path}");
    }
    assert_eq!(SourceKind::of("notes.txt"), None);
}

#[test]
fn a_head_that_is_no_yaml_is_read_line_by_line() {
    let (text, converted) = made(
        "a.mdc",
        "---\ndescription: Tests: how\nglobs: *.ts,src/**/*.{js,jsx}\nalwaysApply: false\n---\nWrite them.\n",
    );
    assert!(
        text.contains("description: \"Tests: how. Use when working on files that match *.ts, src/**/*.{js,jsx}.\""),
        "{text}"
    );
    assert!(
        text.contains("Applies to files that match `*.ts`, `src/**/*.{js,jsx}`.") && text.ends_with("Write them.\n")
    );
    assert_eq!((converted.tree.len(), converted.notes.len()), (1, 0));
}

#[test]
fn what_has_no_place_is_kept_with_the_whole_file() {
    let source = "---\ndescription: Fix it.\nmodel: opus\nallowed-tools: [Read, Bash(git diff:*)]\nargument-hint: [issue]\n---\n\n## Context\n\n- Diff: !`git diff`\n\nFix $ARGUMENTS now!\n";
    let (text, converted) = made("fix.md", source);
    assert!(
        text.contains("allowed-tools: \"Read, Bash(git diff:*)\"") && text.contains("- Diff: `git diff`"),
        "{text}"
    );
    assert!(
        text.contains("Input: $ARGUMENTS (arguments: issue)")
            || text.contains("Input: $ARGUMENTS (arguments: [issue])"),
        "{text}"
    );
    assert!(text.contains("Run first, and go on with what is printed: `git diff`.\n"), "{text}");
    assert!(!converted.notes.iter().any(|note| note.contains("Claude")), "{:?}", converted.notes);
    assert_eq!(converted.tree.text("references/original.md"), Some(source));
    assert!(converted.notes.iter().any(|note| note.contains("`model`")), "{:?}", converted.notes);
}

#[test]
fn a_toml_prompt_keeps_its_lines_and_its_shell() {
    let (text, converted) =
        made("c.toml", "description = \"Plan\"\nprompt = \"\"\"\nPlan {{args}}.\n\n!{git log -3}\n\"\"\"\n");
    assert!(
        text.contains("Plan $ARGUMENTS.\n\n!{git log -3}\n")
            && text.contains("stands for what the command in it prints"),
        "{text}"
    );
    assert_eq!(converted.tree.len(), 1);
    assert!(convert("c.toml", "description = \"x\"").unwrap_err().contains("prompt"));
    assert!(convert("c.toml", "no toml").is_err() && convert("e.md", "---\na: b\n---\n").is_err());
}

#[test]
fn named_placeholders_of_codex_are_explained() {
    let (text, _) = made("/h/.codex/prompts/pr.md", "Draft a PR for $FILES with $ARGUMENTS, $FILES.\n");
    assert!(
        text.contains("`$FILES` stands for what the input gives as `FILES=...`; ask for what is missing."),
        "{text}"
    );
    assert!(!made("p/.claude/commands/pr.md", "Look in $HOME.\n").0.contains("stands for"));
}

#[test]
fn a_skill_is_not_made_of_a_skill() {
    assert!(
        convert("/p/x/SKILL.md", "---\nname: x\n---\nText.\n").unwrap_err().contains("hefesto adopt /p/x/SKILL.md")
    );
}

#[test]
fn a_long_source_is_a_reference_and_a_long_description_is_cut_and_kept() {
    let long = "Do this and that.\n".repeat(600);
    let (text, converted) = made("long.md", &long);
    assert!(
        text.contains("Read `references/original.md`") && converted.tree.text("references/original.md") == Some(&long)
    );
    let words = "word ".repeat(300);
    let (text, _) = made("d.md", &format!("---\ndescription: {words}\n---\nText.\n"));
    assert!(text.lines().nth(2).unwrap().len() < 1060 && text.contains(words.trim()), "{text}");
}

#[test]
fn the_description_is_made_of_what_is_there() {
    assert!(
        made("a-b.md", "# Check the mail\n\nText.\n").0.contains("\"Check the mail. Use when the user asks for a b.\"")
    );
    assert!(made("a-b.md", "Check it now. Then go.\n").0.contains("\"Check it now. Use when the user asks for a b.\""));
    assert!(
        made("r.mdc", "---\nalwaysApply: true\n---\nBe kind.\n")
            .0
            .contains("\"Be kind. Use for every task in this project.\"")
    );
    let joke = made("joke.md", "Tell a joke about $ARGUMENTS.\n").0;
    assert!(joke.contains("\"Tell a joke about the input. Use when the user asks for joke.\""), "{joke}");
    assert!(joke.contains("Tell a joke about $ARGUMENTS.\n"));
    for path in [".github/copilot-instructions.md", "p/.cursorrules"] {
        let (text, _) = made(path, "Use tabs.\n");
        assert!(text.contains("\"Use tabs. Use for every task in this project.\""), "{text}");
    }
}

#[test]
fn what_an_editor_fills_in_is_explained() {
    let (text, _) = made(".github/prompts/tests.prompt.md", "Make tests for ${selection}.\n");
    assert!(text.contains("`${selection}` and `${file}` stand for"), "{text}");
    assert!(!made("a.prompt.md", "Make tests.\n").0.contains("${selection}"));
}

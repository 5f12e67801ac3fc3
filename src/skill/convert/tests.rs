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
    let source = "---\ndescription: Tests: how\nglobs: *.ts,src/**/*.{js,jsx}\nalwaysApply: false\n---\nWrite them.\n";
    let (text, converted) = made("a.mdc", source);
    for part in [
        "description: \"Tests: how. Use when working on files that match *.ts, src/**/*.{js,jsx}.\"",
        "Applies to files that match `*.ts`, `src/**/*.{js,jsx}`.",
    ] {
        assert!(text.contains(part) && text.ends_with("Write them.\n"), "{text}");
    }
    assert_eq!((converted.tree.len(), converted.notes.len()), (1, 0));
}

#[test]
fn what_has_no_place_is_kept_with_the_whole_file() {
    let source = "---\ndescription: Fix it.\nmodel: opus\nallowed-tools: [Read, Bash(git diff:*)]\nargument-hint: \
                  [issue]\n---\n\n## Context\n\n- Diff: !`git diff`\n\nFix $ARGUMENTS now!\n";
    let (text, converted) = made("fix.md", source);
    for part in [
        "allowed-tools: \"Read, Bash(git diff:*)\"",
        "- Diff: `git diff`",
        "Input: $ARGUMENTS (arguments: issue)",
        "Run first, and go on with what is printed: `git diff`.\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(converted.tree.text("references/original.md"), Some(source));
    let noted = |part: &str| converted.notes.iter().any(|note| note.contains(part));
    assert!(noted("`model`") && !noted("Claude"), "{:?}", converted.notes);
}

#[test]
fn a_toml_prompt_keeps_its_lines_and_its_shell() {
    let source = "description = \"Plan\"\nprompt = \"\"\"\nPlan {{args}}.\n\n!{git log -3}\n\"\"\"\n";
    let (text, converted) = made("c.toml", source);
    for part in ["Plan $ARGUMENTS.\n\n!{git log -3}\n", "stands for what the command in it prints"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(converted.tree.len(), 1);
    assert!(convert("c.toml", "description = \"x\"").unwrap_err().contains("prompt"));
    assert!(convert("c.toml", "no toml").is_err() && convert("e.md", "---\na: b\n---\n").is_err());
    let error = convert("/p/x/SKILL.md", "---\nname: x\n---\nText.\n").unwrap_err();
    assert!(error.contains("hefesto adopt /p/x/SKILL.md"));
}

#[test]
fn a_long_source_is_a_reference_and_a_long_description_is_cut_and_kept() {
    let long = "Do this and that.\n".repeat(600);
    let (text, converted) = made("long.md", &long);
    assert!(text.contains("Read `references/original.md`"));
    assert_eq!(converted.tree.text("references/original.md"), Some(long.as_str()));
    let words = "word ".repeat(300);
    let (text, _) = made("d.md", &format!("---\ndescription: {words}\n---\nText.\n"));
    assert!(text.lines().nth(2).unwrap().len() < 1060 && text.contains(words.trim()), "{text}");
}

#[test]
fn the_description_is_made_of_what_is_there_and_what_a_client_fills_in_is_explained() {
    for (path, source, part) in [
        ("a-b.md", "# Check the mail\n\nText.\n", "\"Check the mail. Use when the user asks for a b.\""),
        ("a-b.md", "Check it now. Then go.\n", "\"Check it now. Use when the user asks for a b.\""),
        ("r.mdc", "---\nalwaysApply: true\n---\nBe kind.\n", "\"Be kind. Use for every task in this project.\""),
        (
            "joke.md",
            "Tell a joke about $ARGUMENTS.\n",
            "\"Tell a joke about the input. Use when the user asks for joke.\"",
        ),
        ("joke.md", "Tell a joke about $ARGUMENTS.\n", "Tell a joke about $ARGUMENTS.\n"),
        (".github/copilot-instructions.md", "Use tabs.\n", "\"Use tabs. Use for every task in this project.\""),
        ("p/.cursorrules", "Use tabs.\n", "\"Use tabs. Use for every task in this project.\""),
        (
            "/h/.codex/prompts/pr.md",
            "Draft a PR for $FILES with $ARGUMENTS, $FILES.\n",
            "`$FILES` stands for what the input gives as `FILES=...`; ask for what is missing.",
        ),
        (".github/prompts/tests.prompt.md", "Make tests for ${selection}.\n", "`${selection}` and `${file}` stand for"),
    ] {
        let (text, _) = made(path, source);
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!made("p/.claude/commands/pr.md", "Look in $HOME.\n").0.contains("stands for"));
    assert!(!made("a.prompt.md", "Make tests.\n").0.contains("${selection}"));
}

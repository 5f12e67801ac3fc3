//! `edit NAME`: the text in the person's editor, checked, shown, and written to every copy at once.

use super::{agree, insert, versions, yes};
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World};

/// A project in which the editor is this shell script; `$f` is the file.
fn with_editor(script: &str) -> World {
    let world = World::holding_the_skill();
    let editor = world.script("editor", &format!("for f; do :; done\n{script}"));
    world.set("EDITOR", &editor).at("2026-02-05T11:00:00Z");
    world
}

const MORE: &str = "printf '\\n## Added by hand\\n\\nInput again: $ARGUMENTS\\n' >> \"$f\"";

#[test]
fn what_was_edited_is_in_every_copy_and_can_be_undone() {
    let world = with_editor(MORE);
    let before = world.files();
    world.run_by(&["edit", NAME], ["approve"]).is(0).says("+## Added by hand");
    assert!(world.skill(CLAUDE).ends_with("Input again: $ARGUMENTS\n"));
    assert!(world.skill(GEMINI).ends_with("Input again: {{args}}\n"));
    assert_eq!(versions(&world, GEMINI), ["1.0.1", "1.0.1"]);
    agree(&world);
    world.nothing_left_over();
    yes(&world, &["undo"]).is(0);
    assert_eq!(world.files(), before);
    agree(&world);
}

#[test]
fn an_edit_is_no_approval_and_no_change_is_none() {
    let world = with_editor(MORE);
    let before = world.picture();
    world.run_by(&["edit", NAME], ["reject"]).is(3);
    world.run(&["edit", NAME]).fails("E-CREATE-011", 3);
    world.unchanged_since(&before);
    let kept = ".hefesto/unsaved/validate-email-addresses-2026-02-05T11-00-00.md";
    assert!(world.read(kept).ends_with("Input again: $ARGUMENTS\n"), "what was written is not lost");
    world.run(&["edit", NAME]).says(&format!("What you wrote is kept in {kept}."));
    let world = with_editor(&format!("echo 'AKIA{}' >> \"$f\"", "IOSFODNN7EXAMPLF"));
    world.run(&["edit", NAME, "--yes"]).fails("E-CREATE-005", 1).says("is not kept");
    assert!(!world.exists(".hefesto/unsaved"));
    let world = with_editor("true");
    let data = world.data(&["edit", NAME]);
    assert_eq!((data["copies"].as_array().unwrap().len(), &data["run_id"]), (0, &serde_json::Value::Null));
}

#[test]
fn without_an_editor_none_is_started_and_one_that_fails_changes_and_loses_nothing() {
    // Without an editor and a terminal none is started.
    let world = World::holding_the_skill();
    world.run(&["edit", NAME]).fails("E-EDIT-001", 1).says("no editor is named");
    // An editor that fails changes nothing and loses nothing.
    let world = with_editor("echo Typed. >> \"$f\"; exit 3");
    let kept = ".hefesto/unsaved/validate-email-addresses-2026-02-05T11-00-00.md";
    let said = world.run_by(&["edit", NAME], Person::default());
    said.fails("E-EDIT-001", 1).says(&format!("To go on with it: hefesto edit {NAME} --from {kept}"));
    assert!(world.read(kept).ends_with("\nTyped.\n"), "{}", world.read(kept));
    said.changes_nothing();
    world.script("editor", "for f; do :; done\necho More. >> \"$f\"");
    yes(&world, &["edit", NAME, "--from", kept]).is(0);
    assert!(world.skill(GEMINI).ends_with("\nTyped.\nMore.\n"), "{}", world.skill(GEMINI));
    yes(&world, &["undo"]).is(0);
    let before = world.picture();
    world.set("VISUAL", "/nowhere/editor").run_by(&["edit", NAME], Person::default()).fails("E-EDIT-001", 1);
    world.unchanged_since(&before);
    world.run_by(&["edit", "nope"], Person::default()).fails("E-SKILL-001", 1);
}

#[test]
fn what_breaks_a_rule_goes_back_to_the_editor_and_its_error_names_the_text_that_was_typed() {
    // A text that breaks a rule goes back to the editor.
    let script = "if test -e \"$0.once\"; then sed -i 's/^describe:/description:/' \"$f\"; echo Fine. >> \"$f\"\n\
                  else touch \"$0.once\"; sed -i 's/^description:/describe:/' \"$f\"; fi";
    let world = with_editor(script);
    world.run_by(&["edit", NAME], ["retry-edit", "approve"]).is(0);
    assert!(world.skill(GEMINI).ends_with("Fine.\n"));
    let world = with_editor("sed -i 's/^description:/describe:/' \"$f\"");
    let before = world.picture();
    world.run_by(&["edit", NAME], ["abort"]).fails("E-CREATE-005", 1);
    world.run(&["edit", NAME, "--yes"]).fails("E-CREATE-005", 1);
    world.unchanged_since(&before);
    // An error names the text that was typed and not a copy.
    let world = with_editor("sed -i 's/^description: .*/description: \"open/' \"$f\"");
    let kept = ".hefesto/unsaved/validate-email-addresses-2026-02-05T11-00-00.md";
    let said = world.run(&["edit", NAME, "--yes"]);
    said.fails("E-CREATE-005", 1).says(&format!("{kept}:4:"));
    said.never_says(&format!("{CLAUDE}/SKILL.md"));
    assert!(world.read(kept).contains("description: \"open\n"));
    world.script("editor", "for f; do :; done\nsed -i 's/^description: .*/description: \"other/' \"$f\"");
    world.run(&["edit", NAME, "--yes"]).fails("E-CREATE-005", 1).says("11-00-00-2.md:4:");
    assert!(world.read(kept).contains("description: \"open\n"), "the first is still there");
    let said = world.run_by(&["edit", NAME], ["abort"]);
    said.fails("E-CREATE-005", 1).says(" SKILL.md:4:").never_says(&format!("{CLAUDE}/SKILL.md"));
}

#[test]
fn edits_that_go_together_are_in_the_text_and_others_are_brought_together_first() {
    let world = with_editor("grep -q 'From claude.' \"$f\" || exit 9\necho Fine. >> \"$f\"");
    insert(&world, CLAUDE, "## Steps", "From claude.");
    yes(&world, &["edit", NAME]).is(0);
    assert!(world.skill(GEMINI).contains("From claude.") && world.skill(GEMINI).ends_with("Fine.\n"));
    agree(&world);
    insert(&world, CLAUDE, "## Steps", "One.");
    insert(&world, GEMINI, "## Steps", "Other.");
    let said = world.run_by(&["edit", NAME], Person::default());
    said.fails("E-SYNC-001", 3).says(&format!("hefesto sync {NAME}")).changes_nothing();
}

#[test]
fn an_editor_begins_at_the_first_question_and_an_edited_description_is_in_the_second_file_too() {
    // A known editor begins at the first open question.
    let world = World::two();
    let made = world.create(&["Sort the mail of the office", "--name", "sort-mail", "--yes"]).ok();
    assert!(made.out.contains("hefesto edit sort-mail (fill in the"), "{}", made.out);
    world.script("vim", "echo \"$1\" > \"$0.line\"\nsed -i 's/\\[FILL IN: [^]]*\\]/Done./' \"$2\"");
    let all = world.skill(".claude/skills/sort-mail");
    let line = all.lines().position(|line| line.contains("[FILL IN: ")).unwrap() + 1;
    world.set("EDITOR", "vim");
    yes(&world, &["edit", "sort-mail"]).is(0);
    assert_eq!(std::fs::read_to_string(world.outside().join("bin/vim.line")).unwrap(), format!("+{line}\n"));
    assert!(!world.skill(".gemini/skills/sort-mail").contains("[FILL IN: "));
    // A description that was edited is in the second file too.
    let world = with_editor(
        "sed -i 's/^description: .*/description: \"Checks addresses. Use when asked to check email addresses.\"/' \"$f\"",
    );
    yes(&world, &["edit", NAME, "--bump", "none"]).is(0);
    assert!(world.read(&format!("{GEMINI}/metadata.yaml")).contains("description: \"Checks addresses. Use"));
    assert_eq!(versions(&world, CLAUDE), ["1.0.0", "1.0.0"]);
    world.create(&[EMAIL, "--dry-run"]).is(0);
}

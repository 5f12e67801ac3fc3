//! `edit` at the gate: the person's own editor, checked again, asked again.

use hefesto::terminal::prompt::Answer;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World};

const GATE: &str = "Write this?";
const AFTER: &str = "What now?";

/// A project in which `edit` opens this shell script; `$f` is the file.
fn with_editor(script: &str) -> World {
    let world = World::two();
    let editor = world.script("editor", &format!("for f; do :; done\n{script}"));
    world.set("EDITOR", &editor);
    world
}

const MORE: &str = "printf '\\n## Added by hand\\n\\nWords of a person.\\n' >> \"$f\"";
const EMPTY_DESCRIPTION: &str = "sed -i 's/^description:.*/description: \"\"/' \"$f\"";

#[test]
fn a_changed_body_is_in_every_copy_and_no_approval() {
    // An edit is no approval.
    for (person, exit) in [
        (Person::saying(&["edit", "reject"]), 3),
        (Person::saying(&["edit"]), 3),
        (Person::saying(&["edit"]).ends(Answer::TimedOut), 4),
        (Person::saying(&["edit"]).ends(Answer::Signal(2)), 130),
    ] {
        let world = with_editor(MORE);
        world.create_by(&[EMAIL], person).is(exit).changes_nothing();
    }
    // A changed body is in every copy.
    let world = with_editor(MORE);
    let said = world.create_by(&[EMAIL], ["edit", "approve"]).ok();
    assert_eq!(said.times(GATE), 2, "what was edited is shown and asked about again");
    for at in [CLAUDE, GEMINI] {
        assert!(world.skill(at).ends_with("## Added by hand\n\nWords of a person.\n"));
    }
    assert!(world.skill(GEMINI).contains("{{args}}"));
    assert_eq!(world.state("P4")["human_gate_response"], "approve");
    world.nothing_left_over();
}

#[test]
fn the_editor_may_have_arguments_and_gets_a_markdown_file_outside_every_skill() {
    let world = World::two();
    let editor = world.script(
        "my editor",
        "test \"$1\" = -w && test $# = 2 || exit 9\ncase \"$2\" in */skills/*) exit 9;; */skill.md) ;; *) exit 9;; esac\n\
         echo waited >> \"$2\"",
    );
    // VISUAL comes first.
    world.set("EDITOR", "/nowhere/editor").set("VISUAL", &format!("'{editor}' -w"));
    world.create_by(&[EMAIL], ["edit", "approve"]).is(0).never_says("did not work");
    assert!(world.skill(CLAUDE).ends_with("waited\n"));
    let world = with_editor("true");
    let said = world.create_by(&[EMAIL], ["edit", "approve"]);
    said.is(0).says("Unchanged.");
    assert_eq!(said.times(GATE), 2);
}

#[test]
fn what_was_typed_in_an_editor_that_failed_is_there_in_the_next_try() {
    let world = with_editor("echo \"Typed.\" >> \"$f\"\ntest -e \"$0.once\" || { touch \"$0.once\"; exit 3; }");
    let said = world.create_by(&[EMAIL], ["edit", "retry-edit", "approve"]);
    said.is(0).says("failed (exit status: 3). What you wrote is kept");
    let text = world.skill(CLAUDE);
    assert!(text.ends_with("Typed.\nTyped.\n"), "{text}");
}

#[test]
fn a_missing_or_failing_editor_goes_back_to_the_gate() {
    let world = World::two();
    for (editor, why) in [
        ("/nowhere/editor --wait", "the editor `/nowhere/editor` was not found"),
        ("'unclosed", "the editor's command line `'unclosed` cannot be read"),
        ("false", "the editor `false` failed (exit status: 1)"),
    ] {
        let said = world.set("EDITOR", editor).create_by(&[EMAIL], ["edit", "reject"]);
        said.fails("E-CREATE-011", 3).says(&format!("Nothing was edited: {why}"));
        assert_eq!(said.err.matches("editor `").count(), usize::from(editor != "'unclosed"), "it is said once");
        said.changes_nothing();
    }
}

#[test]
fn an_invalid_edit_can_be_tried_again_from_where_it_was() {
    let script = "if grep -q '^description: \"\"' \"$f\"; then\n\
                  sed -i 's/^description: \"\"/description: \"Checks addresses. Use when a form has one.\"/' \"$f\"\n\
                  else sed -i 's/^description:.*/description: \"\"/' \"$f\"; echo kept >> \"$f\"; fi";
    let world = with_editor(script);
    world.create_by(&[EMAIL], ["edit", "retry-edit", "approve"]).is(0);
    let text = world.skill(GEMINI);
    assert!(text.contains("Checks addresses. Use when a form has one.") && text.ends_with("kept\n"), "{text}");
    assert!(world.read(&format!("{GEMINI}/metadata.yaml")).contains("Checks addresses."));
}

#[test]
fn an_invalid_edit_names_every_error_and_can_be_aborted_or_discarded() {
    // An invalid edit can be aborted.
    let world = with_editor(EMPTY_DESCRIPTION);
    world.create_by(&[EMAIL], ["edit", "abort"]).fails("E-CREATE-010", 3).says("no changes made").changes_nothing();
    assert_eq!(world.logged()["decision"], "edit_abort");
    // An invalid edit and nobody writes nothing.
    world.create_by(&[EMAIL], ["edit"]).fails("E-CREATE-011", 3).changes_nothing();
    // An invalid edit names every error and can be discarded.
    let said = world.create_by(&[EMAIL], ["edit", "", "perhaps", "discard-changes", "approve"]);
    said.is(0)
        .says("ERROR [E-CREATE-005]")
        .says("description")
        .says("discard-changes  go back to the gate with the text as it was");
    assert_eq!((said.times(AFTER), said.times(GATE)), (3, 2));
    assert_eq!(said.questions(AFTER)[0].choices, ["retry-edit", "discard-changes", "abort"]);
    assert!(world.skill(CLAUDE).contains("description: \"Validates email addresses"));
}

#[test]
fn a_secret_a_broken_frontmatter_and_a_name_that_is_none_are_refused() {
    for (script, said) in [
        ("echo 'key: AKIAQ3EGRZ7XPLMNTVWS' >> \"$f\"", "T0-HEFESTO-11.secret"),
        ("echo 'no frontmatter any more' > \"$f\"", "ERROR [E-CREATE-005]"),
        ("sed -i 's|^name:.*|name: ../../escape|' \"$f\"", "E-CREATE-005"),
        ("sed -i 's|^name:.*|name: Bad_Name|' \"$f\"", "E-CREATE-005"),
        ("sed -i 's|^name:.*|name: a--b|' \"$f\"", "E-CREATE-005"),
    ] {
        let world = with_editor(script);
        let refused = world.create_by(&[EMAIL], ["edit", "abort"]);
        refused.fails("E-CREATE-010", 3).says(said).never_says("AKIAQ3EGRZ7XPLMNTVWS").changes_nothing();
    }
}

#[test]
fn a_new_name_moves_directory_and_sidecar() {
    let world = with_editor("sed -i 's/^name:.*/name: check-addresses/' \"$f\"");
    assert_eq!(world.create_by(&[EMAIL, "--json"], ["edit", "approve"]).data()["name"], "check-addresses");
    assert!(world.read(".claude/skills/check-addresses/metadata.yaml").contains("name: \"check-addresses\""));
    assert!(!world.exists(CLAUDE));
    assert!(world.read("MEMORY.md").contains("| check-addresses |") && !world.read("MEMORY.md").contains(NAME));
}

#[test]
fn a_new_name_that_exists_is_a_collision() {
    let world = with_editor("sed -i 's/^name:.*/name: taken/' \"$f\"");
    world.write(".claude/skills/taken/SKILL.md", "mine");
    world.create_by(&[EMAIL], ["edit", "cancel"]).fails("E-CREATE-013", 3).says("Skill taken exists").changes_nothing();
    world.create_by(&[EMAIL], ["edit", "rename", "free", "approve"]).is(0);
    assert!(world.exists(".claude/skills/free/SKILL.md"));
    assert_eq!(world.skill(".claude/skills/taken"), "mine");
}

#[test]
fn four_rounds_of_editing_leave_the_first_checkpoint_readable() {
    let world = with_editor(MORE);
    world.create_by(&[EMAIL], ["edit", "edit", "edit", "edit", "approve"]).is(0);
    assert_eq!(world.state("P0")["standards_loaded"], 11);
    assert_eq!(world.state("P1")["description"], EMAIL);
    world.run(&["memory", "ring", "verify"]).is(0);
}

#[test]
fn in_a_project_that_is_new_the_desk_is_elsewhere_and_goes_too() {
    let world = World::bare(&["claude"]);
    let editor = world.script("editor", "echo by hand >> \"$1\"");
    world.set("EDITOR", &editor);
    world.create_by(&[EMAIL], ["yes", "edit", "approve"]).is(0);
    assert!(world.skill(CLAUDE).ends_with("by hand\n"));
    world.nothing_left_over();
}

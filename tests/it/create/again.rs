//! What was given and cannot be used is asked for again where a person is there; everything else that was given stays.

use hefesto::terminal::prompt::Answer;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World};

const RULE: &str = "Refuse addresses of example.org";

/// A project with a file for the body and one for a resource.
fn with_files() -> World {
    let world = World::two();
    world.write("body.md", format!("## Rules\n\n- {RULE}\n"));
    world.write("check.sh", "#!/bin/sh\n");
    world
}

#[test]
fn only_what_cannot_be_used_is_asked_for_again() {
    for (wrong, code, question, answer) in [
        (["--target", "nope"], "E-CREATE-004", "Other targets, comma separated (Enter: stop)", "claude"),
        (["--name", "Not A Name"], "ERR-007", "Another name (Enter: stop)", NAME),
        (["--body", "gone.md"], "E-IO-001", "Another file with the instructions (Enter: stop)", "body.md"),
        (["--resource", "scripts:gone.sh"], "E-IO-001", "Another resource KIND:PATH (Enter: stop)", "scripts:check.sh"),
        (["--template", "nope"], "E-CREATE-008", "Another template (Enter: stop)", "base"),
        (["--pack", "nope"], "E-CREATE-008", "Other packs, comma separated, or `none` (Enter: stop)", "none"),
        (["--source", "nope"], "E-USAGE-001", "Another source (Enter: stop)", "https://www.rfc-editor.org/rfc/rfc5322"),
        (["--answer", "nope"], "E-USAGE-001", "Another answer KEY=TEXT (Enter: stop)", "house=Only ours"),
        (["--from", "gone.md"], "E-IO-001", "Another file (Enter: stop)", "body.md"),
    ] {
        let world = with_files();
        let given = ["--body", "body.md", "--resource", "scripts:check.sh", "--target", "claude"];
        let given = given.chunks(2).filter(|pair| pair[0] != wrong[0]).flatten().copied();
        let args: Vec<&str> = [EMAIL].into_iter().chain(wrong).chain(given).collect();
        let said = world.create_by(&args, [answer, "approve"]);
        said.is(0).says(&format!("[{code}]"));
        assert_eq!(said.times(question), 1, "{wrong:?}\n{}", said.err);
        assert!(world.read(&format!("{CLAUDE}/SKILL.md")).contains(RULE), "{wrong:?}");
        assert!(world.exists(&format!("{CLAUDE}/scripts/check.sh")) && !world.exists(GEMINI), "{wrong:?}");
    }
}

#[test]
fn a_second_mistake_is_asked_about_too_and_enter_ends_with_the_last_one() {
    let world = World::two();
    let said = world.create_by(&[EMAIL, "--target", "nope"], ["neither", "claude", "approve"]);
    said.is(0).says("unknown target: nope").says("unknown target: neither");
    let said = world.create_by(&[EMAIL, "--name", "Not A Name"], ["Nor This", ""]);
    said.fails("ERR-007", 1).says("Nor This").changes_nothing();
}

#[test]
fn a_description_that_no_name_can_be_made_of_asks_for_the_name() {
    let world = World::two();
    world.create_by(&["日本語", "--target", "claude"], ["japanese-text", "approve"]).is(0).says("[E-CREATE-002]");
    assert!(world.exists(".claude/skills/japanese-text/SKILL.md"));
}

#[test]
fn nobody_a_file_of_answers_and_yes_are_asked_nothing() {
    let args = [EMAIL, "--target", "nope"];
    for person in [Person::nobody(), Person::saying(&[])] {
        let world = World::two();
        let said = world.create_by(&[&args[..], &["--yes"]].concat(), person);
        assert!(said.fails("E-CREATE-004", 1).asked.is_empty());
    }
    let world = World::two();
    world.write("answers", "claude\napprove\n");
    let said = world.create(&[&args[..], &["--answers", "answers"]].concat());
    assert!(said.fails("E-CREATE-004", 1).asked.is_empty());
    let world = World::two();
    assert!(world.create_by(&[&args[..], &["--json"]].concat(), Person::saying(&[])).is(1).asked.is_empty());
}

#[test]
fn silence_loses_nothing_that_was_typed() {
    let world = with_files();
    let args = [EMAIL, "--body", "body.md", "--name", "mail", "--target", "nope"];
    world.create_by(&args, Person::default().ends(Answer::TimedOut)).is(4);
    world.run_by(&["resume"], ["claude", "continue", "approve"]).is(0);
    assert!(world.read(".claude/skills/mail/SKILL.md").contains(RULE));
}

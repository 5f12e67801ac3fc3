//! `add NAME --target LIST`: the author's text, not a fresh one, for one more client.

use super::{insert, states, text, yes};
use crate::support::world::{CLAUDE, EMAIL, NAME, World};

const QWEN: &str = ".qwen/skills/validate-email-addresses";

#[test]
fn the_present_text_is_installed_in_the_clients_way_and_registered() {
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "Take $ARGUMENTS.");
    yes(&world, &["sync"]).is(0);
    let before = (world.files(), world.rows());
    world.at("2026-02-05T11:00:00Z").run_by(&["add", NAME, "--target", "qwen"], ["approve"]).is(0);
    assert!(text(&world, QWEN).contains("Take {{args}}."));
    assert_eq!(states(&world, NAME), ["claude same", "gemini same", "qwen same"]);
    assert!(world.rows().iter().any(|row| row.contains("claude, gemini, qwen")), "{:?}", world.rows());
    yes(&world, &["adapt", NAME, "--target", "qwen"]).is(0);
    yes(&world, &["undo"]).is(0);
    assert_eq!((world.files(), world.rows()), before);
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
}

#[test]
fn copies_that_differ_are_brought_together_first() {
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "From claude.");
    let before = world.picture();
    yes(&world, &["add", NAME, "--target", "qwen"]).fails("E-ADD-001", 1);
    yes(&world, &["add", NAME, "--target", "nope"]).fails("E-CREATE-004", 1);
    yes(&world, &["add", "nope", "--target", "qwen"]).fails("E-SKILL-001", 1);
    yes(&world, &["add", NAME, "--target", "agents"]).fails("E-CREATE-004", 1);
    world.unchanged_since(&before);
}

#[test]
fn the_only_copy_may_be_edited_and_its_edit_is_what_is_added() {
    let world = World::with(&["claude"]);
    world.create(&["Sort the mail", "--yes"]).is(0);
    let file = ".claude/skills/sort-mail/SKILL.md";
    world.write(file, format!("{}\nMine.\n", world.read(file)));
    yes(&world, &["add", "sort-mail", "--target", "codex"]).is(0);
    assert_eq!(world.read(".codex/skills/sort-mail/SKILL.md"), world.read(file));
    assert_eq!(states(&world, "sort-mail"), ["claude edited", "codex same"]);
    yes(&world, &["sync"]).is(0);
    assert_eq!(states(&world, "sort-mail"), ["claude same", "codex same"]);
}

#[test]
fn a_creation_for_one_more_client_says_that_the_present_text_can_be_added() {
    let world = World::holding_the_skill();
    let args = [EMAIL, "--target", "qwen", "--dry-run"];
    world.create(&args).is(0).says(&format!("hefesto add {NAME} --target qwen"));
    world.create(&[EMAIL, "--target", "claude", "--dry-run"]).is(0).never_says("hefesto add");
    world.create(&["Sort the mail", "--dry-run"]).is(0).never_says("hefesto add");
}

#[test]
fn the_copies_that_are_in_the_way_of_the_shared_directory_are_deleted_by_the_command_that_is_named() {
    let world = World::holding_the_skill();
    yes(&world, &["add", NAME, "--target", "codex"]).is(0);
    let said = yes(&world, &["add", NAME, "--target", "agents"]);
    said.says("gemini, codex also read the shared directory").says(&format!("delete {NAME} --cli gemini,codex`"));
    yes(&world, &["delete", NAME, "--cli", "gemini,codex"]).is(0);
    yes(&world, &["add", NAME, "--target", "agents"]).is(0);
}

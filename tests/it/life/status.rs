//! `status`: each copy by what has become of it; `list --check-sync` and `validate` say the same.

use std::fs;

use serde_json::json;

use super::{insert, states, yes};
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, World};

#[test]
fn what_was_just_installed_is_the_same_and_edited_copies_do_not_agree() {
    // What was just installed is the same and reading writes nothing.
    let world = World::holding_the_skill();
    let before = world.picture();
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    let data = world.data(&["status"]);
    let copy = &data["skills"][0]["copies"][1];
    assert_eq!((&copy["path"], &copy["version"], &copy["action"]), (&json!(GEMINI), &json!("1.0.0"), &json!(null)));
    world.run(&["status", "--check"]).ok().shows("1 skill, 2 copies: all as they were installed.");
    world.unchanged_since(&before);
    // A folder of somebody else that is no skill can be removed as it is said.
    world.write(&format!(".qwen/skills/{NAME}/notes.txt"), "Notes.\n");
    let command = format!("hefesto delete {NAME} --cli qwen");
    for words in [&["status"][..], &["adopt", NAME]] {
        let said = world.run(words);
        assert!(
            [&said.out, &said.err].iter().any(|text| text.contains(&command)),
            "{words:?}: {}{}",
            said.out,
            said.err
        );
    }
    let words: Vec<&str> = command.split(' ').skip(1).chain(["--yes"]).collect();
    world.run(&words).is(0);
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    // The list and the check do not say that edited copies agree.
    let world = World::holding_the_skill();
    insert(&world, GEMINI, "## Steps", "Read the RFC first.");
    let drift = world.data(&["list", "--check-sync"])["drift"].clone();
    assert_eq!((&drift[0]["kind"], &drift[0]["cli"]), (&json!("edited_skill"), &json!("gemini")));
    world.run(&["list", "--check-sync"]).never_says("They agree");
    world.run(&["validate", NAME]).is(0).says("WARN-003").says("for gemini was edited since it was installed");
    // Several edits are to be merged.
    insert(&world, CLAUDE, "## Steps", "From claude.");
    insert(&world, GEMINI, "## Steps", "From gemini.");
    let said = world.run(&["status"]);
    assert_eq!(said.out.matches(&format!("`hefesto sync {NAME}` merges the edits")).count(), 1, "{}", said.out);
}

#[test]
fn every_state_is_told_apart_and_says_what_to_do() {
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "Read the RFC first.");
    assert_eq!(states(&world, NAME), ["claude edited", "gemini same"]);
    let said = world.run(&["status", "--check"]).exits(1);
    said.shows("was edited since it was installed (version 1.0.0)");
    said.shows(&format!("hefesto sync {NAME}"));

    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    assert_eq!(states(&world, NAME), ["claude edited", "gemini missing"]);

    let broken = world.skill(CLAUDE).replace("description: ", "describe: ");
    world.write_skill(CLAUDE, broken);
    assert_eq!(states(&world, NAME), ["claude invalid", "gemini missing"]);

    world.write(".gemini/skills/by-hand/SKILL.md", "---\nname: by-hand\ndescription: Made by hand.\n---\nText.\n");
    assert_eq!(states(&world, "by-hand"), ["gemini foreign"]);
    world.run(&["status", "nope"]).fails("E-SKILL-001", 1);
    world.run(&["status", "by-hant"]).says("Did you mean `by-hand`?");
}

#[test]
fn a_copy_installed_in_an_older_version_is_outdated() {
    let world = World::holding_the_skill();
    world.write("body.md", "Read RFC 5321 first.\n");
    let args = [EMAIL, "--target", "claude", "--on-collision", "overwrite", "--body", "body.md", "--yes"];
    world.at("2026-02-05T11:00:00Z").create(&args).is(0);
    assert_eq!(states(&world, NAME), ["claude same", "gemini outdated"]);
    yes(&world, &["sync", NAME]).is(0);
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    assert!(world.skill(GEMINI).contains("Read RFC 5321 first."));
}

#[test]
fn what_was_installed_is_known_from_the_copies_where_the_memory_is_lost() {
    let world = World::holding_the_skill();
    for file in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let _ = fs::remove_file(world.path(&format!(".hefesto/{file}")));
    }
    fs::remove_dir_all(world.path(".hefesto/objects")).unwrap();
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"], "they agree");
    world.run(&["status"]).shows("`hefesto adopt --all` records what is there");
    insert(&world, CLAUDE, "## Steps", "Read the RFC first.");
    assert_eq!(states(&world, NAME), ["claude edited", "gemini edited"], "which of the two, nobody knows");
    yes(&world, &["sync", NAME, "--from", "claude"]).is(0);
    super::agree(&world);
}

#[test]
fn objects_are_private_ignored_by_git_and_given_up_beyond_the_limit() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::holding_the_skill();
    let objects = || fs::read_dir(world.path(".hefesto/objects")).unwrap().count();
    assert_eq!(objects(), 2);
    for entry in fs::read_dir(world.path(".hefesto/objects")).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    let mode = world.path(".hefesto/objects").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(world.read(".hefesto/.gitignore").starts_with("*\n"));
    assert!(!world.read(".hefesto/.gitignore").contains("objects"));
    world.write(".hefesto/config.toml", "[history]\nversions = 2\n");
    for hour in 11..15 {
        insert(&world, CLAUDE, "## Steps", &format!("Line of {hour}."));
        yes(world.at(&format!("2026-02-05T{hour}:00:00Z")), &["sync", NAME]).is(0);
    }
    assert_eq!(objects(), 4, "two versions of two copies");
    super::agree(&world);
}

#[test]
fn after_a_clone_what_is_there_is_recorded_by_one_command() {
    let world = World::holding_the_skill();
    fs::remove_dir_all(world.path(".hefesto")).unwrap();
    yes(&world, &["adopt", "--all"]).is(0);
    let said = world.run(&["status"]);
    assert!(!said.out.contains("adopt --all"), "{}", said.out);
    insert(&world, CLAUDE, "## Steps", "Read the RFC first.");
    assert_eq!(states(&world, NAME), ["claude edited", "gemini same"]);
    yes(world.at("2026-02-05T11:00:00Z"), &["sync"]).is(0);
    super::agree(&world);
}

#[test]
fn a_copy_that_was_skipped_and_says_the_same_is_no_difference() {
    let world = World::two();
    world.create(&[EMAIL, "--target", "claude", "--yes"]).is(0);
    world.at("2026-02-05T11:00:00Z");
    world.create(&[EMAIL, "--target", "claude,gemini", "--on-collision", "skip", "--yes"]).is(0);
    assert_ne!(world.read(&format!("{CLAUDE}/metadata.yaml")), world.read(&format!("{GEMINI}/metadata.yaml")));
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    world.run(&["status"]).shows("all as they were installed.");
    world.run(&["show", NAME]).shows("(claude, gemini)");
    world.run(&["diff", NAME]).shows("No difference.");
    world.run(&["sync", NAME]).is(0).shows("nothing to do");
}

#[test]
fn copies_installed_with_different_texts_are_told_as_that_by_every_command() {
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "From claude.");
    yes(&world, &["delete", NAME]).is(0);
    yes(&world, &["restore", NAME]).is(0);
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    world.run(&["status"]).shows("all as they were installed, one with copies that differ.");
    world.run(&["diff", NAME]).shows("claude -> gemini").shows("-From claude.");
    world.run(&["sync"]).shows(&format!("`hefesto sync {NAME}` brings them together"));
}

#[test]
fn after_a_clone_copies_that_agree_but_for_their_dates_are_one_text() {
    let world = World::two();
    world.create(&[EMAIL, "--target", "claude", "--yes"]).is(0);
    world.at("2026-02-05T11:00:00Z");
    world.create(&[EMAIL, "--target", "claude,gemini", "--on-collision", "skip", "--yes"]).is(0);
    fs::remove_dir_all(world.path(".hefesto")).unwrap();
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    world.run(&["diff", NAME]).is(0).shows("No difference.");
    yes(&world, &["sync", NAME]).is(0);
    insert(&world, GEMINI, "## Steps", "From gemini.");
    assert_eq!(states(&world, NAME), ["claude same", "gemini edited"]);
}

#[test]
fn a_copy_of_somebody_else_that_differs_is_named_by_diff() {
    let world = World::two();
    world.write(&format!("{CLAUDE}/SKILL.md"), format!("---\nname: {NAME}\ndescription: By hand.\n---\nText.\n"));
    world.create(&[EMAIL, "--on-collision", "skip", "--yes"]).is(0);
    let command = format!("diff {NAME} gemini claude");
    world.run(&["diff", NAME]).is(0).shows("No difference.").shows(&command);
    world.run(&command.split(' ').collect::<Vec<_>>()).is(0).shows("Text.");
}

//! `rename OLD NEW`: folder, head, registry, links and history under the new name, in every copy or in none; and
//! `add NAME --target LIST`: the author's text, not a fresh one, for one more client.

use super::{insert, states, yes};
use crate::support::world::{CLAUDE, EMAIL, NAME, World};

const NEW: &str = "check-addresses";

fn linked() -> World {
    let world = World::holding_the_skill();
    world.create(&["Sort the mail", "--yes"]).is(0);
    let link = format!("See [the check](../{NAME}/SKILL.md).");
    insert(&world, ".claude/skills/sort-mail", "# Sort the mail", &link);
    yes(&world, &["sync", "sort-mail"]).is(0);
    world.at("2026-02-05T11:00:00Z");
    world
}

#[test]
fn the_backups_of_the_old_name_are_still_found() {
    let world = linked();
    yes(&world, &["rename", NAME, NEW]).is(0);
    let data = world.data(&["backups"]);
    assert!(data["backups"].as_array().unwrap().iter().any(|one| one["name"] == NAME), "{data}");
    let link = world.skill(".claude/skills/sort-mail");
    yes(world.at("2026-02-05T12:00:00Z"), &["restore", NAME]).is(0);
    assert!(world.exists(CLAUDE) && world.exists(&format!(".claude/skills/{NEW}")));
    assert_eq!(world.skill(".claude/skills/sort-mail"), link, "only the skill that is named comes back");
}

#[test]
fn an_edit_stays_an_edit_under_the_new_name() {
    let world = linked();
    insert(&world, CLAUDE, "## Steps", "Mine.");
    yes(&world, &["rename", NAME, NEW]).is(0);
    assert_eq!(states(&world, NEW), ["claude edited", "gemini same"]);
    yes(&world, &["sync", NEW]).is(0);
    assert!(world.skill(&format!(".gemini/skills/{NEW}")).contains("Mine."));
    assert_eq!(states(&world, NEW), ["claude same", "gemini same"]);
}

#[test]
fn everything_has_the_new_name_and_undo_brings_the_old_one_back() {
    // A name that is taken or is none is refused.
    let world = linked();
    let before = world.picture();
    yes(&world, &["rename", NAME, "sort-mail"]).fails("E-RENAME-001", 1).says("`hefesto delete sort-mail`");
    yes(&world, &["rename", NAME, NAME]).fails("E-RENAME-001", 1);
    yes(&world, &["rename", NAME, "No Name"]).fails("ERR-007", 1);
    yes(&world, &["rename", "nope", NEW]).fails("E-SKILL-001", 1);
    world.run(&["rename", NAME, NEW]).fails("E-CREATE-011", 3);
    world.unchanged_since(&before);
    let (files, rows) = (world.files(), world.rows());
    world.run_by(&["rename", NAME, NEW], ["approve"]).is(0);
    assert!(!world.exists(CLAUDE));
    assert!(world.skill(&format!(".claude/skills/{NEW}")).contains(&format!("name: \"{NEW}\"")));
    assert!(world.read(&format!(".gemini/skills/{NEW}/metadata.yaml")).contains(&format!("name: \"{NEW}\"")));
    assert!(world.skill(".gemini/skills/sort-mail").contains(&format!("(../{NEW}/SKILL.md)")));
    assert_eq!(states(&world, NEW), ["claude same", "gemini same"]);
    assert_eq!(states(&world, "sort-mail"), ["claude same", "gemini same"]);
    assert!(!world.rows().iter().any(|row| row.contains(NAME)), "{:?}", world.rows());
    assert_eq!(world.data(&["list", "--check-sync"])["drift"], serde_json::json!([]));
    world.run(&["validate"]).is(0);
    yes(world.at("2026-02-05T12:00:00Z"), &["undo"]).is(0);
    assert_eq!((world.files(), world.rows()), (files, rows));
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
    yes(world.at("2026-02-05T13:00:00Z"), &["undo"]).is(0);
    assert_eq!(states(&world, NEW), ["claude same", "gemini same"]);
    assert_eq!(world.data(&["list", "--check-sync"])["drift"], serde_json::json!([]));
}

#[test]
fn what_calls_the_skill_in_its_own_words_is_named_and_left() {
    let world = linked();
    let sort = ".claude/skills/sort-mail";
    insert(&world, sort, "# Sort the mail", &format!("First run /{NAME}."));
    world.write("AGENTS.md", format!("Use `{NAME}` for forms.\n"));
    yes(&world, &["rename", NAME, NEW]).is(0).says("WARN-003").says(&format!("{sort}/SKILL.md:")).says("AGENTS.md:1");
    assert!(world.skill(sort).contains(&format!("First run /{NAME}.")) && world.read("AGENTS.md").contains(NAME));
    yes(&world, &["rename", NEW, "check-mail-addresses"]).is(0).never_says("still called");
}

const QWEN: &str = ".qwen/skills/validate-email-addresses";

#[test]
fn the_present_text_is_installed_in_the_clients_way_and_registered() {
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "Take $ARGUMENTS.");
    yes(&world, &["sync"]).is(0);
    let before = (world.files(), world.rows());
    world.at("2026-02-05T11:00:00Z").run_by(&["add", NAME, "--target", "qwen"], ["approve"]).is(0);
    assert!(world.skill(QWEN).contains("Take {{args}}."));
    assert_eq!(states(&world, NAME), ["claude same", "gemini same", "qwen same"]);
    assert!(world.rows().iter().any(|row| row.contains("claude, gemini, qwen")), "{:?}", world.rows());
    yes(&world, &["adapt", NAME, "--target", "qwen"]).is(0);
    yes(&world, &["undo"]).is(0);
    assert_eq!((world.files(), world.rows()), before);
    assert_eq!(states(&world, NAME), ["claude same", "gemini same"]);
}

#[test]
fn the_only_copy_may_be_edited_and_its_edit_is_what_is_added() {
    let world = World::with(&["claude"]);
    world.create(&["Sort the mail", "--yes"]).is(0);
    let file = ".claude/skills/sort-mail/SKILL.md";
    world.write(file, format!("{}\nMine.\n", world.read(file)));
    yes(&world, &["add", "sort-mail", "--target", "codex"]).is(0);
    assert_eq!(world.skill(".codex/skills/sort-mail"), world.read(file));
    assert_eq!(states(&world, "sort-mail"), ["claude edited", "codex same"]);
    yes(&world, &["sync"]).is(0);
    assert_eq!(states(&world, "sort-mail"), ["claude same", "codex same"]);
}

#[test]
fn copies_that_differ_are_brought_together_first_and_a_creation_says_that_the_present_text_can_be_added() {
    // A creation for one more client says that the present text can be added.
    let world = World::holding_the_skill();
    let args = [EMAIL, "--target", "qwen", "--dry-run"];
    world.create(&args).is(0).says(&format!("hefesto add {NAME} --target qwen"));
    world.create(&[EMAIL, "--target", "claude", "--dry-run"]).is(0).never_says("hefesto add");
    world.create(&["Sort the mail", "--dry-run"]).is(0).never_says("hefesto add");
    // Copies that differ are brought together first.
    insert(&world, CLAUDE, "## Steps", "From claude.");
    let before = world.picture();
    yes(&world, &["add", NAME, "--target", "qwen"]).fails("E-ADD-001", 1);
    yes(&world, &["add", NAME, "--target", "nope"]).fails("E-CREATE-004", 1);
    yes(&world, &["add", "nope", "--target", "qwen"]).fails("E-SKILL-001", 1);
    yes(&world, &["add", NAME, "--target", "agents"]).fails("E-CREATE-004", 1);
    world.unchanged_since(&before);
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

#[test]
fn the_former_name_leads_to_the_present_one() {
    let world = World::holding_the_skill();
    yes(&world, &["rename", NAME, "check-addresses"]).is(0);
    for verb in ["show", "status", "edit", "diff"] {
        world.run(&[verb, NAME]).says("It is called `check-addresses` now");
    }
    yes(&world, &["undo"]).is(0);
    world.run(&["show", "check-addresses"]).says(&format!("It is called `{NAME}` now"));
    world.run(&["show", "check-adresses"]).never_says("now");
}

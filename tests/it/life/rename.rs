//! `rename OLD NEW`: folder, head, registry, links and history under the new name, in every copy or in none.

use super::{insert, states, text, yes};
use crate::support::world::{CLAUDE, NAME, World};

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
fn everything_has_the_new_name_and_undo_brings_the_old_one_back() {
    let world = linked();
    let (files, rows) = (world.files(), world.rows());
    world.run_by(&["rename", NAME, NEW], ["approve"]).is(0);
    assert!(
        !world.exists(CLAUDE) && text(&world, &format!(".claude/skills/{NEW}")).contains(&format!("name: \"{NEW}\""))
    );
    assert!(world.read(&format!(".gemini/skills/{NEW}/metadata.yaml")).contains(&format!("name: \"{NEW}\"")));
    assert!(text(&world, ".gemini/skills/sort-mail").contains(&format!("(../{NEW}/SKILL.md)")));
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
fn the_backups_of_the_old_name_are_still_found() {
    let world = linked();
    yes(&world, &["rename", NAME, NEW]).is(0);
    let data = world.data(&["backups"]);
    assert!(data["backups"].as_array().unwrap().iter().any(|one| one["name"] == NAME), "{data}");
    let link = text(&world, ".claude/skills/sort-mail");
    yes(world.at("2026-02-05T12:00:00Z"), &["restore", NAME]).is(0);
    assert!(world.exists(CLAUDE) && world.exists(&format!(".claude/skills/{NEW}")));
    assert_eq!(text(&world, ".claude/skills/sort-mail"), link, "only the skill that is named comes back");
}

#[test]
fn an_edit_stays_an_edit_under_the_new_name() {
    let world = linked();
    insert(&world, CLAUDE, "## Steps", "Mine.");
    yes(&world, &["rename", NAME, NEW]).is(0);
    assert_eq!(states(&world, NEW), ["claude edited", "gemini same"]);
    yes(&world, &["sync", NEW]).is(0);
    assert!(text(&world, &format!(".gemini/skills/{NEW}")).contains("Mine."));
    assert_eq!(states(&world, NEW), ["claude same", "gemini same"]);
}

#[test]
fn a_name_that_is_taken_or_is_none_is_refused() {
    let world = linked();
    let before = world.picture();
    yes(&world, &["rename", NAME, "sort-mail"]).fails("E-RENAME-001", 1).says("`hefesto delete sort-mail`");
    yes(&world, &["rename", NAME, NAME]).fails("E-RENAME-001", 1);
    yes(&world, &["rename", NAME, "No Name"]).fails("ERR-007", 1);
    yes(&world, &["rename", "nope", NEW]).fails("E-SKILL-001", 1);
    world.run(&["rename", NAME, NEW]).fails("E-CREATE-011", 3);
    world.unchanged_since(&before);
}

#[test]
fn what_calls_the_skill_in_its_own_words_is_named_and_left() {
    let world = linked();
    let sort = ".claude/skills/sort-mail";
    insert(&world, sort, "# Sort the mail", &format!("First run /{NAME}."));
    world.write("AGENTS.md", format!("Use `{NAME}` for forms.\n"));
    yes(&world, &["rename", NAME, NEW]).is(0).says("WARN-003").says(&format!("{sort}/SKILL.md:")).says("AGENTS.md:1");
    assert!(text(&world, sort).contains(&format!("First run /{NAME}.")) && world.read("AGENTS.md").contains(NAME));
    yes(&world, &["rename", NEW, "check-mail-addresses"]).is(0).never_says("still called");
}

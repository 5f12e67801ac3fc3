//! `restore` of backups that hold several skills.

use std::fs;

use serde_json::json;

use super::yes;
use crate::support::world::{World, picture, write};

fn skill(name: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: Sorts mail. Use when asked to.\n---\n{body}\n")
}

/// Three skills that were adopted, and then replaced by newer ones in one run called `newer`.
fn replaced() -> World {
    let world = World::two();
    for (folder, body) in [("older", "Old."), ("newer", "New.")] {
        for name in ["sort-mail", "file-letters", "newer"] {
            let at = world.outside().join(folder).join(name);
            write(&at.join("SKILL.md"), skill(name, body));
            write(&at.join("assets/data.bin"), [0, 255, 13, 10]);
        }
    }
    yes(&world, &["adopt", "../older"]).is(0);
    yes(world.at("2026-02-05T11:00:00Z"), &["adopt", "../newer", "--on-collision", "overwrite"]).is(0);
    world.at("2026-02-05T12:00:00Z");
    world
}

fn body(world: &World, client: &str, name: &str) -> String {
    world.read(&format!(".{client}/skills/{name}/SKILL.md")).lines().last().unwrap().to_owned()
}

#[test]
fn a_collections_backup_brings_back_every_skill_in_it_in_one_run() {
    let world = replaced();
    let newer = world.files();
    let file = world.archives()[0].clone();
    assert!(file.starts_with("newer-"), "{file}");
    for what in [file.as_str(), &format!(".hefesto/backups/{file}")] {
        let said = world.run_by(&["restore", what, "--json"], ["approve"]);
        let data = said.is(0).json()["data"].clone();
        assert_eq!(data["skills"], json!(["file-letters", "newer", "sort-mail"]));
        assert_eq!(data["restored"].as_array().unwrap().len(), 6);
        for name in ["sort-mail", "file-letters", "newer"] {
            assert_eq!((body(&world, "claude", name), body(&world, "gemini", name)), ("Old.".into(), "Old.".into()));
        }
        world.run(&["status", "--check"]).is(0);
        assert!(world.data(&["restore", what])["restored"].as_array().unwrap().is_empty());
        yes(&world, &["undo"]).is(0);
        assert_eq!(world.files(), newer, "one undo takes it back");
    }
}

#[test]
fn a_skills_name_takes_that_skill_out_of_a_collections_backup() {
    let world = replaced();
    let data = world.data(&["restore", "sort-mail", "--yes"]);
    assert_eq!((&data["name"], &data["skills"]), (&json!("sort-mail"), &json!(["sort-mail"])));
    assert_eq!((body(&world, "claude", "sort-mail"), body(&world, "gemini", "newer")), ("Old.".into(), "New.".into()));
    // A skill that has the name of the collection is meant before the collection.
    assert_eq!(world.data(&["restore", "newer", "--yes"])["skills"], json!(["newer"]));
    assert_eq!(body(&world, "claude", "file-letters"), "New.");
    yes(world.at("2026-02-05T13:00:00Z"), &["delete", "file-letters"]).is(0);
    assert_eq!(world.data(&["restore", "file-letters", "--yes"])["skills"], json!(["file-letters"]));
    assert_eq!(body(&world, "claude", "file-letters"), "New.", "the newest that holds it");
}

#[test]
fn what_a_run_was_called_brings_back_all_its_archives() {
    let world = World::two();
    let many = |body: &str| {
        for number in 0..7 {
            let at = world.outside().join(format!("many/skill-{number}"));
            write(&at.join("SKILL.md"), skill(&format!("skill-{number}"), body));
            (0..90).for_each(|file| write(&at.join(format!("references/{file}.md")), body));
        }
    };
    many("Old.");
    yes(&world, &["adopt", "../many"]).is(0);
    let old = picture(&world.path(".claude"), &[]);
    many("New.");
    yes(world.at("2026-02-05T11:00:00Z"), &["adopt", "../many", "--on-collision", "overwrite"]).is(0);
    assert_eq!(world.archives().len(), 2);
    let data = world.at("2026-02-05T12:00:00Z").data(&["restore", "many", "--yes"]);
    assert_eq!(data["skills"].as_array().unwrap().len(), 7);
    assert_eq!(data["from"].as_str().unwrap().split(", ").count(), 2, "{}", data["from"]);
    assert_eq!(picture(&world.path(".claude"), &[]), old);
}

#[test]
fn an_archive_of_several_skills_from_elsewhere_is_held_to_the_rules_and_comes_in() {
    let world = replaced();
    let file = world.archives()[0].clone();
    let given = world.outside().join("given.tar.gz");
    fs::copy(world.path(&format!(".hefesto/backups/{file}")), &given).unwrap();
    let other = World::two();
    let data = other.data(&["restore", given.to_str().unwrap(), "--yes"]);
    assert_eq!(data["skills"], json!(["file-letters", "newer", "sort-mail"]));
    assert_eq!(body(&other, "gemini", "file-letters"), "Old.");
    assert!(other.rows().iter().any(|row| row.starts_with("| sort-mail | claude, gemini |")), "{:?}", other.rows());
}

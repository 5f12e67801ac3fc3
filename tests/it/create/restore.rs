//! `restore` and `backups`: what archives hold, and how it comes back.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::only_an_approval;
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, Said, World, write};

fn restore(world: &World, what: &str) -> Said {
    world.run(&["restore", what, "--yes"])
}

/// The skill was deleted; one archive holds both copies.
fn deleted() -> World {
    let world = World::holding_the_skill();
    world.write(&format!("{CLAUDE}/notes/mine.txt"), "mine").at("2026-02-05T10:01:00Z");
    world.run(&["delete", NAME, "--yes"]).is(0);
    world
}

/// An archive beside the project with these files.
fn packed(world: &World, name: &str, files: &[&str]) -> String {
    let dir = world.outside().join("packed");
    for file in files {
        write(&dir.join(file), "---\nname: x\n---\n");
    }
    let archive = world.outside().join(name);
    let roots: Vec<&str> = files.iter().map(|file| file.rsplit_once('/').unwrap().0).collect();
    let tar = Command::new("tar").arg("-czf").arg(&archive).arg("-C").arg(&dir).args(roots).status().unwrap();
    assert!(tar.success());
    archive.to_str().unwrap().to_owned()
}

#[test]
fn by_name_by_file_and_from_outside() {
    for way in 0..4 {
        let world = deleted();
        let archive = world.archives()[0].clone();
        let outside = world.outside().join("kept.tar.gz");
        fs::copy(world.path(&format!(".hefesto/backups/{archive}")), &outside).unwrap();
        let what = match way {
            0 => NAME.to_owned(),
            1 => archive,
            2 => format!(".hefesto/backups/{archive}"),
            _ => outside.to_str().unwrap().to_owned(),
        };
        let said = world.run_by(&["restore", &what, "--json"], ["approve"]);
        said.is(0).says(&format!("create {CLAUDE}/"));
        let data = said.json()["data"].clone();
        assert_eq!((&data["name"], &data["approved_by"]), (&json!(NAME), &json!("person")));
        assert_eq!(data["restored"][0], json!({ "id": "claude", "path": CLAUDE, "action": "create" }));
        assert_eq!((&data["backup"], &data["run_id"]), (&json!(null), &json!(world.newest())));
        assert_eq!(world.read(&format!("{CLAUDE}/notes/mine.txt")), "mine");
        assert!(world.exists(&format!("{GEMINI}/SKILL.md")));
        assert!(world.rows().iter().any(|row| row.starts_with(&format!("| {NAME} | claude, gemini |"))));
        world.nothing_left_over();
    }
}

#[test]
fn the_newest_of_a_name_and_what_is_there_is_backed_up_first() {
    let world = deleted();
    world.at("2026-02-05T10:02:00Z").create(&[EMAIL, "--yes"]).is(0);
    world.write_skill(CLAUDE, "second");
    world.at("2026-02-05T10:03:00Z").run(&["delete", NAME, "--yes"]).is(0);
    world.write_skill(CLAUDE, "third");
    let said = world.at("2026-02-05T10:04:00Z").run_by(&["restore", NAME, "--json"], ["approve"]);
    said.is(0).says(&format!("replace {CLAUDE}/")).says("-third").says("+second");
    assert_eq!(world.skill(CLAUDE), "second");
    let backup = said.json()["data"]["backup"].as_str().unwrap().to_owned();
    assert_eq!(world.archived(&backup, &format!("{CLAUDE}/SKILL.md")), b"third");
}

#[test]
fn only_an_approval_restores_and_what_is_the_same_is_left_alone() {
    let world = deleted();
    world.run(&["restore", "validate-email-adresses"]).fails("E-RESTORE-001", 1).says(NAME);
    only_an_approval(&world, &["restore", NAME]);
    restore(&world, NAME).is(0);
    let before = world.picture();
    let data = world.run_by(&["restore", NAME, "--json"], Person::saying(&[])).data();
    assert_eq!((&data["restored"], &data["run_id"], &data["approved_by"]), (&json!([]), &json!(null), &json!(null)));
    assert!(data["from"].is_string());
    world.unchanged_since(&before);
}

#[test]
fn what_does_not_belong_here_is_refused() {
    let world = World::two();
    let before = world.picture();
    for (name, files, why) in [
        ("unknown.tar.gz", &[".nocli/skills/x/SKILL.md"][..], "no skill of a known CLI"),
        ("two.tar.gz", &[".claude/skills/x/SKILL.md", ".claude/skills/y/SKILL.md"], "that names y"),
        ("deep.tar.gz", &[".claude/skills/Not_A_Name/SKILL.md"], "no skill of a known CLI"),
        ("git.tar.gz", &[".git/hooks/SKILL.md"], ""),
    ] {
        let archive = packed(&world, name, files);
        let said = restore(&world, &archive);
        assert_eq!(said.exit.number(), 1, "{name}: {}", said.err);
        said.says(why);
        world.unchanged_since(&before);
    }
    for what in ["nothing", "nothing.tar.gz", "MEMORY.md", "../two", ""] {
        restore(&world, what).fails("E-RESTORE-001", 1);
    }
    world.write("broken.tar.gz", "no archive");
    assert_eq!(restore(&world, "broken.tar.gz").exit.number(), 1);
    fs::remove_file(world.path("broken.tar.gz")).unwrap();
    world.unchanged_since(&before);
}

#[test]
fn backups_say_what_they_hold_and_which_are_damaged() {
    let world = World::two();
    assert_eq!(world.data(&["backups"])["backups"], json!([]));
    let world = deleted();
    restore(&world, NAME).is(0);
    let overwrite = [EMAIL, "--on-collision", "overwrite", "--yes"];
    world.at("2026-02-05T10:05:00Z").create(&overwrite).is(0);
    let oldest = world.path(&format!(".hefesto/backups/{}", world.archives()[0]));
    let bytes = fs::read(&oldest).unwrap();
    fs::write(&oldest, &bytes[..bytes.len() / 2]).unwrap();
    let before = world.picture();
    let listed = world.data(&["backups"])["backups"].as_array().unwrap().clone();
    let seen: Vec<_> = listed.iter().map(|one| (one["why"].as_str().unwrap(), one["verified"] == true)).collect();
    assert_eq!(seen, [("create", true), ("delete", false)], "newest first");
    assert_eq!(listed[0]["holds"], json!([CLAUDE, GEMINI]));
    assert_eq!((&listed[0]["name"], &listed[0]["run_id"]), (&json!(NAME), &json!(world.newest())));
    world.run(&["backups"]).is(0).shows("DAMAGED");
    world.unchanged_since(&before);
    let file = world.archives()[0].clone();
    assert_eq!(restore(&world, &file).exit.number(), 1);
    world.unchanged_since(&before);
}

#[test]
fn two_overwrites_in_one_second_leave_two_archives() {
    let world = World::holding_the_skill();
    for text in ["first", "second"] {
        world.write_skill(CLAUDE, text);
        world.create(&[EMAIL, "--on-collision", "overwrite", "--yes"]).is(0);
    }
    assert_eq!(world.archives().len(), 2);
    restore(&world, NAME).is(0);
    assert_eq!(world.skill(CLAUDE), "second", "the newest of two in one second");
}

#[test]
fn what_comes_from_elsewhere_is_held_to_the_rules_and_what_was_taken_here_is_not() {
    let world = World::holding_the_skill();
    let key = format!("AKIA{}", "ABCDEFGHIJKLMNOP");
    let text = world.skill(CLAUDE);
    world.write_skill(CLAUDE, format!("{text}\nkey: {key}\n")).at("2026-02-05T10:01:00Z");
    world.run(&["delete", NAME, "--yes"]).is(0);
    let archive = world.archives()[0].clone();
    let outside = world.outside().join("kept.tar.gz");
    fs::copy(world.path(&format!(".hefesto/backups/{archive}")), &outside).unwrap();
    restore(&world, outside.to_str().unwrap())
        .fails("E-CREATE-005", 1)
        .says("T0-HEFESTO-11.secret")
        .never_says(&key)
        .changes_nothing();
    restore(&world, NAME).is(0);
    assert!(world.skill(CLAUDE).contains(&key));
}

#[test]
fn pruning_shows_its_plan_and_keeps_the_newest_of_each_skill() {
    let world = World::holding_the_skill();
    for minute in 1..5 {
        let at = format!("2026-02-05T10:0{minute}:00Z");
        world.at(&at).create(&[EMAIL, "--yes", "--on-collision", "overwrite"]).is(0);
    }
    let all = world.archives();
    assert_eq!(all.len(), 4);
    for (person, exit) in [(Person::saying(&["reject"]), 3), (Person::nobody(), 3)] {
        let said = world.run_by(&["backups", "--prune", "--keep", "2"], person);
        said.fails("E-CREATE-011", exit).says(&format!("remove .hefesto/backups/{}", all[0]));
        assert_eq!(world.archives(), all);
    }
    let said = world.run_by(&["backups", "--prune", "--keep", "2", "--json"], ["approve"]).ok();
    assert_eq!(said.json()["data"]["pruned"].as_array().map(Vec::len), Some(2));
    assert_eq!(world.archives(), all[2..]);
    world.run_by(&["backups", "--prune", "--keep", "2"], Person::saying(&[])).is(0);
    assert_eq!(world.archives(), all[2..], "nothing is left to prune, and nobody is asked");
    world.run(&["undo", "--yes"]).is(0);
}

#[test]
fn what_a_backup_brings_back_counts_as_installed_even_where_it_stands_already() {
    let world = World::holding_the_skill();
    let (first, text) = (world.skill(CLAUDE), world.skill(CLAUDE) + "More.\n");
    world.write_skill(CLAUDE, text);
    world.run(&["sync", "--yes"]).is(0);
    let backup = world.archives()[0].clone();
    // By hand one copy is again what the backup holds.
    world.write_skill(GEMINI, first.replace("$ARGUMENTS", "{{args}}"));
    let metadata = world.read(&format!("{GEMINI}/metadata.yaml")).replace("1.0.1", "1.0.0");
    world.write(&format!("{GEMINI}/metadata.yaml"), &metadata);
    restore(&world, &backup).is(0);
    let copies = world.data(&["status"])["skills"][0]["copies"].clone();
    let states: Vec<_> = copies.as_array().unwrap().iter().map(|copy| copy["state"].clone()).collect();
    assert_eq!(states, ["same", "same"], "{copies}");
}

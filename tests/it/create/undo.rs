//! `undo`: what a run did to files and registry, taken back exactly, and never over somebody's edit.

use std::fs;

use hefesto::terminal::prompt::Answer;
use serde_json::json;

use super::only_an_approval;
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, Said, World};

fn undo(world: &World, args: &[&str]) -> Said {
    world.run(&[&["undo", "--yes"], args].concat())
}

fn later(world: &World) -> &World {
    world.at("2026-02-05T11:00:00Z")
}

#[test]
fn a_creation_goes_with_everything_it_brought_and_what_another_skill_needs_stays() {
    // A creation goes with everything it brought.
    let world = World::two();
    let (files, rows) = (world.files(), world.rows());
    world.create(&[EMAIL, "--target", "claude,cursor,qwen", "--yes"]).is(0);
    let (made, made_rows) = (world.files(), world.rows());
    assert!(world.exists(".cursor/skills") && made_rows.iter().any(|row| row.starts_with("| cursor ")));
    undo(later(&world), &[]).is(0);
    assert_eq!((world.files(), world.rows()), (files.clone(), rows.clone()), "directories and rows too");
    assert!(!world.read("MEMORY.md").contains("name:"), "{}", world.read("MEMORY.md"));
    world.nothing_left_over();
    undo(&world, &[]).is(0);
    assert_eq!((world.files(), world.rows()), (made, made_rows), "undoing the undoing brings it back, dates too");
    undo(&world, &[]).is(0);
    assert_eq!((world.files(), world.rows()), (files, rows));
    assert_eq!(world.data(&["list", "--check-sync"])["drift"], json!([]));
    // A row another skill needs stays.
    let world = World::two();
    world.create(&[EMAIL, "--target", "cursor", "--yes"]).is(0);
    let first = world.newest();
    world.create(&["Review pull requests", "--target", "cursor", "--yes"]).is(0);
    undo(&world, &[&first]).is(0);
    assert!(world.rows().iter().any(|row| row.starts_with("| cursor ")));
    assert!(world.exists(".cursor/skills/review-pull-requests") && !world.exists(&format!(".cursor/skills/{NAME}")));
    // A creation that initialised leaves the project initialised.
    let world = World::bare(&["claude"]);
    world.create(&[EMAIL, "--yes"]).is(0);
    undo(&world, &[]).is(0);
    assert!(world.exists("MEMORY.md") && world.exists("CONSTITUTION.md") && !world.exists(".claude"));
    assert!(!world.rows().iter().any(|row| row.contains("claude")));
}

#[test]
fn an_overwrite_and_a_merge_are_taken_back_to_the_byte() {
    for how in ["overwrite", "merge"] {
        let world = World::holding_the_skill();
        let text = world.skill(CLAUDE);
        world.write_skill(CLAUDE, text.replace("- Subject:", "- Subject: mine,"));
        world.write(&format!("{GEMINI}/notes/mine.txt"), "mine");
        let (files, rows) = (world.files(), world.rows());
        later(&world);
        let args = [EMAIL, "--on-collision", how, "--body", "body.md", "--target", "claude,gemini,qwen", "--yes"];
        world.write("body.md", "Read RFC 5321 first.\n");
        world.create(&args).is(0);
        fs::remove_file(world.path("body.md")).unwrap();
        let (made, made_rows) = (world.files(), world.rows());
        assert_ne!((&made, &made_rows), (&files, &rows), "{how}");
        undo(world.at("2026-02-05T12:00:00Z"), &[]).is(0);
        assert_eq!((world.files(), world.rows()), (files, rows), "{how}");
        undo(&world, &[]).is(0);
        assert_eq!((world.files(), world.rows()), (made, made_rows), "{how}");
    }
}

#[test]
fn an_older_run_by_its_id_and_one_that_waited_is_the_last_that_changed_something() {
    // An older run by its id or part of it.
    let world = World::holding_the_skill();
    let first = world.newest();
    later(&world).create(&["Review pull requests", "--yes"]).is(0);
    let data = undo(&world, &[&first[18..], "--json"]).data();
    assert_eq!((&data["undone"], &data["name"], &data["approved_by"]), (&json!(first), &json!(NAME), &json!("flag")));
    assert_eq!(data["steps"][0], json!({ "id": "claude", "path": CLAUDE, "action": "remove" }));
    assert!(data["run_id"].is_string() && data["backup"].is_string());
    assert!(!world.exists(CLAUDE) && world.exists(".claude/skills/review-pull-requests"));
    let before = world.picture();
    undo(&world, &[&first]).fails("E-UNDO-002", 1);
    undo(&world, &["no-such-run"]).fails("E-MEMORY-004", 1);
    world.unchanged_since(&before);
    // A run that waited is the last that changed something.
    let world = World::two();
    world.create_by(&[EMAIL], Person::default().ends(Answer::TimedOut)).is(4);
    world.create(&["Review pull requests", "--yes"]).is(0);
    world.run(&["resume", "--yes"]).is(0);
    undo(&world, &[]).is(0);
    assert!(!world.exists(CLAUDE) && world.exists(".claude/skills/review-pull-requests"));
}

#[test]
fn what_was_edited_since_or_while_the_gate_waits_is_named_and_nothing_is_touched() {
    // What was edited since is named and nothing is touched.
    for action in 0..3 {
        let world = World::holding_the_skill();
        match action {
            0 => drop(world.write_skill(GEMINI, "edited")),
            1 => drop(world.write(&format!("{GEMINI}/mine.txt"), "added")),
            _ => fs::remove_dir_all(world.path(GEMINI)).unwrap(),
        }
        undo(&world, &[]).fails("E-UNDO-002", 1).says(GEMINI).never_says(CLAUDE).changes_nothing();
        assert!(world.archives().is_empty());
    }
    // An edit while the gate waits is not lost.
    let world = World::holding_the_skill();
    let action = world.meanwhile(|root| crate::support::world::write(&root.join(CLAUDE).join("SKILL.md"), "meanwhile"));
    world.run_by(&["undo"], Person::default().does(action, "approve")).fails("E-TXN-002", 5);
    assert_eq!(world.skill(CLAUDE), "meanwhile");
    assert!(world.exists(GEMINI));
}

#[test]
fn without_a_sound_backup_nothing_is_undone() {
    for action in ["gone", "damaged", "another", "never kept"] {
        let world = World::holding_the_skill();
        let keep = if action == "never kept" { "false" } else { "true" };
        later(&world).run(&["delete", NAME, "--yes", "--backup", keep]).is(0);
        let before = world.picture();
        let archive = world.archives().first().map(|name| world.path(&format!(".hefesto/backups/{name}")));
        match (action, archive) {
            ("gone", Some(archive)) => fs::remove_file(archive).unwrap(),
            ("damaged", Some(archive)) => {
                let mut bytes = fs::read(&archive).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 0x55;
                fs::write(&archive, bytes).unwrap();
            }
            ("another", Some(archive)) => {
                world.create(&[EMAIL, "--body", "MEMORY.md", "--yes"]).is(0);
                world.run(&["delete", NAME, "--yes"]).is(0);
                let other = world.path(&format!(".hefesto/backups/{NAME}-2026-02-05T11-00-00-2.tar.gz"));
                fs::copy(other, archive).unwrap();
                let delete = &world.data(&["runs"])["runs"][2];
                assert_eq!(delete["command"], "delete");
                let id = delete["run_id"].as_str().unwrap().to_owned();
                undo(&world, &[&id]).fails("E-UNDO-003", 1).says("holds something else");
                continue;
            }
            _ => {}
        }
        undo(&world, &[]).fails("E-UNDO-003", 1);
        world.unchanged_since(&before);
    }
}

#[test]
fn only_an_approval_undoes() {
    let world = World::holding_the_skill();
    only_an_approval(&world, &["undo"]);
    let said = world.run_by(&["undo", "--json"], ["approve"]);
    said.is(0).says(&format!("remove {CLAUDE}/"));
    assert_eq!(said.json()["data"]["approved_by"], "person");
    assert_eq!(world.data(&["runs"])["runs"][0]["command"], "undo");
}

#[test]
fn where_nothing_was_done_there_is_nothing_to_undo() {
    World::bare(&["claude"]).run(&["undo"]).fails("E-PROJECT-001", 1);
    let world = World::two();
    undo(&world, &[]).fails("E-UNDO-001", 1);
    world.create_by(&[EMAIL], ["reject"]).is(3);
    undo(&world, &[]).fails("E-UNDO-001", 1);
    undo(&world, &[&world.newest()]).fails("E-UNDO-001", 1).says("changed no skill");
}

#[test]
fn a_deletion_and_a_restoration_are_taken_back() {
    // The runs say which command.
    let world = World::holding_the_skill();
    later(&world).run(&["delete", NAME, "--yes"]).is(0);
    undo(&world, &[]).is(0);
    let said = world.run(&["runs"]);
    let commands: Vec<&str> = said.out.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(commands, ["COMMAND", "undo", "delete", "create"]);
    let world = World::holding_the_skill();
    let (files, rows) = (world.files(), world.rows());
    later(&world).run(&["delete", NAME, "--cli", "gemini", "--yes"]).is(0);
    let less = (world.files(), world.rows());
    assert!(world.read("MEMORY.md").contains("skills_deleted:\n  - {name"));
    undo(&world, &[]).is(0);
    assert_eq!((world.files(), world.rows()), (files, rows));
    assert!(!world.read("MEMORY.md").contains("  - {name"), "what was not deleted is not noted as deleted");
    undo(&world, &[]).is(0);
    assert_eq!((world.files(), world.rows()), less.clone());
    assert!(world.read("MEMORY.md").contains("  - {name"));
    let archive = world.archives()[0].clone();
    world.run(&["restore", &archive, "--yes"]).is(0);
    assert!(world.exists(GEMINI));
    undo(&world, &[]).is(0);
    assert_eq!((world.files(), world.rows()), less);
}

#[test]
fn what_it_undoes_and_what_to_do_next_is_said_and_true() {
    let world = World::holding_the_skill();
    later(&world).run(&["delete", NAME, "--yes"]).is(0);
    let deleted = world.newest();
    let said = undo(&world, &[]);
    said.is(0).says("undoes the delete of 2026-02-05T11:00:00Z").shows("The delete is undone");
    let earlier = said.out.lines().find_map(|line| line.strip_prefix("To go back further: hefesto undo ")).unwrap();
    let earlier = earlier.split(' ').next().unwrap().to_owned();
    undo(&world, &[&deleted]).fails("E-UNDO-002", 1).says("It is undone already");
    undo(&world, &[])
        .is(0)
        .shows("The undo is undone")
        .shows("so the delete holds again")
        .never_says("go back further");
    undo(&world, &[]).is(0);
    undo(&world, &[&earlier]).is(0);
    assert!(!world.exists(CLAUDE));
}

#[test]
fn where_an_edit_is_in_the_way_the_backup_of_that_very_run_is_named() {
    let world = World::holding_the_skill();
    let text = world.skill(CLAUDE);
    for (hour, line) in [("11", "One."), ("12", "Two.")] {
        world.at(&format!("2026-02-05T{hour}:00:00Z")).write_skill(CLAUDE, world.skill(CLAUDE) + line + "\n");
        world.run(&["sync", "--yes"]).is(0);
    }
    let last = world.newest();
    let first = world.data(&["runs"])["runs"][1]["run_id"].as_str().unwrap().to_owned();
    undo(&world, &[&first]).fails("E-UNDO-002", 1).says(&format!("hefesto undo {}", &last[18..]));
    world.write_skill(CLAUDE, world.skill(CLAUDE) + "Three.\n");
    let said = undo(&world, &[]);
    let cure = said.fails("E-UNDO-002", 1).err.split("`hefesto ").find(|part| part.starts_with("restore ")).unwrap();
    let words: Vec<&str> = cure.split('`').next().unwrap().split(' ').chain(["--yes"]).collect();
    world.run(&words).is(0);
    assert_eq!(world.skill(CLAUDE), text.replace("1.0.0", "1.0.1") + "One.\nTwo.\n");
    assert!(world.skill(GEMINI).ends_with("One.\n"));
}

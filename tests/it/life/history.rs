//! `log`, `diff`, `show NAME@VERSION`, `restore NAME@VERSION`: what was installed, and how it differs; and `restore` of
//! backups that hold several skills.

use std::fs;

use serde_json::json;

use super::{agree, insert, yes};
use crate::support::world::{CLAUDE, GEMINI, NAME, World, picture, write};

/// Three versions: as created, after an edit of one copy, after an edit of the other.
fn grown() -> World {
    let world = World::holding_the_skill();
    for (hour, copy, line) in [(11, CLAUDE, "First."), (12, GEMINI, "Second.")] {
        insert(&world, copy, "## Steps", line);
        yes(world.at(&format!("2026-02-05T{hour}:00:00Z")), &["sync", NAME]).is(0);
    }
    world.at("2026-02-05T13:00:00Z");
    world
}

fn at(version: &str) -> String {
    format!("{NAME}@{version}")
}

#[test]
fn the_log_tells_each_version_what_it_did_and_why() {
    let world = grown();
    let versions = world.data(&["log", NAME])["versions"].clone();
    let told: Vec<_> =
        versions.as_array().unwrap().iter().map(|one| (&one["version"], &one["command"], &one["why"])).collect();
    assert_eq!(
        told,
        [
            (&json!("1.0.2"), &json!("sync"), &json!("the edit of gemini for all")),
            (&json!("1.0.1"), &json!("sync"), &json!("the edit of claude for all")),
            (&json!("1.0.0"), &json!("create"), &json!(null)),
        ]
    );
    assert_eq!((&versions[0]["clients"], &versions[0]["kept"]), (&json!(["claude", "gemini"]), &json!(true)));
    world.run(&["log", "nope"]).fails("E-SKILL-001", 1);
    yes(&world, &["rename", NAME, "check-addresses"]).is(0);
    let versions = world.data(&["log", "check-addresses"])["versions"].clone();
    assert_eq!(versions.as_array().unwrap().len(), 4, "the former name too: {versions}");
    assert_eq!(versions[3]["name"], json!(NAME));
    // A version from before a rename comes back under the present name.
    yes(&world, &["restore", "check-addresses@1.0.0"]).is(0);
    let copy = world.skill(".claude/skills/check-addresses");
    assert!(copy.contains("name: \"check-addresses\"") && !copy.contains("First."), "{copy}");
    assert!(!world.exists(CLAUDE), "no second skill under the former name");
}

#[test]
fn a_version_that_is_there_twice_is_named_by_its_run() {
    let world = grown();
    let hint = "@RUN in place of @VERSION";
    assert!(!world.run(&["log", NAME]).is(0).out.contains(hint));
    yes(&world, &["undo"]).is(0);
    yes(&world, &["sync", NAME, "--from", "claude"]).is(0);
    insert(&world, CLAUDE, "## Steps", "Another second.");
    yes(world.at("2026-02-05T14:00:00Z"), &["sync", NAME]).is(0);
    assert!(world.run(&["log", NAME]).is(0).out.contains(hint));
    let versions = world.data(&["log", NAME])["versions"].clone();
    let first = versions.as_array().unwrap().iter().find(|one| one["why"] == "the edit of gemini for all").unwrap();
    let run = first["run_id"].as_str().unwrap();
    assert!(world.run(&["show", &at(run)]).is(0).out.contains("Second."));
    world.run(&["show", &at("9.9.9")]).fails("E-VERSION-001", 1).says("Versions that are kept: 1.0.2");
}

#[test]
fn differences_between_copies_versions_and_what_was_installed() {
    let world = grown();
    assert_eq!(world.data(&["diff", NAME])["differences"], json!([]), "arguments are no difference");
    let data = world.data(&["diff", NAME, "1.0.0", "1.0.2"]);
    let diff = data["differences"][0]["files"][0]["diff"].as_str().unwrap().to_owned();
    assert!(diff.contains("+First.") && diff.contains("+Second.") && diff.contains("-  version: \"1.0.0\""), "{diff}");
    insert(&world, GEMINI, "## Steps", "Third.");
    world.write(&format!("{GEMINI}/references/more.md"), "More.\n");
    let data = world.data(&["diff", NAME]);
    let one = &data["differences"][0];
    assert_eq!((&one["from"], &one["to"]), (&json!("installed"), &json!("gemini")));
    assert_eq!(
        one["files"][1],
        json!({ "path": "references/more.md", "change": "added", "diff": "@@ -0,0 +1 @@\n+More.\n" })
    );
    let said = world.run(&["diff", NAME, "claude", "gemini"]).ok();
    assert!(said.out.contains("+Third.") && !said.out.contains("args"), "{}", said.out);
    world.run(&["diff", NAME, "9.9.9"]).fails("E-VERSION-001", 1).says("1.0.1");
    // A wide terminal shows old and new side by side.
    world.set("COLUMNS", "120");
    let diff = ["diff", NAME, "1.0.2", "gemini"];
    let unified = world.run(&diff).is(0).out.clone();
    assert!(unified.contains("\n+Third.\n"), "no terminal: {unified}");
    let args = [&diff[..], &["--side-by-side"]].concat();
    let beside = world.run(&args).is(0).out.clone();
    assert!(beside.contains(&format!("\n{:58} > Third.\n", "")), "{beside}");
    assert!(beside.lines().all(|line| line.chars().count() <= 120), "{beside}");
    world.run(&[&args[..], &["--unified"]].concat()).is(2);
}

#[test]
fn an_old_version_is_shown_and_brought_back_to_every_copy() {
    let world = grown();
    let said = world.run(&["show", &at("1.0.1")]).ok();
    assert!(said.out.contains("First.") && !said.out.contains("Second."), "{}", said.out);
    let newest = world.files();
    insert(&world, CLAUDE, "## Steps", "An edit of nobody's asking.");
    let edited = world.skill(CLAUDE);
    yes(&world, &["restore", &at("1.0.0")]).is(0);
    assert!(!world.skill(GEMINI).contains("First.") && world.skill(GEMINI).contains("{{args}}"));
    agree(&world);
    yes(world.at("2026-02-05T14:00:00Z"), &["undo"]).is(0);
    assert_eq!(world.skill(CLAUDE), edited, "what was replaced was in the backup");
    let why = world.data(&["log", NAME])["versions"][0]["why"].clone();
    assert!(why.as_str().unwrap().starts_with("restore taken back (run "), "{why}");
    yes(&world, &["restore", &at("1.0.2")]).is(0);
    assert_eq!(world.files(), newest);
    let data = world.data(&["restore", &at("1.0.2")]);
    assert_eq!((&data["restored"], &data["run_id"]), (&json!([]), &json!(null)));
    yes(&world, &["delete", NAME]).is(0);
    yes(world.at("2026-02-05T15:00:00Z"), &["restore", &at("1.0.1")]).is(0);
    agree(&world);
    world.run(&["restore", &at("7.0.0"), "--yes"]).fails("E-VERSION-001", 1);
}

#[test]
fn a_version_whose_files_are_lost_is_known_and_not_shown() {
    let world = grown();
    for entry in fs::read_dir(world.path(".hefesto/objects")).unwrap() {
        fs::write(entry.unwrap().path(), "damaged").unwrap();
    }
    world.run(&["show", &at("1.0.0")]).fails("E-VERSION-001", 1).says("is not kept any more");
    agree(&world);
    insert(&world, CLAUDE, "## Steps", "Third.");
    yes(&world, &["sync", NAME, "--from", "claude"]).is(0);
    agree(&world);
    let removed = world.data(&["memory", "prune", "--yes"])["rows"].clone();
    assert!(!removed.to_string().contains("object"), "all of them are referred to: {removed}");
}

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
    world.skill(&format!(".{client}/skills/{name}")).lines().last().unwrap().to_owned()
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

#[test]
fn where_two_texts_have_one_number_it_is_said_and_the_run_names_the_other() {
    let world = World::holding_the_skill();
    let (first, run) = (world.skill(CLAUDE), world.newest());
    world.write_skill(CLAUDE, world.skill(CLAUDE) + "More.\n");
    yes(&world, &["sync", NAME]).is(0);
    yes(&world, &["restore", NAME]).is(0);
    let number = format!("{NAME}@1.0.0");
    yes(&world, &["restore", &number]).is(0).shows("Another text had version 1.0.0 too").shows("@RUN");
    assert!(world.skill(CLAUDE).ends_with("More.\n"));
    yes(&world, &["restore", &format!("{NAME}@{run}")]).is(0).never_says("Another text");
    assert_eq!(world.skill(CLAUDE), first);
}

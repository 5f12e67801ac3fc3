//! `delete`: the exact name, then `yes`; a backup first; every copy or none.

use hefesto::terminal::prompt::Answer;
use serde_json::json;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World};

const TYPE: &str = "Type the skill's name to delete it";
const ARCHIVE: &str = "validate-email-addresses-2026-02-05T10-01-00.tar.gz";

fn world() -> World {
    let world = World::holding_the_skill();
    world.write(&format!("{CLAUDE}/notes/mine.txt"), "mine").at("2026-02-05T10:01:00Z");
    world
}

#[test]
fn the_name_and_yes_delete_every_copy_and_the_archive_brings_them_back() {
    for answers in [[NAME, "yes"], [NAME, "Y"]] {
        let world = world();
        let files = world.files();
        let said = world.run_by(&["delete", NAME, "--json"], Person::saying(&answers));
        said.is(0).says(&format!("remove {CLAUDE}/"));
        let data = said.json()["data"].clone();
        assert_eq!((&data["name"], &data["approved_by"]), (&json!(NAME), &json!("person")));
        assert_eq!(data["deleted"][1], json!({ "id": "gemini", "path": GEMINI, "action": "remove" }));
        assert_eq!(data["backup"], format!(".hefesto/backups/{ARCHIVE}"));
        assert_eq!(data["run_id"], world.newest());
        assert!(!world.exists(CLAUDE) && !world.exists(GEMINI) && world.exists(".claude/skills"));
        assert!(!world.rows().iter().any(|row| row.contains(NAME)));
        let note =
            format!("{{name: \"{NAME}\", clis: [\"claude\", \"gemini\"], at: \"2026-02-05T10:01:00Z\", backup: ");
        assert!(world.read("MEMORY.md").contains(&note), "{}", world.read("MEMORY.md"));
        assert_eq!((&world.logged()["operation"], &world.logged()["success"]), (&json!("delete"), &json!(true)));
        world.nothing_left_over();
        world.unpack(&format!(".hefesto/backups/{ARCHIVE}"));
        assert_eq!(world.files(), files);
    }
}

#[test]
fn only_both_answers_delete() {
    let world = world();
    let before = world.picture();
    for (person, code, exit) in [
        (Person::saying(&["wrong"]), "E-DELETE-004", 3),
        (Person::saying(&[""]), "E-DELETE-004", 3),
        (Person::saying(&["Validate-Email-Addresses"]), "E-DELETE-004", 3),
        (Person::saying(&["yes"]), "E-DELETE-004", 3),
        (Person::nobody(), "E-CREATE-011", 3),
        (Person::default().ends(Answer::TimedOut), "E-CREATE-012", 4),
        (Person::default().ends(Answer::Signal(2)), "E-SIGNAL-001", 130),
        (Person::saying(&[NAME]), "E-CREATE-011", 3),
        (Person::saying(&[NAME, "no"]), "E-CREATE-011", 3),
        (Person::saying(&[NAME, "", "maybe", "n"]), "E-CREATE-011", 3),
        (Person::saying(&[NAME]).ends(Answer::TimedOut), "E-CREATE-012", 4),
        (Person::saying(&[NAME]).ends(Answer::Signal(15)), "E-SIGNAL-001", 143),
        (Person::saying(&[NAME]).ends(Answer::Signal(1)), "E-SIGNAL-001", 129),
    ] {
        let said = world.run_by(&["delete", NAME], person);
        said.fails(code, exit).changes_nothing();
        assert!(code != "E-DELETE-004" || said.times("Delete it?") == 0);
        assert!(world.archives().is_empty());
    }
    world.run_by(&["delete", NAME, "--force"], Person::saying(&[])).fails("E-USAGE-001", 2);
    world.run_by(&["delete", NAME, "--no-input"], Person::saying(&[])).fails("E-CREATE-011", 3).says("--yes");
    world.unchanged_since(&before);
    let said = world.run_by(&["delete", NAME, "--yes", "--json"], Person::saying(&[])).ok();
    assert_eq!((said.json()["data"]["approved_by"].as_str(), said.times(TYPE)), (Some("flag"), 0));
}

#[test]
fn one_or_several_clients_lose_their_copies_and_one_without_a_copy_stops_it() {
    // One cli only.
    let world = world();
    let rows = world.rows();
    world.run_by(&["delete", NAME, "--cli", "gemini"], [NAME, "yes"]).is(0);
    assert!(world.exists(CLAUDE) && !world.exists(GEMINI));
    let kept: Vec<String> = rows.iter().map(|row| row.replace("claude, gemini", "claude")).collect();
    let dateless = |rows: &[String]| rows.iter().map(|row| row.split(" | 2026").next().unwrap().to_owned()).collect();
    let (is, was): (Vec<String>, Vec<String>) = (dateless(&world.rows()), dateless(&kept));
    assert_eq!(is, was);
    world.run(&["delete", NAME, "--cli", "gemini", "--yes"]).fails("E-DELETE-001", 1);
    world.run(&["delete", NAME, "--cli", "bogus", "--yes"]).fails("E-CREATE-004", 1);
    assert!(world.exists(CLAUDE));
    // Several clients lose their copies at once and one without a copy stops it.
    let world = World::holding_the_skill();
    world.run(&["add", NAME, "--target", "codex", "--yes"]).is(0);
    let said = world.run(&["delete", NAME, "--cli", "codex,qwen", "--yes"]);
    said.fails("E-DELETE-001", 1).says("for qwen").says(&format!("hefesto delete {NAME} --cli claude,gemini,codex"));
    said.changes_nothing();
    world.run(&["delete", NAME, "--cli", "gemini,codex", "--yes"]).is(0);
    assert!(world.exists(CLAUDE) && !world.exists(GEMINI) && !world.exists(&CLAUDE.replace("claude", "codex")));
}

#[test]
fn without_a_backup_it_warns_and_keeps_none() {
    let world = world();
    let said = world.run_by(&["delete", NAME, "--backup=false", "--json"], [NAME, "yes"]);
    said.is(0).says("No backup will be kept: `hefesto undo` cannot bring it back.");
    assert_eq!(said.json()["data"]["backup"], json!(null));
    assert!(said.json()["warnings"].as_array().unwrap().iter().any(|note| note["code"] == "WARN-010"));
    assert!(world.archives().is_empty() && !world.exists(CLAUDE));
    assert!(world.read("MEMORY.md").contains("backup: null"));
}

#[test]
fn the_unknown_is_answered_with_the_known() {
    let world = world();
    for name in ["validate-email-adresses", "zzz", "../outside", "Not A Name", ""] {
        world.run(&["delete", name, "--yes"]).fails("E-DELETE-001", 1).says(NAME);
    }
    for number in 0..12 {
        let name = format!("skill-{number:02}");
        world.create(&[EMAIL, "--name", &name, "--yes"]).is(0);
    }
    world.run(&["delete", "qqqqqqqqqq", "--yes"]).fails("E-DELETE-001", 1).says("skill-09").never_says("skill-10");
    World::two().run(&["delete", "x", "--yes"]).fails("E-DELETE-001", 1).says("no skills here");
}

#[test]
fn a_copy_that_cannot_go_keeps_the_other_one() {
    let world = world();
    std::fs::rename(world.path(".gemini"), world.outside().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", world.path(".gemini")).unwrap();
    let said = world.run_by(&["delete", NAME], Person::saying(&[]));
    said.fails("E-DELETE-005", 1).says(".gemini").says("nothing was deleted").changes_nothing();
    world.run(&["delete", NAME, "--cli", "claude", "--yes"]).is(0);
    assert!(world.outside().join("elsewhere/skills").join(NAME).is_dir());
}

#[test]
fn what_is_edited_while_the_gate_waits_stays_and_without_room_for_the_backup_nothing_is_deleted() {
    // What is edited while the gate waits stays.
    let world = world();
    let action = world.meanwhile(|root| crate::support::world::write(&root.join(GEMINI).join("SKILL.md"), "meanwhile"));
    world.run_by(&["delete", NAME], Person::saying(&[NAME]).does(action, "yes")).fails("E-TXN-002", 5);
    assert_eq!(world.skill(GEMINI), "meanwhile");
    assert!(world.exists(CLAUDE) && world.archives().is_empty());
    // Without room for the backup nothing is deleted.
    world.write(".hefesto/backups", "a file");
    world.run(&["delete", NAME, "--yes"]).fails("E-CREATE-014", 6).changes_nothing();
}

#[test]
fn what_lies_where_a_run_left_nothing_is_not_hefestos() {
    let world = world();
    world.run(&["delete", NAME, "--yes"]).is(0);
    world.write_skill(CLAUDE, "by hand");
    world.create_by(&[EMAIL], ["cancel"]).fails("E-CREATE-013", 3).says("not made by hefesto");
}

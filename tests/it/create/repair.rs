//! `repair`: MEMORY.md says again what is on disk, and nothing of others' is lost.

use std::fs;

use serde_json::{Value, json};

use super::only_an_approval;
use crate::support::world::{CLAUDE, GEMINI, NAME, Person, Said, World, holds, write};

const REPAIR: [&str; 2] = ["repair", "--yes"];
const BACKUP: &str = ".hefesto/backups/MEMORY.md.backup.2026-02-05T10-01-00";

fn repair(world: &World) -> Said {
    world.run(&REPAIR)
}

fn drift(world: &World) -> Value {
    world.data(&["list", "--check-sync"])["drift"].clone()
}

/// A registry with somebody's own words around hefesto's.
fn world() -> World {
    let world = World::holding_the_skill();
    world.create(&["Review pull requests", "--yes"]).is(0);
    world.run(&["delete", "review-pull-requests", "--yes"]).is(0);
    let text = world.read("MEMORY.md");
    let text = text.replace("# Project state", "# Ours\n\nDo not lose this.").replacen("---\n", "---\nteam: blue\n", 1);
    world.write("MEMORY.md", text + "\nAnd not this.\n").at("2026-02-05T10:01:00Z");
    world
}

#[test]
fn in_order_is_left_alone_and_a_folder_without_a_text_is_no_skill() {
    // In order is left alone.
    let world = world();
    let said = world.run_by(&["memory", "repair", "--json"], Person::saying(&[])).ok();
    assert_eq!(said.json()["data"], json!({ "repaired": false, "archives": 0, "backup": null, "approved_by": null }));
    said.changes_nothing();
    // A folder without a text is no skill.
    world.write(".claude/skills/notes/todo.md", "Later.\n");
    assert_eq!(drift(&world), json!([]));
    assert_eq!(world.data(&REPAIR)["repaired"], json!(false));
}

#[test]
fn out_of_step_is_brought_in_step_and_everything_else_stays() {
    let world = world();
    let old = world.read("MEMORY.md");
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    fs::create_dir_all(world.path(".claude/skills/by-hand")).unwrap();
    world.write(".claude/skills/by-hand/SKILL.md", "---\nname: by-hand\ndescription: x\n---\n");
    assert_ne!(drift(&world), json!([]));
    let said = world.run_by(&["memory", "repair", "--json"], ["approve"]);
    said.is(0).says("+| by-hand");
    assert_eq!(
        said.json()["data"],
        json!({ "repaired": true, "archives": 0, "backup": BACKUP, "approved_by": "person" })
    );
    assert_eq!(world.read(BACKUP), old);
    assert_eq!(drift(&world), json!([]));
    let text = world.read("MEMORY.md");
    holds(
        &text,
        &["team: blue\n", "# Ours\n\nDo not lose this.", "\nAnd not this.\n", "{name: \"review-pull-requests\""],
    );
    assert!(text.contains("initialized: 2026-02-05T10:00:00Z"));
    assert!(world.rows().iter().any(|row| row.starts_with(&format!("| {NAME} | claude | 2026-02-05T10:00:00Z"))));
    repair(&world).is(0);
    assert_eq!(world.read("MEMORY.md"), text, "once is enough");
}

#[test]
fn a_skill_and_a_cli_that_are_gone_lose_their_rows() {
    let world = world();
    fs::remove_dir_all(world.path(CLAUDE)).unwrap();
    fs::remove_dir_all(world.path(".gemini")).unwrap();
    repair(&world).is(0);
    assert_eq!(drift(&world), json!([]));
    assert!(!world.rows().iter().any(|row| row.contains(NAME) || row.starts_with("| gemini")));
    assert!(!world.read("MEMORY.md").contains(&format!("{{name: \"{NAME}\"")), "nobody deleted it with hefesto");
}

#[test]
fn damage_and_conflicts_and_strange_bytes_are_rebuilt_after_a_backup() {
    for kind in ["conflict", "bytes", "damage", "empty"] {
        let world = world();
        let text = world.read("MEMORY.md");
        let broken: Vec<u8> = match kind {
            "conflict" => text.replacen("| claude", "<<<<<<< ours\n| claude", 1).into(),
            "bytes" => [text.as_bytes(), &[0xff, 0xfe]].concat(),
            "damage" => text.replace("<!-- hefesto:end -->", "").into(),
            _ => Vec::new(),
        };
        world.write("MEMORY.md", &broken);
        if matches!(kind, "conflict" | "bytes") {
            world.run(&["list"]).fails("ERR-002", 1).says("hefesto repair");
        }
        world.run_by(&["memory", "repair"], ["reject"]).fails("E-CREATE-011", 3).changes_nothing();
        repair(&world).is(0);
        assert_eq!(fs::read(world.path(BACKUP)).unwrap(), broken, "{kind}");
        assert_eq!(drift(&world), json!([]), "{kind}");
        assert!(world.rows().iter().any(|row| row.starts_with(&format!("| {NAME} | claude, gemini |"))), "{kind}");
    }
}

#[test]
fn one_that_is_missing_is_made_and_one_of_somebody_elses_is_kept() {
    let world = world();
    fs::remove_file(world.path("MEMORY.md")).unwrap();
    assert_eq!(world.run(&["memory", "repair", "--yes", "--json"]).data()["backup"], json!(null));
    assert!(world.rows().iter().any(|row| row.contains(NAME)));
    assert_eq!(drift(&world), json!([]));

    let world = World::holding_the_skill();
    world.at("2026-02-05T10:01:00Z").write("MEMORY.md", "# Mine\n\nNotes.\n");
    repair(&world).is(0);
    assert!(world.read("MEMORY.md").contains("# Mine\n\nNotes.\n"));
    assert!(world.rows().iter().any(|row| row.contains(NAME)));
    assert_eq!(world.read(BACKUP), "# Mine\n\nNotes.\n");
}

#[test]
fn what_must_not_be_touched_is_left() {
    let (world, other) = (world(), world());
    let text = world.read("MEMORY.md");
    world.write("MEMORY.md", text.replace("hefesto_version: 0.", "hefesto_version: 99."));
    repair(&world).fails("ERR-002", 1).says("99.").changes_nothing();
    fs::remove_file(world.path("MEMORY.md")).unwrap();
    fs::create_dir(world.path("MEMORY.md")).unwrap();
    repair(&world).fails("ERR-002", 1);
    let bare = World::bare(&["claude"]);
    repair(&bare).fails("E-PROJECT-001", 1).changes_nothing();
    assert!(!bare.exists(".hefesto"));
    // An invalid constitution blocks it too.
    fs::remove_dir_all(other.path(GEMINI)).unwrap();
    other.write("CONSTITUTION.md", other.read("CONSTITUTION.md").replace("T0-HEFESTO-01", "T0-GONE"));
    let before = other.read("MEMORY.md");
    repair(&other).fails("ERR-004", 1);
    assert_eq!(other.read("MEMORY.md"), before);
}

#[test]
fn only_an_approval_repairs() {
    let world = world();
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    only_an_approval(&world, &["memory", "repair"]);
    let action = world.meanwhile(|root| write(&root.join("MEMORY.md"), "meanwhile"));
    world.run_by(&["memory", "repair"], Person::default().does(action, "approve")).fails("E-TXN-002", 5);
    assert_eq!(world.read("MEMORY.md"), "meanwhile");
}

#[test]
fn archives_that_are_lost_are_made_again_of_the_copies() {
    let world = World::holding_the_skill();
    let objects = || fs::read_dir(world.path(".hefesto/objects")).map_or(0, Iterator::count);
    fs::remove_dir_all(world.path(".hefesto/objects")).unwrap();
    world.run(&["show", &format!("{NAME}@1.0.0")]).fails("E-VERSION-001", 1);
    let said = world.run(&["repair", "--json"]);
    assert_eq!(said.is(0).json()["data"]["archives"], 2);
    assert_eq!(objects(), 2);
    said.changes_nothing();
    world.run(&["show", &format!("{NAME}@1.0.0")]).is(0);
    assert_eq!(world.data(&["repair"])["archives"], 0);
}

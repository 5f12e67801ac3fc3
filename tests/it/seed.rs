//! Seed 1 word for word: the email skill, its two error recoveries, and nine scenarios in two readings.
//!
//! The seed asks for nine tests, one per scenario, and names no list. Two readings give exactly nine: success and the
//! eight error codes (`reading_a`), or the seven phases and the two recoveries (`reading_b`). Both are here.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::support::world::{CLAUDE, EMAIL, GEMINI, Person, Said, World, holds};

pub(crate) const BACKUP: &str = ".hefesto/backups/validate-email-addresses-2026-02-05T10-01-00.tar.gz";

/// 73 characters.
pub(crate) const LONG: &str = "validate-email-addresses-using-regex-patterns-in-every-form-of-the-system";

/// The success scenario: claude and gemini, a person who approves.
fn created() -> World {
    let world = World::two();
    world.create_by(&[EMAIL], ["approve"]).is(0);
    world
}

/// The skill has been in Claude's directory since the day before; a person overwrites it.
pub(crate) fn overwritten() -> (World, Said) {
    let world = World::two();
    world.at("2026-02-04T09:00:00Z").create(&[EMAIL, "--target", "claude", "--yes"]).is(0);
    world.at("2026-02-05T10:01:00Z");
    let said = world.create_by(&[EMAIL], ["overwrite", "approve"]).ok();
    (world, said)
}

/// What a ring held at some moment: slot, phase, state.
pub(crate) type Slots = Vec<(u64, String, Value)>;

/// A name that is too long, then other words; and what the ring held while the other words were asked for.
pub(crate) fn retried() -> (World, Said, Slots) {
    let world = World::two();
    let held: Rc<RefCell<Slots>> = Rc::default();
    let keep = Rc::clone(&held);
    let look = world.meanwhile(move |root| {
        let db = rusqlite::Connection::open(root.join(".hefesto/memory.db")).unwrap();
        let mut rows = db.prepare("SELECT slot, phase, data FROM wm_slots ORDER BY slot").unwrap();
        let rows = rows
            .query_map([], |row| Ok((row.get::<_, u32>(0)?.into(), row.get(1)?, row.get::<_, String>(2)?)))
            .unwrap();
        let read =
            rows.map(Result::unwrap).map(|(slot, phase, data)| (slot, phase, serde_json::from_str(&data).unwrap()));
        keep.borrow_mut().extend(read);
    });
    let person = Person::default().does(look, "Validate email with improved patterns").then(&["approve"]);
    let said = world.create_by(&[EMAIL, "--name", LONG], person).ok();
    let held = held.borrow().clone();
    (world, said, held)
}

fn all_markers_from(first: u64) -> Vec<Option<u64>> {
    (first..first + 7).map(|slot| Some(slot % 16)).collect()
}

/// A run that fails: nothing outside `.hefesto/` differs afterwards.
fn fails(world: &World, args: &[&str], person: Person, code: &str, exit: u8) -> Said {
    let before: BTreeMap<String, String> = world.picture();
    let said = world.create_by(args, person);
    said.fails(code, exit);
    world.unchanged_since(&before);
    said
}

/// Success and E-CREATE-001 to -008.
mod reading_a {
    use super::*;

    #[test]
    fn success() {
        let world = created();
        for at in [CLAUDE, GEMINI] {
            let text = world.skill(at);
            assert!(text.starts_with("---\nname: \"validate-email-addresses\"\n"), "{text}");
            let sidecar = world.read(&format!("{at}/metadata.yaml"));
            holds(
                &sidecar,
                &["author: \"user\"", "version: \"1.0.0\"", "category: \"development\"", "license: \"MIT\""],
            );
        }
        assert!(world.read("MEMORY.md").contains("| validate-email-addresses | claude, gemini |"));
        assert_eq!(world.markers(), all_markers_from(0));
    }

    #[test]
    fn e_create_001_description_too_long() {
        let world = World::two();
        let text = "é".repeat(2001);
        let said = fails(&world, &[&text], Person::nobody(), "E-CREATE-001", 1);
        said.says("2001").says("2000").says("\nUsage: hefesto create");
        world.create(&[&"é".repeat(2000), "--name", "x", "--yes"]).is(0);
    }

    #[test]
    fn e_create_002_no_name_can_be_made() {
        for words in ["!!!", "日本語のスキル"] {
            fails(&World::two(), &[words], Person::nobody(), "E-CREATE-002", 1).says("--name");
        }
    }

    #[test]
    fn e_create_003_skill_exists() {
        let world = created();
        fails(&world, &[EMAIL, "--yes"], Person::nobody(), "E-CREATE-003", 3).says(CLAUDE).says("--on-collision");
        fails(&world, &[EMAIL], Person::saying(&[""]), "E-CREATE-003", 3);
    }

    #[test]
    fn e_create_004_no_cli() {
        let world = World::with(&["claude"]);
        fails(&world, &[EMAIL, "--target", "bogus"], Person::nobody(), "E-CREATE-004", 1)
            .says("claude, gemini, codex, copilot, opencode, cursor, qwen");
        let world = World::bare(&[]);
        fails(&world, &[EMAIL, "--yes"], Person::nobody(), "E-CREATE-004", 1).says("--target claude");
    }

    #[test]
    fn e_create_005_validation_failed() {
        let world = World::two();
        world.write("long.md", "One more line of words.\n".repeat(501));
        let said = fails(&world, &[EMAIL, "--body", "long.md"], Person::saying(&[""]), "E-CREATE-005", 1);
        said.says("T0-HEFESTO-03").says("references/").never_says("Write this?");
        assert_eq!(world.markers()[2..4], [Some(2), None]);
    }

    #[test]
    fn e_create_006_a_target_cannot_be_written() {
        let world = World::two();
        fs::remove_dir_all(world.path(".gemini/skills")).unwrap();
        world.write(".gemini/skills", "a file");
        let said = fails(&world, &[EMAIL], Person::saying(&[]), "E-CREATE-006", 1);
        said.says(".gemini/skills").says("--target claude").never_says("Write this?");
        assert!(!world.exists(CLAUDE));
    }

    #[test]
    fn e_create_007_description_empty() {
        for args in [&[][..], &[""], &["   "]] {
            let world = World::two();
            fails(&world, args, Person::nobody(), "E-CREATE-007", 1);
            fails(&world, args, Person::scripted(&["", " ", ""]), "E-CREATE-007", 1);
        }
    }

    #[test]
    fn e_create_008_template_missing() {
        let world = World::two();
        let said = fails(&world, &[EMAIL, "--template", "nope"], Person::saying(&[]), "E-CREATE-008", 1);
        said.says("'nope'").says("base");
        fails(&world, &["!!!", "--template", "nope"], Person::nobody(), "E-CREATE-008", 1);
        world.write(".hefesto/templates/blank/SKILL.md", "");
        fails(&world, &[EMAIL, "--template", "blank"], Person::nobody(), "E-CREATE-008", 1);
    }
}

/// The seven phases and the two recoveries.
mod reading_b {
    use super::*;

    /// Each line says what a phase leaves: `PHASE POINTER = VALUE`, or `~` and a part of a text.
    const PHASES: &str = include_str!("../../fixtures/seed/phases.txt");

    #[track_caller]
    fn leaves(world: &World, phase: &str) -> Value {
        let state = world.state(phase);
        let lines: Vec<&str> = PHASES.lines().filter_map(|line| line.strip_prefix(phase)).collect();
        assert!(lines.len() >= 4, "{phase}");
        for line in lines {
            let [pointer, sign, value] = line.trim().splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
            let (is, value) = (state.pointer(pointer).unwrap(), serde_json::from_str::<Value>(value).unwrap());
            let holds = if sign == "~" { is.to_string().contains(value.as_str().unwrap()) } else { *is == value };
            assert!(holds, "{line}: is {is}");
        }
        state
    }

    #[test]
    fn p0_preflight() {
        leaves(&created(), "P0");
    }

    #[test]
    fn p1_intake() {
        let hash = blake3::hash(EMAIL.as_bytes()).to_hex().to_string();
        assert_eq!(leaves(&created(), "P1")["raw_input_hash"], hash);
    }

    #[test]
    fn p2_generate() {
        let world = created();
        assert_eq!(leaves(&world, "P2")["skill_content"], world.skill(CLAUDE));
    }

    #[test]
    fn p3_validate() {
        let checked = leaves(&created(), "P3")["checked_rules"].to_string();
        assert!(!checked.contains('✗'), "{checked}");
    }

    #[test]
    fn p4_approve() {
        let world = World::two();
        world.at("2026-02-05T10:01:00Z").create_by(&[EMAIL], ["approve"]).is(0);
        leaves(&world, "P4");
    }

    #[test]
    fn p5_persist() {
        let world = created();
        let state = leaves(&world, "P5");
        let files = state["files_created"].as_array().unwrap();
        assert!(files.iter().all(|file| world.path(file.as_str().unwrap()).is_file()), "{state}");
    }

    #[test]
    fn p6_finish() {
        leaves(&created(), "P6");
    }

    #[test]
    fn recovery_1_collision_and_overwrite() {
        let (world, said) = overwritten();
        assert_eq!((said.times("What should happen?"), said.times("Write this?")), (1, 1));
        let approved = world.state("P4");
        assert_eq!(approved["collision_detected"], true);
        let details = &approved["collision_details"];
        assert_eq!(details["existing_path"], ".claude/skills/validate-email-addresses/");
        assert_eq!(details["created"], "2026-02-04T09:00:00Z");
        assert_eq!((&approved["action_chosen"], &approved["backup_path"]), (&json!("overwrite"), &json!(BACKUP)));
        assert_eq!(approved["human_gate_response"], "approve");
        let persisted = world.state("P5");
        assert_eq!((&persisted["persistence_success"], &persisted["overwrite_mode"]), (&json!(true), &json!(true)));
        assert_eq!(persisted["files_created"].as_array().unwrap().len(), 4);
        assert!(world.path(BACKUP).is_file());
        assert_eq!(world.state("P6")["final_state"], "success");
        let sidecar = world.read(&format!("{CLAUDE}/metadata.yaml"));
        assert!(sidecar.contains("created: \"2026-02-05T10:01:00Z\""), "{sidecar}");
    }

    #[test]
    fn recovery_2_validation_failure_and_retry() {
        assert_eq!(LONG.len(), 73);
        let (world, said, held) = retried();
        let phases: Vec<(u64, &str)> = held.iter().map(|(slot, phase, _)| (*slot, phase.as_str())).collect();
        assert_eq!(phases, [(0, "P0"), (1, "P1"), (2, "P2"), (3, "P3")]);
        let refused = &held[3].2;
        assert_eq!(refused["validation_passed"], false);
        let error = &refused["validation_errors"][0];
        assert_eq!(error["code"], "E-CREATE-005");
        assert!(error["message"].as_str().unwrap().contains("64"), "{error}");
        assert!(error["remediation"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        said.says("ERROR [E-CREATE-005]: ").says("\nSuggestion: ");
        let before = said.err.split("ERROR [E-CREATE-005]").next().unwrap();
        assert!(!before.contains("Write this?"), "the gate is not shown for it");
        assert_eq!(said.times("Write this?"), 1);

        assert_eq!(world.markers(), all_markers_from(0), "P1 was pushed again, P2 lands in slot 2");
        assert_eq!(world.state("P2")["skill_name"], "validate-email-patterns");
        assert_eq!(world.state("P3")["validation_passed"], true);
        assert!(world.exists(".claude/skills/validate-email-patterns/SKILL.md"));
        assert!(!world.exists(&format!(".claude/skills/{LONG}")));
    }
}

//! Runs that wait: taken up where they stopped, with everything that was given, and the gate always asked again.

use std::fs;

use hefesto::terminal::prompt::Answer;
use serde_json::{Value, json};

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, Said, World};

const DESCRIPTION: &str = "What should the skill do? (one sentence)";
const TITLE: &str = "Name";
const INSTRUCTIONS: &str = "Main instructions (optional)";
const GATE: &str = "Write this?";

fn silence(lines: &[&str]) -> Person {
    Person::saying(lines).ends(Answer::TimedOut)
}

fn resume(world: &World, args: &[&str], person: Person) -> Said {
    world.run_by(&[&["resume"], args].concat(), person)
}

fn status(world: &World, index: usize) -> String {
    world.data(&["runs"])["runs"][index]["status"].as_str().unwrap().to_owned()
}

/// The run as its process left it when it was killed: no word of its end, nothing set aside.
fn kill(world: &World) {
    let db = world.database();
    db.execute_batch("UPDATE runs SET status = 'running', ended_at = NULL, error = NULL; DELETE FROM wm_aside")
        .unwrap();
}

#[test]
fn after_silence_a_signal_or_nobody_at_the_gate() {
    for (ending, exit) in [
        (Answer::TimedOut, 4),
        (Answer::NobodyThere, 3),
        (Answer::Signal(2), 130),
        (Answer::Signal(15), 143),
        (Answer::Signal(1), 129),
    ] {
        let world = World::two();
        let before = world.picture();
        let said = world.create_by(&[EMAIL, "--target", "gemini"], Person::default().ends(ending));
        let id = world.newest();
        said.is(exit).says("Continue with").says(&id);
        world.unchanged_since(&before);
        assert_eq!(status(&world, 0), "paused");
        let said = resume(&world, &["--json"], Person::saying(&["approve"])).ok();
        assert_eq!(said.times(GATE), said.asked.len());
        let data = said.json()["data"].clone();
        assert_eq!((&data["run_id"], &data["name"]), (&json!(id), &json!(NAME)));
        assert_eq!(data["working_memory"]["slots_used"], 7);
        assert!(world.exists(GEMINI) && !world.exists(CLAUDE), "the targets of then");
        assert_eq!(status(&world, 0), "done");
        assert_eq!(world.data(&["runs"])["runs"].as_array().unwrap().len(), 1, "it is the same run");
        resume(&world, &[], Person::nobody()).fails("E-RESUME-001", 1);
    }
}

#[test]
fn the_gate_is_asked_again_and_a_rejection_ends_it() {
    let world = World::two();
    world.create_by(&[EMAIL], silence(&[])).is(4);
    let before = world.picture();
    resume(&world, &[], silence(&[])).fails("E-CREATE-012", 4).says("Continue with");
    resume(&world, &[], Person::nobody()).fails("E-CREATE-011", 3).says("hefesto approve");
    world.unchanged_since(&before);
    resume(&world, &[], Person::saying(&["reject"])).fails("E-CREATE-011", 3).never_says("Continue with");
    world.unchanged_since(&before);
    assert_eq!(status(&world, 0), "declined");
    resume(&world, &[], Person::saying(&[])).fails("E-RESUME-001", 1);
}

#[test]
fn what_was_edited_or_added_at_the_gate_before_silence_is_there_again() {
    // An edited text and added resources are still there.
    let world = World::two();
    let editor = world.script("editor", "echo by hand >> \"$1\"");
    world.set("EDITOR", &editor);
    let lines = ["expand", "scripts", "run.sh", "echo", "END", "no", "done", "edit"];
    world.create_by(&[EMAIL], silence(&lines)).is(4);
    world.data(&["memory", "ring", "show"]);
    resume(&world, &["--yes"], Person::nobody()).is(0);
    for at in [CLAUDE, GEMINI] {
        assert!(world.skill(at).ends_with("by hand\n"));
        assert_eq!(world.read(&format!("{at}/scripts/run.sh")), "echo\n");
    }
    // What was added at the gate before silence is there again.
    let world = World::two();
    world.write("go.sh", "#!/bin/sh\nexit 0\n");
    world.create_by(&[EMAIL], silence(&["expand", "scripts:go.sh"])).fails("E-CREATE-012", 4);
    resume(&world, &[], Person::saying(&["approve"])).is(0);
    assert!(world.read(&format!("{CLAUDE}/scripts/go.sh")).contains("exit 0"));
}

#[test]
fn killed_at_the_gate_or_in_the_wizard_loses_no_answer() {
    // Killed at the gate.
    let world = World::two();
    world.create_by(&[EMAIL, "--license", "Apache-2.0"], silence(&[])).is(4);
    kill(&world);
    assert_eq!(status(&world, 0), "running");
    assert_eq!(resume(&world, &["--json"], Person::saying(&["approve"])).data()["working_memory"]["lane"], 0);
    assert!(world.read(&format!("{CLAUDE}/metadata.yaml")).contains("Apache-2.0"));
    // Killed in the wizard loses no answer.
    let world = World::two();
    let look = world.meanwhile(|root| {
        let db = rusqlite::Connection::open(root.join(".hefesto/memory.db")).unwrap();
        let kept: String = db.query_row("SELECT answers FROM runs", [], |row| row.get(0)).unwrap();
        assert!(kept.contains("my-skill"), "kept while the next question waits: {kept}");
    });
    world.create_by(&[], Person::saying(&[EMAIL, "my-skill"]).does(look, "back").ends(Answer::TimedOut)).is(4);
    resume(&world, &[], silence(&[""])).is(4);
    kill(&world);
    let said = resume(&world, &[], Person::saying(&["Words.", "", "", "continue", "approve"])).ok();
    assert_eq!(said.asked[0].text, INSTRUCTIONS);
    assert!(world.exists(".claude/skills/my-skill"));
}

#[test]
fn a_body_from_standard_input_is_approved_later() {
    let world = World::two();
    world.write("answers", "");
    let base = ["--answers", "answers", "--body", "MEMORY.md"];
    world.create(&[&[EMAIL], &base[..]].concat()).fails("E-CREATE-011", 3).says("hefesto approve");
    let id = world.newest();
    fs::remove_file(world.path("answers")).unwrap();
    world.run_by(&["approve", &id[..], "--json"], ["approve"]).is(0);
    assert!(world.skill(CLAUDE).contains("Total Skills"), "the body of then");
    world.run(&["approve", &id]).fails("E-RESUME-001", 1);
}

#[test]
fn the_wizard_goes_on_at_the_step_with_what_was_answered() {
    for (ending, exit) in [(Answer::TimedOut, 4), (Answer::Signal(2), 130), (Answer::NobodyThere, 3)] {
        let world = World::two();
        world.write("notes.md", "notes\n");
        let given = [EMAIL, "my-skill", "Read RFC 5321 first.", "references:notes.md"];
        let said = world.create_by(&["", "--license", "Apache-2.0"], Person::saying(&given).ends(ending));
        said.is(exit).changes_nothing();
        let said = resume(&world, &[], Person::saying(&["", "gemini", "continue", "approve"]));
        said.is(0).never_says(DESCRIPTION);
        assert_eq!(said.asked.iter().filter(|asked| [TITLE, INSTRUCTIONS].contains(&&asked.text[..])).count(), 0);
        let text = world.skill(".gemini/skills/my-skill");
        assert!(text.contains("Read RFC 5321 first.") && !world.exists(".claude/skills/my-skill"));
        assert_eq!(world.read(".gemini/skills/my-skill/references/notes.md"), "notes\n");
        assert!(world.read(".gemini/skills/my-skill/metadata.yaml").contains("Apache-2.0"), "flags are kept too");
        assert_eq!(world.markers(), (1..8).map(Some).collect::<Vec<_>>(), "P0 was taken up, the others follow");
        let kept: Option<String> =
            world.database().query_row("SELECT answers FROM runs", [], |row| row.get(0)).unwrap();
        assert_eq!(kept, None, "a run that is done keeps no answers");
    }
}

#[test]
fn where_only_the_targets_were_asked_for_the_rest_is_kept() {
    let world = World::bare(&[]);
    world.set("PATH", "/nonexistent");
    world.write("notes.md", "Read RFC 5321 first.\n");
    let args = [EMAIL, "--init", "--name", "my-skill", "--body", "notes.md", "--license", "Apache-2.0"];
    world.create_by(&args, silence(&[])).is(4);
    fs::remove_file(world.path("notes.md")).unwrap();
    resume(&world, &[], Person::saying(&["gemini", "continue", "approve"])).is(0).never_says(DESCRIPTION);
    let at = ".gemini/skills/my-skill";
    assert!(world.skill(at).contains("Read RFC 5321 first."));
    assert!(world.read(&format!("{at}/metadata.yaml")).contains("Apache-2.0"));
}

#[test]
fn damaged_answers_are_asked_again() {
    for damage in ["", "{", "[]", "null", "{\"step\":99}", "{\"step\":\"targets\",\"description\":7}", "\u{1}"] {
        let world = World::two();
        world.create_by(&[], silence(&[EMAIL, "my-skill"])).is(4);
        world.database().execute("UPDATE runs SET answers = ?1", [damage]).unwrap();
        resume(&world, &[], silence(&[])).is(4).says("New skill").changes_nothing();
        let said = resume(&world, &[], Person::saying(&[EMAIL, "", "", "", "", "continue", "approve"])).ok();
        assert_eq!(said.asked[0].text, DESCRIPTION, "{damage:?}");
        assert!(world.exists(CLAUDE));
    }
    for (key, value) in [("name", json!("../../evil")), ("step", json!("nowhere")), ("targets", json!(["nope"]))] {
        let world = World::two();
        world.create_by(&[], silence(&[EMAIL, "my-skill", "", ""])).is(4);
        let mut kept: Value = serde_json::from_str(
            &world.database().query_row("SELECT answers FROM runs", [], |r| r.get::<_, String>(0)).unwrap(),
        )
        .unwrap();
        kept[key] = value;
        world.database().execute("UPDATE runs SET answers = ?1", [kept.to_string()]).unwrap();
        let outside = crate::support::world::picture(&world.outside(), &["project"]);
        let lines: &[&str] = if key == "step" { &["", "", "", "", "", "continue"] } else { &["", "continue"] };
        let said = resume(&world, &[], Person::saying(lines).then(&["approve"]).then(&[][..]));
        let _either_way = said.exit;
        assert_eq!(crate::support::world::picture(&world.outside(), &["project"]), outside, "{key}");
    }
}

#[test]
fn an_unknown_run_lists_the_waiting_ones_newest_first() {
    let world = World::two();
    resume(&world, &[], Person::nobody()).fails("E-RESUME-001", 1);
    resume(&world, &["nope"], Person::nobody()).fails("E-RESUME-001", 1).says("hefesto create");
    world.create_by(&[EMAIL], silence(&[])).is(4);
    let first = world.newest();
    world.at("2026-02-05T10:01:00Z").create_by(&["Review pull requests"], silence(&[])).is(4);
    let second = world.newest();
    let before = world.picture();
    let said = resume(&world, &["nope"], Person::nobody());
    said.fails("E-RESUME-001", 1);
    assert!(said.err.find(&second).unwrap() < said.err.find(&first).unwrap(), "{}", said.err);
    resume(&world, &["01"], Person::nobody()).fails("E-RESUME-001", 1).says("several");
    world.unchanged_since(&before);
    assert_eq!(resume(&world, &[&first[16..], "--yes", "--json"], Person::nobody()).data()["run_id"], first);
    let said = resume(&world, &["--yes", "--json"], Person::nobody());
    assert_eq!(said.json()["data"]["run_id"], second, "the newest that still waits");
}

#[test]
fn others_go_on_in_the_same_lane_meanwhile() {
    let world = World::two();
    world.create_by(&[EMAIL, "--name", "first-skill"], silence(&[])).is(4);
    let waiting = world.newest();
    for number in 0..3 {
        let name = format!("other-{number}");
        let said = world.create(&["Review pull requests", "--name", &name, "--yes", "--json"]);
        assert_eq!(said.json()["data"]["working_memory"]["lane"], 0);
    }
    let memory = resume(&world, &[&waiting, "--yes", "--json"], Person::nobody()).data()["working_memory"].clone();
    assert_eq!((&memory["lane"], &memory["slots_used"]), (&json!(0), &json!(7)));
    let ring = world.data(&["memory", "ring", "show", "--run", &waiting]);
    let slots: Vec<u64> = (0..7).map(|phase| ring["markers"][format!("P{phase}")].as_u64().unwrap()).collect();
    assert_eq!(slots, [9, 10, 13, 14, 15, 0, 1], "taken up behind the others, P2 and P3 once more");
    assert_eq!(world.run(&["memory", "ring", "verify"]).exit.number(), 0);
}

#[test]
fn a_checkpoint_that_was_tampered_with_is_not_trusted() {
    let world = World::two();
    world.create_by(&[EMAIL], silence(&[])).is(4);
    let before = world.picture();
    let changed = world
        .database()
        .execute("UPDATE wm_aside SET data = replace(data, 'email', 'evil!') WHERE phase = 'P2'", [])
        .unwrap();
    assert_eq!(changed, 1);
    resume(&world, &["--yes"], Person::nobody()).fails("E-CREATE-015", 1);
    resume(&world, &["--yes"], Person::nobody()).fails("E-CREATE-015", 1);
    world.unchanged_since(&before);
    world.create(&["Review pull requests", "--yes"]).is(0);
}

#[test]
fn in_a_project_that_is_not_yet_initialised() {
    let world = World::bare(&["claude"]);
    let before = world.picture();
    world.create_by(&[EMAIL], silence(&["yes"])).is(4).says("Continue with");
    world.unchanged_since(&before);
    resume(&world, &["--yes"], Person::nobody()).is(0);
    assert!(world.exists("MEMORY.md") && world.exists(CLAUDE));

    let world = World::bare(&["claude"]);
    world.create_by(&["", "--init"], silence(&[EMAIL, "my-skill"])).is(4).says("Continue with");
    let said = resume(&world, &[], Person::saying(&["", "", "", "continue", "approve"])).ok();
    assert_eq!(said.asked[0].text, INSTRUCTIONS, "what was answered before there was a database is kept");
    assert!(world.exists("MEMORY.md") && world.exists(".claude/skills/my-skill"));
}

#[test]
fn a_collision_that_came_about_meanwhile_is_decided() {
    let world = World::two();
    world.create_by(&[EMAIL], silence(&[])).is(4);
    let first = world.newest();
    world.create(&[EMAIL, "--yes"]).is(0);
    for how in [&["--yes"][..], &[], &["--on-collision", "rename"], &["--on-collision", "skip"]] {
        resume(&world, how, Person::nobody())
            .fails("E-CREATE-003", 3)
            .says("Continue with `hefesto ")
            .changes_nothing();
    }
    resume(&world, &[], Person::saying(&["cancel"])).fails("E-CREATE-013", 3).never_says("Continue with");
    resume(&world, &[], Person::nobody()).fails("E-RESUME-001", 1);
    assert_eq!(world.data(&["runs"])["runs"][1]["run_id"], first);
}

#[test]
fn where_nobody_is_there_at_a_collision_the_run_waits() {
    for person in [Person::nobody(), Person::saying(&[])] {
        let world = World::holding_the_skill();
        world.create_by(&[EMAIL], person).fails("E-CREATE-003", 3).says("Continue with `hefesto ");
        assert_eq!(status(&world, 0), "paused");
        resume(&world, &[], Person::saying(&["overwrite", "approve"])).is(0);
    }
}

#[test]
fn a_resumed_run_that_meets_an_obstacle_waits_on() {
    let world = World::two();
    world.create_by(&[EMAIL], silence(&[])).is(4);
    fs::rename(world.path(".gemini"), world.path("aside")).unwrap();
    world.write(".gemini", "a file");
    resume(&world, &["--yes"], Person::nobody()).fails("E-CREATE-006", 1).says("Continue with");
    fs::remove_file(world.path(".gemini")).unwrap();
    fs::rename(world.path("aside"), world.path(".gemini")).unwrap();
    let action = world.meanwhile(|root| crate::support::world::write(&root.join(CLAUDE).join("SKILL.md"), "meanwhile"));
    resume(&world, &[], Person::default().does(action, "approve")).fails("E-TXN-002", 5).says("Continue with");
    fs::remove_dir_all(world.path(CLAUDE)).unwrap();
    resume(&world, &["--yes"], Person::nobody()).is(0);
    assert!(world.exists(CLAUDE) && world.exists(GEMINI));
}

#[test]
fn a_target_that_is_no_longer_configured_is_named() {
    let world = World::two();
    world.write(".hefesto/config.toml", "[targets.mine]\nskills_dir = \".mine/skills\"\n");
    let said = world.create_by(&[EMAIL, "--target", "claude,mine"], silence(&[]));
    if said.exit.number() != 4 {
        panic!("{}", said.err);
    }
    world.write(".hefesto/config.toml", "");
    resume(&world, &["--yes"], Person::nobody()).fails("E-CREATE-004", 1).says("mine");
    assert!(!world.exists(CLAUDE));
}

#[test]
fn another_description_keeps_everything_else_that_was_given() {
    let long = "a".repeat(70);
    let args = [EMAIL, "--name", &long, "--body", "MEMORY.md", "--license", "Apache-2.0", "--target", "gemini"];
    for waits in [false, true] {
        let (world, person) = (World::two(), Person::saying(&["Review pull requests", "approve"]));
        if waits {
            world.create_by(&args, silence(&[])).is(4);
            resume(&world, &[], person).is(0);
        } else {
            world.create_by(&args, person).is(0);
        }
        let at = ".gemini/skills/review-pull-requests";
        assert!(world.skill(at).contains("Total Skills"));
        assert!(world.read(&format!("{at}/metadata.yaml")).contains("Apache-2.0"));
        assert!(!world.exists(".claude/skills/review-pull-requests"));
    }
}

#[test]
fn a_full_queue_of_conversations_is_said_and_a_discard_frees_it() {
    let world = World::two();
    world.write(".hefesto/config.toml", "[fifo]\ncapacity = 2\n");
    for description in ["Review SQL migrations", "Translate release notes"] {
        world.create(&[description]).is(3).never_says("WARN-022");
    }
    world.create(&["Extract tables from PDF files"]).is(3).says("WARN-022").says("hefesto runs --discard --all");
    world.run(&["runs", "--discard", "--all"]).is(0);
    world.create(&[EMAIL, "--yes"]).is(0).never_says("WARN-022");
    let recent = world.data(&["memory", "fifo", "recent"])["conversations"].to_string();
    assert!(recent.contains(EMAIL) && !recent.contains("Review SQL migrations"), "{recent}");
}

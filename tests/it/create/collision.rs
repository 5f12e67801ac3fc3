//! A skill of that name exists: five answers, each followed by the gate, and never a lost byte.

use std::fs;
use std::process::Command;

use hefesto::terminal::prompt::Answer;

use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World, picture};

const COLLISION: &str = "What should happen?";
const GATE: &str = "Write this?";
const KEEP: &str = "Keep which?";
const ARCHIVE: &str = ".hefesto/backups/validate-email-addresses-2026-02-05T10-01-00.tar.gz";

/// The skill in both CLIs, changed by hand in Claude's: another first step, and a section and a file of one's own.
fn edited() -> World {
    let world = World::holding_the_skill();
    edit(&world, CLAUDE, "Mine:");
    world.write(&format!("{CLAUDE}/notes/mine.txt"), "do not lose me\n");
    fs::create_dir_all(world.path(&format!("{CLAUDE}/scripts"))).unwrap();
    let script = world.path(&format!("{CLAUDE}/scripts/mine.sh"));
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world.at("2026-02-05T10:01:00Z");
    world
}

fn edit(world: &World, at: &str, mark: &str) {
    let text = world.read(&format!("{at}/SKILL.md"));
    let (above, steps) = text.split_once("\n1. ").unwrap();
    let (steps, below) = steps.split_once("\n## Limits and traps\n").unwrap();
    let rules = format!("## House rules\n\n{mark} keep this.\n\n## Limits and traps");
    world.write(&format!("{at}/SKILL.md"), format!("{above}\n1. {mark} {steps}\n{rules}\n{below}"));
}

fn backups(world: &World) -> Vec<String> {
    let dir = world.path(".hefesto/backups");
    let mut names: Vec<String> = fs::read_dir(dir)
        .map(|entries| entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect())
        .unwrap_or_default();
    names.sort();
    names
}

#[test]
fn the_screen_shows_what_is_there_and_how_it_differs() {
    let world = edited();
    let said = world.create_by(&[EMAIL], ["cancel"]);
    said.says(&format!("{CLAUDE}/\n")).says("created   2026-02-05T10:00:00Z").says("version   1.0.0");
    said.says("author    user").says("in 4 files").says("modified  2");
    said.says("-- Skill validate-email-addresses exists -");
    let text = world.read(&format!("{CLAUDE}/SKILL.md"));
    let step = text.lines().find_map(|line| line.strip_prefix("1. Mine: ")).unwrap();
    said.says(&format!("\n-1. Mine: {step}\n+1. {step}\n"));
    said.says(&format!("{GEMINI}/\n")).says("SKILL.md is the same as the new one");
}

#[test]
fn cancel_changes_nothing() {
    let world = edited();
    world.create_by(&[EMAIL], ["c"]).fails("E-CREATE-013", 3).says("no changes made").changes_nothing();
    assert_eq!(world.logged()["decision"], "collision_cancel");
}

#[test]
fn unknown_words_and_enter_decide_nothing() {
    let world = edited();
    let said = world.create_by(&[EMAIL], ["", "approve", "y", "skip", "cancel"]);
    said.fails("E-CREATE-013", 3).says("overwrite  replace every copy, after a backup");
    assert_eq!((said.times(COLLISION), said.times(GATE)), (5, 0));
    let asked = said.questions(COLLISION)[0].clone();
    assert_eq!(asked.choices, ["overwrite", "merge", "rename", "cancel"], "skip only where a target is free");
    assert!(asked.typed && asked.default.is_none());
    said.changes_nothing();
}

#[test]
fn silence_a_signal_and_nobody_change_nothing() {
    for (answer, code, exit) in [
        (Answer::TimedOut, "E-CREATE-012", 4),
        (Answer::NobodyThere, "E-CREATE-003", 3),
        (Answer::Signal(2), "E-SIGNAL-001", 130),
    ] {
        let world = edited();
        world.create_by(&[EMAIL], Person::default().ends(answer)).fails(code, exit).changes_nothing();
    }
}

#[test]
fn yes_alone_never_overwrites() {
    let world = edited();
    let before = world.picture();
    world.create_by(&[EMAIL, "--yes"], Person::saying(&[])).fails("E-CREATE-003", 3).says("--on-collision");
    world.create_by(&[EMAIL, "--yes", "--on-collision", "ask"], Person::saying(&[])).fails("E-CREATE-003", 3);
    world.create(&[EMAIL]).fails("E-CREATE-003", 3);
    world.unchanged_since(&before);
}

#[test]
fn overwrite_needs_a_second_answer() {
    let world = edited();
    world.create_by(&[EMAIL], ["overwrite"]).fails("E-CREATE-011", 3).changes_nothing();
    let said = world.create_by(&[EMAIL], ["overwrite", "reject"]);
    said.fails("E-CREATE-011", 3).says(&format!("overwrite {CLAUDE}/")).changes_nothing();
    assert!(backups(&world).is_empty(), "a backup is made once it is needed");
}

#[test]
fn overwrite_backs_up_every_copy_and_tar_restores_the_exact_tree() {
    let world = edited();
    let (claude, gemini) = (picture(&world.path(CLAUDE), &[]), picture(&world.path(GEMINI), &[]));
    let said = world.create_by(&[EMAIL, "--json"], ["overwrite", "approve"]).ok();
    assert_eq!(said.json()["data"]["backup"], ARCHIVE);
    assert_eq!(said.json()["data"]["targets"][0]["action"], "overwrite");
    assert!(!world.exists(&format!("{CLAUDE}/notes")) && !world.exists(&format!("{CLAUDE}/scripts")));
    assert!(!world.read(&format!("{CLAUDE}/SKILL.md")).contains("Mine"));
    world.nothing_left_over();

    fs::remove_dir_all(world.path(".claude/skills")).unwrap();
    fs::remove_dir_all(world.path(".gemini/skills")).unwrap();
    let tar = Command::new("tar").args(["-xzf", ARCHIVE, "-C", "."]).current_dir(world.root()).status().unwrap();
    assert!(tar.success());
    let restored = picture(&world.path(CLAUDE), &[]);
    assert_eq!(restored.keys().collect::<Vec<_>>(), claude.keys().collect::<Vec<_>>());
    assert_eq!(restored, claude);
    assert_eq!(picture(&world.path(GEMINI), &[]), gemini);
}

#[test]
fn two_overwrites_in_one_second_leave_two_archives() {
    let world = edited();
    for _ in 0..2 {
        world.create_by(&[EMAIL, "--on-collision", "overwrite", "--yes"], Person::saying(&[])).is(0);
    }
    let names = backups(&world);
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.iter().all(|name| name.starts_with("validate-email-addresses-2026-02-05T10-01-00")));
    assert!(ARCHIVE.ends_with(&names[0]) || ARCHIVE.ends_with(&names[1]));
}

#[test]
fn a_backup_that_cannot_be_made_leaves_the_original() {
    let world = edited();
    let before = world.picture();
    let _ = fs::remove_dir_all(world.path(".hefesto/backups"));
    world.write(".hefesto/backups", "in the way");
    world.create_by(&[EMAIL], ["overwrite", "approve"]).fails("E-CREATE-014", 6);
    assert_eq!(world.picture(), before);
}

#[test]
fn rename_gives_directory_frontmatter_and_sidecar_the_new_name() {
    let world = edited();
    let old = picture(&world.path(CLAUDE), &[]);
    let person = Person::saying(&["rename", "validate-email-v2", "approve"]);
    assert_eq!(world.create_by(&[EMAIL, "--json"], person).data()["name"], "validate-email-v2");
    for cli in [".claude", ".gemini"] {
        let text = world.read(&format!("{cli}/skills/validate-email-v2/SKILL.md"));
        assert!(text.starts_with("---\nname: \"validate-email-v2\"\n"), "{text}");
        assert!(
            world
                .read(&format!("{cli}/skills/validate-email-v2/metadata.yaml"))
                .contains("name: \"validate-email-v2\"")
        );
    }
    assert_eq!(picture(&world.path(CLAUDE), &[]), old);
    assert!(world.read("MEMORY.md").contains("| validate-email-v2 | claude, gemini |"));
    assert_eq!(world.state("P4")["new_skill_name"], "validate-email-v2");
}

#[test]
fn rename_then_reject_changes_nothing() {
    let world = edited();
    world.create_by(&[EMAIL], ["rename", "other-name", "reject"]).fails("E-CREATE-011", 3).changes_nothing();
}

#[test]
fn rename_asks_again_for_a_taken_name_and_says_what_becomes_of_it() {
    let world = edited();
    world.write(".gemini/skills/taken/SKILL.md", "mine");
    let said = world.create_by(&[EMAIL], ["ren", "taken", "!!!", "Free Name!", "approve"]);
    said.is(0).says("`taken` exists too").says("No name can be made of that").says("The name becomes `free-name`");
    assert!(world.exists(".claude/skills/free-name/SKILL.md"));
    assert_eq!(world.read(".gemini/skills/taken/SKILL.md"), "mine");
}

#[test]
fn rename_by_flag_takes_the_name_as_it_is() {
    let world = edited();
    let args = [EMAIL, "--yes", "--on-collision", "rename", "--rename-to"];
    world.create_by(&[&args[..], &["Not A Name"]].concat(), Person::saying(&[])).fails("ERR-007", 1);
    world.create_by(&[&args[..], &[NAME]].concat(), Person::saying(&[])).fails("E-CREATE-003", 3);
    world.create_by(&[&args[..], &["fresh"]].concat(), Person::saying(&[])).is(0);
    assert!(world.exists(".claude/skills/fresh/SKILL.md"));
    world.create_by(&[EMAIL, "--rename-to", "x"], Person::saying(&[])).fails("E-USAGE-001", 2);
}

#[test]
fn skip_writes_only_where_nothing_lies() {
    let world = edited();
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    let claude = picture(&world.path(CLAUDE), &[]);
    world.create_by(&[EMAIL], ["skip", "reject"]).fails("E-CREATE-011", 3).changes_nothing();
    let said = world.create_by(&[EMAIL], ["skip", "approve"]).ok();
    assert_eq!(said.questions(COLLISION)[0].choices, ["overwrite", "merge", "rename", "skip", "cancel"]);
    assert!(said.out.contains("left as it was") && world.exists(&format!("{GEMINI}/SKILL.md")));
    assert_eq!(picture(&world.path(CLAUDE), &[]), claude);
    assert!(backups(&world).is_empty());
    assert!(world.read("MEMORY.md").contains(&format!("| {NAME} | claude, gemini |")), "{}", world.read("MEMORY.md"));
}

#[test]
fn skip_without_a_free_target_is_refused() {
    let world = edited();
    let said = world.create_by(&[EMAIL, "--yes", "--on-collision", "skip"], Person::saying(&[]));
    said.fails("E-CREATE-003", 3).changes_nothing();
}

#[test]
fn merge_keeps_order_and_untouched_sections_and_asks_for_each_difference() {
    let world = edited();
    let old = world.read(&format!("{CLAUDE}/SKILL.md"));
    let said = world.create_by(&[EMAIL], ["merge", "", "both", "existing", "approve"]);
    said.is(0).says("Answer existing or new.").says(&format!("{CLAUDE}: ")).says(" > Steps");
    assert_eq!(said.times(KEEP), 3);
    assert_eq!(world.read(&format!("{CLAUDE}/SKILL.md")), old, "kept: its order, its own section, its bytes");
    assert_eq!(world.read(&format!("{CLAUDE}/notes/mine.txt")), "do not lose me\n");
    assert_eq!(backups(&world).len(), 1);
}

#[test]
fn what_was_chosen_is_told_the_next_time_until_it_is_forgotten() {
    let world = edited();
    let told = [format!("As for `{NAME}` before: merge."), format!("As for `{NAME}` before: existing.")];
    let said = world.create_by(&[EMAIL], ["merge", "existing", "approve"]);
    told.iter().for_each(|told| _ = said.is(0).never_says(told));
    world.at("2026-02-05T10:02:00Z");
    let said = world.create_by(&[EMAIL], ["merge", "existing", "approve"]);
    told.iter().for_each(|told| _ = said.is(0).says(told));
    assert!(said.questions(COLLISION)[0].default.is_none(), "Enter decides nothing");
    let facts = world.data(&["memory", "facts", "list"])["facts"].clone();
    let key = format!("chosen:{NAME}:collision");
    assert!(facts.as_array().unwrap().iter().any(|one| one["key"] == key.as_str()), "{facts}");
    world.data(&["memory", "facts", "forget", &key, "--yes"]);
    world.create_by(&[EMAIL], ["cancel"]).is(3).never_says("before: merge");
}

#[test]
fn merge_takes_the_new_section_where_that_is_answered() {
    let world = edited();
    let old = world.read(&format!("{CLAUDE}/SKILL.md"));
    world.create_by(&[EMAIL], ["merge", "new", "approve"]).is(0);
    let new = world.read(&format!("{CLAUDE}/SKILL.md"));
    let wanted = old.replace("\n1. Mine: ", "\n1. ").replace("version: \"1.0.0\"", "version: \"1.0.1\"");
    assert_eq!(new, wanted, "the rest stays to the byte");
    assert!(new.contains("## House rules\n\nMine: keep this."));
    let place = |heading: &str| new.find(heading).unwrap();
    assert!(
        place("\n# Validate") < place("\n## House rules") && place("\n## House rules") < place("\n## Limits and traps")
    );
    assert_eq!(world.run(&["validate", NAME]).exit.number(), 0);
    assert_eq!(world.state("P4")["action_chosen"], "merge");
}

#[test]
fn merge_then_reject_silence_or_nobody_changes_nothing() {
    for (person, exit) in [
        (Person::saying(&["merge", "new", "reject"]), 3),
        (Person::saying(&["merge", "new"]), 3),
        (Person::saying(&["merge"]), 3),
        (Person::saying(&["merge"]).ends(Answer::TimedOut), 4),
        (Person::saying(&["merge"]).ends(Answer::Signal(15)), 143),
    ] {
        let world = edited();
        world.create_by(&[EMAIL], person).is(exit).changes_nothing();
    }
}

#[test]
fn merge_without_a_person_keeps_every_existing_section() {
    let world = edited();
    let old = world.read(&format!("{CLAUDE}/SKILL.md"));
    world.create_by(&[EMAIL, "--on-collision", "merge", "--yes"], Person::saying(&[])).is(0);
    assert_eq!(world.read(&format!("{CLAUDE}/SKILL.md")), old);
    assert_eq!(backups(&world).len(), 1);
}

#[test]
fn copies_that_differ_merge_on_their_own() {
    let world = edited();
    edit(&world, GEMINI, "Hers:");
    let person = Person::saying(&["merge", "existing", "new", "approve"]);
    world.create_by(&[EMAIL], person).is(0);
    let (claude, gemini) = (world.read(&format!("{CLAUDE}/SKILL.md")), world.read(&format!("{GEMINI}/SKILL.md")));
    assert!(claude.contains("\n1. Mine: ") && claude.contains("Mine: keep this") && !claude.contains("Hers"));
    assert!(!gemini.contains("\n1. Hers: ") && gemini.contains("Hers: keep this") && !gemini.contains("Mine"));
    assert!(claude.contains("$ARGUMENTS") && gemini.contains("{{args}}"));
}

#[test]
fn a_merge_that_would_be_invalid_is_refused() {
    let world = edited();
    let text = world.read(&format!("{CLAUDE}/SKILL.md"));
    world.write(&format!("{CLAUDE}/SKILL.md"), format!("{text}\n{}", "one more line\n".repeat(500)));
    world.create_by(&[EMAIL], ["merge", "existing", "existing"]).fails("E-CREATE-005", 1).changes_nothing();
}

#[test]
fn a_directory_without_a_skill_is_a_collision_too() {
    let world = World::two();
    world.write(&format!("{CLAUDE}/notes.txt"), "mine").at("2026-02-05T10:01:00Z");
    let before = world.picture();
    world.create_by(&[EMAIL, "--yes"], Person::saying(&[])).fails("E-CREATE-003", 3).says(CLAUDE);
    world.create_by(&[EMAIL], ["cancel"]).fails("E-CREATE-013", 3).says("no SKILL.md that can be read");
    world.unchanged_since(&before);
    world.create_by(&[EMAIL], ["merge", "approve"]).is(0);
    assert_eq!(world.read(&format!("{CLAUDE}/notes.txt")), "mine");
    assert!(world.exists(&format!("{CLAUDE}/SKILL.md")));

    let world = World::two();
    world.write(&format!("{CLAUDE}/notes.txt"), "mine").at("2026-02-05T10:01:00Z");
    world.create_by(&[EMAIL], ["overwrite", "approve"]).is(0);
    assert!(!world.exists(&format!("{CLAUDE}/notes.txt")));
    let file = format!("{CLAUDE}/notes.txt");
    let kept = Command::new("tar").args(["-xzOf", ARCHIVE, &file]).current_dir(world.root()).output().unwrap();
    assert_eq!(kept.stdout, b"mine");
}

#[test]
fn an_empty_directory_is_a_collision_too() {
    let world = World::two();
    fs::create_dir_all(world.path(CLAUDE)).unwrap();
    world.create_by(&[EMAIL, "--yes"], Person::saying(&[])).fails("E-CREATE-003", 3);
}

#[test]
fn what_appears_between_gate_and_writing_is_not_overwritten() {
    for at in [CLAUDE, GEMINI] {
        let world = World::two();
        let action =
            world.meanwhile(move |root| crate::support::world::write(&root.join(at).join("SKILL.md"), "theirs"));
        let said = world.create_by(&[EMAIL], Person::default().does(action, "approve"));
        said.fails("E-TXN-002", 5).says(at).says("nothing was written");
        assert_eq!(world.read(&format!("{at}/SKILL.md")), "theirs");
        assert!(!world.exists(if at == CLAUDE { GEMINI } else { CLAUDE }));
        assert!(!world.read("MEMORY.md").contains(NAME));
        world.nothing_left_over();
    }
}

#[test]
fn what_changes_or_goes_after_it_was_shown_is_left_alone() {
    let world = edited();
    let action =
        world.meanwhile(|root| crate::support::world::write(&root.join(CLAUDE).join("SKILL.md"), "changed meanwhile"));
    let person = Person::saying(&["overwrite"]).does(action, "approve");
    world.create_by(&[EMAIL], person).fails("E-TXN-002", 5);
    assert_eq!(world.read(&format!("{CLAUDE}/SKILL.md")), "changed meanwhile");
    assert!(backups(&world).is_empty());

    let world = edited();
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    let action = world.meanwhile(|root| fs::remove_dir_all(root.join(CLAUDE)).unwrap());
    let person = Person::saying(&["skip"]).does(action, "approve");
    world.create_by(&[EMAIL], person).fails("E-TXN-002", 5);
    assert!(!world.exists(GEMINI), "a skipped copy that is gone is not skipped");
}

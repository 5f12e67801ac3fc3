//! A skill of that name exists: five answers, each followed by the gate, and never a lost byte.

use std::fs;

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
    let text = world.skill(at);
    let (above, steps) = text.split_once("\n1. ").unwrap();
    let (steps, below) = steps.split_once("\n## Limits and traps\n").unwrap();
    let rules = format!("## House rules\n\n{mark} keep this.\n\n## Limits and traps");
    world.write_skill(at, format!("{above}\n1. {mark} {steps}\n{rules}\n{below}"));
}

#[test]
fn the_screen_shows_what_is_there_and_unknown_words_and_enter_decide_nothing() {
    let world = edited();
    let said = world.create_by(&[EMAIL], ["", "approve", "y", "skip", "cancel"]);
    said.fails("E-CREATE-013", 3).says("overwrite  replace every copy, after a backup").says("no changes made");
    assert_eq!((said.times(COLLISION), said.times(GATE)), (5, 0));
    let asked = said.questions(COLLISION)[0].clone();
    assert_eq!(asked.choices, ["overwrite", "merge", "rename", "cancel"], "skip only where a target is free");
    assert!(asked.typed && asked.default.is_none());
    said.changes_nothing();
    assert_eq!(world.logged()["decision"], "collision_cancel");
    said.says(&format!("{CLAUDE}/\n")).says("created   2026-02-05T10:00:00Z").says("version   1.0.0");
    said.says("author    user").says("in 4 files").says("modified  2");
    said.says("-- Skill validate-email-addresses exists -");
    let text = world.skill(CLAUDE);
    let step = text.lines().find_map(|line| line.strip_prefix("1. Mine: ")).unwrap();
    said.says(&format!("\n-1. Mine: {step}\n+1. {step}\n"));
    said.says(&format!("{GEMINI}/\n")).says("SKILL.md is the same as the new one");
}

#[test]
fn without_a_whole_decision_nothing_is_changed() {
    let world = edited();
    let saying = Person::saying;
    let rename = ["--yes", "--on-collision", "rename", "--rename-to"];
    for (more, person, code, exit) in [
        (&[][..], saying(&["c"]), "E-CREATE-013", 3),
        (&[], Person::nobody(), "E-CREATE-003", 3),
        (&[], saying(&[]), "E-CREATE-003", 3),
        (&[], saying(&[]).ends(Answer::TimedOut), "E-CREATE-012", 4),
        (&[], saying(&[]).ends(Answer::Signal(2)), "E-SIGNAL-001", 130),
        (&[], saying(&["overwrite"]), "E-CREATE-011", 3),
        (&[], saying(&["overwrite", "reject"]), "E-CREATE-011", 3),
        (&[], saying(&["rename", "other-name", "reject"]), "E-CREATE-011", 3),
        (&[], saying(&["merge", "new", "reject"]), "E-CREATE-011", 3),
        (&[], saying(&["merge", "new"]), "E-CREATE-011", 3),
        (&[], saying(&["merge"]), "E-CREATE-003", 3),
        (&[], saying(&["merge"]).ends(Answer::TimedOut), "E-CREATE-012", 4),
        (&[], saying(&["merge"]).ends(Answer::Signal(15)), "E-SIGNAL-001", 143),
        (&["--yes"], saying(&[]), "E-CREATE-003", 3),
        (&["--yes", "--on-collision", "ask"], saying(&[]), "E-CREATE-003", 3),
        (&["--yes", "--on-collision", "skip"], saying(&[]), "E-CREATE-003", 3),
        (&[&rename[..], &[NAME]].concat(), saying(&[]), "E-CREATE-003", 3),
        (&[&rename[..], &["Not A Name"]].concat(), saying(&[]), "ERR-007", 1),
        (&["--rename-to", "x"], saying(&[]), "E-USAGE-001", 2),
    ] {
        world.create_by(&[&[EMAIL], more].concat(), person).fails(code, exit).changes_nothing();
    }
    assert!(world.archives().is_empty(), "a backup is made once it is needed");
}

#[test]
fn overwrite_backs_up_every_copy_and_tar_restores_the_exact_tree() {
    let world = edited();
    let (claude, gemini) = (picture(&world.path(CLAUDE), &[]), picture(&world.path(GEMINI), &[]));
    let said = world.create_by(&[EMAIL, "--json"], ["overwrite", "approve"]).ok();
    said.says(&format!("overwrite {CLAUDE}/"));
    assert_eq!(said.err.matches("    remove notes/mine.txt (the backup keeps it)\n").count(), 1);
    assert_eq!(said.err.matches("    remove scripts/mine.sh (the backup keeps it)\n").count(), 1);
    assert_eq!(said.json()["data"]["backup"], ARCHIVE);
    assert_eq!(said.json()["data"]["targets"][0]["action"], "overwrite");
    assert!(!world.exists(&format!("{CLAUDE}/notes")) && !world.exists(&format!("{CLAUDE}/scripts")));
    assert!(!world.skill(CLAUDE).contains("Mine"));
    world.nothing_left_over();

    fs::remove_dir_all(world.path(".claude/skills")).unwrap();
    fs::remove_dir_all(world.path(".gemini/skills")).unwrap();
    world.unpack(ARCHIVE);
    let restored = picture(&world.path(CLAUDE), &[]);
    assert_eq!(restored.keys().collect::<Vec<_>>(), claude.keys().collect::<Vec<_>>());
    assert_eq!(restored, claude);
    assert_eq!(picture(&world.path(GEMINI), &[]), gemini);
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
fn rename_asks_again_and_gives_directory_frontmatter_and_sidecar_the_new_name() {
    // Rename gives directory frontmatter and sidecar the new name.
    let world = edited();
    let old = picture(&world.path(CLAUDE), &[]);
    let person = Person::saying(&["rename", "validate-email-v2", "approve"]);
    assert_eq!(world.create_by(&[EMAIL, "--json"], person).data()["name"], "validate-email-v2");
    for cli in [".claude", ".gemini"] {
        let text = world.read(&format!("{cli}/skills/validate-email-v2/SKILL.md"));
        assert!(text.starts_with("---\nname: \"validate-email-v2\"\n"), "{text}");
        let sidecar = world.read(&format!("{cli}/skills/validate-email-v2/metadata.yaml"));
        assert!(sidecar.contains("name: \"validate-email-v2\""), "{sidecar}");
    }
    assert_eq!(picture(&world.path(CLAUDE), &[]), old);
    assert!(world.read("MEMORY.md").contains("| validate-email-v2 | claude, gemini |"));
    assert_eq!(world.state("P4")["new_skill_name"], "validate-email-v2");
    // Rename asks again for a taken name and says what becomes of it.
    world.write(".gemini/skills/taken/SKILL.md", "mine");
    let said = world.create_by(&[EMAIL], ["ren", "taken", "!!!", "Free Name!", "approve"]);
    said.is(0).says("`taken` exists too").says("No name can be made of that").says("The name becomes `free-name`");
    assert!(world.exists(".claude/skills/free-name/SKILL.md"));
    assert_eq!(world.skill(".gemini/skills/taken"), "mine");
}

#[test]
fn skip_writes_only_where_nothing_lies() {
    let world = edited();
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    let claude = picture(&world.path(CLAUDE), &[]);
    world.create_by(&[EMAIL], ["skip", "reject"]).fails("E-CREATE-011", 3).changes_nothing();
    let said = world.create_by(&[EMAIL], ["skip", "approve"]).ok();
    assert_eq!(said.questions(COLLISION)[0].choices, ["overwrite", "merge", "rename", "skip", "cancel"]);
    assert!(said.out.contains("1. hefesto diff validate-email-addresses (its copies differ)"), "{}", said.out);
    assert!(said.out.contains("left as it was") && world.exists(&format!("{GEMINI}/SKILL.md")));
    assert_eq!(picture(&world.path(CLAUDE), &[]), claude);
    assert!(world.archives().is_empty());
    assert!(world.read("MEMORY.md").contains(&format!("| {NAME} | claude, gemini |")), "{}", world.read("MEMORY.md"));
}

#[test]
fn a_merge_keeps_what_was_there_and_takes_what_is_answered() {
    // Merge keeps order and untouched sections and asks for each difference.
    let world = edited();
    let old = world.skill(CLAUDE);
    let said = world.create_by(&[EMAIL], ["merge", "", "both", "existing", "approve"]);
    said.is(0).says("existing   keep the text that is installed").says(&format!("{CLAUDE}: ")).says(" > Steps");
    assert_eq!(said.times(KEEP), 3);
    assert_eq!(world.skill(CLAUDE), old, "kept: its order, its own section, its bytes");
    assert_eq!(world.read(&format!("{CLAUDE}/notes/mine.txt")), "do not lose me\n");
    assert_eq!(world.archives().len(), 1);
    // Merge without a person keeps every existing section.
    world.create_by(&[EMAIL, "--on-collision", "merge", "--yes"], Person::saying(&[])).is(0);
    assert_eq!(world.skill(CLAUDE), old);
    assert_eq!(world.archives().len(), 2);
    // A merge that would be invalid is refused.
    world.write_skill(CLAUDE, format!("{old}\n{}", "one more line\n".repeat(500)));
    world.create_by(&[EMAIL], ["merge", "existing", "existing"]).fails("E-CREATE-005", 1).changes_nothing();
    world.write_skill(CLAUDE, &old);
    // Merge takes the new section where that is answered.
    world.create_by(&[EMAIL], ["merge", "new", "approve"]).is(0);
    let new = world.skill(CLAUDE);
    let wanted = old.replace("\n1. Mine: ", "\n1. ").replace("version: \"1.0.0\"", "version: \"1.0.1\"");
    assert_eq!(new, wanted, "the rest stays to the byte");
    assert!(new.contains("## House rules\n\nMine: keep this."));
    let place = |heading: &str| new.find(heading).unwrap();
    assert!(place("\n# Validate") < place("\n## House rules"));
    assert!(place("\n## House rules") < place("\n## Limits and traps"));
    assert_eq!(world.run(&["validate", NAME]).exit.number(), 0);
    assert_eq!(world.state("P4")["action_chosen"], "merge");
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
fn copies_that_differ_merge_on_their_own() {
    let world = edited();
    edit(&world, GEMINI, "Hers:");
    let person = Person::saying(&["merge", "existing", "new", "approve"]);
    world.create_by(&[EMAIL], person).is(0);
    let (claude, gemini) = (world.skill(CLAUDE), world.skill(GEMINI));
    assert!(claude.contains("\n1. Mine: ") && claude.contains("Mine: keep this") && !claude.contains("Hers"));
    assert!(!gemini.contains("\n1. Hers: ") && gemini.contains("Hers: keep this") && !gemini.contains("Mine"));
    assert!(claude.contains("$ARGUMENTS") && gemini.contains("{{args}}"));
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
    assert_eq!(world.archived(ARCHIVE, &format!("{CLAUDE}/notes.txt")), b"mine");
    // An empty directory is a collision too.
    let world = World::two();
    fs::create_dir_all(world.path(CLAUDE)).unwrap();
    world.create_by(&[EMAIL, "--yes"], Person::saying(&[])).fails("E-CREATE-003", 3);
}

#[test]
fn what_appears_changes_or_goes_after_it_was_shown_is_left_alone() {
    // What appears between gate and writing is not overwritten.
    for at in [CLAUDE, GEMINI] {
        let world = World::two();
        let action =
            world.meanwhile(move |root| crate::support::world::write(&root.join(at).join("SKILL.md"), "theirs"));
        let said = world.create_by(&[EMAIL], Person::default().does(action, "approve"));
        said.fails("E-TXN-002", 5).says(at).says("nothing was written");
        assert_eq!(world.skill(at), "theirs");
        assert!(!world.exists(if at == CLAUDE { GEMINI } else { CLAUDE }));
        assert!(!world.read("MEMORY.md").contains(NAME));
        world.nothing_left_over();
    }
    // What changes or goes after it was shown is left alone.
    let world = edited();
    let action =
        world.meanwhile(|root| crate::support::world::write(&root.join(CLAUDE).join("SKILL.md"), "changed meanwhile"));
    let person = Person::saying(&["overwrite"]).does(action, "approve");
    world.create_by(&[EMAIL], person).fails("E-TXN-002", 5);
    assert_eq!(world.skill(CLAUDE), "changed meanwhile");
    assert!(world.archives().is_empty());

    let world = edited();
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    let action = world.meanwhile(|root| fs::remove_dir_all(root.join(CLAUDE)).unwrap());
    let person = Person::saying(&["skip"]).does(action, "approve");
    world.create_by(&[EMAIL], person).fails("E-TXN-002", 5);
    assert!(!world.exists(GEMINI), "a skipped copy that is gone is not skipped");
}

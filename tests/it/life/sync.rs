//! `sync`: one edit goes to every copy, several are merged, and nothing of the author's is lost by itself.

use std::fs;

use hefesto::terminal::prompt::Answer;
use serde_json::json;

use super::{agree, insert, states, versions, yes};
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, Person, World};

const ASK: &str = "Keep which?";
const GATE: &str = "Do this?";

#[test]
fn one_edit_goes_to_the_other_copy_in_its_clients_way() {
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "Take $ARGUMENTS as it is.");
    world.write(&format!("{CLAUDE}/references/rfc.md"), "RFC 5321\n");
    let said = world.at("2026-02-05T11:00:00Z").run_by(&["sync", NAME], ["approve"]);
    said.is(0).says("+ references/rfc.md (9 bytes)").says("the edit of claude for all");
    assert!(world.skill(GEMINI).contains("Take {{args}} as it is."));
    assert_eq!(world.read(&format!("{GEMINI}/references/rfc.md")), "RFC 5321\n");
    assert_eq!(versions(&world, CLAUDE), ["1.0.1", "1.0.1"]);
    agree(&world);
    yes(&world, &["sync"]).is(0);
    let before = world.picture();
    assert_eq!(world.data(&["sync"])["skills"], json!([]), "nothing is left to do");
    world.unchanged_since(&before);
}

#[test]
fn a_change_is_shown_whole_and_once() {
    // A long change is shown whole.
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", &"One more line.\n".repeat(90));
    let said = yes(&world, &["sync", NAME]).ok();
    assert_eq!(said.err.matches("+One more line.").count(), 90, "{}", said.err);
    // A change that is the same in several copies is shown once.
    yes(&world, &["add", NAME, "--target", "codex,qwen"]).is(0);
    insert(&world, CLAUDE, "## Steps", "Take $ARGUMENTS as it is.");
    let said = yes(&world, &["sync", NAME]);
    said.is(0).says("+Take {{args}} as it is.").says(&format!("the same change as in {GEMINI}/"));
    assert_eq!(said.err.matches(" as it is.\n").count(), 1, "{}", said.err);
    // Of two files that are no text the sizes are said.
    let put = |copy: &str, last: u8| world.write(&format!("{copy}/assets/a.bin"), [0xff, last]);
    put(CLAUDE, 1);
    yes(&world, &["sync", NAME]).is(0);
    put(CLAUDE, 2);
    put(GEMINI, 3);
    let said = world.run_by(&["sync", NAME], ["gemini", "approve"]);
    said.is(0).says("claude\n  (binary, 2 bytes)\n").says("gemini\n  (binary, 2 bytes)\n");
    assert_eq!(fs::read(world.path(&format!("{CLAUDE}/assets/a.bin"))).unwrap(), [0xff, 3]);
}

#[test]
fn edits_in_two_copies_come_together_and_files_that_were_removed_stay_removed() {
    let world = World::holding_the_skill();
    for copy in [CLAUDE, GEMINI] {
        world.write(&format!("{copy}/references/old.md"), "old\n");
    }
    yes(&world, &["sync", NAME]).is(0);
    fs::remove_file(world.path(&format!("{CLAUDE}/references/old.md"))).unwrap();
    insert(&world, CLAUDE, "## Steps", "From claude.");
    insert(&world, GEMINI, "## Limits and traps", "From gemini.");
    let before = (world.skill(CLAUDE), world.skill(GEMINI));
    yes(world.at("2026-02-05T11:00:00Z"), &["sync", NAME]).is(0);
    for line in ["From claude.", "From gemini."] {
        assert!(world.skill(CLAUDE).contains(line) && world.skill(GEMINI).contains(line), "{line}");
    }
    assert!(!world.exists(&format!("{GEMINI}/references/old.md")));
    agree(&world);
    yes(world.at("2026-02-05T12:00:00Z"), &["undo"]).is(0);
    assert_eq!((world.skill(CLAUDE), world.skill(GEMINI)), before, "undone to the byte");
    assert_eq!(states(&world, NAME), ["claude edited", "gemini edited"], "and what was an edit is one again");
}

fn clashing() -> World {
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "From claude.");
    insert(&world, GEMINI, "## Steps", "From gemini.");
    world.at("2026-02-05T11:00:00Z");
    world
}

#[test]
fn a_clash_is_shown_and_asked_about_and_no_marker_is_written() {
    for (answer, kept, lost) in [
        ("claude", vec!["From claude."], vec!["From gemini."]),
        ("gemini", vec!["From gemini."], vec!["From claude."]),
        ("both", vec!["From claude.", "From gemini."], vec![]),
    ] {
        let world = clashing();
        let said = world.run_by(&["sync", NAME], [answer, "approve"]);
        said.is(0).says("From claude.").says("From gemini.").says("SKILL.md > Steps");
        assert_eq!((said.times(ASK), said.times(GATE)), (1, 1));
        let merged = world.skill(CLAUDE);
        assert!(kept.iter().all(|line| merged.contains(line)), "{answer}: {merged}");
        assert!(lost.iter().all(|line| !merged.contains(line)), "{answer}: {merged}");
        assert!(!merged.contains("<<<") && !merged.contains(">>>") && !merged.contains("==="), "{merged}");
        agree(&world);
    }
}

#[test]
fn a_client_whose_copy_does_not_change_the_place_decides_nothing_there() {
    let world = World::holding_the_skill();
    yes(&world, &["add", NAME, "--target", "codex"]).is(0);
    insert(&world, CLAUDE, "## Steps", "From claude.");
    insert(&world, GEMINI, "## Steps", "From gemini.");
    insert(&world, &CLAUDE.replace("claude", "codex"), "## Limits and traps", "From codex.");
    yes(&world, &["sync", NAME, "--on-conflict", "ours=codex"])
        .fails("E-SYNC-002", 1)
        .says("does not change it")
        .changes_nothing();
    yes(&world, &["sync", NAME, "--on-conflict", "ours=gemini"]).is(0);
    let merged = world.skill(CLAUDE);
    assert!(merged.contains("From gemini."), "{merged}");
    assert!(merged.contains("From codex."), "{merged}");
    assert!(!merged.contains("From claude."), "{merged}");
}

#[test]
fn without_a_decision_nothing_is_written() {
    for (args, person, exit) in [
        (vec!["sync", NAME], Person::nobody(), 3),
        (vec!["sync", NAME, "--yes"], Person::nobody(), 3),
        (vec!["sync", NAME, "--on-conflict", "cancel"], Person::default(), 3),
        (vec!["sync", NAME], Person::saying(&["cancel"]), 3),
        (vec!["sync", NAME], Person::default().ends(Answer::TimedOut), 4),
        (vec!["sync", NAME], Person::default().ends(Answer::Signal(2)), 130),
        (vec!["sync", NAME], Person::saying(&["both", "reject"]), 3),
    ] {
        let world = clashing();
        world.run_by(&args, person).is(exit).changes_nothing();
    }
    clashing().run(&["sync", NAME]).fails("E-SYNC-001", 3).says("--on-conflict ours=claude");
}

#[test]
fn a_flag_says_whose_text_holds_and_the_other_is_in_the_backup() {
    let world = clashing();
    insert(&world, GEMINI, "## Limits and traps", "Only gemini.");
    yes(&world, &["sync", NAME, "--on-conflict", "ours=gemini"]).is(0);
    let merged = world.skill(CLAUDE);
    assert!(merged.contains("From gemini.") && !merged.contains("From claude.") && merged.contains("Only gemini."));
    agree(&world);

    let world = clashing();
    insert(&world, GEMINI, "## Limits and traps", "Only gemini.");
    yes(&world, &["sync", NAME, "--from", "claude"]).is(0);
    let merged = world.skill(GEMINI);
    assert!(merged.contains("From claude.") && !merged.contains("gemini."), "{merged}");
    yes(world.at("2026-02-05T12:00:00Z"), &["undo"]).is(0);
    assert!(world.skill(GEMINI).contains("Only gemini."));

    let world = clashing();
    world.run(&["sync", NAME, "--from", "qwen"]).fails("E-SYNC-002", 1);
    world.run(&["sync", NAME, "--from", "nope"]).fails("E-CREATE-004", 1);
    world.run(&["sync", NAME, "--on-conflict", "mine"]).is(2);
}

#[test]
fn a_version_that_the_author_set_is_kept_and_the_flag_says_which_part_is_raised() {
    let raised = |flags: &[&str], own: &str| {
        let world = World::holding_the_skill();
        insert(&world, CLAUDE, "## Steps", "From claude.");
        let own = world.skill(CLAUDE).replace("version: \"1.0.0\"", &format!("version: \"{own}\""));
        world.write_skill(CLAUDE, own);
        yes(&world, &[&["sync", NAME], flags].concat()).is(0);
        agree(&world);
        let [head, sidecar] = versions(&world, GEMINI);
        assert_eq!(head, sidecar, "metadata.yaml follows");
        head
    };
    assert_eq!(raised(&[], "1.0.0"), "1.0.1");
    assert_eq!(raised(&["--bump", "minor"], "1.0.0"), "1.1.0");
    assert_eq!(raised(&["--bump", "major"], "1.0.0"), "2.0.0");
    assert_eq!(raised(&["--bump", "none"], "1.0.0"), "1.0.0");
    assert_eq!(raised(&[], "3.0.0"), "3.0.0");
}

#[test]
fn a_copy_that_is_missing_comes_back_and_one_that_is_foreign_is_left_alone() {
    let world = World::holding_the_skill();
    fs::remove_dir_all(world.path(GEMINI)).unwrap();
    let foreign = ".qwen/skills/validate-email-addresses/SKILL.md";
    world.write(foreign, "---\nname: validate-email-addresses\ndescription: Mine.\n---\nMine.\n");
    let mine = world.read(foreign);
    yes(&world, &["sync"]).is(0);
    assert_eq!(states(&world, NAME), ["claude same", "gemini same", "qwen foreign"]);
    assert_eq!(world.read(foreign), mine);
    assert_eq!(versions(&world, GEMINI)[0], "1.0.0", "the text is what it was");
}

#[test]
fn what_breaks_a_rule_or_is_edited_while_the_gate_waits_is_not_spread() {
    // What breaks a rule is not spread.
    let world = World::holding_the_skill();
    let broken = world.skill(CLAUDE).replace("description: ", "describe: ");
    world.write_skill(CLAUDE, broken);
    yes(&world, &["sync", NAME]).fails("E-CREATE-005", 1).changes_nothing();
    // An edit while the gate waits is seen.
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "From claude.");
    let file = world.path(&format!("{GEMINI}/SKILL.md"));
    let person = Person::default().does(move || fs::write(file, "saved meanwhile").unwrap(), "approve");
    world.run_by(&["sync", NAME], person).fails("E-TXN-002", 5);
    assert_eq!(world.skill(GEMINI), "saved meanwhile");
}

#[test]
fn the_users_own_skills_are_brought_together_too() {
    let world = World::two();
    world.global(&["create", "Write commit messages", "--target", "claude,gemini", "--yes", "--init"]).is(0);
    let file = world.home(".claude/skills/write-commit-messages/SKILL.md");
    let mine =
        fs::read_to_string(&file).unwrap().replacen("# Write commit messages", "# Write commit messages\n\nMine.", 1);
    assert!(mine.contains("Mine."), "{mine}");
    fs::write(&file, mine).unwrap();
    world.global(&["status", "--check"]).is(1);
    world.global(&["sync", "--yes"]).is(0);
    world.global(&["status", "--check"]).is(0);
    let other = world.home(".gemini/skills/write-commit-messages/SKILL.md");
    assert!(fs::read_to_string(other).unwrap().contains("Mine."));
}

#[test]
fn a_text_made_anew_takes_no_edits_of_the_others_and_is_no_later_one() {
    // A text made anew for one more client does not take the edits of the others.
    let world = World::holding_the_skill();
    insert(&world, CLAUDE, "## Steps", "Mine.");
    yes(world.at("2026-02-05T11:00:00Z"), &["sync", NAME]).is(0);
    world.at("2026-02-05T12:00:00Z").create(&[EMAIL, "--target", "qwen", "--yes"]).is(0);
    assert_eq!(
        states(&world, NAME),
        ["claude same", "gemini same", "qwen outdated"],
        "it is the text of the first day"
    );
    yes(world.at("2026-02-05T13:00:00Z"), &["sync"]).is(0);
    let new = world.skill(".qwen/skills/validate-email-addresses");
    assert!(new.contains("Mine.") && new.contains("version: \"1.0.1\""), "{new}");
    assert!(world.skill(CLAUDE).contains("Mine."));
    // Of two texts that have nothing to do with each other neither is the later one.
    let world = World::holding_the_skill();
    world.write("body.md", "Read RFC 5321 first.\n");
    let args = [EMAIL, "--target", "qwen", "--body", "body.md", "--yes"];
    world.at("2026-02-05T11:00:00Z").create(&args).is(0);
    assert_eq!(states(&world, NAME), ["claude same", "gemini same", "qwen same"]);
    world.run(&["status"]).shows(&format!("`hefesto sync {NAME}` asks which text holds."));
    yes(&world, &["sync", NAME]).fails("E-SYNC-001", 3).changes_nothing();
    yes(&world, &["sync", NAME, "--from", "claude"]).is(0);
    assert!(!world.skill(".qwen/skills/validate-email-addresses").contains("RFC 5321"));
}

#[test]
fn an_edit_is_merged_with_what_was_installed_also_where_its_archive_is_lost() {
    // What was installed is known from another copy where its archive is lost.
    let world = World::holding_the_skill();
    fs::remove_dir_all(world.path(".hefesto/objects")).unwrap();
    insert(&world, CLAUDE, "## Steps", "From claude.");
    yes(world.at("2026-02-05T11:00:00Z"), &["sync", NAME]).is(0);
    assert!(world.skill(GEMINI).contains("From claude."));
    agree(&world);
    // An edit of an older text is merged with the installed one and the flags that decide are named.
    let world = World::holding_the_skill();
    let (codex, away) = (CLAUDE.replace("claude", "codex"), world.outside().join("away"));
    yes(&world, &["add", NAME, "--target", "codex"]).is(0);
    fs::rename(world.path(&codex), &away).unwrap();
    yes(&world, &["repair"]).is(0);
    insert(&world, CLAUDE, "## Steps", "From claude.");
    yes(world.at("2026-02-05T11:00:00Z"), &["sync"]).is(0);
    fs::rename(&away, world.path(&codex)).unwrap();
    insert(&world, &codex, "## Steps", "From codex.");
    let said = yes(world.at("2026-02-05T12:00:00Z"), &["sync"]);
    said.fails("E-SYNC-001", 3).says("installed and codex").says("ours=codex` or `--from CLIENT`");
    yes(&world, &["sync", "--on-conflict", "ours=codex"]).is(0);
    assert!(world.skill(CLAUDE).contains("From codex.") && !world.skill(CLAUDE).contains("From claude."));
}

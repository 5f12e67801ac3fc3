//! What a command line gets: near matches, short names, help and manual pages of one command, lists that fit a
//! terminal, and exits that say whether something was done.

use crate::support::held;
use crate::support::world;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

use hefesto::terminal::prompt::Answer;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use world::{CLAUDE, EMAIL, NAME, Person, World};

#[test]
fn a_wrong_word_gets_the_one_that_was_meant() {
    let world = World::two();
    for (args, near) in [
        (&["creat", "x"][..], "Did you mean `hefesto create`?"),
        (&["remove", "x"], "Did you mean `hefesto delete`?"),
        (&["lint"], "Did you mean `hefesto validate`?"),
        (&["memory", "inspct"], "Did you mean `hefesto memory inspect`?"),
        (&["create", "Validate", "email", "addresses"], "Put the description into quotes"),
        (&["memory"], "Commands: inspect, "),
        (&["memory", "fifo"], "Commands: add, "),
        (&["templates"], "Commands: list, show, new, check"),
    ] {
        world.run(args).fails("E-USAGE-001", 2).says(near);
    }
    world.run(&["create", EMAIL, "--target", "cluade"]).fails("E-CREATE-004", 1).says("Did you mean `claude`?");
    world.run(&["show", "x", "--cli", "gemni"]).fails("E-CREATE-004", 1).says("Did you mean `gemini`?");
}

#[test]
fn hefesto_alone_says_how_to_begin_in_a_few_lines() {
    let said = World::two().called(&[], &[], Person::nobody());
    said.fails("E-USAGE-001", 2).says("hefesto create \"what the skill should do\"").says("hefesto help [COMMAND]");
    assert!(said.err.lines().count() < 12, "{}", said.err);
}

#[test]
fn the_version_says_on_request_which_build_it_is() {
    let world = World::two();
    for asked in [&["--version", "--verbose"][..], &["--verbose", "--version"], &["-V", "-v"], &["-Vv"], &["-vV"]] {
        let said = world.run(asked);
        assert!(said.out.contains("\ncommit: ") && said.out.contains("\nfeatures: "), "{asked:?}: {}", said.out);
    }
    for asked in [&["--version"][..], &["-C/v", "-V"], &["-V", "--", "-v"]] {
        assert_eq!(world.called(&[], asked, Person::nobody()).out.lines().count(), 1, "{asked:?}");
    }
    assert_eq!(world.data(&["-V", "-v"])["build"]["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_manual_page_of_one_command_is_about_that_command() {
    let world = World::two();
    let page = world.run(&["man", "create"]).is(0).out.clone();
    assert!(page.contains("hefesto-create") || page.contains("hefesto\\-create"), "{page}");
    assert!(page.contains("on\\-collision") && !page.contains("restore\\-constitution"), "{page}");
    world.run(&["man", "memory", "ring"]).is(0);
    world.run(&["man", "creat"]).fails("E-USAGE-001", 2).says("Did you mean `create`?");
}

#[test]
fn lists_fit_eighty_columns_and_their_short_ids_are_taken_everywhere() {
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:01:00Z");
    world.create(&[EMAIL, "--yes", "--on-collision", "overwrite"]).is(0);
    let run = world.newest();
    let short = &run[run.len() - 8..];
    for (command, cell) in
        [("runs", "2026-02-05 10:01"), ("backups", "validate-email-addresses-2026-02-05T10-01-00.tar.gz")]
    {
        let text = world.run(&[command]).is(0).out.clone();
        assert!(text.contains(short) && text.contains(cell), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
    }
    let shown = world.run(&["runs"]).is(0).out.clone();
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    world.run(&["memory", "inspect", "--run", short]).is(0);
    world.run(&["memory", "ring", "show", "--run", short]).is(0);
    world.run(&["undo", short, "--yes"]).is(0);
}

#[test]
fn show_prints_no_field_twice() {
    let world = World::holding_the_skill();
    let text = world.run(&["show", NAME, "--metadata-only"]).is(0).out.clone();
    assert_eq!(text.matches("email-addresses, regex").count(), 1, "{text}");
    assert!(text.contains("archetype: validate"), "{text}");
}

#[test]
fn a_waiting_run_is_discarded_by_name_all_at_once_or_after_its_days() {
    let world = World::two();
    let waits = |world: &World| {
        world.create_by(&[EMAIL], Person::default().ends(Answer::TimedOut)).is(4);
        world.newest()
    };
    let first = waits(&world);
    world.run(&["runs", "--discard"]).fails("E-USAGE-001", 2).says("--all");
    world.run(&["runs", "--discard", "nope"]).fails("E-RESUME-001", 1);
    let said = world.run(&["runs", "--discard", &first[first.len() - 8..], "--json"]);
    assert_eq!(said.is(0).json()["data"]["discarded"], json!([first]));
    world.run(&["resume", &first, "--yes"]).is(1);
    world.run(&["runs", "--discard", &first]).fails("E-RESUME-001", 1).says("declined");
    waits(&world);
    waits(&world);
    assert_eq!(world.run(&["runs", "--discard", "--all"]).is(0).out.matches("Discarded run").count(), 2);
    assert_eq!(world.run(&["runs", "--discard", "--all"]).is(0).out, "No run waits.\n");
    world.run(&["memory", "doctor"]).is(0);
    let old = waits(&world);
    let status = |world: &World| {
        let runs = world.data(&["runs"])["runs"].as_array().unwrap().clone();
        runs.into_iter().find(|run| run["run_id"] == old.as_str()).unwrap()["status"].clone()
    };
    world.at("2026-02-19T09:00:00Z").create(&["Sort the mail", "--dry-run"]).is(0);
    assert_eq!(status(&world), "paused");
    world.at("2026-02-19T11:00:00Z").create(&["Sort the mail", "--dry-run"]).is(0);
    assert_eq!(status(&world), "declined");
    world.write(".hefesto/config.toml", "[runs]\nwait_days = 0\n");
    world.run(&["config"]).fails("E-CONFIG-001", 2).says("wait_days");
}

#[test]
fn a_mistyped_digest_is_not_held_against_the_next_run() {
    let world = World::two();
    world.create(&[EMAIL, "--approve", "wrong"]).fails("E-TXN-002", 5);
    world.create_by(&[], ["cancel"]).fails("E-CREATE-010", 3);
    world.create(&[EMAIL, "--yes"]).is(0).never_says("INFO-023");
}

#[test]
fn what_was_approved_and_is_there_already_is_nothing_to_do() {
    let world = World::two();
    let digest = world.data(&["create", EMAIL, "--dry-run"])["digest"].as_str().unwrap().to_owned();
    world.create(&[EMAIL, "--approve", &digest]).is(0);
    world.at("2026-02-05T10:05:00Z");
    let again = world.create(&[EMAIL, "--approve", &digest]).ok();
    assert!(again.out.starts_with("Nothing to do"), "{}", again.out);
    again.changes_nothing();
    world.write(&format!("{CLAUDE}/SKILL.md"), world.read(&format!("{CLAUDE}/SKILL.md")) + "More.\n");
    world.create(&[EMAIL, "--approve", &digest]).fails("E-CREATE-003", 3);
}

#[test]
fn nothing_found_is_not_done() {
    let world = World::two();
    world.run(&["memory", "fifo", "delete", "nope"]).fails("E-MEMORY-030", 1);
    world.run(&["memory", "stm", "purge", "--session", "nope"]).fails("E-MEMORY-025", 1);
    world.run(&["init", "--target", "gemni"]).fails("E-CREATE-004", 1).says("Did you mean `gemini`?");
    world.run(&["init", "--target", "codex"]).is(0);
    let clis = world.data(&["list"])["clis"].clone();
    let ids: Vec<_> = clis.as_array().unwrap().iter().map(|cli| cli["id"].clone()).collect();
    assert_eq!(ids.len(), 3, "{clis}");
}

#[test]
fn copies_of_governance_files_are_kept_with_the_backups() {
    let world = World::holding_the_skill();
    let damaged = world.read("MEMORY.md").replace("| Skill", "| X");
    world.write("MEMORY.md", damaged.replace("initialized:", "initialized")).at("2026-02-05T10:01:00Z");
    world.run(&["list"]).is(0);
    world.write("CONSTITUTION.md", "mine\n");
    let restored = world.run(&["restore-constitution", "--force"]).is(0).out.clone();
    assert!(restored.contains(".hefesto/backups/CONSTITUTION.md.backup."), "{restored}");
    let stray: Vec<_> = fs::read_dir(world.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(stray.iter().all(|name| !name.to_str().unwrap().contains("backup")), "{stray:?}");
    assert!(world.archives().iter().any(|name| name.starts_with("CONSTITUTION.md.backup.")), "{:?}", world.archives());
}

#[test]
fn ctrl_c_ends_a_tail_without_an_error() {
    let world = World::holding_the_skill();
    for args in [&["memory", "tail", "-f"][..], &["memory", "stm", "tail", "-f", "--session", "s"]] {
        if args.len() > 3 {
            let entry = ["memory", "stm", "store", "--session", "s", "--category", "user_input", "--content", "{}"];
            world.run(&entry).is(0);
        }
        let mut command = held::command(&world.root(), &world.outside(), args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // It watches for signals before its first line.
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        lines.read_line(&mut String::new()).unwrap();
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?}");
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(said, "", "{args:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let world = World::holding_the_skill();
    for args in [&["list"][..], &["list", "--json"], &["show", NAME, "--body-only"], &["memory", "export"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = held::command(&world.root(), &world.outside(), args);
        let ended = command.stdout(full).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("E-IO-001"), "{args:?}: {said}");
    }
}

#[test]
fn a_wrong_value_names_the_command_it_was_given_to() {
    let world = World::two();
    let wrong = ["memory", "stm", "store", "--session", "s", "--category", "bogus", "--content", "{}"];
    world.run(&wrong).fails("E-USAGE-001", 2).says("`hefesto help memory stm store`");
    world.run(&["create", "x", "--gate-timeout", "0"]).fails("E-USAGE-001", 2).says("0 is not in 1 to 600");
}

#[test]
fn what_is_missing_on_the_line_is_named_with_what_to_type() {
    let world = World::holding_the_skill();
    world.run(&["why"]).fails("E-USAGE-001", 2).says(NAME).says("hefesto why --prompt TEXT");
    for (args, typed) in [
        (&["show"][..], "`hefesto show NAME`; `hefesto list`"),
        (&["rename", "a"], "`hefesto rename OLD NEW`; `hefesto list`"),
        (&["restore"], "`hefesto restore NAME|FILE`; `hefesto backups`"),
        (&["adopt"], "`hefesto adopt PATH|NAME`; `hefesto list --check-sync`"),
        (&["match"], "`hefesto match PROMPT`; see `hefesto help match`"),
    ] {
        world.run(args).fails("E-USAGE-001", 2).says(typed);
    }
    world.run(&["why", "zzz"]).fails("E-SKILL-001", 1).says(&format!("Skills here: {NAME}"));
    let said = world.run(&["schema", "memory fif"]);
    said.fails("E-USAGE-001", 2).says("`memory fifo add`").says("`hefesto schema` prints all").never_says("restore");
    let said = world.run(&["convert", "nofile"]);
    said.fails("E-ADOPT-001", 1).says("nofile: it cannot be read");
    assert_eq!(said.err.matches("nofile").count(), 1, "{}", said.err);
}

//! What a command line gets: near matches, short names, help and manual pages of one command, lists that fit a
//! terminal, and exits that say whether something was done.

use std::fs;
use std::process::Stdio;

use hefesto::terminal::prompt::Answer;
use serde_json::json;

use crate::support::held;
use crate::support::stage::Stage;
use crate::support::world::{CLAUDE, EMAIL, NAME, Person, World};

#[test]
fn what_was_meant_is_named_and_help_is_about_one_command() {
    // A wrong word gets the one that was meant.
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
    // A wrong value names the command it was given to.
    let wrong = ["memory", "stm", "store", "--session", "s", "--category", "bogus", "--content", "{}"];
    world.run(&wrong).fails("E-USAGE-001", 2).says("`hefesto help memory stm store`");
    world.run(&["create", "x", "--gate-timeout", "0"]).fails("E-USAGE-001", 2).says("0 is not in 1 to 600");
    // The version says on request which build it is.
    for asked in [&["--version", "--verbose"][..], &["--verbose", "--version"], &["-V", "-v"], &["-Vv"], &["-vV"]] {
        let said = world.run(asked);
        assert!(said.out.contains("\ncommit: ") && said.out.contains("\nfeatures: "), "{asked:?}: {}", said.out);
    }
    for asked in [&["--version"][..], &["-C/v", "-V"], &["-V", "--", "-v"]] {
        assert_eq!(world.called(&[], asked, Person::nobody()).out.lines().count(), 1, "{asked:?}");
    }
    assert_eq!(world.data(&["-V", "-v"])["build"]["version"], env!("CARGO_PKG_VERSION"));
    // A manual page of one command is about that command.
    let page = world.run(&["man", "create"]).is(0).out.clone();
    assert!(page.contains("hefesto-create") || page.contains("hefesto\\-create"), "{page}");
    assert!(page.contains("on\\-collision") && !page.contains("restore\\-constitution"), "{page}");
    world.run(&["man", "memory", "ring"]).is(0);
    world.run(&["man", "creat"]).fails("E-USAGE-001", 2).says("Did you mean `create`?");
}

#[test]
fn hefesto_alone_says_how_to_begin_in_a_few_lines() {
    let said = World::two().called(&[], &[], Person::nobody());
    said.fails("E-USAGE-001", 2).says("hefesto create \"what the skill should do\"").says("hefesto help [COMMAND]");
    assert!(said.err.lines().count() < 12, "{}", said.err);
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
fn what_is_missing_on_the_line_is_named_with_what_to_type() {
    // Show prints no field twice.
    let world = World::holding_the_skill();
    let text = world.run(&["show", NAME, "--metadata-only"]).is(0).out.clone();
    assert_eq!(text.matches("email-addresses, regex").count(), 1, "{text}");
    assert!(text.contains("archetype: validate"), "{text}");
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
    // Copies of governance files are kept with the backups.
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
    world.write_skill(CLAUDE, world.skill(CLAUDE) + "More.\n");
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

/// The candidates for the last of these words, typed in the stage's project.
fn offered(stage: &mut Stage, words: &[&str]) -> Vec<String> {
    stage.set("HEFESTO_COMPLETE", "bash");
    stage.set("_CLAP_COMPLETE_INDEX", &words.len().to_string());
    stage.set("_CLAP_IFS", "\n");
    let ran = stage.hefesto(&[&["--", "hefesto"], words].concat(), b"");
    stage.unset("HEFESTO_COMPLETE");
    assert_eq!((ran.exit, ran.stderr.as_str()), (Some(0), ""), "{words:?}");
    ran.stdout.lines().filter(|one| !one.starts_with('-')).map(str::to_owned).collect()
}

#[test]
fn what_is_installed_and_what_was_done_is_offered() {
    let mut stage = Stage::new(&["claude=2.1.0"]);
    for sentence in ["Merge several PDF files into one", "Name commits"] {
        stage.hefesto(&["create", sentence, "--yes"], b"").exits(0);
    }
    assert_eq!(offered(&mut stage, &["show", "mer"]), ["merge-pdf-files"]);
    assert_eq!(offered(&mut stage, &["pack", "mer"]), ["merge-pdf-files"]);
    assert_eq!(offered(&mut stage, &["delete", ""]).len(), 2);
    assert_eq!(offered(&mut stage, &["undo", ""]).len(), 2);
    let before: Vec<_> = offered(&mut stage, &["show", ""]);
    assert_eq!(offered(&mut stage, &["show", ""]), before, "nothing is changed by asking");
}

#[test]
fn ids_are_offered_and_a_list_is_completed_behind_its_comma() {
    let mut stage = Stage::new(&[]);
    assert_eq!(offered(&mut stage, &["create", "x", "--target", "cl"]), ["claude"]);
    assert_eq!(offered(&mut stage, &["create", "x", "--target", "claude,qw"]), ["claude,qwen"]);
    assert_eq!(offered(&mut stage, &["create", "x", "--pack", "dock"]), ["docker"]);
    assert!(offered(&mut stage, &["explain", "e-create-01"]).contains(&"E-CREATE-010".to_owned()));
    assert_eq!(offered(&mut stage, &["sync", "--from", "cl"]), ["claude"]);
    assert_eq!(offered(&mut stage, &["sync", "--on-conflict", "ours=cl"]), ["ours=claude"]);
    assert_eq!(offered(&mut stage, &["vali"]), ["validate"]);
    assert_eq!(offered(&mut stage, &["adap"]), ["adapt"]);
}

#[test]
fn every_shell_gets_a_script_that_asks_the_program() {
    let stage = Stage::new(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = stage.hefesto(&["completions", shell], b"");
        assert!(ran.exit == Some(0) && ran.stdout.contains("HEFESTO_COMPLETE"), "{shell}: {ran:?}");
    }
}

#[test]
fn an_unknown_option_gets_one_suggestion_that_helps() {
    let world = World::bare(&["claude"]);
    for (line, suggestion) in [
        ("delete x --target claude", "Suggestion: Did you mean `--cli`?\nUsage: hefesto delete [OPTIONS] <NAME>\n"),
        ("status --chek", "Suggestion: Did you mean `--check`?\nUsage: hefesto status [OPTIONS] [NAME]...\n"),
        ("undo --run x", "Suggestion: See `hefesto help undo`.\n"),
        ("memory ring show --lanes", "Suggestion: See `hefesto help memory ring show`.\n"),
        (
            "memory search -5",
            "Suggestion: A text that begins with `-` comes after `--`: `hefesto memory search -- \"-5 ...\"`.\n",
        ),
        ("match a b", "Suggestion: Put the prompt into quotes: `hefesto match \"is this CSV file clean?\"`.\n"),
        ("backups --keep x", "it is no whole number\n"),
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        world.run(&words).fails("E-USAGE-001", 2).says(suggestion).never_says("as a value");
    }
    world.run(&["match", " "]).fails("E-USAGE-001", 2);
}

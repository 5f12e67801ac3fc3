//! `--global`: the user's own skills, in each client's directory in the home directory, governed from `HEFESTO_HOME`.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::support::world::{self, CLAUDE, EMAIL, GEMINI, NAME, Person, World, picture};

const KEPT: &str = ".config/hefesto";

fn skill(world: &World, at: &str) -> String {
    fs::read_to_string(world.home(at).join("SKILL.md")).unwrap_or_else(|error| panic!("{at}: {error}"))
}

fn data(world: &World, args: &[&str]) -> Value {
    world.global(&[args, &["--json"]].concat()).data()
}

/// No stage of a change is anywhere in the home directory, and no journal waits.
#[track_caller]
fn nothing_left_over(world: &World) {
    let all = picture(&world.home(""), &[]);
    let left: Vec<_> = all.keys().filter(|path| path.contains("-stage-") || path.ends_with(".tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
    let txn = format!("{KEPT}/.hefesto/txn/");
    assert!(!all.keys().any(|path| path.starts_with(&txn)), "a journal waits");
}

#[test]
fn a_skill_for_the_user_goes_through_its_whole_life() {
    let world = World::bare(&["claude", "gemini"]);
    let made = world.global(&["create", EMAIL, "--yes"]);
    made.is(0).says("/home/.config/hefesto is not initialised; it will be with this skill.");
    made.shows("hefesto --global show");
    let first = skill(&world, CLAUDE);
    assert!(skill(&world, GEMINI).contains("{{args}}") && first.contains("$ARGUMENTS"));
    for kept in ["MEMORY.md", "CONSTITUTION.md", ".hefesto/memory.db", ".hefesto/logs/operations.jsonl"] {
        assert!(world.home(KEPT).join(kept).is_file(), "{kept}");
    }
    assert!(picture(&world.root(), &[]).is_empty(), "the project was touched");

    let again = ["create", "Check postal codes", "--name", NAME, "--yes"];
    world.at("2026-02-05T10:01:00Z").global(&again).fails("E-CREATE-003", 3);
    let over = data(&world, &[&again[..], &["--on-collision", "overwrite"]].concat());
    let place = world.home(CLAUDE).to_str().unwrap().to_owned();
    assert_eq!(over["targets"][0]["path"], *place);
    assert_eq!(over["files_created"][0], format!("{place}/SKILL.md"));
    let backup = over["backup"].as_str().unwrap();
    let archive = hefesto::transaction::backup::read(std::path::Path::new(backup)).unwrap();
    assert_eq!(archive.roots(), [CLAUDE, GEMINI]);
    assert_ne!(skill(&world, CLAUDE), first);

    world.at("2026-02-05T10:02:00Z").global(&["undo", "--yes"]).is(0);
    assert_eq!(skill(&world, CLAUDE), first);
    world.at("2026-02-05T10:03:00Z").global(&["delete", NAME, "--yes"]).is(0);
    assert!(!world.home(CLAUDE).exists() && !world.home(GEMINI).exists());
    world.at("2026-02-05T10:04:00Z").global(&["restore", NAME, "--yes"]).is(0);
    assert_eq!(skill(&world, CLAUDE), first);
    let rows = fs::read_to_string(world.home(KEPT).join("MEMORY.md")).unwrap();
    assert!(rows.contains(&format!("| {NAME} | claude, gemini |")), "{rows}");
    world.global(&["memory", "doctor"]).is(0);
    nothing_left_over(&world);
}

#[test]
fn undoing_the_first_skill_leaves_the_home_directory_as_it_was() {
    let world = World::bare(&["claude", "opencode"]);
    fs::create_dir(world.home(".claude")).unwrap();
    let before = picture(&world.home(""), &[".config"]);
    world.global(&["create", EMAIL, "--yes"]).is(0);
    assert!(world.home(".config/opencode/skills").join(NAME).is_dir());
    world.global(&["undo", "--yes"]).is(0);
    assert_eq!(picture(&world.home(""), &[".config"]), before);
    assert!(!world.home(".config/opencode").exists());
}

#[test]
fn what_governs_them_may_be_anywhere() {
    let world = World::bare(&["claude"]);
    let kept = world.outside().join("kept/here");
    world.set("HEFESTO_HOME", kept.to_str().unwrap());
    world.global(&["create", EMAIL, "--yes"]).is(0);
    assert!(kept.join("MEMORY.md").is_file() && kept.join(".hefesto/memory.db").is_file());
    assert_eq!(picture(&world.home(""), &[]).len(), 5, "{:?}", picture(&world.home(""), &[]).keys());
    world::write(&kept.join("config.toml"), "license = \"Apache-2.0\"");
    let config = data(&world, &["config"]);
    assert_eq!(config["files"]["project"], kept.join("config.toml").to_str().unwrap(), "{config}");
    let over = ["create", EMAIL, "--yes", "--on-collision", "overwrite"];
    world.at("2026-02-05T10:01:00Z").global(&over).is(0);
    assert!(skill(&world, CLAUDE).contains("Apache-2.0"));
    world.at("2026-02-05T10:02:00Z").global(&["undo", "--yes"]).is(0);
    assert!(!skill(&world, CLAUDE).contains("Apache-2.0"));
}

#[test]
fn a_dry_run_writes_nothing_and_its_digest_is_approved() {
    let world = World::bare(&["claude"]);
    let shown = data(&world, &["create", EMAIL, "--dry-run"]);
    assert!(picture(&world.home(""), &[]).is_empty());
    let digest = shown["digest"].as_str().unwrap();
    world.global(&["create", EMAIL, "--init", "--approve", digest]).is(0);
    assert!(!skill(&world, CLAUDE).is_empty());
    let lying = data(&World::bare(&["claude"]), &["create", EMAIL, "--dry-run"]);
    assert_eq!(lying["targets"][0]["action"], "create");
}

#[test]
fn a_skill_that_is_there_before_hefesto_is_a_collision_and_no_loss() {
    let world = World::bare(&["claude"]);
    world::write(&world.home(CLAUDE).join("SKILL.md"), "mine");
    let shown = data(&world, &["create", EMAIL, "--dry-run"]);
    assert_eq!(shown["targets"][0]["action"], "collision");
    world.global(&["create", EMAIL, "--yes"]).fails("E-CREATE-003", 3);
    assert_eq!(skill(&world, CLAUDE), "mine");
    world.global(&["create", EMAIL, "--yes", "--on-collision", "overwrite"]).is(0);
    world.global(&["undo", "--yes"]).is(0);
    assert_eq!(skill(&world, CLAUDE), "mine");
}

#[test]
fn each_client_has_a_directory_of_its_own_and_variables_move_it() {
    let world = World::bare(&["claude", "codex", "copilot", "opencode"]);
    let codex = world.outside().join("codex-home");
    fs::create_dir(&codex).unwrap();
    world.set("CODEX_HOME", codex.to_str().unwrap());
    world.global(&["create", EMAIL, "--yes"]).is(0);
    for dir in [".claude/skills", ".copilot/skills", ".config/opencode/skills"] {
        assert!(world.home(dir).join(NAME).join("SKILL.md").is_file(), "{dir}");
    }
    assert!(codex.join("skills").join(NAME).join("SKILL.md").is_file() && !world.home(".codex").exists());
    let detected = data(&world, &["detect"]);
    assert_eq!(detected["clis"][1]["skills_dir"], codex.join("skills").to_str().unwrap());
    world.at("2026-02-05T10:01:00Z").global(&["delete", NAME, "--yes"]).is(0);
    assert!(!codex.join("skills").join(NAME).exists());
    world.at("2026-02-05T10:02:00Z").global(&["undo", "--yes"]).is(0);
    assert!(codex.join("skills").join(NAME).join("SKILL.md").is_file());
    nothing_left_over(&world);

    world.set("QWEN_HOME", "here");
    world.global(&["list"]).fails("E-CONFIG-001", 2).says("QWEN_HOME is \"here\"");
}

#[test]
fn a_place_at_home_that_is_not_there_yet_is_made_and_one_elsewhere_is_not() {
    let world = World::bare(&["codex", "opencode"]);
    let (codex, config) = (world.home("tools/codex"), world.home("settings"));
    world.set("CODEX_HOME", codex.to_str().unwrap());
    world.set("XDG_CONFIG_HOME", config.to_str().unwrap());
    world.global(&["create", EMAIL, "--yes"]).is(0);
    for dir in [codex.join("skills"), config.join("opencode/skills")] {
        assert!(dir.join(NAME).join("SKILL.md").is_file(), "{}", dir.display());
    }
    world.global(&["undo", "--yes"]).is(0);
    assert!(!codex.exists() && !config.join("opencode").exists());
    nothing_left_over(&world);

    let away = world.outside().join("mistyped");
    world.set("CODEX_HOME", away.to_str().unwrap());
    let said = world.global(&["create", EMAIL, "--yes", "--target", "codex"]);
    said.fails("E-CREATE-006", 1).says("mistyped").says("is not there: make it first");
    assert!(!away.exists());
}

#[test]
fn a_link_to_another_place_at_home_is_followed_and_one_that_leads_away_is_refused() {
    let world = World::bare(&["claude"]);
    fs::create_dir_all(world.home("dotfiles/claude")).unwrap();
    symlink("dotfiles/claude", world.home(".claude")).unwrap();
    world.global(&["create", EMAIL, "--yes"]).is(0);
    assert!(world.home("dotfiles/claude/skills").join(NAME).join("SKILL.md").is_file());
    world.at("2026-02-05T10:01:00Z").global(&["delete", NAME, "--yes"]).is(0);
    world.at("2026-02-05T10:02:00Z").global(&["undo", "--yes"]).is(0);
    assert!(world.home(".claude").symlink_metadata().unwrap().is_symlink());
    nothing_left_over(&world);

    let away = World::bare(&["claude", "gemini"]);
    fs::create_dir(away.outside().join("elsewhere")).unwrap();
    symlink(away.outside().join("elsewhere"), away.home(".claude")).unwrap();
    let said = away.global(&["create", EMAIL, "--yes"]);
    said.fails("E-CREATE-006", 1).says("is a symbolic link to").says("elsewhere, outside");
    said.says("`--target gemini` works");
    assert_eq!(fs::read_dir(away.outside().join("elsewhere")).unwrap().count(), 0);
    assert!(!away.home(GEMINI).exists());
    // Who names the directory itself means it.
    away.set("CLAUDE_CONFIG_DIR", away.outside().join("elsewhere").to_str().unwrap());
    away.global(&["create", EMAIL, "--yes"]).is(0);
    assert!(away.outside().join("elsewhere/skills").join(NAME).is_dir());
}

#[test]
fn a_skill_that_is_a_link_is_left_alone() {
    let world = World::bare(&["claude"]);
    world::write(&world.home(".agents/skills").join(NAME).join("SKILL.md"), "shared");
    fs::create_dir_all(world.home(".claude/skills")).unwrap();
    symlink(format!("../../.agents/skills/{NAME}"), world.home(CLAUDE)).unwrap();
    let said = world.global(&["create", EMAIL, "--yes", "--target", "claude", "--on-collision", "overwrite"]);
    said.fails("E-CREATE-006", 1).says("is a symbolic link");
    assert_eq!(skill(&world, CLAUDE), "shared");
}

#[test]
fn where_skills_are_shared_at_home_one_copy_serves() {
    let world = World::bare(&["claude", "codex", "gemini"]);
    fs::create_dir_all(world.home(".agents/skills")).unwrap();
    world.global(&["create", EMAIL, "--yes"]).is(0).says("serves gemini, codex");
    assert!(world.home(".agents/skills").join(NAME).is_dir() && world.home(CLAUDE).is_dir());
    assert!(!world.home(".codex/skills").exists() && !world.home(GEMINI).exists());
}

#[test]
fn what_a_project_has_of_that_name_is_said() {
    let world = World::bare(&["claude", "codex"]);
    world.create(&[EMAIL, "--init", "--yes"]).is(0);
    let said = world.global(&["create", EMAIL, "--yes"]).ok();
    said.says("Claude Code would use ~/.claude/skills/validate-email-addresses: the user's own skills win.");
    said.says("OpenAI Codex CLI would list it twice, as .codex/skills/validate-email-addresses is there too");
    // From the project, it is the other one.
    let back = world.create(&[EMAIL, "--yes", "--on-collision", "overwrite"]);
    back.says("Claude Code would use ~/.claude/skills/validate-email-addresses: the user's own skills win.");
}

#[test]
fn a_run_that_waits_is_approved_where_it_was_begun() {
    let world = World::bare(&["claude"]);
    world.global(&["create", EMAIL, "--init"]).fails("E-CREATE-011", 3).says("hefesto --global approve ");
    let seen = world.global(&["memory", "inspect"]);
    seen.shows("then     hefesto --global approve ");
    seen.shows("Nobody was there to approve the skill");
    let ring = world.global(&["memory", "inspect", "ring"]);
    assert!(ring.out.contains("  hefesto --global memory ring verify"), "{}", ring.out);
    let run = data(&world, &["runs"])["runs"][0]["run_id"].as_str().unwrap().to_owned();
    world.global(&["approve", &run, "--yes"]).is(0);
    assert!(!skill(&world, CLAUDE).is_empty());
}

#[test]
fn the_other_commands_see_the_users_skills_too() {
    let world = World::bare(&["claude", "gemini"]);
    world.global(&["list"]).fails("E-PROJECT-001", 1).says("hefesto --global init");
    world.global(&["init"]).is(0);
    assert!(world.home(".claude/skills").is_dir());
    world.global(&["create", EMAIL, "--yes"]).is(0);
    assert_eq!(data(&world, &["show", NAME])["places"][0], world.home(CLAUDE).to_str().unwrap());
    let listed = data(&world, &["list"]);
    assert_eq!(listed["skills"][0]["name"], NAME);
    assert_eq!(listed["clis"][0]["skills_dir"], world.home(".claude/skills").to_str().unwrap());
    assert_eq!(data(&world, &["validate"])["summary"]["total"], 2);
    let graded = world.global(&["grade", NAME]);
    assert!(graded.out.contains(world.home(CLAUDE).to_str().unwrap()), "{}", graded.out);
    world.global(&["recover"]).is(0);
    world.global(&["restore-constitution", "--force"]).is(0);
    assert_eq!(data(&world, &["list", "--check-sync"])["drift"].as_array().unwrap().len(), 0);
    let text = skill(&world, CLAUDE).replace("name: \"validate-email-addresses\"", "name: \"Other\"");
    fs::write(world.home(CLAUDE).join("SKILL.md"), text).unwrap();
    let fixed = world.at("2026-02-05T10:01:00Z").global(&["validate", "--fix", "--yes"]).ok();
    assert!(skill(&world, CLAUDE).contains(&format!("name: \"{NAME}\"")), "{}", fixed.out);
    world.run(&["list"]).fails("E-PROJECT-001", 1);
}

#[test]
fn a_command_line_that_cannot_mean_both_is_refused() {
    let world = World::bare(&["claude"]);
    // What governs them keeps no project's skills beside them.
    let kept = world.home(KEPT);
    fs::create_dir_all(&kept).unwrap();
    for words in [&["create", EMAIL, "--init", "--yes"][..], &["list"], &["undo", "--yes"]] {
        let words = [&["-C", kept.to_str().unwrap()], words].concat();
        let said = world.called(&words, &[], Person::nobody());
        said.fails("E-USAGE-001", 2).says("governs your own skills").says("Add `--global`");
    }
    world.called(&["-C", kept.to_str().unwrap(), "templates", "list"], &[], Person::nobody()).is(0);
    fs::remove_dir_all(world.home(".config")).unwrap();
    for words in [["-C", ".", "list", "--global"], ["--global", "list", "-C", "."]] {
        world.called(&words, &[], Person::nobody()).fails("E-USAGE-001", 2);
    }
    let senseless: [&[&str]; 7] = [
        &["match", "x"],
        &["facts"],
        &["explain"],
        &["schema"],
        &["man"],
        &["templates", "list"],
        &["init", "--with-commands"],
    ];
    for words in senseless {
        world.global(words).fails("E-USAGE-001", 2).says("--global");
    }
    assert!(picture(&world.home(""), &[]).is_empty());
}

/// The program itself, killed at the steps of a command on the user's skills. Only debug builds can be.
#[cfg(debug_assertions)]
mod killed {
    use std::collections::BTreeMap;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use super::*;
    use crate::support::held::alone;
    use crate::support::stage::copy;

    fn die(world: &World, args: &[&str], point: &str) -> bool {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hefesto"));
        command.args(args).arg("--global");
        let mut command = alone(command, &world.root(), &world.outside());
        command.env("CODEX_HOME", world.home("moved"));
        command.envs([("HEFESTO_NOW", "2026-02-05T11:00:00Z"), ("HEFESTO_FAILPOINT", point)]);
        let status = command.status().unwrap();
        assert!(status.signal().is_none_or(|signal| signal == 9), "{point}: {status}");
        status.signal() == Some(9)
    }

    /// The skills and the registry, without what is hefesto's own.
    fn seen(world: &World) -> BTreeMap<String, String> {
        picture(&world.home(""), &[".hefesto"])
    }

    fn sweep(setup: fn() -> World, args: &[&str], stride: usize) {
        let kept = setup();
        let again = || {
            let world = World::bare(&["claude", "codex"]);
            copy(&kept.home(""), &world.home(""));
            world.at("2026-02-05T11:00:00Z");
            world
        };
        let old = seen(&kept);
        let whole = again();
        whole.set("CODEX_HOME", whole.home("moved").to_str().unwrap());
        whole.global(args).is(0);
        let new = seen(&whole);
        let (mut olds, mut news) = (0, 0);
        for at in (1..).step_by(stride) {
            let world = again();
            if !die(&world, args, &format!("{at}:after")) {
                break;
            }
            // CODEX_HOME is not set for the next command: the journal knows where it led.
            // A child of another test, not yet replaced by its program, may share the lock for a moment.
            world.at("2026-02-05T12:00:00Z");
            let said = loop {
                let said = world.global(&["recover"]);
                if !said.err.contains("Another hefesto is at work") {
                    break said;
                }
            };
            let now = seen(&world);
            assert!(now == old || now == new, "step {at}: {:?}\n{}", now.keys(), said.err);
            if now == new {
                news += 1;
            } else {
                olds += 1;
            }
            nothing_left_over(&world);
        }
        assert!(olds >= 5 && news >= 2, "{olds} old, {news} new");
    }

    fn fresh() -> World {
        let world = World::bare(&["claude", "codex"]);
        world.set("CODEX_HOME", world.home("moved").to_str().unwrap());
        fs::create_dir(world.home("moved")).unwrap();
        fs::create_dir_all(world.home(KEPT)).unwrap();
        world
    }

    fn holding() -> World {
        let world = fresh();
        world.global(&["create", EMAIL, "--yes"]).is(0);
        world
    }

    #[test]
    fn while_a_skill_is_made_the_next_command_finds_all_or_nothing() {
        sweep(fresh, &["create", EMAIL, "--yes"], 4);
    }

    #[test]
    fn while_a_skill_is_replaced_the_next_command_finds_the_old_or_the_new_one() {
        let over = ["create", "Check postal codes", "--name", NAME, "--yes", "--on-collision", "overwrite"];
        sweep(holding, &over, 4);
    }

    #[test]
    fn while_a_skill_is_deleted_the_next_command_finds_it_or_does_not() {
        sweep(holding, &["delete", NAME, "--yes"], 3);
    }
}

#[test]
fn of_several_copies_in_the_project_only_the_one_that_wins_is_named() {
    let world = World::bare(&["copilot"]);
    for dir in [".github/skills", ".claude/skills"] {
        let text = format!("---\nname: {NAME}\ndescription: Checks addresses.\n---\n\n# Check\n");
        world.write(&format!("{dir}/{NAME}/SKILL.md"), text);
    }
    let said = world.global(&["create", EMAIL, "--yes"]);
    said.is(0).says(&format!("GitHub Copilot would use .github/skills/{NAME} and hide"));
    assert_eq!(said.err.matches("GitHub Copilot would use").count(), 1, "{}", said.err);
}

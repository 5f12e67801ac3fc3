//! `pack NAME…`: what others install, the same bytes for the same skills, and nothing of anybody else's replaced.

use serde_json::Value;

use super::{insert, yes};
use crate::support::world::{CLAUDE, NAME, World};

fn json(world: &World, path: &str) -> Value {
    serde_json::from_str(&world.read(path)).unwrap()
}

fn pack(world: &World, args: &[&str]) -> Value {
    world.data(&[&["pack", NAME], args].concat())
}

#[test]
fn an_archive_is_made_once_and_known_to_be_current() {
    let world = World::holding_the_skill();
    let archive = format!("{NAME}.skill");
    world.run(&["pack", NAME, "--check"]).is(1);
    assert!(!world.exists(&archive), "--check writes nothing");
    assert_eq!(pack(&world, &[])["files"], serde_json::json!([archive]));
    let bytes = std::fs::read(world.path(&archive)).unwrap();
    assert!(bytes.starts_with(b"PK"));
    world.run(&["pack", NAME, "--check"]).is(0).shows(&format!("{archive} is up to date"));
    world.run(&["pack", NAME, "--out", "elsewhere"]).is(0).shows(&format!("elsewhere/{archive}: 1 file\n"));
    pack(&world, &["--out", "elsewhere/mine.skill"]);
    assert_eq!(std::fs::read(world.path("elsewhere/mine.skill")).unwrap(), bytes);

    insert(&world, CLAUDE, "## Steps", "Mine.");
    world.run(&["pack", NAME, "--check"]).fails("E-ADD-001", 1);
    yes(&world, &["sync", NAME]).is(0);
    world.run(&["pack", NAME, "--check"]).is(1);
    pack(&world, &[]);
    world.run(&["pack", NAME, "--check"]).is(0);
}

#[test]
fn each_form_has_its_manifest() {
    let world = World::holding_the_skill();
    for (form, manifest) in [
        ("plugin", "plugin.json"),
        ("claude", ".claude-plugin/plugin.json"),
        ("codex", ".codex-plugin/plugin.json"),
        ("gemini", "gemini-extension.json"),
    ] {
        let data = pack(&world, &["--as", form]);
        assert_eq!(data["out"], format!("{NAME}-{form}"));
        assert_eq!(json(&world, &format!("{NAME}-{form}/{manifest}"))["name"], NAME);
        assert!(world.exists(&format!("{NAME}-{form}/skills/{NAME}/SKILL.md")));
        world.run(&["pack", NAME, "--as", form, "--check"]).is(0);
    }
    for market in ["claude/.claude-plugin/marketplace.json", "codex/.agents/plugins/marketplace.json"] {
        let market = json(&world, &format!("{NAME}-{market}"));
        assert_eq!((&market["name"], &market["plugins"][0]["name"]), (&NAME.into(), &NAME.into()));
    }
}

#[test]
fn a_skill_with_another_clients_placeholder_is_one_text() {
    let world = World::with(&["gemini"]);
    let text =
        "---\nname: sort-mail\ndescription: Sorts mail. Use when asked to.\n---\n\nSort $ARGUMENTS or {{args}}.\n";
    for (directory, target) in [(".gemini", "gemini"), (".agents", "agents")] {
        world.write(&format!("{directory}/skills/sort-mail/SKILL.md"), text);
        yes(&world, &["adopt", "sort-mail", "--target", target]).is(0);
        world.run(&["pack", "sort-mail", "--as", "claude"]).is(0);
        assert!(world.read("sort-mail-claude/skills/sort-mail/SKILL.md").contains("Sort $ARGUMENTS or $ARGUMENTS."));
        std::fs::remove_dir_all(world.path(&format!("{directory}/skills/sort-mail"))).unwrap();
        yes(&world, &["repair"]).is(0);
    }
}

#[test]
fn several_skills_are_one_plugin() {
    let world = World::holding_the_skill();
    world.create(&["Sort the mail", "--yes"]).is(0);
    let both = ["pack", NAME, "sort-mail", "--as", "plugin", "--out", "out", "--name", "mail-kit"];
    world.run(&both).is(0);
    assert_eq!(json(&world, "out/plugin.json")["name"], "mail-kit");
    assert!(world.exists("out/skills/sort-mail/SKILL.md") && world.exists(&format!("out/skills/{NAME}/SKILL.md")));

    let one = ["pack", NAME, "--as", "plugin", "--out", "out", "--name", "mail-kit"];
    world.run(&[&one[..], &["--check"]].concat()).is(1);
    let said = world.run(&one).ok();
    assert!(world.exists("out/skills/sort-mail/SKILL.md"), "a file that is not part of it is named and left");
    said.shows("skills/sort-mail/SKILL.md");
}

#[test]
fn what_is_no_package_is_not_replaced() {
    let world = World::holding_the_skill();
    world.write("out/plugin.json", "{\"name\": \"other\"}\n");
    world.write(&format!("{NAME}.skill"), "mine\n");
    let before = world.picture();
    world.run(&["pack", NAME, "--as", "plugin", "--out", "out"]).fails("E-PACK-001", 1);
    world.run(&["pack", NAME]).fails("E-PACK-001", 1);
    world.run(&["pack", "nope"]).fails("E-SKILL-001", 1);
    world.run(&["pack", NAME, "--as", "claude", "--name", "No Name"]).fails("E-USAGE-001", 2);
    world.unchanged_since(&before);
}

#[test]
fn a_link_in_the_package_leads_nowhere_else() {
    let world = World::holding_the_skill();
    pack(&world, &["--as", "plugin", "--out", "out"]);
    std::fs::remove_dir_all(world.path("out/skills")).unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), world.path("out/skills")).unwrap();
    world.run(&["pack", NAME, "--as", "plugin", "--out", "out"]).fails("E-IO-001", 1);
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[test]
fn each_archive_is_named() {
    let world = World::holding_the_skill();
    world.create(&["Review pull requests", "--yes"]).is(0);
    let said = world.run(&["pack", "review-pull-requests", NAME, "--out", "out"]).ok();
    said.shows(&format!("out/review-pull-requests.skill, out/{NAME}.skill: 2 files"));
}

#[test]
fn a_name_is_for_plugins_only() {
    let world = World::holding_the_skill();
    world.run(&["pack", NAME, "--name", "x"]).fails("E-USAGE-001", 2).says("--as plugin");
}

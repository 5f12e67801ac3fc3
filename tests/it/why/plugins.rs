//! Skills that plugins and extensions bring along, as each client keeps them.

use std::fs;

use serde_json::{Value, json};

use super::{causes, skill, verdicts, word};
use crate::support::world::{World, write};

/// A skill in a folder below the home directory.
fn put(world: &World, at: &str) {
    write(&world.home(&format!("{at}/review-code/SKILL.md")), skill("Reviews code."));
}

/// A plugin of Claude Code with one skill, installed in this way.
fn listed(world: &World, entry: &Value) -> String {
    let at = ".claude/plugins/cache/tools/team/1.0.0";
    put(world, &format!("{at}/skills"));
    write(&world.home(&format!("{at}/.claude-plugin/plugin.json")), json!({ "name": "crew" }).to_string());
    let mut entry = entry.clone();
    entry["installPath"] = json!(world.home(at));
    let list = json!({ "version": 2, "plugins": { "team@tools": [entry] } });
    write(&world.home(".claude/plugins/installed_plugins.json"), list.to_string());
    format!("~/{at}/skills/review-code")
}

fn enabled(world: &World, file: &str, on: bool) {
    write(&world.home(file), json!({ "enabledPlugins": { "team@tools": on } }).to_string());
}

#[test]
fn claude_lists_the_skills_of_a_plugin_that_is_switched_on_under_its_name() {
    let world = World::bare(&["claude"]);
    let at = listed(&world, &json!({ "scope": "user" }));
    assert_eq!(word(&verdicts(&world, "review-code"), "claude"), "not_listed");
    assert!(causes(&verdicts(&world, "review-code"), "claude").contains("no settings file has it in `enabledPlugins`"));
    enabled(&world, ".claude/settings.json", true);
    for name in ["review-code", "crew:review-code"] {
        let said = world.run(&["why", name]);
        said.is(0).shows(&format!("Claude Code lists it: {at} (/crew:review-code)\n"));
        assert!(!said.out.contains("cause"), "{}", said.out);
    }
    world.run(&["why", "team:review-code"]).fails("E-SKILL-001", 1).says("`crew:review-code`");
    world.write(".claude/settings.json", json!({ "enabledPlugins": { "team@tools": false } }).to_string());
    let why = causes(&verdicts(&world, "review-code"), "claude");
    assert!(why.contains(".claude/settings.json holds") && why.contains("Switch the plugin on"), "{why}");
}

#[test]
fn what_switches_a_skill_off_switches_off_no_plugins_skill_of_that_name() {
    let world = World::bare(&["claude"]);
    listed(&world, &json!({ "scope": "user" }));
    let settings = json!({ "enabledPlugins": { "team@tools": true }, "skillOverrides": { "crew:review-code": "off" } });
    write(&world.home(".claude/settings.json"), settings.to_string());
    assert_eq!(word(&verdicts(&world, "review-code"), "claude"), "listed");
    let denied = json!({ "permissions": { "deny": ["Skill(crew:review-code)"] } });
    world.write(".claude/settings.json", denied.to_string());
    assert_eq!(word(&verdicts(&world, "review-code"), "claude"), "manual");
}

#[test]
fn a_plugin_for_another_project_is_not_there_and_one_beside_a_copy_is_told_of() {
    let world = World::bare(&["claude"]);
    enabled(&world, ".claude/settings.json", true);
    listed(&world, &json!({ "scope": "project", "projectPath": "/elsewhere" }));
    world.run(&["why", "review-code"]).fails("E-SKILL-001", 1);
    listed(&world, &json!({ "scope": "project", "projectPath": world.root() }));
    assert_eq!(word(&verdicts(&world, "review-code"), "claude"), "listed");
    world.write(".claude/skills/review-code/SKILL.md", skill("Reviews code."));
    let both = verdicts(&world, "review-code");
    assert_eq!((word(&both, "claude"), &both["claude"]["path"]), ("listed", &json!(".claude/skills/review-code")));
    assert!(causes(&both, "claude").contains("brings another one, listed as `crew:review-code`"));
}

#[test]
fn codex_takes_the_newest_version_of_a_plugin_that_its_settings_name() {
    let world = World::bare(&["codex"]);
    let plugin = |version: &str| {
        let at = format!(".codex/plugins/cache/tools/team/{version}");
        put(&world, &format!("{at}/more"));
        let manifest = json!({ "name": "team", "skills": "./more/" });
        write(&world.home(&format!("{at}/.codex-plugin/plugin.json")), manifest.to_string());
        format!("~/{at}/more/review-code")
    };
    let (_, newest) = (plugin("1.9.0"), plugin("1.10.0"));
    world.run(&["why", "review-code"]).fails("E-SKILL-001", 1);
    write(&world.home(".codex/config.toml"), "[plugins.\"team@tools\"]\n");
    let found = verdicts(&world, "review-code");
    assert_eq!((word(&found, "codex"), &found["codex"]["path"]), ("listed", &json!(newest)));
    let local = plugin("local");
    assert_eq!(verdicts(&world, "review-code")["codex"]["path"], json!(local));
    world.write(".codex/skills/review-code/SKILL.md", skill("Reviews code."));
    assert_eq!(word(&verdicts(&world, "review-code"), "codex"), "listed", "two names");
    write(&world.home(".codex/config.toml"), "[plugins.\"team@tools\"]\nenabled = false\n");
    fs::remove_dir_all(world.path(".codex")).unwrap();
    let why = causes(&verdicts(&world, "review-code"), "codex");
    assert!(why.contains("~/.codex/config.toml holds `enabled = false`"), "{why}");
}

#[test]
fn an_extensions_skill_keeps_its_name_and_comes_last() {
    let world = World::bare(&["gemini", "qwen"]);
    for (dir, manifest) in [(".gemini", "gemini-extension.json"), (".qwen", "qwen-extension.json")] {
        put(&world, &format!("{dir}/extensions/team/skills"));
        write(&world.home(&format!("{dir}/extensions/team/{manifest}")), json!({ "name": "crew" }).to_string());
    }
    let found = verdicts(&world, "review-code");
    assert_eq!((word(&found, "gemini"), word(&found, "qwen")), ("listed", "listed"));
    assert_eq!(found["gemini"]["path"], "~/.gemini/extensions/team/skills/review-code");
    for dir in [".gemini", ".qwen"] {
        world.write(&format!("{dir}/skills/review-code/SKILL.md"), skill("Reviews other code."));
    }
    let found = verdicts(&world, "review-code");
    assert_eq!(found["gemini"]["path"], ".gemini/skills/review-code");
    let why = causes(&found, "gemini");
    assert!(why.contains("complains of ~/.gemini/extensions") && why.contains("switch crew off"), "{why}");
    assert_eq!((word(&found, "gemini"), word(&found, "qwen"), causes(&found, "qwen")), ("listed", "listed", "".into()));
    let rules = |rules: &[String]| json!({ "crew": { "overrides": rules } }).to_string();
    let at = world.home(".gemini/extensions/extension-enablement.json");
    let root = world.root();
    write(&at, rules(&[format!("!{}/*", world.outside().display()), format!("{}/", root.display())]));
    assert!(causes(&verdicts(&world, "review-code"), "gemini").contains("complains of"), "the last rule counts");
    write(&at, rules(&[format!("!{}/*", world.outside().display())]));
    assert_eq!(causes(&verdicts(&world, "review-code"), "gemini"), "");
    fs::remove_dir_all(world.path(".gemini")).unwrap();
    assert!(causes(&verdicts(&world, "review-code"), "gemini").contains("extension-enablement.json holds `"));
}

#[test]
fn a_linked_extension_is_read_where_it_was_linked_from() {
    let world = World::bare(&["gemini"]);
    let source = world.outside().join("mine");
    write(&source.join("skills/review-code/SKILL.md"), skill("Reviews code."));
    write(&source.join("gemini-extension.json"), json!({ "name": "mine" }).to_string());
    let about = json!({ "type": "link", "source": source });
    write(&world.home(".gemini/extensions/mine/.gemini-extension-install.json"), about.to_string());
    let found = verdicts(&world, "review-code");
    assert_eq!(found["gemini"]["path"], json!(source.join("skills/review-code")));
}

#[test]
fn what_plugins_bring_counts_in_the_list_and_among_the_answers() {
    let world = World::bare(&["claude"]);
    enabled(&world, ".claude/settings.json", true);
    listed(&world, &json!({ "scope": "user" }));
    let data = world.data(&["why", "--prompt", "reviews code"]);
    assert_eq!(data["clients"][0]["first"][0]["name"], "crew:review-code");
    let matched = world.data(&["match", "reviews code"])["skills"][0].clone();
    assert_eq!((&matched["name"], &matched["places"][0]["scope"]), (&json!("crew:review-code"), &json!("plugin")));
    world.run(&["init"]).is(0);
    world.run(&["why", "review-code", "--cli", "codex"]).is(0).shows("`hefesto adopt ~/.claude/plugins/");
}

#[test]
fn settings_and_manifests_of_another_shape_are_passed_over() {
    let world = World::bare(&["claude", "codex", "gemini"]);
    world.write(".claude/skills/review-code/SKILL.md", skill("Reviews code."));
    for odd in ["[1]", "\"x\"", "{\"plugins\": [1], \"name\": 1}", "{", ""] {
        write(&world.home(".claude/plugins/installed_plugins.json"), odd);
        write(&world.home(".gemini/extensions/a/gemini-extension.json"), odd);
        write(&world.home(".gemini/extensions/extension-enablement.json"), odd);
        assert_eq!(word(&verdicts(&world, "review-code"), "claude"), "listed", "{odd}");
    }
    let at = ".codex/plugins/cache/tools/team/1.0.0";
    let manifest = json!({ "name": "team", "skills": ["../../../../../../project/.claude/skills", "/", 1] });
    write(&world.home(&format!("{at}/.codex-plugin/plugin.json")), manifest.to_string());
    write(&world.home(".codex/config.toml"), "[plugins.\"team@tools\"]\n[plugins.odd]\n");
    assert_eq!(word(&verdicts(&world, "review-code"), "codex"), "not_listed", "a manifest names only its own folders");
}

#[test]
fn users_and_system_settings_decide_in_their_order() {
    let world = World::bare(&["gemini"]);
    world.write(".gemini/skills/review-code/SKILL.md", skill("Reviews code."));
    let (defaults, last) = (world.outside().join("defaults.json"), world.outside().join("last.json"));
    world.set("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", defaults.to_str().unwrap());
    world.set("GEMINI_CLI_SYSTEM_SETTINGS_PATH", last.to_str().unwrap());
    let on = |on: bool| json!({ "skills": { "enabled": on } }).to_string();
    write(&defaults, on(false));
    assert_eq!(word(&verdicts(&world, "review-code"), "gemini"), "not_listed");
    write(&world.home(".gemini/settings.json"), on(true));
    assert_eq!(word(&verdicts(&world, "review-code"), "gemini"), "listed");
    write(&last, on(false));
    let off = verdicts(&world, "review-code");
    assert!(word(&off, "gemini") == "not_listed" && causes(&off, "gemini").contains("last.json holds"));
}

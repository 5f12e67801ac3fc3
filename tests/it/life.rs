//! The life of a skill after it was created: edited, brought together, for one more client, under another name.

mod adopt;
mod convert;
mod edit;
mod history;
mod pack;
mod rename;
mod stale;
mod status;
mod sync;
mod update;

use crate::support::world::{CLAUDE, GEMINI, NAME, Said, World};

/// An edit of a person's own in one copy: a line after a heading of the skill.
fn insert(world: &World, copy: &str, heading: &str, line: &str) {
    let file = format!("{copy}/SKILL.md");
    let text = world.read(&file);
    assert!(text.contains(heading), "{heading:?} in\n{text}");
    world.write(&file, text.replacen(heading, &format!("{heading}\n\n{line}"), 1));
}

/// The states of the skill's copies, `client state`, in table order.
fn states(world: &World, name: &str) -> Vec<String> {
    let data = world.data(&["status", name]);
    let copies = data["skills"][0]["copies"].as_array().unwrap().clone();
    let word = |one: &serde_json::Value, key: &str| one[key].as_str().unwrap().to_owned();
    copies.iter().map(|one| format!("{} {}", word(one, "client"), word(one, "state"))).collect()
}

/// `hefesto ARGS --yes` with nobody there.
fn yes(world: &World, args: &[&str]) -> Said {
    world.run(&[args, &["--yes"]].concat())
}

/// Both copies of the skill say the same, each in its client's way.
#[track_caller]
fn agree(world: &World) {
    assert_eq!(world.skill(CLAUDE), world.skill(GEMINI).replace("{{args}}", "$ARGUMENTS"));
    assert_eq!(states(world, NAME), ["claude same", "gemini same"]);
}

/// `metadata.version` of a copy, and the one of its metadata.yaml.
fn versions(world: &World, copy: &str) -> [String; 2] {
    let find = |text: String| {
        let line = text.lines().find(|line| line.trim_start().starts_with("version:")).unwrap().to_owned();
        line.trim().trim_start_matches("version:").trim().trim_matches('"').to_owned()
    };
    [find(world.skill(copy)), find(world.read(&format!("{copy}/metadata.yaml")))]
}

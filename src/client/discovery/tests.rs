//! What each client finds on a machine with these directories.

use std::fs;
use std::path::Path;

use super::*;
use crate::client::target::Targets;

fn put(root: &Path, dir: &str, name: &str, description: &str) {
    let dir = root.join(dir).join(name);
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("SKILL.md"), format!("---\nname: {name}\ndescription: {description}\n---\nBody.\n")).unwrap();
}

/// A reader of a project without anything of the user's own.
fn reach(root: &Path) -> Reach {
    Reach::new(&Env::made(root.into(), &[], jiff::Timestamp::UNIX_EPOCH), &Project::at(root))
}

fn names(skills: &[Standing]) -> Vec<&str> {
    skills.iter().map(|one| one.shown.as_str()).collect()
}

#[test]
fn a_name_in_two_places_is_listed_as_each_client_does() {
    let dir = tempfile::tempdir().unwrap();
    let (root, home) = (dir.path().join("project"), dir.path().join("home"));
    for below in [".claude/skills", ".codex/skills"] {
        put(&root, below, "x", "Here.");
        put(&home, below, "x", "There.");
    }
    let env = Env::made(root.clone(), &[("HOME", home.to_str().unwrap())], jiff::Timestamp::UNIX_EPOCH);
    let targets = Targets::with(Vec::new());
    let mut reach = Reach::new(&env, &Project::at(&root));
    let mut listed = |id: &str| reach.listed(targets.get(id).unwrap());
    assert_eq!(names(&listed("claude")), ["~/.claude/skills/x"]);
    assert_eq!(names(&listed("codex")), [".codex/skills/x", "~/.codex/skills/x"]);
    assert_eq!(names(&listed("copilot")), [".claude/skills/x"]);
    assert_eq!(names(&listed("cursor")), [".claude/skills/x", "~/.claude/skills/x"]);
    assert!(listed("gemini").is_empty());
    let all = reach.installed(targets.iter());
    let seen: Vec<_> = all.iter().map(|one| (one.text.as_str(), one.clients.join(" "), one.places.len())).collect();
    let here = ("Here.", "codex copilot opencode cursor".to_owned(), 2);
    assert_eq!(seen, [here, ("There.", "claude codex cursor".to_owned(), 2)]);
}

#[test]
fn a_linked_directory_is_followed_to_the_folders_in_it() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), "shared/skills", "x", "Here.");
    fs::create_dir_all(dir.path().join(".gemini")).unwrap();
    std::os::unix::fs::symlink("../shared/skills", dir.path().join(".gemini/skills")).unwrap();
    let mut reach = reach(dir.path());
    let found = reach.found(Targets::with(Vec::new()).get("gemini").unwrap());
    let [one] = &found[..] else { panic!("{found:?}") };
    assert_eq!(one.real, dir.path().canonicalize().unwrap().join("shared/skills/x"));
    assert!(reach.is_at(one, ".gemini/skills/x") && reach.is_at(one, "shared/skills/x"));
    assert!(!reach.is_at(one, ".gemini/skills/y"));
}

#[test]
fn equal_copies_are_taken_apart_once_and_others_each() {
    let dir = tempfile::tempdir().unwrap();
    for (below, name, text) in
        [(".claude/skills", "x", "Here."), (".codex/skills", "x", "Here."), (".codex/skills", "y", "There.")]
    {
        put(dir.path(), below, name, text);
    }
    fs::create_dir_all(dir.path().join(".codex/skills/z")).unwrap();
    fs::write(dir.path().join(".codex/skills/z/SKILL.md"), "No head.").unwrap();
    let targets = Targets::with(Vec::new());
    let mut reach = reach(dir.path());
    let before = reach.found(targets.get("codex").unwrap());
    let seen: Vec<_> = before.iter().map(|one| (one.name.as_str(), one.text.as_str())).collect();
    assert_eq!(seen, [("x", "Here."), ("y", "There.")]);
    assert_eq!(names(&reach.found(targets.get("claude").unwrap())), [".claude/skills/x"]);
    let held = |below: &str| reach.held.iter().find(|(path, _)| *path == dir.path().join(below)).unwrap();
    let doc = |below: &str| Rc::clone(&held(below).1[0].doc);
    assert!(Rc::ptr_eq(&doc(".claude/skills"), &doc(".codex/skills")));
    assert_eq!(reach.found(targets.get("codex").unwrap()), before);
}

#[test]
fn a_link_to_the_same_skill_is_one_for_codex() {
    let dir = tempfile::tempdir().unwrap();
    put(dir.path(), ".agents/skills", "x", "Here.");
    fs::create_dir_all(dir.path().join(".codex/skills")).unwrap();
    std::os::unix::fs::symlink("../../.agents/skills/x", dir.path().join(".codex/skills/x")).unwrap();
    let mut reach = reach(dir.path());
    let codex = Targets::with(Vec::new()).get("codex").cloned().unwrap();
    assert_eq!((reach.found(&codex).len(), reach.listed(&codex).len()), (2, 1));
    assert!(reach.found(&codex).iter().all(|one| reach.is_at(one, ".agents/skills/x")));
}

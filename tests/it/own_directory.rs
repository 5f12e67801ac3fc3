//! A clone that brings links, pipes and directories in place of what hefesto keeps in `.hefesto`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::world::{self, EMAIL, NAME, World};

/// Everything hefesto keeps there; `""` is the directory itself.
const NAMES: [&str; 13] = [
    "", "txn", "backups", "logs", "lanes", "templates", "memory.db", "memory.db-wal", "memory.db-shm",
    "memory.db-journal", "config.toml", ".gitignore", "lock",
];

/// A directory that is not the project's, with what recovery renames, removes and reads where it is taken for ours.
fn bait(dir: &Path) {
    for at in ["txn", "backups", "logs", "templates"] {
        fs::create_dir_all(dir.join(at)).unwrap();
    }
    let files = [
        "notes", "a.json", "b.commit", "c.tmp", "txn/a.json", "backups/x.tar.gz.tmp", "logs/operations.jsonl",
        "templates/base.md", "memory.db", "config.toml", "lock", "file",
    ];
    for at in files {
        fs::write(dir.join(at), format!("license = \"SECRET {at}\"\n")).unwrap();
    }
}

fn everything(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = walkdir::WalkDir::new(dir).into_iter().map(Result::unwrap);
    entries.map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap_or_default())).collect()
}

/// A link to what is outside, a link to what is inside the project, a pipe, and the wrong kind.
fn put(world: &World, name: &str, what: &str) {
    let at = world.path(".hefesto").join(name);
    let at = if name.is_empty() { world.path(".hefesto") } else { at };
    let is_file = name.contains('.') || name == "lock";
    let _ = if at.is_dir() { fs::remove_dir_all(&at) } else { fs::remove_file(&at) };
    let bait = |dir: PathBuf| if is_file { dir.join("file") } else { dir };
    match what {
        "outside" => symlink(bait(world.outside().join("bait")), at).unwrap(),
        "inside" => symlink(bait(world.path("bait")), at).unwrap(),
        "pipe" => world::pipe(&at),
        _ if is_file => fs::create_dir(at).unwrap(),
        _ => fs::write(at, "").unwrap(),
    }
}

#[test]
fn nothing_behind_what_a_clone_brings_is_changed_or_read() {
    for name in NAMES {
        for what in ["outside", "inside", "pipe", "kind"] {
            let world = World::holding_the_skill();
            bait(&world.outside().join("bait"));
            bait(&world.path("bait"));
            put(&world, name, what);
            let before = [everything(&world.outside().join("bait")), everything(&world.path("bait"))];
            let case = format!(".hefesto/{name} as {what}");
            let mut said = String::new();
            for args in [
                &["list"][..],
                &["show", NAME],
                &["validate"],
                &["config"],
                &["detect"],
                &["templates"],
                &["backups"],
                &["runs"],
                &["recover"],
                &["memory", "inspect"],
                &["memory", "doctor"],
                &["init", "--yes"],
                &["create", EMAIL, "--name", "another", "--yes"],
                &["delete", NAME, "--yes"],
                &["undo", "--yes"],
            ] {
                let ran = world.run(args);
                let told = format!("{}{}", ran.out, ran.err);
                assert!(!told.contains("SECRET"), "{case}: {args:?} read what is behind it:\n{told}");
                said.push_str(&told);
            }
            let after = [everything(&world.outside().join("bait")), everything(&world.path("bait"))];
            assert_eq!(before, after, "{case}: what is behind it was changed");
            let path = world.path(".hefesto").join(name);
            let path = path.to_str().unwrap().trim_end_matches('/');
            // A file in place of a directory leads nowhere; whoever needs the directory says so.
            let harmless = what == "kind" && !name.contains('.') && name != "lock";
            assert!(said.contains(path) || harmless, "{case}: nobody said so:\n{said}");
        }
    }
}

#[test]
fn what_only_reads_goes_on() {
    for name in ["txn", "backups", "logs", "lanes", "memory.db", "lock"] {
        let world = World::holding_the_skill();
        bait(&world.outside().join("bait"));
        put(&world, name, "outside");
        let list = world.run(&["list"]).ok();
        assert!(list.out.contains(NAME) && list.err.contains("WARN-032"), "{name}: {}", list.err);
        let delete = world.run(&["delete", NAME, "--yes"]);
        assert!(delete.exit != hefesto::error::Exit::Done, "{}", delete.err);
        assert!(delete.err.contains("is a symbolic link"), "{}", delete.err);
        assert!(world.exists(&format!(".claude/skills/{NAME}/SKILL.md")));
    }
}

#[test]
fn a_projects_template_is_no_link_and_the_users_own_may_be_one() {
    let world = World::two();
    let secret = world.outside().join("secret.md");
    fs::write(&secret, "---\nname: x\n---\nPRIVATE KEY {{ description }}\n").unwrap();
    fs::create_dir_all(world.path(".hefesto/templates")).unwrap();
    symlink(&secret, world.path(".hefesto/templates/base.md")).unwrap();
    let ran = world.run(&["create", EMAIL, "--template", "base", "--dry-run"]);
    ran.says("base.md is a symbolic link");
    assert!(!ran.out.contains("PRIVATE") && !ran.err.contains("PRIVATE"));
    fs::remove_file(world.path(".hefesto/templates/base.md")).unwrap();
    let own = world.outside().join("home/.config/hefesto/templates");
    fs::create_dir_all(&own).unwrap();
    fs::write(world.outside().join("mine.md"), "---\nname: x\n---\nMine.\n").unwrap();
    symlink("../../../../mine.md", own.join("mine.md")).unwrap();
    world.run(&["templates", "show", "mine"]).ok().shows("Mine.");
}

#[test]
fn skills_are_read_through_links_that_stay_inside() {
    let world = World::holding_the_skill();
    fs::rename(world.path(".claude/skills"), world.path("shared")).unwrap();
    symlink(world.path("shared"), world.path(".claude/skills")).unwrap();
    fs::rename(world.path(".gemini/skills"), world.outside().join("elsewhere")).unwrap();
    symlink(world.outside().join("elsewhere"), world.path(".gemini/skills")).unwrap();
    world.run(&["validate", "--cli", "claude"]).shows(NAME);
    let shown = world.run(&["validate", "--cli", "gemini"]);
    assert!(!shown.out.contains(NAME), "{}", shown.out);
}

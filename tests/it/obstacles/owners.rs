//! Entries of another owner and without leave to write in what a command replaces or removes.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

use super::{ACTIONS, CLAUDE, GEMINI, How, NAME, OVER, World, hefesto, is_root, registered, settled, state, wanted};

/// `nobody`.
const NOBODY: u32 = 65534;

/// Gives the whole world to `nobody`, with a copy of the program that it may run.
fn give_away(world: &World) {
    let base = world.outside();
    fs::set_permissions(&base, fs::Permissions::from_mode(0o755)).unwrap();
    // Copied by another process: a child of this one that inherits the open copy would keep it from being run.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_hefesto")).arg(base.join("hefesto")).status().unwrap();
    assert!(copied.success());
    for entry in walkdir::WalkDir::new(&base) {
        chown(entry.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// Gives a place and everything below it to root.
fn root_owns(path: &Path, mode: u32) {
    for entry in walkdir::WalkDir::new(path) {
        chown(entry.unwrap().path(), Some(0), Some(0)).unwrap();
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// What makes an old skill hard to take away.
type Obstacle = (&'static str, fn(&World), fn(&World));

fn cache(world: &World) {
    world.write(&format!("{CLAUDE}/scripts/__pycache__/run.txt"), "made in a container");
}

fn two_caches(world: &World) {
    cache(world);
    world.write(&format!("{GEMINI}/references/deep/er/text.md"), "made in a container");
}

const OBSTACLES: &[Obstacle] = &[
    ("a folder of another owner", cache, |world| root_owns(&world.path(CLAUDE).join("scripts/__pycache__"), 0o755)),
    ("folders of another owner in each copy", two_caches, |world| {
        root_owns(&world.path(CLAUDE).join("scripts/__pycache__"), 0o755);
        root_owns(&world.path(GEMINI).join("references/deep"), 0o755);
    }),
    ("a folder of another owner that only lets look", cache, |world| {
        root_owns(&world.path(CLAUDE).join("scripts/__pycache__"), 0o555);
    }),
    ("a folder of another owner that lets nobody look", cache, |world| {
        root_owns(&world.path(CLAUDE).join("scripts/__pycache__"), 0o700);
    }),
    ("a file of another owner that cannot be read", cache, |world| {
        root_owns(&world.path(CLAUDE).join("scripts/__pycache__/run.txt"), 0o600);
    }),
    ("a folder without leave to write", cache, |world| {
        fs::set_permissions(world.path(CLAUDE).join("scripts"), fs::Permissions::from_mode(0o555)).unwrap();
    }),
    ("a skill without leave to write", cache, |world| {
        fs::set_permissions(world.path(CLAUDE), fs::Permissions::from_mode(0o555)).unwrap();
    }),
    ("a skill of another owner", cache, |world| root_owns(&world.path(GEMINI), 0o755)),
    ("skills without leave to write", cache, |world| {
        fs::set_permissions(world.path(".gemini/skills"), fs::Permissions::from_mode(0o555)).unwrap();
    }),
    ("skills of another owner", cache, |world| root_owns(&world.path(".gemini/skills"), 0o755)),
];

#[test]
fn what_cannot_be_taken_away_leaves_old_or_new_and_blocks_nothing() {
    if !is_root() {
        println!("SKIPPED: only root can make entries of another owner");
        return;
    }
    let how = How { nobody: true, ..How::default() };
    let mut points = 0;
    let mut failed = Vec::new();
    for action in ACTIONS {
        for (name, prepare, obstruct) in OBSTACLES {
            let new = wanted(action, prepare);
            let world = (action.setup)();
            world.at("2026-02-05T10:03:00Z");
            prepare(&world);
            give_away(&world);
            obstruct(&world);
            let old = state(&world);
            let context = format!("{:?}, {name}", action.args);
            points += 1;
            let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let ran = hefesto(&world, action.args, how);
                settled(&world, &ran, &old, &new, how, &context);
            }));
            if let Err(panic) = tried {
                failed.push(panic.downcast_ref::<String>().cloned().unwrap_or(context));
            }
        }
    }
    println!("entries of another owner: {points} points, {} failed", failed.len());
    assert!(failed.is_empty(), "{} failures\n{}", failed.len(), failed.join("\n----\n"));
    assert!(points >= 50, "{points} points");
}

/// The text somebody saved between two commands stays, and a skill deleted meanwhile does not come back.
#[test]
fn what_cannot_be_cleared_away_undoes_no_later_work() {
    if !is_root() {
        println!("SKIPPED: only root can make entries of another owner");
        return;
    }
    let how = How { nobody: true, ..How::default() };
    let stuck = || {
        let world = World::holding_the_skill();
        world.at("2026-02-05T10:03:00Z");
        cache(&world);
        give_away(&world);
        root_owns(&world.path(CLAUDE).join("scripts/__pycache__"), 0o755);
        let ran = hefesto(&world, OVER, how);
        assert!(matches!(ran.exit, 0 | 8), "exit {}: {}", ran.exit, ran.said);
        world
    };
    let world = stuck();
    let edited = world.skill(GEMINI) + "\nMy own words.\n";
    world.write_skill(GEMINI, &edited);
    let new = world.skill(CLAUDE);
    let list = hefesto(&world, &["list"], how);
    assert!(list.exit == 0 && !list.said.contains("rolled back"), "exit {}: {}", list.exit, list.said);
    assert_eq!(state(&world), [Some(new), Some(edited)], "{}", list.said);
    assert_eq!(hefesto(&world, &["recover"], how).exit, 0);

    let world = stuck();
    let gone = hefesto(&world, &["delete", NAME, "--yes"], how);
    assert!(matches!(gone.exit, 0 | 8), "exit {}: {}", gone.exit, gone.said);
    for _ in 0..2 {
        assert_eq!(hefesto(&world, &["list"], how).exit, 0);
        assert!(!registered(&world), "a deleted skill is registered again");
    }
}

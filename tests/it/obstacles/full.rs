//! File systems without room, without inodes, and without leave to write.

use std::fs;
use std::path::Path;

use super::{ACTIONS, How, NAME, hefesto, inside, nothing, on_tmpfs, settled, state, wanted};
use crate::support::world;

#[test]
fn a_small_file_system_that_is_full_leaves_old_or_new() {
    if !inside("full::a_small_file_system_that_is_full_leaves_old_or_new") {
        return;
    }
    let (mut points, mut refused) = (0, 0);
    for action in ACTIONS {
        let new = wanted(action, &nothing);
        for room in [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233] {
            let world = (action.setup)();
            world.at("2026-02-05T10:03:00Z");
            let _mounted = on_tmpfs(&world, "size=4m");
            let old = state(&world);
            // What is left of the four megabytes, in pages.
            fill(&world.root(), room);
            let ran = hefesto(&world, action.args, How::default());
            fs::remove_file(world.root().join("filler")).unwrap();
            settled(&world, &ran, &old, &new, How::default(), &format!("{room} pages are left, {:?}", action.args));
            points += 1;
            refused += usize::from(ran.exit != 0);
        }
    }
    println!("a full file system: {points} points, {refused} refused");
    assert!(points >= 60 && refused >= 20, "{points} points, {refused} refused");
}

/// Fills the file system but for so many pages.
fn fill(root: &Path, pages: usize) {
    let filler = root.join("filler");
    let mut file = fs::File::create(&filler).unwrap();
    while std::io::Write::write_all(&mut file, &[1; 4096]).is_ok() {}
    let length = file.metadata().unwrap().len();
    file.set_len(length - 4096 * u64::try_from(pages).unwrap()).unwrap();
}

#[test]
fn a_file_system_without_inodes_leaves_old_or_new() {
    if !inside("full::a_file_system_without_inodes_leaves_old_or_new") {
        return;
    }
    let (mut points, mut refused) = (0, 0);
    for action in ACTIONS {
        let new = wanted(action, &nothing);
        for room in [0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 24] {
            let world = (action.setup)();
            world.at("2026-02-05T10:03:00Z");
            let _mounted = on_tmpfs(&world, "size=16m,nr_inodes=200");
            let old = state(&world);
            let filler = world.root().join("filler");
            fs::create_dir(&filler).unwrap();
            let made = (0..).take_while(|one| fs::write(filler.join(one.to_string()), "").is_ok()).count();
            (0..room).for_each(|one| fs::remove_file(filler.join((made - 1 - one).to_string())).unwrap());
            let ran = hefesto(&world, action.args, How::default());
            fs::remove_dir_all(&filler).unwrap();
            settled(&world, &ran, &old, &new, How::default(), &format!("{room} inodes are left, {:?}", action.args));
            points += 1;
            refused += usize::from(ran.exit != 0);
        }
    }
    println!("no inodes: {points} points, {refused} refused");
    assert!(points >= 50 && refused >= 20, "{points} points, {refused} refused");
}

#[test]
fn in_a_read_only_project_nothing_changes_and_looking_works() {
    if !inside("full::in_a_read_only_project_nothing_changes_and_looking_works") {
        return;
    }
    let mut points = 0;
    for action in ACTIONS {
        let world = (action.setup)();
        world.at("2026-02-05T10:03:00Z");
        let mounted = on_tmpfs(&world, "size=8m");
        mounted.read_only();
        let before = world::picture(&world.root(), &[]);
        let ran = hefesto(&world, action.args, How::default());
        assert!(matches!(ran.exit, 1 | 6), "{:?}: exit {}: {}", action.args, ran.exit, ran.said);
        for look in [
            &["list"][..],
            &["show", NAME],
            &["validate"],
            &["detect"],
            &["runs"],
            &["backups"],
            &["config"],
            &["memory", "inspect"],
            &["match", "check an email"],
            &["recover"],
        ] {
            let ran = hefesto(&world, look, How::default());
            assert_eq!(ran.exit, 0, "{look:?}: {}", ran.said);
            points += 1;
        }
        assert_eq!(world::picture(&world.root(), &[]), before, "{:?}", action.args);
        points += 1;
    }
    println!("read-only: {points} points");
    assert!(points >= 55, "{points} points");
}

//! Overlays, as containers have them, and mounts inside the project.

use std::fs;

use super::{
    ACTIONS, CLAUDE, EMAIL, GEMINI, How, Mounted, World, copy, hefesto, inside, is_root, nothing, settled, state,
    wanted,
};

/// The project as the lower layer of an overlay.
fn overlaid(world: &World) -> [Mounted; 2] {
    let layers = world.outside().join("layers");
    fs::create_dir(&layers).unwrap();
    let below = Mounted::new(&layers, &["-t", "tmpfs", "none"]);
    let names = ["lower", "upper", "work"].map(|name| layers.join(name));
    names.iter().for_each(|path| fs::create_dir(path).unwrap());
    copy(&world.root(), &names[0]);
    let [lower, upper, work] = names.map(|path| path.to_str().unwrap().to_owned());
    let plain = if is_root() { "" } else { ",userxattr" };
    let options = format!("lowerdir={lower},upperdir={upper},workdir={work}{plain}");
    [Mounted::new(&world.root(), &["-t", "overlay", "-o", &options, "overlay"]), below]
}

#[test]
fn a_skill_of_an_overlays_lower_layer_is_changed_like_any_other() {
    if !inside("mounts::a_skill_of_an_overlays_lower_layer_is_changed_like_any_other") {
        return;
    }
    for action in ACTIONS {
        let (new, world) = (wanted(action, &nothing), (action.setup)());
        world.at("2026-02-05T10:03:00Z");
        let _mounted = overlaid(&world);
        let old = state(&world);
        let ran = hefesto(&world, action.args, How::default());
        assert_eq!(ran.exit, 0, "{:?}: {}", action.args, ran.said);
        settled(&world, &ran, &old, &new, How::default(), &format!("overlay, {:?}", action.args));
    }
    let world = World::two();
    let _mounted = overlaid(&world);
    let ran = hefesto(&world, &["create", EMAIL, "--yes"], How::default());
    assert_eq!(ran.exit, 0, "{}", ran.said);
    println!("overlay: {} points", ACTIONS.len() + 1);
}

#[test]
fn killed_on_an_overlay_the_next_command_finds_old_or_new() {
    if !inside("mounts::killed_on_an_overlay_the_next_command_finds_old_or_new") {
        return;
    }
    let mut points = 0;
    for (index, action) in ACTIONS.iter().enumerate() {
        let new = wanted(action, &nothing);
        for step in (1 + index..).step_by(9) {
            let world = (action.setup)();
            world.at("2026-02-05T10:03:00Z");
            let _mounted = overlaid(&world);
            let old = state(&world);
            let ran = hefesto(&world, action.args, How { killed_after: Some(step), ..How::default() });
            settled(&world, &ran, &old, &new, How::default(), &format!("overlay, {:?}, killed at {step}", action.args));
            if ran.exit != -1 {
                break;
            }
            points += 1;
        }
    }
    println!("killed on an overlay: {points} points");
    assert!(points >= 25, "{points} points");
}

#[test]
fn a_mount_in_the_way_leaves_old_or_new() {
    if !inside("mounts::a_mount_in_the_way_leaves_old_or_new") {
        return;
    }
    let places = [
        CLAUDE.to_owned(),
        GEMINI.to_owned(),
        format!("{CLAUDE}/references"),
        ".gemini/skills".to_owned(),
        ".hefesto".to_owned(),
    ];
    let mut points = 0;
    for action in ACTIONS {
        for place in &places {
            let references = |world: &World| {
                if place.ends_with("references") {
                    world.write(&format!("{CLAUDE}/references/a.md"), "a\n");
                }
            };
            let (new, world) = (wanted(action, &references), (action.setup)());
            world.at("2026-02-05T10:03:00Z");
            references(&world);
            let kept = world.outside().join("kept");
            fs::create_dir(&kept).unwrap();
            copy(&world.path(place), &kept);
            let _mounted = Mounted::new(&world.path(place), &["--bind", kept.to_str().unwrap()]);
            let old = state(&world);
            let ran = hefesto(&world, action.args, How::default());
            let context = format!("{place} is mounted, {:?}", action.args);
            settled(&world, &ran, &old, &new, How::default(), &context);
            if place == CLAUDE || place == GEMINI {
                assert_eq!(
                    ran.exit, 1,
                    "{context}: a skill folder that is mounted is refused in the plan\n{}",
                    ran.said
                );
                assert!(ran.said.contains(place), "{context}: it is not named\n{}", ran.said);
            }
            points += 1;
        }
    }
    println!("mounts: {points} points");
    assert!(points >= 25, "{points} points");
}

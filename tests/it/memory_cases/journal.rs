//! The journal of checkpoints, case by case: J1 to J7. In which order it is listed, what is pruned, copied and deleted.

use serde_json::{Value, json};

use crate::support::world::World;

/// Three runs, a minute apart; their ids.
fn three() -> (World, Vec<String>) {
    let world = World::two();
    let runs = ["one", "two", "three"].iter().enumerate().map(|(minute, name)| {
        world.at(&format!("2026-02-05T10:0{minute}:00Z"));
        world.create(&["Review pull requests", "--name", name, "--yes"]).is(0);
        world.newest()
    });
    let runs = runs.collect();
    (world, runs)
}

fn listed(world: &World, args: &[&str]) -> Vec<Value> {
    let args = [&["memory", "timeline", "--store", "ring"], args].concat();
    world.data(&args)["moments"].as_array().unwrap().clone()
}

fn times(moments: &[Value]) -> Vec<&str> {
    moments.iter().map(|one| one["at"].as_str().unwrap()).collect()
}

#[test]
fn j1_list_ordering_is_by_time_and_of_one_instant_by_phase() {
    let (world, _) = three();
    let all = listed(&world, &["--limit", "1000"]);
    assert!(times(&all).is_sorted() && all.len() == 16, "{all:?}");
    let last: Vec<&str> = all[9..].iter().map(|one| one["what"].as_str().unwrap()).collect();
    for (phase, what) in last.iter().enumerate() {
        assert!(what.contains(&format!("P{phase}")), "{last:?}");
    }
}

#[test]
fn j2_list_before_and_after_one_shows_what_is_around_it() {
    let (world, runs) = three();
    let around = world.data(&["memory", "timeline", "--around", &runs[1], "--limit", "7"])["moments"].clone();
    let around = around.as_array().unwrap();
    let place = around.iter().position(|one| one["id"] == runs[1].as_str()).unwrap();
    assert!(place > 0 && place < around.len() - 1, "{around:?}");
    assert!(times(around).is_sorted() && around.len() <= 7, "{around:?}");
}

#[test]
fn j3_list_limit_gives_the_newest() {
    let (world, _) = three();
    let all = listed(&world, &["--limit", "1000"]);
    for limit in [1, 3, 16, 100] {
        let some = listed(&world, &["--limit", &limit.to_string()]);
        assert_eq!(some, all[all.len() - limit.min(16)..], "{limit}");
    }
    world.run(&["memory", "timeline", "--limit", "x"]).is(2);
}

#[test]
fn j4_list_filter_by_time_by_store_and_by_run() {
    let (world, runs) = three();
    let late = listed(&world, &["--since", "2026-02-05T10:01:30Z", "--limit", "1000"]);
    assert_eq!(late.len(), 7);
    assert!(late.iter().all(|one| one["store"] == "ring" && one["at"] == "2026-02-05T10:02:00.000Z"), "{late:?}");
    let of = |run: &str| world.data(&["memory", "ring", "show", "--run", run])["markers"].clone();
    assert_eq!((of(&runs[0])["P6"].clone(), of(&runs[1])["P0"].clone()), (json!(6), json!(7)));
    assert_eq!(of(&runs[2])["P0"], 14);
}

#[test]
fn j5_prune_keeps_the_latest() {
    let (world, runs) = three();
    world.at("2026-02-05T10:02:30Z");
    world.data(&["memory", "prune", "--older-than", "45s", "--yes"]);
    let left = world.data(&["runs"])["runs"].as_array().unwrap().clone();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["run_id"], runs[2].as_str());
    assert_eq!(listed(&world, &[]).len(), 7);
    for phase in ["P0", "P3", "P6"] {
        world.data(&["memory", "ring", "get", phase, "--run", &runs[2]]);
    }
    world.run(&["memory", "doctor"]).is(0);
}

#[test]
fn j6_copy_gives_another_project_the_same_checkpoints_and_leaves_its_source() {
    let (here, runs) = three();
    let there = World::two();
    let before = here.data(&["memory", "ring", "show"]);
    here.run(&["memory", "export", "out.jsonl"]).is(0);
    there.write("in.jsonl", here.read("out.jsonl"));
    there.data(&["memory", "import", "in.jsonl"]);
    assert_eq!(here.data(&["memory", "ring", "show"]), before);
    assert_eq!(there.data(&["memory", "ring", "show"]), before);
    let get = ["memory", "ring", "get", "P2", "--run", &runs[1]];
    assert_eq!(there.data(&get), here.data(&get));
    assert_eq!(there.data(&["memory", "ring", "verify"])["damaged"], json!([]));
}

#[test]
fn j7_delete_for_one_run_takes_its_checkpoints_and_no_others() {
    let (world, runs) = three();
    world.run(&["memory", "delete", &runs[1], "--yes"]).is(0);
    let held = world.data(&["memory", "ring", "show"])["slots"].as_array().unwrap().clone();
    assert!(held.iter().all(|slot| slot["run_id"] != runs[1].as_str()), "{held:?}");
    assert_eq!(held.len(), 2 + 7, "P5 and P6 of the first, all of the third");
    world.run(&["memory", "ring", "get", "P0", "--run", &runs[1]]).fails("E-MEMORY-004", 1);
    world.data(&["memory", "ring", "get", "P6", "--run", &runs[0]]);
    world.data(&["memory", "ring", "get", "P0", "--run", &runs[2]]);
    world.run(&["memory", "delete", &runs[1], "--yes"]).fails("E-MEMORY-011", 1);
    world.run(&["memory", "doctor"]).is(0);
}

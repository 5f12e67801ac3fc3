//! How often the disk is waited for: what the operating system is asked, by strace.
#![cfg(target_os = "linux")]

use crate::support::held::alone;
use crate::support::world;

use std::process::Command;

use world::{EMAIL, World};

/// What is waited for in a command, in this order; `None` where there is no strace or nothing is synced together.
fn waited_for(world: &World, args: &[&str]) -> Option<Vec<String>> {
    let trace = world.outside().join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", "trace=fsync,fdatasync,syncfs", "-o"]).arg(&trace);
    command.arg(env!("CARGO_BIN_EXE_hefesto")).args(["-C", "."]).args(args);
    let mut command = alone(command, &world.root(), &world.outside());
    let status = command.env("HEFESTO_NOW", "2026-02-06T11:00:00Z").status().ok()?;
    assert!(status.success(), "{args:?}: {status}");
    let name = |line: &str| {
        let (_, call) = line.split_once(' ')?;
        let (call, rest) = call.trim_start().split_once('(')?;
        let path = rest.split_once('<')?.1.split_once('>')?.0;
        let file = path.rsplit('/').next().unwrap_or_default();
        let run = file.split_once('.').filter(|(id, _)| id.len() == 26).map_or(file, |(_, end)| end);
        let shown = if path.ends_with("/project") { "." } else { run };
        Some(if call == "syncfs" { "together".to_owned() } else { shown.to_owned() })
    };
    let text = std::fs::read_to_string(trace).unwrap();
    let calls: Vec<String> = text.lines().filter_map(name).collect();
    let together = calls.iter().any(|call| call == "together");
    if !together {
        println!("skipped: the kernel or the file system does not sync files together");
    }
    together.then_some(calls)
}

#[test]
fn a_create_waits_nine_times_for_the_disk() {
    let world = World::two();
    world.create(&["Sort the mail", "--yes"]).is(0);
    let Some(calls) = waited_for(&world, &["create", EMAIL, "--yes"]) else { return };
    let (intent, commit, log) = (["json.tmp", "txn"], "txn", "operations.jsonl");
    // What is staged, the commit record aside; it takes effect; the names; that it is applied, and the new registry;
    // the registry's name; that it is registered, and the stage gone.
    let wanted = [&intent[..], &["together", commit, "together", "together", ".", "together", log]].concat();
    assert_eq!(calls, wanted);
}

#[test]
fn the_first_create_of_a_project_waits_sixteen_times() {
    let world = World::bare(&["claude", "gemini"]);
    let Some(calls) = waited_for(&world, &["create", EMAIL, "--yes"]) else { return };
    assert!((9..=16).contains(&calls.len()), "{calls:#?}");
}

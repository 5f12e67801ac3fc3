//! How often the operating system is called, and how often the disk is waited for, by strace.
#![cfg(target_os = "linux")]

use crate::support::held::alone;
use crate::support::world;

use std::process::Command;

use world::{EMAIL, World};

/// The calls of a command among these, one a line; `None` where there is no strace.
fn traced(world: &World, calls: &str, args: &[&str]) -> Option<String> {
    let trace = world.outside().join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", calls, "-o"]).arg(&trace);
    command.arg(env!("CARGO_BIN_EXE_hefesto")).args(["-C", "."]).args(args);
    let mut command = alone(command, &world.root(), &world.outside());
    let status = command.env("HEFESTO_NOW", "2026-02-06T11:00:00Z").status().ok()?;
    assert!(status.success(), "{args:?}: {status}");
    Some(std::fs::read_to_string(trace).unwrap())
}

/// What is waited for in a command, in this order; `None` where there is no strace or nothing is synced together.
fn waited_for(world: &World, args: &[&str]) -> Option<Vec<String>> {
    let text = traced(world, "trace=fsync,fdatasync,syncfs", args)?;
    let name = |line: &str| {
        let (_, call) = line.split_once(' ')?;
        let (call, rest) = call.trim_start().split_once('(')?;
        let path = rest.split_once('<')?.1.split_once('>')?.0;
        let file = path.rsplit('/').next().unwrap_or_default();
        let run = file.split_once('.').filter(|(id, _)| id.len() == 26).map_or(file, |(_, end)| end);
        let shown = if path.ends_with("/project") { "." } else { run };
        Some(if call == "syncfs" { "together".to_owned() } else { shown.to_owned() })
    };
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

/// How many calls a `create` may take in a project that has a skill, those that start the program and give it memory
/// not counted.
const MOST_CALLS: usize = 1900;

#[test]
fn a_create_makes_no_more_system_calls_than_it_needs() {
    let world = World::two();
    world.create(&["Sort the mail", "--yes"]).is(0);
    let Some(text) = traced(&world, "trace=%file,%desc,%network,%signal,%process", &["create", EMAIL, "--yes"]) else {
        return;
    };
    let of_memory = |line: &&str| ["mmap(", "munmap(", "mprotect(", "brk("].iter().any(|call| line.contains(call));
    let calls = text.lines().filter(|line| !of_memory(line)).count();
    println!("{calls} calls");
    assert!((500..=MOST_CALLS).contains(&calls), "{calls} calls");
}

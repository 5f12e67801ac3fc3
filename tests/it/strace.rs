//! What the operating system is asked, by strace: every file below a project is reached by the handle of an opened
//! directory and no link is followed out of it; and how often it is called and the disk waited for.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::held::alone;
use crate::support::stage::Stage;
use crate::support::world::{EMAIL, World};

/// What a command may reach by path, until the transaction and the backups go by handles too.
#[derive(Clone, Copy, PartialEq)]
enum Uses {
    /// It looks whether something was interrupted.
    Recovery,
    /// It reads or changes skills through the transaction.
    Transaction,
}
use Uses::{Recovery, Transaction};

/// What the transaction, the backups and the search for the project still reach by path: who changes that takes it out.
const BY_PATH: &[(Uses, &str)] = &[(Transaction, ".git"), (Transaction, "MEMORY.md")];

/// Every command, in an order in which each has something to do, behind what it uses.
const COMMANDS: &str = include_str!("../../fixtures/commands/traced.txt");

/// The lines of strace for one command; `None` where there is no strace or tracing is refused.
fn trace(stage: &Stage, args: &[String]) -> Option<String> {
    let file = stage.home().with_file_name("trace");
    let mut command = Command::new(strace()?);
    command.args(["-f", "-y", "-s", "4096", "-e", "trace=%file", "-o"]).arg(&file);
    command.arg(env!("CARGO_BIN_EXE_hefesto"));
    if !args.iter().any(|arg| arg == "--global") {
        command.arg("-C").arg(stage.project());
    }
    let ran = stage.spawn(command.args(args), b"");
    let trace = fs::read_to_string(&file).unwrap_or_default();
    if ran.stderr.contains("ptrace") || !trace.contains("execve(") {
        println!("skipped: tracing is refused here: {}", ran.stderr);
        return None;
    }
    assert!(!matches!(ran.exit, Some(2 | 70 | 101) | None), "{args:?}: {ran:?}");
    Some(trace)
}

fn strace() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|dir| dir.join("strace")).find(|file| file.is_file());
    if found.is_none() {
        println!("skipped: there is no strace");
    }
    found
}

/// The calls of a trace, one a line: strace cuts one in two where another thread's comes between.
fn calls(trace: &str) -> Vec<String> {
    let (mut begun, mut calls) = (BTreeMap::new(), Vec::new());
    for line in trace.lines() {
        let Some((pid, rest)) = line.split_once(' ') else { continue };
        if let Some(start) = rest.strip_suffix("<unfinished ...>") {
            begun.insert(pid, start);
        } else if let Some((_, end)) = rest.split_once(" resumed>").filter(|(end, _)| end.contains("<... ")) {
            calls.extend(begun.remove(pid).map(|start| format!("{pid} {start}{end}")));
        } else {
            calls.push(line.to_owned());
        }
    }
    calls
}

/// One system call with what it was given.
struct Call<'t> {
    name: &'t str,
    args: &'t str,
}

impl<'t> Call<'t> {
    /// A call of a process that is hefesto; what it starts is somebody else's.
    fn read(line: &'t str, others: &mut BTreeSet<String>) -> Option<Self> {
        let (pid, rest) = line.split_once(' ')?;
        let (name, args) = rest.trim_start().split_once('(')?;
        if name == "execve" && !args.contains(env!("CARGO_BIN_EXE_hefesto")) {
            others.insert(pid.to_owned());
        }
        let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        (plain && !others.contains(pid) && name != "execve" && name != "getcwd").then_some(Self { name, args })
    }

    /// The paths it names, each with the directory it is relative to where there is a handle.
    fn paths(&self) -> Vec<(Option<PathBuf>, String)> {
        let mut found = Vec::new();
        let mut rest = self.args;
        while let Some((before, after)) = rest.split_once('"') {
            let Some((path, next)) = after.split_once('"') else { break };
            let handle = before.rsplit_once('<').filter(|(_, end)| end.trim_end().ends_with(">,"));
            let handle = handle
                .filter(|(start, _)| !start.ends_with("AT_FDCWD"))
                .map(|(_, end)| PathBuf::from(end.trim_end().trim_end_matches(">,")));
            found.push((handle, path.to_owned()));
            if self.name.starts_with("readlink") {
                break; // What follows is the answer.
            }
            rest = next;
        }
        found
    }

    /// Whether the last name is not followed where it is a link.
    fn stays(&self) -> bool {
        let never = ["mkdirat", "unlinkat", "renameat", "renameat2", "linkat", "symlinkat", "readlinkat", "mknodat"];
        never.contains(&self.name) || self.args.contains("NOFOLLOW")
    }

    /// Why it is not how a file below the project is to be reached.
    fn wrong(&self, root: &Path, handle: Option<&Path>, path: &str) -> Option<PathBuf> {
        let whole = handle.unwrap_or(root).join(path);
        if path.is_empty() || whole == *root || !whole.starts_with(root) {
            return None;
        }
        let by_handle = handle.is_some() && !path.starts_with('/');
        let beneath = self.name == "openat2" && self.args.contains("RESOLVE_BENEATH");
        let one = by_handle && !path.contains('/') && path != ".." && (path == "." || self.stays());
        let held = by_handle && beneath || one;
        if held { None } else { Some(whole) }
    }

    /// SQLite opens its files by path, and is told to follow no link.
    fn of_sqlite(&self, below: &Path) -> bool {
        let own =
            [".hefesto/memory.db", ".hefesto/memory.db-wal", ".hefesto/memory.db-shm", ".hefesto/memory.db-journal"];
        let opened = self.name == "openat" || self.name == "open";
        if below == Path::new(".hefesto") {
            return self.name.contains("stat") && self.args.contains("NOFOLLOW")
                || opened && self.args.contains("O_RDONLY|O_CLOEXEC)");
        }
        own.iter().any(|own| below == Path::new(own)) && (!opened || self.args.contains("O_NOFOLLOW"))
    }
}

#[test]
fn every_file_below_a_project_is_reached_by_handle() {
    let mut stage = Stage::new(&["claude", "gemini"]);
    let root = stage.project();
    stage.set("PATH", root.with_file_name("bin").to_str().unwrap());
    let mut wrong = BTreeSet::new();
    let mut needed = BTreeSet::new();
    for line in COMMANDS.lines() {
        let (uses, typed) = line.split_once(": ").unwrap();
        let (uses, args) =
            (if uses == "recovery" { Recovery } else { Transaction }, shell_words::split(typed).unwrap());
        let Some(trace) = trace(&stage, &args) else { return };
        let (lines, mut others) = (calls(&trace), BTreeSet::new());
        let calls: Vec<Call<'_>> = lines.iter().filter_map(|line| Call::read(line, &mut others)).collect();
        assert!(calls.iter().any(|call| call.name == "openat"), "{args:?} opened nothing: the trace is not understood");
        for call in &calls {
            for (handle, path) in call.paths() {
                let Some(whole) = call.wrong(&root, handle.as_deref(), &path) else { continue };
                let below = whole.strip_prefix(&root).unwrap();
                let shown = below.to_string_lossy();
                let known = BY_PATH.iter().find(|(by, at)| {
                    let inside = shown == *at || shown.starts_with(&format!("{at}/")) && *at != ".hefesto";
                    let inside = inside
                        || at.ends_with('-') && shown.starts_with(at)
                        || at.ends_with(".md") && shown.starts_with(at);
                    (*by == Recovery || uses == *by) && inside
                });
                match known {
                    Some((_, at)) => drop(needed.insert(*at)),
                    None if call.of_sqlite(below) => {}
                    None => drop(wrong.insert(format!("`hefesto {}`: {}({})", args.join(" "), call.name, shown))),
                }
            }
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "reached by path, and not by the handle of an opened directory:\n{}", wrong.join("\n"));
    let idle: Vec<&str> = BY_PATH.iter().map(|(_, at)| *at).filter(|at| !needed.contains(at)).collect();
    assert!(idle.is_empty(), "no longer reached by path: take {idle:?} out of BY_PATH");
}

/// The calls of a command among these, one a line; `None` where there is no strace.
fn traced(world: &World, calls: &str, args: &[&str]) -> Option<String> {
    let trace = world.outside().join("trace");
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-e", calls, "-o"]).arg(&trace);
    command.arg(env!("CARGO_BIN_EXE_hefesto")).args(["-C", "."]).args(args);
    let mut command = alone(command, &world.root(), &world.outside());
    let status = command.env("HEFESTO_NOW", "2026-02-06T11:00:00Z").status().ok()?;
    assert!(status.success(), "{args:?}: {status}");
    Some(fs::read_to_string(trace).unwrap())
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
const MOST_CALLS: usize = 1650;

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

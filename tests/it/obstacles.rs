//! What stands in a command's way and is no error of the disk: entries of another owner, directories without leave to
//! write, mounts, an overlay, a full and a read-only file system.
//!
//! What needs a mount runs in a mount namespace of its own, what needs another owner as `nobody`; where that is not
//! permitted, the test says that it is skipped.
#![cfg(target_os = "linux")]
#![cfg(debug_assertions)]

mod full;
mod mounts;
mod owners;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::held::alone;
use crate::support::world::{CLAUDE, EMAIL, GEMINI, NAME, World};

const COPIES: [&str; 2] = [CLAUDE, GEMINI];

/// A command that changes the skill, and what a project needs for it.
struct Action {
    args: &'static [&'static str],
    setup: fn() -> World,
}

const OVER: &[&str] = &["create", "Check postal codes", "--name", NAME, "--on-collision", "overwrite", "--yes"];

const ACTIONS: &[Action] = &[
    Action { args: OVER, setup: World::holding_the_skill },
    Action {
        args: &["create", "Check postal codes", "--name", NAME, "--on-collision", "merge", "--yes"],
        setup: World::holding_the_skill,
    },
    Action { args: &["delete", NAME, "--yes"], setup: World::holding_the_skill },
    Action { args: &["undo", "--yes"], setup: overwritten },
    Action { args: &["restore", NAME, "--yes"], setup: overwritten },
];

fn overwritten() -> World {
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:01:00Z").run(OVER).is(0);
    world.at("2026-02-05T10:02:00Z");
    world
}

/// What a command said and how it ended.
struct Ran {
    exit: i32,
    said: String,
}

/// How the program is run.
#[derive(Clone, Copy, Default)]
struct How {
    nobody: bool,
    killed_after: Option<usize>,
}

fn hefesto(world: &World, args: &[&str], how: How) -> Ran {
    let base = world.outside();
    let mut command = if how.nobody {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]).arg(base.join("hefesto"));
        setpriv
    } else {
        Command::new(env!("CARGO_BIN_EXE_hefesto"))
    };
    command.args(["-C", ".", "-q"]).args(args);
    let mut command = alone(command, &world.root(), &base);
    command.env("HEFESTO_NOW", world.now());
    if let Some(step) = how.killed_after {
        command.env("HEFESTO_FAILPOINT", format!("{step}:after"));
    }
    let out = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    Ran { exit: out.status.code().unwrap_or(-1), said }
}

/// The text of each copy.
type State = [Option<String>; 2];

fn state(world: &World) -> State {
    COPIES.map(|at| fs::read_to_string(world.path(at).join("SKILL.md")).ok())
}

/// What the action makes of a project in which nothing stands in its way. An `undo` may refuse what was added to the
/// skill.
fn wanted(action: &Action, obstacle: &dyn Fn(&World)) -> State {
    let world = (action.setup)();
    world.at("2026-02-05T10:03:00Z");
    obstacle(&world);
    let ran = hefesto(&world, action.args, How::default());
    assert!(ran.exit == 0 || ran.exit == 1 && action.args[0] == "undo", "{:?}: {}", action.args, ran.said);
    state(&world)
}

fn registered(world: &World) -> bool {
    world.rows().iter().any(|row| row.starts_with(&format!("| {NAME} |")))
}

/// All copies are old or all new, as the exit says; what follows is quiet and finds the memory in order.
#[track_caller]
fn settled(world: &World, ran: &Ran, old: &State, new: &State, how: How, context: &str) {
    let context = &format!("{context}: exit {}\n{}", ran.exit, ran.said);
    let now = state(world);
    match ran.exit {
        0 | 8 => assert!(now == *new, "{context}\nnot new"),
        1..=6 => assert!(now == *old, "{context}\nnot old"),
        7 | -1 => {}
        _ => panic!("{context}"),
    }
    let next = hefesto(world, &["list"], how);
    assert_eq!(next.exit, 0, "{context}\nthe next list: {}", next.said);
    assert!(next.said.matches("INFO-006").count() <= 1, "{context}\nthe next list: {}", next.said);
    let again = hefesto(world, &["list"], how);
    assert!(again.exit == 0 && !again.said.contains("INFO-006"), "{context}\nthe second list: {}", again.said);
    let now = state(world);
    assert!(now == *new || now == *old, "{context}\nbetween in the end");
    assert!(!matches!(ran.exit, 0 | 8) || now == *new, "{context}\nnot new in the end");
    assert!(!matches!(ran.exit, 1..=7) || now == *old, "{context}\nnot old in the end");
    let recover = hefesto(world, &["recover"], how);
    assert_eq!(recover.exit, 0, "{context}\nrecover: {}", recover.said);
    assert_eq!(registered(world), now.iter().any(Option::is_some), "{context}\nthe registry says otherwise");
    let doctor = hefesto(world, &["memory", "doctor"], how);
    assert_eq!(doctor.exit, 0, "{context}\nthe doctor: {}", doctor.said);
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs this test again in a mount namespace of its own. `true`: this is inside.
fn inside(test: &str) -> bool {
    if std::env::var_os("HEFESTO_INSIDE").is_some() {
        return true;
    }
    let flags = if is_root() { "-m" } else { "-Urm" };
    let may = Command::new("unshare").args([flags, "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !may.is_ok_and(|out| out.status.success()) {
        println!("SKIPPED: no file system may be mounted here: {test}");
        return false;
    }
    let mut again = Command::new("unshare");
    again.args([flags, "--propagation", "private"]).arg(std::env::current_exe().unwrap());
    again.args([&format!("obstacles::{test}"), "--exact", "--nocapture"]).env("HEFESTO_INSIDE", "1");
    let out = again.output().unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    said.lines().filter(|line| line.contains("points")).for_each(|line| println!("{line}"));
    assert!(out.status.success(), "{said}{}", String::from_utf8_lossy(&out.stderr));
    assert!(said.contains("1 passed"), "{said}");
    false
}

/// A mounted file system, until this is dropped.
struct Mounted(PathBuf);

impl Mounted {
    fn new(at: &Path, args: &[&str]) -> Self {
        let out = Command::new("mount").args(args).arg(at).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        Self(at.to_owned())
    }

    fn read_only(&self) {
        assert!(Command::new("mount").args(["-o", "remount,ro"]).arg(&self.0).status().unwrap().success());
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status().unwrap().success());
}

/// The project on a file system of its own; what was in it is copied.
fn on_tmpfs(world: &World, options: &str) -> Mounted {
    let kept = world.outside().join("kept");
    fs::rename(world.root(), &kept).unwrap();
    fs::create_dir(world.root()).unwrap();
    let mounted = Mounted::new(&world.root(), &["-t", "tmpfs", "-o", options, "none"]);
    copy(&kept, &world.root());
    mounted
}

fn nothing(_: &World) {}

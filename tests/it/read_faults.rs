//! Fails what every command that writes reads: opening, reading, listing, looking and locking, once and from there on.
//!
//! `strace` puts the errors in. By default an evenly spread part of the points is tried; `HEFESTO_SWEEP=full` tries
//! all.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::held::alone;
use crate::support::stage::copy;
use crate::support::sweep;
use crate::support::world::{self, CLAUDE, EMAIL, GEMINI, NAME, Said, World, picture};

/// The calls that fail, each where it concerns a file of the project or of the home directory.
const CALLS: [&str; 9] =
    ["openat", "openat2", "read", "pread64", "getdents64", "newfstatat", "statx", "fstat", "flock"];

const ERRORS: [&str; 3] = ["EIO", "EMFILE", "ENOMEM"];

const NOW: &str = "2026-02-05T11:00:00Z";

/// Stands in a file that somebody put into one copy of the skill.
const MINE: &str = "my own notes: 8d1f";

struct Case {
    name: &'static str,
    setup: fn() -> World,
    args: Vec<&'static str>,
    /// What is looked at is the home directory, not the project.
    global: bool,
}

const OVER: [&str; 7] = ["create", "Check postal codes", "--name", NAME, "--yes", "-q", "--on-collision"];

fn held() -> World {
    let world = World::two();
    world.write(".hefesto/config.toml", "author = \"Somebody\"\n");
    world.create(&[EMAIL, "--yes"]).is(0);
    own_texts(&world);
    world
}

/// What somebody wrote by hand: a file in one copy, and words in the registry.
fn own_texts(world: &World) {
    world.write(&format!("{CLAUDE}/references/mine.md"), MINE);
    world.write("MEMORY.md", world.read("MEMORY.md") + "\nMy own words.\n");
}

fn overwritten() -> World {
    let world = held();
    world.at("2026-02-05T10:01:00Z").run(&[&OVER[..], &["overwrite"]].concat()).is(0);
    world
}

fn deleted() -> World {
    let world = held();
    world.at("2026-02-05T10:01:00Z").run(&["delete", NAME, "--yes"]).is(0);
    world
}

fn global() -> World {
    let world = World::bare(&["claude", "gemini"]);
    world::write(&world.home(".config/hefesto/config.toml"), "author = \"Somebody\"\n");
    world.global(&["create", EMAIL, "--yes"]).is(0);
    world::write(&world.home(CLAUDE).join("references/mine.md"), MINE);
    world
}

fn to_be_fixed() -> World {
    let world = held();
    for at in [CLAUDE, GEMINI] {
        let text = world.skill(at);
        world.write_skill(at, text.replace("name: \"validate", "Name: \"validate"));
    }
    world
}

/// Initialised: the governance files are a transaction of their own.
fn initialised() -> World {
    let world = bare();
    world.run(&["init", "--target", "claude,gemini", "--yes"]).is(0);
    world.write("MEMORY.md", world.read("MEMORY.md") + "\nMy own words.\n");
    world
}

fn bare() -> World {
    let world = World::bare(&["claude", "gemini"]);
    world.write("notes.md", MINE);
    world
}

fn case(name: &'static str) -> Case {
    const TARGETS: [&str; 4] = ["--target", "claude,gemini", "--yes", "-q"];
    let (setup, args): (fn() -> World, Vec<&'static str>) = match name {
        "create" => (bare, [&["create", EMAIL, "--init"][..], &TARGETS].concat()),
        "overwrite" | "merge" => (held, [&OVER[..], &[name]].concat()),
        "rename" => (held, [&OVER[..], &["rename", "--rename-to", "postal-codes"]].concat()),
        "global create" => (global, vec!["create", "Sort the mail", "--yes", "-q", "--global"]),
        "global overwrite" => (global, [&OVER[..], &["overwrite", "--global"]].concat()),
        "delete" => (held, vec!["delete", NAME, "--yes", "-q"]),
        "undo" => (overwritten, vec!["undo", "--yes", "-q"]),
        "restore" => (deleted, vec!["restore", NAME, "--yes", "-q"]),
        "fix" => (to_be_fixed, vec!["validate", "--fix", "--yes", "-q"]),
        "init" => (initialised, [&["init", "--with-commands"][..], &TARGETS].concat()),
        other => panic!("no case {other}"),
    };
    Case { name, setup, args, global: name.starts_with("global") }
}

/// What a project is, but for what only hefesto looks at: its files, and its rows of skills.
type State = (BTreeMap<String, String>, Vec<String>);

impl Case {
    fn root(&self, world: &World) -> PathBuf {
        if self.global { world.home("") } else { world.root() }
    }

    /// Where MEMORY.md and `.hefesto/` are.
    fn governed(&self, world: &World) -> PathBuf {
        if self.global { world.home(".config/hefesto") } else { world.root() }
    }

    fn state(&self, world: &World) -> State {
        let mut files = picture(&self.root(world), &[".hefesto", "MEMORY.md"]);
        if self.global {
            // Made before anything is asked, and kept.
            files.retain(|path, _| !path.starts_with(".config"));
        }
        let rows = fs::read_to_string(self.governed(world).join("MEMORY.md")).unwrap_or_default();
        (
            files,
            rows.lines().filter(|line| line.starts_with("| ") && line.contains("2026-")).map(str::to_owned).collect(),
        )
    }

    fn run(&self, world: &World, args: &[&str]) -> Said {
        loop {
            let said = if self.global { world.global(args) } else { world.run(args) };
            // A child of another test, not yet replaced by its program, shares the lock for a moment.
            if !said.err.contains("Another hefesto is at work") {
                return said;
            }
        }
    }

    /// The program itself under strace.
    fn traced(&self, world: &World, strace: &[&str]) -> Output {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "--seccomp-bpf"]).args(strace).arg(env!("CARGO_BIN_EXE_hefesto"));
        if !self.global {
            command.args(["-C", "."]);
        }
        command.args(&self.args);
        let mut command = alone(command, &world.root(), &world.outside());
        command.env("HEFESTO_NOW", NOW).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap()
    }
}

fn copy_of(kept: &World) -> World {
    let world = World::bare(&["claude", "gemini"]);
    for part in ["project", "home"] {
        let goal = world.outside().join(part);
        fs::remove_dir_all(&goal).unwrap();
        copy(&kept.outside().join(part), &goal);
    }
    world.at(NOW);
    world
}

/// One call that fails.
struct Point {
    call: &'static str,
    nth: usize,
    error: &'static str,
    sticky: bool,
}

/// Every call of the command's own process that concerns a file of this world.
fn points(case: &Case, kept: &World) -> Vec<Point> {
    let world = copy_of(kept);
    let log = world.outside().join("trace");
    let calls = format!("trace={}", CALLS.join(","));
    let ran = case.traced(&world, &["-y", "-e", &calls, "-o", log.to_str().unwrap()]);
    assert!(ran.status.success(), "{}: {}", case.name, String::from_utf8_lossy(&ran.stderr));
    let text = fs::read_to_string(log).unwrap();
    let base = world.outside().to_str().unwrap().to_owned();
    let own = text.split_whitespace().next().unwrap().to_owned();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(&own)) {
        let Some((name, rest)) = line.trim_start().split_once('(') else { continue };
        let Some(call) = CALLS.iter().find(|call| **call == name) else { continue };
        let nth = counts.entry(call).or_default();
        *nth += 1;
        let loader = rest.contains(".so");
        if rest.contains(&base) && !loader {
            for error in ERRORS {
                all.extend([false, true].map(|sticky| Point { call, nth: *nth, error, sticky }));
            }
        }
    }
    all
}

/// May errors be put in here at all?
fn strace_works() -> bool {
    let tried =
        Command::new("strace").args(["-qq", "-o", "/dev/null", "-e", "inject=getcwd:error=EIO", "true"]).status();
    let works = tried.is_ok_and(|status| status.success());
    if !works {
        println!("SKIPPED: strace is missing or may not trace: no failures of reads are tried");
    }
    works
}

/// What is wrong after this point; the exit.
fn wrong_after(case: &Case, kept: &World, point: &Point, old: &State, new: &State) -> (i32, Vec<String>) {
    let world = copy_of(kept);
    let when = format!(
        "inject={}:error={}:when={}{}",
        point.call,
        point.error,
        point.nth,
        if point.sticky { "+" } else { "" }
    );
    let trace = format!("trace={}", point.call);
    let ran = case.traced(&world, &["-o", "/dev/null", "-e", &trace, "-e", &when]);
    let Some(exit) = ran.status.code() else { return (-1, vec![format!("ended by {}", ran.status)]) };
    let mut wrong = Vec::new();
    let side = |state: &State| (state == new, state == old);
    let at_once = case.state(&world);
    let parts = |state: &State, at: &str| -> Vec<(String, String)> {
        state
            .0
            .iter()
            .filter(|(path, _)| path.starts_with(at))
            .map(|(path, held)| (path.clone(), held.clone()))
            .collect()
    };
    for at in [CLAUDE, GEMINI] {
        let now = parts(&at_once, at);
        if now != parts(old, at) && now != parts(new, at) {
            wrong.push(format!("{at} is half at once"));
        }
    }
    // Each copy is mended, and each command installed, on its own: what was left out is named.
    let said = String::from_utf8_lossy(&ran.stderr);
    let in_parts = case.name == "fix" && exit == 1 || case.name == "init" && said.contains("[ERR-001]");
    match exit {
        _ if in_parts => {}
        0 if at_once != *new => wrong.push(format!("exit 0, and not new: {}", differs(&at_once, new))),
        1..=6 if at_once != *old => wrong.push(format!("exit {exit}, and not old: {}", differs(&at_once, old))),
        0..=8 => {}
        _ => wrong.push(format!("exit {exit}: {}", String::from_utf8_lossy(&ran.stderr).trim())),
    }
    let next = case.run(&world, &["list"]);
    let begun = !old.0.is_empty() && case.governed(&world).join("MEMORY.md").exists();
    if next.exit.number() != 0 && begun {
        wrong.push(format!("the next `list` is exit {}: {}", next.exit.number(), next.err));
    }
    if next.err.matches("INFO-006").count() > 1 {
        wrong.push(format!("the next `list` tells more than once: {}", next.err));
    }
    let again = case.run(&world, &["list"]);
    if ["INFO-006", "interrupted", "unfinished"].iter().any(|word| again.err.contains(word)) {
        wrong.push(format!("the second `list` tells of it again: {}", again.err));
    }
    let after = case.state(&world);
    let (is_new, is_old) = side(&after);
    if in_parts {
        // Each copy is whole, as was seen above.
    } else if !is_new && !is_old {
        wrong.push(format!("between: not new {}; not old {}", differs(&after, new), differs(&after, old)));
    } else if matches!(exit, 0 | 8) && !is_new {
        wrong.push(format!("exit {exit}, and old in the end"));
    } else if matches!(exit, 1..=7) && !is_old {
        wrong.push(format!("exit {exit}, and new in the end"));
    }
    wrong.extend(lost(case, &world, &after, old));
    wrong.extend(left_over(&case.governed(&world).join(".hefesto")));
    if begun {
        case.run(&world, &["recover"]);
        let doctor = case.run(&world, &["memory", "doctor"]);
        if doctor.exit.number() != 0 {
            wrong.push(format!("memory doctor: {}", doctor.out));
        }
        let sync = case.run(&world, &["list", "--check-sync", "--json"]);
        // Edits that were there before are still told; the registry and the disk have to agree.
        let known: serde_json::Value = serde_json::from_str(&sync.out).unwrap_or_default();
        let told = |one: &serde_json::Value| one["kind"] == "edited_skill" || one["kind"] == "outdated_skill";
        if known["data"]["drift"].as_array().is_none_or(|drift| !drift.iter().all(told)) {
            wrong.push(format!("the registry is not what is on disk: {}", sync.out));
        }
    }
    if !wrong.is_empty() {
        wrong.push(format!("it said: {}", String::from_utf8_lossy(&ran.stderr).trim().replace('\n', " / ")));
    }
    (exit, wrong)
}

/// The paths and rows in which two states differ.
fn differs(one: &State, other: &State) -> String {
    let paths = one.0.keys().chain(other.0.keys()).filter(|path| one.0.get(*path) != other.0.get(*path));
    let mut odd: Vec<String> = paths.cloned().collect();
    odd.sort();
    odd.dedup();
    if one.1 != other.1 {
        odd.push(format!("rows {:?} for {:?}", one.1, other.1));
    }
    odd.join(", ")
}

/// What was written by hand is where it was or in an archive.
fn lost(case: &Case, world: &World, after: &State, old: &State) -> Vec<String> {
    let mut lost = Vec::new();
    let holds = |state: &State| state.0.values().any(|held| held.contains(MINE));
    if holds(old) && !holds(after) {
        let archives = fs::read_dir(case.governed(world).join(".hefesto/backups")).into_iter().flatten();
        let kept = archives.flatten().any(|entry| {
            let mut text = Vec::new();
            let mut gz = flate2::read::GzDecoder::new(fs::File::open(entry.path()).unwrap());
            gz.read_to_end(&mut text).is_ok() && memchr::memmem::find(&text, MINE.as_bytes()).is_some()
        });
        if !kept {
            lost.push("a file of the user's is neither on disk nor in a backup".to_owned());
        }
    }
    let text = fs::read_to_string(world.path("MEMORY.md")).unwrap_or_default();
    if !case.global && old.0.keys().any(|path| path.starts_with(".context")) && !text.contains("My own words.") {
        lost.push("the user's words in MEMORY.md are gone".to_owned());
    }
    lost
}

/// Stages, temporary files and journals that stayed.
fn left_over(kept: &Path) -> Vec<String> {
    if !kept.exists() {
        return Vec::new();
    }
    let known = [".gitignore", "lock", "id", "memory.db", "memory.db-wal", "memory.db-shm", "config.toml"];
    let below = ["backups", "lanes", "logs", "objects", "templates"];
    let left = picture(kept, &[]).into_keys().filter(|path| {
        let first = path.split('/').next().unwrap();
        let ours = known.contains(&path.as_str()) || below.contains(&first) || path == "txn";
        !ours || path.contains("tmp")
    });
    left.map(|path| format!(".hefesto/{path} was left behind")).collect()
}

/// Tries the points of one command.
fn sweep(name: &'static str, floor: usize) {
    if !strace_works() {
        return;
    }
    let case = case(name);
    let kept = (case.setup)();
    kept.at(NOW);
    let old = case.state(&kept);
    let done = copy_of(&kept);
    case.run(&done, &case.args.iter().filter(|arg| **arg != "--global").copied().collect::<Vec<_>>()).is(0);
    let new = case.state(&done);
    assert_ne!(old, new, "{name}: nothing changes");

    let all = points(&case, &kept);
    // Coprime to the six ways in which each call fails, so that all of them come up.
    let stride = sweep::stride((all.len() / 20).max(1) / 6 * 6 + 5);
    let (mut tried, mut exits, mut failed) = (0, BTreeMap::<i32, usize>::new(), Vec::new());
    for point in all.iter().step_by(stride) {
        let (exit, wrong) = wrong_after(&case, &kept, point, &old, &new);
        tried += 1;
        *exits.entry(exit).or_default() += 1;
        if !wrong.is_empty() {
            let Point { call, nth, error, sticky } = point;
            let plus = if *sticky { "+" } else { "" };
            failed.push(format!("{name}: {call}:error={error}:when={nth}{plus}\n    {}", wrong.join("\n    ")));
        }
    }
    println!("{name}: {tried} of {} points, exits {exits:?}, {} failed", all.len(), failed.len());
    assert!(failed.is_empty(), "{} failures of {tried}\n{}", failed.len(), failed.join("\n"));
    assert!(tried >= floor, "{tried} points");
}

macro_rules! survive_failing_reads {
    ($($test:ident: $case:literal,)*) => {
        $(#[test]
        fn $test() {
            sweep($case, 15);
        })*
    };
}

survive_failing_reads! {
    create: "create",
    overwrite: "overwrite",
    merge: "merge",
    rename: "rename",
    a_global_create: "global create",
    a_global_overwrite: "global overwrite",
    delete: "delete",
    undo: "undo",
    restore: "restore",
    fix: "fix",
    init_with_commands: "init",
}

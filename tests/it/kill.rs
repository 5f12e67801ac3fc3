//! Kills the program itself at the steps of every command that writes, and fails each step with every error number.
//!
//! Each test counts its points and fails below its floor, so that a sweep that hits nothing cannot pass. Only debug
//! builds can be killed on demand.
#![cfg(debug_assertions)]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};

use hefesto::transaction::failpoint::{self, Done};
use serde_json::Value;

use crate::support::held::command;
use crate::support::stage::copy;
use crate::support::sweep::stride;
use crate::support::world::{self, CLAUDE, EMAIL, GEMINI, NAME, Said, World, picture};

type Picture = BTreeMap<String, String>;

/// A command, and what it begins from.
struct Case {
    name: &'static str,
    setup: fn() -> World,
    args: &'static [&'static str],
}

const fn case(name: &'static str, setup: fn() -> World, args: &'static [&'static str]) -> Case {
    Case { name, setup, args }
}

const OVER: &[&str] = &["create", "Check postal codes", "--name", NAME, "--on-collision", "overwrite", "--yes", "-q"];

const CASES: &[Case] = &[
    case("create", || World::bare(&["claude", "gemini"]), &["create", EMAIL, "--yes", "-q"]),
    case("overwrite", World::holding_the_skill, OVER),
    case("delete", World::holding_the_skill, &["delete", NAME, "--yes", "-q"]),
    case("restore", deleted_twice, &["restore", NAME, "--yes", "-q"]),
    case("undo", overwritten, &["undo", "--yes", "-q"]),
];

fn deleted_twice() -> World {
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:01:00Z").run(&["delete", NAME, "--cli", "gemini", "--yes"]).is(0);
    world.at("2026-02-05T10:02:00Z").run(&["delete", NAME, "--yes"]).is(0);
    world.at("2026-02-05T10:03:00Z").create(&["Check codes", "--name", NAME, "--yes"]).is(0);
    world
}

fn overwritten() -> World {
    let world = World::holding_the_skill();
    world.at("2026-02-05T10:01:00Z").run(OVER).is(0);
    world
}

/// Two copies that were edited differently, and a file that only one of them has: edits that must never be lost.
fn edited() -> World {
    let world = World::holding_the_skill();
    edit(&world);
    world
}

fn edit(world: &World) {
    for (copy, heading, line) in [(CLAUDE, "## Steps", "From claude."), (GEMINI, "## Limits and traps", "From gemini.")]
    {
        let file = format!("{copy}/SKILL.md");
        let text = world.read(&file).replacen(heading, &format!("{heading}\n\n{line}"), 1);
        assert!(text.contains(line), "{text}");
        world.write(&file, text);
    }
    world.write(&format!("{CLAUDE}/references/mine.md"), "Mine.\n");
}

/// The commands that come after the creation. Their editor adds a line.
const LIFE: &[Case] = &[
    case("sync", edited, &["sync", "--yes", "-q"]),
    case("edit", edited, &["edit", NAME, "--yes", "-q"]),
    case("add", World::holding_the_skill, &["add", NAME, "--target", "qwen", "--yes", "-q"]),
    case("rename", linked, &["rename", NAME, "check-addresses", "--yes", "-q"]),
    case("adopt --all", || made_elsewhere(".claude/skills"), &["adopt", "--all", "--yes", "-q"]),
    case("adopt", incoming, &["adopt", "incoming", "--on-collision", "overwrite", "--yes", "-q"]),
    case("update", outdated, &["update", NAME, "--yes", "-q"]),
];

fn linked() -> World {
    let world = edited();
    world.create(&["Sort the post", "--yes"]).is(0);
    let sort = ".claude/skills/sort-post";
    world.write_skill(sort, format!("{}\nSee ../{NAME}/SKILL.md.\n", world.skill(sort)));
    world
}

fn incoming() -> World {
    let world = made_elsewhere("incoming");
    world.write(".gemini/skills/second/SKILL.md", "Another one.\n");
    world
}

fn outdated() -> World {
    let world = World::two();
    world.run(&["templates", "new", "house", "--yes"]).is(0);
    world.create(&[EMAIL, "--template", "house", "--yes"]).is(0);
    edit(&world);
    let template = ".hefesto/templates/house.md";
    let newer = format!("{}\n\n## House rules\n\n- Say which RFC.\n", world.read(template).trim_end());
    world.write(template, newer);
    world
}

/// Two copies that were edited, and two skills of another hand in this directory.
fn made_elsewhere(directory: &str) -> World {
    let world = edited();
    for name in ["first", "second"] {
        let text = format!("---\nname: {name}\ndescription: Sorts mail. Use when asked to.\n---\nSort it.\r\n");
        world.write(&format!("{directory}/{name}/SKILL.md"), text);
        world.write(&format!("{directory}/{name}/assets/data.bin"), [0, 255, 13, 10]);
    }
    world
}

/// An editor that adds a line to the file it is given.
const EDITOR: &str = "sh -c 'echo Added. >> \"$0\"'";

const NOW: &str = "2026-02-05T11:00:00Z";

/// A case's beginning, kept to be copied, and what it looks like before and after the command.
struct Ready {
    case: &'static Case,
    kept: World,
    old: Picture,
    new: Picture,
    steps: usize,
    looks: Cell<usize>,
}

impl Ready {
    fn all() -> impl Iterator<Item = Self> {
        Self::of(CASES)
    }

    fn of(cases: &'static [Case]) -> impl Iterator<Item = Self> {
        cases.iter().map(|case| {
            let kept = (case.setup)();
            let old = kept.picture();
            let world = copy_of(&kept);
            assert!(failpoint::arm("0:EIO"));
            world.run(case.args).is(0);
            let steps = failpoint::disarm();
            let new = world.picture();
            assert!(steps > 30 && old != new, "{}: {steps} steps", case.name);
            Self { case, kept, old, new, steps, looks: Cell::new(0) }
        })
    }

    fn world(&self) -> World {
        copy_of(&self.kept)
    }

    /// Runs the command with this failure; the steps or reads it came to.
    fn armed(&self, point: &str) -> (World, Said, usize) {
        let world = self.world();
        assert!(failpoint::arm(point));
        let said = world.run(self.case.args);
        (world, said, failpoint::disarm())
    }

    /// What it did at once is what its exit says.
    #[track_caller]
    fn told(&self, world: &World, exit: u8, context: &str) {
        let at_once = world.picture();
        match exit {
            0 => assert_eq!(at_once, self.new, "{context}"),
            1 | 6 => assert_eq!(at_once, self.old, "{context}"),
            7 | 8 => drop(next_command(world)),
            _ => panic!("{context}"),
        }
    }

    /// One ordinary command has to bring everything in order; then nothing is between old and new. `true`: new.
    #[track_caller]
    fn in_order(&self, world: &World, context: &str) -> bool {
        // No copy is ever seen half, not even before recovery.
        for at in [CLAUDE, GEMINI] {
            let now = copy_at(world, at);
            let known = [&self.old, &self.new].iter().any(|whole| now == part(whole, at));
            assert!(known, "{context}: {at} is {:?}", now.keys());
        }
        let said = next_command(world);
        let context = &format!("{context}\n{}{}", said.out, said.err);
        self.settled(world, context)
    }

    /// Old or new, nothing left over, everything readable; every third time, the next `create` works at once.
    #[track_caller]
    fn settled(&self, world: &World, context: &str) -> bool {
        let now = world.picture();
        let is_new = now == self.new;
        if !is_new && now != self.old {
            let odd = |whole: &Picture| -> Vec<String> {
                let paths = whole.keys().chain(now.keys());
                paths.filter(|path| whole.get(*path) != now.get(*path)).cloned().collect()
            };
            panic!("{context}: not old {:?}, not new {:?}", odd(&self.old), odd(&self.new));
        }
        world.nothing_left_over();
        let txn = fs::read_dir(world.path(".hefesto/txn")).map_or(0, Iterator::count);
        assert_eq!(txn, 0, "{context}");
        if world.exists(".hefesto/memory.db") {
            let db = rusqlite::Connection::open(world.path(".hefesto/memory.db")).unwrap();
            let sound: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(sound, "ok", "{context}");
        }
        for entry in fs::read_dir(world.path(".hefesto/backups")).into_iter().flatten() {
            hefesto::transaction::backup::read(&entry.unwrap().path())
                .unwrap_or_else(|error| panic!("{context}: {error}"));
        }
        self.looks.set(self.looks.get() + 1);
        if !self.looks.get().is_multiple_of(3) {
            return is_new;
        }
        // What was committed is closed in the memory by whoever completes it.
        world.run(&["recover"]).is(0);
        let examined = world.run(&["memory", "doctor"]);
        assert_eq!(examined.exit.number(), 0, "{context}\n{}", examined.out);
        world.at("2026-02-05T13:00:00Z");
        world.create(&["Sort the mail", "--yes"]).is(0);
        assert!(world.exists(".claude/skills/sort-mail/SKILL.md"), "{context}");
        // Whoever takes the lane next closes what the dead run left open in the memory.
        let examined = world.run(&["memory", "doctor"]);
        assert_eq!(examined.exit.number(), 0, "{context}\n{}", examined.out);
        let known = world.data(&["list", "--skills", "--check-sync"]);
        // An edit that was there before is still one, and the backup that is restored holds only one of two copies; the
        // registry and the disk agree.
        let drift = known["drift"].as_array().unwrap();
        let one_copy = self.case.name == "restore" && is_new;
        let foreign = self.case.name.starts_with("adopt") && !is_new;
        let expected = |one: &Value| {
            one["kind"] == "edited_skill"
                || (one_copy && one["kind"] == "outdated_skill")
                || (foreign && one["kind"] == "orphaned_skill")
        };
        assert!(drift.iter().all(expected), "{context}: {known}");
        is_new
    }
}

/// What a picture of the project holds of one directory.
fn part(whole: &Picture, at: &str) -> Picture {
    let inside = |path: &String| path.strip_prefix(at)?.strip_prefix('/').map(str::to_owned);
    whole.iter().filter_map(|(path, held)| Some((inside(path)?, held.clone()))).collect()
}

fn copy_at(world: &World, at: &str) -> Picture {
    if world.exists(at) { picture(&world.path(at), &[]) } else { Picture::new() }
}

/// `list`; again where a child of another test, not yet replaced by its program, shares the lock for a moment.
fn next_command(world: &World) -> Said {
    loop {
        let said = world.at("2026-02-05T12:00:00Z").run(&["list"]);
        if !said.err.contains("Another hefesto is at work") {
            return said;
        }
    }
}

fn copy_of(kept: &World) -> World {
    let world = World::bare(&["claude", "gemini"]);
    copy(&kept.root(), &world.root());
    world.set("EDITOR", EDITOR).at(NOW);
    world
}

/// Runs the program itself with this failpoint. `true`: it was killed.
fn killed(world: &World, args: &[&str], point: &str) -> bool {
    let mut command = command(&world.root(), &world.outside(), args);
    let own = [("HEFESTO_NOW", NOW), ("HEFESTO_FAILPOINT", point), ("EDITOR", EDITOR)];
    let status = command.envs(own).status().unwrap();
    assert!(status.signal().is_none_or(|signal| signal == 9), "{point}: {status}");
    status.signal() == Some(9)
}

/// Every `stride`-th step, a different one in each case.
fn kill(way: &str, default: usize) {
    let stride = stride(default);
    let (mut points, mut olds, mut news) = (0, 0, 0);
    for (shift, ready) in Ready::all().enumerate() {
        for at in (1 + shift % stride..=ready.steps).step_by(stride) {
            let context = format!("{}, killed {way} step {at} of {}", ready.case.name, ready.steps);
            let world = ready.world();
            assert!(killed(&world, ready.case.args, &format!("{at}:{way}")), "{context}: it lived");
            points += 1;
            if ready.in_order(&world, &context) { news += 1 } else { olds += 1 }
        }
        assert!(!killed(&ready.world(), ready.case.args, &format!("{}:{way}", ready.steps + 1)));
    }
    println!("killed {way}: {points} points, {olds} old, {news} new");
    assert!(points >= 45 && olds >= 18 && news >= 9, "{points} points, {olds} old, {news} new");
}

#[test]
fn killed_before_a_step_the_next_command_finds_old_or_new() {
    kill("before", 7);
}

#[test]
fn killed_after_a_step_the_next_command_finds_old_or_new() {
    kill("after", 7);
}

/// Whatever a kill does to a command of a skill's later life, every edit is there afterwards: in the copies as they
/// were, or in all of them as they are announced; and what counts as installed is kept, whole.
#[test]
fn no_edit_is_lost_to_a_kill() {
    let (mut points, mut olds, mut news) = (0, 0, 0);
    for (shift, ready) in Ready::of(LIFE).enumerate() {
        for (way, stride) in [("before", stride(13)), ("after", stride(11))] {
            for at in (1 + shift % stride..=ready.steps).step_by(stride) {
                let context = format!("{}, killed {way} step {at} of {}", ready.case.name, ready.steps);
                let world = ready.world();
                assert!(killed(&world, ready.case.args, &format!("{at}:{way}")), "{context}: it lived");
                points += 1;
                let is_new = ready.in_order(&world, &context);
                if is_new {
                    news += 1;
                } else {
                    olds += 1;
                }
                let status = world.data(&["status"])["skills"].to_string();
                let foreign = ready.case.name.starts_with("adopt") && !is_new;
                assert_eq!(status.contains("\"foreign\""), foreign, "{context}: {status}");
                assert!(!status.contains("\"missing\""), "{context}: {status}");
                if is_new && ready.case.name == "sync" {
                    assert!(!status.contains("edited"), "{context}: {status}");
                }
                world.at("2026-02-05T14:00:00Z").run(&["sync", "--yes", "-q"]).is(0);
                for name in [NAME, "check-addresses"] {
                    let copies = [".claude", ".gemini"].map(|cli| format!("{cli}/skills/{name}/SKILL.md"));
                    for text in copies.iter().filter(|file| world.exists(file)).map(|file| world.read(file)) {
                        let lines =
                            if ready.case.name == "add" { &[][..] } else { &["From claude.", "From gemini."][..] };
                        assert!(lines.iter().all(|line| text.contains(line)), "{context}: {text}");
                    }
                }
            }
        }
    }
    println!("killed in the later life: {points} points, {olds} old, {news} new");
    assert!(points >= 27 && olds >= 12 && news >= 5, "{points} points, {olds} old, {news} new");
}

#[test]
fn a_full_disk_in_the_later_life_ends_as_the_exit_says() {
    fail(LIFE, &[("ENOSPC", "No space left on device")], 13, 17);
}

/// Once the next command has completed it, a run that died late is as undoable as one that did not.
#[test]
fn what_was_killed_late_and_completed_can_be_undone() {
    let mut undone = 0;
    for ready in Ready::all() {
        for at in (ready.steps.saturating_sub(14)..=ready.steps).step_by(3) {
            let context = format!("{}, killed after step {at} of {}", ready.case.name, ready.steps);
            let world = ready.world();
            assert!(killed(&world, ready.case.args, &format!("{at}:after")), "{context}: it lived");
            next_command(&world);
            if world.picture() != ready.new {
                continue;
            }
            let said = world.at("2026-02-05T13:00:00Z").run(&["undo", "--yes"]);
            assert_eq!(said.exit.number(), 0, "{context}: {}", said.err);
            for skill in [CLAUDE, GEMINI] {
                let (now, old) = (copy_at(&world, skill), part(&ready.old, skill));
                assert!(now == old, "{context}: {skill} is {:?}, not {:?}", now.keys(), old.keys());
            }
            undone += 1;
        }
    }
    assert!(undone >= 15, "{undone} points");
}

#[test]
fn killed_again_while_recovering_the_next_command_finds_old_or_new() {
    let mut points = 0;
    for ready in Ready::all() {
        for first in (5..=ready.steps).step_by(stride(23)) {
            for second in (1..).step_by(stride(5)) {
                let context = format!("{}, killed at {first}, recovery killed at {second}", ready.case.name);
                let world = ready.world();
                assert!(killed(&world, ready.case.args, &format!("{first}:after")), "{context}: it lived");
                let again = killed(&world, &["list"], &format!("{second}:before"));
                ready.in_order(&world, &context);
                if !again {
                    break;
                }
                points += 1;
            }
        }
    }
    println!("killed while recovering: {points} points");
    assert!(points >= 25, "{points} points");
}

/// Fails a step and compares what the program says with what it did.
fn fail(cases: &'static [Case], errors: &[(&str, &str)], default: usize, floor: usize) {
    let stride = stride(default);
    let mut exits: BTreeMap<u8, usize> = BTreeMap::new();
    for ready in Ready::of(cases) {
        for (shift, (error, cause)) in errors.iter().enumerate() {
            for at in (1 + shift % stride..=ready.steps).step_by(stride) {
                let context = format!("{}, {error} at step {at} of {}", ready.case.name, ready.steps);
                let (world, said, reached) = ready.armed(&format!("{at}:{error}"));
                assert!(reached >= at, "{context}: not reached");
                let exit = said.exit.number();
                *exits.entry(exit).or_default() += 1;
                let context = format!("{context}: exit {exit}\n{}", said.err);
                ready.told(&world, exit, &context);
                if exit != 0 {
                    assert!(said.err.contains(cause), "no cause: {context}");
                    let named = [
                        " at . ", ".hefesto", ".claude", ".gemini", ".qwen", ".context", "MEMORY.md", "CONSTITUTION.md",
                    ];
                    let lines = said.err.lines().filter(|line| line.contains(cause));
                    let mut lines = lines.filter(|line| named.iter().any(|path| line.contains(path)));
                    assert!(lines.next().is_some(), "no path: {context}");
                }
                let is_new = ready.settled(&world, &context);
                assert_eq!(is_new, matches!(exit, 0 | 8), "{context}");
            }
        }
    }
    let points: usize = exits.values().sum();
    println!("errors {errors:?}: {points} points, exits {exits:?}");
    assert!(points >= floor, "{points} points");
    assert!(exits.get(&6).is_some_and(|count| *count > floor / 5), "{exits:?}");
}

#[test]
fn a_full_disk_at_any_step_ends_as_the_exit_says() {
    fail(CASES, &[("ENOSPC", "No space left on device")], 5, 48);
}

#[test]
fn an_error_of_the_disk_at_a_step_ends_as_the_exit_says() {
    fail(CASES, &[("EIO", "Input/output error")], 7, 48);
}

#[test]
fn every_other_error_ends_as_the_exit_says() {
    let errors = [
        ("EDQUOT", "quota exceeded"),
        ("EROFS", "Read-only file system"),
        ("EMFILE", "Too many open files"),
        ("EXDEV", "Invalid cross-device link"),
    ];
    fail(CASES, &errors, 19, 64);
}

#[test]
fn a_disk_that_stays_full_from_any_step_on_ends_as_the_exit_says() {
    let mut exits: BTreeMap<u8, usize> = BTreeMap::new();
    for ready in Ready::all() {
        for at in (1..=ready.steps).step_by(stride(10)) {
            let context = format!("{}, ENOSPC from step {at} of {}", ready.case.name, ready.steps);
            let (world, said, _) = ready.armed(&format!("{at}+:ENOSPC"));
            let exit = said.exit.number();
            *exits.entry(exit).or_default() += 1;
            assert!([1, 6, 7, 8].contains(&exit), "{context}: exit {exit}\n{}", said.err);
            let is_new = ready.in_order(&world, &context);
            assert_eq!(is_new, exit == 8, "{context}: exit {exit}");
        }
    }
    println!("full from a step on: exits {exits:?}");
    assert!(exits.values().sum::<usize>() >= 33, "{exits:?}");
}

/// Fails what a scan or the transaction reads, once or from there on, and compares what the program says with what it
/// did.
#[test]
fn a_failed_read_ends_as_the_exit_says() {
    let mut exits: BTreeMap<u8, usize> = BTreeMap::new();
    for (shift, ready) in Ready::all().enumerate() {
        let (_, said, reads) = ready.armed("r0:EIO");
        said.is(0);
        for (at, how) in
            (1 + shift..=reads).step_by(stride(19)).zip([":EIO", "+:EIO", ":EMFILE", "+:EMFILE"].iter().cycle())
        {
            let (world, said, _) = ready.armed(&format!("r{at}{how}"));
            let exit = said.exit.number();
            *exits.entry(exit).or_default() += 1;
            let context = format!("{}, r{at}{how} of {reads}: exit {exit}\n{}", ready.case.name, said.err);
            ready.told(&world, exit, &context);
            assert!(!said.err.contains("is not what it was"), "{context}");
            next_command(&world);
            let is_new = ready.settled(&world, &context);
            assert_eq!(is_new, matches!(exit, 0 | 8), "{context}");
        }
    }
    println!("failed reads: exits {exits:?}");
    assert!(exits.values().sum::<usize>() >= 45, "{exits:?}");
}

#[test]
fn nothing_is_done_where_a_link_of_a_clone_leads() {
    for own in ["txn", "backups", "trash", "id"] {
        let world = World::holding_the_skill();
        let outside = world.outside().join("precious");
        fs::create_dir(&outside).unwrap();
        for name in ["file", ".half.tmp", "run.json", "run.commit"] {
            fs::write(outside.join(name), name).unwrap();
        }
        let before = picture(&outside, &[]);
        let path = world.path(".hefesto").join(own);
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        std::os::unix::fs::symlink(&outside, &path).unwrap();
        for args in [&["list"][..], &["recover"], &["delete", NAME, "--yes"], &["validate", "--fix", "--yes"]] {
            world.run(args);
            assert_eq!(picture(&outside, &[]), before, ".hefesto/{own}, {args:?}");
        }
    }
}

#[test]
fn a_call_cut_short_by_a_signal_is_repeated() {
    let mut points = 0;
    for ready in Ready::all() {
        for at in (1..=ready.steps).step_by(4) {
            let (world, said, reached) = ready.armed(&format!("{at}:EINTR"));
            said.is(0);
            assert!(reached > ready.steps);
            assert_eq!(world.picture(), ready.new, "{}, EINTR at {at}", ready.case.name);
            points += 1;
        }
    }
    assert!(points >= 80, "{points} points");
}

/// What a loss of power could undo in another order than it was done: unsynced content behind a name that was moved, a
/// note in the journal before what it is about or a move before its note, and names or content never synced at all.
fn unsynced(steps: &[Done]) -> Vec<String> {
    let above = |path: &Path| path.parent().unwrap().to_owned();
    let journals = |path: &Path| path.ends_with(".hefesto/txn");
    let staged = |path: &Path| path.to_string_lossy().contains("/.hefesto-stage-");
    let (mut dirty, mut wrong) = (BTreeSet::new(), Vec::new());
    for step in steps {
        let begun = dirty.iter().any(|path: &PathBuf| journals(path));
        match step {
            Done::Written(path) => {
                if !path.is_dir() || dirty.contains(path) {
                    dirty.extend([path.clone(), above(path)]);
                }
            }
            Done::Made(path) => {
                if begun && staged(path) {
                    wrong.push(format!("{} is made before the intent is durable", path.display()));
                }
                dirty.extend([path.clone(), above(path)]);
            }
            Done::Synced(path) => drop(dirty.remove(path)),
            Done::Moved(from, to) => {
                let behind = dirty.iter().filter(|path| path.starts_with(from));
                wrong.extend(behind.map(|path| format!("{} is moved unsynced", path.display())));
                if begun && (staged(from) || staged(to) || to.ends_with("MEMORY.md")) {
                    wrong.push(format!("{} is moved before the journal is durable", to.display()));
                }
                if journals(&above(from)) && journals(&above(to)) {
                    let before = dirty.iter().filter(|path| !journals(path));
                    wrong.extend(before.map(|path| format!("{} precedes {}", to.display(), path.display())));
                }
                dirty.extend([above(from), above(to)]);
            }
            // What is removed and comes back is removed again, unless a part of it is taken for an edit.
            Done::Removed(path) => {
                if begun && staged(&above(path)) {
                    wrong.push(format!("{} is removed before it is durable that it may be", path.display()));
                }
            }
        }
    }
    // A stage and a temporary file are gone by then.
    wrong.extend(dirty.iter().filter(|path| path.exists()).map(|path| format!("{} stays unsynced", path.display())));
    wrong
}

#[test]
fn everything_is_synced_before_its_name_is_moved_and_at_the_end() {
    for apart in [false, true] {
        for ready in Ready::all() {
            let world = ready.world();
            failpoint::sync_apart(apart);
            failpoint::record();
            let said = world.run(ready.case.args);
            let steps = failpoint::recorded();
            failpoint::sync_apart(false);
            said.is(0);
            let moves = steps.iter().filter(|step| matches!(step, Done::Moved(..))).count();
            let syncs = steps.iter().filter(|step| matches!(step, Done::Synced(_))).count();
            println!("{}: {} steps, {moves} moves, {syncs} things synced", ready.case.name, ready.steps);
            assert!(moves >= 4 && syncs >= 12, "{moves} moves, {syncs} syncs");
            assert_eq!(unsynced(&steps), Vec::<String>::new(), "{}, apart: {apart}", ready.case.name);
            missed(&steps, ready.case.name);
        }
    }
}

/// Every single thing that is synced is noticed when it is not, but for directories in which there is nothing more to
/// lose: those of which something was only removed.
fn missed(steps: &[Done], name: &str) {
    for (at, step) in steps.iter().enumerate() {
        let Done::Synced(path) = step else { continue };
        let without: Vec<Done> = steps.iter().take(at).chain(steps.iter().skip(at + 1)).cloned().collect();
        let unchanged =
            steps.iter().take(at).rev().take_while(|step| **step != Done::Synced(path.clone())).all(|step| {
                let changed = |of: &Path| of == path || of.parent() == Some(path);
                match step {
                    Done::Written(of) | Done::Made(of) => !changed(of),
                    Done::Moved(from, to) => !changed(from) && !changed(to),
                    Done::Synced(_) | Done::Removed(_) => true,
                }
            });
        assert!(
            unchanged || !path.exists() || !unsynced(&without).is_empty(),
            "{name}: {} need not be",
            path.display()
        );
    }
}

#[test]
fn a_gitignore_that_was_begun_is_finished() {
    let world = World::bare(&["claude"]);
    world.write(".hefesto/.gitignore", "");
    fs::set_permissions(world.path(".hefesto"), fs::Permissions::from_mode(0o700)).unwrap();
    world.create(&[EMAIL, "--yes"]).is(0);
    assert!(world.read(".hefesto/.gitignore").starts_with("*\n"));
}

#[test]
fn a_journal_that_cannot_be_acted_upon_is_told_once_and_listed_by_recover() {
    let world = World::two();
    world.write(".hefesto/txn/cut.json", "{\"version\": 1, \"ho");
    world.run(&["list"]).is(0).says("INFO-006").says("cut.json.bad");
    world.run(&["list"]).is(0).never_says("cut.json");
    world.run(&["recover"]).is(0).shows(".hefesto/txn/cut.json.bad");
    assert_eq!(world.data(&["recover"])["put_aside"], serde_json::json!([".hefesto/txn/cut.json.bad"]));
}

#[test]
fn a_skill_that_cannot_be_read_is_a_finding_and_the_others_are_checked() {
    let world = World::holding_the_skill();
    world.write(".claude/skills/pipes/SKILL.md", "---\nname: pipes\n---\n");
    world::pipe(&world.path(".claude/skills/pipes/pipe"));
    let said = world.run(&["validate", "--json"]);
    let skills = said.is(1).json()["data"]["skills"].clone();
    let of = |name: &str| skills.as_array().unwrap().iter().find(|skill| skill["name"] == name).unwrap().clone();
    assert_eq!((&of("pipes")["verdict"], &of(NAME)["verdict"]), (&"invalid".into(), &"valid".into()));
    let finding = &of("pipes")["findings"][0];
    assert_eq!((&finding["rule"], &finding["severity"]), (&"T0-HEFESTO-05".into(), &"error".into()));
    assert!(finding["file"].as_str().unwrap().ends_with("pipes/pipe"), "{finding}");
    let rules: Vec<_> = of("pipes")["findings"].as_array().unwrap().iter().map(|one| one["rule"].clone()).collect();
    assert!(rules.contains(&"S8".into()), "what is beside the pipe is checked: {rules:?}");
}

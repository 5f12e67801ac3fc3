//! A child of the program that is held inside one transaction, at a place the test chooses, until it is killed.

use std::io::{BufRead, BufReader, Lines, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hefesto::memory::ring::Phase;

use super::world::World;

/// Joins that no machine comes to the end of: whoever meets this in a transaction stays in it.
const ENDLESS: &str = "SELECT count(*) FROM sqlite_schema a, sqlite_schema b, sqlite_schema c, sqlite_schema d,
    sqlite_schema e, sqlite_schema f, sqlite_schema g, sqlite_schema h WHERE a.rowid + b.rowid + c.rowid + d.rowid +
    e.rowid + f.rowid + g.rowid + h.rowid < 0;";

/// How long a child works before it can only be in there, in hundredths of a second of its own time.
const ENOUGH: u64 = 20;

/// Whether a child sleeps with the database open: it waits for the lock, and has examined the schema before.
fn waits(child: &Child) -> bool {
    static ASLEEP: AtomicU64 = AtomicU64::new(0);
    let proc = std::path::PathBuf::from(format!("/proc/{}", child.id()));
    // macOS does not say what a process does.
    if !Path::new("/proc/self").exists() {
        return ASLEEP.fetch_add(1, Ordering::Relaxed) % 100 == 99;
    }
    let links = std::fs::read_dir(proc.join("fd")).into_iter().flatten().flatten();
    if !links.filter_map(|link| std::fs::read_link(link.path()).ok()).any(|file| file.ends_with("memory.db")) {
        return false;
    }
    match std::fs::read_to_string(proc.join("syscall")) {
        // clock_nanosleep of x86_64 and of aarch64.
        Ok(call) => call.starts_with("230 ") || call.starts_with("115 "),
        Err(_) => ASLEEP.fetch_add(1, Ordering::Relaxed) % 100 == 99,
    }
}

/// How long a child has worked, in hundredths of a second. Where that cannot be asked, every question counts as one.
fn worked(child: &Child) -> u64 {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok();
    let time = stat.as_deref().and_then(|stat| stat.rsplit(')').next()?.split_whitespace().nth(11)?.parse().ok());
    time.unwrap_or_else(|| ASKED.fetch_add(1, Ordering::Relaxed))
}

/// A child that is inside a transaction and will not leave it.
pub(crate) struct Held<'w> {
    world: &'w World,
    child: Option<Child>,
}

impl<'w> Held<'w> {
    /// Held while it pushes this phase.
    pub(crate) fn pushing(world: &'w World, phase: Phase, args: &[&str]) -> Self {
        Self::at(world, &format!("AFTER INSERT ON wm_slots WHEN NEW.phase = '{phase}'"), args)
    }

    /// Held where a trigger with these words would fire.
    pub(crate) fn at(world: &'w World, place: &str, args: &[&str]) -> Self {
        if !world.exists(".hefesto/memory.db") {
            world.run(&["memory", "ooda", "evict"]).is(0);
        }
        let db = world.database();
        // A file with a trigger that is not hefesto's is refused: it is there only once the child has the file open.
        db.execute_batch(&format!("BEGIN IMMEDIATE; CREATE TRIGGER held {place} BEGIN {ENDLESS} END")).unwrap();
        db.busy_timeout(Duration::ZERO).unwrap();
        let mut child = command(&world.root(), &world.outside(), args);
        let mut child = child.env("HEFESTO_NOW", world.now()).spawn().unwrap();
        while !waits(&child) {
            assert_eq!(child.try_wait().unwrap(), None, "it never wrote: {place}");
            std::thread::sleep(Duration::from_millis(1));
        }
        db.execute_batch("COMMIT").unwrap();
        // It is there once it keeps others from writing while it works on and on, longer than all of its command takes.
        let (mut held, mut since) = (0, worked(&child));
        while held < 5 || worked(&child) < since + ENOUGH {
            assert_eq!(child.try_wait().unwrap(), None, "it came to its end: {place}");
            let free = db.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_ok();
            (held, since) = if free { (0, worked(&child)) } else { (held + 1, since) };
            std::thread::sleep(Duration::from_millis(5));
        }
        Self { world, child: Some(child) }
    }

    /// SIGKILL. What held it is taken away.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    /// Sends a signal; how the child ends. What held it is taken away.
    pub(crate) fn signalled(mut self, signal: rustix::process::Signal) -> std::process::ExitStatus {
        let child = self.child.as_mut().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
        let begun = std::time::Instant::now();
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "the signal was ignored");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn end(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        let _ended = child.kill();
        child.wait().unwrap();
        let db = self.world.database();
        db.busy_timeout(Duration::from_secs(60)).unwrap();
        db.execute_batch("DROP TRIGGER held").unwrap();
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// The program itself in this project, with a cleared environment and nobody there.
pub(crate) fn command(root: &Path, outside: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hefesto"));
    command.args(["-C", "."]).args(args);
    alone(command, root, outside)
}

/// The same of a command that runs the program.
pub(crate) fn alone(mut command: Command, root: &Path, outside: &Path) -> Command {
    command.current_dir(root).env_clear();
    command.env("HOME", outside.join("home")).env("PATH", format!("{}:/usr/bin:/bin", outside.join("bin").display()));
    command.envs([("LANG", "C"), ("HEFESTO_NOW", "2026-02-05T10:00:00Z"), ("GIT_CONFIG_NOSYSTEM", "1")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// A command that follows something, and the lines it says.
pub(crate) fn following(world: &World, args: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = command(&world.root(), &world.outside(), args);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, lines)
}

/// Ctrl-C ends it with its number and without an error.
#[track_caller]
pub(crate) fn interrupted(mut child: Child) {
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "");
}

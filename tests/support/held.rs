//! A child of the program that is held inside one transaction, at a place the test chooses, until it is killed.
#![allow(dead_code, reason = "every test file uses its own part")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hefesto::working::Phase;

use crate::world::{Person, World};

/// Joins that no machine comes to the end of: whoever meets this in a transaction stays in it.
const ENDLESS: &str = "SELECT count(*) FROM sqlite_schema a, sqlite_schema b, sqlite_schema c, sqlite_schema d,
    sqlite_schema e, sqlite_schema f, sqlite_schema g, sqlite_schema h WHERE a.rowid + b.rowid + c.rowid + d.rowid +
    e.rowid + f.rowid + g.rowid + h.rowid < 0;";

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
            world.run(&["memory", "ooda", "evict"], Person::nobody()).is(0);
        }
        let db = world.database();
        db.execute_batch(&format!("CREATE TRIGGER held {place} BEGIN {ENDLESS} END")).unwrap();
        db.busy_timeout(Duration::ZERO).unwrap();
        let mut child = command(&world.root(), &world.outside(), args).spawn().unwrap();
        // It is there once it keeps others from writing for as long as a probe of the place takes, again and again.
        let mut held = 0;
        while held < 20 {
            assert_eq!(child.try_wait().unwrap(), None, "it came to its end: {place}");
            held = if db.execute_batch("BEGIN IMMEDIATE; ROLLBACK").is_err() { held + 1 } else { 0 };
            std::thread::sleep(Duration::from_millis(10));
        }
        Self { world, child: Some(child) }
    }

    /// SIGKILL. What held it is taken away.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        child.kill().unwrap();
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
    command.args(["-C", "."]).args(args).current_dir(root).env_clear();
    command.env("HOME", outside.join("home")).env("PATH", format!("{}:/usr/bin:/bin", outside.join("bin").display()));
    command.envs([("LANG", "C"), ("HEFESTO_NOW", "2026-02-05T10:00:00Z"), ("GIT_CONFIG_NOSYSTEM", "1")]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

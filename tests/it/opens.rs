//! Every file below a project is reached by the handle of an opened directory, and no link is followed out of it: what
//! the operating system is asked, by strace, for every command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::stage::Stage;

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

const SENTENCE: &str = "Validate email addresses using regex patterns";
const NAME: &str = "validate-email-addresses";

/// Every command, in an order in which each has something to do.
const COMMANDS: &[(Uses, &[&str])] = &[
    (Transaction, &["init", "--yes"]),
    (Transaction, &["create", SENTENCE, "--yes"]),
    (Transaction, &["create", SENTENCE, "--yes", "--on-collision", "overwrite"]),
    (Transaction, &["create", SENTENCE, "--yes", "--on-collision", "merge"]),
    (Transaction, &["create", "Check the spelling of documents", "--dry-run"]),
    (Recovery, &["create", "--brief", "Check the spelling of documents"]),
    (Recovery, &["list", "--verbose"]),
    (Recovery, &["config"]),
    (Recovery, &["detect"]),
    (Recovery, &["runs"]),
    (Recovery, &["templates", "list"]),
    (Recovery, &["templates", "show", "base"]),
    (Recovery, &["templates", "check"]),
    (Transaction, &["templates", "new", "own", "--yes"]),
    (Recovery, &["match", "check an address"]),
    (Recovery, &["facts"]),
    (Recovery, &["explain", "E-IO-001"]),
    (Transaction, &["show", NAME]),
    (Transaction, &["validate"]),
    (Transaction, &["validate", "./.claude/skills"]),
    (Transaction, &["validate", "--fix", "--yes"]),
    (Transaction, &["grade", NAME]),
    (Transaction, &["backups"]),
    (Transaction, &["delete", NAME, "--yes"]),
    (Transaction, &["undo", "--yes"]),
    (Transaction, &["delete", NAME, "--yes"]),
    (Transaction, &["restore", NAME, "--yes"]),
    (Transaction, &["recover"]),
    (Transaction, &["resume"]),
    (Transaction, &["approve", "none"]),
    (Transaction, &["init", "--with-commands", "--yes"]),
    (Transaction, &["restore-constitution", "--force"]),
    (Transaction, &["memory", "repair", "--yes"]),
    (Recovery, &["memory", "inspect"]),
    (Recovery, &["memory", "doctor"]),
    (Recovery, &["memory", "search", "email"]),
    (Recovery, &["memory", "timeline"]),
    (Recovery, &["memory", "stats"]),
    (Recovery, &["memory", "ring", "show"]),
    (Recovery, &["memory", "vacuum"]),
    (Recovery, &["memory", "fifo", "recent"]),
    (Recovery, &["memory", "export"]),
    (Transaction, &["create", SENTENCE, "--global", "--yes"]),
];

/// The lines of strace for one command; `None` where there is no strace or tracing is refused.
fn trace(stage: &Stage, args: &[&str]) -> Option<String> {
    let file = stage.home().with_file_name("trace");
    let mut command = Command::new(strace()?);
    command.args(["-f", "-y", "-s", "4096", "-e", "trace=%file", "-o"]).arg(&file);
    command.arg(env!("CARGO_BIN_EXE_hefesto"));
    if !args.contains(&"--global") {
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
    for (uses, args) in COMMANDS {
        let Some(trace) = trace(&stage, args) else { return };
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
                    (*by == Recovery || uses == by) && inside
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

//! What a real terminal is shown: how far `validate` is over many skills, and lines broken between words where they are
//! wider than it, on each stream by its own.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::support::pty::{End, Pty};

/// More than the two hundred from which on a person is shown how far it is.
const SKILLS: usize = 240;
/// What takes the line back.
const CLEARED: &str = "\r\x1b[2K";
/// What a terminal makes of Ctrl-S, Ctrl-Q and Ctrl-C.
const STOP: &[u8] = b"\x13";
const GO_ON: &[u8] = b"\x11";
const INTERRUPT: &[u8] = b"\x03";

/// A directory with so many skills, the last of them invalid.
fn skills(count: usize) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for number in 1..=count {
        let name = format!("skill-{number:04}");
        let skill = dir.path().join("skills").join(&name);
        fs::create_dir_all(&skill).unwrap();
        let shown = if number == count { "Wrong_Name" } else { &name };
        let text = format!("---\nname: {shown}\ndescription: Formats dates {number}. Use when asked.\n---\nBody.\n");
        fs::write(skill.join("SKILL.md"), text).unwrap();
    }
    dir
}

/// Starts `validate` at a terminal that shows nothing until it is let go on, and waits until it hangs at its first
/// line.
fn held(dir: &TempDir) -> Pty {
    let mut pty = Pty::new();
    pty.write(STOP);
    pty.hefesto(dir.path(), &["--no-pager", "validate", "skills"], &[]);
    pty.wait_until_writing();
    pty
}

/// The counts of the progress line in the order in which they were shown.
fn counts(seen: &str) -> Vec<usize> {
    let end = format!(" of {SKILLS} skills checked");
    seen.split('\r').filter_map(|line| line.strip_suffix(&end)?.parse().ok()).collect()
}

#[test]
fn a_full_run_counts_up_to_all_and_takes_the_line_back() {
    let dir = skills(SKILLS);
    let mut pty = Pty::new();
    pty.hefesto(dir.path(), &["--no-pager", "validate", "skills"], &[]);
    assert_eq!(pty.end(), End::Exit(1));
    let seen = pty.seen();
    let (progress, answer) = seen.split_once(CLEARED).unwrap();
    let counts = counts(progress);
    assert!(counts.len() > 1 && counts.is_sorted() && counts.last() == Some(&SKILLS), "{progress:?}");
    assert_eq!(progress.matches("\r").count(), counts.len(), "nothing else stands there: {progress:?}");
    assert!(!answer.contains("skills checked") && answer.contains("skill-0240"), "{answer:?}");
    assert!(answer.contains("240 checked: 239 valid, 1 invalid"), "{answer:?}");
    pty.assert_untouched();
}

#[test]
fn few_skills_and_a_quiet_run_show_no_progress() {
    for (count, arguments) in
        [(200, &["--no-pager", "validate", "skills"][..]), (SKILLS, &["-q", "validate", "skills"])]
    {
        let dir = skills(count);
        let mut pty = Pty::new();
        pty.hefesto(dir.path(), arguments, &[]);
        assert_eq!(pty.end(), End::Exit(1));
        let seen = pty.seen();
        assert!(!seen.contains("skills checked") && !seen.contains(CLEARED), "{count}: {seen:?}");
    }
}

#[test]
fn a_terminal_that_is_let_go_on_gets_the_whole_answer() {
    let dir = skills(SKILLS);
    let mut pty = held(&dir);
    assert_eq!(pty.seen().trim_matches('\r'), "", "nothing is shown while it is held");
    pty.write(GO_ON);
    assert_eq!(pty.end(), End::Exit(1));
    let seen = pty.seen();
    assert!(counts(&seen).contains(&SKILLS) && seen.contains("240 checked: 239 valid, 1 invalid"), "{seen:?}");
}

#[track_caller]
fn assert_interrupted(mut pty: Pty, exit: i32) {
    assert_eq!(pty.end(), End::Exit(exit), "{:?}", pty.seen());
    let seen = pty.seen();
    let (_, told) = seen.rsplit_once(CLEARED).unwrap_or_else(|| panic!("the line is left standing: {seen:?}"));
    assert!(told.contains("interrupted while skills were checked"), "{told:?}");
    assert!(told.contains("Checking changes nothing"), "{told:?}");
    assert!(!seen.contains("240 checked") && !seen.contains("skill-0"), "no half of an answer: {seen:?}");
    pty.assert_untouched();
}

#[test]
fn ctrl_c_takes_the_line_back_and_says_what_happened() {
    let dir = skills(SKILLS);
    let pty = held(&dir);
    pty.write(INTERRUPT); // which also lets the terminal go on
    assert_interrupted(pty, 130);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name == "skills" || name == "home"), "{left:?}");
}

#[test]
fn other_signals_that_end_it_do_so_too() {
    for (signal, exit) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let dir = skills(SKILLS);
        let pty = held(&dir);
        pty.signal(signal);
        pty.write(GO_ON);
        assert_interrupted(pty, exit);
    }
}

const COLUMNS: u16 = 60;
const NAME: &str = "review-pull-requests";

/// A project with one skill, whose lines are longer than the terminal.
fn project() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    let made = "$HEFESTO create 'Review pull requests for security problems' --target claude --init --yes";
    assert_eq!(at_terminal(dir.path(), made).0, End::Exit(0));
    dir
}

/// What a terminal shows of this line of the shell, and how that ended.
fn at_terminal(dir: &Path, line: &str) -> (End, String) {
    let mut pty = Pty::new();
    pty.resize(24, COLUMNS);
    pty.shell(dir, line);
    let end = pty.end();
    (end, pty.seen())
}

/// Whether a line is wider than the terminal that has a place to break it.
fn is_wide(text: &str) -> bool {
    let wide = |line: &str| line.chars().count() > usize::from(COLUMNS) && line.trim().contains(' ');
    console::strip_ansi_codes(text).lines().any(wide)
}

#[test]
fn an_answer_is_broken_between_words_on_a_terminal_and_only_there() {
    let dir = project();
    for command in [
        &format!("show {NAME}"),
        &format!("show {NAME} --body-only"),
        &format!("log {NAME}"),
        "templates show base",
        "memory timeline",
        "memory tail",
        "memory turn show",
    ] {
        let (end, seen) = at_terminal(dir.path(), &format!("$HEFESTO --no-pager {command}"));
        assert!(end == End::Exit(0) && !is_wide(&seen), "{command}: {seen}");
        let (_, said) = at_terminal(dir.path(), &format!("$HEFESTO {command} > piped"));
        let piped = fs::read_to_string(dir.path().join("piped")).unwrap();
        assert!(said.is_empty() && !piped.contains('\u{1b}'), "{command}: {said}{piped}");
        assert!(command.starts_with("log") || is_wide(&piped), "{command}: {piped}");
    }
}

#[test]
fn standard_error_is_broken_by_its_own_terminal() {
    let dir = project();
    let again = "$HEFESTO create 'Review pull requests for security problems' --yes";
    let (_, seen) = at_terminal(dir.path(), &format!("{again} > piped"));
    assert!(seen.contains("E-CREATE-003") && !is_wide(&seen), "{seen}");
    at_terminal(dir.path(), &format!("{again} 2> said"));
    let said = fs::read_to_string(dir.path().join("said")).unwrap();
    assert!(is_wide(&said) && !said.contains('\u{1b}'), "{said}");
}

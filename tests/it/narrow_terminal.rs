//! What is wider than the terminal is broken between words there, on each stream by its own; what goes elsewhere is not.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::support::pty::{End, Pty};
use tempfile::TempDir;

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

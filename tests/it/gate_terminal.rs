//! `create` at a real terminal: only a whole answer at the gate writes, and whatever else happens there writes
//! nothing, ends with its number and leaves the terminal as it was.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;
use tempfile::TempDir;

use crate::support::pty::{End, Pty};
use crate::support::world::picture;

/// The gate's question, up to where the answer is typed.
pub(crate) const GATE: &str = "Write this?";

/// Passes over the open questions, which come before the gate.
pub(crate) fn skip_questions(pty: &mut Pty) {
    pty.answer("leaves one out", b"skip\n");
}

/// A description, and the name that is made of it.
pub(crate) const SENTENCE: &str = "Review pull requests for security issues";
const NAME: &str = "review-pull-requests";

/// A project of its own with one target, initialised.
pub(crate) struct Project(pub(crate) TempDir);

impl Project {
    pub(crate) fn new() -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        fs::create_dir(project.root()).unwrap();
        let (end, seen) = project.finishes(&["init", "--target", "claude"]);
        assert_eq!(end, End::Exit(0), "{seen}");
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.0.path().join("project")
    }

    /// Starts a command; the terminal is as large as it should be for the screens to fit.
    pub(crate) fn starts(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Pty {
        let mut pty = Pty::new();
        self.starts_on(&mut pty, arguments, variables);
        pty
    }

    /// The same on this terminal.
    pub(crate) fn starts_on(&self, pty: &mut Pty, arguments: &[&str], variables: &[(&str, &str)]) {
        let root = self.root();
        pty.hefesto(self.0.path(), &[&["-C", root.to_str().unwrap()], arguments].concat(), variables);
    }

    fn finishes(&self, arguments: &[&str]) -> (End, String) {
        let mut pty = self.starts(arguments, &[]);
        let end = pty.end();
        (end, pty.seen())
    }

    /// Goes to the gate with this limit, does something there, and says how it ended.
    fn at_the_gate(&self, seconds: u32, act: impl FnOnce(&mut Pty)) -> (End, String) {
        let mut pty = self.creates(seconds, &[]);
        act(&mut pty);
        let end = pty.end();
        pty.assert_untouched();
        (end, pty.seen())
    }

    fn creates(&self, seconds: u32, variables: &[(&str, &str)]) -> Pty {
        let seconds = seconds.to_string();
        let mut pty = self.starts(&["create", SENTENCE, "--target", "claude", "--gate-timeout", &seconds], variables);
        skip_questions(&mut pty);
        pty.asks(GATE);
        pty
    }

    /// Every file outside `.hefesto/`, with its content.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        picture(&self.root(), &[".hefesto"])
    }

    /// An empty directory for `TMPDIR`.
    fn scratch(&self) -> String {
        let scratch = self.0.path().join("scratch");
        fs::create_dir(&scratch).unwrap();
        scratch.to_str().unwrap().to_owned()
    }

    pub(crate) fn skill(&self) -> PathBuf {
        self.root().join(".claude/skills").join(NAME)
    }
}

const AGES: u32 = 600;

#[test]
fn approve_writes_what_was_shown() {
    let project = Project::new();
    let (end, seen) = project.at_the_gate(AGES, |pty| pty.write(b"approve\n"));
    assert_eq!(end, End::Exit(0), "{seen}");
    let text = fs::read_to_string(project.skill().join("SKILL.md")).unwrap();
    assert!(text.contains(&format!("\n# {SENTENCE}\n")), "{text}");
    assert!(fs::read_to_string(project.root().join("MEMORY.md")).unwrap().contains(NAME));
    assert!(seen.contains("is installed"), "{seen}");
}

#[test]
fn what_was_typed_before_the_gate_approves_nothing() {
    let project = Project::new();
    let before = project.files();
    let mut pty = Pty::new();
    pty.write(b"approve\napprove\nappr");
    project.starts_on(&mut pty, &["create", SENTENCE, "--target", "claude", "--gate-timeout", "2"], &[]);
    skip_questions(&mut pty);
    pty.answer(GATE, b"ove\n");
    pty.exits(4);
    assert!(before == project.files());
    pty.assert_untouched();
}

/// Does this at the gate: it ends so, says so, and nothing outside `.hefesto/` has changed.
#[track_caller]
fn writes_nothing(project: &Project, seconds: u32, act: impl FnOnce(&mut Pty), exit: i32, said: &str) {
    let before = project.files();
    let (ended, seen) = project.at_the_gate(seconds, act);
    assert_eq!(ended, End::Exit(exit), "{seen}");
    assert!(seen.contains(said), "{seen}");
    assert!(before == project.files(), "something was written: {seen}");
}

#[test]
fn silence_garbage_signals_and_the_end_of_input_write_nothing() {
    let project = Project::new();
    for (seconds, typed, exit, said) in [
        (1, "", 4, "E-CREATE-012"),
        (1, "approve", 4, "E-CREATE-012"),
        (AGES, "\x03", 130, "E-SIGNAL-001"),
        (AGES, "approve\x03", 130, "E-SIGNAL-001"),
        (AGES, "\x04", 3, "E-CREATE-011"),
        (AGES, "approve\x04\x04", 3, "E-CREATE-011"),
    ] {
        writes_nothing(&project, seconds, |pty| pty.write(typed.as_bytes()), exit, said);
    }
    writes_nothing(&project, 1, |pty| pty.write_what_fits(&[b'A'; 64 * 1024]), 4, "E-CREATE-012");
    for (signal, exit) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        writes_nothing(&project, AGES, |pty| pty.signal(signal), exit, "E-SIGNAL-001");
    }
    let before = project.files();
    let mut pty = project.creates(AGES, &[]);
    pty.hang_up();
    pty.exits(129);
    assert!(before == project.files());
}

#[test]
fn what_is_no_answer_and_what_is_pasted_is_explained_and_asked_again() {
    let project = Project::new();
    for (typed, shown) in [
        ("\n", "approve"),
        ("yes\n", "approve"),
        ("y\n", "approve"),
        ("approved\n", "approve"),
        ("e\n", "approve"),
        ("\x1b[200~approve\x1b[201~\n", "write nothing"),
        ("approve\nreject\napprove\n", "is not an answer here"),
    ] {
        let act = |pty: &mut Pty| {
            pty.write(typed.as_bytes());
            pty.see(shown);
            pty.answer(GATE, b"reject\n");
        };
        writes_nothing(&project, AGES, act, 3, "E-CREATE-011");
    }
}

#[test]
fn after_a_kill_at_the_gate_the_next_command_finds_nothing_left() {
    let project = Project::new();
    let before = project.files();
    let (end, _) = project.at_the_gate(AGES, |pty| pty.signal(Signal::KILL));
    assert_eq!(end, End::Signal(9));
    assert!(before == project.files());
    let (end, seen) = project.finishes(&["list", "--check-sync"]);
    assert_eq!(end, End::Exit(0), "{seen}");
    assert!(!seen.contains("INFO-006") && !seen.contains("WARN-003"), "{seen}");
    let (end, seen) = project.finishes(&["create", SENTENCE, "--target", "claude", "--yes", "--json"]);
    assert_eq!(end, End::Exit(0), "{seen}");
    assert!(seen.contains("\"lane\":0"), "the dead run holds no lane: {seen}");
}

#[test]
fn a_resize_and_a_pause_do_not_disturb_the_gate() {
    let project = Project::new();
    let (end, seen) = project.at_the_gate(AGES, |pty| {
        pty.resize(5, 20);
        pty.signal(Signal::WINCH);
        pty.signal(Signal::STOP);
        pty.wait_until_stopped();
        pty.signal(Signal::CONT);
        pty.write(b"a\n");
    });
    assert_eq!(end, End::Exit(0), "{seen}");
    assert!(project.skill().join("SKILL.md").is_file());
}

#[test]
fn without_colour_nothing_but_text_is_shown() {
    for variables in [&[("NO_COLOR", "1")][..], &[("TERM", "dumb")]] {
        let project = Project::new();
        // With a body there is no question before the gate, whose lines are edited with signs of the terminal.
        let body = project.0.path().join("body.md");
        fs::write(&body, "Read the diff first.\n").unwrap();
        let mut pty = project.starts(&["create", SENTENCE, "--body", body.to_str().unwrap()], variables);
        pty.answer(GATE, b"view\n");
        pty.answer(GATE, b"approve\n");
        pty.exits(0);
        let seen = pty.seen();
        assert!(!seen.contains('\u{1b}'), "{seen:?}");
    }
    let project = Project::new();
    let (_, seen) = project.at_the_gate(AGES, |pty| pty.write(b"approve\n"));
    assert!(seen.contains("\u{1b}["), "colour is shown otherwise: {seen:?}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let project = Project::new();
    let mut pty = Pty::new();
    pty.resize(24, 60);
    project.starts_on(&mut pty, &["create", SENTENCE, "--target", "claude"], &[]);
    skip_questions(&mut pty);
    pty.answer(GATE, b"view\n");
    pty.answer(GATE, b"approve\n");
    pty.exits(0);
    let seen = console::strip_ansi_codes(&pty.seen()).into_owned();
    // A word that is longer than a line, such as the hash of the input, stays whole on a line of its own.
    let words = |line: &str| line.split_whitespace().count();
    for line in seen.lines().filter(|line| !line.contains("Write this?") && words(line) > 1) {
        assert!(console::measure_text_width(line) <= 60, "{line:?}");
    }
    assert!(seen.contains(&"─".repeat(10)), "{seen}");
}

#[test]
fn edit_opens_the_text_and_what_it_becomes_is_written() {
    let project = Project::new();
    let editor = project.0.path().join("editor");
    fs::write(&editor, "#!/bin/sh\nsed -i 's/^# Review pull requests/# Review With Care/' \"$1\"\n").unwrap();
    let editor = format!("sh {}", editor.display());
    let scratch = project.scratch();
    let mut pty = project.creates(AGES, &[("EDITOR", &editor), ("TMPDIR", &scratch)]);
    pty.write(b"edit\n");
    pty.see("# Review With Care");
    pty.answer(GATE, b"approve\n");
    pty.exits(0);
    assert!(fs::read_to_string(project.skill().join("SKILL.md")).unwrap().contains("# Review With Care"));
    assert_eq!(fs::read_dir(scratch).unwrap().count(), 0, "the edited text is left behind");
}

#[test]
fn the_next_edit_removes_the_text_that_a_kill_left_behind() {
    let project = Project::new();
    let scratch = project.scratch();
    let edits = || {
        let editor = "sh -c 'echo opened; read line' editor";
        let mut pty = project.creates(AGES, &[("EDITOR", editor), ("TMPDIR", &scratch)]);
        pty.write(b"edit\n");
        pty.see("opened");
        pty
    };
    let count = || fs::read_dir(&scratch).unwrap().count();
    let (mut first, second) = (edits(), edits());
    assert_eq!(count(), 2, "what is in use stays");
    first.signal(Signal::KILL);
    assert_eq!(first.end(), End::Signal(9));
    assert_eq!(count(), 2);
    let third = edits();
    assert_eq!(count(), 2);
    drop((second, third));
}

#[test]
fn at_a_collision_nothing_but_an_answer_changes_the_skill_and_overwriting_asks_the_gate_as_well() {
    // At a collision nothing but an answer changes the skill.
    let project = Project::new();
    let (end, seen) = project.at_the_gate(AGES, |pty| pty.write(b"approve\n"));
    assert_eq!(end, End::Exit(0), "{seen}");
    let before = project.files();
    let acts: [(&[u8], End, &str); 4] = [
        (b"\x03", End::Exit(130), "E-SIGNAL-001"),
        (b"\x04", End::Exit(3), "E-CREATE-003"),
        (b"cancel\n", End::Exit(3), "E-CREATE-013"),
        (b"overwrite", End::Exit(4), "E-CREATE-012"),
    ];
    for (typed, end, said) in acts {
        let limit = if end == End::Exit(4) { "2" } else { "600" };
        let mut pty = project.starts(&["create", SENTENCE, "--target", "claude", "--gate-timeout", limit], &[]);
        skip_questions(&mut pty);
        pty.answer("What should happen?", typed);
        assert_eq!(pty.end(), end, "{}", pty.seen());
        assert!(pty.seen().contains(said), "{}", pty.seen());
        assert!(before == project.files(), "{}", pty.seen());
        pty.assert_untouched();
    }
    // Overwriting asks the gate as well.
    let mut pty = project.starts(&["create", SENTENCE, "--target", "claude"], &[]);
    skip_questions(&mut pty);
    pty.answer("What should happen?", b"overwrite\n");
    pty.answer(GATE, b"reject\n");
    pty.exits(3);
    assert!(before == project.files());
}

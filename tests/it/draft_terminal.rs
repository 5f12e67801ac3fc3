//! Drafting at a terminal: the question before it, the open questions, and `revise` at the gate.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::draft::{BODY, HEAD, TELLING, answer, claude};
use crate::gate_terminal::{GATE, Project, SENTENCE, skip_questions};
use crate::support::pty::Pty;

const OFFER: &str = "Claude Code is installed. Let it draft the skill?";
const CHOICES: &str = "[Y/n, always, never]";

/// A project whose PATH holds a stand-in of Claude Code: it keeps each brief and prints what the files `answer0`,
/// `answer1` and so on hold.
struct Desk {
    project: Project,
    path: String,
}

impl Desk {
    fn new(answers: &[&str]) -> Self {
        let project = Project::new();
        let home = project.0.path().to_owned();
        fs::create_dir_all(home.join("bin")).unwrap();
        let script = format!(
            "#!/bin/sh\nd={}\nn=0; while [ -e \"$d/stdin$n\" ]; do n=$((n+1)); done\ncat > \"$d/stdin$n\"\n\
             if [ -e \"$d/answer$n\" ]; then cat \"$d/answer$n\"; else echo 'quota used up' >&2; exit 1; fi\n",
            home.display()
        );
        let program = home.join("bin/claude");
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        for (number, answer) in answers.iter().enumerate() {
            fs::write(home.join(format!("answer{number}")), answer).unwrap();
        }
        Self { path: format!("{}/bin:/usr/bin:/bin", home.display()), project }
    }

    fn creates(&self, more: &[&str]) -> Pty {
        let args: Vec<&str> = ["create", SENTENCE, "--target", "claude"].iter().chain(more).copied().collect();
        self.project.starts(&args, &[("PATH", &self.path)])
    }

    /// A create that has come to the question.
    fn offered(&self) -> Pty {
        let mut pty = self.creates(&[]);
        skip_questions(&mut pty);
        pty.see(OFFER);
        pty.asks(CHOICES);
        pty
    }

    fn brief(&self, number: usize) -> Option<String> {
        fs::read_to_string(self.project.0.path().join(format!("stdin{number}"))).ok()
    }

    fn settings(&self) -> PathBuf {
        self.project.0.path().join("home/.config/hefesto/config.toml")
    }

    fn skill(&self) -> String {
        fs::read_to_string(self.project.skill().join("SKILL.md")).unwrap()
    }
}

#[test]
fn enter_and_yes_let_it_draft_and_no_does_not() {
    for (typed, drafts) in [("\n", true), ("y\n", true), ("YES\n", true), ("n\n", false), ("no\n", false)] {
        let desk = Desk::new(&[&claude(&answer())]);
        let mut pty = desk.offered();
        pty.write(typed.as_bytes());
        pty.answer(GATE, b"approve\n");
        pty.exits(0);
        assert_eq!(desk.skill().contains(TELLING), drafts, "{typed}: {}", desk.skill());
        assert_eq!(desk.brief(0).is_some(), drafts, "{typed}");
        assert!(!desk.settings().exists(), "{typed} is for this once");
        pty.assert_untouched();
    }
}

#[test]
fn what_is_none_of_the_answers_is_asked_again_and_leaving_sends_nothing() {
    let desk = Desk::new(&[&claude(&answer())]);
    let mut pty = desk.offered();
    pty.write(b"\x1b[200~yes\x1b[201~\n");
    pty.answer("Answer yes, no, always or never.", b"maybe\n");
    pty.answer("Answer yes, no, always or never.", b"\x04");
    pty.exits(3);
    assert!(desk.brief(0).is_none());

    let mut pty = desk.offered();
    pty.write(b"\x03");
    pty.exits(130);
    assert!(desk.brief(0).is_none());
}

#[test]
fn always_and_never_are_kept_in_the_users_own_settings() {
    let desk = Desk::new(&[&claude(&answer()), &claude(&answer())]);
    let mut pty = desk.offered();
    pty.write(b"always\n");
    pty.see("Kept: draft.mode = \"always\"");
    pty.answer(GATE, b"approve\n");
    pty.exits(0);
    assert_eq!(fs::read_to_string(desk.settings()).unwrap(), "[draft]\nmode = \"always\"\n");

    let mut pty = desk.creates(&["--name", "two"]);
    skip_questions(&mut pty);
    pty.asks(GATE);
    assert!(!pty.seen().contains(OFFER) && pty.seen().contains("Drafted by"), "{}", pty.seen());
    pty.write(b"reject\n");
    pty.exits(3);

    // A script, a flag that approves and an agent draft only when they say so.
    fs::write(desk.project.0.path().join("answers"), "approve\n").unwrap();
    let file = desk.project.0.path().join("answers");
    for (name, more) in [("three", &["--yes"][..]), ("four", &["--answers", file.to_str().unwrap()])] {
        let args: Vec<&str> = ["--name", name].iter().chain(more).copied().collect();
        let mut pty = desk.creates(&args);
        pty.exits(0);
    }
    assert!(desk.brief(2).is_none(), "it was asked without being told to");

    fs::write(desk.settings(), "[draft]\ntimeout = 9\nmode = \"ask\"\n").unwrap();
    let mut pty = desk.creates(&["--name", "five"]);
    skip_questions(&mut pty);
    pty.see(CHOICES);
    pty.write(b"never\n");
    pty.see("Kept: draft.mode = \"never\"");
    pty.asks(GATE);
    assert!(!pty.seen().contains("/revise/"), "{}", pty.seen());
    pty.write(b"reject\n");
    pty.exits(3);
    assert_eq!(fs::read_to_string(desk.settings()).unwrap(), "[draft]\ntimeout = 9\nmode = \"never\"\n");
    assert!(desk.brief(2).is_none());
}

#[test]
fn a_project_cannot_say_that_it_is_drafted() {
    let desk = Desk::new(&[&claude(&answer())]);
    fs::create_dir_all(desk.project.root().join(".hefesto")).unwrap();
    fs::write(desk.project.root().join(".hefesto/config.toml"), "[draft]\nmode = \"always\"\n").unwrap();
    let mut pty = desk.offered();
    // Where the line is broken depends on the length of the path in it.
    let seen = pty.seen().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(seen.contains("draft.mode is ignored"), "{seen}");
    pty.write(b"\x03");
    pty.exits(130);
    assert!(desk.brief(0).is_none());
}

#[test]
fn what_the_author_answers_stands_in_the_skill_and_in_the_brief() {
    let desk = Desk::new(&[&claude(&format!("{HEAD}{BODY}- Findings go to the tracker SEC.\n"))]);
    // Without a pack there are several questions.
    let mut pty = desk.creates(&["--no-pack", "security-review", "--no-pack", "pull-requests"]);
    pty.answer("leaves one out", b"Findings go to the tracker SEC\n");
    pty.answer("tracker SEC\r\n", b"skip\n");
    pty.see(CHOICES);
    assert!(pty.seen().contains("Findings go to the tracker SEC"), "{}", pty.seen());
    pty.write(b"y\n");
    pty.answer(GATE, b"approve\n");
    pty.exits(0);
    assert!(desk.brief(0).unwrap().contains("> A1 Findings go to the tracker SEC"), "{:?}", desk.brief(0));
    assert!(desk.skill().contains("Findings go to the tracker SEC"), "{}", desk.skill());
}

#[test]
fn revise_sends_the_text_back_with_the_note_and_shows_the_difference() {
    let shorter =
        format!("{HEAD}{}", BODY.replace("- RFC 5321 allows 254 octets in all.\n", "- RFC 5321: 254 octets.\n"));
    let shortest = shorter.replace("two parts, or it is none", "two parts");
    let desk = Desk::new(&[&claude(&answer()), &claude(&shorter), &claude(&shortest)]);
    let mut pty = desk.offered();
    pty.write(b"\n");
    pty.answer("[approve/revise/expand/edit/view/reject]", b"revise: make it shorter\n");
    pty.see("what changed");
    pty.see("-- RFC 5321 allows 254 octets in all.");
    pty.see("+- RFC 5321: 254 octets.");
    pty.asks(GATE);
    let brief = desk.brief(1).unwrap();
    assert!(brief.contains("> make it shorter\n"), "{brief}");
    assert!(brief.contains("> - RFC 5321 allows 254 octets in all.\n"), "{brief}");
    pty.write(b"revise\n");
    pty.answer("What should change?", b"drop the obvious\n");
    pty.see("+1. Split it at the last `@`: two parts.");
    pty.asks(GATE);
    assert!(desk.brief(2).unwrap().contains("> drop the obvious\n"));
    // The third has no answer: the text stays, and it is said why.
    pty.write(b"rev even shorter\n");
    pty.see("quota used up");
    pty.see("The text is unchanged.");
    pty.answer(GATE, b"approve\n");
    pty.exits(0);
    assert!(desk.skill().contains("254 octets.") && desk.skill().contains("two parts.\n"), "{}", desk.skill());
    pty.assert_untouched();
}

#[test]
fn a_note_that_was_interrupted_is_there_when_the_run_is_resumed() {
    let shorter = format!("{HEAD}{}", BODY.replace("allows 254 octets in all", "allows 254"));
    let desk = Desk::new(&[&claude(&answer())]);
    let program = desk.project.0.path().join("bin/claude");
    let answering = fs::read_to_string(&program).unwrap();
    let mut pty = desk.offered();
    pty.write(b"y\n");
    pty.asks(GATE);
    let mark = desk.project.0.path().join("asked");
    fs::write(&program, format!("#!/bin/sh\n: > {}\nexec sleep 300\n", mark.display())).unwrap();
    pty.write(b"revise: make it shorter\n");
    pty.see("Asking Claude Code for a change");
    while !mark.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20)); // until it runs
    }
    pty.write(b"\x03");
    pty.exits(130);
    assert!(pty.seen().contains("no skill was written"), "{}", pty.seen());

    fs::write(&program, answering).unwrap();
    fs::write(desk.project.0.path().join("answer1"), claude(&shorter)).unwrap();
    let mut pty = desk.project.starts(&["resume"], &[("PATH", &desk.path)]);
    pty.see("Interrupted, and not done: \"make it shorter\".");
    pty.answer(GATE, b"revise\n");
    pty.answer("What should change?", b"\n");
    pty.see("+- RFC 5321 allows 254.");
    pty.asks(GATE);
    assert!(desk.brief(1).unwrap().contains("> make it shorter\n"));
    pty.write(b"reject\n");
    pty.exits(3);
    assert_eq!(pty.seen().matches("Interrupted, and not done").count(), 1, "{}", pty.seen());
}

#[test]
fn a_failing_draft_brings_the_assembled_text_to_the_gate_with_the_reason() {
    let desk = Desk::new(&[]);
    let mut pty = desk.creates(&["--draft"]);
    skip_questions(&mut pty);
    pty.see("none: Claude Code: quota used up");
    pty.answer(GATE, b"approve\n");
    pty.exits(0);
    assert!(desk.skill().contains("[FILL IN: "), "{}", desk.skill());
}

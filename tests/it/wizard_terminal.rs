//! The wizard at a real terminal, with arrow keys.
#![cfg(target_os = "linux")]

use std::fs;

use crate::gate_terminal::{GATE, Project, SENTENCE};
use crate::support::pty::{End, Pty};

fn wizard(project: &Project) -> Pty {
    let mut pty = project.starts(&["create"], &[]);
    pty.asks("What should the skill do?");
    pty
}

#[test]
fn several_lines_pasted_into_the_wizard_are_one_answer() {
    // With the markers of bracketed paste and without.
    for pasted in [
        &b"\x1b[200~Review pull requests\nfor security\nissues\x1b[201~"[..],
        b"Review pull requests\nfor security\nissues",
    ] {
        let project = Project::new();
        let mut pty = wizard(&project);
        pty.write(pasted);
        pty.see("issues");
        pty.write(b"\n");
        pty.answer("Name (Enter: review-pull-requests)", b"\n");
        pty.answer("Main instructions", b"\x1b[200~Read the diff.\nThen decide.\x1b[201~\n");
        pty.answer("Resource", b"\n");
        pty.see("[x] Claude Code");
        pty.see("(agents)");
        pty.write(b"\n");
        pty.see(&format!("Description  {SENTENCE}"));
        pty.see("Continue?");
        pty.see("cancel");
        pty.write(b"\n");
        pty.answer(GATE, b"approve\n");
        pty.exits(0);
        let text = fs::read_to_string(project.skill().join("SKILL.md")).unwrap();
        assert!(text.contains("\nRead the diff.\nThen decide.\n"), "{text}");
        pty.assert_untouched();
    }
}

#[test]
fn what_was_typed_ahead_answers_no_question_of_the_wizard() {
    let project = Project::new();
    let mut pty = Pty::new();
    pty.write(b"Something else\nother-name\n");
    project.starts_on(&mut pty, &["create"], &[]);
    pty.answer("What should the skill do?", format!("{SENTENCE}\n"));
    pty.see("Name (Enter: review-pull-requests)");
    pty.write(b"\x03");
    pty.exits(130);
    assert!(pty.seen().contains("nothing was written"), "{}", pty.seen());
}

#[test]
fn mistakes_in_the_wizard_never_cost_the_other_answers() {
    let project = Project::new();
    let mut pty = wizard(&project);
    pty.write(format!("{SENTENCE}\n").as_bytes());
    pty.see("Name");
    for _ in 0..5 {
        pty.see(" > ");
        pty.write(b"!!!\n");
        pty.see("no name can be made from that");
    }
    pty.see(" > ");
    pty.write(b"cancel\n");
    pty.exits(3);
    assert!(pty.seen().contains("E-CREATE-010"), "{}", pty.seen());
}

#[test]
fn the_wizard_is_left_at_any_question_without_a_trace() {
    let acts: [(&[u8], End, &str); 3] = [
        (b"\x03", End::Exit(130), "E-SIGNAL-001"),
        (b"\x04", End::Exit(3), "nobody was there to answer"),
        (b"cancel\n", End::Exit(3), "E-CREATE-010"),
    ];
    let project = Project::new();
    for (typed, end, said) in acts {
        for answers in 0..2 {
            let before = project.files();
            let mut pty = wizard(&project);
            if answers > 0 {
                pty.write(format!("{SENTENCE}\n").as_bytes());
                pty.asks("Name (Enter: review-pull-requests)");
            }
            pty.write(typed);
            assert_eq!(pty.end(), end, "{}", pty.seen());
            assert!(pty.seen().contains(said), "{}", pty.seen());
            assert!(before == project.files());
            pty.assert_untouched();
        }
    }
}

/// At the review, with every default taken and what these keys do to the targets.
fn review(keys: &[u8], width: u16) -> (Project, Pty) {
    let project = Project::new();
    let mut pty = Pty::new();
    pty.resize(24, width);
    project.starts_on(&mut pty, &["create"], &[]);
    pty.answer("What should the skill do?", format!("{SENTENCE}\n"));
    for question in ["Name (Enter", "Main instructions", "Resource"] {
        pty.answer(question, "\n");
    }
    pty.see("(agents)");
    pty.write(keys);
    pty.see("Continue?");
    pty.see("cancel");
    (project, pty)
}

#[test]
fn the_wizard_goes_back_by_keys() {
    // Space adds a target and an arrow goes back to the first question.
    let (_project, mut pty) = review(b"\x1b[B \n", 80);
    assert!(pty.seen().contains("Targets      claude, gemini"), "{}", pty.seen());
    pty.write(b"\x1b[B\n");
    pty.answer("What should the skill do?", b"\x03");
    pty.exits(130);
    assert!(!pty.seen().contains("ERROR"), "{}", pty.seen());
    pty.assert_untouched();
    // Escape goes one question back.
    let (_project, mut pty) = review(b"\n", 80);
    pty.write(b"\x1b");
    pty.see("Targets (");
    pty.see("(agents)");
    pty.write(b"\x1b");
    pty.answer("Resource", b"\x04");
    pty.exits(3);
    pty.assert_untouched();
}

#[test]
fn no_line_of_the_wizard_breaks_a_word_at_sixty_columns() {
    let (_project, mut pty) = review(b"\n", 60);
    pty.write(b"cancel\n");
    pty.exits(3);
    let seen = console::strip_ansi_codes(&pty.seen()).into_owned();
    let asked = |line: &str| line.contains(" > ") || line.contains("What should");
    for line in seen.lines().filter(|line| !asked(line)) {
        assert!(console::measure_text_width(line) <= 60, "{line:?}");
    }
}

#[test]
fn an_offered_answer_that_is_refused_is_offered_no_more() {
    let project = Project::new();
    let first = "Rotate AWS access keys for a service account safely";
    let answer = ["--answer", "consumers=the CI secrets", "--yes"];
    let mut pty = project.starts(&[&["create", first, "--target", "claude"][..], &answer].concat(), &[]);
    pty.exits(0);
    let like = "Rotate the AWS access keys of our backup account";
    for (name, offered) in [("one", true), ("two", false)] {
        let mut pty = project.starts(&["create", like, "--name", name, "--target", "claude"], &[]);
        pty.see("leaves one out");
        if offered {
            pty.see("Enter takes");
        }
        pty.see(" > ");
        pty.write(if offered { b"-\n" } else { b"\n" });
        pty.see("How long does an inactive key stay");
        pty.answer("Answer", b"skip\n");
        pty.answer(GATE, b"approve\n");
        pty.exits(0);
        assert!(offered || !pty.seen().contains("Enter takes"), "{}", pty.seen());
    }
}

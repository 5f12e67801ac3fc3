//! The gate's question, menus and lines with arrow keys on a real pseudo-terminal: whatever happens, each ends, approves
//! nothing by accident and leaves the terminal as it was.
#![cfg(target_os = "linux")]

use rustix::process::Signal;

use crate::support::pty::{End, Pty};

/// More than any test takes; only a hang reaches it.
const AGES: &str = "600";
const DOWN: &[u8] = b"\x1b[B";
/// The questions: the gate's, one choice, several, and a line.
const KINDS: [&str; 4] = ["gate", "menu", "several", "line"];

/// A terminal on which such a question is asked with this limit.
fn started(seconds: &str, kind: &str) -> Pty {
    let mut pty = Pty::new();
    ask(&mut pty, seconds, kind);
    pty
}

/// Asks, and waits for the last of what the question shows.
fn ask(pty: &mut Pty, seconds: &str, kind: &str) {
    let words = ["ask", seconds, kind];
    pty.run(if kind == "gate" { &words[..2] } else { &words });
    pty.see(match kind {
        "gate" => "s) > ",
        "menu" => "  back",
        "several" => "OpenAI Codex CLI",
        _ => " > ",
    });
}

/// Does something once the question is shown; how it ended.
fn asked(seconds: &str, kind: &str, act: impl FnOnce(&mut Pty)) -> (End, String) {
    let mut pty = started(seconds, kind);
    act(&mut pty);
    let end = pty.end();
    pty.assert_untouched();
    assert_eq!(pty.seen().matches("[?2004h").count(), pty.seen().matches("[?2004l").count(), "pastes stay marked");
    (end, pty.seen())
}

#[test]
fn arrows_spaces_words_and_pastes_answer() {
    let cases: [(&str, &[u8], &str); 16] = [
        ("menu", b"\r", "continue"),
        ("menu", b"\x1b[B\r", "edit"),
        ("menu", b"\x1b[B\x1b[B\x1b[A\n", "edit"),
        ("menu", b"\x1bOB\r", "edit"),
        ("menu", b"edit\r", "edit"),
        ("menu", b"edix\x7ft\r", "edit"),
        ("menu", b"\x1b", "back"),
        ("menu", b"\x1b[200~edit\nedit\n\x1b[201~\x1b[B\r", "edit"),
        ("several", b"\r", "claude"),
        ("several", b"\x1b[B \r", "claude,gemini"),
        ("several", b" \x1b[B\x1b[B \r", "codex"),
        ("several", b" \r", ""),
        ("several", b"gemini,codex\r", "gemini,codex"),
        ("line", b"\r", "review-code"),
        ("line", b"revew\x1b[D\x1b[Di\r", "review"),
        ("line", b"\x1b[200~one\ntwo\n\x1b[201~\r", "one two"),
    ];
    for (kind, keys, answer) in cases.into_iter().chain([("line", "café\x7fe\r".as_bytes(), "cafe")]) {
        let (end, seen) = asked(AGES, kind, |pty| pty.write(keys));
        assert_eq!(end, End::Exit(0), "{seen}");
        assert!(seen.ends_with(&format!("\r\noutcome: {answer}\r\n")), "{answer}: {seen:?}");
    }
}

#[test]
fn the_gate_takes_a_whole_word_or_a_prefix_and_shows_its_choices_and_the_time_left() {
    for (typed, exit) in [("approve\n", 0), ("  APPR \r", 0), ("reject\n", 3), ("r\n", 3), ("approve\x03", 130)] {
        let (end, seen) = asked(AGES, "gate", |pty| pty.write(typed.as_bytes()));
        assert_eq!(end, End::Exit(exit), "{typed:?}");
        let seen = console::strip_ansi_codes(&seen).into_owned();
        assert!(seen.starts_with("Approve? [approve/expand/edit/view/reject] (600 s) > "), "{seen}");
    }
}

#[test]
fn what_is_no_answer_is_asked_again_and_gives_no_more_time() {
    let typed: [(&[u8], &str); 6] = [
        (b"\n", "Empty"),
        (b"yes\n", "Unknown"),
        (b"e\n", "Ambiguous([1, 2])"),
        (b"\x1b[200~approve\n", "Unknown"),
        (b"\x1b[31m\x1b]0;x\x07approve\n", "Unknown"),
        (b"\x00approve\xff\xfe\n", "Unknown"),
    ];
    for (typed, named) in typed {
        for (then, exit) in [("approve\n", 0), ("reject\n", 3)] {
            let (end, seen) = asked(AGES, "gate", |pty| {
                pty.write(typed);
                pty.see(named);
                pty.see("s) > ");
                pty.write(then.as_bytes());
            });
            assert_eq!(end, End::Exit(exit), "{seen}");
        }
    }
    // They never stop coming: were each to start the time anew, this would not end.
    for (kind, bytes) in [("gate", &b"perhaps\n"[..]), ("menu", DOWN)] {
        let (end, seen) = asked("2", kind, |pty| pty.see_under("outcome:", bytes));
        assert_eq!(end, End::Exit(4), "{seen}");
        // Keys that come after the question is over are echoed.
        assert!(seen.contains("outcome: timed out\r\n"), "{seen}");
    }
}

#[test]
fn silence_signals_and_the_end_of_input_end_it_with_their_number() {
    for kind in KINDS {
        assert_eq!(asked("1", kind, |_| ()).0, End::Exit(4), "{kind}");
        assert_eq!(asked(AGES, kind, |pty| pty.write(b"\x03")).0, End::Exit(130), "{kind}");
        assert_eq!(asked(AGES, kind, |pty| pty.write(b"\x04")).0, End::Exit(3), "{kind}");
        for (signal, exit) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
            assert_eq!(asked(AGES, kind, |pty| pty.signal(signal)).0, End::Exit(exit), "{kind}");
        }
    }
    let mut pty = started(AGES, "menu");
    pty.hang_up();
    pty.exits(129);
}

#[test]
fn an_answer_without_enter_is_none_and_is_not_left_for_the_shell() {
    let mut pty = started("5", "gate");
    pty.write(b"approve");
    assert_eq!(pty.end(), End::Exit(4));
    pty.write(b"\n");
    assert_eq!(pty.left_over(), "\n");
}

#[test]
fn a_line_that_the_terminal_cut_off_is_not_taken_and_garbage_does_not_answer() {
    let (end, seen) = asked(AGES, "gate", |pty| {
        pty.write_what_fits(&[b'A'; 64 * 1024]);
        pty.write(b"\n");
        pty.see("Not taken");
        pty.see("s) > ");
        pty.write(b"reject\n");
    });
    assert_eq!(end, End::Exit(3), "{seen}");
    for kind in ["menu", "line"] {
        let (end, seen) = asked("3", kind, |pty| pty.write_what_fits(&[b'A'; 16 * 1024]));
        assert_eq!(end, End::Exit(4), "{kind}: {seen}");
    }
}

#[test]
fn a_resize_and_a_pause_do_not_disturb_it() {
    for (kind, typed, outcome) in [("gate", &b"approve\n"[..], "approved"), ("menu", b"\x1b[B\r", "edit")] {
        let (end, seen) = asked(AGES, kind, |pty| {
            pty.resize(8, 30);
            pty.signal(Signal::WINCH);
            pty.signal(Signal::TSTP);
            pty.signal(Signal::STOP);
            pty.wait_until_stopped();
            pty.signal(Signal::CONT);
            pty.write(typed);
        });
        assert_eq!(end, End::Exit(0), "{seen}");
        assert!(seen.ends_with(&format!("outcome: {outcome}\r\n")), "{seen}");
    }
}

#[test]
fn what_was_typed_before_the_question_does_not_count() {
    for kind in KINDS {
        let mut pty = Pty::new();
        pty.write(if kind == "gate" { b"approve\napprove\nappr" } else { b"\n\x1b[B\n" });
        ask(&mut pty, "3", kind);
        if kind == "gate" {
            pty.write(b"\n");
        }
        assert_eq!(pty.end(), End::Exit(4), "{kind}: {}", pty.seen());
        assert!(kind != "gate" || pty.seen().contains("Empty"), "the half-typed line is gone as well: {}", pty.seen());
        assert!(pty.seen().ends_with("\r\noutcome: timed out\r\n"), "{}", pty.seen());
        pty.assert_untouched();
    }
}

#[test]
fn after_the_question_signals_have_their_own_meaning_again() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut pty = Pty::new();
        pty.run(&["ask", AGES, "linger"]);
        pty.see("s) > ");
        pty.write(b"approve\n");
        pty.see("outcome: approved");
        pty.signal(signal);
        assert_eq!(pty.end(), End::Signal(signal.as_raw()));
        pty.assert_untouched();
    }
}

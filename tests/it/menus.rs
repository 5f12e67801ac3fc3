//! Menus and lines with arrow keys on a real pseudo-terminal: what the keys do, and that every end restores the
//! terminal.
#![cfg(target_os = "linux")]

use crate::support::pty;

use pty::{End, Pty};
use rustix::process::Signal;

/// More than any test takes; only a hang reaches it.
const AGES: &str = "600";
const DOWN: &[u8] = b"\x1b[B";

/// Asks such a question with this limit and does something once it is shown.
fn asked(seconds: &str, kind: &str, act: impl FnOnce(&mut Pty)) -> (End, String) {
    let mut pty = Pty::new();
    pty.run(&["ask", seconds, kind]);
    shown(&mut pty, kind);
    act(&mut pty);
    let end = pty.end();
    pty.assert_untouched();
    assert_eq!(pty.seen().matches("[?2004h").count(), pty.seen().matches("[?2004l").count(), "pastes stay marked");
    (end, pty.seen())
}

/// The last of what the question shows.
fn shown(pty: &mut Pty, kind: &str) {
    pty.see(match kind {
        "menu" => "  back",
        "several" => "OpenAI Codex CLI",
        _ => " > ",
    });
}

#[track_caller]
fn assert_answers(kind: &str, keys: &[&[u8]], answer: &str) {
    let (end, seen) = asked(AGES, kind, |pty| pty.write(&keys.concat()));
    assert_eq!(end, End::Exit(0), "{seen}");
    assert!(seen.ends_with(&format!("\r\noutcome: {answer}\r\n")), "{answer}: {seen:?}");
}

#[test]
fn arrows_choose_and_enter_takes() {
    assert_answers("menu", &[b"\r"], "continue");
    assert_answers("menu", &[DOWN, b"\r"], "edit");
    assert_answers("menu", &[DOWN, DOWN, b"\x1b[A", b"\n"], "edit");
    assert_answers("menu", &[b"\x1bOB\r"], "edit");
}

#[test]
fn space_toggles_where_several_may_be_chosen() {
    assert_answers("several", &[b"\r"], "claude");
    assert_answers("several", &[DOWN, b" \r"], "claude,gemini");
    assert_answers("several", &[b" ", DOWN, DOWN, b" \r"], "codex");
    assert_answers("several", &[b" \r"], "");
}

#[test]
fn a_word_that_is_typed_answers_a_menu_and_escape_goes_back() {
    assert_answers("menu", &[b"edit\r"], "edit");
    assert_answers("menu", &[b"edix\x7ft\r"], "edit");
    assert_answers("menu", &[b"\x1b"], "back");
    assert_answers("several", &[b"gemini,codex\r"], "gemini,codex");
}

#[test]
fn a_line_is_edited_and_its_default_taken() {
    assert_answers("line", &[b"\r"], "review-code");
    assert_answers("line", &[b"revew\x1b[D\x1b[Di\r"], "review");
    assert_answers("line", &[b"caf\xc3\xa9\x7fe\r"], "cafe");
}

#[test]
fn a_paste_is_one_answer_and_answers_no_menu() {
    assert_answers("line", &[b"\x1b[200~one\ntwo\n\x1b[201~\r"], "one two");
    assert_answers("menu", &[b"\x1b[200~edit\nedit\n\x1b[201~", DOWN, b"\r"], "edit");
}

#[test]
fn silence_ends_it() {
    for kind in ["menu", "several", "line"] {
        assert_eq!(asked("1", kind, |_| ()).0, End::Exit(4), "{kind}");
    }
}

#[test]
fn keys_do_not_give_more_time() {
    let (end, seen) = asked("2", "menu", |pty| pty.see_under("outcome:", DOWN));
    assert_eq!(end, End::Exit(4), "{seen}");
}

#[test]
fn signals_and_the_end_of_input_end_it() {
    for kind in ["menu", "several", "line"] {
        assert_eq!(asked(AGES, kind, |pty| pty.write(b"\x03")).0, End::Exit(130), "{kind}");
        assert_eq!(asked(AGES, kind, |pty| pty.write(b"\x04")).0, End::Exit(3), "{kind}");
        for (signal, exit) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
            assert_eq!(asked(AGES, kind, |pty| pty.signal(signal)).0, End::Exit(exit), "{kind}");
        }
    }
}

#[test]
fn a_terminal_that_is_closed_is_a_hangup() {
    let mut pty = Pty::new();
    pty.run(&["ask", AGES, "menu"]);
    shown(&mut pty, "menu");
    pty.hang_up();
    pty.exits(129);
}

#[test]
fn what_was_typed_before_the_question_does_not_count() {
    for kind in ["menu", "several", "line"] {
        let mut pty = Pty::new();
        pty.write(b"\n\x1b[B\n");
        pty.run(&["ask", "2", kind]);
        assert_eq!(pty.end(), End::Exit(4), "{kind}: {}", pty.seen());
        pty.assert_untouched();
    }
}

#[test]
fn a_resize_and_a_pause_do_not_disturb_it() {
    let (end, seen) = asked(AGES, "menu", |pty| {
        pty.resize(8, 30);
        pty.signal(Signal::WINCH);
        pty.signal(Signal::STOP);
        pty.wait_until_stopped();
        pty.signal(Signal::CONT);
        pty.write(&[DOWN, b"\r"].concat());
    });
    assert_eq!(end, End::Exit(0), "{seen}");
    assert!(seen.ends_with("outcome: edit\r\n"), "{seen}");
}

#[test]
fn garbage_neither_hangs_nor_answers() {
    for kind in ["menu", "line"] {
        let (end, seen) = asked("3", kind, |pty| pty.write_what_fits(&[b'A'; 16 * 1024]));
        assert_eq!(end, End::Exit(4), "{kind}: {seen}");
    }
}

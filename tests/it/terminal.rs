//! The gate's question on a real pseudo-terminal: whatever happens, it ends, approves nothing by accident and
//! leaves the terminal as it was.
#![cfg(target_os = "linux")]

use crate::support::pty;

use pty::{End, Pty};
use rustix::process::Signal;

/// More than any test takes; only a hang reaches it.
const AGES: u64 = 600;

/// The question, up to where the answer is typed.
const PROMPT: &str = "s) > ";

/// Runs the question with this limit, does something to it once it is shown, and says how it ended.
fn asked(seconds: u64, act: impl FnOnce(&mut Pty)) -> (End, String) {
    let mut pty = Pty::new();
    pty.run(&["ask", &seconds.to_string()]);
    pty.see(PROMPT);
    act(&mut pty);
    let end = pty.end();
    pty.assert_untouched();
    (end, pty.seen())
}

#[track_caller]
fn assert_timed_out((end, seen): (End, String)) {
    assert_eq!(end, End::Exit(4), "{seen}");
    assert!(seen.ends_with("\r\noutcome: timed out\r\n"), "{seen}");
}

#[test]
fn a_whole_word_or_a_prefix_answers() {
    assert_eq!(asked(AGES, |pty| pty.write(b"approve\n")).0, End::Exit(0));
    assert_eq!(asked(AGES, |pty| pty.write(b"  APPR \r")).0, End::Exit(0));
    assert_eq!(asked(AGES, |pty| pty.write(b"reject\n")).0, End::Exit(3));
}

#[test]
fn the_question_shows_its_choices_and_the_time_left() {
    let (_, seen) = asked(AGES, |pty| pty.write(b"r\n"));
    let seen = console::strip_ansi_codes(&seen).into_owned();
    assert!(seen.starts_with("Approve? [approve/expand/edit/view/reject] (600 s) > "), "{seen}");
}

#[test]
fn enter_and_unknown_words_ask_again() {
    for (typed, named) in [("\n", "Empty"), ("yes\n", "Unknown"), ("e\n", "Ambiguous([1, 2])")] {
        let (end, seen) = asked(AGES, |pty| {
            pty.write(typed.as_bytes());
            pty.see(named);
            pty.see(PROMPT);
            pty.write(b"approve\n");
        });
        assert_eq!(end, End::Exit(0), "{seen}");
    }
}

#[test]
fn answers_that_are_none_do_not_give_more_time() {
    // They never stop coming: were each to start the time anew, this would not end.
    let (end, seen) = asked(2, |pty| pty.see_under("outcome:", b"perhaps\n"));
    assert_eq!(end, End::Exit(4), "{seen}");
    assert!(seen.contains("\r\noutcome: timed out\r\n"), "{seen}");
}

#[test]
fn an_answer_without_enter_is_none_and_is_not_left_for_the_shell() {
    let mut pty = Pty::new();
    pty.run(&["ask", "5"]);
    pty.see(PROMPT);
    pty.write(b"approve");
    assert_eq!(pty.end(), End::Exit(4));
    pty.write(b"\n");
    assert_eq!(pty.left_over(), "\n");
}

#[test]
fn signals_end_it_with_their_number() {
    assert_eq!(asked(AGES, |pty| pty.write(b"\x03")).0, End::Exit(130));
    assert_eq!(asked(AGES, |pty| pty.signal(Signal::INT)).0, End::Exit(130));
    assert_eq!(asked(AGES, |pty| pty.signal(Signal::TERM)).0, End::Exit(143));
    assert_eq!(asked(AGES, |pty| pty.signal(Signal::HUP)).0, End::Exit(129));
    assert_eq!(asked(AGES, |pty| pty.write(b"approve\x03")).0, End::Exit(130));
}

#[test]
fn a_line_that_the_terminal_cut_off_is_not_taken() {
    let (end, seen) = asked(AGES, |pty| {
        pty.write_what_fits(&[b'A'; 64 * 1024]);
        pty.write(b"\n");
        pty.see("Not taken");
        pty.see(PROMPT);
        pty.write(b"reject\n");
    });
    assert_eq!(end, End::Exit(3), "{seen}");
}

#[test]
fn escape_sequences_and_stray_bytes_are_no_answers() {
    for typed in [&b"\x1b[200~approve\n"[..], b"\x1b[31m\x1b]0;x\x07approve\n", b"\x00approve\xff\xfe\n"] {
        let (end, seen) = asked(AGES, |pty| {
            pty.write(typed);
            pty.see("Unknown");
            pty.see(PROMPT);
            pty.write(b"reject\n");
        });
        assert_eq!(end, End::Exit(3), "{seen}");
    }
}

#[test]
fn a_resize_and_a_pause_do_not_disturb_it() {
    let (end, seen) = asked(AGES, |pty| {
        pty.resize(5, 20);
        pty.signal(Signal::WINCH);
        pty.signal(Signal::TSTP);
        pty.signal(Signal::STOP);
        pty.wait_until_stopped();
        pty.signal(Signal::CONT);
        pty.write(b"approve\n");
    });
    assert_eq!(end, End::Exit(0), "{seen}");
}

#[test]
fn what_was_typed_before_the_question_does_not_count() {
    let mut pty = Pty::new();
    pty.write(b"approve\napprove\nappr");
    pty.run(&["ask", "5"]);
    pty.see(PROMPT);
    pty.write(b"\n");
    let end = pty.end();
    let seen = pty.seen();
    assert!(seen.contains("Empty"), "the half-typed line is gone as well: {seen}");
    assert_timed_out((end, seen));
    pty.assert_untouched();
}

#[test]
fn after_the_question_signals_have_their_own_meaning_again() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut pty = Pty::new();
        pty.run(&["ask", &AGES.to_string(), "linger"]);
        pty.see(PROMPT);
        pty.write(b"approve\n");
        pty.see("outcome: approved");
        pty.signal(signal);
        assert_eq!(pty.end(), End::Signal(signal.as_raw()));
        pty.assert_untouched();
    }
}

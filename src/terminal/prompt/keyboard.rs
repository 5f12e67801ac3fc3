//! Reads the keyboard for a prompt of `dialoguer`.
//!
//! The prompt runs on its own thread and reads a pseudo-terminal instead of standard input. The real terminal is read
//! here, with a deadline and signals, and the keys are passed on. So a prompt can always be ended, a paste is one
//! answer, and the terminal is restored whatever ends the prompt.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use std::{io, thread};

use console::Term;

use super::Asking;
use crate::system::os::Taken;
use crate::system::os::terminal::{self, StandIn};
use crate::terminal::signal::{Watch, Woken};

const PASTES_MARKED: &str = "\u{1b}[?2004h";
const PASTES_UNMARKED: &str = "\u{1b}[?2004l";

/// How long the rest of an escape sequence or of a paste may take.
const TOGETHER: Duration = Duration::from_millis(50);
/// How often the terminal's settings are checked while nothing is typed: another program may have changed them.
const LOOK: Duration = Duration::from_millis(250);
/// How long a prompt may take to end after the key that ends it.
const GRACE: Duration = Duration::from_secs(1);

pub(super) enum Act {
    /// Pass these bytes on to the prompt.
    Pass(Vec<u8>),
    /// End the prompt with this answer.
    Answer(String),
    Ignore,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Answered(String),
    /// The answer was typed as a word, not given by the prompt.
    Typed(String),
    Late,
    /// Ctrl-D, or the terminal was closed.
    Closed,
    Signal(u8),
}

/// Runs a prompt until it is answered, the deadline passes or a signal arrives. `leave` is the key that ends it.
/// Errors: when there is no pseudo-terminal, or the prompt fails.
pub(super) fn run(
    prompt: Box<dyn FnOnce() -> io::Result<String> + Send>,
    leave: &[u8],
    asking: &Asking<'_>,
    act: &mut dyn FnMut(Key) -> Act,
) -> io::Result<Ended> {
    let mut keyboard = Keyboard::take()?;
    let (tell, answer) = mpsc::channel();
    thread::spawn(move || tell.send(prompt()));
    let ended = keyboard.pass(&answer, asking, act);
    if !matches!(ended, Ok(Ended::Answered(_))) && keyboard.0.pass(leave).is_ok() {
        let _left = answer.recv_timeout(GRACE);
    }
    ended
}

/// The real terminal in raw mode, and a pseudo-terminal in its place. Dropping it restores everything.
struct Keyboard(StandIn);

impl Keyboard {
    fn take() -> io::Result<Self> {
        let keyboard = Self(StandIn::take()?);
        let _screen = Term::stderr().write_str(PASTES_MARKED);
        Ok(keyboard)
    }

    fn pass(
        &mut self,
        answer: &Receiver<io::Result<String>>,
        asking: &Asking<'_>,
        act: &mut dyn FnMut(Key) -> Act,
    ) -> io::Result<Ended> {
        let Asking { watch, deadline, .. } = *asking;
        let mut keys = Keys::default();
        loop {
            if let Some(signal) = watch.received() {
                return Ok(Ended::Signal(signal));
            }
            while let Some(key) = keys.next() {
                match (&key, act(key.clone())) {
                    (Key::Interrupt, _) => return Ok(Ended::Signal(2)),
                    (Key::End, _) => return Ok(Ended::Closed),
                    (_, Act::Pass(bytes)) => {
                        self.0.pass(&bytes)?;
                        let limit = if key == Key::Enter { GRACE } else { Duration::ZERO };
                        if let Some(answered) = answered(answer, limit)? {
                            return Ok(answered);
                        }
                    }
                    (_, Act::Answer(answer)) => return Ok(Ended::Typed(answer)),
                    (_, Act::Ignore) => {}
                }
            }
            self.0.keep_raw();
            let look = Instant::now() + LOOK;
            let late = deadline.is_some_and(|deadline| deadline <= Instant::now());
            match watch.sleep(Some(self.0.terminal()), Some(deadline.map_or(look, |deadline| deadline.min(look))))? {
                _ if late => return Ok(Ended::Late),
                Woken::Readable { .. } => {
                    if !self.read(watch, &mut keys)? {
                        let signal = watch.within(super::answers::HANGUP_SIGNAL);
                        return Ok(signal.map_or(Ended::Closed, Ended::Signal));
                    }
                }
                Woken::Late | Woken::Other => {}
            }
        }
    }

    /// Reads typed keys, including the rest of a sequence or paste. `false`: the terminal was closed.
    fn read(&self, watch: &Watch, keys: &mut Keys) -> io::Result<bool> {
        loop {
            let mut bytes = [0; 4096];
            let count = match self.0.terminal().read(&mut bytes)? {
                Taken::Bytes(0) => return Ok(true),
                Taken::Bytes(count) => count,
                Taken::End | Taken::Gone => return Ok(false),
            };
            let bytes = &bytes[..count];
            keys.reader(bytes);
            let more = keys.is_partial() || bytes.ends_with(b"\n") || bytes.ends_with(b"\r");
            let soon = Some(Instant::now() + TOGETHER);
            if !more || !matches!(watch.sleep(Some(self.0.terminal()), soon)?, Woken::Readable { .. }) {
                return Ok(true);
            }
        }
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        clear();
    }
}

fn clear() {
    let screen = Term::stderr();
    let _screen = screen.write_str(PASTES_UNMARKED).and_then(|()| screen.show_cursor());
}

/// Restores the terminal where the program ends in the middle of a prompt.
pub fn release() {
    if terminal::release() {
        clear();
    }
}

/// The prompt's answer, if it ends within this time.
fn answered(answer: &Receiver<io::Result<String>>, limit: Duration) -> io::Result<Option<Ended>> {
    match answer.recv_timeout(limit) {
        Ok(answer) => answer.map(|answer| Some(Ended::Answered(answer))),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        // The prompt's thread always sends its answer; a panic in it ends the program.
        Err(RecvTimeoutError::Disconnected) => Ok(Some(Ended::Closed)),
    }
}

/// The markers a terminal puts around a paste (bracketed paste).
pub(super) const PASTE_BEGINS: &str = "\u{1b}[200~";
pub(super) const PASTE_ENDS: &str = "\u{1b}[201~";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Enter,
    Backspace,
    /// An arrow, by its letter in the sequence `ESC [ A`.
    Arrow(char),
    Escape,
    /// Home, Ctrl-A.
    LineStart,
    /// End, Ctrl-E.
    LineEnd,
    /// Delete the line: Ctrl-U.
    Clear,
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-D.
    End,
    Paste(String),
}

/// Turns bytes into keys. An incomplete paste or character waits for its rest.
#[derive(Debug, Default)]
pub(super) struct Keys {
    text: String,
    /// An incomplete character.
    bytes: Vec<u8>,
    keys: std::collections::VecDeque<Key>,
}

impl Keys {
    pub(super) fn reader(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        for chunk in std::mem::take(&mut self.bytes).utf8_chunks() {
            self.text.push_str(chunk.valid());
            // What begins a character at the end waits for its rest; other stray bytes are dropped.
            let begun = std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            self.bytes = if begun { chunk.invalid().to_vec() } else { Vec::new() };
        }
    }

    /// Whether an escape sequence is incomplete.
    pub(super) fn is_partial(&self) -> bool {
        self.text.ends_with('\u{1b}') || self.text.ends_with("\u{1b}[")
    }

    /// The next key. Several lines that arrive at once are a paste, marked or not.
    pub(super) fn next(&mut self) -> Option<Key> {
        if self.keys.is_empty() {
            self.decode();
        }
        self.keys.pop_front()
    }

    fn decode(&mut self) {
        if let Some(begin) = self.text.find(PASTE_BEGINS) {
            let Some(length) = self.text[begin..].find(PASTE_ENDS) else {
                self.decode_typed(begin);
                return;
            };
            self.decode_typed(begin);
            let pasted: String = self.text.drain(..length + PASTE_ENDS.len()).collect();
            self.keys.push_back(Key::Paste(pasted.replace(PASTE_BEGINS, "").replace(PASTE_ENDS, "")));
            return;
        }
        let line = self.text.trim_end_matches(['\r', '\n']);
        if line.contains(['\r', '\n']) && !line.contains('\u{1b}') {
            self.keys.push_back(Key::Paste(line.to_owned()));
            self.text.clear();
            return;
        }
        self.decode_typed(self.text.len());
    }

    fn decode_typed(&mut self, end: usize) {
        let typed: String = self.text.drain(..end).collect();
        let mut chars = typed.chars().peekable();
        while let Some(c) = chars.next() {
            let key = match c {
                '\r' | '\n' => Key::Enter,
                '\u{3}' => Key::Interrupt,
                '\u{4}' => Key::End,
                '\u{8}' | '\u{7f}' => Key::Backspace,
                '\u{1}' => Key::LineStart,
                '\u{5}' => Key::LineEnd,
                '\u{15}' => Key::Clear,
                '\u{1b}' => match chars.next_if(|c| matches!(c, '[' | 'O')) {
                    Some(_) => match chars.find(|c| ('@'..='~').contains(c)) {
                        Some(arrow @ 'A'..='D') => Key::Arrow(arrow),
                        Some('H') => Key::LineStart,
                        Some('F') => Key::LineEnd,
                        _ => continue,
                    },
                    None => Key::Escape,
                },
                c if c.is_control() => continue,
                c => Key::Char(c),
            };
            self.keys.push_back(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(typed: &[&[u8]]) -> Vec<Key> {
        let mut keys = Keys::default();
        typed.iter().for_each(|bytes| keys.reader(bytes));
        std::iter::from_fn(|| keys.next()).collect()
    }

    #[test]
    fn keys_are_told_apart() {
        let typed = keys(&[b"a\x1b[B\x1bOA\x1b[3~\x7f \x04\x03\x1b"]);
        let arrows = [Key::Arrow('B'), Key::Arrow('A')];
        let rest = [Key::Backspace, Key::Char(' '), Key::End, Key::Interrupt, Key::Escape];
        assert_eq!(typed, [&[Key::Char('a')][..], &arrows, &rest].concat());
        assert_eq!(
            keys(&[b"\x01\x05\x15\x1b[H\x1bOF"]),
            [Key::LineStart, Key::LineEnd, Key::Clear, Key::LineStart, Key::LineEnd]
        );
        assert_eq!(keys(&[b"ok\r"]), [Key::Char('o'), Key::Char('k'), Key::Enter]);
    }

    #[test]
    fn a_paste_is_one_key_even_where_the_terminal_does_not_mark_it() {
        let pasted = |text: &str| vec![Key::Paste(text.into())];
        assert_eq!(keys(&[b"\x1b[200~one\ntwo\n\x1b[201~"]), pasted("one\ntwo\n"));
        assert_eq!(keys(&[b"\x1b[200~one", b"\ntwo\x1b[201~"]), pasted("one\ntwo"));
        assert_eq!(keys(&[b"one\ntwo\nthree\n"]), pasted("one\ntwo\nthree"));
        assert_eq!(keys(&[b"\x1b[200~one\n"]), []);
    }

    #[test]
    fn a_character_may_come_in_pieces_and_stray_bytes_are_dropped() {
        assert_eq!(keys(&[b"\xc3", b"\xa9"]), [Key::Char('é')]);
        assert_eq!(keys(&[b"\xff\xfea\xc3("]), [Key::Char('a'), Key::Char('(')]);
    }
}

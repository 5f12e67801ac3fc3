//! Reads the keyboard for a prompt of `dialoguer`.
//!
//! The prompt runs on its own thread and reads a pseudo-terminal instead of standard input. The real terminal is read
//! here, with a deadline and signals, and the keys are passed on. So a prompt can always be ended, a paste is one
//! answer, and the terminal is restored whatever ends the prompt.

use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use console::Term;

use super::keys::{Key, Keys};
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

/// What to do with a key.
pub(super) enum Act {
    /// Pass these bytes on to the prompt.
    Pass(Vec<u8>),
    /// End the prompt with this answer.
    Answer(String),
    Ignore,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended<T> {
    Answered(T),
    /// The answer was typed as a word, not given by the prompt.
    Typed(String),
    Late,
    /// Ctrl-D, or the terminal was closed.
    Closed,
    Signal(u8),
}

/// Runs a prompt until it is answered, the deadline passes or a signal arrives. `leave` is the key that ends it.
/// Errors: when there is no pseudo-terminal, or the prompt fails.
pub(super) fn run<T: Send + 'static>(
    prompt: impl FnOnce() -> io::Result<T> + Send + 'static,
    leave: &[u8],
    watch: &Watch,
    deadline: Option<Instant>,
    act: &mut dyn FnMut(Key) -> Act,
) -> io::Result<Ended<T>> {
    let mut keyboard = Keyboard::take()?;
    let (tell, answer) = mpsc::channel();
    thread::spawn(move || tell.send(prompt()));
    let ended = keyboard.pass(&answer, watch, deadline, act);
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

    fn pass<T>(
        &mut self,
        answer: &Receiver<io::Result<T>>,
        watch: &Watch,
        deadline: Option<Instant>,
        act: &mut dyn FnMut(Key) -> Act,
    ) -> io::Result<Ended<T>> {
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
                        let signal = watch.within(super::terminal::HANGUP_SIGNAL);
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
fn answered<T>(answer: &Receiver<io::Result<T>>, limit: Duration) -> io::Result<Option<Ended<T>>> {
    match answer.recv_timeout(limit) {
        Ok(answer) => answer.map(|answer| Some(Ended::Answered(answer))),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        // The prompt's thread always sends its answer; a panic in it ends the program.
        Err(RecvTimeoutError::Disconnected) => Ok(Some(Ended::Closed)),
    }
}

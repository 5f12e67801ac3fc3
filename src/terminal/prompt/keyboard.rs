//! The keyboard while a prompt of `dialoguer` waits for keys.
//!
//! The prompt runs on a thread of its own and reads a pseudo-terminal that stands in for standard input. What is typed
//! on the real terminal is read here, with the deadline and the signals in view, and passed on key by key. So a prompt
//! can always be ended, a paste is one answer, and the terminal is restored whatever ends the prompt.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use console::Term;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::stdio::{dup2_stdin, stdin};
use rustix::termios::{InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

use super::keys::{Key, Keys};
use crate::terminal::signal::{Watch, Woken};

const PASTES_MARKED: &str = "\u{1b}[?2004h";
const PASTES_UNMARKED: &str = "\u{1b}[?2004l";

/// How long the rest of an escape sequence or of a paste may take.
const TOGETHER: Duration = Duration::from_millis(50);
/// How often the terminal is looked at while nothing is typed: another program may have changed its settings.
const LOOK: Duration = Duration::from_millis(250);
/// How long a prompt may take to end after the key that ends it.
const GRACE: Duration = Duration::from_secs(1);

/// What to do with a key.
pub(super) enum Act {
    /// Pass these bytes on to the prompt.
    Pass(Vec<u8>),
    /// End the prompt: this is the answer.
    Answer(String),
    Ignore,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended<T> {
    Answered(T),
    /// The answer was typed past the prompt.
    Typed(String),
    Late,
    /// Ctrl-D, or the terminal is gone.
    Closed,
    Signal(u8),
}

/// Runs a prompt until it is answered, the deadline passes or a signal comes. `leave` is the key that ends it.
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
    if !matches!(ended, Ok(Ended::Answered(_))) && keyboard.to_prompt.write_all(leave).is_ok() {
        let _left = answer.recv_timeout(GRACE);
    }
    ended
}

/// The real terminal in raw mode, and the pseudo-terminal in its place. Dropping it puts everything back.
struct Keyboard {
    terminal: OwnedFd,
    settings: Termios,
    raw: Termios,
    to_prompt: File,
}

impl Keyboard {
    fn take() -> io::Result<Self> {
        let to_prompt = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&to_prompt)?;
        unlockpt(&to_prompt)?;
        let name = ptsname(&to_prompt, Vec::new())?;
        let stand_in = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut plain = tcgetattr(&stand_in)?;
        plain.make_raw();
        tcsetattr(&stand_in, OptionalActions::Now, &plain)?;

        let terminal = rustix::io::fcntl_dupfd_cloexec(stdin(), 3)?;
        let settings = tcgetattr(&terminal)?;
        let mut raw = settings.clone();
        raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        raw.input_modes.remove(InputModes::IXON);
        // A stopped program would leave the terminal raw.
        raw.special_codes[SpecialCodeIndex::VSUSP] = 0;
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        let keyboard = Self { terminal, settings, raw, to_prompt: to_prompt.into() };
        tcsetattr(&keyboard.terminal, OptionalActions::Now, &keyboard.raw)?;
        let _screen = Term::stderr().write_str(PASTES_MARKED);
        dup2_stdin(&stand_in)?;
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
                        self.to_prompt.write_all(&bytes)?;
                        let limit = if key == Key::Enter { GRACE } else { Duration::ZERO };
                        if let Some(answered) = answered(answer, limit)? {
                            return Ok(answered);
                        }
                    }
                    (_, Act::Answer(answer)) => return Ok(Ended::Typed(answer)),
                    (_, Act::Ignore) => {}
                }
            }
            let _changed = tcsetattr(&self.terminal, OptionalActions::Now, &self.raw);
            let look = Instant::now() + LOOK;
            let late = deadline.is_some_and(|deadline| deadline <= Instant::now());
            match watch
                .sleep(Some(self.terminal.as_fd()), Some(deadline.map_or(look, |deadline| deadline.min(look))))?
            {
                _ if late => return Ok(Ended::Late),
                Woken::Readable(_) => {
                    if !self.read(watch, &mut keys)? {
                        let signal = watch.within(super::terminal::HANGUP_SIGNAL);
                        return Ok(signal.map_or(Ended::Closed, Ended::Signal));
                    }
                }
                Woken::Late | Woken::Other => {}
            }
        }
    }

    /// Reads what was typed, and what follows at once where it belongs to it. `false`: the terminal is gone.
    fn read(&self, watch: &Watch, keys: &mut Keys) -> io::Result<bool> {
        loop {
            let mut bytes = [0; 4096];
            let count = match rustix::io::read(&self.terminal, &mut bytes) {
                Ok(0) | Err(rustix::io::Errno::IO) => return Ok(false),
                Ok(count) => count,
                Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => return Ok(true),
                Err(error) => return Err(error.into()),
            };
            let bytes = &bytes[..count];
            keys.reader(bytes);
            let more = keys.is_partial() || bytes.ends_with(b"\n") || bytes.ends_with(b"\r");
            let soon = Some(Instant::now() + TOGETHER);
            if !more || !matches!(watch.sleep(Some(self.terminal.as_fd()), soon)?, Woken::Readable(_)) {
                return Ok(true);
            }
        }
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        let _stdin = dup2_stdin(&self.terminal);
        let _settings = tcsetattr(&self.terminal, OptionalActions::Now, &self.settings);
        let screen = Term::stderr();
        let _screen = screen.write_str(PASTES_UNMARKED).and_then(|()| screen.show_cursor());
    }
}

/// What the prompt came to, if it did within this time.
fn answered<T>(answer: &Receiver<io::Result<T>>, limit: Duration) -> io::Result<Option<Ended<T>>> {
    match answer.recv_timeout(limit) {
        Ok(answer) => answer.map(|answer| Some(Ended::Answered(answer))),
        Err(RecvTimeoutError::Timeout) => Ok(None),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("the prompt failed")),
    }
}

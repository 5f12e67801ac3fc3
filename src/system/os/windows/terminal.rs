//! The terminal, which asks line by line, and what is read as it comes: a console, a pipe, a file. A thread reads it,
//! because nothing here can be waited for together with something else.

#![expect(clippy::disallowed_methods, reason = "access to the terminal")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crossterm_winapi::{Console, Handle, HandleType};

use crate::system::os::Taken;

pub const STANDS_IN: bool = false;

/// Whether the terminal shows more than ASCII: text for a console is handed over as UTF-16.
pub fn is_unicode(_: &str) -> bool {
    true
}

/// How the terminal on standard input is set: a program that ends leaves it as it was.
#[derive(Debug)]
pub struct Settings;

impl Settings {
    pub fn now() -> Self {
        Self
    }

    pub fn restore(self) {}
}

pub fn input() -> io::Result<Stdio> {
    if io::stdin().is_terminal() {
        return Ok(Stdio::inherit());
    }
    File::open("CONIN$").map(Stdio::from).or_else(|_| Ok(Stdio::null()))
}

/// Nothing stands in for the terminal.
pub fn release() -> bool {
    false
}

/// There is nothing that could stand in for the terminal.
#[derive(Debug)]
pub struct StandIn(std::convert::Infallible);

impl StandIn {
    /// Errors: always `Unsupported`.
    pub fn take() -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn terminal(&self) -> &Source {
        match self.0 {}
    }

    pub fn keep_raw(&self) {
        match self.0 {}
    }

    pub fn pass(&mut self, _: &[u8]) -> io::Result<()> {
        match self.0 {}
    }
}

/// How often it is looked for keys.
const STEP: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub struct Source(RefCell<Reading>);

#[derive(Debug)]
struct Reading {
    /// What the thread has read; an empty piece is the end.
    pieces: Receiver<io::Result<Vec<u8>>>,
    ready: VecDeque<u8>,
    ended: Option<Taken>,
    /// None: a pipe or a file, which is read at once.
    console: Option<Line>,
}

/// A console is read line by line, each only when it is waited for: what is typed before stays where it can be thrown
/// away.
#[derive(Debug)]
struct Line {
    wanted: Sender<()>,
    /// Whether one is being read.
    asked: bool,
    /// Whether that one was begun for an earlier question.
    stale: bool,
}

impl Source {
    pub fn stdin() -> Self {
        if !io::stdin().is_terminal() {
            return Self::reading(io::stdin(), None);
        }
        let (wanted, asks) = mpsc::channel();
        let source = Self::reading(io::stdin(), Some(asks));
        source.0.borrow_mut().console = Some(Line { wanted, asked: false, stale: false });
        source
    }

    pub fn own_stdin() -> io::Result<Self> {
        Ok(Self::stdin())
    }

    /// Reads on a thread; with `asks` only when something comes from there.
    fn reading(mut from: impl Read + Send + 'static, asks: Option<Receiver<()>>) -> Self {
        let (sender, pieces) = mpsc::sync_channel(1);
        thread::spawn(move || {
            while asks.as_ref().is_none_or(|asks| asks.recv().is_ok()) {
                let mut bytes = vec![0; 8192];
                let piece = from.read(&mut bytes).map(|count| {
                    bytes.truncate(count);
                    bytes
                });
                let last = !piece.as_ref().is_ok_and(|bytes| !bytes.is_empty());
                if sender.send(piece).is_err() || last {
                    break;
                }
            }
        });
        Self(RefCell::new(Reading { pieces, ready: VecDeque::new(), ended: None, console: None }))
    }

    /// Begins to read a line, where that is not done already: somebody waits for it.
    pub(super) fn want(&self) {
        let mut reading = self.0.borrow_mut();
        let idle = reading.ready.is_empty() && reading.ended.is_none();
        if let Some(line) = reading.console.as_mut().filter(|line| idle && !line.asked) {
            line.asked = line.wanted.send(()).is_ok();
        }
    }

    pub fn read(&self, bytes: &mut [u8]) -> io::Result<Taken> {
        self.want();
        while !self.readable_within(Duration::from_secs(3600)) {}
        let mut reading = self.0.borrow_mut();
        if let (true, Some(ended)) = (reading.ready.is_empty(), reading.ended) {
            return Ok(ended);
        }
        Ok(Taken::Bytes(reading.ready.read(bytes)?))
    }

    /// Throws away what was typed and not asked for.
    pub fn discard(&self) {
        let mut reading = self.0.borrow_mut();
        reading.ready.clear();
        if reading.console.is_none() {
            return;
        }
        while let Ok(piece) = reading.pieces.try_recv() {
            reading.take(piece);
            reading.ready.clear();
        }
        if let Some(line) = &mut reading.console {
            line.stale = line.asked;
        }
        if let Some(console) = console() {
            while console.number_of_console_input_events().is_ok_and(|count| count > 0)
                && console.read_console_input().is_ok()
            {}
        }
    }

    /// Whether there is something to read within this time; at a console that nobody waits for yet, whether keys came.
    pub fn readable_within(&self, limit: Duration) -> bool {
        let mut reading = self.0.borrow_mut();
        if !reading.ready.is_empty() || reading.ended.is_some() {
            return true;
        }
        if reading.console.as_ref().is_some_and(|line| !line.asked) {
            return keys_within(limit);
        }
        match reading.pieces.recv_timeout(limit) {
            Ok(piece) => reading.take(piece),
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => reading.ended = Some(Taken::End),
        }
        if reading.ready.is_empty() && reading.ended.is_none() {
            drop(reading);
            self.want();
            return false;
        }
        true
    }
}

impl Reading {
    /// Takes what the thread has read; a line that was begun for an earlier question answers none.
    fn take(&mut self, piece: io::Result<Vec<u8>>) {
        let stale = self.console.as_mut().is_some_and(|line| {
            line.asked = false;
            std::mem::take(&mut line.stale)
        });
        match piece {
            Ok(piece) if piece.is_empty() => self.ended = Some(Taken::End),
            Ok(_) if stale => {}
            Ok(piece) => self.ready.extend(piece),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.ended = Some(Taken::End),
            Err(_) => self.ended = Some(Taken::Gone),
        }
    }
}

/// The console that a person types at.
fn console() -> Option<Console> {
    Handle::new(HandleType::CurrentInputHandle).ok().map(Console::from)
}

fn keys_within(limit: Duration) -> bool {
    let until = Instant::now() + limit;
    let Some(console) = console() else { return false };
    loop {
        if console.number_of_console_input_events().is_ok_and(|count| count > 0) {
            return true;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        thread::sleep(left.min(STEP));
    }
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self::reading(file, None)
    }
}

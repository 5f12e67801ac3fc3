//! What is read as it comes: a pipe, a file. A thread reads it, because nothing here can be waited for together with
//! something else.

#![expect(clippy::disallowed_methods, reason = "standard input")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

#[derive(Debug)]
pub struct Source(RefCell<Reading>);

#[derive(Debug)]
struct Reading {
    /// What the thread has read; an empty piece is the end.
    pieces: Receiver<io::Result<Vec<u8>>>,
    ready: VecDeque<u8>,
    ended: Option<Taken>,
}

/// What one reading gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// So many bytes; none where it was cut short.
    Bytes(usize),
    End,
    /// The line is lost.
    Gone,
}

impl Source {
    pub fn stdin() -> Self {
        Self::reading(io::stdin())
    }

    /// What is standard input now.
    pub fn own_stdin() -> io::Result<Self> {
        Ok(Self::stdin())
    }

    fn reading(mut from: impl Read + Send + 'static) -> Self {
        let (sender, pieces) = mpsc::sync_channel(1);
        thread::spawn(move || {
            loop {
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
        Self(RefCell::new(Reading { pieces, ready: VecDeque::new(), ended: None }))
    }

    /// Reads what is there; waits where nothing is.
    pub fn read(&self, bytes: &mut [u8]) -> io::Result<Taken> {
        while !self.readable_within(Duration::from_secs(3600)) {}
        let mut reading = self.0.borrow_mut();
        if let (true, Some(ended)) = (reading.ready.is_empty(), reading.ended) {
            return Ok(ended);
        }
        Ok(Taken::Bytes(reading.ready.read(bytes)?))
    }

    /// Throws away what was read and not asked for.
    pub fn discard(&self) {
        self.0.borrow_mut().ready.clear();
    }

    /// Whether there is something to read within this time.
    pub fn readable_within(&self, limit: Duration) -> bool {
        let mut reading = self.0.borrow_mut();
        if !reading.ready.is_empty() || reading.ended.is_some() {
            return true;
        }
        match reading.pieces.recv_timeout(limit) {
            Ok(Ok(piece)) if piece.is_empty() => reading.ended = Some(Taken::End),
            Ok(Ok(piece)) => reading.ready.extend(piece),
            Ok(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => reading.ended = Some(Taken::End),
            Ok(Err(_)) => reading.ended = Some(Taken::Gone),
            Err(RecvTimeoutError::Timeout) => return false,
            Err(RecvTimeoutError::Disconnected) => reading.ended = Some(Taken::End),
        }
        true
    }
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self::reading(file)
    }
}

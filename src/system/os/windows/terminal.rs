//! The terminal. Nobody is asked at it yet: what was typed before a question could not be told from its answer.

#![expect(clippy::disallowed_methods, reason = "access to the terminal")]

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::process::Stdio;

use super::source::Source;

/// Whether a person at the terminal can be asked.
pub const ASKS: bool = false;

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

/// The terminal for a program that a person uses, even where standard input is something else.
pub fn input() -> io::Result<Stdio> {
    if io::stdin().is_terminal() {
        return Ok(Stdio::inherit());
    }
    File::open("CONIN$").map(Stdio::from).or_else(|_| Ok(Stdio::null()))
}

/// There is nothing that could stand in for the terminal.
#[derive(Debug)]
pub struct StandIn(Infallible);

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

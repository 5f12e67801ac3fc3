//! The terminal, which asks line by line.

#![expect(clippy::disallowed_methods, reason = "access to the terminal")]

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::process::Stdio;

use super::source::Source;

/// Whether something can stand in for the terminal, so that menus can be shown.
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

/// The terminal for a program that a person uses, even where standard input is something else.
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

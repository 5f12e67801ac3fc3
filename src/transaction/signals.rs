//! Signals that arrive while something is being written are noted, and acted upon where it is safe.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::error::{Code, Coded, Error, Exit, Result};
use crate::system::os::process::outlive_file_limit;
use crate::terminal::signal::Watch;

/// While a value of this lives, SIGINT, SIGTERM and SIGHUP do not end the process; they are noted.
///
/// Guards may be nested: the inner ones see what the outermost has noted. When the last one is dropped, the signals
/// have their usual effect again.
#[derive(Debug)]
pub struct Signals(Arc<Watch>);

static HELD: Mutex<Weak<Watch>> = Mutex::new(Weak::new());

impl Signals {
    /// Holds the signals back from here on.
    /// Errors: `E-TXN-003` if the handlers cannot be set up.
    pub fn hold() -> Result<Self> {
        outlive_file_limit();
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watch) = held.upgrade() {
            return Ok(Self(watch));
        }
        let watch = Arc::new(Watch::open().coded(Code::WriteFailed, "cannot prepare for signals")?);
        *held = Arc::downgrade(&watch);
        Ok(Self(watch))
    }

    /// The signal that arrived, if one did: 2, 15 or 1.
    pub fn noted(&self) -> Option<u8> {
        self.0.received()
    }

    /// The error to end with if a signal arrived.
    /// Errors: `E-SIGNAL-001` with the exit 128 + n.
    pub fn check(&self) -> Result<()> {
        match self.noted() {
            Some(signal) => Err(interrupted(signal)),
            None => Ok(()),
        }
    }
}

/// The error of a command that a signal ended before anything was committed.
pub fn interrupted(signal: u8) -> Error {
    let name = match signal {
        2 => "SIGINT",
        15 => "SIGTERM",
        1 => "SIGHUP",
        _ => "a signal",
    };
    Error::new(Code::Interrupted, format!("interrupted by {name}; nothing was changed")).exit(Exit::Signal(signal))
}

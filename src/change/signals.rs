//! Signals that arrive while something is being written are noted, and acted upon where it is safe.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::error::{Code, Coded, Error, Exit, Result};

/// SIGXFSZ: a file grew beyond the limit of `ulimit -f`. Caught, so that the write fails with EFBIG instead.
const FILE_SIZE: i32 = signal_hook::consts::SIGXFSZ;

/// While a value of this lives, SIGINT, SIGTERM and SIGHUP do not end the process; they are noted.
///
/// Guards may be nested. When the last one is dropped, the signals have their usual effect again.
#[derive(Debug)]
pub struct Signals(Arc<State>);

#[derive(Debug)]
struct State {
    /// Nobody holds the signals: they end the process.
    idle: Arc<AtomicBool>,
    /// The first signal since the outermost guard was made; 0 for none.
    noted: Arc<AtomicUsize>,
    holders: Mutex<usize>,
}

static STATE: OnceLock<Arc<State>> = OnceLock::new();

/// From here on, a file that grows beyond the limit fails to be written instead of ending the process.
pub(super) fn outlive_file_limit() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        // Without the handler the signal ends the process, and the next command recovers.
        let _ = flag::register(FILE_SIZE, Arc::new(AtomicBool::new(false)));
    });
}

impl Signals {
    /// Holds the signals back from here on.
    ///
    /// # Errors
    /// `E-TXN-003` if the handlers cannot be set up.
    pub fn hold() -> Result<Self> {
        let state = match STATE.get() {
            Some(state) => state,
            None => {
                let state = State::install().coded(Code::WriteFailed, "cannot prepare for signals")?;
                STATE.get_or_init(|| Arc::new(state))
            }
        };
        let mut holders = state.holders.lock().unwrap_or_else(PoisonError::into_inner);
        if *holders == 0 {
            state.noted.store(0, Ordering::SeqCst);
        }
        *holders += 1;
        state.idle.store(false, Ordering::SeqCst);
        drop(holders);
        Ok(Self(Arc::clone(state)))
    }

    /// The signal that arrived, if one did: 2, 15 or 1.
    #[must_use]
    pub fn noted(&self) -> Option<u8> {
        u8::try_from(self.0.noted.load(Ordering::SeqCst)).ok().filter(|signal| *signal != 0)
    }

    /// The error to end with if a signal arrived.
    ///
    /// # Errors
    /// `E-SIGNAL-001` with the exit 128 + n.
    pub fn check(&self) -> Result<()> {
        match self.noted() {
            Some(signal) => Err(interrupted(signal)),
            None => Ok(()),
        }
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        let mut holders = self.0.holders.lock().unwrap_or_else(PoisonError::into_inner);
        *holders = holders.saturating_sub(1);
        if *holders == 0 {
            self.0.idle.store(true, Ordering::SeqCst);
        }
    }
}

impl State {
    fn install() -> std::io::Result<Self> {
        let idle = Arc::new(AtomicBool::new(false));
        let noted = Arc::new(AtomicUsize::new(0));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            flag::register_conditional_default(signal, Arc::clone(&idle))?;
            flag::register_usize(signal, Arc::clone(&noted), usize::try_from(signal).unwrap_or(0))?;
        }
        Ok(Self { idle, noted, holders: Mutex::new(0) })
    }
}

/// The error of a command that a signal ended before anything was committed.
#[must_use]
pub fn interrupted(signal: u8) -> Error {
    let name = match i32::from(signal) {
        SIGINT => "SIGINT",
        SIGTERM => "SIGTERM",
        SIGHUP => "SIGHUP",
        _ => "a signal",
    };
    Error::new(Code::Interrupted, format!("interrupted by {name}; nothing was changed")).exit(Exit::Signal(signal))
}

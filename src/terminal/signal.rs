//! Catches signals while something waits, and leaves the default action in place at other times.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::error::{Code, Coded, Error, Exit, Result};
pub(crate) use crate::system::os::Woken;
use crate::system::os::process::{Bell, Hooks, notice};
use crate::system::os::terminal::Source;

/// While one of these exists, SIGINT, SIGTERM and SIGHUP do not end the process but are recorded.
///
/// Several may be open at once, each notices every signal. When the last one is dropped the default action
/// applies again. A signal handler, once set, cannot be removed without unsafe code, so from the first watch
/// on the default action is carried out by the handler itself.
#[derive(Debug)]
pub struct Watch {
    last: Arc<AtomicUsize>,
    /// Wakes who sleeps; most watches are only asked what came.
    bell: OnceLock<Bell>,
    _hooks: Hooks,
    open: bool,
}

/// The longest single sleep; longer ones are made of several.
const LONGEST_SLEEP: Duration = Duration::from_secs(3600);

/// The number of open watches, and the switch that enables the default action.
struct Gate {
    open: usize,
    default: Option<Arc<AtomicBool>>,
}

static GATE: Mutex<Gate> = Mutex::new(Gate { open: 0, default: None });

/// Whether a signal arrived while a watch was open.
static ARRIVED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Whether a signal arrived while any watch was open. For long-running code without a watch of its own.
pub fn arrived() -> bool {
    ARRIVED.get().is_some_and(|arrived| arrived.load(Ordering::SeqCst))
}

impl Watch {
    /// Starts watching.
    /// Errors: when the operating system refuses the handlers or the wake-up channel.
    pub fn open() -> io::Result<Self> {
        let mut gate = GATE.lock().unwrap_or_else(PoisonError::into_inner);
        let arrived = ARRIVED.get_or_init(Arc::default);
        let default = match &gate.default {
            Some(default) => Arc::clone(default),
            None => {
                // Registered before every other action, so a signal outside any watch ends the process first.
                let default = Arc::new(AtomicBool::new(true));
                notice(&default, arrived)?;
                gate.default = Some(Arc::clone(&default));
                default
            }
        };
        let last = Arc::new(AtomicUsize::new(0));
        let hooks = Hooks::number(&last)?;
        let mut watch = Self { bell: OnceLock::new(), last, _hooks: hooks, open: false };
        gate.open += 1;
        watch.open = true;
        default.store(false, Ordering::SeqCst);
        Ok(watch)
    }

    /// The number of the last signal since this watch was opened: 2, 15 or 1.
    pub fn received(&self) -> Option<u8> {
        u8::try_from(self.last.load(Ordering::SeqCst)).ok().filter(|number| *number != 0)
    }

    /// Waits for a signal, at most this long, and returns its number.
    pub fn within(&self, limit: Duration) -> Option<u8> {
        let until = Instant::now().checked_add(limit);
        while self.received().is_none() && self.sleep(None, until).is_ok_and(|woken| woken != Woken::Late) {}
        self.received()
    }

    /// Stops watching, and returns a signal that arrived until now; a later one has its default action.
    pub fn close(mut self) -> Option<u8> {
        self.release();
        self.received()
    }

    /// Sleeps until `other` is readable, a signal arrives, or the time `until`. May wake spuriously.
    pub(crate) fn sleep(&self, other: Option<&Source>, until: Option<Instant>) -> io::Result<Woken> {
        let left = until.map_or(LONGEST_SLEEP, |until| until.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Ok(Woken::Late);
        }
        let bell = match self.bell.get() {
            Some(bell) => bell,
            None => {
                let bell = Bell::hang(&self.last)?;
                // A signal that came before the bell was there woke nobody.
                if self.received().is_some() {
                    return Ok(Woken::Other);
                }
                self.bell.get_or_init(|| bell)
            }
        };
        bell.sleep(other, left.min(LONGEST_SLEEP))
    }

    fn release(&mut self) {
        if !std::mem::take(&mut self.open) {
            return;
        }
        let mut gate = GATE.lock().unwrap_or_else(PoisonError::into_inner);
        gate.open = gate.open.saturating_sub(1);
        if let (0, Some(default)) = (gate.open, &gate.default) {
            default.store(true, Ordering::SeqCst);
            if let Some(arrived) = ARRIVED.get() {
                arrived.store(false, Ordering::SeqCst);
            }
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.release();
    }
}

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
        crate::system::os::process::outlive_file_limit();
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    // Signals affect the whole process, so the tests that send some run in a separate process.

    #[test]
    fn without_a_signal_the_wait_ends_with_its_limit() {
        let (watch, begun) = (Watch::open().unwrap(), Instant::now());
        assert_eq!(watch.within(Duration::from_millis(30)), None);
        assert!(begun.elapsed() >= Duration::from_millis(30));
        assert_eq!(watch.close(), None);
    }

    #[test]
    fn a_sleep_ends_when_there_is_something_to_read() {
        let (mut to, from) = UnixStream::pair().unwrap();
        let watch = Watch::open().unwrap();
        let until = Some(Instant::now() + Duration::from_secs(30));
        to.write_all(b"x").unwrap();
        let from = Source::from(OwnedFd::from(from));
        assert_eq!(watch.sleep(Some(&from), until).unwrap(), Woken::Readable { hangup: false });
        assert_eq!(watch.sleep(Some(&from), Some(Instant::now())).unwrap(), Woken::Late);
    }
}

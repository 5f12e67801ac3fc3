//! Ctrl-C, and sleeping until it comes.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::source::Source;

/// The signals, and the numbers they are reported with: SIGINT is Ctrl-C. Ctrl-Break and a console that is closed end
/// the process at once, and the next command recovers.
pub const ENDING: [(i32, u8); 2] = [(SIGINT, 2), (SIGTERM, 15)];

/// How often it is looked for a signal.
const STEP: Duration = Duration::from_millis(20);

/// Why a sleep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Woken {
    /// The other end has something to read, or has come to its end; `hangup`: because its line was lost.
    Readable {
        hangup: bool,
    },
    /// A signal, perhaps, or nothing at all.
    Other,
    Late,
}

/// Wakes a sleeper when a signal comes.
#[derive(Debug)]
pub struct Bell(Arc<AtomicUsize>);

impl Bell {
    /// Rings when this is not 0.
    pub fn hang(last: &Arc<AtomicUsize>) -> io::Result<Self> {
        Ok(Self(Arc::clone(last)))
    }

    /// Sleeps until `other` has something to read, a signal comes, or the time is over.
    pub fn sleep(&self, other: Option<&Source>, limit: Duration) -> io::Result<Woken> {
        let until = Instant::now() + limit;
        loop {
            let left = until.saturating_duration_since(Instant::now()).min(STEP);
            match other {
                Some(other) if other.readable_within(left) => return Ok(Woken::Readable { hangup: false }),
                Some(_) => {}
                None => thread::sleep(left),
            }
            if left.is_zero() || self.0.load(Ordering::SeqCst) != 0 {
                return Ok(Woken::Other);
            }
        }
    }
}

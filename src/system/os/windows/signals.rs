//! Ctrl-C, and sleeping until it comes.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use super::source::Source;
use crate::system::os::Woken;

/// The number Ctrl-C is reported with, and how Windows says that it ended a process.
const INTERRUPT: usize = 2;
const ENDED_BY_IT: u32 = 0xC000_013A;

/// Where it is put that Ctrl-C came.
static NUMBERS: Mutex<Vec<Weak<AtomicUsize>>> = Mutex::new(Vec::new());

/// From here on Ctrl-C, Ctrl-Break and a console that is closed end the process while `default` is set, and else set
/// `arrived`.
pub fn notice(default: &Arc<AtomicBool>, arrived: &Arc<AtomicBool>) -> io::Result<()> {
    let (default, arrived) = (Arc::clone(default), Arc::clone(arrived));
    let came = move || {
        if default.load(Ordering::SeqCst) {
            std::process::exit(ENDED_BY_IT.cast_signed());
        }
        arrived.store(true, Ordering::SeqCst);
        let numbers = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.iter().filter_map(Weak::upgrade).for_each(|last| last.store(INTERRUPT, Ordering::SeqCst));
    };
    ctrlc::set_handler(came).map_err(io::Error::other)
}

/// What is done when Ctrl-C comes, until this is dropped.
#[derive(Debug)]
pub struct Hooks;

impl Hooks {
    /// Puts its number into `last`, as long as that is there.
    pub fn number(last: &Arc<AtomicUsize>) -> io::Result<Self> {
        let mut numbers = NUMBERS.lock().unwrap_or_else(PoisonError::into_inner);
        numbers.retain(|one| one.strong_count() > 0);
        numbers.push(Arc::downgrade(last));
        Ok(Self)
    }
}

/// How often it is looked for a signal.
const STEP: Duration = Duration::from_millis(20);

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
        if let Some(other) = other {
            other.want();
        }
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

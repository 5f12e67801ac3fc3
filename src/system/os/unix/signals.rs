//! Signals that end a program, and sleeping until one comes.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::source::Source;
use crate::system::os::Woken;

/// The signals, and the numbers they are reported with.
const ENDING: [(i32, u8); 3] = [(SIGINT, 2), (SIGTERM, 15), (SIGHUP, 1)];

/// From here on a signal ends the process while `default` is set, and else sets `arrived`.
pub fn notice(default: &Arc<AtomicBool>, arrived: &Arc<AtomicBool>) -> io::Result<()> {
    for (signal, _) in ENDING {
        signal_hook::flag::register_conditional_default(signal, Arc::clone(default))?;
        signal_hook::flag::register(signal, Arc::clone(arrived))?;
    }
    Ok(())
}

/// What is done when a signal comes, until this is dropped.
#[derive(Debug, Default)]
pub struct Hooks(Vec<SigId>);

impl Hooks {
    /// Puts the number of each signal that comes into `last`.
    pub fn number(last: &Arc<AtomicUsize>) -> io::Result<Self> {
        let mut hooks = Self::default();
        for (signal, number) in ENDING {
            hooks.0.push(signal_hook::flag::register_usize(signal, Arc::clone(last), number.into())?);
        }
        Ok(hooks)
    }
}

impl Drop for Hooks {
    fn drop(&mut self) {
        for hook in self.0.drain(..) {
            signal_hook::low_level::unregister(hook);
        }
    }
}

/// Wakes a sleeper when a signal comes.
#[derive(Debug)]
pub struct Bell {
    wake: UnixStream,
    _hooks: Hooks,
}

impl Bell {
    /// Errors: when the operating system refuses the handlers or the socket pair that carries the wake-up.
    pub fn hang(_: &Arc<AtomicUsize>) -> io::Result<Self> {
        let (wake, rope) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let mut hooks = Hooks::default();
        for (signal, _) in ENDING {
            hooks.0.push(signal_hook::low_level::pipe::register(signal, rope.try_clone()?)?);
        }
        Ok(Self { wake, _hooks: hooks })
    }

    /// Sleeps until `other` has something to read, a signal comes, or the time is over.
    pub fn sleep(&self, other: Option<&Source>, limit: Duration) -> io::Result<Woken> {
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        let bell = PollFd::from_borrowed_fd(self.wake.as_fd(), PollFlags::IN);
        let flags = match other {
            Some(other) => {
                let mut both = [bell, PollFd::from_borrowed_fd(other.fd(), PollFlags::IN)];
                unless_interrupted(poll(&mut both, Some(&limit)))?;
                both[1].revents()
            }
            None => {
                unless_interrupted(poll(&mut [bell], Some(&limit)))?;
                PollFlags::empty()
            }
        };
        self.silence();
        let hangup = flags.intersects(PollFlags::HUP | PollFlags::ERR);
        Ok(if flags.is_empty() { Woken::Other } else { Woken::Readable { hangup } })
    }

    /// Takes the wake-ups that have been noticed out of the pipe.
    fn silence(&self) {
        let mut bytes = [0; 64];
        while matches!((&self.wake).read(&mut bytes), Ok(1..)) {}
    }
}

/// A sleep that a signal cut short is no failure.
fn unless_interrupted(polled: rustix::io::Result<usize>) -> io::Result<()> {
    match polled {
        Ok(_) | Err(Errno::INTR | Errno::AGAIN) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

//! Signals that end a program, and sleeping until one comes.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::source::Source;

/// The signals, and the numbers they are reported with.
pub const ENDING: [(i32, u8); 3] = [(SIGINT, 2), (SIGTERM, 15), (SIGHUP, 1)];

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
pub struct Bell {
    wake: UnixStream,
    hooks: Vec<SigId>,
}

impl Bell {
    /// Errors: when the operating system refuses the handlers or the socket pair that carries the wake-up.
    pub fn hang(_: &Arc<AtomicUsize>) -> io::Result<Self> {
        let (wake, rope) = UnixStream::pair()?;
        wake.set_nonblocking(true)?;
        let mut bell = Self { wake, hooks: Vec::new() };
        for (signal, _) in ENDING {
            bell.hooks.push(signal_hook::low_level::pipe::register(signal, rope.try_clone()?)?);
        }
        Ok(bell)
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

impl Drop for Bell {
    fn drop(&mut self) {
        for hook in self.hooks.drain(..) {
            signal_hook::low_level::unregister(hook);
        }
    }
}

/// A sleep that a signal cut short is no failure.
fn unless_interrupted(polled: rustix::io::Result<usize>) -> io::Result<()> {
    match polled {
        Ok(_) | Err(Errno::INTR | Errno::AGAIN) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

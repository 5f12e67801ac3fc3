//! Programs that are started, this one, and the signals that end it.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Once};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

use crate::system::os::Woken;

/// A program that is started, with everything it starts.
#[derive(Debug, Clone, Copy)]
pub struct Group(Pid);

impl Group {
    /// Has a program lead a group of its own.
    pub fn lead(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    /// The group of a program that leads one.
    pub fn of(child: &Child) -> Self {
        Self(Pid::from_child(child))
    }

    /// Asks all of it to end.
    pub fn ask(self) {
        let _asked = kill_process_group(self.0, Signal::TERM);
    }

    /// Ends what is left of it.
    pub fn kill(self) {
        let _gone = kill_process_group(self.0, Signal::KILL);
    }
}

/// Asks one program to end.
pub fn ask(child: &mut Child) {
    let _asked = kill_process(Pid::from_child(child), Signal::TERM);
}

/// The signal a program died of.
pub fn end_signal(status: ExitStatus) -> Option<u8> {
    status.signal().and_then(|signal| u8::try_from(signal).ok())
}

/// Whether there is certainly no process of this id.
pub fn is_gone(id: i32) -> bool {
    Pid::from_raw(id).is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

/// Ends this process at once, as a power cut would. Does not return, unless the system refuses.
#[cfg(debug_assertions)]
pub fn die() -> io::Result<()> {
    Ok(kill_process(rustix::process::getpid(), Signal::KILL)?)
}

/// From here on, a file that grows beyond `ulimit -f` fails with EFBIG instead of ending the process.
pub fn outlive_file_limit() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // Without the handler the signal ends the process, and the next command recovers.
        let _unchanged = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    });
}

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
pub struct Hooks(Vec<signal_hook::SigId>);

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
    pub fn sleep(&self, other: Option<&super::terminal::Source>, limit: std::time::Duration) -> io::Result<Woken> {
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

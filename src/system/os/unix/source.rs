//! What is read as it comes: the terminal, a pipe, a file.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};

use crate::system::os::Taken;

/// Standard input, whatever stands in for it at the moment, or a descriptor of its own.
#[derive(Debug)]
pub struct Source(Option<OwnedFd>);

impl Source {
    pub fn stdin() -> Self {
        Self(None)
    }

    /// What is standard input now.
    pub fn own_stdin() -> io::Result<Self> {
        Ok(Self(Some(rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?)))
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Some(own) => own.as_fd(),
            None => rustix::stdio::stdin(),
        }
    }

    /// Reads what is there; waits where nothing is.
    pub fn read(&self, bytes: &mut [u8]) -> io::Result<Taken> {
        match rustix::io::read(self.fd(), bytes) {
            Ok(0) => Ok(Taken::End),
            Ok(count) => Ok(Taken::Bytes(count)),
            Err(Errno::INTR | Errno::AGAIN) => Ok(Taken::Bytes(0)),
            Err(Errno::IO | Errno::BADF | Errno::NXIO) => Ok(Taken::Gone),
            Err(error) => Err(error.into()),
        }
    }

    /// Throws away what was typed and not read.
    pub fn discard(&self) {
        let _no_terminal = tcflush(self.fd(), QueueSelector::IFlush);
    }

    /// Whether there is something to read within this time.
    pub fn readable_within(&self, limit: Duration) -> bool {
        let Ok(limit) = Timespec::try_from(limit) else { return false };
        let mut input = [PollFd::from_borrowed_fd(self.fd(), PollFlags::IN)];
        poll(&mut input, Some(&limit)).is_ok() && input[0].revents() == PollFlags::IN
    }
}

impl From<OwnedFd> for Source {
    fn from(fd: OwnedFd) -> Self {
        Self(Some(fd))
    }
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self(Some(file.into()))
    }
}

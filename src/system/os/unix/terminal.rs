//! The terminal: its settings, what stands in for it, and what is read as it comes, also from a pipe or a file.

#![expect(clippy::disallowed_methods, reason = "access to the terminal")]

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::Stdio;
use std::sync::Mutex;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::stdio::{dup2_stdin, stdin};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};

use crate::system::os::Taken;

/// Whether something can stand in for the terminal, so that menus can be shown.
pub const STANDS_IN: bool = true;

/// Whether the terminal shows more than ASCII, by the locale.
pub fn is_unicode(locale: &str) -> bool {
    locale.to_ascii_lowercase().replace('-', "").contains("utf8")
}

/// How the terminal on standard input is set.
#[derive(Debug)]
pub struct Settings(Option<Termios>);

impl Settings {
    pub fn now() -> Self {
        Self(tcgetattr(stdin()).ok())
    }

    /// Sets it so again.
    pub fn restore(self) {
        if let Some(settings) = self.0 {
            let _gone = tcsetattr(stdin(), OptionalActions::Now, &settings);
        }
    }
}

/// The terminal for a program that a person uses, even where standard input is something else. Without one it is empty: a
/// pipe, because a root directory that holds only the program has no `/dev/null`.
pub fn input() -> io::Result<Stdio> {
    if io::stdin().is_terminal() {
        return Ok(Stdio::inherit());
    }
    File::open("/dev/tty").map(Stdio::from).or_else(|_| io::pipe().map(|(end, _)| end.into()))
}

/// The settings from before the terminal was made raw.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// Restores the terminal where the program ends without dropping its [`StandIn`]. `false`: nothing stood in for it.
pub fn release() -> bool {
    let Some(settings) = BEFORE.try_lock().ok().and_then(|mut before| before.take()) else { return false };
    File::open("/dev/tty").is_ok_and(|terminal| tcsetattr(terminal, OptionalActions::Now, &settings).is_ok())
}

/// The real terminal in raw mode, and a pseudo-terminal in its place as standard input. Dropping it puts both back.
#[derive(Debug)]
pub struct StandIn {
    terminal: Source,
    settings: Termios,
    raw: Termios,
    to_prompt: File,
}

impl StandIn {
    /// Errors: when there is no terminal or no pseudo-terminal.
    pub fn take() -> io::Result<Self> {
        let to_prompt = pseudo_terminal()?;
        grantpt(&to_prompt)?;
        unlockpt(&to_prompt)?;
        let name = ptsname(&to_prompt, Vec::new())?;
        let stand_in = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut plain = tcgetattr(&stand_in)?;
        plain.make_raw();
        tcsetattr(&stand_in, OptionalActions::Now, &plain)?;

        let terminal = Source::own_stdin()?;
        let settings = tcgetattr(terminal.fd())?;
        let mut raw = settings.clone();
        raw.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::IEXTEN);
        raw.input_modes.remove(InputModes::IXON);
        // A stopped program would leave the terminal raw.
        raw.special_codes[SpecialCodeIndex::VSUSP] = 0;
        raw.special_codes[SpecialCodeIndex::VMIN] = 1;
        raw.special_codes[SpecialCodeIndex::VTIME] = 0;
        if let Ok(mut before) = BEFORE.lock() {
            *before = Some(settings.clone());
        }
        let taken = Self { terminal, settings, raw, to_prompt };
        tcsetattr(taken.terminal.fd(), OptionalActions::Now, &taken.raw)?;
        dup2_stdin(&stand_in)?;
        Ok(taken)
    }

    pub fn terminal(&self) -> &Source {
        &self.terminal
    }

    /// Makes the terminal raw again: another program may have changed its settings.
    pub fn keep_raw(&self) {
        let _changed = tcsetattr(self.terminal.fd(), OptionalActions::Now, &self.raw);
    }

    /// Has whoever reads standard input read this.
    pub fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to_prompt.write_all(bytes)
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        let _stdin = dup2_stdin(self.terminal.fd());
        let _settings = tcsetattr(self.terminal.fd(), OptionalActions::Now, &self.settings);
        if let Ok(mut before) = BEFORE.lock() {
            *before = None;
        }
    }
}

/// A pseudo-terminal that programs started later do not get.
fn pseudo_terminal() -> io::Result<File> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    #[cfg(target_os = "linux")]
    let flags = flags | OpenptFlags::CLOEXEC;
    let pseudo = openpt(flags)?;
    #[cfg(not(target_os = "linux"))]
    rustix::io::fcntl_setfd(&pseudo, rustix::io::FdFlags::CLOEXEC)?;
    Ok(pseudo.into())
}

/// Standard input, whatever stands in for it at the moment, or a descriptor of its own.
#[derive(Debug)]
pub struct Source(Option<OwnedFd>);

impl Source {
    pub fn stdin() -> Self {
        Self(None)
    }

    /// What is standard input now.
    pub fn own_stdin() -> io::Result<Self> {
        Ok(Self(Some(rustix::io::fcntl_dupfd_cloexec(stdin(), 3)?)))
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        match &self.0 {
            Some(own) => own.as_fd(),
            None => stdin(),
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
    pub fn readable_within(&self, limit: std::time::Duration) -> bool {
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

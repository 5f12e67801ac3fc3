//! Programs that are started, this one, and the signals that end it.

#![expect(clippy::disallowed_methods, reason = "access to taskkill")]

use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use std::{io, thread};

use crate::system::os::Woken;

#[derive(Debug, Clone, Copy)]
pub struct Group(u32);

impl Group {
    pub fn lead(command: &mut Command) -> &mut Command {
        command
    }

    pub fn of(child: &Child) -> Self {
        Self(child.id())
    }

    /// Programs without a window cannot be asked to end.
    pub fn ask(self) {}

    /// Ends the program and what it started, as far as that can be told: Windows knows who started whom as long as both
    /// run.
    pub fn kill(self) {
        let Some(system) = std::env::var_os("SystemRoot") else { return };
        let program = std::path::Path::new(&system).join("System32").join("taskkill.exe");
        let mut taskkill = Command::new(program);
        taskkill.args(["/T", "/F", "/PID"]).arg(self.0.to_string());
        let _gone = taskkill.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Ends one program: there is no way to ask.
pub fn ask(child: &mut Child) {
    let _gone = child.kill();
}

/// No program dies of a signal.
pub fn end_signal(_: ExitStatus) -> Option<u8> {
    None
}

/// Whether there is certainly no process of this id: that is not known.
pub fn is_gone(_: i32) -> bool {
    false
}

/// Ends this process at once, as a power cut would.
#[cfg(debug_assertions)]
pub fn die() -> io::Result<()> {
    std::process::abort()
}

/// There is no limit to the size of a file.
pub fn outlive_file_limit() {}

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

#[derive(Debug)]
pub struct Bell(Arc<AtomicUsize>);

impl Bell {
    /// Rings when this is not 0.
    pub fn hang(last: &Arc<AtomicUsize>) -> io::Result<Self> {
        Ok(Self(Arc::clone(last)))
    }

    pub fn sleep(&self, other: Option<&super::terminal::Source>, limit: Duration) -> io::Result<Woken> {
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

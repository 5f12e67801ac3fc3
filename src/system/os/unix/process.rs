//! Programs that are started, and this one.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};

use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process};
use signal_hook::consts::SIGXFSZ;

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
    Pid::from_raw(id).is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

/// Ends this process at once, as a power cut would. Does not return, unless the system refuses.
#[cfg(debug_assertions)]
pub fn die() -> std::io::Result<()> {
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

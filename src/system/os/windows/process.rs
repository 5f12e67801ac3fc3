//! Programs that are started, and this one.

#![expect(clippy::disallowed_methods, reason = "access to taskkill")]

use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A program that is started, with everything it starts.
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

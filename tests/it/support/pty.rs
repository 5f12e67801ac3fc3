//! A pseudo-terminal with the program or one of the examples running on it as the leader of its own session.

use super::example::example;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Termios, Winsize, tcgetattr, tcsetwinsize};

/// After this long something hangs.
const HANG: Duration = Duration::from_secs(60);

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With this exit.
    Exit(i32),
    /// By this signal.
    Signal(i32),
}

/// The terminal, its settings as they were at first, and what is running on it.
pub(crate) struct Pty {
    person: Option<OwnedFd>,
    screen: File,
    before: Termios,
    child: Option<Child>,
    seen: Vec<u8>,
    looked_at: usize,
}

impl Pty {
    /// A terminal of 24 rows and 80 columns on which nothing runs.
    pub(crate) fn new() -> Self {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
        #[cfg(target_os = "linux")]
        let flags = flags | OpenptFlags::CLOEXEC;
        let person = openpt(flags).unwrap();
        #[cfg(not(target_os = "linux"))]
        rustix::io::fcntl_setfd(&person, rustix::io::FdFlags::CLOEXEC).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let path = PathBuf::from(std::ffi::OsString::from_vec(ptsname(&person, Vec::new()).unwrap().into_bytes()));
        let mut open = OpenOptions::new();
        let screen = std::os::unix::fs::OpenOptionsExt::custom_flags(
            open.read(true).write(true),
            i32::try_from(OFlags::NOCTTY.bits()).unwrap(),
        )
        .open(path)
        .unwrap();
        let before = tcgetattr(&screen).unwrap();
        let pty = Self { person: Some(person), screen, before, child: None, seen: Vec::new(), looked_at: 0 };
        pty.resize(24, 80);
        pty
    }

    /// Starts an example with its arguments; the terminal becomes its controlling one.
    pub(crate) fn run(&mut self, command: &[&str]) {
        let example = example(command[0]);
        let mut setsid = Command::new("setsid");
        setsid.args(["--ctty", "--wait"]).arg(example).args(&command[1..]);
        setsid.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        self.start(setsid);
    }

    /// Starts the program itself in this directory, with nothing in its environment but a home, the system's
    /// programs and these variables.
    pub(crate) fn hefesto(&mut self, directory: &Path, arguments: &[&str], variables: &[(&str, &str)]) {
        let mut setsid = Command::new("setsid");
        setsid.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_hefesto")]).args(arguments);
        setsid.current_dir(directory).env_clear();
        setsid.env("HOME", directory.join("home")).env("PATH", "/usr/bin:/bin");
        setsid.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").envs(variables.iter().copied());
        self.start(setsid);
    }

    /// Starts a line of the shell in this directory, where `$HEFESTO` is the program.
    pub(crate) fn shell(&mut self, directory: &Path, line: &str) {
        let mut setsid = Command::new("setsid");
        setsid.args(["--ctty", "--wait", "sh", "-c", line]).current_dir(directory).env_clear();
        setsid.env("HOME", directory.join("home")).env("PATH", "/usr/bin:/bin");
        setsid.env("HEFESTO", env!("CARGO_BIN_EXE_hefesto")).env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        self.start(setsid);
    }

    fn start(&mut self, mut setsid: Command) {
        setsid.stdin(self.screen.try_clone().unwrap());
        setsid.stdout(self.screen.try_clone().unwrap());
        setsid.stderr(self.screen.try_clone().unwrap());
        self.child = Some(setsid.spawn().unwrap());
    }

    /// Waits until this is shown, after whatever was waited for before.
    #[track_caller]
    pub(crate) fn see(&mut self, what: &str) {
        let begun = Instant::now();
        loop {
            let plain = console::strip_ansi_codes(&self.seen()).into_owned();
            if let Some(place) = plain.get(self.looked_at..).and_then(|rest| rest.find(what)) {
                self.looked_at += place + what.len();
                return;
            }
            assert!(begun.elapsed() < HANG, "{what:?} never came: {plain}");
            self.listen(Duration::from_millis(50));
        }
    }

    /// Waits for this question and its mark, behind which the answer is typed.
    #[track_caller]
    pub(crate) fn asks(&mut self, question: &str) {
        self.see(question);
        self.see(" > ");
    }

    /// Waits for this question and types the answer.
    #[track_caller]
    pub(crate) fn answer(&mut self, question: &str, typed: impl AsRef<[u8]>) {
        self.asks(question);
        self.write(typed.as_ref());
    }

    /// Waits for the end of the process, which is this exit.
    #[track_caller]
    pub(crate) fn exits(&mut self, exit: i32) {
        assert_eq!(self.end(), End::Exit(exit), "{}", self.seen());
    }

    /// Types this over and over until that is shown.
    #[track_caller]
    pub(crate) fn see_under(&mut self, what: &str, bytes: &[u8]) {
        let begun = Instant::now();
        while !self.seen().contains(what) {
            assert!(begun.elapsed() < HANG, "{what:?} never came: {}", self.seen());
            self.write_what_fits(bytes);
            self.listen(Duration::from_millis(100));
        }
    }

    /// Everything shown so far.
    pub(crate) fn seen(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// Types this.
    pub(crate) fn write(&self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let count = rustix::io::write(self.person.as_ref().unwrap(), rest).unwrap();
            rest = &rest[count..];
        }
    }

    /// Types this as fast as the terminal takes it, without waiting for room.
    pub(crate) fn write_what_fits(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(1024) {
            let person = self.person.as_ref().unwrap();
            let mut room = [PollFd::from_borrowed_fd(person.as_fd(), PollFlags::OUT)];
            poll(&mut room, Some(&Timespec { tv_sec: 1, tv_nsec: 0 })).unwrap();
            if !room[0].revents().contains(PollFlags::OUT) {
                return;
            }
            self.write(part);
            self.listen(Duration::ZERO);
        }
    }

    /// Sends a signal to the process, not to its terminal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Changes the size.
    pub(crate) fn resize(&self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.screen, size).unwrap();
    }

    /// Waits until the process has stopped.
    pub(crate) fn wait_until_stopped(&self) {
        let begun = Instant::now();
        let stat = format!("/proc/{}/stat", self.pid().as_raw_nonzero());
        while !std::fs::read_to_string(&stat).unwrap().contains(") T ") {
            assert!(begun.elapsed() < HANG, "it never stopped");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until the process waits for the terminal to take what it writes to its standard error.
    pub(crate) fn wait_until_writing(&self) {
        let begun = Instant::now();
        let call = format!("/proc/{}/syscall", self.pid().as_raw_nonzero());
        let mut last = String::new();
        loop {
            // The number of the call differs from machine to machine; its first argument is the stream, its third the
            // length. A call that is the same twice, in the same place, is one that waits.
            let now = std::fs::read_to_string(&call).unwrap();
            let mut arguments = now.split_whitespace().skip(1);
            let is_stream = arguments.next() == Some("0x2");
            let length = arguments.nth(1).and_then(|hex| u64::from_str_radix(hex.strip_prefix("0x")?, 16).ok());
            if is_stream && length.is_some_and(|length| (1..80).contains(&length)) && now == last {
                return;
            }
            last = now;
            assert!(begun.elapsed() < HANG, "it never waited: {last}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Closes the person's side, as a terminal window that is closed does.
    pub(crate) fn hang_up(&mut self) {
        self.person = None;
    }

    /// Waits for the end of the process.
    pub(crate) fn end(&mut self) -> End {
        let begun = Instant::now();
        let status = loop {
            self.listen(Duration::from_millis(20));
            if let Some(status) = self.child.as_mut().unwrap().try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < HANG, "it hangs: {}", self.seen());
        };
        while self.listen(Duration::from_millis(100)) {}
        status.code().map_or_else(|| End::Signal(status.signal().unwrap()), End::Exit)
    }

    /// The next line that whoever uses the terminal afterwards would be given.
    pub(crate) fn left_over(&mut self) -> String {
        let mut line = [0; 8192];
        let count = self.screen.read(&mut line).unwrap();
        String::from_utf8_lossy(&line[..count]).into_owned()
    }

    /// The settings are the very same and the cursor is visible.
    #[track_caller]
    pub(crate) fn assert_untouched(&self) {
        let after = tcgetattr(&self.screen).unwrap();
        assert_eq!(settings(&after), settings(&self.before));
        let seen = self.seen();
        assert!(seen.rfind("\x1b[?25l") <= seen.rfind("\x1b[?25h"), "the cursor is hidden: {seen:?}");
        assert!(!seen.contains("\x1b[?1049h"), "another screen was opened: {seen:?}");
    }

    fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().unwrap())
    }

    /// Takes what is shown within this time; says whether there was something.
    fn listen(&mut self, limit: Duration) -> bool {
        let Some(person) = &self.person else {
            std::thread::sleep(limit);
            return false;
        };
        let mut shown = [PollFd::from_borrowed_fd(person.as_fd(), PollFlags::IN)];
        poll(&mut shown, Some(&limit.try_into().unwrap())).unwrap();
        if !shown[0].revents().contains(PollFlags::IN) {
            return false;
        }
        let mut bytes = [0; 8192];
        let count = rustix::io::read(person, &mut bytes).unwrap_or(0);
        self.seen.write_all(&bytes[..count]).unwrap();
        count > 0
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _: io::Result<()> = child.kill();
            let _ = child.wait();
        }
    }
}

/// The settings in a form that can be compared. `PENDIN` is the kernel's own note, not a setting.
fn settings(termios: &Termios) -> String {
    let mut termios = termios.clone();
    termios.local_modes.remove(LocalModes::PENDIN);
    format!("{termios:?}")
}

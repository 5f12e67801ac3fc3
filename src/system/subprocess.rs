//! Runs another program in a private directory, with a limit of time and of output, and ends everything it started.

#![expect(clippy::disallowed_methods, reason = "access to the AI CLIs, asked for a draft")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::system::os::process::Group;
use crate::system::private_dir::PrivateDir;

/// The most that is read of one stream, in bytes.
pub const MOST: u64 = 4 << 20;

/// How often it is looked whether the program has ended.
const STEP: Duration = Duration::from_millis(20);

/// How long a program that was told to end may take, and how long the rest of its output is waited for.
const GRACE: Duration = Duration::from_millis(700);

#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    pub program: &'a Path,
    pub args: &'a [String],
    pub vars: &'a BTreeMap<OsString, OsString>,
    /// What comes on its standard input, which is closed afterwards.
    pub input: &'a str,
    /// When it is ended at the latest.
    pub until: Instant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    Exited {
        /// Whether with 0.
        success: bool,
        stdout: Vec<u8>,
        stderr: Vec<u8>,
    },
    /// It took too long and was ended.
    Late {
        /// What it had printed as errors.
        stderr: Vec<u8>,
    },
    /// It printed more than [`MOST`] bytes and was ended.
    TooMuch,
    /// This signal (2, 15 or 1) came meanwhile; the program was ended.
    Signal(u8),
}

/// Runs a program in a process group of its own and waits. Whatever of the group is left afterwards is ended. `tick` is
/// called again and again with the time it has been running.
pub fn run(directory: &PrivateDir, task: &Task<'_>, tick: &mut dyn FnMut(Duration)) -> io::Result<Ended> {
    let watch = crate::terminal::signal::Watch::open()?;
    let begun = Instant::now();
    let mut command = Command::new(task.program);
    command
        .args(task.args)
        .current_dir(directory.work())
        .env_clear()
        .envs(task.vars)
        .envs(crate::system::os::places::TEMP.iter().map(|name| (name, directory.files())))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = Group::lead(&mut command).spawn()?;
    let group = Group::of(&child);
    let full = Arc::new(AtomicBool::new(false));
    if let Some(mut stdin) = child.stdin.take() {
        let input = task.input.to_owned();
        // A program that does not read all of it closes the pipe: no error of ours.
        std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    }
    let (stdout, stderr) = (drain(child.stdout.take(), &full), drain(child.stderr.take(), &full));
    let ended = loop {
        if let Some(status) = child.try_wait()? {
            break Ok(status.success());
        }
        if let Some(signal) = watch.within(STEP) {
            break Err(Ended::Signal(signal));
        }
        if full.load(Ordering::SeqCst) {
            break Err(Ended::TooMuch);
        }
        if Instant::now() >= task.until {
            break Err(Ended::Late { stderr: Vec::new() });
        }
        tick(begun.elapsed());
    };
    let rest = |stream: Receiver<Vec<u8>>| stream.recv_timeout(GRACE).unwrap_or_default();
    let success = match ended {
        Ok(success) => success,
        Err(why) => {
            end(&mut child, group);
            return Ok(if let Ended::Late { .. } = why { Ended::Late { stderr: rest(stderr) } } else { why });
        }
    };
    // What it left running holds its output open and is nobody's any more.
    group.kill();
    let (stdout, stderr) = (rest(stdout), rest(stderr));
    Ok(match watch.close() {
        Some(signal) => Ended::Signal(signal),
        None if full.load(Ordering::SeqCst) => Ended::TooMuch,
        None => Ended::Exited { success, stdout, stderr },
    })
}

/// Asks the group to end, then ends it.
fn end(child: &mut Child, group: Group) {
    group.ask();
    let until = Instant::now() + GRACE;
    while Instant::now() < until && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(STEP);
    }
    group.kill();
    let _reaped = child.wait();
}

/// Reads a stream to its end on a thread of its own, at most [`MOST`] bytes of it.
fn drain(stream: Option<impl Read + Send + 'static>, full: &Arc<AtomicBool>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let full = Arc::clone(full);
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            let _cut = stream.take(MOST + 1).read_to_end(&mut bytes);
        }
        if bytes.len() as u64 > MOST {
            full.store(true, Ordering::SeqCst);
        }
        let _nobody = sender.send(bytes);
    });
    receiver
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::system::os::process::is_gone;

    fn shell(script: &str, input: &str, limit: Duration) -> (Ended, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let directory = PrivateDir::below(dir.path()).unwrap();
        let args = ["-c".to_owned(), script.to_owned()];
        let vars = BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]);
        let task =
            Task { program: Path::new("/bin/sh"), args: &args, vars: &vars, input, until: Instant::now() + limit };
        let ended = run(&directory, &task, &mut |_| {}).unwrap();
        drop(directory);
        let mut left = fs::read_dir(dir.path()).unwrap();
        assert!(left.all(|one| one.unwrap().file_name() == "pid"));
        (ended, dir)
    }

    const LONG: Duration = Duration::from_secs(60);

    fn exited(success: bool, stdout: &str) -> Ended {
        Ended::Exited { success, stdout: stdout.into(), stderr: Vec::new() }
    }

    #[test]
    fn it_may_read_its_input_to_the_end_in_an_empty_directory_or_leave_it() {
        let script = "cat; ls -A; pwd | grep -c hefesto-; env | grep -c HOME";
        assert_eq!(shell(script, "in", LONG).0, exited(false, "in1\n0\n"));
        let much = "x".repeat(1 << 20);
        assert_eq!(shell("exec 0<&-; echo done", &much, LONG).0, exited(true, "done\n"));
    }

    #[test]
    fn what_takes_too_long_or_says_too_much_is_ended_with_all_it_started() {
        let (ended, dir) = shell("sleep 300 & echo $! > ../../pid; exec cat /dev/zero", "", LONG);
        assert_eq!(ended, Ended::TooMuch);
        let sleeper: i32 = fs::read_to_string(dir.path().join("pid")).unwrap().trim().parse().unwrap();
        let alive = || {
            let stat = fs::read_to_string(format!("/proc/{sleeper}/stat")).unwrap_or_default();
            !is_gone(sleeper) && !stat.contains(") Z ")
        };
        // The kernel may take a moment to carry it out.
        for _ in 0..500 {
            if !alive() {
                break;
            }
            std::thread::sleep(STEP);
        }
        assert!(!alive());
        assert!(matches!(shell("exec sleep 300", "", Duration::from_millis(100)).0, Ended::Late { .. }));
        assert_eq!(shell("sleep 300 & echo quick", "", LONG).0, exited(true, "quick\n"));
    }
}

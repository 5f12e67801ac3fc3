//! A stage for the program: a project, a home, stub CLIs on PATH and a cleared environment.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The time every run believes it is.
pub(crate) const NOW: &str = "2026-02-05T10:00:00Z";

/// A project and a home in a fresh directory. Everything in it is gone when it is dropped.
pub(crate) struct Stage {
    _dir: TempDir,
    base: PathBuf,
    vars: BTreeMap<String, String>,
}

/// What a run came to. A run ended by a signal has none of the exits a program can choose.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// It ended with this exit.
    #[track_caller]
    pub(crate) fn exits(self, exit: i32) -> Self {
        assert_eq!(self.exit, Some(exit), "{self:?}");
        self
    }

    /// The answer in JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }
}

impl Stage {
    /// An empty project, an empty home, and these stubs: `NAME=VERSION` prints a version, `NAME!SCRIPT` runs a script.
    pub(crate) fn new(stubs: &[&str]) -> Self {
        let dir = TempDir::new().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for made in ["project", "home", "bin"] {
            fs::create_dir(base.join(made)).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hefesto"), base.join("bin/hefesto")).unwrap();
        let path = format!("{}:/usr/bin:/bin", base.join("bin").display());
        let home = base.join("home").display().to_string();
        let vars = [("PATH", path.as_str()), ("HOME", &home), ("LANG", "C.UTF-8"), ("HEFESTO_NOW", NOW)];
        let vars = vars.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let stage = Self { _dir: dir, base, vars };
        stage.stubs(stubs);
        stage
    }

    /// Puts stubs on PATH. A shell writes them: no other child of this process ever holds one open for writing.
    pub(crate) fn stubs(&self, stubs: &[&str]) {
        for stub in stubs {
            let (name, script) = match (stub.split_once('!'), stub.split_once('=')) {
                (Some((name, script)), _) if !name.contains('=') => (name, script.to_owned()),
                (_, Some((name, version))) => (name, format!("echo {version}")),
                _ => (*stub, "echo 1.2.3".to_owned()),
            };
            let write = format!("cat > bin/{name} && chmod +x bin/{name}");
            let text = format!("#!/bin/sh\n{script}\n");
            self.spawn(Command::new("/bin/sh").args(["-c", &write]).current_dir(&self.base), text.as_bytes()).exits(0);
        }
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.base.join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.vars.insert(name.to_owned(), value.to_owned());
    }

    pub(crate) fn unset(&mut self, name: &str) {
        self.vars.remove(name);
    }

    /// Writes a file of the project and the directories above it.
    pub(crate) fn write(&self, at: &str, text: impl AsRef<[u8]>) {
        super::world::write(&self.project().join(at), text);
    }

    /// A file of the project.
    #[track_caller]
    pub(crate) fn read(&self, at: &str) -> String {
        fs::read_to_string(self.project().join(at)).unwrap_or_else(|why| panic!("{at}: {why}"))
    }

    /// Runs `hefesto -C PROJECT ARGS…` in the project.
    pub(crate) fn hefesto<S: AsRef<str>>(&self, args: &[S], input: &[u8]) -> Ran {
        let mut command = Command::new(self.base.join("bin/hefesto"));
        command.arg("-C").arg(self.project()).args(args.iter().map(AsRef::as_ref));
        self.spawn(&mut command, input)
    }

    /// Runs a line of shell in the project. `hefesto` is on PATH.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        self.spawn(Command::new("/bin/sh").args(["-c", line]), b"")
    }

    /// Runs a command in the project, with what the stage says the environment is.
    pub(crate) fn spawn(&self, command: &mut Command, input: &[u8]) -> Ran {
        if command.get_current_dir().is_none() {
            command.current_dir(self.project());
        }
        command.env_clear().envs(&self.vars).stdout(Stdio::piped()).stderr(Stdio::piped());
        let given = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
        let mut child = command.stdin(given).spawn().unwrap();
        if let Some(mut stdin) = child.stdin.take() {
            let _unread = stdin.write_all(input);
        }
        let mut stderr = child.stderr.take().unwrap();
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).unwrap();
            bytes
        });
        let done = child.wait_with_output().unwrap();
        let stderr = errors.join().unwrap();
        let text = |bytes: Vec<u8>| self.masked(&String::from_utf8(bytes).expect("output is UTF-8"));
        Ran { exit: done.status.code(), stdout: text(done.stdout), stderr: text(stderr) }
    }

    /// The text without what differs from run to run: places, run ids and the program's version.
    pub(crate) fn masked(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (place, mask) in [("project", "[PROJECT]"), ("home", "[HOME]"), ("bin", "[BIN]"), ("", "[BASE]")] {
            let place = self.base.join(place).display().to_string();
            text = text.replace(place.trim_end_matches('/'), mask);
        }
        mask_runs(&text)
    }
}

/// Replaces run ids: 26 characters of Crockford's base 32 that begin with the fixed time.
fn mask_runs(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("01") {
        let (before, from) = rest.split_at(start);
        masked.push_str(before);
        let length = from.bytes().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count();
        let alone = !before.ends_with(|last: char| last.is_ascii_alphanumeric());
        if length == 26 && alone {
            masked.push_str("[RUN]");
            rest = &from[26..];
        } else {
            masked.push_str("01");
            rest = &from[2..];
        }
    }
    masked + rest
}

/// The leaves of a directory: files with their mode and bytes, links with their goal, empty directories.
pub(crate) fn snapshot(root: &Path, wanted: &dyn Fn(&str) -> bool) -> BTreeMap<String, Vec<u8>> {
    fn walk(dir: &Path, prefix: &str, wanted: &dyn Fn(&str) -> bool, leaves: &mut BTreeMap<String, Vec<u8>>) -> bool {
        use std::os::unix::fs::PermissionsExt;
        let Ok(entries) = fs::read_dir(dir) else { return false };
        let mut any = false;
        for entry in entries.flatten() {
            any = true;
            let (path, name) = (entry.path(), format!("{prefix}{}", entry.file_name().to_string_lossy()));
            let meta = fs::symlink_metadata(&path).unwrap();
            if meta.is_dir() {
                if !walk(&path, &format!("{name}/"), wanted, leaves) && wanted(&name) {
                    leaves.insert(format!("{name}/"), Vec::new());
                }
            } else if wanted(&name) {
                let content = if meta.is_symlink() {
                    format!("-> {}", fs::read_link(&path).unwrap().display()).into_bytes()
                } else {
                    let runs = meta.permissions().mode() & 0o100;
                    let mut content = format!("{runs:o}\n").into_bytes();
                    content.extend(fs::read(&path).unwrap_or_default());
                    content
                };
                leaves.insert(name, content);
            }
        }
        any
    }
    let mut leaves = BTreeMap::new();
    walk(root, "", wanted, &mut leaves);
    leaves
}

/// Copies a tree with its modes.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let goal = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &goal);
        } else {
            fs::copy(entry.path(), goal).unwrap();
        }
    }
    fs::set_permissions(to, from.metadata().unwrap().permissions()).unwrap();
}

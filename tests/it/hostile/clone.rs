//! A project with everything hefesto keeps, a victim beside it, and the program run in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::fs::FileType;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::NAME;
use crate::support::pty::Pty;
use crate::support::stage::copy;

/// Stands in every file outside the project; it must come up nowhere else.
pub(crate) const PRIVATE: &str = "PRIVATE-7f3ab1c9";

/// After this long a command hangs; long enough for a machine at work on something else.
const HANG: Duration = Duration::from_secs(120);

/// And after this much of its own time.
const BUSY: Duration = Duration::from_secs(8);

/// One way to make a clone dangerous.
pub(crate) struct Attack {
    pub(crate) name: String,
    lay: Box<dyn Fn(&Clone)>,
    variables: Vec<(&'static str, String)>,
    below: &'static str,
    /// Skills may be added to what is the user's inside: a link in the project leads there.
    pub(crate) adds_inside: bool,
}

impl Attack {
    pub(crate) fn new(name: impl Into<String>, lay: impl Fn(&Clone) + 'static) -> Self {
        Self { name: name.into(), lay: Box::new(lay), variables: Vec::new(), below: "", adds_inside: false }
    }

    /// A file lies there.
    pub(crate) fn file(name: impl Into<String>, at: impl Into<String>, bytes: impl AsRef<[u8]> + 'static) -> Self {
        let at = at.into();
        Self::new(name, move |clone| clone.put(&at, &bytes))
    }

    /// A link lies there.
    pub(crate) fn link(name: impl Into<String>, at: impl Into<String>, to: &'static str) -> Self {
        let at = at.into();
        Self::new(name, move |clone| clone.link(&at, to))
    }

    /// The environment of whoever runs hefesto in it holds this; `BASE` is where the clone's parent is.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    /// Links that stay in the project are followed to skills: they may be added to the user's directory.
    pub(crate) fn adding_inside(self, adds_inside: bool) -> Self {
        Self { adds_inside, ..self }
    }

    /// Nobody names the project: hefesto is called in this directory below it.
    pub(crate) fn called_in(mut self, below: &'static str) -> Self {
        self.below = below;
        self
    }
}

/// What a run came to.
pub(crate) struct Ran {
    pub(crate) exit: Option<i32>,
    pub(crate) hung: bool,
    pub(crate) cpu: Duration,
    pub(crate) shown: String,
}

/// Everything outside the project, and what of the user's lies inside: kind, mode and bytes by path.
pub(crate) type Outside = BTreeMap<String, String>;

/// The clone and all around it.
pub(crate) struct Clone {
    dir: tempfile::TempDir,
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// The stubs and the project as it is before an attack, made once.
fn prepared() -> &'static Clone {
    static MADE: OnceLock<Clone> = OnceLock::new();
    MADE.get_or_init(|| {
        let clone = Clone { dir: directory() };
        for made in ["project/mine/sub", "home/.ssh", "home/.config/hefesto", "victim/sub", "tmp", "bin"] {
            fs::create_dir_all(clone.base().join(made)).unwrap();
        }
        for cli in ["claude", "gemini"] {
            program(&clone.base().join("bin").join(cli), "echo 1.2.3");
        }
        program(&clone.base().join("bin/my-drafter"), "cat >/dev/null; echo no");
        let draft = format!("draft.command = [\"{}/bin/my-drafter\"]\n", clone.base().display());
        fs::write(clone.base().join("home/.config/hefesto/config.toml"), draft).unwrap();
        for (at, text) in [
            ("home/.ssh/config", format!("Host {PRIVATE}\n")),
            ("victim/notes.txt", format!("{PRIVATE} notes\n")),
            ("victim/one.json", format!("{{\"version\": 1, \"id\": \"{PRIVATE}\"}}")),
            ("victim/two.json.tmp", PRIVATE.to_owned()),
            ("victim/three.commit", PRIVATE.to_owned()),
            ("victim/base.md", format!("# {{{{ title }}}}\n\n{PRIVATE}\n")),
            ("victim/0", String::new()),
            ("victim/sub/deep.txt", format!("{PRIVATE} deep\n")),
            ("victim/SKILL.md", format!("---\nname: victim\ndescription: {PRIVATE}\n---\n{PRIVATE}\n")),
            ("project/mine/notes.txt", "mine\n".to_owned()),
            ("project/mine/one.json", "{}".to_owned()),
            ("project/mine/sub/deep.txt", "mine and deep\n".to_owned()),
        ] {
            fs::write(clone.base().join(at), text).unwrap();
        }
        let first = ["create", "Validate email addresses using regex patterns", "--init", "--yes"];
        let second = ["create", "Check postal codes", "--name", NAME, "--on-collision", "overwrite", "--yes"];
        for (args, exit) in [(&first[..], 0), (&second[..], 0), (&["create", "Plan a trip", "--no-input"], 3)] {
            let ran = clone.hefesto(&Attack::new("none", |_| ()), args);
            assert_eq!(ran.exit, Some(exit), "{}", ran.shown);
        }
        let archive = fs::read_dir(clone.path(".hefesto/backups")).unwrap().next().unwrap().unwrap();
        fs::copy(archive.path(), clone.base().join("victim").join(archive.file_name())).unwrap();
        clone
    })
}

impl Clone {
    pub(crate) fn new(attack: &Attack) -> Self {
        let clone = Self { dir: directory() };
        for part in ["project", "home", "victim", "tmp"] {
            copy(&prepared().base().join(part), &clone.base().join(part));
        }
        (attack.lay)(&clone);
        clone
    }

    /// The directory that holds the clone, the home directory and the victim.
    pub(crate) fn base(&self) -> &Path {
        self.dir.path()
    }

    /// A place in the clone.
    pub(crate) fn path(&self, at: &str) -> PathBuf {
        self.base().join("project").join(at)
    }

    /// Puts a file there, whatever was there before.
    pub(crate) fn put(&self, at: &str, bytes: impl AsRef<[u8]>) {
        self.clear(at);
        fs::write(self.path(at), bytes).unwrap();
    }

    /// Puts a link there, whatever was there before; `BASE` is where the clone's parent is.
    pub(crate) fn link(&self, at: &str, to: &str) {
        self.clear(at);
        symlink(to.replace("BASE", self.base().to_str().unwrap()), self.path(at)).unwrap();
    }

    /// Puts a FIFO or a device there. `false`: this may not be done here.
    pub(crate) fn node(&self, at: &str, kind: FileType) -> bool {
        self.clear(at);
        // The device is /dev/zero, which never ends.
        let of: &[&str] = if kind == FileType::CharacterDevice { &["c", "1", "5"] } else { &["p"] };
        let mut mknod = Command::new("mknod");
        mknod.arg(self.path(at)).args(of).stderr(Stdio::null()).status().unwrap().success()
    }

    /// An executable in the clone that says it was run.
    pub(crate) fn canary(&self, at: &str) -> String {
        self.clear(at);
        program(&self.path(at), &format!("echo ran >> {}/canary; echo 9.9.9", self.base().display()));
        self.path(at).to_str().unwrap().to_owned()
    }

    /// A canary's own shell line.
    pub(crate) fn line(&self) -> String {
        format!("echo ran >> {}/canary", self.base().display())
    }

    pub(crate) fn ran_something(&self) -> bool {
        self.base().join("canary").exists()
    }

    /// Takes away what is there and makes the directories above it.
    pub(crate) fn clear(&self, at: &str) {
        let path = self.path(at);
        match path.symlink_metadata() {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&path).unwrap(),
            Ok(_) => fs::remove_file(&path).unwrap(),
            Err(_) => fs::create_dir_all(path.parent().unwrap()).unwrap(),
        }
    }

    pub(crate) fn outside(&self) -> Outside {
        let mut all = Outside::new();
        for part in ["home", "victim", "tmp", "project/mine"] {
            look(self.base(), &self.base().join(part), &mut all);
        }
        for entry in fs::read_dir(self.base()).unwrap() {
            all.insert(entry.unwrap().file_name().to_string_lossy().into_owned(), String::new());
        }
        all
    }

    /// Files of the clone into which a text from outside came.
    pub(crate) fn private_in_project(&self) -> Vec<String> {
        let files = walkdir::WalkDir::new(self.path("")).into_iter().filter_map(Result::ok);
        let regular = files.filter(|entry| entry.file_type().is_file());
        let small = regular.filter(|entry| entry.metadata().is_ok_and(|meta| meta.len() < 4 << 20));
        small
            .filter(|entry| {
                fs::read(entry.path()).is_ok_and(|bytes| memchr::memmem::find(&bytes, PRIVATE.as_bytes()).is_some())
            })
            .map(|entry| format!("a private text is in {}", entry.path().display()))
            .collect()
    }

    fn variables(&self, attack: &Attack) -> Vec<(&'static str, String)> {
        let base = self.base().to_str().unwrap();
        let stubs = if let Some(made) = STUBS.get() { made.clone() } else { self.base().join("bin") };
        let _ = STUBS.set(stubs.clone());
        let mut all = vec![
            ("HOME", format!("{base}/home")),
            ("PATH", format!("{}:/usr/bin:/bin", stubs.display())),
            ("TMPDIR", format!("{base}/tmp")),
            ("LANG", "C.UTF-8".to_owned()),
            ("HEFESTO_NOW", "2026-02-05T10:00:00Z".to_owned()),
            ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ];
        all.extend(
            attack
                .variables
                .iter()
                .map(|(name, value)| (*name, value.replace("BASE", base).replace("STUBS", stubs.to_str().unwrap()))),
        );
        all
    }

    /// Runs the program in the clone.
    pub(crate) fn hefesto(&self, attack: &Attack, args: &[impl AsRef<std::ffi::OsStr>]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hefesto"));
        if attack.below.is_empty() {
            command.args(["-C", "."]);
        }
        command.args(args).current_dir(self.path(attack.below)).env_clear().envs(self.variables(attack));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let streams: [Box<dyn Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        let readers = streams.map(|mut stream| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                stream.read_to_end(&mut bytes).map(|_| bytes).unwrap()
            })
        });
        let (hung, cpu) = ended(&mut child);
        let status = child.wait().unwrap();
        let shown = readers
            .map(|reader| String::from_utf8(reader.join().unwrap()).unwrap_or_else(|_| "\u{fffd}NOT-UTF-8".into()));
        assert!(hung || status.code().is_some() || status.signal().is_some());
        Ran { exit: status.code(), hung, cpu, shown: shown.concat() }
    }

    /// Everything a terminal is given by this command.
    pub(crate) fn on_a_terminal(&self, attack: &Attack, args: &[String]) -> String {
        let mut pty = Pty::new();
        let variables = self.variables(attack);
        let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let words = ["-C", ".", "--no-pager", "--no-input"].into_iter().chain(args.iter().map(String::as_str));
        pty.hefesto(&self.path(""), &words.collect::<Vec<_>>(), &variables);
        pty.end();
        pty.seen()
    }
}

static STUBS: OnceLock<PathBuf> = OnceLock::new();

/// Waits for the end, at most until it hangs; the time of its own it took with its children.
fn ended(child: &mut Child) -> (bool, Duration) {
    let (begun, pid) = (Instant::now(), Pid::from_child(child));
    let over = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    let cpu = || {
        // macOS does not say it; there the time that passes is the only limit.
        let Ok(stat) = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())) else {
            return Duration::ZERO;
        };
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
        let ticks: u64 = fields[11..15].iter().map(|field| field.parse::<u64>().unwrap()).sum();
        Duration::from_millis(ticks * 10)
    };
    let mut hung = false;
    while waitid(WaitId::Pid(pid), over).unwrap().is_none() {
        if !hung && (begun.elapsed() > HANG || cpu() > BUSY) {
            hung = true;
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    (hung, cpu())
}

/// An executable, written by a shell: no other child of this process ever holds it open for writing.
fn program(path: &Path, line: &str) {
    let script = "cat > \"$1\" && chmod 755 \"$1\"";
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", script, "sh"]).arg(path).stdin(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), format!("#!/bin/sh\n{line}\n").as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn look(base: &Path, path: &Path, all: &mut Outside) {
    let meta = path.symlink_metadata().unwrap();
    let kind = meta.file_type();
    let held = if kind.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| look(base, &entry.unwrap().path(), all));
        "directory".to_owned()
    } else if kind.is_file() {
        String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
    } else if kind.is_symlink() {
        format!("link to {}", fs::read_link(path).unwrap().display())
    } else {
        format!("fifo {}", kind.is_fifo())
    };
    let name = path.strip_prefix(base).unwrap().to_string_lossy().into_owned();
    all.insert(name, format!("{:o} {held}", meta.permissions().mode()));
}

/// What is different outside.
pub(crate) fn differences(before: &Outside, after: &Outside) -> Vec<String> {
    let made = after.keys().filter(|path| !before.contains_key(*path)).map(|path| format!("{path} was made outside"));
    let changed = before.iter().filter(|(path, held)| after.get(*path) != Some(held));
    made.filter(|made| !made.starts_with("canary "))
        .chain(changed.map(|(path, _)| format!("{path} was changed")))
        .collect()
}

/// The end of what was shown, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect::<String>().escape_debug().to_string()
}

/// What stands around this, for a message.
pub(crate) fn around(text: &str, what: &str) -> String {
    let line = text.lines().find(|line| line.contains(what)).unwrap_or_default();
    line.chars().take(160).collect::<String>().escape_debug().to_string()
}

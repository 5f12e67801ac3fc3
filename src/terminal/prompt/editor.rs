//! Opens a text in the person's editor.

#![expect(clippy::disallowed_methods, reason = "access to the person's editor")]

use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal};
use std::path::{MAIN_SEPARATOR, Path};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::system::os::places::EDITOR;
use crate::system::os::process;
use crate::system::os::terminal::{Settings, input};
use crate::system::private_dir::PrivateDir;
use crate::system::search_path::SearchPath;
use crate::terminal::signal::Watch;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    /// The text is unchanged (a line end added by the editor at the end does not count).
    Unchanged,
    Changed(String),
    /// The editor failed: why, and what was written, if that differs.
    Failed {
        why: String,
        typed: Option<String>,
    },
    /// This signal (2, 15 or 1) arrived; the editor was ended and its changes are discarded.
    Signal(u8),
}

#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    pub text: &'t str,
    /// The file extension without the dot.
    pub extension: &'t str,
    /// The line to begin at, for an editor known to support it.
    pub line: Option<usize>,
}

/// Editors that take the line as `+LINE` before the file.
const PLUS_LINE: &[&str] = &[
    "vi", "vim", "nvim", "view", "nvi", "elvis", "vile", "nano", "pico", "rnano", "emacs", "emacsclient", "mg", "joe",
    "jmacs", "jpico", "ne", "micro", "kak", "gedit", "gvim",
];

/// Editors that take it as `--goto FILE:LINE`.
const GOTO: &[&str] = &["code", "codium", "code-insiders", "cursor", "windsurf"];

/// The arguments after the person's own: the file, and the line.
fn arguments(program: &str, file: &Path, line: Option<usize>) -> Vec<OsString> {
    let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    match line {
        Some(line) if PLUS_LINE.contains(&name) => vec![format!("+{line}").into(), file.into()],
        Some(line) if GOTO.contains(&name) => {
            let mut place = file.as_os_str().to_owned();
            place.push(format!(":{line}"));
            vec!["--goto".into(), place]
        }
        _ => vec![file.into()],
    }
}

/// The editor's command line: `VISUAL`, else `EDITOR`, else the editor of the platform. `var` reads the environment.
pub fn editor_command<'e>(var: impl Fn(&str) -> Option<&'e str>) -> &'e str {
    var("VISUAL").or_else(|| var("EDITOR")).unwrap_or(EDITOR)
}

/// The largest text read back, in bytes.
const MOST: u64 = 16 * 1024 * 1024;

/// How often to check whether the editor has ended.
const STEP: Duration = Duration::from_millis(30);

/// How long an editor may take to end.
const GRACE: Duration = Duration::from_secs(2);

/// Opens `command` on a text and waits for it to end.
///
/// `command` is a program and its arguments, quoted as in a shell (`code --wait`). The text is kept in a [`PrivateDir`]
/// below `directory`. The editor's output goes to standard error where standard output is not a terminal, and its input
/// comes from the terminal even where standard input does not.
/// Errors: `NotFound` when there is no such program; `InvalidInput` when `command` names none; `InvalidData` when what
/// was written is not UTF-8, is larger than 16 MiB or is missing; otherwise the error of the operating system.
pub fn edit(command: &str, search: &SearchPath, shown: Text<'_>, directory: &Path) -> io::Result<Edited> {
    let Text { text, extension, line } = shown;
    let unread = |cause| format!("the editor's command line `{command}` cannot be read ({cause})");
    // A `\` that separates directories must not quote.
    let words = shell_words::split(&command.replace(MAIN_SEPARATOR, "/"))
        .map_err(|cause| io::Error::new(io::ErrorKind::InvalidInput, unread(cause)))?;
    let Some((program, own)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no editor is named"));
    };
    let found = search.find(program).ok_or_else(|| describe(&io::ErrorKind::NotFound.into(), program))?;
    let (private, name) = (PrivateDir::below(directory)?, format!("skill.{extension}"));
    let file = private.put(&name, text)?;

    let watch = Watch::open()?;
    let settings = Settings::now();
    let mut child = Command::new(found);
    child.args(own).args(arguments(program, &file, line)).env("PATH", search.value()).stdin(input()?).stdout(output());
    let child = child.spawn();
    let ended = wait(child.map_err(|cause| describe(&cause, program))?, &watch)?;
    let end_signal = process::end_signal(ended);
    if !ended.success() {
        // An editor that failed may have left the terminal in an unusable mode.
        settings.restore();
    }
    match watch.close() {
        // Ctrl-C belongs to the editor, unless it died of it.
        Some(2) if end_signal != Some(2) => {}
        Some(signal) => return Ok(Edited::Signal(signal)),
        None => {}
    }
    let edited = read(&private, &name);
    let same = |edited: &String| edited == text || edited.strip_suffix('\n') == Some(text);
    if !ended.success() {
        let why = format!("the editor `{program}` failed ({ended})");
        return Ok(Edited::Failed { why, typed: edited.ok().filter(|edited| !same(edited)) });
    }
    let edited = edited?;
    Ok(if same(&edited) { Edited::Unchanged } else { Edited::Changed(edited) })
}

/// Waits for the editor, and ends it when the process receives a signal.
fn wait(mut child: Child, watch: &Watch) -> io::Result<ExitStatus> {
    let mut asked = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        match (asked, watch.received()) {
            (None, Some(15 | 1)) => {
                process::ask(&mut child);
                asked = Some(Instant::now());
            }
            (Some(since), _) if since.elapsed() > GRACE => child.kill()?,
            _ => {}
        }
        std::thread::sleep(STEP);
    }
}

/// Keeps the editor's output away from the data on standard output.
fn output() -> Stdio {
    if io::stdout().is_terminal() { Stdio::inherit() } else { io::stderr().into() }
}

fn describe(cause: &io::Error, program: &str) -> io::Error {
    let why = match cause.kind() {
        io::ErrorKind::NotFound => "was not found".to_owned(),
        _ => format!("cannot be started: {cause}"),
    };
    io::Error::new(cause.kind(), format!("the editor `{program}` {why}"))
}

fn read(directory: &PrivateDir, name: &str) -> io::Result<String> {
    let invalid = |message: &str| io::Error::new(io::ErrorKind::InvalidData, message.to_owned());
    let bytes = directory.take(name, MOST).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => invalid("the editor removed the file"),
        io::ErrorKind::FileTooLarge => invalid("the edited file is larger than 16 MiB"),
        _ => error,
    })?;
    String::from_utf8(bytes).map_err(|_| invalid("the edited file is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const OLD: Text<'_> = Text { text: "old", extension: "md", line: None };

    fn search() -> SearchPath {
        SearchPath::new(Some("/usr/bin:/bin".as_ref()), None, &[])
    }

    /// Runs the text "old" through a shell script that finds the file's path in `$1`.
    fn run(script: &str) -> io::Result<Edited> {
        let directory = tempfile::tempdir()?;
        let command = format!("sh -c {} editor", shell_words::quote(script));
        let edited = edit(&command, &search(), OLD, directory.path());
        assert_eq!(fs::read_dir(directory.path())?.count(), 0, "something was left behind");
        edited
    }

    #[test]
    fn what_the_editor_wrote_comes_back_and_saving_the_same_is_no_change() {
        let changed = |text: &str| Edited::Changed(text.into());
        let private = "case \"$1\" in *.md) ;; *) exit 9;; esac; test \"$(ls -l \"$1\" | cut -c1-10)\" = -rw-------";
        for (script, edited) in [
            ("printf 'new\\n' > \"$1\"; touch \"$1~\"", changed("new\n")),
            ("printf new > \"$1.tmp\" && mv \"$1.tmp\" \"$1\"", changed("new")),
            (": > \"$1\"", changed("")),
            ("true", Edited::Unchanged),
            ("cat \"$1\" > \"$1.tmp\"; mv \"$1.tmp\" \"$1\"", Edited::Unchanged),
            ("echo >> \"$1\"", Edited::Unchanged),
            (private, Edited::Unchanged),
        ] {
            assert_eq!(run(script).unwrap(), edited, "{script}");
        }
    }

    #[test]
    fn editors_that_are_known_begin_at_the_line() {
        let words = |program: &str, line| {
            let words = arguments(program, Path::new("/tmp/skill.md"), line).into_iter();
            words.map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(words("/usr/bin/vim", Some(7)), "+7 /tmp/skill.md");
        assert_eq!(words("code", Some(7)), "--goto /tmp/skill.md:7");
        assert_eq!(words("my editor", Some(7)), "/tmp/skill.md");
        assert_eq!(words("vim", None), "/tmp/skill.md");
    }

    #[test]
    fn what_an_editor_that_fails_wrote_is_no_change_and_not_lost() {
        let failed = |script: &str| match run(script).unwrap() {
            Edited::Failed { why, typed } => (why, typed),
            other => panic!("{other:?}"),
        };
        let (why, typed) = failed("echo new > \"$1\"; exit 3");
        assert!(why.contains("exit status: 3") && typed.as_deref() == Some("new\n"), "{why} {typed:?}");
        let (why, typed) = failed("kill -9 $$");
        assert!(why.contains("signal: 9") && typed.is_none(), "{why} {typed:?}");
    }

    #[test]
    fn a_missing_editor_is_asked_from_one_that_fails_and_what_cannot_be_read_back_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let start = |command| edit(command, &search(), OLD, directory.path()).unwrap_err().kind();
        for command in ["/nowhere/editor --wait", "./editor"] {
            assert_eq!(start(command), io::ErrorKind::NotFound, "{command}");
        }
        for command in ["", "''", "vi 'unclosed"] {
            assert_eq!(start(command), io::ErrorKind::InvalidInput, "{command}");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        for script in ["printf '\\377' > \"$1\"", "rm \"$1\""] {
            assert_eq!(run(script).unwrap_err().kind(), io::ErrorKind::InvalidData, "{script}");
        }
        assert!(edit("true", &search(), OLD, Path::new("/dev/null/directory")).is_err());
    }
}

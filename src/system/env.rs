//! The world as one value: where we are, what the environment says, the time, chance, the streams and the person.

#![expect(clippy::disallowed_methods, reason = "access to the process: directory, variables, clock, streams")]

mod streams;

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use console::Term;

use crate::error::{Code, Error, Result, Warning};
use crate::system::os::places;
use crate::system::os::terminal::STANDS_IN;
use crate::system::search_path::SearchPath;
use crate::terminal::prompt::{NoInput, Prompter, Scripted, Terminal};
use crate::terminal::ui::{Screen, Seal, Style};

/// Everything a command knows of the outside.
pub struct Env {
    pub cwd: PathBuf,
    /// The root of the project it is about, once that is known.
    pub root: Option<PathBuf>,
    /// Whether that is another directory than the current one, which every answer then says.
    pub elsewhere: bool,
    pub vars: std::collections::BTreeMap<OsString, OsString>,
    /// The time, where it is fixed (`HEFESTO_NOW`, `SOURCE_DATE_EPOCH`, tests).
    pub clock: Option<jiff::Timestamp>,
    /// How many ids were made, where they are counted, so that a run can be repeated; else they are left to chance.
    pub counted: Option<u64>,
    /// Where `--body -` and `--answers -` read.
    pub input: Box<dyn BufRead + Send>,
    pub input_is_terminal: bool,
    pub out_is_terminal: bool,
    pub err_is_terminal: bool,
    pub prompter: Box<dyn Prompter>,
    /// Whether the answers come from a file that `--answers` names.
    pub scripted: bool,
    /// How answers look on standard output; [`Env::err_style`] is for everything else.
    pub style: Style,
    /// How much is said on standard error: -1 quiet, 0, 1 verbose.
    pub volume: i8,
    /// Whether answers are JSON: notes are then collected and not printed.
    pub json: bool,
    /// Whether it is about the user's own skills: commands in hints then name `--global`.
    pub global: bool,
    /// Why data could not be written to standard output.
    pub unwritten: Option<io::Error>,
    /// Whether an answer longer than the screen goes through a pager.
    pub pages: bool,
    /// Where programs are looked for, of this project and PATH; to resolve every directory takes many calls.
    search: RefCell<Option<(PathBuf, Option<OsString>, SearchPath)>>,
    err_width: usize,
    notes: Vec<Warning>,
    /// With it a signal does not end the program before it has said that its changes are complete.
    pub late: Option<crate::terminal::signal::Watch>,
    out: Screen,
    err: Screen,
}

impl Env {
    /// The real one. Where the current directory is gone, `.` stands in and every path below it fails with its reason.
    pub fn system() -> Self {
        let (seal, cwd) = (seal(), std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")));
        Self {
            vars: places::vars(),
            clock: None,
            counted: None,
            input: Box::new(io::BufReader::new(io::stdin())),
            input_is_terminal: io::stdin().is_terminal(),
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
            style: Style { seal, ..Style::plain() },
            out: Screen::new(Box::new(io::stdout()), seal),
            err: Screen::new(Box::new(io::stderr()), seal),
            ..Self::made(cwd, &[], jiff::Timestamp::UNIX_EPOCH)
        }
    }

    /// A made one, for tests: this directory, these variables, this time; nobody is there and nothing is read.
    pub fn made(cwd: PathBuf, vars: &[(&str, &str)], now: jiff::Timestamp) -> Self {
        let seal = Seal::new(1);
        Self {
            cwd,
            root: None,
            elsewhere: false,
            vars: vars.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            clock: Some(now),
            counted: Some(0),
            input: Box::new(io::empty()),
            input_is_terminal: false,
            out_is_terminal: false,
            err_is_terminal: false,
            prompter: Box::new(NoInput),
            scripted: false,
            style: Style { seal, ..Style::plain() },
            volume: 0,
            json: false,
            global: false,
            unwritten: None,
            pages: false,
            search: RefCell::new(None),
            err_width: Style::plain().width,
            notes: Vec::new(),
            late: None,
            out: Screen::new(Box::new(io::sink()), seal),
            err: Screen::new(Box::new(io::sink()), seal),
        }
    }

    /// With other streams for data and for everything else.
    pub fn set_streams(&mut self, out: Box<dyn Write + Send>, err: Box<dyn Write + Send>) {
        self.out = Screen::new(out, self.style.seal);
        self.err = Screen::new(err, self.style.seal);
    }

    /// A variable, if it is set, not empty and UTF-8.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(OsStr::new(name)).and_then(|value| value.to_str()).filter(|value| !value.is_empty())
    }

    pub fn home(&self) -> Option<PathBuf> {
        places::HOME.iter().find_map(|name| self.var(name)).map(PathBuf::from)
    }

    /// Where something may be put for a moment: `TMPDIR` where it is absolute and outside the
    /// project, else `/tmp`; the names are the platform's.
    pub fn temp(&self) -> PathBuf {
        let search = self.search_path();
        let named = places::TEMP.iter().filter_map(|name| self.var(name)).map(PathBuf::from);
        let mut outside = named.filter(|dir| dir.is_absolute() && !search.in_project(dir));
        outside.next().unwrap_or_else(|| PathBuf::from(places::TEMP_ELSE))
    }

    /// The project's root, where it is not the current directory.
    pub fn other_root(&self) -> Option<&Path> {
        self.root.as_deref().filter(|_| self.elsewhere)
    }

    /// Where programs are looked for: nowhere in the project, and before one is found nowhere below the current
    /// directory.
    pub fn search_path(&self) -> SearchPath {
        let project = self.root.as_deref().unwrap_or(&self.cwd);
        let path = self.vars.get(OsStr::new("PATH"));
        let mut known = self.search.borrow_mut();
        if let Some((_, _, search)) = known.as_ref().filter(|(at, of, _)| at == project && of.as_ref() == path) {
            return search.clone();
        }
        let search = SearchPath::new(path.map(OsString::as_os_str), self.home().as_deref(), &[project]);
        *known = Some((project.to_owned(), path.cloned(), search.clone()));
        search
    }

    /// Where the user's configuration and templates are (`HEFESTO_HOME`, else the platform's directory).
    pub fn hefesto_home(&self) -> Option<PathBuf> {
        if let Some(dir) = self.var("HEFESTO_HOME") {
            return Some(PathBuf::from(dir));
        }
        let config = self.var(places::CONFIG).map(PathBuf::from).filter(|dir| dir.is_absolute());
        Some(config.or_else(|| Some(self.home()?.join(".config")))?.join("hefesto"))
    }

    /// Fixes the clock from `HEFESTO_NOW` or `SOURCE_DATE_EPOCH`, where they are set.
    /// Errors: E-CONFIG-001 when one of them is not a time.
    pub fn set_clock(&mut self) -> Result<()> {
        let wrong = |name: &str, value: &str, form: &str| {
            Error::new(Code::Config, format!("{name} is {value:?}, which is not {form}"))
                .suggest(format!("Set {name} to {form}, or unset it."))
        };
        if let Some(value) = self.var("HEFESTO_NOW") {
            self.clock = Some(value.parse().map_err(|_| wrong("HEFESTO_NOW", value, "an RFC 3339 time"))?);
        } else if let Some(value) = self.var("SOURCE_DATE_EPOCH") {
            let now = value.parse().ok().and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
            self.clock = Some(now.ok_or_else(|| wrong("SOURCE_DATE_EPOCH", value, "a number of seconds"))?);
        }
        Ok(())
    }

    /// Whether each stream shows colours, and its columns: `COLUMNS`, else those of its terminal, else 80. Only what a
    /// terminal shows is folded.
    pub fn set_look(&mut self, out: bool, err: bool) {
        self.style.colour = out || err;
        (self.out.colours, self.err.colours) = (out, err);
        let given = self.var("COLUMNS").and_then(|columns| columns.parse().ok());
        let width = |terminal: Option<Term>| {
            let size = || terminal.and_then(|terminal| terminal.size_checked());
            let columns = given.or_else(|| size().map(|(_, columns)| usize::from(columns)));
            columns.filter(|columns| *columns >= 20).unwrap_or(Style::plain().width)
        };
        let err = width(self.err_is_terminal.then(Term::stderr));
        self.style.width = if self.out_is_terminal { width(Some(Term::stdout())) } else { err };
        self.style.folds = self.out_is_terminal;
        self.err_width = err;
    }

    pub fn err_style(&self) -> Style {
        Style { width: self.err_width, folds: self.err_is_terminal, ..self.style }
    }

    /// How many rows the terminal on standard output has, where there is one that says so.
    pub fn rows(&self) -> Option<usize> {
        let size = self.out_is_terminal.then(|| Term::stdout().size_checked()).flatten();
        size.map(|(rows, _)| usize::from(rows)).filter(|rows| *rows > 0)
    }

    /// Seats the person: scripted answers, the terminal, or nobody. A prompter that was given stays.
    pub fn set_prompter(&mut self, answers: Option<crate::system::os::terminal::Source>, no_input: bool) {
        if let Some(file) = answers {
            self.prompter = Box::new(Scripted::receiving(file));
            self.scripted = true;
        } else if no_input {
            self.prompter = Box::new(NoInput);
        } else if self.input_is_terminal {
            let moves_cursor = self.err_is_terminal && self.var("TERM").is_some_and(|term| term != "dumb");
            self.prompter = Box::new(Terminal::new(self.err_style(), STANDS_IN && moves_cursor));
        }
    }

    pub fn now(&self) -> jiff::Timestamp {
        self.clock.unwrap_or_else(jiff::Timestamp::now)
    }

    pub fn stamp(&self) -> String {
        stamp(self.now())
    }

    /// Measures how long something takes. Always zero under a fixed clock.
    pub fn watch(&self) -> Watch {
        Watch(self.clock.is_none().then(Instant::now))
    }

    /// An id that sorts by time: 48 bits of milliseconds, 80 bits of chance, 26 characters (Crockford base 32).
    pub fn new_id(&mut self) -> String {
        let millis = self.now().as_millisecond().max(0) as u128;
        let mut noise = [0u8; 10];
        if let Some(count) = &mut self.counted {
            *count += 1;
            noise[2..].copy_from_slice(&count.to_be_bytes());
        } else {
            // Where the system gives no randomness the id has its time alone.
            let _ = getrandom::fill(&mut noise);
        }
        let mut value = (millis << 80) | noise.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
        let mut id = [0u8; 26];
        for place in id.iter_mut().rev() {
            *place = b"0123456789abcdefghjkmnpqrstvwxyz"[(value & 31) as usize];
            value >>= 5;
        }
        id.iter().map(|byte| char::from(*byte)).collect()
    }
}

/// A seal from the system's chance; the empty one, and thereby no colour, where there is none.
fn seal() -> Seal {
    let mut number = [0u8; 8];
    let filled = getrandom::fill(&mut number);
    Seal::new(if filled.is_ok() { u64::from_ne_bytes(number) } else { 0 })
}

/// A stopwatch: the time since it was started; it stands still under a fixed clock.
#[derive(Debug, Clone, Copy)]
pub struct Watch(Option<Instant>);

impl Watch {
    pub fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }

    pub fn ms(self) -> u64 {
        u64::try_from(self.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// RFC 3339 UTC to the second.
pub fn stamp(time: jiff::Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        Env::made("/".into(), &[("HOME", "/home/u"), ("EMPTY", "")], "2026-02-05T10:00:00Z".parse().unwrap())
    }

    #[test]
    fn ids_sort_by_time_and_never_repeat() {
        let mut env = env();
        let (first, second) = (env.new_id(), env.new_id());
        assert!(first < second);
        assert_eq!(first.len(), 26);
        env.clock = "2026-02-05T10:00:00.001Z".parse().ok();
        assert!(second < env.new_id());
        env.counted = None;
        assert_ne!(env.new_id(), env.new_id());
    }

    #[test]
    fn the_clock_is_fixed_from_the_environment_and_an_empty_variable_is_unset() {
        let mut env = env();
        assert_eq!(env.var("EMPTY"), None);
        assert_eq!(env.hefesto_home(), Some("/home/u/.config/hefesto".into()));
        for (name, value, stamp) in [
            ("SOURCE_DATE_EPOCH", "0", "1970-01-01T00:00:00Z"),
            ("HEFESTO_NOW", "2026-11-21T08:00:00+02:00", "2026-11-21T06:00:00Z"),
        ] {
            env.vars.insert(name.into(), value.into());
            env.set_clock().unwrap();
            assert_eq!(env.stamp(), stamp);
        }
        env.vars.insert("HEFESTO_NOW".into(), "soon".into());
        assert_eq!(env.set_clock().unwrap_err().code(), Code::Config);
    }
}

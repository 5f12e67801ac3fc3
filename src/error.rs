//! Errors: each has a code, an exit, a suggestion and everything a person needs to continue.

mod code;

use std::fmt;
use std::io;

use crate::rules::finding::Finding;

pub use code::{Code, Entry, Kind};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A coded failure: what, where, why, and what to do next.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: Code,
    message: String,
    suggestion: Option<String>,
    usage: Option<String>,
    exit: Exit,
    by_choice: bool,
    findings: Vec<Finding>,
    cause: Option<anyhow::Error>,
}

impl Error {
    /// An error with this code, and the code's own exit and suggestion.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self::caused(code, message.into(), None)
    }

    fn caused(code: Code, message: String, cause: Option<anyhow::Error>) -> Self {
        let (exit, findings) = (code.entry().exit, Vec::new());
        Self(Box::new(Inner { code, message, suggestion: None, usage: None, exit, by_choice: false, findings, cause }))
    }

    /// Sets what to do next, instead of the code's general suggestion.
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.0.suggestion = Some(suggestion.into());
        self
    }

    /// Adds the usage line: only if the command line was the cause.
    pub fn usage(mut self, usage: impl Into<String>) -> Self {
        self.0.usage = Some(usage.into());
        self
    }

    /// Replaces the exit, for codes whose exit depends on the situation.
    pub fn exit(mut self, exit: Exit) -> Self {
        self.0.exit = exit;
        self
    }

    /// Marks that a person chose this end: nothing failed.
    pub fn by_choice(mut self) -> Self {
        self.0.by_choice = true;
        self
    }

    /// Whether a person ended the command, with an answer or a signal.
    pub fn is_choice(&self) -> bool {
        self.0.by_choice || matches!(self.0.exit, Exit::Signal(_))
    }

    pub fn findings(mut self, findings: Vec<Finding>) -> Self {
        self.0.findings = findings;
        self
    }

    /// Attaches the technical cause; its chain is appended to the message.
    pub fn because(mut self, cause: impl Into<anyhow::Error>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    pub fn code(&self) -> Code {
        self.0.code
    }

    pub fn exit_with(&self) -> Exit {
        self.0.exit
    }

    /// What happened, with the chain of causes.
    pub fn message(&self) -> String {
        match &self.0.cause {
            Some(cause) => format!("{}: {}", self.0.message, chain(cause)),
            None => self.0.message.clone(),
        }
    }

    /// The failed system call behind it, if that was the cause.
    pub fn system(&self) -> Option<io::Error> {
        let cause = self.0.cause.as_ref()?;
        cause.chain().find_map(|part| {
            let error = part.downcast_ref::<io::Error>()?;
            let number = error.raw_os_error().map(io::Error::from_raw_os_error);
            Some(number.unwrap_or_else(|| io::Error::new(error.kind(), error.to_string())))
        })
    }

    pub fn suggestion(&self) -> &str {
        self.0.suggestion.as_deref().unwrap_or(self.0.code.entry().cure)
    }

    pub fn usage_line(&self) -> Option<&str> {
        self.0.usage.as_deref()
    }

    pub fn all_findings(&self) -> &[Finding] {
        &self.0.findings
    }
}

/// A technical cause with its chain, without repetitions: SQLite's errors repeat themselves.
pub fn chain(cause: &anyhow::Error) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in cause.chain().map(ToString::to_string) {
        let said = parts.last().is_some_and(|last| last.contains(&part) || part.ends_with(last.as_str()));
        if !said {
            parts.push(part);
        }
    }
    parts.join(": ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]: {}", self.code(), self.message())
    }
}

impl std::error::Error for Error {}

/// Gives any technical failure a code and a sentence of context.
pub trait Coded<T> {
    /// Turns the failure into a coded error; the cause's chain stays visible.
    fn coded(self, code: Code, message: impl Into<String>) -> Result<T>;

    /// [`Coded::coded`] with a lazily made message.
    fn coded_with(self, code: Code, message: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Into<anyhow::Error>> Coded<T> for std::result::Result<T, E> {
    fn coded(self, code: Code, message: impl Into<String>) -> Result<T> {
        self.map_err(|cause| Error::caused(code, message.into(), Some(cause.into())))
    }

    fn coded_with(self, code: Code, message: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|cause| Error::caused(code, message(), Some(cause.into())))
    }
}

/// A warning or note that does not stop the command.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// The code, `WARN-…`, `INFO-…` or a recovered `ERR-…`.
    pub code: Code,
    pub message: String,
}

impl Warning {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// How the process ends. The contract for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, or nothing to do.
    Done,
    /// 1: the request or the skill is not acceptable, or a check found something; nothing was written.
    Refused,
    /// 2: the command line is wrong.
    Usage,
    /// 3: a person declined, or nobody was there to ask.
    Declined,
    /// 4: the gate or a wizard prompt timed out.
    TimedOut,
    /// 5: busy, or changed meanwhile; try again.
    Busy,
    /// 6: writing failed; everything was rolled back.
    RolledBack,
    /// 7: writing failed and rollback is incomplete.
    Incomplete,
    /// 8: saved and committed; the last step was interrupted and the next command completes it.
    FinishPending,
    /// 70: a bug in hefesto.
    Bug,
    /// 128 + n: ended by signal n.
    Signal(u8),
}

impl Exit {
    pub fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Usage => 2,
            Self::Declined => 3,
            Self::TimedOut => 4,
            Self::Busy => 5,
            Self::RolledBack => 6,
            Self::Incomplete => 7,
            Self::FinishPending => 8,
            Self::Bug => 70,
            Self::Signal(n) => 128 + (n & 0x7f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_that_repeats_itself_is_said_once() {
        let deep = anyhow::anyhow!("Error code 26: file is not a database").context("file is not a database");
        assert_eq!(chain(&deep.context("opening memory.db")), "opening memory.db: file is not a database");
        assert_eq!(chain(&anyhow::anyhow!("b").context("a")), "a: b");
    }
}

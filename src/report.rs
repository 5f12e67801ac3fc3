//! What a command answers: data for scripts, text for people, and the exit.

use serde_json::Value;

use crate::error::Exit;

/// The answer of a command that did not fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The `data` of the JSON answer.
    pub data: Value,
    /// What is printed on standard output otherwise.
    pub text: String,
    /// A line for people behind the text: what they may do next. It is no data, so it goes to standard error.
    pub hint: Option<String>,
    /// 0, 1 where a check found something, 8 where the finishing is pending.
    pub exit: Exit,
}

impl Report {
    /// Done.
    pub fn done(data: Value, text: impl Into<String>) -> Self {
        Self { data, text: text.into(), hint: None, exit: Exit::Done }
    }

    /// With another exit.
    #[must_use]
    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

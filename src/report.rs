//! What a command answers: data for scripts, text for people, and the exit.

#[macro_use]
mod word_enum;
pub mod slashed;

use serde_json::Value;

use crate::error::Exit;

/// How an answer reaches standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// For people: what steers a terminal is spelled out wherever it goes.
    #[default]
    Text,
    Json,
    /// Somebody's own text: byte for byte, unless a terminal shows it.
    Exact,
}

/// The answer of a command that did not fail.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The `data` of the JSON answer.
    pub data: Value,
    /// What is printed on standard output otherwise.
    pub text: String,
    /// What kind of text that is.
    pub form: Form,
    /// A line for people behind the text: what they may do next. It is no data, so it goes to standard error.
    pub hint: Option<String>,
    /// 0, 1 where a check found something, 8 where the finishing is pending.
    pub exit: Exit,
}

impl Report {
    pub fn done(data: Value, text: impl Into<String>) -> Self {
        Self { data, text: text.into(), form: Form::Text, hint: None, exit: Exit::Done }
    }

    /// With its text as data of this form.
    pub fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

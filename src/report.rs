//! The report of a command: data for scripts, text for people, and the exit code.

#[macro_use]
mod word_enum;
pub mod slashed;

pub use slashed::Slashed;

use serde_json::Value;

use crate::error::Exit;

/// The form of an answer on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// For people: control characters are always escaped.
    #[default]
    Text,
    Json,
    /// A person's own text: byte for byte, unless shown on a terminal.
    Exact,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The `data` of the JSON answer.
    pub data: Value,
    /// The text on standard output otherwise.
    pub text: String,
    pub form: Form,
    /// A hint for people after the text, on standard error.
    pub hint: Option<String>,
    /// 0; 1 if a check found something; 8 if the last step is pending.
    pub exit: Exit,
}

impl Report {
    pub fn done(data: Value, text: impl Into<String>) -> Self {
        Self { data, text: text.into(), form: Form::Text, hint: None, exit: Exit::Done }
    }

    pub fn form(mut self, form: Form) -> Self {
        self.form = form;
        self
    }

    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

/// Reads one of these words as its place among them. One visitor serves all enums of words.
pub struct Words(pub &'static [&'static str]);

impl serde::de::Visitor<'_> for Words {
    type Value = usize;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("variant identifier")
    }

    fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<usize, E> {
        let at = self.0.iter().position(|known| *known == word);
        at.ok_or_else(|| E::unknown_variant(word, self.0))
    }
}

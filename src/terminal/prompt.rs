//! Prompts: a question is data, so it can be shown, scripted and compared.

mod choice;
mod editor;
mod interactive;
mod keyboard;
mod keys;
mod line_menu;
mod line_reader;
mod no_input;
mod paste;
mod pick;
mod question_line;
mod scripted;
mod terminal;

use std::io::{self, Write};
use std::time::Duration;

pub use choice::{Choice, choose};
pub use editor::{Edited, Text, edit, editor_command};
pub use keyboard::release;
pub use line_menu::{Choices, choose_many};
pub use no_input::NoInput;
pub use pick::{pick, pick_noted, wrong};
pub use scripted::Scripted;
pub use terminal::Terminal;

#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// The text of the question without the trailing mark; one line.
    pub text: &'a str,
    /// The answer of Enter alone. `None`: Enter alone is no answer and the caller asks again.
    pub default: Option<&'a str>,
    /// The possible answers; empty for free text. Shown after the text.
    pub choices: &'a [&'a str],
    /// Labels shown in a menu instead of the choices, in the same order.
    pub labels: &'a [String],
    /// Several of the choices may be given, separated by commas; the default names those preselected.
    pub several: bool,
    /// The answer of Esc in a menu.
    pub escape: Option<&'a str>,
    /// The time limit on a monotonic clock, from the call on. `None`: no limit.
    pub limit: Option<Duration>,
    /// Only a typed line answers: the markers of a paste are kept, so that a pasted word matches no choice. Set it
    /// wherever the answer is an approval: at the gate and at a collision.
    pub typed: bool,
    /// Keeps the lines of a paste separate; otherwise they are joined by blanks.
    pub multiline: bool,
    /// Takes the line as typed, with surrounding white space, and several lines that arrive together one by one: for
    /// the lines of a file.
    pub verbatim: bool,
    /// The flag that gives the answer, named when nobody is there.
    pub flag: &'a str,
}

impl<'a> Question<'a> {
    /// A question that only a typed line answers, within a limit.
    pub fn typed(text: &'a str, limit: Duration, flag: &'a str) -> Self {
        Self { text, limit: Some(limit), typed: true, flag, ..Self::default() }
    }
}

/// The result of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A line was given, trimmed of its line end and of surrounding white space. An empty line is replaced by the
    /// question's default, if any. A [`Question::verbatim`] line keeps its white space.
    Given(String),
    /// The limit ran out. A line that was begun and not ended with Enter does not count.
    TimedOut,
    /// Nobody is there: end of input, hangup, or no terminal at all. Never an approval.
    NobodyThere,
    /// Too many answers in a row matched no choice; only `pick` returns this.
    NotUnderstood,
    /// The process received this signal (2, 15 or 1).
    Signal(u8),
}

impl Answer {
    /// A line of input as an answer: decoded, trimmed unless verbatim, and the default
    /// if it is blank.
    fn from_line(line: &[u8], question: &Question<'_>) -> Self {
        let line = String::from_utf8_lossy(line);
        let line = if question.typed { line.into_owned() } else { paste::unmarked(&line) };
        if question.verbatim {
            return Self::Given(line.trim_end_matches(['\r', '\n']).to_owned());
        }
        let between = if question.multiline { "\n" } else { " " };
        let line = line.trim().lines().map(str::trim_end).collect::<Vec<_>>().join(between);
        match (line.as_str(), question.default) {
            ("", Some(default)) => Self::Given(default.to_owned()),
            _ => Self::Given(line),
        }
    }
}

/// The source of answers: [`Terminal`], [`Scripted`] or [`NoInput`].
pub trait Prompter {
    /// Shows the question on `screen` and waits for one answer.
    ///
    /// Failing to show is not an error (a closed screen must not turn into an answer).
    /// Errors: when reading fails in a way that is neither the end of input nor a hangup.
    fn ask(&mut self, question: &Question<'_>, screen: &mut dyn Write) -> io::Result<Answer>;

    /// Whether a question can have any answer but `NobodyThere`.
    fn present(&self) -> bool;

    /// How many wrong answers in a row end the question. A person has no limit.
    fn attempts(&self) -> usize {
        usize::MAX
    }
}

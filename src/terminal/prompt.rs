//! Asking a person: a question is data, so it can be shown, scripted and compared.

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
pub use line_menu::{Choices, choose_many};
pub use no_input::NoInput;
pub use pick::{pick, pick_noted, wrong};
pub use scripted::Scripted;
pub use terminal::Terminal;

/// One line that is asked for.
#[derive(Debug, Clone, Default)]
pub struct Question<'a> {
    /// What is asked, without the trailing mark; one line.
    pub text: &'a str,
    /// What Enter alone answers. `None`: Enter alone is no answer and the caller asks again.
    pub default: Option<&'a str>,
    /// The answers that can be given, for choices; empty for free text. Shown after the text.
    pub choices: &'a [&'a str],
    /// What a menu shows in place of the choices, in their order.
    pub labels: &'a [String],
    /// Several of the choices may be given, with commas between them; the default names those that are chosen at first.
    pub several: bool,
    /// What Esc answers where keys are read.
    pub escape: Option<&'a str>,
    /// How much time is left to answer, counted on a monotonic clock from the call on. `None`: no limit.
    pub limit: Option<Duration>,
    /// Only a typed line answers: the markers of a paste stay in it, so that a pasted word is none of the choices. Set
    /// it wherever the answer permits something: at the gate and at a collision.
    pub typed: bool,
    /// Keeps the lines of a paste apart; otherwise they are joined by blanks.
    pub multiline: bool,
    /// Takes the line as it was typed, with the white space around it, and several lines that arrive together one by
    /// one: for the lines of a file.
    pub verbatim: bool,
    /// The flag that would have answered, named when nobody is there.
    pub flag: &'a str,
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A line was given, trimmed of its line end and of white space around it. An empty line is given as the
    /// question's default; without a default it stays empty. A [`Question::verbatim`] line keeps its white space.
    Given(String),
    /// The limit ran out. A line that was begun and not ended with Enter does not count.
    TimedOut,
    /// Nobody is there: end of input, hangup, or no terminal at all. Never an approval.
    NobodyThere,
    /// So many answers in a row were none of the choices that no more are read; only `pick` gives this.
    NotUnderstood,
    /// The process received this signal (2, 15 or 1).
    Signal(u8),
}

impl Answer {
    /// The answer a line of input is to a question: decoded, trimmed unless it is taken verbatim, and the default
    /// where it is blank.
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

/// Who answers. Three real ones: [`Terminal`], [`Scripted`] and [`NoInput`].
pub trait Prompter {
    /// Shows the question on `screen` and waits for one answer.
    ///
    /// Failing to show is not an error (a closed screen must not turn into an answer).
    /// Errors: when reading fails in a way that is neither the end of input nor a hangup.
    fn ask(&mut self, question: &Question<'_>, screen: &mut dyn Write) -> io::Result<Answer>;

    /// Whether asking can have any answer but `NobodyThere`.
    fn present(&self) -> bool;

    /// How many answers in a row may be wrong before no more are asked for. A person has no limit.
    fn attempts(&self) -> usize {
        usize::MAX
    }
}

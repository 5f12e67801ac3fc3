//! Prompts: a question is data, so it can be shown, scripted and compared.

mod answers;
mod editor;
mod interactive;
mod keyboard;
mod line_reader;
mod pick;

use std::io::{self, Write};
use std::time::{Duration, Instant};

pub use answers::{Scripted, Terminal};
pub use editor::{Edited, Text, edit, editor_command};
pub use keyboard::release;
pub use pick::{Choice, Choices, choose, choose_many, pick, wrong};

use super::ui::Style;

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
    /// Keeps the lines of a paste separate; otherwise they are joined by blanks, or with `join`.
    pub multiline: bool,
    /// Makes one line of the lines of a paste.
    pub join: Option<fn(&str) -> String>,
    /// Takes the line as typed, with surrounding white space, and several lines that arrive together one by one: for
    /// the lines of a file.
    pub verbatim: bool,
    /// The flag that gives the answer, named when nobody is there.
    pub flag: &'a str,
}

impl<'a> Question<'a> {
    /// The lines of an answer as the question takes them.
    fn joined(&self, answer: &str) -> String {
        let lines = || answer.trim().lines().map(str::trim_end).collect::<Vec<_>>();
        match self.join {
            _ if self.multiline => lines().join("\n"),
            Some(join) => join(answer),
            None => lines().join(" "),
        }
    }

    /// A question that only a typed line answers, within a limit.
    pub fn typed(text: &'a str, limit: Duration, flag: &'a str) -> Self {
        Self { text, limit: Some(limit), typed: true, flag, ..Self::default() }
    }
}

/// A question while it is asked: until it is answered, a signal comes or the time is over.
struct Asking<'a> {
    question: &'a Question<'a>,
    style: Style,
    watch: &'a super::signal::Watch,
    deadline: Option<Instant>,
}

impl Asking<'_> {
    /// The time left to answer.
    fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

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
    /// A line of input as an answer: decoded, trimmed unless verbatim, and the default if it is blank.
    fn from_line(line: &[u8], question: &Question<'_>) -> Self {
        let line = String::from_utf8_lossy(line);
        let line = if question.typed { line.into_owned() } else { line_reader::unmarked(&line) };
        if question.verbatim {
            return Self::Given(line.trim_end_matches(['\r', '\n']).to_owned());
        }
        let line = question.joined(&line);
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

/// Answers "nobody there": `--no-input`, or standard input is not a terminal. Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoInput;

impl Prompter for NoInput {
    fn ask(&mut self, _question: &Question<'_>, _screen: &mut dyn Write) -> io::Result<Answer> {
        Ok(Answer::NobodyThere)
    }

    fn present(&self) -> bool {
        false
    }
}

/// The line shown, without a line end: `Approve? [approve/reject] (120 s) > `, after the entries of a menu.
fn shown(question: &Question<'_>, left: Option<Duration>, style: Style) -> String {
    let mut line = pick::numbered(question.labels);
    line.push_str(&style.strong(question.text));
    if question.several {
        line.push_str(&format!(" {}", style.dim("[numbers or names, or all]")));
    } else if !question.choices.is_empty() {
        line.push_str(&format!(" {}", style.dim(&format!("[{}]", offered(question.choices)))));
    }
    if let Some(default) = question.default {
        line.push_str(&format!(" {}", style.head(&format!("(Enter: {default})"))));
    }
    if let Some(left) = left {
        let space = if line.is_empty() { "" } else { " " };
        line.push_str(&format!("{space}{}", style.dim(&format!("({} s)", seconds(left)))));
    }
    line.push_str(if line.is_empty() { "> " } else { " > " });
    line
}

/// The choices in a line; those that end in a number are one, `reject-memory N`.
fn offered(choices: &[&str]) -> String {
    let unnumbered = |choice: &&str| match choice.rsplit_once(' ') {
        Some((word, number)) if number.parse::<usize>().is_ok() => format!("{word} N"),
        _ => (*choice).to_owned(),
    };
    let mut words: Vec<String> = choices.iter().map(unnumbered).collect();
    words.dedup();
    words.join("/")
}

/// A question line broken between words: what stands above its last line, and that line.
fn broken(line: &str, style: Style) -> (String, String) {
    // The time left stays in one piece.
    let folded = style.fold(&line.trim_end().replace(" s)", "\u{a0}s)"), 2).replace("\u{a0}s)", " s)");
    match folded.rsplit_once('\n') {
        Some((above, last)) => (format!("{above}\n"), format!("{last} ")),
        None => (String::new(), format!("{folded} ")),
    }
}

/// Whole seconds, rounded up: never 0 before the limit.
fn seconds(left: Duration) -> u64 {
    left.as_secs().saturating_add(u64::from(left.subsec_nanos() > 0))
}

/// An answer escaped for display: control characters in it must not reach the terminal.
fn printable(line: &str) -> String {
    line.chars().map(|char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::ui::Seal;

    fn gate<'a>() -> Question<'a> {
        Question { text: "Approve?", choices: &["approve", "reject"], ..Question::default() }
    }

    #[test]
    fn the_time_left_is_shown_and_rounded_up_and_what_enter_means_is_shown() {
        let line = |millis| shown(&gate(), Some(Duration::from_millis(millis)), Style::plain());
        assert_eq!(line(120_000), "Approve? [approve/reject] (120 s) > ");
        assert_eq!(line(61_001), "Approve? [approve/reject] (62 s) > ");
        assert_eq!(line(1), "Approve? [approve/reject] (1 s) > ");
        assert!(shown(&gate(), Some(Duration::MAX), Style::plain()).contains("(18446744073709551615 s)"));
        let question = Question { text: "Name", default: Some("review-code"), ..Question::default() };
        assert_eq!(shown(&question, None, Style::plain()), "Name (Enter: review-code) > ");
    }

    #[test]
    fn pasted_lines_are_joined_as_the_question_says() {
        let answer = |question: &Question<'_>| Answer::from_line(b" a \nb\n", question);
        let given = |text: &str| Answer::Given(text.to_owned());
        assert_eq!(answer(&Question::default()), given("a b"));
        assert_eq!(answer(&Question { multiline: true, ..Question::default() }), given("a\nb"));
        let join = Some((|text| text.replace('\n', ";")) as fn(&str) -> String);
        assert_eq!(answer(&Question { join, ..Question::default() }), given(" a ;b;"));
    }

    #[test]
    fn colour_is_all_that_style_adds() {
        let style = Style { colour: true, seal: Seal::new(7), ..Style::plain() };
        let styled = style.seal.visible(&shown(&gate(), Some(Duration::from_secs(3)), style));
        assert!(styled.contains("\u{1b}["));
        assert_eq!(console::strip_ansi_codes(&styled), shown(&gate(), Some(Duration::from_secs(3)), Style::plain()));
    }

    #[test]
    fn a_line_wider_than_the_terminal_is_broken_between_words() {
        let style = Style { folds: true, width: 30, ..Style::plain() };
        let line = shown(&gate(), Some(Duration::from_secs(120)), style);
        assert_eq!(broken(&line, style), ("Approve? [approve/reject]\n".to_owned(), "  (120 s) > ".to_owned()));
        let wide = Style { width: 80, ..style };
        assert_eq!(broken(&line, wide), (String::new(), line));
        let many = Question { choices: &["edit", "drop 1", "drop 2"], ..gate() };
        assert_eq!(shown(&many, None, style), "Approve? [edit/drop N] > ");
        let content = Question { multiline: true, ..Question::default() };
        assert_eq!(shown(&content, Some(Duration::from_secs(9)), style), "(9 s) > ");
    }
}

//! A person at a terminal: asked with menus and editable lines if the terminal supports them, otherwise line by line,
//! and always line by line for approvals.
//!
//! A line is read in the terminal's own mode: its settings are not changed and the cursor is not hidden.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::line_reader::{LONGEST_LINE, LineEvent, LineReader};
use super::question_line::{broken, shown};
use super::{Answer, Prompter, Question, interactive, paste};
use crate::system::os::source::Source;
use crate::terminal::signal::Watch;
use crate::terminal::ui::Style;

/// Asks on the terminal that is standard input.
#[derive(Debug)]
pub struct Terminal {
    reader: LineReader,
    style: Style,
    keys: bool,
}

/// How long to wait for the signal after a hangup.
pub(super) const HANGUP_SIGNAL: Duration = Duration::from_millis(200);

impl Terminal {
    /// A prompter on standard input. With `keys`, standard error is a terminal that can move its cursor.
    pub fn new(style: Style, keys: bool) -> Self {
        Self { reader: LineReader::new(Source::stdin()), style, keys }
    }

    fn wait(
        &mut self,
        question: &Question<'_>,
        screen: &mut dyn Write,
        watch: &Watch,
        deadline: Option<Instant>,
    ) -> io::Result<Answer> {
        loop {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let (above, last) = broken(&shown(question, left, self.style), self.style);
            show(screen, &format!("{above}{last}"));
            match paste::answer(&mut self.reader, question, watch, deadline, screen)? {
                LineEvent::Line(line) => return Ok(Answer::from_line(&line, question)),
                LineEvent::TooLong => {
                    let (line, all) = (paste::CUT_AT, LONGEST_LINE / 1024);
                    show(screen, &format!("Not taken: a line has at most {line} bytes, a paste {all} KiB.\n"));
                }
                LineEvent::Late => {
                    // A partial answer must not become the start of the shell's next command.
                    self.reader.discard();
                    return Ok(Answer::TimedOut);
                }
                LineEvent::End { hangup, .. } => {
                    let signal = if hangup { watch.within(HANGUP_SIGNAL) } else { None };
                    return Ok(signal.map_or(Answer::NobodyThere, Answer::Signal));
                }
                LineEvent::Signal(signal) => return Ok(Answer::Signal(signal)),
            }
        }
    }
}

impl Prompter for Terminal {
    fn ask(&mut self, question: &Question<'_>, screen: &mut dyn Write) -> io::Result<Answer> {
        if !self.present() {
            return Ok(Answer::NobodyThere);
        }
        let deadline = question.limit.and_then(|limit| Instant::now().checked_add(limit));
        let watch = Watch::open()?;
        if !question.verbatim {
            // What was typed or pasted before the question was shown does not answer it.
            self.reader.discard();
        }
        let interactive = self.keys && !question.typed && !question.multiline && !question.verbatim;
        let answer = if interactive {
            interactive::ask(question, self.style, screen, &watch, deadline)
        } else {
            self.wait(question, screen, &watch, deadline)
        };
        let answer = match watch.close() {
            Some(signal) => Ok(Answer::Signal(signal)),
            None => answer,
        };
        if !interactive && !matches!(answer, Ok(Answer::Given(_))) {
            show(screen, "\n");
        }
        answer
    }

    #[expect(clippy::disallowed_methods, reason = "access to the terminal")]
    fn present(&self) -> bool {
        io::stdin().is_terminal()
    }
}

/// Shows a text; a closed screen is ignored.
pub(super) fn show(screen: &mut dyn Write, text: &str) {
    let _ = screen.write_all(text.as_bytes());
    let _ = screen.flush();
}

//! Who answers: a person at a terminal, or the lines of a file or another program.
//!
//! A person is asked with menus and editable lines if the terminal supports them, otherwise line by line, and always line
//! by line for approvals. A line is read in the terminal's own mode: its settings are not changed and the cursor is not
//! hidden.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use super::line_reader::{self, LONGEST_LINE, LineEvent, LineReader};
use super::{Answer, Asking, Prompter, Question, broken, interactive, printable, shown};
use crate::system::os::terminal::Source;
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

    fn wait(&mut self, asking: &Asking<'_>, screen: &mut dyn Write) -> io::Result<Answer> {
        loop {
            let (above, last) = broken(&shown(asking.question, asking.left(), self.style), self.style);
            show(screen, &format!("{above}{last}"));
            match line_reader::answer(&mut self.reader, asking, screen)? {
                LineEvent::Line(line) => return Ok(Answer::from_line(&line, asking.question)),
                LineEvent::TooLong => {
                    let (line, all) = (line_reader::CUT_AT, LONGEST_LINE / 1024);
                    show(screen, &format!("Not taken: a line has at most {line} bytes, a paste {all} KiB.\n"));
                }
                LineEvent::Late => {
                    // A partial answer must not become the start of the shell's next command.
                    self.reader.discard();
                    return Ok(Answer::TimedOut);
                }
                LineEvent::End { hangup, .. } => {
                    let signal = if hangup { asking.watch.within(HANGUP_SIGNAL) } else { None };
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
        let asking = Asking { question, style: self.style, watch: &watch, deadline };
        let answer = if interactive { interactive::ask(&asking, screen) } else { self.wait(&asking, screen) };
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

/// Answers each question with the next line; the end of the lines is "nobody there".
///
/// Question and answer are both shown, so that a transcript reads like a conversation.
#[derive(Debug)]
pub struct Scripted(LineReader);

impl Scripted {
    /// Answers with the lines of a file, a pipe or standard input. The limit of a question and signals apply while it
    /// waits.
    pub fn receiving(source: impl Into<Source>) -> Self {
        Self(LineReader::new(source.into()))
    }

    /// Answers with the lines of this text.
    #[cfg(test)]
    pub(super) fn saying(text: impl AsRef<[u8]>) -> Self {
        use std::io::Seek;
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_ref()).unwrap();
        file.rewind().unwrap();
        Self::receiving(file)
    }
}

impl Prompter for Scripted {
    fn ask(&mut self, question: &Question<'_>, screen: &mut dyn Write) -> io::Result<Answer> {
        show(screen, &shown(question, question.limit, Style::plain()));
        let answer = receive(&mut self.0, question);
        let echo = if let Ok(Answer::Given(line)) = &answer { printable(line) } else { String::new() };
        show(screen, &format!("{echo}\n"));
        answer
    }

    fn present(&self) -> bool {
        true
    }

    fn attempts(&self) -> usize {
        3
    }
}

/// One line, with the question's limit. A last line without its end counts: a file often ends so.
fn receive(reader: &mut LineReader, question: &Question<'_>) -> io::Result<Answer> {
    let deadline = question.limit.and_then(|limit| Instant::now().checked_add(limit));
    let watch = Watch::open()?;
    let event = reader.next(&watch, deadline)?;
    if let Some(signal) = watch.close() {
        return Ok(Answer::Signal(signal));
    }
    match event {
        LineEvent::Line(line) => Ok(Answer::from_line(&line, question)),
        LineEvent::End { rest, .. } if !rest.is_empty() => Ok(Answer::from_line(&rest, question)),
        LineEvent::End { .. } => Ok(Answer::NobodyThere),
        LineEvent::Late => Ok(Answer::TimedOut),
        LineEvent::Signal(signal) => Ok(Answer::Signal(signal)),
        LineEvent::TooLong => {
            let message = format!("a line of the answers is longer than {LONGEST_LINE} bytes");
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn name() -> Question<'static> {
        Question { text: "Name", default: Some("review-code"), flag: "--name", ..Question::default() }
    }

    fn gate() -> Question<'static> {
        let (choices, limit) = (&["approve", "reject"], Some(Duration::from_secs(120)));
        Question { text: "Approve?", choices, limit, typed: true, flag: "--yes", ..Question::default() }
    }

    fn given(line: &str) -> Answer {
        Answer::Given(line.to_owned())
    }

    fn ask(prompter: &mut Scripted, question: &Question<'_>) -> Answer {
        prompter.ask(question, &mut io::sink()).unwrap()
    }

    #[test]
    fn lines_answer_in_order_and_their_end_is_nobody() {
        let mut person = Scripted::saying("  check-links \n\n\n");
        assert_eq!(ask(&mut person, &name()), given("check-links"));
        assert_eq!(ask(&mut person, &name()), given("review-code"), "an empty line is Enter");
        assert_eq!(ask(&mut person, &gate()), given(""), "Enter has no meaning without a default");
        assert_eq!(ask(&mut person, &gate()), Answer::NobodyThere);
        assert_eq!(ask(&mut person, &gate()), Answer::NobodyThere);
        assert!(person.present());
        let mut person = Scripted::saying(b"one\r\n\xff\xfe\nlast");
        assert_eq!(ask(&mut person, &gate()), given("one"));
        assert_eq!(ask(&mut person, &gate()), given("\u{fffd}\u{fffd}"));
        assert_eq!(ask(&mut person, &gate()), given("last"));
        assert_eq!(ask(&mut person, &gate()), Answer::NobodyThere);
        let mut person = Scripted::saying("A".repeat(LONGEST_LINE + 1));
        let error = person.ask(&gate(), &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "a line without an end does not fill the memory");
        let mut person = Scripted::saying(b"    return 1  \r\n\n");
        let content = Question { verbatim: true, ..name() };
        assert_eq!(ask(&mut person, &content), given("    return 1  "), "white space is content");
        assert_eq!(ask(&mut person, &content), given(""), "an empty line of a text is no Enter");
    }

    #[test]
    fn a_transcript_shows_question_and_answer() {
        let mut screen = Vec::new();
        assert_eq!(
            super::super::NoInput.ask(&name(), &mut screen).unwrap(),
            Answer::NobodyThere,
            "without its default"
        );
        assert!(screen.is_empty() && !super::super::NoInput.present());
        let mut person = Scripted::saying("check-links\napp\u{1b}[2Jrove\n");
        for question in [&name(), &gate(), &gate()] {
            person.ask(question, &mut screen).unwrap();
        }
        assert_eq!(
            String::from_utf8(screen).unwrap(),
            "Name (Enter: review-code) > check-links\n\
             Approve? [approve/reject] (120 s) > app\u{fffd}[2Jrove\n\
             Approve? [approve/reject] (120 s) > \n"
        );
    }

    #[test]
    fn a_pipe_is_answered_as_it_comes_and_a_silent_one_runs_into_the_limit() {
        let (mut to, from) = UnixStream::pair().unwrap();
        let mut person = Scripted::receiving(OwnedFd::from(from));
        to.write_all(b"check-links\n").unwrap();
        assert_eq!(ask(&mut person, &name()), given("check-links"));
        let soon = Question { limit: Some(Duration::from_millis(50)), ..gate() };
        assert_eq!(ask(&mut person, &soon), Answer::TimedOut);
        to.write_all(b"approve").unwrap();
        drop(to);
        assert_eq!(ask(&mut person, &gate()), given("approve"));
        assert_eq!(ask(&mut person, &gate()), Answer::NobodyThere);
    }

    #[test]
    fn a_closed_screen_does_not_change_the_answer() {
        let (mut closed, other) = UnixStream::pair().unwrap();
        drop(other);
        assert_eq!(closed.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(Scripted::saying("approve").ask(&gate(), &mut closed).unwrap(), given("approve"));
    }
}

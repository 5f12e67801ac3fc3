//! Answers from a file or from another program.

use std::io::{self, Write};
use std::time::Instant;

use super::line_reader::{LONGEST_LINE, LineEvent, LineReader};
use super::question_line::{printable, shown};
use super::{Answer, Prompter, Question};
use crate::system::os::source::Source;
use crate::terminal::signal::Watch;
use crate::terminal::ui::Style;

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
        let _ = write!(screen, "{}", shown(question, question.limit, Style::plain()));
        let _ = screen.flush();
        let answer = receive(&mut self.0, question);
        let echo = if let Ok(Answer::Given(line)) = &answer { printable(line) } else { String::new() };
        let _ = writeln!(screen, "{echo}");
        let _ = screen.flush();
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
        LineEvent::TooLong => Err(too_long()),
    }
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a line of the answers is longer than {LONGEST_LINE} bytes"))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

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
    }

    #[test]
    fn a_transcript_shows_question_and_answer() {
        let mut screen = Vec::new();
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
    fn a_file_is_read_line_by_line() {
        let mut person = Scripted::saying(b"one\r\n\xff\xfe\nlast");
        assert_eq!(ask(&mut person, &gate()), given("one"));
        assert_eq!(ask(&mut person, &gate()), given("\u{fffd}\u{fffd}"));
        assert_eq!(ask(&mut person, &gate()), given("last"));
        assert_eq!(ask(&mut person, &gate()), Answer::NobodyThere);
    }

    #[test]
    fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
        let mut person = Scripted::saying("A".repeat(LONGEST_LINE + 1));
        let error = person.ask(&gate(), &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_pipe_is_answered_as_it_comes() {
        let (mut to, from) = UnixStream::pair().unwrap();
        let mut person = Scripted::receiving(OwnedFd::from(from));
        to.write_all(b"check-links\n").unwrap();
        assert_eq!(ask(&mut person, &name()), given("check-links"));
        to.write_all(b"approve").unwrap();
        drop(to);
        assert_eq!(ask(&mut person, &gate()), given("approve"));
        assert_eq!(ask(&mut person, &gate()), Answer::NobodyThere);
    }

    #[test]
    fn content_keeps_the_white_space_around_it() {
        let mut person = Scripted::saying(b"    return 1  \r\n\n");
        let question = Question { verbatim: true, ..name() };
        assert_eq!(ask(&mut person, &question), given("    return 1  "));
        assert_eq!(ask(&mut person, &question), given(""), "an empty line of a text is no Enter");
    }

    #[test]
    fn a_silent_pipe_runs_into_the_limit() {
        let (_to, from) = UnixStream::pair().unwrap();
        let question = Question { limit: Some(Duration::from_millis(50)), ..gate() };
        assert_eq!(ask(&mut Scripted::receiving(OwnedFd::from(from)), &question), Answer::TimedOut);
    }

    #[test]
    fn a_closed_screen_does_not_change_the_answer() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
        }
        assert_eq!(Scripted::saying("approve").ask(&gate(), &mut Closed).unwrap(), given("approve"));
    }
}

//! Answers that were written beforehand, or that another program sends.

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::os::fd::OwnedFd;
use std::time::Instant;

use super::line_reader::{Heard, LONGEST_LINE, LineReader};
use super::question_line::{printable, shown};
use super::{Answer, Prompter, Question};
use crate::terminal::signal::Watch;
use crate::terminal::ui::Style;

/// Answers each question with the next line; the end of the lines is "nobody there".
///
/// Question and answer are both shown, so that a transcript reads like a conversation.
pub struct Scripted(Source);

enum Source {
    Lines(Box<dyn Iterator<Item = String>>),
    Reader(Box<dyn BufRead>),
    LineReader(LineReader<OwnedFd>),
}

impl Scripted {
    pub fn new(lines: impl IntoIterator<Item = String>) -> Self {
        Self(Source::Lines(Box::new(lines.into_iter().collect::<Vec<_>>().into_iter())))
    }

    /// Answers with the lines of `reader`, reading one line per question. A reader that blocks, blocks: a
    /// question's limit and signals do not reach into it.
    pub fn reading(reader: Box<dyn BufRead>) -> Self {
        Self(Source::Reader(reader))
    }

    /// Answers with the lines that come from `file`: a file, a pipe, standard input. The limit of a question
    /// holds and signals are noticed while it waits.
    pub fn receiving(file: OwnedFd) -> Self {
        Self(Source::LineReader(LineReader::new(file)))
    }
}

impl Source {
    fn next(&mut self, question: &Question<'_>) -> io::Result<Answer> {
        let line = match self {
            Self::Lines(lines) => lines.next().map(String::into_bytes),
            Self::Reader(reader) => next_line(reader)?,
            Self::LineReader(reader) => return receive(reader, question),
        };
        Ok(line.map_or(Answer::NobodyThere, |line| Answer::from_line(&line, question)))
    }
}

impl Prompter for Scripted {
    fn ask(&mut self, question: &Question<'_>, screen: &mut dyn Write) -> io::Result<Answer> {
        let _ = write!(screen, "{}", shown(question, question.limit, Style::plain()));
        let _ = screen.flush();
        let answer = self.0.next(question);
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

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Source::Lines(_) => "Scripted(lines)",
            Source::Reader(_) => "Scripted(reader)",
            Source::LineReader(_) => "Scripted(descriptor)",
        })
    }
}

/// One line of a reader without its line end; `None` at the end.
fn next_line(reader: &mut dyn BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = u64::try_from(LONGEST_LINE).unwrap_or(u64::MAX).saturating_add(1);
    reader.take(most).read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LONGEST_LINE {
        return Err(too_long());
    }
    Ok(Some(line))
}

/// One line of a descriptor, with the question's limit. A last line without its end counts: a file often ends so.
fn receive(reader: &mut LineReader<OwnedFd>, question: &Question<'_>) -> io::Result<Answer> {
    let deadline = question.limit.and_then(|limit| Instant::now().checked_add(limit));
    let watch = Watch::open()?;
    let heard = reader.next(&watch, deadline)?;
    if let Some(signal) = watch.close() {
        return Ok(Answer::Signal(signal));
    }
    match heard {
        Heard::Line(line) => Ok(Answer::from_line(&line, question)),
        Heard::End { rest, .. } if !rest.is_empty() => Ok(Answer::from_line(&rest, question)),
        Heard::End { .. } => Ok(Answer::NobodyThere),
        Heard::Late => Ok(Answer::TimedOut),
        Heard::Signal(signal) => Ok(Answer::Signal(signal)),
        Heard::TooLong => Err(too_long()),
    }
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("a line of the answers is longer than {LONGEST_LINE} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    const NAME: Question<'static> = Question {
        text: "Name",
        default: Some("review-code"),
        choices: &[],
        labels: &[],
        several: false,
        escape: None,
        limit: None,
        typed: false,
        multiline: false,
        verbatim: false,
        flag: "--name",
    };
    const GATE: Question<'static> = Question {
        text: "Approve?",
        default: None,
        choices: &["approve", "reject"],
        labels: &[],
        several: false,
        escape: None,
        limit: Some(Duration::from_secs(120)),
        typed: true,
        multiline: false,
        verbatim: false,
        flag: "--yes",
    };

    fn given(line: &str) -> Answer {
        Answer::Given(line.to_owned())
    }

    fn ask(prompter: &mut Scripted, question: &Question<'_>) -> Answer {
        prompter.ask(question, &mut io::sink()).unwrap()
    }

    #[test]
    fn lines_answer_in_order_and_their_end_is_nobody() {
        let mut person = Scripted::new(["  check-links ".to_owned(), String::new(), String::new()]);
        assert_eq!(ask(&mut person, &NAME), given("check-links"));
        assert_eq!(ask(&mut person, &NAME), given("review-code"), "an empty line is Enter");
        assert_eq!(ask(&mut person, &GATE), given(""), "Enter has no meaning without a default");
        assert_eq!(ask(&mut person, &GATE), Answer::NobodyThere);
        assert_eq!(ask(&mut person, &GATE), Answer::NobodyThere);
        assert!(person.present());
    }

    #[test]
    fn a_transcript_shows_question_and_answer() {
        let mut screen = Vec::new();
        let mut person = Scripted::new(["check-links".to_owned(), "app\u{1b}[2Jrove".to_owned()]);
        for question in [&NAME, &GATE, &GATE] {
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
    fn a_reader_is_read_line_by_line() {
        let mut person = Scripted::reading(Box::new(Cursor::new(b"one\r\n\xff\xfe\nlast".to_vec())));
        assert_eq!(ask(&mut person, &GATE), given("one"));
        assert_eq!(ask(&mut person, &GATE), given("\u{fffd}\u{fffd}"));
        assert_eq!(ask(&mut person, &GATE), given("last"));
        assert_eq!(ask(&mut person, &GATE), Answer::NobodyThere);
    }

    #[test]
    fn a_line_without_an_end_is_refused_before_it_fills_the_memory() {
        let mut person = Scripted::reading(Box::new(io::BufReader::new(io::repeat(b'A'))));
        let error = person.ask(&GATE, &mut io::sink()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }

    #[test]
    fn a_pipe_is_answered_as_it_comes() {
        let (mut to, from) = UnixStream::pair().unwrap();
        let mut person = Scripted::receiving(from.into());
        to.write_all(b"check-links\n").unwrap();
        assert_eq!(ask(&mut person, &NAME), given("check-links"));
        to.write_all(b"approve").unwrap();
        drop(to);
        assert_eq!(ask(&mut person, &GATE), given("approve"));
        assert_eq!(ask(&mut person, &GATE), Answer::NobodyThere);
    }

    #[test]
    fn content_keeps_the_white_space_around_it() {
        let mut person = Scripted::reading(Box::new(Cursor::new(b"    return 1  \r\n\n".to_vec())));
        let question = Question { verbatim: true, ..NAME };
        assert_eq!(ask(&mut person, &question), given("    return 1  "));
        assert_eq!(ask(&mut person, &question), given(""), "an empty line of a text is no Enter");
    }

    #[test]
    fn a_silent_pipe_runs_into_the_limit() {
        let (_to, from) = UnixStream::pair().unwrap();
        let question = Question { limit: Some(Duration::from_millis(50)), ..GATE };
        assert_eq!(ask(&mut Scripted::receiving(from.into()), &question), Answer::TimedOut);
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
        assert_eq!(Scripted::new(["approve".to_owned()]).ask(&GATE, &mut Closed).unwrap(), given("approve"));
    }
}

//! Detects pastes: lines that arrive together are one answer.
//!
//! With bracketed paste the terminal marks the end. Without it the lines arrive faster than anybody types, but the last
//! one only after Enter is pressed; so Enter is asked for.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::Question;
use super::keys::{PASTE_BEGINS, PASTE_ENDS};
use super::line_reader::{LONGEST_LINE, LineEvent, LineReader};
use super::terminal::show;
use crate::terminal::signal::Watch;

/// The number of bytes after which a terminal truncates a line.
pub(super) const CUT_AT: usize = 4095;

/// Lines closer together than this were not typed.
const TOGETHER: Duration = Duration::from_millis(50);

/// Waits for one answer: a line, or all lines of a paste with line ends between them.
pub(super) fn answer(
    reader: &mut LineReader,
    question: &Question<'_>,
    watch: &Watch,
    deadline: Option<Instant>,
    screen: &mut dyn Write,
) -> io::Result<LineEvent> {
    let mut lines: Vec<u8> = Vec::new();
    loop {
        match reader.next(watch, deadline)? {
            LineEvent::Line(line) if line.len() < CUT_AT => append(&mut lines, &line),
            LineEvent::Line(_) => return Ok(LineEvent::TooLong),
            other => return Ok(other),
        }
        if question.verbatim {
            return Ok(LineEvent::Line(lines));
        }
        let alone = lines.len();
        match together(reader, &mut lines, question, watch, deadline)? {
            LineEvent::Line(_) => {}
            other => return Ok(other),
        }
        let text = String::from_utf8_lossy(&lines);
        let count = text.lines().filter(|line| !line.trim().is_empty()).count();
        if question.typed || lines.len() == alone || text.contains(PASTE_ENDS) || count < 2 {
            return Ok(LineEvent::Line(lines));
        }
        show(screen, "\nSeveral lines were pasted; press Enter to finish the answer.\n");
    }
}

/// Appends the lines that follow at once, or up to the end of an open paste.
fn together(
    reader: &mut LineReader,
    lines: &mut Vec<u8>,
    question: &Question<'_>,
    watch: &Watch,
    deadline: Option<Instant>,
) -> io::Result<LineEvent> {
    loop {
        let open = !question.typed && is_open(lines);
        let soon = Instant::now() + TOGETHER;
        let until = if open { deadline } else { Some(deadline.map_or(soon, |deadline| deadline.min(soon))) };
        match reader.next(watch, until)? {
            LineEvent::Line(line) if line.len() < CUT_AT && lines.len() + line.len() < LONGEST_LINE => {
                append(lines, &line);
            }
            LineEvent::Line(_) => return Ok(LineEvent::TooLong),
            LineEvent::Late if !open && deadline.is_none_or(|deadline| Instant::now() < deadline) => break,
            LineEvent::End { hangup: false, .. } if !open => break,
            other => return Ok(other),
        }
    }
    Ok(LineEvent::Line(Vec::new()))
}

fn append(lines: &mut Vec<u8>, line: &[u8]) {
    if !lines.is_empty() {
        lines.push(b'\n');
    }
    lines.extend_from_slice(line);
}

/// Whether a paste is not complete.
fn is_open(lines: &[u8]) -> bool {
    let text = String::from_utf8_lossy(lines);
    text.rfind(PASTE_BEGINS).is_some_and(|begin| text.rfind(PASTE_ENDS).is_none_or(|end| end < begin))
}

/// A text without the markers of a paste.
pub(super) fn unmarked(text: &str) -> String {
    text.replace(PASTE_BEGINS, "").replace(PASTE_ENDS, "")
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    /// The answer of one question to these bytes, and what it shows.
    fn event(typed: &[u8], question: &Question<'_>) -> (LineEvent, String) {
        let (mut to, from) = UnixStream::pair().unwrap();
        to.write_all(typed).unwrap();
        let (mut reader, watch, mut screen) =
            (LineReader::new(OwnedFd::from(from).into()), Watch::open().unwrap(), Vec::new());
        let deadline = Some(Instant::now() + Duration::from_millis(400));
        let event = answer(&mut reader, question, &watch, deadline, &mut screen).unwrap();
        (event, String::from_utf8(screen).unwrap())
    }

    fn line(text: &str) -> LineEvent {
        LineEvent::Line(text.into())
    }

    #[test]
    fn a_marked_paste_is_one_answer() {
        let (event, shown) = event(b"\x1b[200~one\ntwo\nthree\x1b[201~\n", &Question::default());
        assert_eq!((event, shown.as_str()), (line("\x1b[200~one\ntwo\nthree\x1b[201~"), ""));
    }

    #[test]
    fn a_marked_paste_without_its_end_is_waited_for() {
        assert_eq!(event(b"\x1b[200~one\n", &Question::default()).0, LineEvent::Late);
    }

    #[test]
    fn an_unmarked_paste_is_ended_by_enter() {
        let (mut to, from) = UnixStream::pair().unwrap();
        to.write_all(b"one\ntwo\n").unwrap();
        let (mut reader, watch) = (LineReader::new(OwnedFd::from(from).into()), Watch::open().unwrap());
        /// Presses Enter when asked to.
        struct Person(UnixStream);
        impl Write for Person {
            fn write(&mut self, shown: &[u8]) -> io::Result<usize> {
                assert!(shown.starts_with(b"\nSeveral lines were pasted"));
                self.0.write_all(b"three\n")?;
                Ok(shown.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let event = answer(&mut reader, &Question::default(), &watch, None, &mut Person(to)).unwrap();
        assert_eq!(event, line("one\ntwo\nthree"));
    }

    #[test]
    fn where_only_typing_counts_everything_that_came_at_once_is_the_answer() {
        let gate = Question { typed: true, ..Question::default() };
        assert_eq!(event(b"approve\nreject\n", &gate).0, line("approve\nreject"));
        assert_eq!(event(b"\x1b[200~approve\n", &gate).0, line("\x1b[200~approve"));
    }

    #[test]
    fn the_lines_of_a_file_are_taken_one_by_one() {
        let content = Question { verbatim: true, ..Question::default() };
        assert_eq!(event(b"one\ntwo\n", &content).0, line("one"));
    }

    #[test]
    fn a_line_that_the_terminal_cut_off_is_too_long() {
        let long = [&[b'A'; CUT_AT][..], b"\n"].concat();
        assert_eq!(event(&long, &Question::default()).0, LineEvent::TooLong);
        assert_eq!(event(&[b"a\n", &long[..]].concat(), &Question::default()).0, LineEvent::TooLong);
    }
}

//! Reads lines from a source, one at a time, with a deadline and signals; lines that are pasted together are one answer.
//!
//! With bracketed paste the terminal marks the end. Without it the lines arrive faster than anybody types, but the last
//! one only after Enter is pressed; so Enter is asked for.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::Asking;
use super::keyboard::{PASTE_BEGINS, PASTE_ENDS};
use crate::system::os::{Taken, terminal::Source};
use crate::terminal::signal::{Watch, Woken};

/// The longest line, in bytes. A longer one is discarded up to its end.
pub(super) const LONGEST_LINE: usize = 64 * 1024;

/// How long the input must be silent until type-ahead is discarded completely, and the limit for that.
const QUIET: Duration = Duration::from_millis(50);
const QUIET_BY: Duration = Duration::from_millis(500);

/// The reader: input after a line end is kept for the next call.
#[derive(Debug)]
pub(super) struct LineReader {
    from: Source,
    kept: Vec<u8>,
    too_long: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum LineEvent {
    /// A line, without its line end.
    Line(Vec<u8>),
    /// A line longer than [`LONGEST_LINE`]; it is discarded.
    TooLong,
    Late,
    /// The end of the input, with the rest after the last line end. `hangup`: the connection was lost.
    End {
        rest: Vec<u8>,
        hangup: bool,
    },
    Signal(u8),
}

impl LineReader {
    /// A reader that reads only when a line is requested.
    pub(super) fn new(from: Source) -> Self {
        Self { from, kept: Vec::new(), too_long: false }
    }

    /// Waits for the next line, at most until `deadline`. Partial input does not extend it.
    pub(super) fn next(&mut self, watch: &Watch, deadline: Option<Instant>) -> io::Result<LineEvent> {
        loop {
            if let Some(signal) = watch.received() {
                return Ok(LineEvent::Signal(signal));
            }
            if let Some(event) = self.whole_line() {
                return Ok(event);
            }
            let hangup = match watch.sleep(Some(&self.from), deadline)? {
                Woken::Readable { hangup } => hangup,
                Woken::Other => continue,
                Woken::Late => return Ok(LineEvent::Late),
            };
            if let Some(signal) = watch.received() {
                return Ok(LineEvent::Signal(signal));
            }
            let mut bytes = [0; 8192];
            match self.from.read(&mut bytes)? {
                Taken::Bytes(count) => self.kept.extend_from_slice(bytes.get(..count).unwrap_or_default()),
                Taken::End => return Ok(self.end(hangup)),
                Taken::Gone => return Ok(self.end(true)),
            }
        }
    }

    /// Discards what has been typed so far, including the rest of a paste.
    pub(super) fn discard(&mut self) {
        let give_up = Instant::now() + QUIET_BY;
        loop {
            self.kept.clear();
            self.too_long = false;
            self.from.discard();
            if Instant::now() >= give_up || !self.from.readable_within(QUIET) {
                break;
            }
        }
        // An unfinished line is not announced; it is discarded, too.
        self.from.discard();
    }

    fn whole_line(&mut self) -> Option<LineEvent> {
        if let Some(end) = self.kept.iter().position(|byte| *byte == b'\n') {
            let mut line: Vec<u8> = self.kept.drain(..=end).collect();
            line.pop();
            let too_long = std::mem::take(&mut self.too_long) || line.len() > LONGEST_LINE;
            return Some(if too_long { LineEvent::TooLong } else { LineEvent::Line(line) });
        }
        if self.kept.len() > LONGEST_LINE {
            self.kept.clear();
            self.too_long = true;
        }
        None
    }

    fn end(&mut self, hangup: bool) -> LineEvent {
        let rest = std::mem::take(&mut self.kept);
        if std::mem::take(&mut self.too_long) { LineEvent::TooLong } else { LineEvent::End { rest, hangup } }
    }
}

/// The number of bytes after which a terminal truncates a line.
pub(super) const CUT_AT: usize = 4095;

/// Lines closer together than this were not typed.
const TOGETHER: Duration = Duration::from_millis(50);

/// Waits for one answer: a line, or all lines of a paste with line ends between them.
pub(super) fn answer(reader: &mut LineReader, asking: &Asking<'_>, screen: &mut dyn Write) -> io::Result<LineEvent> {
    let mut lines: Vec<u8> = Vec::new();
    loop {
        match reader.next(asking.watch, asking.deadline)? {
            LineEvent::Line(line) if line.len() < CUT_AT => append(&mut lines, &line),
            LineEvent::Line(_) => return Ok(LineEvent::TooLong),
            other => return Ok(other),
        }
        if asking.question.verbatim {
            return Ok(LineEvent::Line(lines));
        }
        let alone = lines.len();
        if let Some(other) = together(reader, &mut lines, asking)? {
            return Ok(other);
        }
        let text = String::from_utf8_lossy(&lines);
        let count = text.lines().filter(|line| !line.trim().is_empty()).count();
        if asking.question.typed || lines.len() == alone || text.contains(PASTE_ENDS) || count < 2 {
            return Ok(LineEvent::Line(lines));
        }
        super::answers::show(screen, "\nSeveral lines were pasted; press Enter to finish the answer.\n");
    }
}

/// Appends the lines that follow at once, or up to the end of an open paste. What came in place of a line.
fn together(reader: &mut LineReader, lines: &mut Vec<u8>, asking: &Asking<'_>) -> io::Result<Option<LineEvent>> {
    let deadline = asking.deadline;
    loop {
        let open = !asking.question.typed && is_open(lines);
        let soon = Instant::now() + TOGETHER;
        let until = if open { deadline } else { Some(deadline.map_or(soon, |deadline| deadline.min(soon))) };
        match reader.next(asking.watch, until)? {
            LineEvent::Line(line) if line.len() < CUT_AT && lines.len() + line.len() < LONGEST_LINE => {
                append(lines, &line);
            }
            LineEvent::Line(_) => return Ok(Some(LineEvent::TooLong)),
            LineEvent::Late if !open && deadline.is_none_or(|deadline| Instant::now() < deadline) => return Ok(None),
            LineEvent::End { hangup: false, .. } if !open => return Ok(None),
            other => return Ok(Some(other)),
        }
    }
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

/// A text without the markers of a paste and the sequences of cursor keys.
pub(super) fn unmarked(text: &str) -> String {
    let text = text.replace(PASTE_BEGINS, "").replace(PASTE_ENDS, "");
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + key_sequence(part).unwrap_or(&format!("\u{1b}{part}")))
}

/// What follows the sequence of a key whose escape character stands before it: `[D`, `OA`, `[3~`, `[1;5C`.
fn key_sequence(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(['[', 'O'])?.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
    rest.strip_prefix(|c: char| c.is_ascii_uppercase() || c == '~')
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::super::Question;
    use super::*;
    use crate::terminal::ui::Style;

    fn pair() -> (UnixStream, LineReader, Watch) {
        let (to, from) = UnixStream::pair().unwrap();
        (to, LineReader::new(OwnedFd::from(from).into()), Watch::open().unwrap())
    }

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(30))
    }

    fn line(text: &str) -> LineEvent {
        LineEvent::Line(text.into())
    }

    #[test]
    fn lines_come_one_at_a_time_and_the_rest_at_the_end() {
        let (mut to, mut reader, watch) = pair();
        to.write_all(b"one\n\ntwo\nappr").unwrap();
        assert_eq!(["one", "", "two"].map(|_| reader.next(&watch, soon()).unwrap()), ["one", "", "two"].map(line));
        // A line without its end is late, and is still there afterwards.
        assert_eq!(reader.next(&watch, Some(Instant::now() + Duration::from_millis(100))).unwrap(), LineEvent::Late);
        to.write_all(b"ove\nthr").unwrap();
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("approve"));
        drop(to);
        let LineEvent::End { rest, .. } = reader.next(&watch, soon()).unwrap() else { panic!("no end") };
        assert_eq!(rest, b"thr");
    }

    #[test]
    fn a_line_of_any_length_takes_a_bounded_place_and_the_next_one_is_intact() {
        let (mut to, mut reader, watch) = pair();
        let writer = std::thread::spawn(move || {
            for _ in 0..64 {
                to.write_all(&[b'A'; LONGEST_LINE / 16]).unwrap();
            }
            to.write_all(b"approve\nreject\n").unwrap();
        });
        assert_eq!(reader.next(&watch, soon()).unwrap(), LineEvent::TooLong);
        assert!(reader.kept.capacity() < 4 * LONGEST_LINE);
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("reject"));
        writer.join().unwrap();
    }

    #[test]
    fn what_is_kept_can_be_discarded() {
        let (mut to, mut reader, watch) = pair();
        to.write_all(b"one\napprove\n").unwrap();
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("one"));
        reader.discard();
        to.write_all(b"reject\n").unwrap();
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("reject"));
    }

    /// The answer of one question to what comes from here.
    fn asked(from: UnixStream, question: &Question<'_>, limit: u64, screen: &mut dyn Write) -> LineEvent {
        let (watch, deadline) = (Watch::open().unwrap(), Some(Instant::now() + Duration::from_millis(limit)));
        let asking = Asking { question, style: Style::plain(), watch: &watch, deadline };
        answer(&mut LineReader::new(OwnedFd::from(from).into()), &asking, screen).unwrap()
    }

    /// The answer of one question to these bytes, and what it shows.
    fn event(typed: &[u8], question: &Question<'_>) -> (LineEvent, String) {
        let (mut to, from) = UnixStream::pair().unwrap();
        to.write_all(typed).unwrap();
        let mut screen = Vec::new();
        let event = asked(from, question, 400, &mut screen);
        (event, String::from_utf8(screen).unwrap())
    }

    #[test]
    fn a_marked_paste_is_one_answer_and_waited_for() {
        let (answer, shown) = event(b"\x1b[200~one\ntwo\nthree\x1b[201~\n", &Question::default());
        assert_eq!((answer, shown.as_str()), (line("\x1b[200~one\ntwo\nthree\x1b[201~"), ""));
        assert_eq!(event(b"\x1b[200~one\n", &Question::default()).0, LineEvent::Late);
    }

    #[test]
    fn an_unmarked_paste_is_ended_by_enter() {
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
        let (mut to, from) = UnixStream::pair().unwrap();
        to.write_all(b"one\ntwo\n").unwrap();
        assert_eq!(asked(from, &Question::default(), 30_000, &mut Person(to)), line("one\ntwo\nthree"));
    }

    #[test]
    fn where_only_typing_counts_everything_that_came_at_once_is_the_answer() {
        let gate = Question { typed: true, ..Question::default() };
        assert_eq!(event(b"approve\nreject\n", &gate).0, line("approve\nreject"));
        assert_eq!(event(b"\x1b[200~approve\n", &gate).0, line("\x1b[200~approve"));
        let content = Question { verbatim: true, ..Question::default() };
        assert_eq!(event(b"one\ntwo\n", &content).0, line("one"), "the lines of a file are taken one by one");
    }

    #[test]
    fn keys_that_move_the_cursor_leave_nothing_in_a_line() {
        assert_eq!(unmarked("\u{1b}[200~ab\u{1b}[D\u{1b}OAc\u{1b}[3~\u{1b}[1;5Cd\u{1b}[201~"), "abcd");
        assert_eq!(unmarked("a\u{1b}x"), "a\u{1b}x");
    }

    #[test]
    fn a_line_that_the_terminal_cut_off_is_too_long() {
        let long = [&[b'A'; CUT_AT][..], b"\n"].concat();
        assert_eq!(event(&long, &Question::default()).0, LineEvent::TooLong);
        assert_eq!(event(&[b"a\n", &long[..]].concat(), &Question::default()).0, LineEvent::TooLong);
    }
}

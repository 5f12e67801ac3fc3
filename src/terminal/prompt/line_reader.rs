//! Reads lines from a source, one at a time, with a deadline and signals.

use std::io;
use std::time::{Duration, Instant};

use crate::system::os::{Taken, source::Source};
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write;
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_secs(30))
    }

    fn line(text: &str) -> LineEvent {
        LineEvent::Line(text.into())
    }

    #[test]
    fn lines_come_one_at_a_time_and_the_rest_at_the_end() {
        let (mut to, from) = UnixStream::pair().unwrap();
        let (mut reader, watch) = (LineReader::new(OwnedFd::from(from).into()), Watch::open().unwrap());
        to.write_all(b"one\n\ntwo\nthr").unwrap();
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("one"));
        assert_eq!(reader.next(&watch, soon()).unwrap(), line(""));
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("two"));
        drop(to);
        let LineEvent::End { rest, .. } = reader.next(&watch, soon()).unwrap() else { panic!("no end") };
        assert_eq!(rest, b"thr");
    }

    #[test]
    fn a_line_without_its_end_is_late_and_is_still_there_afterwards() {
        let (mut to, from) = UnixStream::pair().unwrap();
        let (mut reader, watch) = (LineReader::new(OwnedFd::from(from).into()), Watch::open().unwrap());
        to.write_all(b"appr").unwrap();
        assert_eq!(reader.next(&watch, Some(Instant::now() + Duration::from_millis(100))).unwrap(), LineEvent::Late);
        to.write_all(b"ove\n").unwrap();
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("approve"));
    }

    #[test]
    fn a_line_of_any_length_takes_a_bounded_place_and_the_next_one_is_intact() {
        let (mut to, from) = UnixStream::pair().unwrap();
        let (mut reader, watch) = (LineReader::new(OwnedFd::from(from).into()), Watch::open().unwrap());
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
        let (mut to, from) = UnixStream::pair().unwrap();
        let (mut reader, watch) = (LineReader::new(OwnedFd::from(from).into()), Watch::open().unwrap());
        to.write_all(b"one\napprove\n").unwrap();
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("one"));
        reader.discard();
        to.write_all(b"reject\n").unwrap();
        assert_eq!(reader.next(&watch, soon()).unwrap(), line("reject"));
    }
}

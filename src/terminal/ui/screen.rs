//! The only output to a terminal, and the codes of the colours: everything but the program's own styling is escaped.

use std::io::{self, Write};
use std::num::NonZeroU64;

use crate::skill::printable;

/// The terminal actions of the program itself: colours, and those that move the cursor.
#[derive(Debug, Clone, Copy)]
pub(super) enum Act {
    Good,
    Bad,
    Odd,
    Path,
    Head,
    Dim,
    Strong,
    End,
    Return,
    Clear,
}

/// What each has a terminal do, in their order.
const SEQUENCES: [&str; 10] = [
    "\u{1b}[32m", "\u{1b}[31m\u{1b}[1m", "\u{1b}[33m", "\u{1b}[34m", "\u{1b}[36m\u{1b}[1m", "\u{1b}[2m", "\u{1b}[1m",
    "\u{1b}[0m", "\r", "\r\u{1b}[2K",
];

/// A random number that distinguishes the program's own styling from text that imitates it. The empty seal marks
/// nothing and recognises nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Seal(Option<NonZeroU64>);

impl std::fmt::Debug for Seal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Seal")
    }
}

impl Seal {
    /// The seal with this number; 0 is the empty one.
    pub fn new(number: u64) -> Self {
        Self(NonZeroU64::new(number))
    }

    /// The mark of an act: in the form of a colour sequence, so that it has no width.
    pub(super) fn mark(self, act: Act) -> String {
        self.0.map_or_else(String::new, |number| format!("\u{1b}[{}{}", act as u8, end(number)))
    }

    /// The text for a terminal: marks of this seal become control sequences, and every other control, direction mark
    /// and invisible character is escaped.
    pub fn visible(self, text: &str) -> String {
        self.shown(text, true)
    }

    /// The same, with or without its colours.
    fn shown(self, text: &str, colours: bool) -> String {
        let Some(number) = self.0 else { return printable(text) };
        let end = end(number);
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(&end) {
            match opened(before) {
                Some((text, act)) => {
                    shown.push_str(&printable(text));
                    if colours || act >= Act::Return as usize {
                        shown.push_str(SEQUENCES.get(act).copied().unwrap_or_default());
                    }
                }
                None => shown.push_str(&printable(&format!("{before}{end}"))),
            }
            rest = after;
        }
        shown.push_str(&printable(rest));
        shown
    }
}

/// The end of a mark with this number, in parameters of at most four digits, as width measurement supports.
fn end(number: NonZeroU64) -> String {
    const GROUP: u64 = 10_000;
    let groups = (0..5).rev().map(|group| format!(";{:04}", number.get() / GROUP.pow(group) % GROUP));
    groups.collect::<String>() + "m"
}

/// The text before a mark, and the number of the mark's act.
fn opened(text: &str) -> Option<(&str, usize)> {
    let digit = text.chars().next_back()?;
    let text = text.strip_suffix(digit)?.strip_suffix("\u{1b}[")?;
    Some((text, usize::try_from(digit.to_digit(10)?).ok()?))
}

/// A stream that may be a terminal. Invalid UTF-8 is replaced.
pub struct Screen {
    to: Box<dyn Write + Send>,
    seal: Seal,
    /// Whether it shows colours.
    pub(crate) colours: bool,
}

impl Screen {
    /// A screen on this stream that interprets marks of this seal.
    pub fn new(to: Box<dyn Write + Send>, seal: Seal) -> Self {
        Self { to, seal, colours: true }
    }

    /// Writes bytes unchanged: for data to a file or another program.
    pub fn write_exact(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to.write_all(bytes)
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let shown = self.seal.shown(&String::from_utf8_lossy(bytes), self.colours);
        self.to.write_all(shown.as_bytes()).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::ui::Style;
    use proptest::prelude::*;

    const SEAL: u64 = 7_777_777_777;

    fn raw(text: &str) -> bool {
        text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
    }

    fn coloured(seal: u64) -> Style {
        Style { colour: true, seal: Seal::new(seal), ..Style::plain() }
    }

    #[test]
    fn own_colours_pass_and_imitations_are_spelled_out() {
        let style = coloured(SEAL);
        let text = format!("{} \u{1b}[32mred\u{1b}]0;title\u{7}\u{9b}2J\r", style.good("a\u{1b}[1mb"));
        assert_eq!(
            style.seal.visible(&text),
            "\u{1b}[32ma\\u{1b}[1mb\u{1b}[0m \\u{1b}[32mred\\u{1b}]0;title\\u{7}\\u{9b}2J\\u{d}"
        );
        let other = Seal::new(SEAL + 1).visible(&style.bad("x"));
        assert!(!raw(&other) && other.contains("\\u{1b}["), "{other}");
        // Without colours what moves the cursor stays.
        let text = format!("{}{} \u{1b}[32m", style.cleared(), style.good("good"));
        assert_eq!(style.seal.shown(&text, false), "\r\u{1b}[2Kgood \\u{1b}[32m");
        // A piece of a mark is text.
        for begin in ["", "[3", "\u{1b}[x", "\u{1b}[10", "é"] {
            let text = format!("{begin};0000;0000;0077;7777;7777m");
            assert_eq!(style.seal.visible(&text), printable(&text));
        }
    }

    #[test]
    fn a_mark_takes_no_columns_and_without_a_seal_nothing_is_coloured_or_recognised() {
        for number in [1, SEAL, u64::MAX] {
            let style = coloured(number);
            assert_eq!(console::measure_text_width(&style.bad("four")), 4);
            assert_eq!(style.seal.visible(&style.bad("four")), "\u{1b}[31m\u{1b}[1mfour\u{1b}[0m");
        }
        assert_eq!(coloured(0).good("x"), "x");
        assert_eq!(Seal::new(0).visible("\u{1b}[0;0m"), "\\u{1b}[0;0m");
    }

    proptest! {
        #[test]
        fn no_text_holds_a_raw_control_when_it_is_shown(text in any::<String>(), number in any::<u64>()) {
            prop_assert!(!raw(&Seal::new(number).visible(&text)));
        }

        #[test]
        fn sequences_of_any_kind_are_spelled_out(parts in prop::collection::vec("(\u{1b}|\u{9b}|\\[|;|m|[0-9]|\r|x|;0000;0000;0077;7777;7778m){1,6}", 0..20)) {
            prop_assert!(!raw(&Seal::new(SEAL).visible(&parts.concat())));
        }

        #[test]
        fn bytes_of_any_kind_are_spelled_out(bytes in any::<Vec<u8>>()) {
            let caught = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
            struct Into(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
            impl Write for Into {
                fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                    self.0.lock().unwrap().extend_from_slice(bytes);
                    Ok(bytes.len())
                }
                fn flush(&mut self) -> io::Result<()> {
                    Ok(())
                }
            }
            Screen::new(Box::new(Into(caught.clone())), Seal::new(SEAL)).write_all(&bytes).unwrap();
            let shown = caught.lock().unwrap().clone();
            prop_assert!(!raw(std::str::from_utf8(&shown).unwrap()));
        }
    }
}

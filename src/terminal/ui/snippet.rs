//! A line of a file with marks under the place of a finding, fitted to the screen.

use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::Style;

const TAB: &str = "    ";
/// The most columns of marks.
const MOST: usize = 60;

/// The line and, below it, the marks, after the line number or its width. `before` and `length` count characters of the
/// line. Control characters are escaped, and a long line is cut around the place.
pub fn snippet(style: Style, number: usize, line: &str, before: usize, length: usize) -> String {
    let view = View { columns: columns(style, number), cut: if style.unicode { "…" } else { "..." }, before, length };
    let (text, pad, marks) = if line.bytes().all(|b| matches!(b, b' '..=b'~')) {
        // Each character is a column, and shown as it is.
        view.of(line.len(), |range| range.len(), |range| line.get(range).unwrap_or_default().to_owned())
    } else {
        let cells: Vec<String> = line.chars().map(cell).collect();
        let text = |range: Range<usize>| cells.get(range).unwrap_or_default().concat();
        view.of(cells.len(), |range| text(range).width(), text)
    };
    let gutter = gutter(number);
    let bar = if style.unicode { "│" } else { "|" };
    let margin = " ".repeat(gutter);
    format!(
        "{} {}\n{} {}{}\n",
        style.dim(&format!("{number:>gutter$} {bar}")),
        text.trim_end(),
        style.dim(&format!("{margin} {bar}")),
        " ".repeat(pad),
        style.bad(&"^".repeat(marks.clamp(1, MOST))),
    )
}

/// The visible part of a line, in characters.
struct View<'a> {
    /// The number of columns.
    columns: usize,
    cut: &'a str,
    /// The number of characters before the place.
    before: usize,
    length: usize,
}

impl View<'_> {
    /// The visible part of a line of `count` characters, the columns before the marks, and the number of marks. `width`
    /// returns the columns of some characters, `text` their text.
    fn of(
        &self,
        count: usize,
        width: impl Fn(Range<usize>) -> usize,
        text: impl Fn(Range<usize>) -> String,
    ) -> (String, usize, usize) {
        let before = self.before.min(count);
        let last = (before + self.length.max(1)).min(count);
        let (mut from, mut to) = (0, count);
        if width(0..count) > self.columns {
            let inner = self.columns - 2 * self.cut.width();
            // As much of the beginning as fits with the place in sight, else a third of the columns before the place.
            if width(0..last) > inner {
                from = before;
                while from > 0 && width(from - 1..before) <= inner / 3 {
                    from -= 1;
                }
            }
            to = from;
            while to < count && width(from..to + 1) <= inner {
                to += 1;
            }
        }
        let lead = if from > 0 { self.cut } else { "" };
        let tail = if to < count { self.cut } else { "" };
        let pad = lead.width() + width(from..before.max(from));
        (format!("{lead}{}{tail}", text(from..to)), pad, width(before..last.min(to).max(before)))
    }
}

/// The width of the line numbers.
fn gutter(number: usize) -> usize {
    number.to_string().len().max(3)
}

/// The maximum width of a line.
fn columns(style: Style, number: usize) -> usize {
    style.width.saturating_sub(gutter(number) + 5).max(20)
}

fn cell(character: char) -> String {
    match character {
        '\t' => TAB.to_owned(),
        character => crate::skill::printable(character.encode_utf8(&mut [0; 4])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(width: usize, line: &str, before: usize, length: usize) -> Vec<String> {
        let style = Style { width, ..Style::plain() };
        snippet(style, 7, line, before, length).lines().map(str::to_owned).collect()
    }

    #[test]
    fn marks_stand_under_the_place() {
        assert_eq!(lines(80, "name: Demo", 6, 4), ["  7 | name: Demo", "    |       ^^^^"]);
        assert_eq!(lines(80, "", 0, 0), ["  7 | ", "    | ^"]);
        assert_eq!(lines(80, "ab", 9, 9), ["  7 | ab", "    |   ^"]);
    }

    #[test]
    fn wide_characters_tabs_and_escapes_take_the_columns_they_are_shown_with() {
        assert_eq!(lines(80, "日本 x", 3, 1), ["  7 | 日本 x", "    |      ^"]);
        assert_eq!(lines(80, "x 日本", 2, 2), ["  7 | x 日本", "    |   ^^^^"]);
        assert_eq!(lines(80, "\ta\tb", 3, 1), ["  7 |     a    b", "    |          ^"]);
        assert_eq!(lines(80, "e\u{301}x", 2, 1), ["  7 | e\u{301}x", "    |  ^"]);
        assert_eq!(lines(80, "a\u{1b}[31mb\r", 1, 1), ["  7 | a\\u{1b}[31mb\\u{d}", "    |  ^^^^^^"]);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}HERE{}", "a".repeat(200), "b".repeat(200));
        let shown = lines(40, &line, 200, 4);
        assert!(shown.iter().all(|line| line.width() <= 40), "{shown:?}");
        let column = shown.first().and_then(|line| line.find("HERE"));
        assert_eq!(column, shown.get(1).and_then(|line| line.find("^^^^")), "{shown:?}");
        assert!(shown.first().is_some_and(|line| line.starts_with("  7 | ...aaa") && line.ends_with("bbb...")));
        let start = lines(40, &line, 0, 3);
        assert!(start.first().is_some_and(|line| line.starts_with("  7 | aaa") && line.ends_with("a...")), "{start:?}");
        let wide = lines(40, &"日".repeat(100), 50, 1);
        assert!(wide.iter().all(|line| line.width() <= 40), "{wide:?}");
    }

    #[test]
    fn marks_never_reach_beyond_what_is_shown() {
        let shown = lines(40, &"x ".repeat(100), 4, 190);
        assert!(shown.iter().all(|line| line.width() <= 40), "{shown:?}");
    }

    proptest::proptest! {
        #[test]
        fn no_line_is_wider_than_the_screen(line in "(\\PC|\t|日|e\u{301}){0,120}", before in 0_usize..140, length in 0_usize..140, width in 30_usize..100) {
            let style = Style { width, ..Style::plain() };
            for line in snippet(style, 12, &line, before, length).lines() {
                // An escape of one character may be wider than a third of a narrow screen.
                assert!(line.width() <= width + 10, "{line:?}");
            }
        }
    }
}

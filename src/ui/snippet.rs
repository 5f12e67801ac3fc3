//! A line of a file with marks under the place a finding is about, fitted to the screen.

use unicode_width::UnicodeWidthStr;

use super::Style;
use crate::skill::printable;

/// How wide a tab is shown.
const TAB: &str = "    ";
/// The most columns of marks.
const MOST: usize = 60;

/// The line and, below it, the marks, each behind the line's number or the room it takes. `before` and `length` count
/// characters of the line. What a terminal would obey is spelled out, and a line too long is cut around the place.
#[must_use]
pub fn snippet(style: Style, number: usize, line: &str, before: usize, length: usize) -> String {
    let cells: Vec<String> = line.chars().map(cell).collect();
    let width = |cells: &[String]| cells.concat().width();
    let gutter = number.to_string().len().max(3);
    let room = style.width.saturating_sub(gutter + 5).max(20);
    let cut = if style.unicode { "…" } else { "..." };
    let before = before.min(cells.len());
    let last = (before + length.max(1)).min(cells.len());
    let (mut from, mut to) = (0, cells.len());
    if width(&cells) > room {
        let inner = room - 2 * cut.width();
        // As much of the beginning as fits with the place in sight, else a third of the room before the place.
        if width(cells.get(..last).unwrap_or_default()) > inner {
            from = before;
            while from > 0 && width(cells.get(from - 1..before).unwrap_or_default()) <= inner / 3 {
                from -= 1;
            }
        }
        to = from;
        while to < cells.len() && width(cells.get(from..=to).unwrap_or_default()) <= inner {
            to += 1;
        }
    }
    let lead = if from > 0 { cut } else { "" };
    let shown = cells.get(from..to).unwrap_or_default().concat();
    let tail = if to < cells.len() { cut } else { "" };
    let pad = lead.width() + width(cells.get(from..before).unwrap_or_default());
    let marked = width(cells.get(before..last.min(to)).unwrap_or_default()).clamp(1, MOST);
    let bar = if style.unicode { "│" } else { "|" };
    let margin = " ".repeat(gutter);
    let text = format!("{lead}{shown}{tail}");
    format!(
        "{} {}\n{} {}{}\n",
        style.dim(&format!("{number:>gutter$} {bar}")),
        text.trim_end(),
        style.dim(&format!("{margin} {bar}")),
        " ".repeat(pad),
        style.bad(&"^".repeat(marked)),
    )
}

fn cell(character: char) -> String {
    match character {
        '\t' => TAB.to_owned(),
        character => printable(character.encode_utf8(&mut [0; 4])),
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

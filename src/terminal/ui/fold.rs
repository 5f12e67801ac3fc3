//! Breaks long lines between words.

use console::measure_text_width as width_of;

/// The text with every line longer than `width` columns broken between words; continuation lines are indented by `hang`
/// columns more than the line itself, by two where that leaves less than half of the width. A command in backticks is kept in one piece if it fits a line, and a word longer
/// than a line is left to the terminal.
pub(super) fn fold(text: &str, width: usize, hang: usize) -> String {
    let mut folded = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        if width_of(line) <= width {
            folded.push_str(line);
        } else {
            fold_line(&mut folded, line, width, hang);
        }
        folded.push_str(end);
    }
    folded
}

fn fold_line(folded: &mut String, line: &str, width: usize, hang: usize) {
    let words = line.trim_start_matches(' ');
    let lead = line.len() - words.len();
    let hang = [lead + hang, lead + 2].into_iter().find(|hang| *hang < width / 2).unwrap_or(0);
    folded.push_str(&line[..lead]);
    let (mut column, mut first) = (lead, true);
    for piece in pieces(words, width.saturating_sub(hang)) {
        let length = width_of(piece);
        if first {
            first = false;
        } else if column + 1 + length > width {
            folded.push('\n');
            folded.push_str(&" ".repeat(hang));
            column = hang;
        } else {
            folded.push(' ');
            column += 1;
        }
        folded.push_str(piece);
        column += length;
    }
}

/// The words, with code spans up to this width as single words.
fn pieces(text: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(' ').unwrap_or(rest.len());
        let quoted = rest[..word].find('`').and_then(|open| {
            let close = open + 1 + rest[open + 1..].find('`')?;
            let end = rest[close..].find(' ').map_or(rest.len(), |space| close + space);
            (end > word && width_of(&rest[..end]) <= width).then_some(end)
        });
        let end = quoted.unwrap_or(word);
        pieces.push(&rest[..end]);
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_fits_stays_and_a_long_one_breaks_between_words() {
        assert_eq!(fold("a bb ccc\n\n  dd\n", 8, 2), "a bb ccc\n\n  dd\n");
        assert_eq!(fold("aaa bbb ccc ddd", 8, 2), "aaa bbb\n  ccc\n  ddd");
        assert_eq!(fold("  - aa bb cc dd", 10, 2), "  - aa bb\n    cc dd");
        assert_eq!(fold("aaa bbb ccc ddd", 8, 6), "aaa bbb\n  ccc\n  ddd", "too little room for a hang of 6");
    }

    #[test]
    fn a_command_stays_in_one_piece_and_a_word_without_end_is_left_alone() {
        assert_eq!(fold("now run `a b c d`.", 12, 0), "now run\n`a b c d`.");
        assert_eq!(fold("run `a b c d e f g h`", 12, 0), "run `a b c d\ne f g h`");
        assert_eq!(fold("x aaaaaaaaaaaaaaaa y", 8, 2), "x\n  aaaaaaaaaaaaaaaa\n  y");
    }

    #[test]
    fn columns_are_counted_and_colour_is_none() {
        assert_eq!(fold("日本 日本", 8, 0), "日本\n日本");
        assert_eq!(fold("\u{1b}[31maaaa\u{1b}[0m bbbb", 9, 0), "\u{1b}[31maaaa\u{1b}[0m bbbb");
    }
}

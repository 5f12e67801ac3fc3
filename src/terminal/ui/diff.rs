//! The difference of two texts on a screen: one below the other, or in two columns.

use console::measure_text_width as width_of;
use unicode_width::UnicodeWidthChar;

use super::Style;
use super::fold::fold;
use crate::skill::diff::{Diff, Kind};
use crate::skill::printable;

/// A coloured unified diff with a maximum number of lines. Every row of a wrapped line has the line's sign.
pub fn diff(style: Style, old: &str, new: &str, most: usize) -> String {
    let difference = Diff::between(&printable(old), &printable(new)).text();
    let total = difference.lines().count();
    let mut text = String::new();
    for line in difference.lines().take(most) {
        let sign = line.chars().next().filter(|sign| matches!(sign, '+' | '-' | ' '));
        let rest = sign.map_or(line, |_| line.get(1..).unwrap_or_default());
        let narrow = Style { width: style.width.saturating_sub(1), ..style };
        for row in narrow.fold(rest, 2).split('\n') {
            let row = format!("{}{row}", sign.map(String::from).unwrap_or_default());
            text.push_str(&match sign {
                Some('+') => style.good(&row),
                Some('-') => style.bad(&row),
                None if row.starts_with('@') => style.head(&row),
                _ => row,
            });
            text.push('\n');
        }
    }
    if total > most {
        text.push_str(&format!("... [{} more lines]\n", total - most));
    }
    text
}

/// The columns between the two texts: a blank, the mark, a blank.
const GUTTER: usize = 3;

/// What a tab becomes, since its columns depend on where it stands.
const TAB: &str = "    ";

/// The difference of two texts over the whole width of the screen: the old one on the left and the new one on the right,
/// with what happens to a line between them: `|` changed, `<` only old, `>` only new.
pub fn side_by_side(style: Style, old: &str, new: &str) -> String {
    let difference = Diff::between(&printable(old), &printable(new));
    let columns = style.width.saturating_sub(GUTTER).max(2) / 2;
    let mut text = String::new();
    let (mut gone, mut come): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in &difference.lines {
        let said = line.text.get(1..).unwrap_or_default();
        match line.kind {
            Kind::Removed if come.is_empty() => gone.push(said),
            Kind::Added => come.push(said),
            Kind::Note => {}
            Kind::Removed | Kind::Same | Kind::Hunk => {
                changed(style, columns, &mut gone, &mut come, &mut text);
                match line.kind {
                    Kind::Removed => gone.push(said),
                    Kind::Same => row(style, columns, (Some(said), Some(said)), &mut text),
                    _ => text.push_str(&format!("{}\n", style.head(&line.text))),
                }
            }
        }
    }
    changed(style, columns, &mut gone, &mut come, &mut text);
    text
}

/// Lines that went beside those that came in their place.
fn changed(style: Style, columns: usize, gone: &mut Vec<&str>, come: &mut Vec<&str>, text: &mut String) {
    for at in 0..gone.len().max(come.len()) {
        row(style, columns, (gone.get(at).copied(), come.get(at).copied()), text);
    }
    gone.clear();
    come.clear();
}

/// One line of either text beside the other, over as many rows as the longer one takes.
fn row(style: Style, columns: usize, (old, new): (Option<&str>, Option<&str>), text: &mut String) {
    let mark = match (old, new) {
        (Some(old), Some(new)) if old == new => ' ',
        (Some(_), Some(_)) => '|',
        (Some(_), None) => '<',
        (None, _) => '>',
    };
    let (left, right) = (cells(old, columns), cells(new, columns));
    for at in 0..left.len().max(right.len()) {
        let cell = |cells: &[String]| cells.get(at).cloned().unwrap_or_default();
        let (left, right) = (cell(&left), cell(&right));
        let pad = " ".repeat(columns.saturating_sub(width_of(&left)));
        let (left, right) = if mark == ' ' { (left, right) } else { (style.bad(&left), style.good(&right)) };
        text.push_str(format!("{left}{pad} {mark} {right}").trim_end());
        text.push('\n');
    }
}

/// A line in pieces that a column can hold, at least one.
fn cells(line: Option<&str>, columns: usize) -> Vec<String> {
    let line = line.unwrap_or_default().replace('\t', TAB);
    fold(&line, columns, 2).split('\n').flat_map(|row| cut(row, columns)).collect()
}

/// A row cut where it is wider than a column, as a word without an end is.
fn cut(row: &str, columns: usize) -> Vec<String> {
    let (mut pieces, mut width) = (vec![String::new()], 0);
    for c in row.chars() {
        let wide = c.width().unwrap_or_default();
        if width + wide > columns && width > 0 {
            pieces.push(String::new());
            width = 0;
        }
        width += wide;
        if let Some(last) = pieces.last_mut() {
            last.push(c);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_keeps_its_sign() {
        let style = Style { width: 12, folds: true, ..Style::plain() };
        let shown = diff(style, "aaaa bbbb cccc\n", "aaaa bbbb dddd\n", 9);
        assert_eq!(shown, "@@ -1 +1 @@\n-aaaa bbbb\n-  cccc\n+aaaa bbbb\n+  dddd\n");
    }

    fn shown(old: &str, new: &str) -> Vec<String> {
        let style = Style { width: 23, ..Style::plain() };
        side_by_side(style, old, new).lines().skip(1).map(str::to_owned).collect()
    }

    #[test]
    fn what_changed_stands_beside_what_was_there() {
        let lines = shown("same\none\ntwo\nend\n", "same\nuno\nend\nmore\n");
        assert_eq!(
            lines,
            ["same         same", "one        | uno", "two        <", "end          end", "           > more"]
        );
    }

    #[test]
    fn a_long_line_takes_several_rows_of_its_column() {
        assert_eq!(shown("a\n", "bb cc dd ee ff\n"), ["a          | bb cc dd", "           |   ee ff"]);
        assert_eq!(shown("abcdefghijklm\n", ""), ["abcdefghij <", "klm        <"]);
        assert_eq!(shown("", "\t漢字漢字\n"), ["           >     漢字漢", "           > 字"]);
    }
}

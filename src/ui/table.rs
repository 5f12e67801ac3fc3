//! A plain table: columns aligned by display width, no frame, so that it reads well and pipes well.

use unicode_width::UnicodeWidthStr;

use super::Style;
use crate::skill::printable;

/// Renders rows below their headings, two spaces between columns, nothing after the last.
#[must_use]
pub fn table(style: Style, headings: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| printable(cell).replace(['\n', '\t'], " ")).collect()).collect();
    let widths: Vec<usize> = headings
        .iter()
        .enumerate()
        .map(|(column, heading)| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
            cells.chain([heading.width()]).max().unwrap_or(0)
        })
        .collect();
    let line = |cells: &[String]| {
        let padded: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell}{}", " ".repeat(width.saturating_sub(cell.width()))))
            .collect();
        padded.join("  ").trim_end().to_owned()
    };
    let headings: Vec<String> = headings.iter().map(ToString::to_string).collect();
    let mut text = style.head(&line(&headings));
    text.push('\n');
    for row in &rows {
        text.push_str(&line(row));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_display_width_and_nothing_trails() {
        let rows = vec![vec!["日本".into(), "x".into()], vec!["a".into(), "yy".into()]];
        assert_eq!(table(Style::plain(), &["n", "m"], &rows), "n     m\n日本  x\na     yy\n");
    }
}

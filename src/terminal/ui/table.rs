//! A plain table: columns aligned by display width, no frame, so that it reads well and pipes well.

use unicode_width::UnicodeWidthStr;

use super::Style;
use super::fold::fold;
use crate::skill::printable;

/// Renders rows below their headings, two spaces between columns, nothing after the last.
pub fn table<R: IntoIterator<Item: AsRef<str>>>(
    style: Style,
    headings: &[&str],
    rows: impl IntoIterator<Item = R>,
) -> String {
    let line = |row: R| row.into_iter().map(|cell| printable(cell.as_ref()).replace(['\n', '\t'], " ")).collect();
    laid_out(style, headings, &rows.into_iter().map(line).collect::<Vec<_>>())
}

fn laid_out(style: Style, headings: &[&str], rows: &[Vec<String>]) -> String {
    let width = |(column, heading): (usize, &&str)| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
        cells.chain([heading.width()]).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = headings.iter().enumerate().map(width).collect();
    if style.folds {
        // An empty column is removed first.
        let is_empty = |column: &usize| rows.iter().all(|row| row.get(*column).is_none_or(String::is_empty));
        let empty = (0..headings.len()).find(|column| !rows.is_empty() && is_empty(column));
        if let (true, Some(column)) = (total(&widths) > style.width, empty) {
            let headings = without(headings, column);
            let rows: Vec<Vec<String>> = rows.iter().map(|row| without(row, column)).collect();
            return laid_out(style, &headings, &rows);
        }
        narrow(&mut widths, &least(headings, rows), style.width);
        if total(&widths) > style.width && !rows.is_empty() {
            return records(style, headings, rows);
        }
    }
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
    for row in rows {
        let cells: Vec<Vec<String>> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| fold(cell, *width, 0).split('\n').map(str::to_owned).collect())
            .collect();
        for at in 0..cells.iter().map(Vec::len).max().unwrap_or(0) {
            let cells: Vec<String> = cells.iter().map(|lines| lines.get(at).cloned().unwrap_or_default()).collect();
            text.push_str(&line(&cells));
            text.push('\n');
        }
    }
    text
}

/// Rows for a terminal too narrow for a table: the first cell on a line, and below it every other non-empty one.
fn records(style: Style, headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for row in rows {
        for (at, (heading, cell)) in headings.iter().zip(row).enumerate().filter(|(_, (_, cell))| !cell.is_empty()) {
            let name = heading.to_lowercase();
            let line = match (at, name.is_empty()) {
                (0, true) => cell.clone(),
                (0, false) => style.head(&format!("{name} {cell}")),
                (_, true) => format!("  {cell}"),
                (_, false) => format!("  {name} {cell}"),
            };
            text.push_str(&style.fold(&format!("{line}\n"), 2));
        }
    }
    text
}

/// The width of the widest word of each column.
fn least(headings: &[&str], rows: &[Vec<String>]) -> Vec<usize> {
    let words = |text: &str| text.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column)).map(|cell| words(cell)).max();
    headings.iter().enumerate().map(|(at, heading)| heading.width().max(cells(at).unwrap_or(0))).collect()
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

/// Narrows the columns, the widest first, until they fit, but never below their widest word.
fn narrow(widths: &mut [usize], least: &[usize], most: usize) {
    loop {
        let Some(over) = total(widths).checked_sub(most).filter(|over| *over > 0) else { return };
        let can_give = widths.iter_mut().zip(least).filter(|(width, least)| **width > **least);
        let Some((width, least)) = can_give.max_by_key(|(width, _)| **width) else { return };
        *width = width.saturating_sub(over).max(*least);
    }
}

fn without<T: Clone>(cells: &[T], column: usize) -> Vec<T> {
    cells.iter().enumerate().filter(|(at, _)| *at != column).map(|(_, cell)| cell.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_too_wide_for_the_terminal_breaks_its_cells_between_words() {
        let rows = [["name", "aa, bb, cc", "2026"]];
        let style = Style { folds: true, width: 17, ..Style::plain() };
        let broken = "n     clis   at\nname  aa,    2026\n      bb,\n      cc\n";
        assert_eq!(table(style, &["n", "clis", "at"], rows), broken);
        let gone = table(style, &["n", "clis", "nothing"], [["name", "aa, bb", ""]]);
        assert_eq!(gone, "n     clis\nname  aa, bb\n");
        let wide = table(Style::plain(), &["n", "clis", "at"], rows);
        assert!(wide.ends_with("name  aa, bb, cc  2026\n"), "{wide}");
    }

    #[test]
    fn where_no_table_fits_each_row_is_told_line_by_line() {
        let rows = [["7", "01kgpkx38000000000000001yh", "two words"], ["8", "", "<- head"]];
        let style = Style { folds: true, width: 32, ..Style::plain() };
        let expected = "slot 7\n  run 01kgpkx38000000000000001yh\n  two words\nslot 8\n  <- head\n";
        assert_eq!(table(style, &["SLOT", "RUN", ""], rows), expected);
        let wide = Style { width: 60, ..style };
        assert!(table(wide, &["SLOT", "RUN", ""], rows).starts_with("SLOT  RUN"));
    }

    #[test]
    fn columns_line_up_by_display_width_and_nothing_trails() {
        let rows = [["日本", "x"], ["a", "yy"]];
        assert_eq!(table(Style::plain(), &["n", "m"], rows), "n     m\n日本  x\na     yy\n");
    }
}

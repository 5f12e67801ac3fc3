//! The difference of two texts on a screen.

use super::Style;
use crate::skill::diff::Diff;
use crate::skill::printable;

/// A unified difference, coloured, at most so many lines.
#[must_use]
pub fn diff(style: Style, old: &str, new: &str, most: usize) -> String {
    let difference = Diff::between(&printable(old), &printable(new)).text();
    let total = difference.lines().count();
    let mut text = String::new();
    for line in difference.lines().take(most) {
        let painted = match line.chars().next() {
            Some('+') => style.good(line),
            Some('-') => style.bad(line),
            Some('@') => style.head(line),
            _ => line.to_owned(),
        };
        text.push_str(&style.fold(&painted, 2));
        text.push('\n');
    }
    if total > most {
        text.push_str(&format!("... [{} more lines]\n", total - most));
    }
    text
}

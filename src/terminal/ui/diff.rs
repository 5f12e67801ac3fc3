//! The difference of two texts on a screen.

use super::Style;
use crate::skill::diff::Diff;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_line_keeps_its_sign() {
        let style = Style { width: 12, folds: true, ..Style::plain() };
        let shown = diff(style, "aaaa bbbb cccc\n", "aaaa bbbb dddd\n", 9);
        assert_eq!(shown, "@@ -1 +1 @@\n-aaaa bbbb\n-  cccc\n+aaaa bbbb\n+  dddd\n");
    }
}

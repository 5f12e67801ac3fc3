//! A fill level as a bar without colour.

use super::Style;

/// `[#####-----]` with this width between the brackets; with block characters if supported.
pub fn bar(style: Style, part: usize, whole: usize, width: usize) -> String {
    let full = (part.min(whole) * width).checked_div(whole).unwrap_or(0);
    let (done, left) = if style.unicode { ("█", "░") } else { ("#", "-") };
    format!("[{}{}]", done.repeat(full), left.repeat(width - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_it_says() {
        let style = Style::plain();
        assert_eq!(bar(style, 0, 4, 4), "[----]");
        assert_eq!(bar(style, 1, 4, 4), "[#---]");
        assert_eq!(bar(style, 9, 4, 4), "[####]");
        assert_eq!(bar(style, 0, 0, 4), "[----]");
    }
}

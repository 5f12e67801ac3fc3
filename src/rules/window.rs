//! Bounded views into a text, which keep searches linear.

/// At most `length` bytes from `at` on, cut at a character boundary; empty if `at` is inside a character.
pub(super) fn ahead(text: &str, at: usize, length: usize) -> &str {
    let mut end = at.saturating_add(length).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(at..end).unwrap_or("")
}

/// At most `length` bytes before `at`, cut at a character boundary; empty if `at` is inside a character.
pub(super) fn behind(text: &str, at: usize, length: usize) -> &str {
    let mut start = at.saturating_sub(length).min(text.len());
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..at).unwrap_or("")
}

/// How many of the first `most` bytes precede white space or an ASCII byte of a kind; whether one was found.
pub(super) fn before_end(text: &str, most: usize, is_end: impl Fn(u8) -> bool) -> (usize, bool) {
    let view = ahead(text, 0, most);
    let end = view.find(|c: char| c.is_whitespace() || u8::try_from(c).is_ok_and(|b| b.is_ascii() && is_end(b)));
    (end.unwrap_or(view.len()), end.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_bounded_and_cut_between_characters() {
        assert_eq!(
            (ahead("aéb", 1, 1), ahead("aéb", 1, 2), ahead("aéb", 1, 99), ahead("aéb", 2, 9)),
            ("", "é", "éb", "")
        );
        assert_eq!(
            (behind("aéb", 3, 1), behind("aéb", 3, 2), behind("aéb", 3, 99), behind("aéb", 2, 9)),
            ("", "é", "aé", "")
        );
    }
}

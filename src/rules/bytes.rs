//! Searches for bytes that satisfy a predicate.

use super::window::ahead;

/// The offset of the first byte from `from` on that satisfies a predicate.
pub(super) fn next(bytes: &[u8], from: usize, is: impl Fn(u8) -> bool) -> Option<usize> {
    bytes.get(from..)?.iter().position(|b| is(*b)).map(|step| from + step)
}

/// How many bytes of a text, of its first `most`, precede white space or an ASCII byte of a kind, and whether one was
/// found.
pub(super) fn before_end(text: &str, most: usize, is_end: impl Fn(u8) -> bool) -> (usize, bool) {
    let view = ahead(text, 0, most);
    let end = view.find(|c: char| c.is_whitespace() || u8::try_from(c).is_ok_and(|b| b.is_ascii() && is_end(b)));
    (end.unwrap_or(view.len()), end.is_some())
}

/// How many of the last bytes of a text are of a kind, up to `most`.
pub(super) fn ending(bytes: &[u8], most: usize, is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().rev().take(most).take_while(|b| is(**b)).count()
}

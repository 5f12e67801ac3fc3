//! A line with the pairs of bytes in it: what has another pair is not in it, which is told without reading the line again.

use std::ops::Deref;

/// The shortest line of which the pairs are noted, in bytes: a shorter one is sooner read again.
const SHORTEST: usize = 128;
/// How many kinds of pairs are told apart.
pub(super) const MARKS: usize = 1024;

/// The kind of a pair of bytes: those of a lower-case text that differ rarely share one.
#[inline]
pub(super) const fn mark(first: u8, second: u8) -> usize {
    ((first as usize) << 5 ^ second as usize) % MARKS
}

/// Which pairs of bytes a text holds.
pub(super) struct Pairs {
    held: [bool; MARKS],
}

impl Pairs {
    /// Notes the pairs of a text; nothing of a short one.
    pub(super) fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.len() < SHORTEST {
            return None;
        }
        let mut held = [false; MARKS];
        for (first, second) in bytes.iter().zip(bytes.iter().skip(1)) {
            if let Some(held) = held.get_mut(mark(*first, *second)) {
                *held = true;
            }
        }
        Some(Self { held })
    }

    /// Whether a text with these pairs may hold a part.
    fn may_hold(&self, part: &str) -> bool {
        let bytes = part.as_bytes();
        bytes.iter().zip(bytes.iter().skip(1)).all(|(a, b)| self.held.get(mark(*a, *b)).copied().unwrap_or(true))
    }
}

/// A line, or what is left of one, and what is known of the pairs in it.
#[derive(Clone, Copy)]
pub(in crate::rules) struct Line<'l> {
    text: &'l str,
    pairs: Option<&'l Pairs>,
}

impl<'l> Line<'l> {
    pub(super) fn new(text: &'l str, pairs: Option<&'l Pairs>) -> Self {
        Self { text, pairs }
    }

    /// The line itself.
    pub(super) fn text(self) -> &'l str {
        self.text
    }

    /// What stands from a place on.
    pub(super) fn from(self, at: usize) -> Option<Self> {
        Some(Self { text: self.text.get(at..)?, ..self })
    }

    /// What stands before a place.
    pub(super) fn before(self, at: usize) -> Option<Self> {
        Some(Self { text: self.text.get(..at)?, ..self })
    }

    /// Whether its pairs were noted.
    pub(super) fn is_noted(self) -> bool {
        self.pairs.is_some()
    }

    /// Whether the pairs of the line let it hold a part.
    pub(super) fn may_hold(self, part: &str) -> bool {
        self.pairs.is_none_or(|pairs| pairs.may_hold(part))
    }

    /// Whether a part stands in it.
    pub(super) fn holds(self, part: &str) -> bool {
        self.may_hold(part) && self.text.contains(part)
    }
}

impl<'l> From<&'l str> for Line<'l> {
    fn from(text: &'l str) -> Self {
        Self { text, pairs: None }
    }
}

impl<'l> From<&'l String> for Line<'l> {
    fn from(text: &'l String) -> Self {
        text.as_str().into()
    }
}

impl Deref for Line<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::injection::parts::Parts;

    proptest! {
        #[test]
        fn what_stands_in_a_line_is_found_in_it(text in "(\\PC|xx|\\.\\.\\.|your|fake |[a-z ]{1,9}){0,90}") {
            const PARTS: &[&str] = &["xxxx", "....", "e f", "your", "fake", "ur", "ke "];
            let pairs = Pairs::of(&text);
            let line = Line::new(&text, pairs.as_ref());
            let parts = Parts::of(PARTS);
            prop_assert_eq!(parts.first(line), parts.first(text.as_str()));
            prop_assert_eq!(parts.first_word(line), parts.first_word(text.as_str()));
            for part in PARTS {
                prop_assert_eq!(line.holds(part), text.contains(part));
            }
        }
    }
}

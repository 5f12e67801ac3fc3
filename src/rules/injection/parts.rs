//! Seeks many short parts of a text in one pass, by their first two bytes.

use std::ops::Range;

use memchr::memmem;

use super::line::{Line, MARKS, mark};

/// Parts that are sought together. Each has two bytes or more.
pub(in crate::rules) struct Parts<'p> {
    parts: &'p [&'p str],
    /// A bit for each pair of bytes that one of them begins with.
    marks: [u64; MARKS / 64],
}

impl<'p> Parts<'p> {
    /// Makes the table, in a static once for all texts.
    pub(in crate::rules) const fn of(parts: &'p [&'p str]) -> Self {
        let mut marks = [0; MARKS / 64];
        let mut rest = parts;
        while let [part, others @ ..] = rest {
            if let [first, second, ..] = part.as_bytes() {
                let mark = mark(*first, *second);
                marks[mark / 64] |= 1 << (mark % 64);
            }
            rest = others;
        }
        Self { parts, marks }
    }

    /// Where the first of them stands.
    pub(in crate::rules) fn first<'t>(&self, text: impl Into<Line<'t>>) -> Option<usize> {
        self.first_that(text.into(), |_, _| true)
    }

    /// Where each of them stands that does not begin inside the one before it.
    pub(in crate::rules) fn all(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let rest = text.get(from..)?;
            let at = from + self.first(rest)?;
            let there = text.get(at..)?;
            let length = self.parts.iter().filter(|part| there.starts_with(**part)).map(|part| part.len()).min()?;
            from = at + length;
            Some(at..from)
        })
    }

    /// Whether one of them stands in a text.
    pub(in crate::rules) fn are_in<'t>(&self, text: impl Into<Line<'t>>) -> bool {
        self.first(text).is_some()
    }

    /// Where the first of them stands by itself; what ends in a bracket may begin anywhere.
    pub(in crate::rules) fn first_word<'t>(&self, text: impl Into<Line<'t>>) -> Option<usize> {
        let text: Line<'t> = text.into();
        let bytes = text.as_bytes();
        let free = |at: Option<usize>| {
            let byte = at.and_then(|at| bytes.get(at));
            byte.is_none_or(|b| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'_' | b'.'))
        };
        self.first_that(text, |at, word| word.ends_with('(') || free(at.checked_sub(1)) && free(Some(at + word.len())))
    }

    /// Where the first of them stands that is wanted there.
    fn first_that(&self, text: Line<'_>, is_wanted: impl Fn(usize, &str) -> bool) -> Option<usize> {
        let bytes = text.as_bytes();
        if text.is_noted() {
            let likely = || self.parts.iter().filter(|part| text.may_hold(part));
            if likely().nth(FEW).is_none() {
                let place = |part: &&str| memmem::find_iter(bytes, *part).find(|at| is_wanted(*at, part));
                return likely().filter_map(place).min();
            }
        }
        let stands = |at: usize| {
            let rest = bytes.get(at..).unwrap_or_default();
            let [first, second, ..] = rest else { return false };
            self.begins(*first, *second) & 1 == 1
                && self.parts.iter().any(|part| {
                    matches!(part.as_bytes(), [one, two, ..] if one == first && two == second)
                        && rest.starts_with(part.as_bytes())
                        && is_wanted(at, part)
                })
        };
        let mut from = 0;
        while let Some(near) = bytes.get(from..).and_then(|rest| rest.first_chunk::<{ STRIDE + 1 }>()) {
            let pairs = near.iter().zip(near.iter().skip(1));
            let any = pairs.fold(0, |any, (first, second)| any | self.begins(*first, *second));
            if any & 1 == 1
                && let Some(at) = (from..from + STRIDE).find(|at| stands(*at))
            {
                return Some(at);
            }
            from += STRIDE;
        }
        (from..bytes.len()).find(|at| stands(*at))
    }

    /// Whether a part may begin with two bytes, in the lowest bit.
    #[inline]
    fn begins(&self, first: u8, second: u8) -> u64 {
        let mark = mark(first, second);
        self.marks.get(mark / 64).map_or(0, |bits| bits >> (mark % 64))
    }
}

/// Parts that are given where they are sought, or by the name of their list: the table is made when the program is.
macro_rules! parts {
    ($list:path) => {
        const { &$crate::rules::injection::parts::Parts::of($list) }
    };
    ($($part:literal),+ $(,)?) => {
        const { &$crate::rules::injection::parts::Parts::of(&[$($part),+]) }
    };
}
pub(in crate::rules) use parts;

/// How many parts are sought one after the other rather than all at once.
const FEW: usize = 3;
/// How many pairs of bytes are asked about at once.
const STRIDE: usize = 8;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_of_many_is_found() {
        assert_eq!(Parts::of(&[".rar", ".zip"]).first("a b.zip b.rar"), Some(3));
        assert_eq!(Parts::of(&[".rar"]).first(""), None);
        assert_eq!(Parts::of(&[".rar", "ra"]).first("ra"), Some(0));
    }

    #[test]
    fn a_word_stands_by_itself() {
        const NETCATS: Parts<'_> = Parts::of(&["ncat", "nc"]);
        for line in ["nc x", "/bin/nc", "`nc`", "\u{e9}nc\u{e9}", "sync; nc"] {
            assert!(NETCATS.first_word(line).is_some(), "{line}");
        }
        for line in ["sync", "nc-x", "my_nc", "nc.x", "n c", "ncc"] {
            assert_eq!(NETCATS.first_word(line), None, "{line}");
        }
        assert_eq!(Parts::of(&["fetch("]).first_word("prefetch(x)"), Some(3));
    }

    proptest! {
        #[test]
        fn it_is_where_seeking_each_finds_it(text in "(\\PC|xx|\\.\\.\\.|\u{2026}|your|fake){0,12}") {
            const PARTS: &[&str] = &["xxxx", "....", "\u{2026}", "your", "fake"];
            let slow = PARTS.iter().filter_map(|part| text.find(part)).min();
            prop_assert_eq!(Parts::of(PARTS).first(&text), slow);
        }
    }
}

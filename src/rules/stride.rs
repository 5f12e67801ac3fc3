//! Finds the next byte of a kind, a stride of bytes at a time: most of a text is of no kind that anybody looks for. What
//! ends nearby, as short lines do, is told byte by byte.

/// How many bytes are asked about at once.
const STRIDE: usize = 32;

/// Where the first byte of a kind stands from `from` on. `is` should be plain arithmetic, which a processor does for all
/// bytes of a stride at once.
#[inline]
pub(super) fn next(bytes: &[u8], from: usize, is: impl Fn(u8) -> bool) -> Option<usize> {
    let rest = bytes.get(from..)?;
    if is(*rest.first()?) {
        return Some(from);
    }
    let mut before = from;
    let (strides, last) = rest.as_chunks::<STRIDE>();
    for stride in strides {
        if stride.iter().fold(false, |any, b| any | is(*b)) {
            return stride.iter().position(|b| is(*b)).map(|step| before + step);
        }
        before += STRIDE;
    }
    last.iter().position(|b| is(*b)).map(|step| before + step)
}

/// How many bytes of a text, of its first `most`, stand before white space of any script or an ASCII byte of a kind, and
/// whether such a one stands behind them.
pub(super) fn before_end(text: &str, most: usize, is_end: impl Fn(u8) -> bool) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(b) = bytes.get(at).filter(|_| at < most) {
        if b.is_ascii() {
            if is_end(*b) || char::from(*b).is_whitespace() {
                return (at, true);
            }
            at += 1;
            continue;
        }
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { break };
        if at + c.len_utf8() > most {
            break;
        }
        if c.is_whitespace() {
            return (at, true);
        }
        at += c.len_utf8();
    }
    (at, false)
}

/// The lines of a text as [`str::lines`] gives them, quick where they are short.
pub(super) fn lines(text: &str) -> impl Iterator<Item = &str> {
    /// How many bytes are looked at one by one before the rest is searched.
    const NEAR: usize = 8;
    let bytes = text.as_bytes();
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(from..).filter(|rest| !rest.is_empty())?;
        let near = rest.iter().take(NEAR).position(|b| *b == b'\n');
        let far = || Some(memchr::memchr(b'\n', rest.get(NEAR..)?)? + NEAR);
        let (start, length) = (from, near.or_else(far));
        let end = start + length.unwrap_or(rest.len());
        from = end + 1;
        let returned = length.is_some() && end > start && bytes.get(end - 1) == Some(&b'\r');
        text.get(start..end - usize::from(returned))
    })
}

/// How many of the last bytes of a text are of a kind, up to `most`.
pub(super) fn ending(bytes: &[u8], most: usize, is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().rev().take(most).take_while(|b| is(**b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn it_is_where_looking_at_each_byte_finds_it(text in "(a{0,40}|[0-9]|\u{e9}){0,6}", from in 0_usize..200) {
            let bytes = text.as_bytes();
            let slow = (from..bytes.len()).find(|at| bytes[*at].is_ascii_digit());
            proptest::prop_assert_eq!(next(bytes, from, |b| b.is_ascii_digit()), slow);
        }
    }

    proptest::proptest! {
        #[test]
        fn lines_are_those_of_any_text(text in "(a{0,12}|\u{e9}|\n|\r|\r\n){0,12}") {
            proptest::prop_assert_eq!(lines(&text).collect::<Vec<_>>(), text.lines().collect::<Vec<_>>());
        }
    }

    proptest::proptest! {
        #[test]
        fn an_end_is_the_first_blank_or_sign(text in "(a{0,9}|[,; \\n\u{a0}\u{2003}\u{e9}]){0,12}", most in 0_usize..40) {
            let view = super::super::window::ahead(&text, 0, most);
            let slow = view.find(|c: char| c.is_whitespace() || c == ',');
            let quick = before_end(&text, most, |b| b == b',');
            proptest::prop_assert_eq!(quick, (slow.unwrap_or(view.len()), slow.is_some()));
        }
    }
}

//! Finds the next byte of a kind, a stride of bytes at a time: most of a text is of no kind that anybody looks for.

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
    let strides = rest.chunks_exact(STRIDE);
    let last = strides.remainder();
    for stride in strides {
        if stride.iter().fold(false, |any, b| any | is(*b)) {
            return stride.iter().position(|b| is(*b)).map(|step| before + step);
        }
        before += STRIDE;
    }
    last.iter().position(|b| is(*b)).map(|step| before + step)
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
}

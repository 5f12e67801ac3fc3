//! Positions in a text: line and column from a byte offset.

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// 1-based line. `\n`, `\r\n` and a lone `\r` each end a line.
    pub line: usize,
    /// 1-based column in Unicode scalar values.
    pub column: usize,
}

impl Position {
    /// The first character of a text.
    pub const START: Self = Self { line: 1, column: 1 };
}

/// Where each line of a text begins, so that offsets become positions without re-reading the text.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// Whether every character is one byte, so that a column needs no counting.
    ascii: bool,
}

impl<'a> Lines<'a> {
    pub fn new(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let ends = |at: &usize| bytes.get(*at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n');
        let found = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(ends).map(|at| at + 1);
        let starts = std::iter::once(0).chain(found).collect();
        Self { text, starts, ascii: text.is_ascii() }
    }

    /// The position of a byte offset. An offset past the end is the end; one inside a character is that character.
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|index| self.starts.get(index)).copied().unwrap_or(0);
        let before = self.text.get(start..offset).unwrap_or("");
        let column = if self.ascii { before.len() } else { before.chars().count() } + 1;
        Position { line: line.max(1), column }
    }

    /// How many lines the text has; a line end at the very end opens no further line, and an empty text has none.
    pub fn count(&self) -> usize {
        match self.starts.last() {
            Some(last) if *last == self.text.len() => self.starts.len() - 1,
            _ => self.starts.len(),
        }
    }

    /// Every line with the byte offset it begins at, without its line end.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &'a str)> + '_ {
        (0..self.count()).map(|index| self.at(index))
    }

    /// The line of a 1-based number with the byte offset it begins at, without its line end.
    pub fn line(&self, number: usize) -> Option<(usize, &'a str)> {
        let index = number.checked_sub(1).filter(|index| *index < self.count())?;
        Some(self.at(index))
    }

    fn at(&self, index: usize) -> (usize, &'a str) {
        let start = self.starts.get(index).copied().unwrap_or(0);
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        let bytes = self.text.as_bytes();
        let is = |at: usize, sign: u8| at > start && bytes.get(at - 1) == Some(&sign);
        let end = end - usize::from(is(end, b'\n'));
        let end = end - usize::from(is(end, b'\r'));
        (start, self.text.get(start..end).unwrap_or(""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_line_end_counts_once() {
        for text in ["a\nb\nç", "a\r\nb\r\nç", "a\rb\rç"] {
            let lines = Lines::new(text);
            let at = text.find('ç').unwrap_or(0);
            assert_eq!(lines.position(at), Position { line: 3, column: 1 }, "{text:?}");
            assert_eq!(lines.count(), 3);
            assert_eq!(lines.iter().map(|(_, line)| line).collect::<Vec<_>>(), ["a", "b", "ç"]);
        }
    }

    proptest::proptest! {
        #[test]
        fn lines_begin_where_looking_at_each_byte_says(text in "([ab\u{e9}]{0,40}|\n|\r|\r\n){0,20}") {
            let bytes = text.as_bytes();
            let ends = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
            let slow = [0].into_iter().chain((0..bytes.len()).filter(ends).map(|at| at + 1));
            proptest::prop_assert_eq!(Lines::new(&text).starts, slow.collect::<Vec<_>>());
        }
    }

    #[test]
    fn columns_are_characters_and_offsets_never_overrun() {
        let lines = Lines::new("éé x\n");
        assert_eq!(lines.position(5), Position { line: 1, column: 4 });
        assert_eq!(lines.position(1), Position::START, "inside a character is that character");
        assert_eq!(lines.position(999), Position { line: 2, column: 1 });
        assert_eq!(lines.count(), 1);
        assert_eq!(Lines::new("").count(), 0);
    }
}

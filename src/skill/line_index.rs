//! A text that is searched by the first word of its lines, which `build.rs` has sorted by it.

#[derive(Debug, Clone, Copy)]
pub(super) struct LineIndex(pub(super) &'static str);

impl LineIndex {
    /// The rest of each line that begins with this word.
    pub(super) fn of(self, word: &str) -> impl Iterator<Item = &'static str> {
        let (mut from, mut to) = (0, self.0.len());
        while from < to {
            let middle = self.begin(from + (to - from) / 2);
            if self.line(middle).0 < word {
                from =
                    middle + self.0.get(middle..).and_then(|rest| rest.find('\n')).map_or(self.0.len(), |end| end + 1);
            } else {
                to = middle;
            }
        }
        let word = word.to_owned();
        let lines = self.0.get(from..).unwrap_or_default().lines();
        lines.filter_map(|line| line.split_once(' ')).take_while(move |(first, _)| *first == word).map(|(_, rest)| rest)
    }

    /// Where the line at this byte begins.
    fn begin(self, at: usize) -> usize {
        let before = self.0.as_bytes().get(..at).unwrap_or_default();
        before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1)
    }

    /// The first word and the rest of the line that begins here.
    fn line(self, at: usize) -> (&'static str, &'static str) {
        let line = self.0.get(at..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        line.split_once(' ').unwrap_or((line, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_word_are_found_wherever_they_are() {
        let index = LineIndex("a 1\na 2\nb 3 x\nçá 4\nçá 5");
        let found = |word| index.of(word).collect::<Vec<_>>();
        assert_eq!(found("a"), ["1", "2"]);
        assert_eq!(found("b"), ["3 x"]);
        assert_eq!(found("çá"), ["4", "5"]);
        for word in ["", "A", "aa", "c", "é"] {
            assert_eq!(found(word), [""; 0], "{word:?}");
        }
        assert_eq!(LineIndex("").of("a").next(), None);
    }
}

//! Edits a text in place: locates scalars and replaces ranges.

use std::ops::Range;

use crate::skill::Tree;
use crate::skill::frontmatter::{self, Document};
use crate::skill::position::{Lines, Position};

/// The parsed SKILL.md of a tree; `None` while it begins with a byte order mark or cannot be parsed.
pub(super) fn document(tree: &Tree) -> Option<Document> {
    frontmatter::read(&tree.get("SKILL.md")?.bytes).ok().filter(|doc| !doc.bom)
}

/// The tree with another text in one of its files; the file's mode is kept.
pub(super) fn with(tree: &Tree, path: &str, text: &str) -> Option<Tree> {
    let mut blob = tree.get(path)?.clone();
    blob.bytes = text.as_bytes().to_vec();
    let mut tree = tree.clone();
    tree.put_blob(path, blob);
    Some(tree)
}

pub(super) fn offset(text: &str, at: Position) -> Option<usize> {
    let (start, line) = Lines::new(text).line(at.line)?;
    let inside = line.char_indices().map(|(byte, _)| byte).chain([line.len()]).nth(at.column.checked_sub(1)?)?;
    Some(start + inside)
}

/// The range of the one-line scalar at an offset, including its quotes; `None` for block scalars and collections.
pub(super) fn scalar(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let line = rest.split(['\n', '\r']).next()?;
    let first = line.chars().next()?;
    let length = match first {
        '"' => {
            let mut escaped = false;
            let close = line.char_indices().skip(1).find(|(_, c)| {
                let ends = *c == '"' && !escaped;
                escaped = *c == '\\' && !escaped;
                ends
            });
            close?.0 + 1
        }
        '\'' => line.get(1..)?.find('\'').map(|at| at + 2)?,
        '|' | '>' | '[' | '{' | '&' | '*' | '!' | '#' => return None,
        _ => line.find(" #").map_or(line, |at| line.get(..at).unwrap_or(line)).trim_end().len(),
    };
    (length > 0).then_some(from..from + length)
}

pub(super) fn replaced(text: &str, range: &Range<usize>, by: &str) -> Option<String> {
    Some([text.get(..range.start)?, by, text.get(range.end..)?].concat())
}

/// A text as a reader compares it: no byte order mark, lines ended by `\n`.
pub(super) fn plain(text: &str) -> String {
    text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_end_where_yaml_ends_them() {
        for (text, scalar_is) in [
            ("abc # note\nx", Some("abc")),
            ("a#b  \n", Some("a#b")),
            ("\"a \\\" b\" # c", Some("\"a \\\" b\"")),
            ("'a b' c", Some("'a b'")),
            ("|\n  x", None),
            ("[a]", None),
            ("\"open\n\"", None),
        ] {
            assert_eq!(scalar(text, 0).and_then(|range| text.get(range)), scalar_is, "{text:?}");
        }
    }

    #[test]
    fn positions_are_characters_of_a_line() {
        assert_eq!(offset("é\r\nxy", Position { line: 2, column: 2 }), Some(5));
        assert_eq!(offset("é", Position { line: 1, column: 2 }), Some(2));
        assert_eq!(offset("é", Position { line: 3, column: 1 }), None);
    }
}

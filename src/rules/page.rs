//! A SKILL.md with data that several rules share.

use std::cell::OnceCell;

use crate::rules::{Document, Lines};
use crate::skill::frontmatter::Field;

/// A field of a frontmatter whose value is a scalar, and the value.
pub(super) fn text_of<'d>(doc: &'d Document, key: &str) -> Option<(&'d Field, &'d str)> {
    let field = doc.field(key)?;
    Some((field, field.value.scalar()?))
}

/// A document with derived data.
pub(super) struct Page<'d> {
    pub(super) doc: &'d Document,
    /// The lines of its whole text.
    pub(super) lines: Lines<'d>,
    lowered: OnceCell<String>,
}

impl<'d> Page<'d> {
    pub(super) fn new(doc: &'d Document) -> Self {
        Self { doc, lines: Lines::new(&doc.text), lowered: OnceCell::new() }
    }

    /// The body in lower case.
    pub(super) fn lowered(&self) -> &str {
        self.lowered.get_or_init(|| self.doc.body().to_lowercase())
    }

    /// The lines of the body, without line ends, each with its 1-based number in the file.
    pub(super) fn body_lines(&self) -> impl Iterator<Item = (usize, &'d str)> + '_ {
        let first = self.doc.body_line;
        self.lines.iter().skip(first.saturating_sub(1)).enumerate().map(move |(index, (_, line))| (first + index, line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::skill::frontmatter;

    #[test]
    fn the_lines_of_a_body_are_numbered_as_in_the_file() {
        for (end, body) in [("\n", "A\n\nb\n"), ("\r\n", "A\r\n\r\nb"), ("\r", "A\r\rb\r")] {
            let doc = frontmatter::read(format!("---{end}name: a{end}---{end}{body}").as_bytes()).unwrap();
            let page = Page::new(&doc);
            assert_eq!(page.body_lines().collect::<Vec<_>>(), [(4, "A"), (5, ""), (6, "b")], "{body:?}");
            assert!(page.lowered().starts_with('a'));
        }
        let doc = frontmatter::read(b"---\nname: a\n---").unwrap();
        assert_eq!(Page::new(&doc).body_lines().count(), 0);
    }
}

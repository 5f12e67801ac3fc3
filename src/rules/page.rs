//! A SKILL.md with data that several rules share.

use std::cell::OnceCell;

use crate::skill::frontmatter::Document;
use crate::skill::position::Lines;

use super::bytes;

/// A document with derived data.
pub(super) struct Page<'d> {
    /// The document.
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
        self.lowered.get_or_init(|| lowercase(self.doc.body()))
    }

    /// The lines of the body, without line ends, each with its 1-based number in the file.
    pub(super) fn body_lines(&self) -> impl Iterator<Item = (usize, &'d str)> + '_ {
        let first = self.doc.body_line;
        self.lines.iter().skip(first.saturating_sub(1)).enumerate().map(move |(index, (_, line))| (first + index, line))
    }
}

/// [`str::to_lowercase`], quick where most of a text is ASCII.
fn lowercase(text: &str) -> String {
    // The lower case of sigma depends on its neighbours.
    if text.contains('\u{3a3}') {
        return text.to_lowercase();
    }
    let mut lower = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let ascii = bytes::next(rest.as_bytes(), 0, |b| !b.is_ascii()).unwrap_or(rest.len());
        let (plain, behind) = rest.split_at(ascii);
        lower.push_str(plain);
        rest = behind;
        if ascii == 0 {
            lower.extend(c.to_lowercase());
            rest = rest.get(c.len_utf8()..).unwrap_or("");
        }
    }
    lower.make_ascii_lowercase();
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn the_quick_lower_case_is_the_slow_one(text in "(\\PC|[A-Z\u{130}\u{212a}\u{3a3}\u{c9}] ?){0,60}") {
            proptest::prop_assert_eq!(lowercase(&text), text.to_lowercase());
        }
    }
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

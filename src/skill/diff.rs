//! Unified diff of two texts as plain lines, without colours.

use diffy::{Line as Changed, create_patch};

/// The kind of a line in a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `@@ -1,3 +1,4 @@`: the position of the following lines.
    Hunk,
    Same,
    /// Only in the new text.
    Added,
    /// Only in the old text.
    Removed,
    /// The remark that a text does not end with a newline.
    Note,
}

/// One line of a diff, without its line end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub kind: Kind,
    /// The line with its prefix (`+`, `-`, a space, or `@@`).
    pub text: String,
}

/// The difference of two texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// The lines of the diff; none when the texts are equal.
    pub lines: Vec<Line>,
    /// Number of lines only in the new text.
    pub added: usize,
    /// Number of lines only in the old text.
    pub removed: usize,
}

impl Diff {
    /// Compares two texts line by line, with three lines of context around a change.
    pub fn between(old: &str, new: &str) -> Self {
        let mut diff = Self::default();
        for hunk in create_patch(old, new).hunks() {
            let text = format!("@@ -{} +{} @@", hunk.old_range(), hunk.new_range());
            diff.lines.push(Line { kind: Kind::Hunk, text });
            for change in hunk.lines() {
                let (kind, prefix, line) = match change {
                    Changed::Context(line) => (Kind::Same, ' ', line),
                    Changed::Insert(line) => (Kind::Added, '+', line),
                    Changed::Delete(line) => (Kind::Removed, '-', line),
                };
                diff.added += usize::from(kind == Kind::Added);
                diff.removed += usize::from(kind == Kind::Removed);
                let bare = line.strip_suffix('\n');
                diff.lines.push(Line { kind, text: format!("{prefix}{}", bare.unwrap_or(line)) });
                if bare.is_none() {
                    let text = "\\ No newline at end of file".to_owned();
                    diff.lines.push(Line { kind: Kind::Note, text });
                }
            }
        }
        diff
    }

    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_stands_between_three_lines_of_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let diff = Diff::between(old, &old.replace("5\n", "five\nfive and a half\n"));
        assert_eq!(diff.text(), "@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n+five and a half\n 6\n 7\n 8\n");
        assert_eq!((diff.added, diff.removed), (2, 1));
    }

    #[test]
    fn equal_texts_have_no_lines_and_a_lost_newline_is_seen() {
        assert_eq!(Diff::between("a\n", "a\n").text(), "");
        let diff = Diff::between("a\n", "a");
        assert_eq!((diff.added, diff.removed), (1, 1));
        assert_eq!(diff.lines.last().map(|line| line.kind), Some(Kind::Note));
    }
}

//! How much of a body could stand only in this skill: lines with a command, a number, a name, a quoted form or a path.

use std::sync::LazyLock;

use regex::Regex;

use crate::skill::template::gaps;

/// With fewer specific lines and open questions left a skill says nothing that a model does not know.
pub const ENOUGH: usize = 6;

/// A code span, a number, an address, a quoted form, a name with a capital inside a sentence, or a word such as `fooBar`.
static TELLING: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
    Regex::new(r#"`[^`]+`|\d|https?://|"[^"]+"|\w/\w|[a-z][A-Z]|[A-Z]{2}|[\p{Ll},;:)] \p{Lu}"#)
        .expect("a valid pattern")
});

/// Counted over the lines of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Specificity {
    /// Lines with content: no heading, no table rule, no open question; a block of code is one line.
    pub content: usize,
    /// Those of them that could stand in no other skill.
    pub specific: usize,
}

impl Specificity {
    /// Counts the lines of a SKILL.md below its frontmatter.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let body = text.strip_prefix("---").and_then(|rest| rest.split_once("\n---")).map_or(text, |(_, body)| body);
        let (mut counted, mut fenced) = (Self::default(), false);
        for line in body.lines().map(str::trim) {
            if line.starts_with("```") || line.starts_with("~~~") {
                fenced = !fenced;
                counted.add(fenced, true);
                continue;
            }
            let bare =
                line.trim_start_matches(['-', '*', '|', '>', ' ']).trim_start_matches(|c: char| c.is_ascii_digit());
            let bare = bare.trim_start_matches(['.', ')', ' ']);
            let content = !fenced && bare.contains(char::is_alphabetic) && !line.starts_with('#') && gaps(line) == 0;
            counted.add(content, TELLING.is_match(bare));
        }
        counted
    }

    fn add(&mut self, content: bool, specific: bool) {
        self.content += usize::from(content);
        self.specific += usize::from(content && specific);
    }

    /// Whether at least half of the lines are specific.
    #[must_use]
    pub fn mostly(self) -> bool {
        self.specific * 2 >= self.content
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matter_is_told_from_method() {
        let method = "---\nname: x\n---\n# Deploy 2\n\n1. Look at the input.\n- Decide what to do.\n\n[FILL IN: Which command?]\n";
        assert_eq!(Specificity::of(method), Specificity { content: 2, specific: 0 });
        let matter = "# X\n\n1. Run `make test`.\n2. Wait 30 days.\n3. Ask the Platform team.\n\n```sh\nmake\nmake x\n```\n\nThen stop.\n";
        assert_eq!(Specificity::of(matter), Specificity { content: 5, specific: 4 });
        assert!(Specificity::of(matter).mostly() && !Specificity::of(method).mostly());
    }
}

//! What the author and the house said has to be in every text, whoever wrote it.

use super::phrases::Phrases;
use super::{Body, Origin};
use crate::skill::Language;
use crate::skill::ranking::stems;

/// A line counts as said where so many of ten of its words are in the text.
const OF_TEN: usize = 7;

impl Body {
    /// The text with the lines of the author and of files the author named that it leaves out, at its end.
    #[must_use]
    pub fn complete(&self, text: &str, language: Language) -> String {
        let there = stems(text);
        let left_out = |line: &str| {
            let words = stems(line);
            words.iter().filter(|word| there.contains(word)).count() * 10 < words.len() * OF_TEN
        };
        let required = self.lines().filter(|line| {
            matches!(&line.origin, Origin::Answer { .. }) || matches!(&line.origin, Origin::House { line: 0, .. })
        });
        let missing: String =
            required.filter(|line| left_out(&line.text)).map(|line| format!("- {}\n", line.text)).collect();
        if missing.is_empty() {
            return text.to_owned();
        }
        format!("{}\n\n## {}\n\n{missing}", text.trim_end(), Phrases::of(language).limits)
    }
}

#[cfg(test)]
mod tests {
    use crate::skill::body::{Line, Section, Shape};

    use super::*;

    #[test]
    fn what_another_text_leaves_out_is_added_and_what_it_says_is_not() {
        let line = |text: &str| Line {
            shape: Shape::Point,
            text: text.into(),
            origin: Origin::Answer { key: "a".into() },
            weight: 3,
        };
        let lines = vec![line("Keep keys for seven days"), line("Ask the platform team")];
        let body = Body { sections: vec![Section { heading: String::new(), lines }], ..Body::default() };
        let text = body.complete("# X\n\nFor seven days the keys are kept.\n", Language::En);
        assert_eq!(
            text,
            "# X\n\nFor seven days the keys are kept.\n\n## Limits and traps\n\n- Ask the platform team\n"
        );
        assert_eq!(body.complete(&text, Language::En), text);
    }
}

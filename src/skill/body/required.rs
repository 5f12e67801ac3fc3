//! Required lines: those of the author and the house rules must be in every text, whoever wrote it.

use std::sync::LazyLock;

use regex::Regex;

use super::phrases::Phrases;
use super::{Body, Line, Origin};
use crate::skill::Language;
use crate::skill::ranking::stems;
use crate::skill::sentence::language_of;

/// How many of ten words of a line must be close together for it to count as present.
const OF_TEN: usize = 7;
/// Within how many consecutive lines.
const TOGETHER: usize = 3;

/// Code and numbers, which must match exactly.
static EXACT: LazyLock<Regex> = LazyLock::new(|| {
    #[allow(clippy::expect_used, reason = "the pattern is a constant, and tests use it")]
    Regex::new(r"`([^`]+)`|(\d+(?:[.,:]\d+)*)").expect("a valid pattern")
});

/// Whether a text contains a line: its code and numbers exactly, and most of its words close together. If the line is
/// in another language than the text, its words are not compared.
pub fn said(text: &str, line: &str, language: Language) -> bool {
    let parts = EXACT.captures_iter(line).filter_map(|found| found.get(1).or_else(|| found.get(2)));
    let exact: Vec<&str> = parts.map(|part| part.as_str()).collect();
    let words = stems(&EXACT.replace_all(line, " "));
    let foreign = !exact.is_empty() && language_of(line) != language;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let together = |lines: &[&str]| {
        let near = lines.join("\n");
        if !exact.iter().all(|part| near.contains(part)) {
            return false;
        }
        let there = stems(&near);
        foreign || words.iter().filter(|word| there.contains(word)).count() * 10 >= words.len() * OF_TEN
    };
    lines.windows(TOGETHER.min(lines.len().max(1))).any(together)
}

impl Body {
    /// Appends the missing lines of the author and of files the author named; with `house` also the rules of the
    /// repository.
    pub fn complete(&self, text: &str, language: Language, house: bool) -> String {
        let required = self.lines().filter(|line| match &line.origin {
            Origin::Answer { .. } | Origin::Given { .. } => true,
            Origin::House { .. } => house,
            _ => false,
        });
        let body = below_title(text);
        let missing =
            required.filter(|line| !said(body, &placeless(line), language)).map(|line: &Line| line.text.as_str());
        with_lines(text, missing, language)
    }
}

/// The text below the frontmatter and the title, both of which repeat the sentence.
pub fn below_title(text: &str) -> &str {
    let body = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).map_or(text, |(_, body)| body);
    let body = body.trim_start();
    if body.starts_with("# ") { body.split_once('\n').map_or("", |(_, rest)| rest) } else { body }
}

/// The words of a line without its place or question.
fn placeless(line: &Line) -> String {
    match &line.origin {
        Origin::House { file, line: number } | Origin::Given { file, line: number } => {
            let place = if *number == 0 { file.clone() } else { format!("{file}:{number}") };
            line.text.replace(&format!(" ({place})"), "")
        }
        Origin::Answer { said, .. } if !said.is_empty() => said.clone(),
        _ => line.text.clone(),
    }
}

/// The text with these lines added to the limits: at the end of that section, or in a new one.
pub fn with_lines<'l>(text: &str, lines: impl Iterator<Item = &'l str>, language: Language) -> String {
    let added: String = lines.map(|line| format!("- {line}\n")).collect();
    if added.is_empty() {
        return text.to_owned();
    }
    below(text, &Phrases::of(language).limits, &added)
}

/// The text with this file in its list of files, unless it names the file already.
pub fn with_file(text: &str, path: &str, language: Language) -> String {
    if text.contains(path) {
        return text.to_owned();
    }
    let Phrases { files, uses: [run, copy, read], .. } = Phrases::of(language);
    let done = match path.split('/').next() {
        Some("scripts") => run,
        Some("assets") => copy,
        _ => read,
    };
    below(text, files, &format!("- `{path}`: {done}\n"))
}

/// The text with these lines at the end of the list below a heading, or in a new section at the end.
fn below(text: &str, heading: &str, added: &str) -> String {
    let text = text.trim_end();
    let Some(end) = section_end(text, heading) else { return format!("{text}\n\n## {heading}\n\n{added}") };
    let (before, behind) = text.split_at(end);
    let before = before.trim_end();
    let listed = before.lines().last().is_some_and(|line| line.trim_start().starts_with("- "));
    let gap = if listed { "" } else { "\n" };
    let behind = behind.trim_start();
    let behind = if behind.is_empty() { String::new() } else { format!("\n{behind}\n") };
    format!("{before}\n{gap}{added}{behind}")
}

/// The end of the list at the start of the section with this heading, or with its first word; code may contain lines
/// that look like headings.
fn section_end(text: &str, heading: &str) -> Option<usize> {
    let first = heading.split(' ').next().unwrap_or(heading).to_lowercase();
    let (mut at, mut fenced, mut found) = (0, false, None);
    for line in text.split_inclusive('\n') {
        let here = at;
        at += line.len();
        fenced ^= line.trim_start().starts_with("```");
        let title = line.strip_prefix("## ").filter(|_| !fenced);
        // The report and the criterion for being done follow the list.
        let list = |line: &str| line.trim().is_empty() || line.starts_with([' ', '-', '*', '`']);
        match (found, title.map(|title| title.trim().to_lowercase())) {
            (None, Some(title)) if title == first || title == heading.to_lowercase() => found = Some(at),
            (Some(_), None) if fenced || list(line) => {}
            (Some(_), _) => return Some(here),
            _ => {}
        }
    }
    found.map(|_| text.len())
}

#[cfg(test)]
mod tests {
    use crate::skill::body::{Section, Shape};

    use super::*;

    #[test]
    fn what_another_text_leaves_out_is_added_and_what_it_says_is_not() {
        let line = |text: &str| Line::new(Shape::Point, text, Origin::Answer { key: "a".into(), said: text.into() });
        let lines = vec![line("Keep keys for seven days"), line("Ask the platform team")];
        let body = Body { sections: vec![Section::new("", lines)], ..Body::default() };
        let kept = "# X\n\nFor seven days the keys are kept.\n";
        let text = body.complete(kept, Language::En, false);
        assert_eq!(text, format!("{kept}\n## Limits and traps\n\n- Ask the platform team\n"));
        assert_eq!(body.complete(&text, Language::En, false), text);
    }

    #[test]
    fn what_is_added_joins_the_limits_that_are_there() {
        for (text, wanted) in [
            ("1. x\n", "1. x\n\n## Limits and traps\n\n- Ask first\n"),
            (
                "## Limits and traps\n\n- a\n  more of a\n- b\n\nDone when x.\n\n## Other\n\n- c\n",
                "## Limits and traps\n\n- a\n  more of a\n- b\n- Ask first\n\nDone when x.\n\n## Other\n\n- c\n",
            ),
            ("## Limits\n\nNone.\n", "## Limits\n\n- Ask first\n\nNone.\n"),
            ("## Limits\n\n- a\n", "## Limits\n\n- a\n- Ask first\n"),
            ("```md\n## Limits\n```\n", "```md\n## Limits\n```\n\n## Limits and traps\n\n- Ask first\n"),
        ] {
            assert_eq!(with_lines(text, ["Ask first"].into_iter(), Language::En), wanted);
        }
    }

    #[test]
    fn words_have_to_stand_together_and_numbers_and_code_as_they_are() {
        let english =
            "Delete the branch.\n\nOne.\n\nTwo.\n\nThree.\n\nRun `make test` and wait 30 days before the key goes.\n";
        let portuguese = "Corra `make test` e espere 30 dias.\n";
        for (text, language, line, is) in [
            (english, Language::En, "After 30 days the key goes.", true),
            (english, Language::En, "After 60 days the key goes.", false),
            (english, Language::En, "Wait for `make test`.", true),
            (english, Language::En, "Wait for `make check`.", false),
            (english, Language::En, "Delete the key.", false),
            // Of a line in another language only what is exact is compared.
            (portuguese, Language::Pt, "Wait 30 days after you have run `make test`.", true),
            (portuguese, Language::Pt, "Wait 40 days after you have run `make test`.", false),
            (portuguese, Language::Pt, "Never delete the branch of another person.", false),
        ] {
            assert_eq!(said(text, line, language), is, "{line}");
        }
    }
}

//! What a drafted body must be, and what is taken off it before it is looked at.

use std::fmt;

/// The largest body taken, in bytes.
pub const MOST: usize = 48 << 10;

/// The first line of a body given with `--body` that stands in place of every section of the template.
pub const MARK: &str = "<!-- hefesto: whole body -->";

/// Why an answer is no body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotABody {
    /// Fewer than two headings of the second level.
    NoSections,
    /// More than [`MOST`] bytes; how many.
    TooLarge(usize),
}

impl fmt::Display for NotABody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSections => f.write_str("it is no body of a skill: fewer than two `## ` sections"),
            Self::TooLarge(bytes) => write!(f, "it has {bytes} bytes; {MOST} is the most"),
        }
    }
}

/// The text behind [`MARK`], where a body begins with it.
#[must_use]
pub fn whole(body: &str) -> Option<&str> {
    body.trim_start_matches('\u{feff}')
        .trim_start()
        .strip_prefix(MARK)
        .map(|rest| rest.trim_start_matches(['\r', '\n']))
}

/// The body in an answer: without a fence around it and without what stands before its first section (a greeting, a
/// title, a frontmatter), with LF line ends and one at the end.
///
/// # Errors
/// [`NotABody`].
pub fn body(answer: &str) -> Result<String, NotABody> {
    if answer.len() > MOST {
        return Err(NotABody::TooLarge(answer.len()));
    }
    let text = answer.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let lines = unfenced(&lines);
    let sections = sections(lines);
    match sections.as_slice() {
        [first, _, ..] => Ok(format!("{}\n", lines.get(*first..).unwrap_or_default().join("\n").trim_end())),
        _ => Err(NotABody::NoSections),
    }
}

/// The lines inside the fence that holds the whole answer, or all of them.
fn unfenced<'l, 't>(lines: &'l [&'t str]) -> &'l [&'t str] {
    let head = lines.iter().position(|line| line.starts_with("## ")).unwrap_or(lines.len());
    let opens = |line: &&str| {
        let info = line.trim_start_matches(['`', '~']);
        line.len() - info.len() >= 3 && matches!(info.trim(), "" | "markdown" | "md")
    };
    let Some(open) = lines.iter().take(head).position(opens) else { return lines };
    let last = lines.iter().rposition(|line| !line.is_empty()).unwrap_or_default();
    let closed = lines.get(last).is_some_and(|line| line.len() >= 3 && line.chars().all(|c| matches!(c, '`' | '~')));
    if closed && last < head {
        return lines;
    }
    lines.get(open + 1..if closed { last } else { lines.len() }).unwrap_or_default()
}

/// Where the headings of the second level stand, outside of fences.
fn sections(lines: &[&str]) -> Vec<usize> {
    let (mut found, mut fence) = (Vec::new(), None);
    for (at, line) in lines.iter().enumerate() {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, None) if line.starts_with("## ") => found.push(at),
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str = "## How to do it\n\n1. Look.\n\n```sh\nls\n```\n\n## Do not\n\n- Guess.\n";

    #[test]
    fn what_stands_around_a_body_is_taken_off() {
        for answer in [
            BODY.to_owned(),
            BODY.replace('\n', "\r\n"),
            format!("```markdown\n{BODY}```\n"),
            format!("Here it is:\n\n```\n{BODY}```"),
            format!("````md\n{BODY}````"),
            format!("---\nname: x\n---\n\n# X\n\nA greeting.\n\n{BODY}\n\n"),
            format!("```markdown\n# X\n{BODY}\nMore."),
        ] {
            let body = body(&answer).map(|body| body.replace("\nMore.\n", ""));
            assert_eq!(body.as_deref(), Ok(BODY), "{answer}");
        }
    }

    #[test]
    fn what_is_no_body_is_refused() {
        for answer in ["", "Please log in.", "## One section\n\ntext", "text\n\n```js\n## a\n## b\n```"] {
            assert_eq!(body(answer), Err(NotABody::NoSections), "{answer}");
        }
        let large = format!("## a\n\n## b\n\n{}", "x".repeat(MOST));
        assert_eq!(body(&large), Err(NotABody::TooLarge(large.len())));
    }

    #[test]
    fn a_whole_body_says_so_in_its_first_line() {
        assert_eq!(whole(&format!("\n{MARK}\r\n{BODY}")), Some(BODY));
        assert_eq!(whole(BODY), None);
    }
}

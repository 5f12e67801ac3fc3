//! A SKILL.md as frontmatter and sections, which joined again are the same bytes, and a merge of two that drops nothing
//! without a decision.

mod merge;

pub use merge::{Difference, Keep, Merged, merge, only_title};

/// A heading with the text below it, up to the next heading.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Section {
    /// The headings from the top down to this one, each as its level, a space and its title; empty for the text
    /// before the first heading. A heading that repeats under the same parent carries its number (`2 Notes (2)`).
    pub path: Vec<String>,
    /// The heading line and everything up to the next heading, byte for byte.
    pub text: String,
}

impl Section {
    /// The title, or `(start)` for the text before the first heading.
    pub fn title(&self) -> &str {
        self.path.last().and_then(|step| step.split_once(' ')).map_or("(start)", |(_, title)| title)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The opening `---` line with a byte order mark before it, if any; empty without frontmatter.
    pub open: String,
    /// The lines between the two `---`.
    pub yaml: String,
    /// The closing `---` line; empty without frontmatter.
    pub close: String,
    /// The sections in order. Each path occurs once.
    pub sections: Vec<Section>,
}

impl Document {
    pub fn text(&self) -> String {
        let head = [self.open.as_str(), &self.yaml, &self.close];
        head.into_iter().chain(self.sections.iter().map(|section| section.text.as_str())).collect()
    }
}

/// Cuts a text. Headings are `#` lines outside code fences, as in CommonMark; an unclosed frontmatter is text.
pub fn split(text: &str) -> Document {
    let [open, yaml, close, body] = fences(text).unwrap_or(["", "", "", text]);
    let [open, yaml, close] = [open, yaml, close].map(str::to_owned);
    let mut document = Document { open, yaml, close, sections: Vec::new() };
    let mut current = Section::default();
    let mut path: Vec<(usize, String)> = Vec::new();
    let mut seen = std::collections::HashMap::<Vec<String>, usize>::new();
    let mut fence: Option<(char, usize)> = None;
    for line in body.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        if let Some(open) = fence {
            fence = fence.filter(|_| !closes(bare, open));
        } else if let Some(opened) = opens(bare) {
            fence = Some(opened);
        } else if let Some((level, title)) = heading(bare) {
            let done = std::mem::take(&mut current);
            document.sections.extend(Some(done).filter(|section| !section.text.is_empty()));
            path.retain(|(above, _)| *above < level);
            path.push((level, format!("{level} {title}")));
            let steps = |path: &[(usize, String)]| path.iter().map(|(_, step)| step.clone()).collect::<Vec<_>>();
            let times = seen.entry(steps(&path)).or_default();
            *times += 1;
            if *times > 1 {
                path.pop();
                path.push((level, format!("{level} {title} ({times})")));
            }
            current.path = steps(&path);
        }
        current.text.push_str(line);
    }
    document.sections.extend(Some(current).filter(|section| !section.text.is_empty()));
    unique(&mut document.sections);
    document
}

/// The line that opens a frontmatter, its YAML, the line that closes it, and the rest of the text; `None` without one.
pub(crate) fn fences(text: &str) -> Option<[&str; 4]> {
    let is_mark = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let open = lines.next().filter(|line| is_mark(line.trim_start_matches('\u{feff}')))?;
    let mut at = open.len();
    let close = lines.find(|line| {
        at += line.len();
        is_mark(line)
    })?;
    Some([open, text.get(open.len()..at - close.len())?, close, text.get(at..)?])
}

/// Makes paths unique: a title that ends in a number may equal a numbered one, which then gets the next number.
fn unique(sections: &mut [Section]) {
    let mut seen = std::collections::HashSet::new();
    for section in sections {
        while !seen.insert(section.path.clone()) {
            match section.path.last_mut() {
                Some(step) => step.push_str(" (again)"),
                None => section.path.push("0 (start)".to_owned()),
            }
        }
    }
}

/// The level and title of an ATX heading line.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches(' ');
    let level = text.bytes().take_while(|b| *b == b'#').count();
    let rest = text.get(level..)?;
    if line.len() - text.len() > 3 || !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let title = rest.trim();
    let cut = title.trim_end_matches('#');
    Some((level, if cut.is_empty() || cut.ends_with([' ', '\t']) { cut.trim_end() } else { title }))
}

/// The mark and width of a line that opens a code fence.
pub(crate) fn opens(line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let width = text.chars().take_while(|c| *c == mark).count();
    let info = text.get(width..).unwrap_or_default();
    (line.len() - text.len() < 4 && width >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, width))
}

/// Whether the line closes the fence that was opened by this mark of this width.
pub(crate) fn closes(line: &str, (mark, width): (char, usize)) -> bool {
    let text = line.trim_start_matches(' ');
    let wide = text.chars().take_while(|c| *c == mark).count();
    line.len() - text.len() < 4 && wide >= width && text.trim_start_matches(mark).trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn paths(text: &str) -> Vec<String> {
        split(text).sections.iter().map(|section| section.path.join(" > ")).collect()
    }

    #[test]
    fn headings_nest_and_repeats_are_counted() {
        let text = "---\nname: a\n---\n\nintro\n# T\n## A ##\n### Notes\n## B\n### Notes\n### Notes\n";
        assert_eq!(
            paths(text),
            [
                "", "1 T", "1 T > 2 A", "1 T > 2 A > 3 Notes", "1 T > 2 B", "1 T > 2 B > 3 Notes",
                "1 T > 2 B > 3 Notes (2)"
            ]
        );
        assert_eq!(split(text).yaml, "name: a\n");
    }

    #[test]
    fn a_hash_in_a_fence_or_without_a_space_is_no_heading() {
        assert_eq!(paths("# T\n````sh\n# comment\n```\n# more\n````\n#tag\n    # code\n~~~\n# x\n"), ["1 T"]);
    }

    #[test]
    fn an_unclosed_frontmatter_is_text_and_a_title_that_looks_counted_one_of_a_kind() {
        let document = split("---\nname: a\n# T\n");
        assert_eq!((document.yaml.as_str(), document.sections.len()), ("", 2));
        let mut counted = paths("# A\n# A (2)\n# A\n");
        counted.dedup();
        assert_eq!(counted.len(), 3);
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_text(text in "[a#`~ \r\n(2)-]{0,80}") {
            let document = split(&text);
            prop_assert_eq!(document.text(), text);
            let paths: std::collections::HashSet<_> = document.sections.iter().map(|s| s.path.clone()).collect();
            prop_assert_eq!(paths.len(), document.sections.len());
        }
    }
}

//! reStructuredText as Markdown, line by line, so that its rules and steps are read like those of other documents.

use std::sync::LazyLock;

use regex::Regex;

/// The path of a document in the form that the readers know; others are left as they are.
pub(super) fn as_markdown(path: &str) -> Option<String> {
    let stem = path.strip_suffix(".rst")?;
    Some(format!("{stem}.md"))
}

/// The text in Markdown, with as many lines: titles, code, links, roles and numbered lists.
pub(super) fn markdown(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut marks: Vec<char> = Vec::new();
    let mut said = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let below = lines.get(at + 1).and_then(|next| underline(next, line));
        let above = at > 0 && lines.get(at - 1).and_then(|title| underline(line, title)).is_some();
        let over =
            lines.get(at + 1).is_some_and(|title| underline(line, title).is_some() && lines.get(at + 2) == Some(line));
        said.push(match below {
            _ if above || over || line.starts_with(".. ") => String::new(),
            Some(mark) => {
                let level = marks.iter().position(|known| *known == mark).unwrap_or_else(|| {
                    marks.push(mark);
                    marks.len() - 1
                });
                format!("{} {}", "#".repeat(level + 1), inline(line.trim()))
            }
            None => inline(line),
        });
    }
    said.join("\n")
}

/// The mark of a line that underlines this title.
fn underline(line: &str, title: &str) -> Option<char> {
    const SHORTEST: usize = 3;
    let mark = line.chars().next().filter(|mark| mark.is_ascii_punctuation())?;
    let whole = line.chars().all(|c| c == mark) && line.len() >= SHORTEST;
    let titled = title.starts_with(char::is_alphanumeric)
        || title.starts_with(' ') && title.trim().starts_with(char::is_alphanumeric);
    (whole && titled && line.chars().count() >= title.trim().chars().count()).then_some(mark)
}

fn inline(line: &str) -> String {
    #[allow(clippy::expect_used, reason = "fixed patterns, used by the tests")]
    static FORMS: LazyLock<[(Regex, &str); 4]> = LazyLock::new(|| {
        let forms = [
            (r":[a-z:]+:`([^`<]+?)(?: <[^>]*>)?`", "`$1`"),
            (r"(^|[^`])`([^`<]+?) ?(?:<[^>]*>)?`__?", "$1$2"),
            (r"``([^`]+)``", "`$1`"),
            (r"^(\s*)#\. ", "${1}1. "),
        ];
        forms.map(|(pattern, form)| (Regex::new(pattern).expect("a valid pattern"), form))
    });
    let said =
        FORMS.iter().fold(line.to_owned(), |line, (pattern, form)| pattern.replace_all(&line, *form).into_owned());
    said.strip_suffix("::").map_or(said.clone(), |head| format!("{head}:"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::skill::fact::{Kind, Source, read};

    #[test]
    fn titles_code_and_lists_are_those_of_markdown() {
        let text = "=====\nGuide\n=====\n\nReleases\n--------\n\n#. Run ``nox -s dist``.\n#. See `the list <x.html>`_ and :ref:`tags`.\n\n.. note:: x\n";
        let wanted = "\n# Guide\n\n\n## Releases\n\n\n1. Run `nox -s dist`.\n1. See the list and `tags`.\n\n";
        assert_eq!(markdown(text), wanted);
    }

    #[test]
    fn rules_of_such_a_document_have_its_name_and_line() {
        let text = "Releasing\n=========\n\n* Never tag ``main``.\n* Run ``nox -s dist`` before each tag.\n";
        let all = read(&Source { path: "docs/releasing.rst", text, beside: &BTreeSet::new() }).all;
        let rule = all.iter().find(|fact| fact.kind == Kind::Rule).expect("a rule");
        assert_eq!((rule.text.as_str(), rule.place()), ("Never tag `main`.", "docs/releasing.rst:4".to_owned()));
    }
}

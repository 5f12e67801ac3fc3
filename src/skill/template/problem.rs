//! The problems of a template with line and column.

use serde::Serialize;

use super::{Template, TemplateError, engine, front, limits};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// 1-based line in the template's file, where known.
    pub line: Option<usize>,
    /// 1-based column in Unicode scalar values, where known.
    pub column: Option<usize>,
    pub message: String,
}

/// All problems of a template's text before rendering, including every use of an unknown name.
pub fn problems(template: &Template) -> Vec<Problem> {
    let source = template.source.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    if let Some(close) = front::unopened(&source) {
        let message =
            format!("the frontmatter that line {} closes has no `---` line before it", close + template.above);
        return vec![Problem { line: Some(1 + template.above), column: None, message }];
    }
    let Err((error, at)) = engine::examine(&template.name, &source) else { return Vec::new() };
    match error {
        TemplateError::Unknown { names, .. } => {
            let mut found: Vec<Problem> = Vec::new();
            for name in names {
                let message = format!("`{name}` is no known placeholder");
                let places = places(&source, &name);
                if places.is_empty() {
                    found.push(Problem { line: None, column: None, message: message.clone() });
                }
                found.extend(places.into_iter().map(|at| placed(&source, at, template.above, message.clone())));
            }
            found.sort_by_key(|problem| (problem.line, problem.column));
            found
        }
        TemplateError::Broken { line, message, .. } => match at {
            Some(at) => vec![placed(&source, at, template.above, message)],
            None => vec![Problem { line: line.map(|line| line + template.above), column: None, message }],
        },
        TemplateError::Blank { .. } => Vec::new(),
    }
}

/// Whether a template uses a name. A template too large to be rendered uses none.
pub fn uses(template: &Template, name: &str) -> bool {
    limits::check(&template.source).is_ok() && !places(&template.source, name).is_empty()
}

fn placed(source: &str, at: usize, above: usize, message: String) -> Problem {
    let before = source.get(..at).unwrap_or(source);
    let line = before.matches('\n').count() + 1 + above;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Problem { line: Some(line), column: Some(column), message }
}

/// The byte offsets of a name inside `{{…}}` or `{%…%}`, outside of quotes and of `{{{{…}}}}`.
fn places(source: &str, name: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = source.get(at..).and_then(|rest| rest.find('{')).map(|open| at + open) {
        let rest = source.get(open..).unwrap_or_default();
        let passed = |end: &str| rest.find(end).map_or(end.len(), |at| at + end.len());
        let close = match rest {
            _ if rest.starts_with("{{{{") => Err(passed("}}}}")),
            _ if rest.starts_with("{#") => Err(passed("#}")),
            _ if rest.starts_with("{{") => Ok(rest.find("}}")),
            _ if rest.starts_with("{%") => Ok(rest.find("%}")),
            _ => Err(1),
        };
        let close = match close {
            Ok(Some(close)) => close,
            Ok(None) => break,
            Err(passed) => {
                at = open + passed;
                continue;
            }
        };
        let tag = rest.get(..close).unwrap_or_default();
        for (offset, _) in tag.match_indices(name) {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let before = tag.get(..offset).unwrap_or_default();
            let after = tag.get(offset + name.len()..).unwrap_or_default();
            let quoted = before.matches('"').count() % 2 == 1 || before.matches('\'').count() % 2 == 1;
            let part = before.ends_with(|c| word(c) || c == '.') || after.starts_with(word);
            if !quoted && !part {
                found.push(open + offset);
            }
        }
        at = open + close + 2;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::template::Origin;

    fn found(source: &str, above: usize) -> Vec<(Option<usize>, Option<usize>)> {
        let (name, version) = ("x".to_owned(), "1".to_owned());
        let template = Template { name, source: source.to_owned(), version, origin: Origin::Project, above };
        problems(&template).iter().map(|problem| (problem.line, problem.column)).collect()
    }

    #[test]
    fn every_problem_is_found_where_it_stands_in_the_file() {
        let at = |line, column| (Some(line), Some(column));
        let names = "---\nname: {{NAME}}\n---\né {{ NOPE }} {% if NAME %}{{'NOPE'}}{% endif %}\n";
        for (source, above, places) in [
            (names, 0, &[at(2, 9), at(4, 6), at(4, 20)][..]),
            ("{{SKILL_NAME}} {{{{NOPE}}}} {# NOPE #}", 0, &[]),
            // Frontmatter without its first line.
            ("name: x\ndescription: y\n---\n# {{SKILL_NAME}}\n", 1, &[(Some(2), None)]),
            ("# {{SKILL_NAME}}\n\n---\n\nNote: x\n", 0, &[]),
            ("{{SKILL_NAME}}: read it\n", 0, &[]),
            // What cannot be read.
            ("a\n{% if %}", 1, &[at(3, 7)]),
            ("{{{{A}}}} {{ SKILL_NAME }} {{ | }}", 0, &[at(1, 31)]),
        ] {
            assert_eq!(found(source, above), places, "{source}");
        }
    }
}

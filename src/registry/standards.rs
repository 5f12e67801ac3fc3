//! The standards of a project, `.context/`: its own texts, and embedded ones for the missing.

use std::collections::BTreeMap;

use crate::registry::constitution;

const ARCHITECTURE: &str = ".context/standards/architectural-rules.md";

/// The embedded texts by their path below the project root.
pub const EMBEDDED: [(&str, &str); 3] = [
    (".context/_meta/key-decisions.md", include_str!("../../templates/context/_meta/key-decisions.md")),
    (ARCHITECTURE, include_str!("../../templates/context/standards/architectural-rules.md")),
    (".context/standards/skill-quality.md", include_str!("../../templates/context/standards/skill-quality.md")),
];

/// The directory whose texts make the standards the project's own.
pub const DIRECTORY: &str = ".context/standards";

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The embedded texts (INFO-004).
    Embedded,
    /// The project's `.context/standards/`.
    Project,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standards {
    pub source: Source,
    /// How many T0 rules are in force (RUN-1).
    pub count: usize,
    /// The texts by their path below the project root.
    pub files: BTreeMap<String, String>,
}

/// The paths of the embedded texts.
pub fn names() -> impl Iterator<Item = &'static str> {
    EMBEDDED.iter().map(|(path, _)| *path)
}

/// Loads the standards from the Markdown texts of a project's `.context/`, by path below the project root (`/`
/// between components). An embedded text stands in for every one the project does not have.
pub fn load(project: &BTreeMap<String, String>) -> Standards {
    let own = |path: &String| path.strip_prefix(DIRECTORY).is_some_and(|rest| rest.starts_with('/'));
    let mut files: BTreeMap<String, String> =
        EMBEDDED.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    files.extend(project.iter().map(|(path, text)| (path.clone(), text.clone())));
    let source = if project.keys().any(own) { Source::Project } else { Source::Embedded };
    Standards { source, count: constitution::T0.len(), files }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_the_project_replaces_the_embedded_one() {
        let standards = load(&BTreeMap::new());
        assert_eq!((standards.source, standards.count), (Source::Embedded, 11));
        assert!(names().all(|name| standards.files.contains_key(name)));
        let standards = load(&BTreeMap::from([(ARCHITECTURE.to_owned(), "# Ours\n".to_owned())]));
        assert_eq!((standards.source, standards.files[ARCHITECTURE].as_str()), (Source::Project, "# Ours\n"));
        assert_eq!(standards.files.len(), EMBEDDED.len());
        let elsewhere = BTreeMap::from([(".context/standards-old/a.md".to_owned(), String::new())]);
        assert_eq!(load(&elsewhere).source, Source::Embedded);
        let text = EMBEDDED.iter().find(|(path, _)| *path == ARCHITECTURE).unwrap().1;
        for id in constitution::T0 {
            assert!(text.contains(id), "the architectural rules name every T0 rule: {id}");
        }
    }
}

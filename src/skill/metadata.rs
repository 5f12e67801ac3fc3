//! metadata.yaml: data about a skill beside what agents read.

use serde::{Deserialize, Serialize};

use super::template::{Template, Values};
use super::yaml::block;

/// The file's name, beside SKILL.md.
pub const FILE: &str = "metadata.yaml";

/// The content of metadata.yaml. Reading is lenient: a field that is missing is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    pub name: String,
    pub description: String,
    pub author: String,
    /// Its version, such as `1.0.0` (T1-HEFESTO-03).
    pub version: String,
    /// When it was made: RFC 3339, UTC.
    pub created: String,
    /// When it was last changed: RFC 3339, UTC.
    pub updated: String,
    /// One of the six categories (T2-HEFESTO-01).
    pub category: String,
    /// Three to eight tags (T2-HEFESTO-02).
    pub tags: Vec<String>,
    /// The ids of the targets it was made for.
    pub platforms: Vec<String>,
    pub license: String,
    pub archetype: String,
    pub template_used: String,
    pub template_version: String,
    /// A hash of the inputs: the same hash, template version and clock give the same bytes. May be empty.
    pub input_hash: String,
    pub dependencies: Vec<String>,
}

/// The lines of a metadata.yaml without those of these fields.
pub fn without(text: &str, fields: &[&str]) -> String {
    let mut left_out = false;
    let stays = |line: &&str| {
        if !line.starts_with([' ', '-', '\n', '\r']) {
            left_out = line.split_once(':').is_some_and(|(field, _)| fields.contains(&field));
        }
        !left_out
    };
    text.split_inclusive('\n').filter(stays).collect()
}

impl Metadata {
    /// The metadata of a skill made now; `at` is RFC 3339 in UTC.
    pub fn new(values: &Values, template: &Template, at: &str) -> Self {
        Self {
            name: values.name.clone(),
            description: values.description.clone(),
            author: values.author.clone(),
            version: values.version.clone(),
            created: at.to_owned(),
            updated: at.to_owned(),
            category: values.category.word().to_owned(),
            tags: values.tags.clone(),
            platforms: values.platforms.clone(),
            license: values.license.clone(),
            archetype: values.archetype.word().to_owned(),
            template_used: template.name.clone(),
            template_version: template.version.clone(),
            input_hash: String::new(),
            dependencies: values.dependencies.clone(),
        }
    }

    /// The file's text, fields in a fixed order.
    pub fn to_yaml(&self) -> String {
        block(&serde_json::to_value(self).unwrap_or_default())
    }

    /// Reads the file. Unknown fields are ignored.
    /// Errors: the message of the YAML parser, with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        super::yaml::bounded(text)?;
        serde_yaml::from_str(text).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::sentence::read;
    use crate::skill::template::built_in;

    #[test]
    fn what_is_written_reads_back() {
        let text = "Say \"no\": # to ~ \\ everything";
        let mut values = Values::new("say-everything", text, &read(text), &[], "2026-11-21");
        values.platforms = vec!["claude".into(), "gemini".into()];
        let metadata = Metadata::new(&values, &built_in("base").unwrap(), "2026-11-21T10:00:00Z");
        assert_eq!(Metadata::parse(&metadata.to_yaml()), Ok(metadata.clone()));
        assert_eq!(metadata.version, "1.0.0");
        assert_eq!(metadata.template_used, "base");
        assert!((3..=8).contains(&metadata.tags.len()));
        let every_field: serde_yaml::Value = serde_yaml::from_str(&metadata.to_yaml()).unwrap();
        assert_eq!(every_field, serde_yaml::to_value(metadata).unwrap());
    }

    #[test]
    fn partial_and_foreign_files_are_read_as_far_as_they_go() {
        let read = Metadata::parse("name: x\ncustom: [1]\ntags: []\nversion: 1.10\n").unwrap();
        assert_eq!((read.name.as_str(), read.version.as_str(), read.author.as_str()), ("x", "1.10", ""));
        assert!(Metadata::parse("name: [").is_err());
    }
}

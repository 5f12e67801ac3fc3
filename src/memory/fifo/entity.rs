//! Entities named in conversations, with a confidence.

use serde::Serialize;

words! {
    EntityType {
        File = "file",
        /// A class, struct, trait or another named type.
        Class = "class",
        Method = "method",
        Variable = "variable",
        /// A technical term, a hashtag, or a recurring phrase.
        Concept = "concept",
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mention {
    #[serde(rename = "type")]
    pub kind: EntityType,
    pub name: String,
    /// Confidence: 1.0 in code, 0.6 in prose.
    pub relevance_score: f64,
}

impl Mention {
    /// The directory of a file, if named; otherwise empty.
    pub fn file_path(&self) -> &str {
        if self.kind == EntityType::File && self.name.contains(['/', '\\']) { &self.name } else { "" }
    }
}

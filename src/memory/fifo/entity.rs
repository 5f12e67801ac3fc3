//! Entities named in conversations, with a confidence.

use serde::{Deserialize, Serialize};

/// The type of an entity (FIFO-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntityType {
    /// A file or the path of one.
    File,
    /// A class, struct, trait or another named type.
    Class,
    /// A method or function, without its parentheses.
    Method,
    /// A variable, field, constant or environment variable.
    Variable,
    /// A technical term, a hashtag, or a recurring phrase.
    Concept,
}

impl EntityType {
    pub const ALL: [Self; 5] = [Self::File, Self::Class, Self::Method, Self::Variable, Self::Concept];

    /// The name in the database and on the screen.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Class => "class",
            Self::Method => "method",
            Self::Variable => "variable",
            Self::Concept => "concept",
        }
    }

    /// The type of that word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// An entity as a text names it.
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
    #[must_use]
    pub fn file_path(&self) -> &str {
        if self.kind == EntityType::File && self.name.contains(['/', '\\']) { &self.name } else { "" }
    }
}

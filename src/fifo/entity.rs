//! Entities: what conversations are about, and how surely a text names one.

use serde::{Deserialize, Serialize};

/// What an entity is (seed 3 §Entity Extraction Logic).
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
    /// A technical term, a hashtag, or a phrase that comes back.
    Concept,
}

impl EntityType {
    /// Every type.
    pub const ALL: [Self; 5] = [Self::File, Self::Class, Self::Method, Self::Variable, Self::Concept];

    /// The word in the database and on the screen.
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
    /// What it is.
    #[serde(rename = "type")]
    pub kind: EntityType,
    /// Its name.
    pub name: String,
    /// 1.0 where it is written as code, 0.6 where it stands in prose.
    pub relevance_score: f64,
}

impl Mention {
    /// Where a file is, if it is named with its directory; empty otherwise.
    #[must_use]
    pub fn file_path(&self) -> &str {
        if self.kind == EntityType::File && self.name.contains(['/', '\\']) { &self.name } else { "" }
    }
}

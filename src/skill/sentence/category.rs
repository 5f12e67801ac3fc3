//! The six categories (T2-HEFESTO-01).

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// What a skill is about, as far as the recommended categories go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Writing and changing code; also whatever names no other category.
    Development,
    Testing,
    Documentation,
    /// Building, shipping and running software.
    Devops,
    /// Judging the work of others.
    Review,
    Security,
}

impl Category {
    /// Every category, as the constitution lists them.
    pub const ALL: &'static [Self] =
        &[Self::Development, Self::Testing, Self::Documentation, Self::Devops, Self::Review, Self::Security];

    /// The word that is printed and serialised.
    pub fn word(self) -> &'static str {
        match self {
            Self::Development => "development",
            Self::Testing => "testing",
            Self::Documentation => "documentation",
            Self::Devops => "devops",
            Self::Review => "review",
            Self::Security => "security",
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Category {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|category| category.word() == text).ok_or(())
    }
}

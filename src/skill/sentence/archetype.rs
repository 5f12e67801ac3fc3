//! The kinds of work; they decide the order of a body, not its sentences.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Archetype {
    /// Deciding whether something is right.
    Validate,
    Generate,
    Review,
    /// Finding out whether something works.
    Test,
    /// Putting something where it is used.
    Deploy,
    /// Bringing something into another form.
    Convert,
    /// Taking what is needed out of something larger.
    Extract,
    /// Moving something that is in use to another place or version.
    Migrate,
    Document,
    /// Changing something without changing what it does.
    Refactor,
    /// Finding out what something shows.
    Analyse,
    /// Watching something and telling when it changes.
    Monitor,
    /// Doing something with a program on the command line.
    WrapCliTool,
    Workflow,
    General,
}

impl Archetype {
    pub const ALL: &'static [Self] = &[
        Self::Validate,
        Self::Generate,
        Self::Review,
        Self::Test,
        Self::Deploy,
        Self::Convert,
        Self::Extract,
        Self::Migrate,
        Self::Document,
        Self::Refactor,
        Self::Analyse,
        Self::Monitor,
        Self::WrapCliTool,
        Self::Workflow,
        Self::General,
    ];

    /// The word that is printed, serialised and names the file of its text.
    pub fn word(self) -> &'static str {
        match self {
            Self::Validate => "validate",
            Self::Generate => "generate",
            Self::Review => "review",
            Self::Test => "test",
            Self::Deploy => "deploy",
            Self::Convert => "convert",
            Self::Extract => "extract",
            Self::Migrate => "migrate",
            Self::Document => "document",
            Self::Refactor => "refactor",
            Self::Analyse => "analyse",
            Self::Monitor => "monitor",
            Self::WrapCliTool => "wrap-cli-tool",
            Self::Workflow => "workflow",
            Self::General => "general",
        }
    }

    /// The noun of the work, as a tag; `general` has none.
    pub(super) fn tag(self) -> Option<&'static str> {
        Some(match self {
            Self::Validate => "validation",
            Self::Generate => "generation",
            Self::Review => "review",
            Self::Test => "testing",
            Self::Deploy => "deployment",
            Self::Convert => "conversion",
            Self::Extract => "extraction",
            Self::Migrate => "migration",
            Self::Document => "documentation",
            Self::Refactor => "refactoring",
            Self::Analyse => "analysis",
            Self::Monitor => "monitoring",
            Self::WrapCliTool => "command-line",
            Self::Workflow => "workflow",
            Self::General => return None,
        })
    }
}

impl fmt::Display for Archetype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Archetype {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|kind| kind.word() == text).ok_or(())
    }
}

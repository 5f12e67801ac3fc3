//! The kinds of work; they decide the order of a body, not its sentences.

word_enum! {
    Archetype {
        /// Deciding whether something is right.
        Validate = "validate",
        Generate = "generate",
        Review = "review",
        /// Finding out whether something works.
        Test = "test",
        /// Delivering something to where it is used.
        Deploy = "deploy",
        /// Changing the format of something.
        Convert = "convert",
        /// Taking data out of something larger.
        Extract = "extract",
        /// Moving something in use to another place or version.
        Migrate = "migrate",
        Document = "document",
        /// Changing something without changing what it does.
        Refactor = "refactor",
        /// Examining data or behaviour.
        Analyse = "analyse",
        /// Watching something and reporting changes.
        Monitor = "monitor",
        /// Using a command-line program.
        WrapCliTool = "wrap-cli-tool",
        Workflow = "workflow",
        General = "general",
    }
}

impl Archetype {
    /// The noun for the work, as a tag; `general` has none.
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

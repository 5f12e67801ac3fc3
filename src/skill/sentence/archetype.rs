//! The kinds of work; they decide the order of a body, not its sentences.

word_enum! {
    Archetype {
        /// Deciding whether something is right.
        Validate = "validate",
        Generate = "generate",
        Review = "review",
        /// Finding out whether something works.
        Test = "test",
        /// Putting something where it is used.
        Deploy = "deploy",
        /// Bringing something into another form.
        Convert = "convert",
        /// Taking what is needed out of something larger.
        Extract = "extract",
        /// Moving something that is in use to another place or version.
        Migrate = "migrate",
        Document = "document",
        /// Changing something without changing what it does.
        Refactor = "refactor",
        /// Finding out what something shows.
        Analyse = "analyse",
        /// Watching something and telling when it changes.
        Monitor = "monitor",
        /// Doing something with a program on the command line.
        WrapCliTool = "wrap-cli-tool",
        Workflow = "workflow",
        General = "general",
    }
}

impl Archetype {
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
